"""What Codex gets: skills for commands and rules, and an agent as TOML and as a skill.

Codex cannot limit an agent. One that may neither write nor run anything at home says the read-only
sandbox, which is all there is to say; but a spawned agent gets the session's own (measured on 0.171.0),
so each limit is a finding all the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from tackroom.harnesses import markdown, scope, skill, tools
from tackroom.harnesses.codes import GuardLost, ModelDropped, ValueDropped
from tackroom.harnesses.contract import Order, Staged, When, Written
from tackroom.harnesses.emit import Emitted, as_toml
from tackroom.harnesses.header import (
    Carried,
    Converted,
    as_written,
    boolean,
    by_facts,
    convert,
    shown,
)
from tackroom.packages.codes import BodyNotText
from tackroom.packages.findings import Finding
from tackroom.packages.frontmatter import is_text
from tackroom.packages.model import Field, Kind, Support, Text

_POLICY = "agents/openai.yaml"  # in a skill's folder
_BY_NAME_ONLY = b"policy:\n  allow_implicit_invocation: false\n"
_SAYS_SO = re.compile(rb"^[ \t]+allow_implicit_invocation[ \t]*:[ \t]*false\b", re.MULTILINE)

_SHORT = "short-description"
_MODEL = re.compile(r"(gpt|codex)-[a-z0-9.-]+|o[0-9][a-z0-9.-]*")


def package_skill(order: Order) -> Written:
    """Yield a skill, and the file that keeps the model from using one that is not for it."""
    yield from skill.skill(order, _SKILL)
    if not skill.invocable(order):
        yield from _by_name_only(order)


def command(order: Order) -> Written:
    """Yield a command as a skill."""
    yield from skill.command_as_skill(order, _SKILL)
    if not skill.invocable(order):
        yield from _by_name_only(order)


def rule(order: Order) -> Written:
    """Yield a rule as a skill."""
    yield from skill.rule_as_skill(order)
    if scope.of(order.artifact.document, order.source).when is When.MANUAL:
        yield from _by_name_only(order)


def _by_name_only(order: Order) -> Iterator[Staged | Finding]:
    own = next((each for each in order.artifact.files if each.path.casefold() == _POLICY), None)
    if own is None:
        folder = posixpath.dirname(order.slot.place(order.name))
        yield Staged(f"{folder}/{_POLICY}", _BY_NAME_ONLY)
    elif not _says_so(own):
        key = "disable-model-invocation"
        line = order.artifact.document.line(key)
        yield GuardLost(field=key, value=f"not in {_POLICY}", line=line)


def _says_so(own: Support) -> bool:
    return own.path == _POLICY and bool(_SAYS_SO.search(own.file.load()))


def _invocation(order: Order, field: Field) -> Converted:
    switch = boolean(field.value, order.source)
    if switch is None:
        yield from by_facts(order, field)
    else:  # said in a file of its own
        yield Carried(field.key, switch, same=True, idle=True)


def _metadata(order: Order, field: Field) -> Converted:
    """Convert metadata; a short description that is no text would refuse the skill."""
    value = field.value
    if not isinstance(value, Mapping) or isinstance(value.get(_SHORT, Text("")), Text):
        yield from by_facts(order, field)
        return
    yield ValueDropped(field=f"metadata.{_SHORT}", value=shown(value[_SHORT]))
    yield Carried(field.key, {key: as_written(each) for key, each in value.items() if key != _SHORT})


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
        fields["sandbox_mode"] = "read-only"
    body = document.body.decode()
    fields["developer_instructions"] = body if body.strip() else description
    yield Staged(order.slot.place(order.name), as_toml(fields))


def _tools(order: Order, field: Field) -> Converted:
    found = tools.of(order)
    if found.allowed is not None or found.denied or any(tools.unsaid(order, field)):
        yield GuardLost(field=field.key, value=shown(field.value) or "none")


def _model(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    model = shown(field.value)
    if _MODEL.fullmatch(model):
        yield Carried("model", model)
    elif model not in ("", "inherit"):
        yield ModelDropped(model=model)


_AGENT = {**dict.fromkeys(tools.LISTS, _tools), "model": _model}

WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): package_skill,
    (Kind.COMMAND, Kind.SKILL): command,
    (Kind.AGENT, Kind.AGENT): agent,
    (Kind.AGENT, Kind.SKILL): skill.agent_as_skill,
    (Kind.RULE, Kind.SKILL): rule,
}
