"""Applying the rules only where they may decide something else than the last time.

What they decided is remembered beside the record, with the shape of each package's outline. A package
whose content is the same has the same shape; one that changed is read, and where its shape is the same
too, everything that was decided stands.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xxhash import xxh3_128_hexdigest

from tackroom import checked, rules, version
from tackroom.config import PackageSpec
from tackroom.library import Library
from tackroom.outline import Known, Outline
from tackroom.outlines import Outlines
from tackroom.resolve import Origin
from tackroom.rules import Rulings

FORMAT = "2"
NAME = "rulings.json"


class Judge:
    """Decides for the packages of a workspace. ``text`` is what is to be remembered of it."""

    def __init__(
        self, folder: Path, library: Library, specs: Mapping[str, PackageSpec], ids: Sequence[str]
    ) -> None:
        self.path = folder / NAME
        self.outlines = Outlines(str(folder / "packages"), ids)
        self.text = b""
        self._library = library
        self._specs = specs
        self._ids = ids
        self._known = _load(self.path)

    def artifacts(self, origins: Sequence[Origin]) -> list[tuple[str, Known]]:
        """Return the artifacts of all packages, each with its package."""
        return [(each.id, known) for each in origins for known in self._outline(each).artifacts]

    def rulings(self, origins: Sequence[Origin]) -> Rulings:
        """Return what the rules decide."""
        shapes = {each.id: [_content(each), self._shape(each)] for each in origins}
        key = self._key(shapes)
        if self._known.get("key") == key:
            self.text = self._text(key, shapes, self._known["rulings"])
            return rules.load(self._known["rulings"])
        made = rules.rule([self._outline(each) for each in origins], self._library, self._specs, self._ids)
        self.outlines.let_go()
        self.text = self._text(key, shapes, rules.dump(made))
        return made

    def _shape(self, origin: Origin) -> str:
        """Return the shape of a package, which is read only where its content is another one."""
        content, shape = self._known.get("shapes", {}).get(origin.id, ("", ""))
        if content == _content(origin):
            return str(shape)
        self._outline(origin)
        return self.outlines.shape(origin.id)

    def _outline(self, origin: Origin) -> Outline:
        known = self.outlines.get(origin.id, _content(origin))
        if known is None:
            known = self._library.outline(origin.id, self._ids, _content(origin))
            self.outlines.put(known)
        return known

    def _key(self, shapes: Mapping[str, list[str]]) -> str:
        asked = [[id_, each.key, each.only, each.skip] for id_, each in self._specs.items()]
        decided_by = [self._ids, asked, [[id_, shape] for id_, (_, shape) in shapes.items()]]
        return xxh3_128_hexdigest(json.dumps(decided_by).encode())

    def _text(self, key: str, shapes: Mapping[str, list[str]], rulings: object) -> bytes:
        body = {"key": key, "shapes": shapes, "rulings": rulings}
        return checked.text(_version(), json.dumps(body, separators=(",", ":")).encode())


def _content(origin: Origin) -> str:
    """Return what stands for all that an outline is made of."""
    return f"{origin.digest} {origin.git}".rstrip()


def _version() -> str:
    """Return what all that is remembered is of: other code may decide something else."""
    return f"{FORMAT} {version.everything()}"


def _load(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(checked.body(_version(), path.read_bytes()))
    except (OSError, ValueError):
        return {}
    return found
