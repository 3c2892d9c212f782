"""A folder of the monorepo as a tree.

Takes a path, gives every file and link below it; files are read once for their digest and again
when their content is asked for. Nothing is written and no link is followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.packages.model import File, Link, Node
from tackroom.packages.tree import Tree, join
from xxhash import xxh3_128, xxh3_128_hexdigest

SKIPPED = frozenset({".git", ".tackroom", ".backups"})

_SCONS = ".sconsign"  # its database, which every run changes
_CHUNK = 1 << 20
_MAX_TARGET = 300  # bytes of a link's target; the longest real one has 70
_UPWARDS = re.compile(rb"(\.\./)+[\w.@+/-]+")
_JUNCTION = 0xA0000003  # Windows' other kind of link to a folder, which looks like a folder
_POSIX = os.name == "posix"  # elsewhere the execute bit is made up from the suffix


def read_folder(folder: Path, without: Path | None = None) -> Tree:
    """Return the tree of a folder: all files and links but version control and what tackroom keeps.

    ``without`` is a folder that is not entered: outputs are no files of the package that they lie in.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise TackroomError(f"{quoted(folder.as_posix())} {what}")
    return Tree(dict(_nodes(folder, str(without))))


def _nodes(folder: Path, without: str) -> Iterator[tuple[str, Node]]:
    todo = [""]  # no recursion: folders may be nested deeper than Python's stack
    while todo:
        at = todo.pop()
        for entry in _entries(folder, at):
            path = join(at, entry.name)
            status = _status(entry, path)
            if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
                yield path, Link(_target(entry.path, path))
            elif stat.S_ISDIR(status.st_mode):
                if entry.name not in SKIPPED and entry.path != without:
                    todo.append(path)
            elif stat.S_ISREG(status.st_mode) and not entry.name.startswith(_SCONS):
                yield path, _link_as_text(entry.path, path, status) or _file(entry.path, path, status)


def _entries(folder: Path, at: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder / at) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise _unreadable(at or ".", error) from None


def _status(entry: os.DirEntry[str], shown: str) -> os.stat_result:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError as error:
        raise _unreadable(shown, error) from None


def _link_as_text(place: str, shown: str, status: os.stat_result) -> Link | None:
    """Return the link that a text file stands for; None for any other file.

    Where links are not to be had (on Windows by default), git checks one out as a file that holds
    nothing but its target. Only one that leads upwards is taken for that: a mere name may be a text.
    """
    if not 0 < status.st_size <= _MAX_TARGET:
        return None
    found = _UPWARDS.fullmatch(_content(place, shown))
    return Link(found[0].decode()) if found else None


def _file(place: str, shown: str, status: os.stat_result) -> File:
    key = f"xxh3:{_digest(place, shown)}"
    executable = _POSIX and bool(status.st_mode & stat.S_IXUSR)
    load = partial(_load, place, shown, key)
    return File(key, executable=executable, size=status.st_size, load=load)


def _digest(place: str, shown: str) -> str:
    digest = xxh3_128()
    try:
        with Path(place).open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise _unreadable(shown, error) from None
    return digest.hexdigest()


def _content(place: str, shown: str) -> bytes:
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise _unreadable(shown, error) from None


def _load(place: str, shown: str, key: str) -> bytes:
    content = _content(place, shown)
    if f"xxh3:{xxh3_128_hexdigest(content)}" != key:
        raise TackroomError(f"{quoted(shown)} changed while it was read; run again")
    return content


def _target(place: str, shown: str) -> str:
    try:
        target = os.readlink(place)  # noqa: PTH115 - a Path would change what is written there
    except OSError as error:
        raise _unreadable(shown, error) from None
    return target if _POSIX else target.removeprefix("\\\\?\\").replace("\\", "/")


def _unreadable(shown: str, error: OSError) -> TackroomError:
    """Name a file as it counts from the package: no path of this machine goes into a finding."""
    return TackroomError(f"{quoted(shown)} cannot be read: {error.strerror}")
