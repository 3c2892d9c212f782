"""What Claude Code gets: its own format, so most files are copied; a rule becomes a skill.

An agent of another format says its tools in Claude Code's names. A list of which nothing is left allows
nothing, and a limit in brackets is not kept to (measured on 2.1.197).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from tackroom.harnesses import markdown, plugin, skill, tools
from tackroom.harnesses.codes import GuardLost, ModelDropped, ToolDropped
from tackroom.harnesses.contract import Bundle, Fragment, Order, Staged, Written
from tackroom.harnesses.emit import as_json
from tackroom.harnesses.header import Carried, Converted, Converter, by_facts, is_at_home, names, shown
from tackroom.harnesses.tools import Tool
from tackroom.packages.codes import NotStaged
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMPONENTS
from tackroom.packages.model import Field, Kind, Text

_MODEL = re.compile(r"(?:anthropic/)?(sonnet|opus|haiku|fable|inherit|claude-[a-z0-9-]+)")
_ALL_SERVERS = "mcp__*"  # M: denies the tools of all MCP servers, and allows those of none
_SPAWNING = "Agent"  # takes the names of agents in brackets
# they do the same as another, so they are denied with it
_AS_WELL = {"Edit": "NotebookEdit", "Bash": "PowerShell"}


def _foreign(convert: Converter) -> Converter:
    """Return a converter that leaves Claude Code's own files as they are."""

    def converter(order: Order, field: Field) -> Converted:
        yield from (by_facts if is_at_home(order) else convert)(order, field)

    return converter


def _tools(order: Order, field: Field) -> Converted:
    found = tools.guarded(order)
    if found.allowed is not None:
        yield from _allowed(order, field, found.allowed)
    if found.denied:
        yield from _denied(order, found.denied)


def _allowed(order: Order, field: Field, allowed: Sequence[Tool]) -> Converted:
    found: dict[str, None] = {}
    for each in allowed:
        called = [name for name in _called(order, each) if name != _ALL_SERVERS]
        found.update(dict.fromkeys(called))
        if not called:
            yield ToolDropped(field=each.field, tool=each.written, line=each.line)
        elif each.limit and each.name != _SPAWNING:
            yield GuardLost(field=each.field, value=each.written, line=each.line)
    same = field.key == tools.ALLOWED and isinstance(field.value, Text | tuple)
    yield Carried(tools.ALLOWED, ", ".join(found) or (), same and names(field.value) == tuple(found))


def _denied(order: Order, denied: Sequence[Tool]) -> Converted:
    """Yield a deny list; what Claude Code has no tool for needs no denying, unless nobody knows it."""
    found: dict[str, None] = {}
    for each in denied:
        called = _called(order, each)
        found.update(dict.fromkeys(called))
        found.update((_AS_WELL[name], None) for name in called if name in _AS_WELL)
        if not called and each.name not in order.source.tools:
            yield GuardLost(field=each.field, value=each.written, line=each.line)
    if found:
        yield Carried(tools.DENIED, ", ".join(found))


def _called(order: Order, tool: Tool) -> list[str]:
    """Return what a tool is called here; a name of another harness may stand for several."""
    if tool.server:
        return [tool.name]
    table = order.source.tools
    theirs = any(tool.written in owns for owns in table.values())
    if tool.name in order.target.tools and not theirs:
        return [tool.name]
    own = set(table.get(tool.name, ()))
    return [name for name, owns in table.items() if own & set(owns) and name in order.target.tools]


def _model(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    model = shown(field.value)
    if known := _MODEL.fullmatch(model):
        yield Carried("model", known[1], same=known[1] == model)
    elif model:
        yield ModelDropped(model=model)


_SKILL = {"model": _foreign(_model)}
_AGENT = {
    **dict.fromkeys((*tools.LISTS, *tools.READING), _foreign(tools.as_a_whole(_tools))),
    "model": _foreign(_model),
}

WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): partial(skill.skill, converters=_SKILL),
    (Kind.COMMAND, Kind.COMMAND): partial(markdown.write, converters=_SKILL),
    (Kind.AGENT, Kind.AGENT): partial(markdown.write, converters=_AGENT),
    (Kind.RULE, Kind.SKILL): skill.rule_as_skill,
}

MANIFEST = ".claude-plugin/plugin.json"

# where the parts lie is the bundle's own layout; hooks and servers are said where they are declared
_PLACED = frozenset({*COMPONENTS.values(), "hooks", "mcpServers", "lspServers"})
# these name files that are not staged
_LOST = frozenset({"outputStyles", "workflows", "themes", "monitors", "experimental"})


def package(bundle: Bundle) -> Iterator[Staged | Fragment | Finding]:
    """Yield the plugin's manifest and the files that its texts refer to."""
    manifest = plugin.own(bundle)
    fields = {**(manifest.fields if manifest else {}), **plugin.identity(bundle)}
    kept = {key: value for key, value in fields.items() if key not in _PLACED | _LOST}
    for key in fields:
        if key in _LOST:
            yield NotStaged(path=MANIFEST, kind=key)
    file = bundle.package.source.tree.file(manifest.path) if manifest else None
    if manifest and file and kept == dict(manifest.fields):
        yield Staged(MANIFEST, file)
    else:
        yield Staged(MANIFEST, as_json(kept))
    yield from plugin.extra(bundle)
