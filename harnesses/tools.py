"""Which tools an agent may use, read from the lists of its own format and told in Claude Code's names.

Takes an order and gives the entries of its allow and deny list. How the target calls a tool, and how
it says that one is allowed, is its writer's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tackroom.harnesses.contract import Facts, Order
from tackroom.harnesses.header import boolean, meaning_of, names
from tackroom.packages.model import Field, Text

ALLOWED = "tools"
DENIED = "disallowedTools"
SWITCHES = "tool switches"  # a map of tools to true or false

_ENTRY = re.compile(r"([^()]*?)\s*(?:\((.*)\))?\s*", re.DOTALL)
_MCP = "mcp__"
# the tools that write a file or run a command; who has none of the keys has none of the others either
_KEYS = frozenset({"Write", "Edit", "Bash"})
_CHANGING = _KEYS | {"MultiEdit", "NotebookEdit", "PowerShell", "Monitor"}
_JOINED = ("Write", "Edit")  # one switch: what is said last of either holds for both
READING_MODES = ("plan", "readonly")


@dataclass(frozen=True, slots=True)
class Tool:
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


@dataclass(frozen=True, slots=True)
class Tools:
    """What an agent may use: nothing but ``allowed`` (None: everything), and none of ``denied``."""

    allowed: tuple[Tool, ...] | None
    denied: tuple[Tool, ...]


def of(order: Order) -> Tools:
    """Return an agent's lists. What is denied is taken off the allow list, where there is one.

    Claude Code gives an agent with an empty list no tool at all, and denies the whole tool where only
    some of its uses are listed (measured on 2.1.197).
    """
    known = {own: name for name, owns in reversed([*order.source.tools.items()]) for own in owns}
    allowed: list[Tool] | None = None
    denied: list[Tool] = []
    for field in order.artifact.document.fields:
        meaning = meaning_of(order, field)
        if meaning in (ALLOWED, SWITCHES) and isinstance(field.value, Mapping):
            on, off = _switched(field, field.value, known, order.source)
            allowed = on if field.value.get("*") and not _is_on(field.value["*"], order.source) else allowed
            denied += off
        elif meaning in (ALLOWED, DENIED):
            listed = [_tool(field, each, known) for each in names(field.value)]
            if _is_empty(field):
                continue  # as good as absent
            if meaning == DENIED:
                denied += listed
            elif all(each.name != "*" for each in listed):
                allowed = listed
    return _reduced(allowed, denied)


def _is_empty(field: Field) -> bool:
    return isinstance(field.value, Text) and field.value.plain and not field.value


def _switched(
    field: Field, switches: Mapping[str, object], known: Mapping[str, str], source: Facts
) -> tuple[list[Tool], list[Tool]]:
    states: dict[str, tuple[Tool, bool]] = {}
    for written, value in switches.items():
        tool = _tool(field, written, known)
        for name in _JOINED if tool.name in _JOINED else [tool.name]:
            states[name] = (replace(tool, name=name), _is_on(value, source))
    states.pop("*", None)
    on = [tool for tool, state in states.values() if state]
    return on, [tool for tool, state in states.values() if not state]


def _is_on(value: object, source: Facts) -> bool:
    return isinstance(value, Text) and boolean(value, source) is True


def _tool(field: Field, written: str, known: Mapping[str, str]) -> Tool:
    found = _ENTRY.fullmatch(written.strip("\"'"))
    name, limit = (found[1], found[2] or "") if found else (written, "")
    return Tool(field.key, field.line, written, known.get(name, name), limit.strip() if limit != "*" else "")


def _reduced(allowed: list[Tool] | None, denied: list[Tool]) -> Tools:
    if allowed is None:
        return Tools(None, tuple(denied))
    gone = {each.name for each in denied}
    left = tuple(each for each in allowed if each.name not in gone)
    return Tools(left, tuple(each for each in denied if each.server))


def fields(order: Order) -> Iterator[Field]:
    """Yield the header fields that say which tools an agent may use."""
    for field in order.artifact.document.fields:
        if meaning_of(order, field) in (ALLOWED, DENIED, SWITCHES):
            yield field


def only_reads(order: Order) -> bool:
    """Tell whether an agent may at home neither write a file nor run a command."""
    for field in order.artifact.document.fields:
        meaning = meaning_of(order, field)
        if meaning == "readonly" and boolean(field.value, order.source):
            return True
        if meaning == "permissionMode" and field.value in READING_MODES:
            return True
    found = of(order)
    if found.allowed is None:
        return {each.name for each in found.denied} >= _KEYS
    return not {each.name for each in found.allowed} & _CHANGING
