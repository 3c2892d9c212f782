"""What OpenCode gets: Markdown with its own fields; a rule becomes a skill.

One field of the wrong form stops the whole client, so everything foreign is converted or left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tackroom.harnesses import markdown, skill
from tackroom.harnesses.codes import FieldDropped
from tackroom.harnesses.contract import PERMISSION, SWITCHES, Order, Staged, Written
from tackroom.harnesses.emit import Emitted
from tackroom.harnesses.header import Carried, Converted, as_written, bad_value, by_facts, count, shown
from tackroom.harnesses.opencode.facts import AGENTS, COLORS, THEME
from tackroom.harnesses.opencode.permissions import lists, permission
from tackroom.harnesses.tools import ALLOWED, DENIED, READING
from tackroom.packages.model import Field, Kind

_HEADER = re.compile(b"(?:\xef\xbb\xbf)?---")
_FORK = "fork"  # Claude Code's word for a command that runs in an agent of its own


def skill_(order: Order) -> Written:
    """Yield a skill; a SKILL.md among its files would be one of its own, and of two of a name one is lost."""
    place = order.slot.place(order.name)
    for each in skill.skill(order):
        if isinstance(each, Staged) and each.path.endswith("/SKILL.md") and each.path != place:
            yield _apart(each)
        else:
            yield each


def _apart(staged: Staged) -> Staged:
    """Return a file with an empty line before its header, which then is none."""
    raw = staged.content if isinstance(staged.content, bytes) else staged.content.load()
    return staged._replace(content=b"\n" + raw) if _HEADER.match(raw) else staged


def agent(order: Order) -> Written:
    """Yield an agent under its path's name; one of another harness is a subagent."""
    yield from markdown.write(order, _AGENT, added=tuple(_foreign(order)), named=_keeps_name(order))


def command(order: Order) -> Written:
    """Yield a command under its path's name."""
    yield from markdown.write(order, _COMMAND, named=_keeps_name(order))


def _keeps_name(order: Order) -> bool:
    """Tell whether a header's name may stay: it would win over the path, and a path is what was named."""
    return order.is_own and not order.renamed


def _foreign(order: Order) -> Iterator[tuple[str, Emitted]]:
    if not order.is_own:
        if not markdown.own_text(order.artifact, "description"):
            yield "description", markdown.description(order.artifact)
        yield "mode", "subagent"


# --- fields


def _color(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    value = shown(field.value)
    if value in THEME or re.fullmatch("#[0-9A-Fa-f]{6}", value):
        yield Carried("color", value, same=True)
    elif value.lower() in COLORS:
        yield Carried("color", COLORS[value.lower()])
    elif value:
        yield bad_value(field, "color")


def _model(order: Order, field: Field) -> Converted:
    """Keep a provider's model; an agent without one uses the session's, which is what inherit says."""
    value = shown(field.value)
    if re.fullmatch(r"[^/\s]+/\S+", value):
        yield from by_facts(order, field)
    elif value not in ("", "inherit"):
        yield bad_value(field, "model")


def _context(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    if field.value == _FORK:
        yield Carried("subtask", value=True)
    elif field.value:
        yield bad_value(field, "context")


def _agent(order: Order, field: Field) -> Converted:
    """Keep the agent that a command runs in; Claude Code uses it for a forked one alone."""
    document = order.artifact.document
    forked = document.get("context") == _FORK or document.get("subtask") is not None
    if order.source.headers[order.artifact.kind].by_name("context") and not forked:
        yield FieldDropped(field=field.key, note="the command is not forked")
    elif shown(field.value) in AGENTS:
        yield Carried("agent", AGENTS[shown(field.value)])
    else:
        yield from by_facts(order, field)


def _by_user(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    """Keep the field that bars a model from a command: there no model calls one."""
    yield Carried(field.key, as_written(field.value), same=True, idle=True)


_AGENT = {
    ALLOWED: lists,
    DENIED: lists,
    SWITCHES: lists,
    **dict.fromkeys(READING, lists),
    PERMISSION: permission,
    "color": _color,
    "model": _model,
    "maxTurns": count,
    "maxSteps": count,
}
_COMMAND = {"model": _model, "context": _context, "agent": _agent, "disable-model-invocation": _by_user}

WRITE = {
    (Kind.SKILL, Kind.SKILL): skill_,
    (Kind.COMMAND, Kind.COMMAND): command,
    (Kind.AGENT, Kind.AGENT): agent,
    (Kind.RULE, Kind.SKILL): skill.rule_as_skill,
}
