"""What Cursor gets: Markdown throughout, with its own words for when a rule applies.

A command is plain Markdown. Of an agent's restrictions a plugin may say one, that it only reads, so an
allow list without a tool that writes or runs anything becomes that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from tackroom.harnesses import markdown, scope, skill, tools
from tackroom.harnesses.codes import FieldDropped, GuardLost, ModelDropped, ValueDropped
from tackroom.harnesses.contract import Order, When, Written
from tackroom.harnesses.emit import Emitted
from tackroom.harnesses.header import (
    Carried,
    Converted,
    bad_value,
    boolean,
    by_facts,
    is_outdone,
    meaning_of,
    names,
    nothing,
    shown,
)
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact, Field, Kind, Value

READ_ONLY = ("permissionMode", "readonly")

_BY_USER = "disable-model-invocation"  # no model calls a command there
_PLANNING = "plan"  # Claude Code's mode that only reads


def command(order: Order) -> Written:
    """Yield a command without a header, but Cursor's own as it is."""
    own = order.is_own and not order.artifact.document.repairs
    silent = [meaning_of(order, field) for field in order.artifact.document.fields] if own else [_BY_USER]
    yield from markdown.write(
        order, dict.fromkeys(silent, nothing), note="" if own else _apart(order.artifact)
    )


def agent(order: Order) -> Written:
    """Yield an agent; one whose body is blank says its description there, or Cursor would drop it."""
    artifact = order.artifact
    added: list[tuple[str, Emitted]] = []
    if not order.is_own and not markdown.own_text(artifact, "description"):
        added.append(("description", markdown.description(artifact)))
    if _only_reads(order) and artifact.document.get("permissionMode") != READ_ONLY[1]:
        added.append(READ_ONLY)
    blank = not artifact.document.body.decode(errors="replace").strip()
    note = markdown.description(artifact) + "\n" if blank else ""
    yield from markdown.write(order, _AGENT, added=added, note=note)


def rule(order: Order) -> Written:
    """Yield a rule with its scope in Cursor's words."""
    if order.is_own:
        yield from markdown.write(order, {"paths": _globs})
        return
    found = scope.of(order.artifact.document, order.source)
    yield from _unsaid(order, found)
    if found.when is When.MANUAL:
        order = _without_description(order)
    converters = dict.fromkeys(scope.SCOPE_FIELDS, nothing)
    yield from markdown.write(order, converters, added=tuple(_scope_fields(order, found)))


def _apart(artifact: Artifact) -> str:
    """Return an empty line where the body starts like a header, which it would be taken for."""
    return "\n" if artifact.document.body.startswith(b"---") else ""


# --- scope of rules and skills


def _scope_fields(order: Order, found: scope.Scope) -> Iterator[tuple[str, Emitted]]:
    if found.when is When.DESCRIPTION and not markdown.own_text(order.artifact, "description"):
        yield "description", markdown.description(order.artifact)
    if found.when is When.GLOBS:
        yield "globs", ",".join(found.globs)
    if found.when is not When.MANUAL:
        yield "alwaysApply", found.when is When.ALWAYS


def _unsaid(order: Order, found: scope.Scope) -> Iterator[Finding]:
    """Yield what the header says and the one scope that counts leaves no room for."""
    document = order.artifact.document
    if found.when is When.MANUAL and document.get("description"):
        note = "a rule with one would be applied by it"
        yield FieldDropped(field="description", line=document.line("description"), note=note)
    for key in ("globs", "glob", "paths"):
        if found.when is not When.GLOBS and scope.split(document.get(key)):
            yield FieldDropped(field=key, line=document.line(key), note=f"the rule applies {found}")


def _without_description(order: Order) -> Order:
    document = order.artifact.document
    fields = tuple(field for field in document.fields if field.key != "description")
    artifact = order.artifact._replace(document=document._replace(fields=fields))
    return order._replace(artifact=artifact)


def _globs(order: Order, field: Field) -> Converted:
    if is_outdone(order, field, "globs"):
        yield FieldDropped(field=field.key, note="'globs' says it")
        return
    found = scope.split(field.value)
    same = field.key == "globs" and _as_read(field.value) == found
    if found or same:
        yield Carried("globs", ",".join(found), same)


def _as_read(value: Value) -> tuple[str, ...]:
    """Return the patterns as Cursor reads them: it takes off no quotes and no brackets within a text."""
    parts = scope.COMMA.split(value) if isinstance(value, str) else names(value)
    return tuple(part.strip() for part in parts if part.strip())


# --- agents


def _only_reads(order: Order) -> bool:
    """Tell whether an agent only reads at home, or by the word that Cursor itself has for it."""
    said = order.artifact.document.get("readonly")
    return tools.only_reads(order) or (said is not None and boolean(said, order.target) is True)


def _readonly(order: Order, field: Field) -> Converted:
    if not order.is_own and boolean(field.value, order.target) is None:
        yield bad_value(field, field.key)
    yield from _kept_as_own(order, field)


def _tools(order: Order, field: Field) -> Converted:
    found = tools.of(order)
    if tools.only_reads(order) and found.allowed != ():
        yield FieldDropped(field=field.key, note="the agent only reads")
    elif found.allowed is not None or found.denied or any(tools.unsaid(order, field)):
        yield GuardLost(field=field.key, value=shown(field.value) or "none")
    yield from _kept_as_own(order, field)


def _kept_as_own(order: Order, field: Field) -> Converted:
    """Keep what a plugin's agent may not set where it stands in Cursor's own words and so does no harm."""
    if order.is_own:
        yield from (each for each in by_facts(order, field) if isinstance(each, Carried))


def _model(order: Order, field: Field) -> Converted:
    if field.value == "inherit":
        yield Carried("model", "inherit", same=True)
        return
    if field.value:
        yield ModelDropped(model=shown(field.value))
    yield from _kept_as_own(order, field)


def _mode(order: Order, field: Field) -> Converted:
    if field.value == _PLANNING:
        yield ValueDropped(field=field.key, value=_PLANNING, note=f"'{READ_ONLY[1]}' is written")
    else:
        yield from by_facts(order, field)


_AGENT = {
    **dict.fromkeys(tools.LISTS, _tools),
    "model": _model,
    "permissionMode": _mode,
    "readonly": _readonly,
}

WRITE: Mapping[tuple[Kind, Kind], Callable[[Order], Written]] = {
    (Kind.SKILL, Kind.SKILL): partial(skill.skill, converters={"paths": _globs}),
    (Kind.COMMAND, Kind.COMMAND): command,
    (Kind.AGENT, Kind.AGENT): agent,
    (Kind.RULE, Kind.RULE): rule,
}
