"""What Antigravity gets: its own words for tools and for when a rule applies, workflows for commands.

A rule without a trigger is not applied there, and a pattern that starts with a folder matches nothing,
so a rule is copied only where it says both as Antigravity reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from functools import partial

from tackroom.harnesses import markdown, scope, skill, tools
from tackroom.harnesses.antigravity.facts import MORE_TOOLS, RULE_BYTES
from tackroom.harnesses.antigravity.patterns import written
from tackroom.harnesses.codes import BodyCut, FieldDropped, GuardLost, ToolDropped, ValueDropped
from tackroom.harnesses.contract import Order, When, Written
from tackroom.harnesses.emit import Emitted
from tackroom.harnesses.header import (
    Carried,
    Converted,
    as_written,
    boolean,
    by_facts,
    lost,
    names,
    nothing,
    shown,
    source_fact,
)
from tackroom.harnesses.tools import Tool
from tackroom.packages.findings import Finding
from tackroom.packages.model import Document, Field, Kind, Text

_MORE_EDITING = ("multi_replace_file_content",)  # edits too, so it goes with Edit
_TRIGGERS = {
    When.ALWAYS: "always_on",
    When.GLOBS: "glob",
    When.DESCRIPTION: "model_decision",
    When.MANUAL: "manual",
}


def command(order: Order) -> Written:
    """Yield a workflow, which is known by its file."""
    yield from markdown.write(order, named=order.is_own)


def rule(order: Order) -> Written:
    """Yield a rule with a trigger, which decides alone whether it is applied."""
    document = order.artifact.document
    found = scope.of(document, order.source)
    trigger = _TRIGGERS[found.when]
    yield from _unknown_trigger(document, trigger)
    globs = yield from _globs(order, found)
    if len(document.body) > RULE_BYTES:
        yield BodyCut(size=len(document.body), limit=RULE_BYTES)
    said = _says(document, trigger, globs)
    converters = dict.fromkeys(scope.SCOPE_FIELDS, _as_it_is if said else nothing)
    added = () if said else tuple(_scope_fields(trigger, globs))
    yield from markdown.write(order, converters, added=added, named=order.is_own)


def _globs(order: Order, found: scope.Scope) -> Generator[Finding, None, list[str]]:
    """Return the patterns as they match there; what one loses matters where they decide."""
    document = order.artifact.document
    line = next((at for key in ("globs", "glob", "paths", "applyTo") if (at := document.line(key))), 0)
    globs = []
    for each in written(found.globs, rooted=order.source.rooted):
        if isinstance(each, str):
            globs.append(each)
        elif found.when is When.GLOBS:
            yield each.at(line=line)
    return globs


def _says(document: Document, trigger: str, globs: list[str]) -> bool:
    """Tell whether a header has the trigger already, and the patterns so that they match."""
    own = document.get("globs") or document.get("glob") or Text("")
    if not isinstance(own, Text):
        return False
    listed = [part.strip() for part in own.split(",") if part.strip()]
    return document.get("trigger") == trigger and (trigger != "glob" or listed == globs)


def _scope_fields(trigger: str, globs: list[str]) -> Iterator[tuple[str, Emitted]]:
    yield "trigger", trigger
    if globs:
        yield "globs", ",".join(dict.fromkeys(globs))


def _unknown_trigger(document: Document, trigger: str) -> Iterator[Finding]:
    own = document.get("trigger")
    if own is not None and own not in _TRIGGERS.values():
        note = f"'{trigger}' is written"
        yield ValueDropped(field="trigger", value=shown(own), line=document.line("trigger"), note=note)


def _as_it_is(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    yield Carried(field.key, as_written(field.value), same=True)


# --- agents


def _tools(order: Order, field: Field) -> Converted:
    """Yield the one list that Antigravity knows, of what is allowed."""
    found = tools.guarded(order)
    if found.allowed is not None:
        yield from _allowed(order, field, found.allowed)
    elif found.denied:
        yield from _all_but(order, found.denied)


def _allowed(order: Order, field: Field, allowed: Sequence[Tool]) -> Converted:
    """Yield an allow list in Antigravity's names; an empty one would allow everything."""
    found: list[str] = []
    for tool in allowed:
        own = _own(order, tool)
        found += own
        if not own:
            yield ToolDropped(field=tool.field, tool=tool.written, line=tool.line)
        elif tool.limit:
            yield GuardLost(field=tool.field, value=tool.written, line=tool.line)
    kept = tuple(dict.fromkeys(found))
    if kept:
        same = field.key == "tools" and isinstance(field.value, tuple) and names(field.value) == kept
        yield Carried("tools", kept, same)
    else:
        yield GuardLost(field=field.key, value=shown(field.value) or "none")


def _all_but(order: Order, denied: Sequence[Tool]) -> Converted:
    """Say what is denied by allowing all the rest. An MCP tool cannot be told from the others."""
    gone: set[str] = set()
    for tool in denied:
        own = _own(order, tool)
        gone.update(own, _MORE_EDITING if tool.name == "Edit" else ())
        if not own:
            yield GuardLost(field=tool.field, value=tool.written, line=tool.line)
    if gone:
        first = denied[0]
        if first.field not in tools.READING:
            yield FieldDropped(field=first.field, line=first.line, note="all other tools are listed")
        every = {*MORE_TOOLS, *order.target.own_tools}
        yield Carried("tools", tuple(sorted(every - gone)))


def _own(order: Order, tool: Tool) -> tuple[str, ...]:
    return order.target.tools.get(tool.name, (tool.name,) if tool.name in MORE_TOOLS else ())


def _own_words(order: Order, field: Field) -> Converted:
    """Keep a field whose form only this harness's own files have; another's would be misread."""
    if order.is_own:
        yield from by_facts(order, field)
    else:
        yield lost(field, source_fact(order, field))


def _model(order: Order, field: Field) -> Converted:
    if order.is_own:
        yield Carried(field.key, shown(field.value), same=True)
    else:
        yield from by_facts(order, field)


_AGENT = {
    **dict.fromkeys((*tools.LISTS, *tools.READING), tools.as_a_whole(_tools)),
    "model": _model,
    "hooks": _own_words,
    "mcpServers": _own_words,
}


# --- skills


def _user_invocable(order: Order, field: Field) -> Converted:
    """Yield the opposite, which is what Antigravity has a field for."""
    if boolean(field.value, order.source) is False:
        yield Carried("disable-slash-command", value=True)
    else:
        yield from by_facts(order, field)


WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): partial(skill.skill, converters={"user-invocable": _user_invocable}),
    (Kind.COMMAND, Kind.COMMAND): command,
    (Kind.AGENT, Kind.AGENT): partial(markdown.write, converters=_AGENT),
    (Kind.RULE, Kind.RULE): rule,
}
