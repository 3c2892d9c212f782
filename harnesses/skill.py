"""Skills: the folder with everything in it, and what becomes a skill where a harness has no better."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping

from tackroom.harnesses import markdown, scope
from tackroom.harnesses.codes import AgentAsSkill, CommandAsSkill, InnerSkill, RuleAsSkill
from tackroom.harnesses.contract import Form, Order, Staged, When, Written
from tackroom.harnesses.emit import Emitted
from tackroom.harnesses.header import NO_CONVERTERS, Converter, boolean, meaning_of, nothing, target_header


def skill(order: Order, converters: Mapping[str, Converter] = NO_CONVERTERS) -> Written:
    """Yield a skill's SKILL.md and its supporting files, bytes and execute bits as they are."""
    yield from markdown.write(order, converters)
    yield from supporting(order)


def supporting(order: Order) -> Written:
    """Yield the supporting files of a skill, where its SKILL.md is staged."""
    folder = posixpath.dirname(order.slot.place(order.name))
    for each in order.artifact.files:
        if order.target.inner_skills and posixpath.basename(each.path) == "SKILL.md":
            yield InnerSkill(name=each.path)
        yield Staged(f"{folder}/{each.path}", each.file, each.file.executable)


def command_as_skill(order: Order, converters: Mapping[str, Converter] = NO_CONVERTERS) -> Written:
    """Yield a command as a skill of its name."""
    yield CommandAsSkill(name=order.artifact.name, staged_as=order.name)
    yield from markdown.write(order, converters)


def agent_as_skill(order: Order) -> Written:
    """Yield an agent's instructions as a skill. Its fields are said where its own file is staged."""
    yield AgentAsSkill(name=order.artifact.name, staged_as=order.name)
    only = {meaning_of(order, field): nothing for field in order.artifact.document.fields}
    yield from markdown.write(order, only)


def rule_as_skill(order: Order) -> Written:
    """Yield a rule as a skill that says when the rule applies, in its text and where the header can."""
    found = scope.of(order.artifact.document, order.source)
    yield RuleAsSkill(name=order.artifact.name, staged_as=order.name, scope=str(found))
    converters = dict.fromkeys(scope.SCOPE_FIELDS, nothing)
    yield from markdown.write(
        order, converters, added=tuple(_scope_fields(order, found)), note=scope_note(found)
    )


def _scope_fields(order: Order, found: scope.Scope) -> Iterator[tuple[str, Emitted]]:
    facts = target_header(order)
    paths = facts.by_meaning("paths")
    by_name = facts.by_meaning("disable-model-invocation")
    if paths and found.when is When.GLOBS:
        yield paths.name, found.globs if paths.form is Form.LIST else ",".join(found.globs)
    if by_name and found.when is When.MANUAL:
        yield by_name.name, True


def scope_note(found: scope.Scope) -> str:
    """Return the paragraph that tells a model when the rule was meant to apply."""
    lines = []
    if found.when is When.ALWAYS:
        lines.append("- This was a rule that always applies: follow it in the whole session.")
    if found.when is When.DESCRIPTION:
        lines.append("- This was a rule that applies when its description fits the task.")
    if found.when is When.MANUAL:
        lines.append("- This was a rule that applies only when somebody asks for it by name.")
    if found.globs:
        patterns = ", ".join(f"`{each}`" for each in found.globs)
        lines.append(f"- It applies to files that match {patterns}.")
    return "## When this applies\n\n" + "\n".join(lines) + "\n\n"


def invocable(order: Order) -> bool:
    """Tell whether a model may use the artifact without being asked to."""
    value = order.artifact.document.get("disable-model-invocation")
    return value is None or boolean(value, order.source) is not True
