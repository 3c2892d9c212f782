"""What Grok gets: Claude Code's format, which it reads too; so most files are copied.

It is stricter, without a word. One value of another type drops an agent. One tool that it does not
know voids the whole allow list, which leaves the agent every tool. A deny list knows nothing but Grok's
own ids.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial

from tackroom.harnesses import markdown, skill, tools
from tackroom.harnesses.codes import GuardLost, ModelDropped, ToolAdded, ToolDropped, ValueDropped
from tackroom.harnesses.contract import PERMISSION, SWITCHES, Order, Written
from tackroom.harnesses.emit import Emitted, mistaken
from tackroom.harnesses.header import (
    Carried,
    Converted,
    Converter,
    as_written,
    bad_value,
    boolean,
    by_facts,
    count,
    names,
    shown,
)
from tackroom.harnesses.tools import Tool
from tackroom.packages.findings import Finding
from tackroom.packages.model import Field, Kind, Text, Value

_OWN_MODEL = re.compile(r"grok-[a-z0-9.-]+")
_MOST_TURNS = "999999999"  # M: what 32 bits do not hold drops the agent
_READ_ONLY = Carried("capabilityMode", "read-only")

_SPAWNING = ("Task", "Agent")  # no subagent can start another, so which ones it may does not matter
_EDITING = ("Edit", "MultiEdit", "NotebookEdit")
_HARMLESS = "TodoWrite"
_BY_ID = {"Monitor": "monitor"}  # known in an allow list, but not under Claude Code's name
_DENIED = {
    "Read": ("read_file",),
    "Write": ("write",),
    "Edit": ("search_replace",),
    "Bash": ("run_terminal_cmd", "monitor"),  # M: it runs a command of the agent's as well
    "Grep": ("grep",),
    "Glob": ("list_dir",),
    "LS": ("list_dir",),
    "WebFetch": ("web_fetch",),
    "WebSearch": ("web_search",),
    "TodoWrite": ("todo_write",),
    "AskUserQuestion": ("ask_user_question",),
    "LSP": ("lsp",),
    "Task": ("task",),
    "Agent": ("task",),
    "Monitor": ("monitor",),
}


def _foreign(convert: Converter) -> Converter:
    """Return a converter that leaves Grok's own files as they are."""

    def converter(order: Order, field: Field) -> Converted:
        yield from (by_facts if order.is_own else convert)(order, field)

    return converter


# --- tools


def _allowed(order: Order, field: Field) -> Converted:
    """Convert an allow list to names that Grok knows, whatever else is lost."""
    listed = tools.of(order).allowed
    if listed is None:
        yield from by_facts(order, field)
        return
    kept: list[str] = []
    for each in listed:
        kept += yield from _allow(order, each)
    kept = list(dict.fromkeys(kept))
    if "Read" not in kept and (editing := [each for each in kept if each in _EDITING]):
        yield ToolAdded(field=field.key, tool="Read", why=f"'{editing[0]}' does not start without it")
        kept.append("Read")
    if not kept:
        yield ToolAdded(field=field.key, tool=_HARMLESS, why="an empty list allows all there")
        kept.append(_HARMLESS)
    same = field.key == "tools" and kept == list(names(field.value)) and not _in_blanks(field.value)
    yield Carried("tools", ", ".join(kept), same)


def _allow(order: Order, tool: Tool) -> Generator[Finding, None, list[str]]:
    """Yield what is lost of an entry, and return what is left of it."""
    if tool.server or tool.name in _SPAWNING:
        return [tool.name]
    if tool.name not in order.target.tools:
        yield ToolDropped(field=tool.field, tool=tool.written)
        return []
    if tool.limit:
        yield GuardLost(field=tool.field, value=tool.written)
    return [_BY_ID.get(tool.name, tool.name)]


def _in_blanks(value: Value) -> bool:
    """Tell whether a list is a text with blanks between its words, which Grok takes for one word."""
    return isinstance(value, Text) and "," not in value and " " in value


