"""An agent's allow or deny list in OpenCode's words: ``tools``, a map of switches, and ``permission``.

OpenCode lowers ``tools`` to permissions that come before those of ``permission``, a key keeps its first
place, and the last match wins. So both maps deny ``*`` first, or the second would take everything back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tackroom.harnesses import tools
from tackroom.harnesses.codes import GuardLost, ToolDropped, ToolJoined
from tackroom.harnesses.contract import Order
from tackroom.harnesses.emit import Emitted
from tackroom.harnesses.header import Carried, Converted, bad_value, boolean, by_facts, is_word
from tackroom.harnesses.opencode.facts import ACTIONS, PERMISSIONS, TOOLS, WHOLE
from tackroom.harnesses.tools import Tool
from tackroom.packages.findings import Finding
from tackroom.packages.model import Field, Text, Value

Rules = dict[str, dict[str, str]]  # permission to pattern to action

_WRITING = {"Write": "Edit", "Edit": "Write", "MultiEdit": "Write"}


def lists(order: Order, field: Field) -> Converted:
    """Convert the lists of an agent as a whole, where the first of them stands; OpenCode's own map stays."""
    if isinstance(field.value, Mapping) and tools.fields(order) == (field,):
        yield from _switches(order, field, field.value)
    else:
        yield from _as_a_whole(order, field)


def _whole(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    found = tools.guarded(order)
    if found.allowed is None:
        yield from _denied(order, found.denied)
    else:
        yield from _allowed(order, found.allowed, found.denied)


_as_a_whole = tools.as_a_whole(_whole)


def _switches(order: Order, field: Field, switches: Mapping[str, Value]) -> Converted:
    words = {name: value for name, value in switches.items() if isinstance(value, Text)}
    values = {name: boolean(value, order.source) for name, value in words.items()}
    if len(words) < len(switches) or None in values.values():
        yield bad_value(field, field.key)
        return
    same = all(is_word(value, order.target) for value in words.values())
    yield Carried("tools", {name: value is True for name, value in values.items()}, same)


def permission(order: Order, field: Field) -> Converted:
    """Convert the author's own permissions, which stop the client where one has another form."""
    if _is_rule(field.value) or (
        isinstance(field.value, Mapping)
        and all(_is_rule(each) or (key not in WHOLE and _is_rules(each)) for key, each in field.value.items())
    ):
        yield from by_facts(order, field)
    else:
        yield bad_value(field, field.key)


def _is_rule(value: Value) -> bool:
    return isinstance(value, Text) and value in ACTIONS


def _is_rules(value: Value) -> bool:
    return isinstance(value, Mapping) and all(_is_rule(each) for each in value.values())


def _allowed(order: Order, allowed: Sequence[Tool], denied: Sequence[Tool]) -> Converted:
    rules: Rules = {}
    for each in allowed:
        yield from _rule(order, each, rules, "allow")
    yield from _joined(allowed, "allowed")
    for each in denied:
        yield from _rule(order, each, rules, "deny")
    extra = [key for key in rules if key in order.target.own_tools and key not in TOOLS]
    switches = {each: _key(each) in rules for each in (*TOOLS, *extra)}
    yield Carried("tools", {"*": False, **switches})
    yield from _permission(order, {"*": {"*": "deny"}, **rules})


def _denied(order: Order, denied: Sequence[Tool]) -> Converted:
    rules: Rules = {}
    for each in denied:
        yield from _rule(order, each, rules, "deny")
    yield from _joined(denied, "denied")
    switches = {each: False for each in (*TOOLS, *order.target.own_tools) if _key(each) in rules}
    if switches:
        yield Carried("tools", switches)
    yield from _permission(order, {key: rule for key, rule in rules.items() if key not in switches})


def _key(tool: str) -> str:
    return PERMISSIONS.get(tool, tool)


def _rule(order: Order, tool: Tool, rules: Rules, action: str) -> Iterator[Finding]:
    """Add to the rules what is said of one tool, and yield what cannot be said."""
    own = order.target.tools.get(tool.name) or [each for each in order.target.own_tools if each == tool.name]
    if tool.server and tool.server != "*":
        rules[_of_server(tool)] = {"*": action}
        note = f"{'allowed' if action == 'allow' else 'denied'} by name in 'permission'"
        yield ToolDropped(field=tool.field, tool=tool.written, note=note, line=tool.line)
        return
    if not own:
        yield ToolDropped(field=tool.field, tool=tool.written, line=tool.line)
    for key in map(_key, own):
        if action == "deny" or not tool.limit:
            rules[key] = {"*": action}
        elif key not in WHOLE:
            rule = rules.setdefault(key, {"*": "deny"})
            rule.update((each, "allow") for each in _patterns(tool) if rule["*"] == "deny")
        else:
            rules[key] = {"*": action}
            yield GuardLost(field=tool.field, value=tool.written, line=tool.line)


def _of_server(tool: Tool) -> str:
    """Return the permission of an MCP tool: OpenCode joins server and tool, and changes what is no word."""
    server, name = (re.sub(r"[^A-Za-z0-9_-]", "_", part) for part in (tool.server, tool.of_server))
    return f"{server}_*" if tool.of_server == "*" else f"{server}_{name}"


def _patterns(tool: Tool) -> Iterator[str]:
    """Yield a limit as patterns; ``git *`` matches ``git`` alone too."""
    if tool.name in ("Agent", "Task"):
        yield from (each.strip() for each in tool.limit.split(","))
    else:
        yield re.sub(r":\*\Z", " *", tool.limit).removeprefix("./")


def _joined(listed: Sequence[Tool], both: str) -> Iterator[Finding]:
    """Yield a finding where of the two tools that write only one is listed."""
    named = {_WRITING[each.name] for each in listed if each.name in _WRITING}
    for each in listed:
        if len(named) == 1 and each.name in _WRITING:
            other = _WRITING[each.name]
            yield ToolJoined(field=each.field, tool=each.written, other=other, both=both, line=each.line)
            return


def _permission(order: Order, rules: Rules) -> Iterator[Carried]:
    """Yield the rules, unless the author wrote some: then those have the last word."""
    said: dict[str, Emitted] = {
        key: rule["*"] if list(rule) == ["*"] else dict[str, Emitted](rule) for key, rule in rules.items()
    }
    if said and order.artifact.document.get("permission") is None:
        yield Carried("permission", said)
