"""When a rule applies, read from whichever vocabulary it is written in.

The formats' words do not clash, so one reader serves all: ``alwaysApply`` and ``globs`` (Cursor),
``paths`` (Claude Code), ``trigger`` (Antigravity), ``applyTo`` (Copilot). What is absent means what
it means in the rule's own format: without any of them Claude Code always loads a rule, Cursor only
when it is asked for by name, or by its description where it has one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from tackroom.harnesses.contract import Facts, When
from tackroom.harnesses.header import boolean
from tackroom.packages.model import Document, Text, Value

SCOPE_FIELDS = ("alwaysApply", "globs", "glob", "paths", "trigger", "applyTo")
# a comma within braces belongs to its pattern
COMMA = re.compile(r",(?![^{]*\})")
_TRIGGERS = {
    "always_on": When.ALWAYS,
    "glob": When.GLOBS,
    "model_decision": When.DESCRIPTION,
    "manual": When.MANUAL,
}


class Scope(NamedTuple):
    """When a rule applies; ``globs`` are the files' patterns, also where something else decides."""

    when: When
    globs: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say the scope in a few words, for findings."""
        if self.when is When.GLOBS:
            return "for " + ", ".join(self.globs)
        return {When.ALWAYS: "always", When.DESCRIPTION: "by description"}.get(self.when, "by name only")


def of(document: Document, source: Facts) -> Scope:
    """Return a rule's scope."""
    globs = _globs(document)
    trigger = document.get("trigger")
    if isinstance(trigger, Text) and trigger in _TRIGGERS:
        return Scope(_TRIGGERS[trigger], globs)
    if _is_true(document.get("alwaysApply"), source) or document.get("applyTo") == "**":
        return Scope(When.ALWAYS, globs)
    if globs:
        return Scope(When.GLOBS, globs)
    return Scope(source.described if document.get("description") else source.unscoped)


def _is_true(value: Value | None, source: Facts) -> bool:
    return value is not None and boolean(value, source) is True


def _globs(document: Document) -> tuple[str, ...]:
    found = [split(document.get(key)) for key in ("globs", "glob", "paths", "applyTo")]
    return tuple(dict.fromkeys(each for row in found for each in row))


def split(value: Value | None) -> tuple[str, ...]:
    """Return patterns from a list or from a comma text; a comma within braces belongs to its pattern."""
    if value is None:
        return ()
    if isinstance(value, Text):
        text = value.strip()
        inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
        parts = COMMA.split(inner)
        return tuple(p for p in (part.strip().strip("\"'") for part in parts) if p)
    return () if isinstance(value, Mapping) else tuple(p for each in value for p in split(each))
