"""Which tools an agent may use, read from the lists of its own format and told in Claude Code's names.

Takes an order and gives the entries of its allow and deny list. How the target calls a tool, and how
it says that one is allowed, is its writer's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from tackroom.harnesses.codes import FieldDropped, GuardLost
from tackroom.harnesses.contract import PERMISSION, SWITCHES, Facts, Order
from tackroom.harnesses.header import (
    Converted,
    Converter,
    boolean,
    by_facts,
    meaning_of,
    names,
    shown,
    source_fact,
)
from tackroom.harnesses.repeated import repeated
from tackroom.packages.findings import Finding
from tackroom.packages.model import Field, Text, Value

ALLOWED = "tools"
DENIED = "disallowedTools"
LISTS = (ALLOWED, DENIED, SWITCHES, PERMISSION)

# the fields that say in one word that an agent only reads, and those words where they are no booleans
_MODES = {"permissionMode": ("plan", "readonly"), "capabilityMode": ("read-only",)}
READING = ("readonly", *_MODES)

_ENTRY = re.compile(r"([^()]*?)\s*(?:\((.*)\))?\s*", re.DOTALL)
_MCP = "mcp__"
_NOTHING = re.compile(r"~|null|Null|NULL|")  # YAML's words for no value
# the tools that write a file or run a command; who has none of the keys has none of the others either
_KEYS = frozenset({"Write", "Edit", "Bash"})
_CHANGING = ("Write", "Edit", "MultiEdit", "NotebookEdit", "Bash", "PowerShell", "Monitor")
_JOINED = ("Write", "Edit")  # one switch: what is said last of either holds for both


class Tool(NamedTuple):
    """An entry of a list, in the field and on the line where it stands, as ``written`` there.

    ``name`` is Claude Code's; ``limit`` what stands in brackets behind it: commands, paths, agents.
    """

    field: str
    line: int
    written: str
    name: str
    limit: str = ""

    @property
    def server(self) -> str:
        """The MCP server that the tool belongs to; empty for a tool of the harness itself."""
        return self.name.removeprefix(_MCP).partition("__")[0] if self.name.startswith(_MCP) else ""

    @property
    def of_server(self) -> str:
        """The tool's name at its server; ``*`` where all of them are meant."""
        return self.name.removeprefix(_MCP).partition("__")[2] or "*"


class Tools(NamedTuple):
    """What an agent may use: nothing but ``allowed`` (None: everything), and none of ``denied``."""

    allowed: tuple[Tool, ...] | None
    denied: tuple[Tool, ...]


@repeated
def of(order: Order) -> Tools:
    """Return an agent's lists. What is denied is taken off the allow list, where there is one.

    Claude Code gives an agent with an empty list no tool at all, and denies the whole tool where only
    some of its uses are listed (measured on 2.1.197).
    """
    allowed: list[Tool] | None = None
    denied: list[Tool] = []
    for field in _lists(order):
        if _is_map(order, field):
            continue
        listed = [_tool(field, each, order.source) for each in _names(field.value)]
        if meaning_of(order, field) == DENIED:
            denied += listed
        elif all(each.name != "*" for each in listed) and (listed or not order.source.empty_allows):
            allowed = listed
    on, off = _ruled(order)
    return _reduced(allowed if on is None else on, denied + off)


@repeated
def guarded(order: Order) -> Tools:
    """Return the lists, less what changes something where another field says that the agent only reads.

    What the target has no tool for needs no denying.
    """
    found = of(order)
    said = next((each for each in order.artifact.document.fields if _says_reading(order, each)), None)
    if said is None:
        return found
    changing = (name for name in _CHANGING if order.target.tools.get(name))
    more = [Tool(said.key, said.line, said.key, name) for name in changing]
    allowed = None if found.allowed is None else [*found.allowed]
    return _reduced(allowed, [*found.denied, *more])


def _names(value: Value) -> tuple[str, ...]:
    if isinstance(value, Text) and value.plain and _NOTHING.fullmatch(value):
        return ()
    return names(value)


def _is_map(order: Order, field: Field) -> bool:
    return isinstance(field.value, Mapping) or meaning_of(order, field) == PERMISSION


