"""A folder of the monorepo as a tree.

Takes a path, or what was listed there already, gives every file and link below it; contents are read
when they are asked for. Nothing is written and no link is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tackroom.packages.errors import TackroomError, reason
from tackroom.packages.findings import quoted
from tackroom.packages.listing import LINK, Listing, Unreadable, is_executable, look, size
from tackroom.packages.model import File, Link, Node
from tackroom.packages.tree import Tree
from xxhash import xxh3_128_hexdigest


def read_folder(folder: Path, without: Path | None = None) -> Tree:
    """Return the tree of a folder: all files and links but version control and what tackroom keeps.

    ``without`` is a folder that is not entered: outputs are no files of the package that they lie in.
    """
    check(folder)
    try:
        return tree(folder, look(str(folder), str(without)))
    except Unreadable as wrong:
        raise unreadable(wrong) from None


def check(folder: Path) -> None:
    """Raise TackroomError for what is no folder."""
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise TackroomError(f"{quoted(folder.as_posix())} {what}")


def tree(folder: Path, listing: Listing, below: str = "") -> Tree:
    """Return the tree of a folder that was listed; its paths start with ``below``."""
    return Tree({below + path: node for path, node in _nodes(folder, listing)})


def unreadable(wrong: Unreadable) -> TackroomError:
    """Name a file as it counts from the package: no path of this machine goes into a finding."""
    return TackroomError(f"{quoted(wrong.shown)} cannot be read: {wrong.why}")


def _nodes(folder: Path, listing: Listing) -> Iterator[tuple[str, Node]]:
    for path in sorted(listing.rows):
        row = listing.rows[path]
        key = row[1]
        if key.startswith(LINK):
            yield path, Link(key.removeprefix(LINK))
        else:
            load = partial(_load, folder, path, key)
            yield path, File(key, executable=is_executable(row), size=size(row), load=load)


def _load(folder: Path, shown: str, key: str) -> bytes:
    try:
        content = (folder / shown).read_bytes()
    except OSError as wrong:
        raise unreadable(Unreadable(shown, reason(wrong))) from None
    if f"xxh3:{xxh3_128_hexdigest(content)}" != key:
        raise TackroomError(f"{quoted(shown)} changed while it was read; run again")
    return content
