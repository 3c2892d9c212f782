"""The outlines of packages as they are remembered beside the record, a file a package."""

from __future__ import annotations

import os
from collections.abc import Iterable

from xxhash import xxh3_64_hexdigest

from tackroom import checked, version
from tackroom.outline import FORMAT, Outline, dump, load


class Outlines:
    """Outlines by package. One is of use while its digest, our code and the harnesses are the same."""

    __slots__ = ("_code", "_found", "_new", "_place")

    def __init__(self, place: str, ids: Iterable[str]) -> None:
        self._place = place
        self._code = f"{FORMAT} {version.everything()} {','.join(ids)}"
        self._found: dict[str, Outline] = {}
        self._new: dict[str, Outline] = {}

    def get(self, package: str, digest: str) -> Outline | None:
        """Return the outline of a package with that digest, if it is remembered."""
        if package in self._found:
            return self._found[package]
        try:
            with open(self._path(package), "rb") as file:
                text = checked.body(self._head(digest), file.read())
        except (OSError, ValueError):
            return None
        self._found[package] = load(text.decode(), digest)
        return self._found[package]

    def put(self, outline: Outline) -> None:
        """Take an outline that was just made, to be remembered."""
        self._new[outline.id] = self._found[outline.id] = outline

    def texts(self) -> dict[str, bytes]:
        """Return the files to be written: path to content."""
        return {
            self._path(package): checked.text(self._head(each.digest), dump(each).encode())
            for package, each in self._new.items()
        }

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
