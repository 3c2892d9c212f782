"""The outlines of packages as they are remembered beside the record, a file a package."""

from __future__ import annotations

import os
from collections.abc import Iterable

from xxhash import xxh3_64_hexdigest

from tackroom import checked, version
from tackroom.outline import FORMAT, Outline, dump, load, shape


class Outlines:
    """Outlines by package. One is of use while its digest, our code and the harnesses are the same."""

    __slots__ = ("_code", "_found", "_new", "_place", "_shapes")

    def __init__(self, place: str, ids: Iterable[str]) -> None:
        self._place = place
        self._code = f"{FORMAT} {version.everything()} {','.join(ids)}"
        self._found: dict[str, Outline] = {}
        self._new: dict[str, bytes] = {}
        self._shapes: dict[str, str] = {}

    def get(self, package: str, digest: str) -> Outline | None:
        """Return the outline of a package with that digest, if it is remembered."""
        if package in self._found:
            return self._found[package]
        try:
            text = checked.body(self._head(digest), self._raw(package)).decode()
        except (OSError, ValueError):
            return None
        self._shapes[package] = shape(text)
        self._found[package] = load(text, digest)
        return self._found[package]

    def _raw(self, package: str) -> bytes:
        if package in self._new:
            return self._new[package]
        with open(self._path(package), "rb") as file:
            return file.read()

    def put(self, outline: Outline) -> None:
        """Take an outline that was just made, to be remembered."""
        text = dump(outline)
        self._shapes[outline.id] = shape(text)
        self._new[outline.id] = checked.text(self._head(outline.digest), text.encode())
        self._found[outline.id] = outline

    def shape(self, package: str) -> str:
        """Return the shape of an outline that was got or put."""
        return self._shapes[package]

    def let_go(self) -> None:
        """Let go of what few runs need once the rules are applied; it can be had again."""
        self._found.clear()

    def texts(self) -> dict[str, bytes]:
        """Return the files to be written: path to content."""
        return {self._path(package): each for package, each in self._new.items()}

    def stale(self, packages: Iterable[str]) -> list[str]:
        """Return the files of packages that are not among these."""
        wanted = {os.path.basename(self._path(each)) for each in packages}
        try:
            return [f"{self._place}/{name}" for name in os.listdir(self._place) if name not in wanted]
        except OSError:
            return []

    def _path(self, package: str) -> str:
        return f"{self._place}/{xxh3_64_hexdigest(package.encode(errors='surrogatepass'))}"

    def _head(self, digest: str) -> str:
        return f"{self._code} {digest}"
