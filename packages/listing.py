"""What lies in a folder of the monorepo, remembered by stat so that an unchanged file is not read again.

Takes a folder and what is remembered of it, gives a row for each file and link below it. A stat vouches
for a file's digest unless the file is as young as the look at it: an edit within the clock's granularity
would not show. Writes nothing, follows no link, and imports little, for a run with nothing to do is over
when these stats are compared.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping

from xxhash import xxh3_128, xxh3_128_hexdigest

SKIPPED = frozenset({".git", ".tackroom", ".backups"})
LINK = "->"  # starts the key of a link; its target follows

_CHUNK = 1 << 20
_SCONS = ".sconsign"  # its database, which every run changes
_MAX_TARGET = 300  # bytes of a link's target; the longest real one has 70
_UPWARDS = rb"(\.\./)+[\w.@+/-]+"
_JUNCTION = 0xA0000003  # Windows' other kind of link to a folder, which looks like a folder
_POSIX = os.name == "posix"  # elsewhere the execute bit is made up from the suffix
_TICK = 20_000_000  # nanoseconds that the clock of a file system with fine times may lag behind
_COARSE = 2_000_000_000  # likewise, where times are whole milliseconds or seconds

# modification time in ns, size, inode, change time in ns, mode; then the key
Row = tuple[int, int, int, int, int, str]
Rows = dict[str, Row]


class Unreadable(Exception):
    """A file or folder that cannot be read: its path from the folder, and why."""

    def __init__(self, shown: str, why: str | None) -> None:
        super().__init__(shown)
        self.shown = shown
        self.why = why or "unknown reason"


class Listing:
    """A folder as it is: its rows by path, and whether they are the very ones that were remembered."""

    __slots__ = ("is_same", "rows")

    def __init__(self, rows: Rows, *, is_same: bool) -> None:
        self.rows = rows
        self.is_same = is_same

    def digest(self, root: str = "") -> str:
        """Return the digest of all that a folder in it can lead to: paths, contents, execute bits, links.

        A link may lead out of the folder, so where there are any it is the digest of everything.
        """
        prefix = root + "/" if root and not self._has_links() else ""
        found = xxh3_128(root.encode(errors="surrogatepass"))
        for path in sorted(self.rows):
            if path.startswith(prefix):
                row = self.rows[path]
                text = f"{path}\0{row[5]}\0{is_executable(row)}\0"
                found.update(text.encode(errors="surrogatepass"))
        return found.hexdigest()

    def _has_links(self) -> bool:
        return any(row[5].startswith(LINK) for row in self.rows.values())


def look(folder: str, without: str = "", known: Mapping[str, Row] | None = None) -> Listing:
    """Return what lies in a folder; ``known`` are the rows of an earlier look, whose digests are kept.

    ``without`` is a folder that is not entered. Raise Unreadable for what cannot be read.
    """
    known = known or {}
    rows: Rows = {}
    now = time.time_ns()
    is_same = True
    for path, entry, status in _entries(folder, without):
        seen = _seen(status)
        row = known.get(path)
        if row is None or row[:5] != seen:
            is_same = False
            row = (*(seen if _is_old(status, now) else _untrusted(seen)), _key(entry.path, path, status))
        rows[path] = row
    return Listing(rows, is_same=is_same and len(rows) == len(known))


def is_executable(row: Row) -> bool:
    """Tell whether a row's file may be executed, where the system has such a bit."""
    return _POSIX and bool(row[4] & stat.S_IXUSR)


def _seen(status: os.stat_result) -> tuple[int, int, int, int, int]:
    return status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns, status.st_mode


def _untrusted(seen: tuple[int, int, int, int, int]) -> tuple[int, int, int, int, int]:
    """Return a stat that no file will ever have, with the same size and mode."""
    return 0, seen[1], 0, 0, seen[4]


def _is_old(status: os.stat_result, now: int) -> bool:
    """Tell whether a later edit must show in a file's times."""
    youngest = max(status.st_mtime_ns, status.st_ctime_ns if _POSIX else 0)
    granularity = _TICK if status.st_mtime_ns % 1_000_000 else _COARSE
    return youngest < now - granularity


def _entries(folder: str, without: str) -> Iterator[tuple[str, os.DirEntry[str], os.stat_result]]:
    """Yield each file and link below a folder: its path from there, the entry and its stat."""
    todo = [("", folder)]  # no recursion: folders may be nested deeper than Python's stack
    while todo:
        prefix, place = todo.pop()
        for entry in _folder(place, prefix):
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False) and not _is_junction(entry, path):
                if entry.name not in SKIPPED and entry.path != without:
                    todo.append((path + "/", entry.path))
                continue
            status = _status(entry, path)
            if not stat.S_ISREG(status.st_mode):
                if stat.S_ISLNK(status.st_mode) or _is_junction(entry, path):
                    yield path, entry, status
            elif not entry.name.startswith(_SCONS):
                yield path, entry, status


def _folder(place: str, shown: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError as wrong:
        raise Unreadable(shown.rstrip("/") or ".", wrong.strerror) from None


def _status(entry: os.DirEntry[str], shown: str) -> os.stat_result:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError as wrong:
        raise Unreadable(shown, wrong.strerror) from None


def _is_junction(entry: os.DirEntry[str], shown: str) -> bool:
    return not _POSIX and getattr(_status(entry, shown), "st_reparse_tag", 0) == _JUNCTION


def _key(place: str, shown: str, status: os.stat_result) -> str:
    """Return what stands for a file's content, or where a link points."""
    try:
        if not stat.S_ISREG(status.st_mode):
            return LINK + _target(place)
        if status.st_size > _CHUNK:
            return f"xxh3:{_digest(place)}"
        with open(place, "rb") as file:
            content = file.read()
    except OSError as wrong:
        raise Unreadable(shown, wrong.strerror) from None
    return _link_as_text(content) or f"xxh3:{xxh3_128_hexdigest(content)}"


def _link_as_text(content: bytes) -> str:
    """Return the key of a link that a text file stands for; empty for any other file.

    Where links are not to be had (on Windows by default), git checks one out as a file that holds
    nothing but its target. Only one that leads upwards is taken for that: a mere name may be a text.
    """
    if not content.startswith(b"../") or len(content) > _MAX_TARGET:
        return ""
    import re

    return LINK + content.decode() if re.fullmatch(_UPWARDS, content) else ""


def _digest(place: str) -> str:
    digest = xxh3_128()
    with open(place, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _target(place: str) -> str:
    target = os.readlink(place)
    return target if _POSIX else target.removeprefix("\\\\?\\").replace("\\", "/")