def _ruled(order: Order) -> tuple[list[Tool] | None, list[Tool]]:
    """Return what maps of tools allow and deny; the allowed ones are all there is where ``*`` is denied.

    In OpenCode a later key wins over ``*``, ``permission`` over switches, and a key keeps its first place
    (measured on 1.18.33).
    """
    rules: dict[str, tuple[Tool, bool]] = {}
    maps = [field for field in _lists(order) if _is_map(order, field)]
    for field in sorted(maps, key=lambda field: meaning_of(order, field) == PERMISSION):
        entries = field.value if isinstance(field.value, Mapping) else {"*": field.value}
        for written, value in entries.items():
            tool, state = _tool(field, written, order.source), _is_on(value, order.source)
            if state is None:
                continue
            for name in _JOINED if tool.name in _JOINED else [tool.name]:
                rules[name] = (tool._replace(name=name), state)
    called = [*rules]
    later = [rules[name] for name in called[called.index("*") + 1 if "*" in rules else 0 :]]
    on, off = ([tool for tool, state in later if state is which] for which in (True, False))
    return (on, []) if "*" in rules and not rules["*"][1] else (None, off)


def _is_on(value: Value, source: Facts) -> bool | None:
    """Tell whether a tool may be used, if only now and then; None where only some uses are denied.

    Of the patterns of one tool the last one that matches counts.
    """
    if isinstance(value, Mapping):
        patterns = [*value]
        last = [value[each] for each in patterns[patterns.index("*") if "*" in value else 0 :]]
        return any(_is_on(each, source) for each in last) or (None if "*" not in value else False)
    return isinstance(value, Text) and (value in ("allow", "ask") or boolean(value, source) is True)


def _tool(field: Field, written: str, source: Facts) -> Tool:
    name, limit = _parted(written)
    if of_server := source.mcp_tool.fullmatch(name) if source.mcp_tool else None:
        name = _MCP + "__".join(part for part in of_server.groups() if part)
    name = source.meant_by.get(name, name)
    return Tool(field.key, field.line, written, name, limit.strip() if limit != "*" else "")


@lru_cache(maxsize=256)
def _parted(written: str) -> tuple[str, str]:
    """Return what stands before brackets and in them; most lists name the same few tools."""
    found = _ENTRY.fullmatch(written.strip("\"'"))
    return (found[1], found[2] or "") if found else (written, "")


def _reduced(allowed: list[Tool] | None, denied: list[Tool]) -> Tools:
    if allowed is None:
        return Tools(None, tuple(denied))
    gone = {each.name for each in denied}
    left = tuple(each for each in allowed if each.name not in gone)
    return Tools(left, tuple(each for each in denied if each.server))


# --- the fields that say it


@repeated
def _lists(order: Order) -> tuple[Field, ...]:
    return tuple(each for each in order.artifact.document.fields if _is_list(order, each))


def _is_list(order: Order, field: Field) -> bool:
    meaning = meaning_of(order, field)
    return meaning in LISTS and (meaning != PERMISSION or source_fact(order, field) is not None)


@repeated
def fields(order: Order) -> tuple[Field, ...]:
    """Return the header fields that say which tools an agent may use; not permissions at home."""
    return tuple(each for each in order.artifact.document.fields if _is_said(order, each))


def _is_said(order: Order, field: Field) -> bool:
    own_rules = order.is_own and meaning_of(order, field) == PERMISSION
    listed = any(field is each for each in _lists(order)) and not own_rules
    return listed or _says_reading(order, field)


def _says_reading(order: Order, field: Field) -> bool:
    meaning = meaning_of(order, field)
    if meaning not in READING or not source_fact(order, field):
        return False
    return field.value in _MODES[meaning] if meaning in _MODES else boolean(field.value, order.source) is True


def as_a_whole(convert: Converter) -> Converter:
    """Return a converter of all those fields at once, where the first of them stands."""

    def converter(order: Order, field: Field) -> Converted:
        said = fields(order)
        if all(field is not each for each in said):
            yield from by_facts(order, field)
            return
        yield from unsaid(order, field)
        if _says_reading(order, field):
            yield FieldDropped(field=field.key, note="tools that write or run are denied instead")
        if field is said[0]:
            yield from convert(order, field)

    return converter


def unsaid(order: Order, field: Field) -> Iterator[Finding]:
    """Yield what permissions say of some uses of a tool, or of asking first, which no list can."""
    if meaning_of(order, field) != PERMISSION:
        return
    entries = field.value if isinstance(field.value, Mapping) else {"*": field.value}
    for key, value in entries.items():
        if value not in ("allow", "deny"):
            yield GuardLost(field=field.key, value=f"{key}: {shown(value)}", line=field.line)


@repeated
def only_reads(order: Order) -> bool:
    """Tell whether an agent may at home neither write a file nor run a command."""
    if any(_says_reading(order, field) for field in order.artifact.document.fields):
        return True
    found = of(order)
    if found.allowed is None:
        return {each.name for each in found.denied} >= _KEYS
    return not {each.name for each in found.allowed} & {*_CHANGING}