def _denied(order: Order, field: Field) -> Converted:
    """Convert a deny list to Grok's ids. What an allow list leaves out needs no denying."""
    found = tools.of(order)
    ids = [own for each in found.denied for own in _DENIED.get(each.name, ())]
    for each in found.denied:
        own = order.target.tools.get(each.name, ())
        unknown = not own and each.name not in order.source.tools  # what is not there needs no denying
        if unknown or each.server or not set(own) <= set(ids):
            yield GuardLost(field=field.key, value=each.written)
    if "read_file" in ids and "search_replace" not in ids:
        yield ToolAdded(field=field.key, tool="Edit", why="it does not start without 'Read'")
        ids.append("search_replace")
    if ids and found.allowed is None:
        yield Carried("disallowedTools", ", ".join(dict.fromkeys(ids)))


def _switches(order: Order, field: Field) -> Converted:
    yield from (_denied if tools.of(order).allowed is None else _allowed)(order, field)


# --- other fields


def _model(order: Order, field: Field) -> Converted:
    model = shown(field.value)
    if model in ("", "inherit") or _OWN_MODEL.fullmatch(model):
        yield from by_facts(order, field)
    else:
        yield ModelDropped(model=model)


def _turns(order: Order, field: Field) -> Converted:
    too_many = len(shown(field.value)) > len(_MOST_TURNS)
    yield from (bad_value(field, field.key),) if too_many else count(order, field)


def _background(order: Order, field: Field) -> Converted:
    value = field.value
    switch = boolean(value, order.source)
    if switch is None:
        yield bad_value(field, "background")
        return
    word = value if isinstance(value, Text) and value.plain else ""
    yield Carried("background", switch, same=word in ("true", "false") and field.key == "background")


def _servers(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    """Convert MCP servers to a list of names and of maps with one server each."""
    kept: list[Emitted] = []
    for each in _each_server(field.value):
        good = isinstance(each, Text) or all(isinstance(server, Mapping) for server in each.values())
        if good:
            kept.append(as_written(each))
        else:
            yield ValueDropped(field=field.key, value=shown(each))
    if kept:
        same = field.key == "mcpServers" and tuple(kept) == as_written(field.value)
        yield Carried("mcpServers", tuple(kept), same and not _has_number(field.value))


def _has_number(value: Value) -> bool:
    """Tell whether a name in a list looks like something else, which Grok refuses there."""
    texts = (each for each in value if isinstance(each, Text)) if isinstance(value, tuple) else ()
    return any(each.plain and mistaken(each) for each in texts)


def _each_server(value: Value) -> Iterator[Text | Mapping[str, Value]]:
    if isinstance(value, Text):
        yield from (Text(name) for name in names(value))
    elif isinstance(value, Mapping):
        yield from ({name: server} for name, server in value.items())
    else:
        for each in value:
            yield from _each_server(each)


def _readonly(order: Order, field: Field) -> Converted:
    is_on = boolean(field.value, order.source)
    if is_on:
        yield _READ_ONLY
    elif is_on is None:
        yield bad_value(field, "readonly")


def _mode(order: Order, field: Field) -> Converted:
    if field.value == "readonly":
        yield _READ_ONLY
    elif field.value != "":  # Grok drops the agent for it
        yield from by_facts(order, field)


_SKILL = {"model": _foreign(_model)}
_AGENT = {
    tools.ALLOWED: _foreign(_allowed),
    tools.DENIED: _foreign(_denied),
    SWITCHES: _foreign(tools.as_a_whole(_switches)),
    PERMISSION: _foreign(tools.as_a_whole(_switches)),
    "model": _foreign(_model),
    "maxTurns": _turns,
    "background": _background,
    "mcpServers": _servers,
    "readonly": _readonly,
    "permissionMode": _mode,
}

WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): partial(skill.skill, converters=_SKILL),
    (Kind.COMMAND, Kind.COMMAND): partial(markdown.write, converters=_SKILL),
    (Kind.AGENT, Kind.AGENT): partial(markdown.write, converters=_AGENT),
    (Kind.RULE, Kind.SKILL): skill.rule_as_skill,
}
