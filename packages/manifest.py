"""Manifests and catalogues as data: JSON from a package, checked field by field, never trusted."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tackroom.packages.codes import InlineComponent, ManifestUnreadable
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMPONENTS
from tackroom.packages.model import Kind
from tackroom.packages.tree import Tree, Unreachable

MAX_BYTES = 10 << 20  # Cursor's own limit for a manifest


@dataclass(frozen=True, slots=True)
class Manifest:
    """One manifest: its path in the package, the format it belongs to, its top-level fields."""

    path: str
    format: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def text(self, key: str) -> str:
        """Return a text field; empty where it is absent or of another form."""
        value = self.fields.get(key)
        return value if isinstance(value, str) else ""

    def declared(self, kind: Kind) -> Iterator[str | Finding]:
        """Yield the paths declared for a kind, and a finding for whatever is no path."""
        name = COMPONENTS[kind]
        value = self.fields.get(name)
        if isinstance(value, Mapping):
            yield from (InlineComponent(path=self.path, field=name, name=str(key)) for key in value)
            return
        for each in value if isinstance(value, list) else [] if value is None else [value]:
            yield self._path(name, each)

    def _path(self, name: str, value: object) -> str | Finding:
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            return InlineComponent(path=self.path, field=name, name=str(value.get("name", "")))
        problem = f"'{name}' holds {json.dumps(value)[:40]} where a path belongs"
        return ManifestUnreadable(path=self.path, problem=problem)


def read_json(tree: Tree, path: str) -> Mapping[str, Any] | Finding | None:
    """Read a JSON object of a tree; None where the file is absent, a finding where it cannot be used."""
    file = tree.file(path)
    if file is None:
        return _led_astray(tree, path)
    if file.size > MAX_BYTES:
        return ManifestUnreadable(path=path, problem=f"is larger than {MAX_BYTES >> 20} MiB")
    line, found = 0, None
    try:
        found = json.loads(file.load().decode("utf-8-sig"))
        problem = "is not a JSON object"
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    except json.JSONDecodeError as wrong:
        problem, line = f"is not JSON: {wrong.msg.lower()}", wrong.lineno
    except (RecursionError, ValueError):  # nested too deep; a number of thousands of digits
        problem = "is not JSON that can be read"
    return found if isinstance(found, dict) else ManifestUnreadable(path=path, line=line, problem=problem)


def _led_astray(tree: Tree, path: str) -> Finding | None:
    """Return why a link on the way to a file leads nowhere; None where there is no link."""
    try:
        tree.resolve(path)
    except Unreachable as wrong:
        return wrong.finding if wrong.finding.path in tree.nodes else None
    return None
