"""What Codex gets: skills for commands and rules, and an agent as TOML and as a skill.

Codex cannot limit an agent to a list of tools. One that may neither write nor run anything at home
gets the read-only sandbox; every other list is a finding.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from tackroom.harnesses import markdown, scope, skill, tools
from tackroom.harnesses.contract import Order, Staged, When, Written
from tackroom.harnesses.emit import Emitted, as_toml
from tackroom.harnesses.header import (
    Carried,
    Converted,
    as_written,
    boolean,
    by_facts,
    convert,
    lost,
    nothing,
    shown,
    source_fact,
)
from tackroom.packages.codes import BodyNotText, FieldDropped, GuardLost, ModelDropped, ValueDropped
from tackroom.packages.findings import Finding
from tackroom.packages.frontmatter import is_text
from tackroom.packages.model import Field, Kind, Support, Text

POLICY = "agents/openai.yaml"  # in a skill's folder
_BY_NAME_ONLY = b"policy:\n  allow_implicit_invocation: false\n"
_SAYS_SO = re.compile(rb"^[ \t]+allow_implicit_invocation[ \t]*:[ \t]*false\b", re.MULTILINE)

_MODEL = re.compile(r"(gpt|codex)-[a-z0-9.-]+|o[0-9][a-z0-9.-]*")
READ_ONLY = Carried("sandbox_mode", "read-only")


def package_skill(order: Order) -> Written:
    """Yield a skill, and the file that keeps the model from using one that is not for it."""
    yield from skill.skill(order, _SKILL)
    if not skill.invocable(order.artifact, order):
        yield from _by_name_only(order)


def command(order: Order) -> Written:
    """Yield a command as a skill."""
    yield from skill.command_as_skill(order, _SKILL)
    if not skill.invocable(order.artifact, order):
        yield from _by_name_only(order)


def rule(order: Order) -> Written:
    """Yield a rule as a skill."""
    yield from skill.rule_as_skill(order)
    if scope.of(order.artifact.document, order.source).when is When.MANUAL:
        yield from _by_name_only(order)


def _by_name_only(order: Order) -> Iterator[Staged | Finding]:
    own = next((each for each in order.artifact.files if each.path.casefold() == POLICY), None)
    if own is None:
        folder = posixpath.dirname(order.slot.place(order.name))
        yield Staged(f"{folder}/{POLICY}", _BY_NAME_ONLY)
    elif not _says_so(own):
        key = "disable-model-invocation"
        line = order.artifact.document.line(key)
        yield GuardLost(field=key, value=f"true, but {POLICY} of the skill does not say it", line=line)


def _says_so(own: Support) -> bool:
    return own.path == POLICY and bool(_SAYS_SO.search(own.file.load()))


def _invocation(order: Order, field: Field) -> Converted:
    if boolean(field.value, order.source) is None:
        yield from by_facts(order, field)
    else:
        yield Carried(field.key, as_written(field.value), same=True)


def _metadata(order: Order, field: Field) -> Converted:
    """Convert metadata; a short description that is no text would refuse the skill."""
    short = field.value.get("short-description", Text("")) if isinstance(field.value, Mapping) else Text("")
    if isinstance(short, Text) or not isinstance(field.value, Mapping):
        yield from by_facts(order, field)
        return
    yield ValueDropped(field="metadata.short-description", value=shown(short))
    rest = {key: as_written(each) for key, each in field.value.items() if each is not short}
    yield Carried(field.key, rest)


_SKILL = {"disable-model-invocation": _invocation, "metadata": _metadata}


# --- agents


def agent(order: Order) -> Written:
    """Yield an agent's TOML. A blank body says its description, or Codex would refuse the file."""
    document = order.artifact.document
    if not is_text(document.body):
        yield BodyNotText()
        return
    description = markdown.description(order.artifact)
    fields: dict[str, Emitted] = {"name": order.leaf, "description": description}
    for each in convert(order, _AGENT):
        if isinstance(each, Finding):
            yield each
        else:
            fields[each.name] = each.value
    if tools.only_reads(order):
        fields[READ_ONLY.name] = READ_ONLY.value
    body = document.body.decode()
    fields["developer_instructions"] = body if body.strip() else description
    yield Staged(order.slot.place(order.name), as_toml(fields))


def _tools(order: Order, field: Field) -> Converted:
    """Convert a list of tools: to the sandbox that only reads, or to a finding."""
    limits = tools.of(order)
    if tools.only_reads(order):
        yield FieldDropped(field=field.key, note="the agent only reads")
    elif limits.allowed is not None or limits.denied:
        yield lost(field, source_fact(order, field))


def _mode(order: Order, field: Field) -> Converted:
    if field.value not in tools.READING_MODES:  # the sandbox says just that
        yield from by_facts(order, field)


def _model(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    model = shown(field.value)
    if _MODEL.fullmatch(model):
        yield Carried("model", model)
    elif model not in ("", "inherit"):
        yield ModelDropped(model=model)


_AGENT = {
    tools.ALLOWED: _tools,
    tools.DENIED: _tools,
    tools.SWITCHES: _tools,
    "permissionMode": _mode,
    "readonly": nothing,
    "model": _model,
}

WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): package_skill,
    (Kind.COMMAND, Kind.SKILL): command,
    (Kind.AGENT, Kind.AGENT): agent,
    (Kind.AGENT, Kind.SKILL): skill.agent_as_skill,
    (Kind.RULE, Kind.SKILL): rule,
}
