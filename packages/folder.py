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
        for entry in _entries(folder / at):
            path = join(at, entry.name)
            status = _status(entry)
            if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", 0) == _JUNCTION:
                yield path, Link(_target(entry.path))
            elif stat.S_ISDIR(status.st_mode):
                if entry.name not in SKIPPED and entry.path != without:
                    todo.append(path)
            elif stat.S_ISREG(status.st_mode) and not entry.name.startswith(_SCONS):
                yield path, _link_as_text(Path(entry.path), status) or _file(Path(entry.path), status)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        raise _unreadable(folder, error) from None


def _status(entry: os.DirEntry[str]) -> os.stat_result:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError as error:
        raise _unreadable(Path(entry.path), error) from None


def _link_as_text(path: Path, status: os.stat_result) -> Link | None:
    """Return the link that a text file stands for; None for any other file.

    Where links are not to be had (on Windows by default), git checks one out as a file that holds
    nothing but its target. Only one that leads upwards is taken for that: a mere name may be a text.
    """
    if not 0 < status.st_size <= _MAX_TARGET:
        return None
    try:
        found = _UPWARDS.fullmatch(path.read_bytes())
    except OSError as error:
        raise _unreadable(path, error) from None
    return Link(found[0].decode()) if found else None


def _file(path: Path, status: os.stat_result) -> File:
    key = f"xxh3:{_digest(path)}"
    executable = _POSIX and bool(status.st_mode & stat.S_IXUSR)
    return File(key, executable=executable, size=status.st_size, load=partial(_load, path, key))


def _digest(path: Path) -> str:
    digest = xxh3_128()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError as error:
        raise _unreadable(path, error) from None
    return digest.hexdigest()


def _load(path: Path, key: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    if f"xxh3:{xxh3_128_hexdigest(content)}" != key:
        raise TackroomError(f"{quoted(path.as_posix())} changed while it was read; run again")
    return content


def _target(path: str) -> str:
    try:
        target = os.readlink(path)  # noqa: PTH115 - a Path would change what is written there
    except OSError as error:
        raise _unreadable(Path(path), error) from None
    return target if _POSIX else target.removeprefix("\\\\?\\").replace("\\", "/")


def _unreadable(path: Path, error: OSError) -> TackroomError:
    return TackroomError(f"{quoted(path.as_posix())} cannot be read: {error.strerror}")
