"""The folders of packages as they are, and what is remembered of them beside the record.

Each folder is looked at once in a run. Its rows are kept in a file of its own, which is written only
where they differ from what it holds.
"""

from __future__ import annotations

import os

from xxhash import xxh3_64_hexdigest

from tackroom import checked
from tackroom.packages.listing import Listing, Remembered, look
from tackroom.packages.stamps import ORDER

FORMAT = f"2 {ORDER}"


class Folders:
    """Listings by the real path of a folder; ``trusted`` is false where every file is to be read again."""

    __slots__ = ("_found", "_place", "trusted")

    def __init__(self, place: str, *, trusted: bool = True) -> None:
        self.trusted = trusted
        self._place = place
        self._found: dict[str, Listing] = {}

    def look(self, folder: str, without: str) -> Listing:
        """Return what lies in a folder but not in ``without``. Raise Unreadable for what cannot be read."""
        if folder not in self._found:
            known = load(self._path(folder)) if self.trusted else None
            self._found[folder] = look(folder, without, known)
        return self._found[folder]

    def texts(self) -> dict[str, bytes]:
        """Return the files to be written: path to content."""
        return {self._path(path): text(each.now) for path, each in self._found.items() if not each.is_known}

    def stale(self) -> list[str]:
        """Return the files of folders that were not looked at in this run."""
        wanted = {os.path.basename(self._path(path)) for path in self._found}
        try:
            return [f"{self._place}/{name}" for name in os.listdir(self._place) if name not in wanted]
        except OSError:
            return []

    def _path(self, folder: str) -> str:
        return f"{self._place}/{xxh3_64_hexdigest(os.fsencode(folder))}"


def text(known: Remembered) -> bytes:
    """Return the bytes of the file that remembers a folder: sizes, stamps, paths, keys."""
    paths, keys = (each.encode(errors="surrogatepass") for each in (known.paths, known.keys))
    sizes = f"{known.digest or '-'} {len(known.packed)} {len(paths)}\n"
    rest = sizes.encode() + known.packed + paths + keys
    return checked.text(FORMAT, rest)


def load(path: str) -> Remembered | None:
    """Read what is remembered of a folder; None where it cannot be used."""
    try:
        with open(path, "rb") as file:
            sizes, _, body = checked.body(FORMAT, file.read()).partition(b"\n")
    except (OSError, ValueError):
        return None
    digest, packed, paths = sizes.decode().split(" ")
    at, end = int(packed), int(packed) + int(paths)
    names, keys = (each.decode(errors="surrogatepass") for each in (body[at:end], body[end:]))
    return Remembered(names, body[:at], keys, digest.strip("-"))
