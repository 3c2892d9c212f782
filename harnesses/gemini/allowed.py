"""An agent's allow or deny list as the one list that Gemini knows, of what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tackroom.harnesses import tools as lists
from tackroom.harnesses.codes import FieldDropped, GuardLost, ToolDropped
from tackroom.harnesses.contract import Facts, Order
from tackroom.harnesses.gemini.facts import ALIASES, IMPLIED, MCP_TOOL
from tackroom.harnesses.header import Carried, Converted, names
from tackroom.harnesses.tools import ALLOWED, READING, Tool
from tackroom.packages.findings import Finding
from tackroom.packages.model import Field

ALL_MCP = "mcp_*"


def tools(order: Order, field: Field) -> Converted:
    """Convert the lists of an agent as a whole, where the first of them stands; Gemini's own list stays."""
    if lists.fields(order) == (field,) and _is_own(order, field):
        yield Carried(ALLOWED, names(field.value), same=True)
    else:
        yield from _as_a_whole(order, field)


def _whole(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    found = lists.guarded(order)
    if found.allowed is not None:
        yield from _allowed(order, found.allowed)
    elif found.denied:
        yield from _all_but(order, found.denied)


_as_a_whole = lists.as_a_whole(_whole)


def _is_own(order: Order, field: Field) -> bool:
    """Tell whether a field is a list that Gemini takes as it is."""
    own = {*order.target.own_tools, *ALIASES, *IMPLIED, "*"}
    return (
        field.key == ALLOWED
        and isinstance(field.value, tuple)
        and all(each in own or MCP_TOOL.fullmatch(each) for each in names(field.value))
    )


def _allowed(order: Order, allowed: Sequence[Tool]) -> Converted:
    found: dict[str, None] = {}
    for each in allowed:
        own = _own(order.target, each)
        found.update(dict.fromkeys(own))
        yield from _lost(each, own)
    yield Carried(ALLOWED, tuple(found))


def _all_but(order: Order, denied: Sequence[Tool]) -> Converted:
    """Say what is denied by allowing all the rest. An MCP tool cannot be told from the others of its kind."""
    gone: set[str] = set()
    for each in denied:
        if each.server:
            yield GuardLost(field=each.field, value=each.written, line=each.line)
        else:
            own = _own(order.target, each)
            gone.update(own)
            yield from _lost(each, own)
    if gone:
        first = denied[0]
        if first.field not in READING:
            yield FieldDropped(field=first.field, line=first.line, note="all other tools are listed")
        yield Carried(ALLOWED, (*(each for each in order.target.own_tools if each not in gone), ALL_MCP))


def _own(target: Facts, tool: Tool) -> tuple[str, ...]:
    """Return what a tool is called there; a server's tools all of them where they are meant."""
    if tool.server:
        name = ALL_MCP if tool.server == "*" else f"mcp_{tool.server}_{tool.of_server}"
        return (name,) if MCP_TOOL.fullmatch(name) else ()
    is_own = tool.name in target.own_tools or MCP_TOOL.fullmatch(tool.name)
    return target.tools.get(tool.name, (tool.name,) if is_own else ())


def _lost(tool: Tool, own: Sequence[str]) -> Iterator[Finding]:
    if not own:
        yield ToolDropped(field=tool.field, tool=tool.written, line=tool.line)
    elif tool.limit and tool.field == ALLOWED:
        yield GuardLost(field=tool.field, value=tool.written, line=tool.line)
