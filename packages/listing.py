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
from collections.abc import Iterator

from tackroom.packages import stamps
from tackroom.packages.links import is_junction
from tackroom.packages.stamps import MODE, SIZE, Stamp, are_same
from xxhash import xxh3_128, xxh3_128_hexdigest

SKIPPED = frozenset({".git", ".tackroom", ".backups"})
LINK = "->"  # starts the key of a link; its target follows
_FOLDER = "/"  # the key of a folder, and the end of its path

_CHUNK = 1 << 20
_SCONS = ".sconsign"  # its database, which every run changes
_MAX_TARGET = 300  # bytes of a link's target; the longest real one has 70
_UPWARDS = rb"(\.\./)+[\w.@+/-]+"
_POSIX = os.name == "posix"  # elsewhere the execute bit is made up from the suffix

Row = tuple[Stamp, str]  # and the key: what stands for a file's content, or a link's target
Rows = dict[str, Row]


class Unreadable(Exception):
    """A file or folder that cannot be read: its path from the folder, and why."""

    def __init__(self, shown: str, why: str) -> None:
        super().__init__(shown)
        self.shown = shown
        self.why = why


def _unreadable(shown: str, wrong: OSError) -> Unreadable:
    from tackroom.packages.errors import reason

    return Unreadable(shown, reason(wrong))


class Remembered:
    """A folder as it was when it was looked at last: paths, stamps and keys of files, links and folders.

    ``digest`` is that of the whole, where it was asked for.
    """

    __slots__ = ("digest", "keys", "packed", "paths")

    def __init__(self, paths: str = "", packed: bytes = b"", keys: str = "", digest: str = "") -> None:
        self.paths = paths
        self.packed = packed
        self.keys = keys
        self.digest = digest

    def is_same(self, folder: str) -> bool:
        """Tell whether nothing below a folder changed, where its times say what it holds."""
        return _POSIX and bool(self.packed) and are_same(folder, self.paths, self.packed)

    def rows(self) -> Rows:
        """Return the rows of files and links by their path."""
        pairs = zip(stamps.unpack(self.packed), self.keys.split("\0"), strict=False)
        rows = zip(self.paths.split("\0"), pairs, strict=False)
        return {path: row for path, row in rows if row[1] != _FOLDER}


class Listing:
    """A folder as it is: the rows of its files and links by path, and whether they are as remembered.

    ``now`` is what to remember of it; ``is_known``: that is remembered already.
    """

    __slots__ = ("_rows", "is_known", "is_same", "now")

    def __init__(self, now: Remembered, *, is_same: bool, is_known: bool, rows: Rows | None = None) -> None:
        self.now = now
        self.is_same = is_same
        self.is_known = is_known
        self._rows = rows

    @property
    def rows(self) -> Rows:
        """The rows of the files and links, by their path."""
        if self._rows is None:
            self._rows = self.now.rows()
        return self._rows

    def digest(self, root: str = "") -> str:
        """Return the digest of all that a folder in it can lead to: paths, contents, execute bits, links.

        A link may lead out of the folder, so where there are any it is the digest of everything.
        """
        if root:
            return self._digest(root)
        self.now.digest = self.now.digest or self._digest("")
        return self.now.digest

    def _digest(self, root: str) -> str:
        prefix = root + "/" if root and not self._has_links() else ""
        found = [root]
        for path in sorted(self.rows):
            if path.startswith(prefix):
                row = self.rows[path]
                found += (path, row[1], "*" if is_executable(row) else "-")
        return xxh3_128_hexdigest("\0".join(found).encode(errors="surrogatepass"))

    def _has_links(self) -> bool:
        return any(row[1].startswith(LINK) for row in self.rows.values())


def look(folder: str, without: str = "", known: Remembered | None = None) -> Listing:
    """Return what lies in a folder; of what is ``known`` of it, the digests are kept.

    ``without`` is a folder that is not entered. Raise Unreadable for what cannot be read.
    """
    known = known or Remembered()
    if known.is_same(folder):
        return Listing(known, is_same=True, is_known=True)
    before = known.rows()
    rows: Rows = {}
    folders: Rows = {}
    is_same = bool(known.packed)
    now = time.time_ns()
    for path, place, status in _entries(folder, without):
        found = stamps.stamp(status)
        row = before.get(path)
        if path.endswith(_FOLDER) or not path:
            folders[path] = (_trusted(found, now), _FOLDER)
            is_same = is_same and folders[path][0] == found  # else it has to be looked at again and again
        elif row is None or row[0] != found:
            is_same = False
            rows[path] = (_trusted(found, now), _key(place, path, status))
        else:
            rows[path] = row
    is_same = is_same and len(rows) == len(before)
    new = _remembered(folders | rows)
    is_known = (new.paths, new.packed) == (known.paths, known.packed)
    return Listing(new, is_same=is_same, is_known=is_known, rows=rows)


def _remembered(rows: Rows) -> Remembered:
    packed = stamps.pack(row[0] for row in rows.values())
    return Remembered("\0".join(rows), packed, "\0".join(row[1] for row in rows.values()))


def size(row: Row) -> int:
    """Return how many bytes a row's file has."""
    return row[0][SIZE]


def is_executable(row: Row) -> bool:
    """Tell whether a row's file may be executed, where the system has such a bit."""
    return _POSIX and bool(row[0][MODE] & stat.S_IXUSR)


def _trusted(found: Stamp, now: int) -> Stamp:
    """Return a stamp that every later edit must change; of a file that is too young for that, no such one."""
    return found if stamps.is_settled(found, now) else (0, found[SIZE], 0, 0, found[MODE])


def _entries(folder: str, without: str) -> Iterator[tuple[str, str, os.stat_result]]:
    """Yield each folder, file and link: its path from the folder, its place and its stat.

    The path of a folder ends in ``/``, but that of the folder itself is empty.
    """
    todo = [("", folder)]  # no recursion: folders may be nested deeper than Python's stack
    while todo:
        prefix, place = todo.pop()
        yield prefix, place, _status_of(place, prefix)  # before it is listed: what comes later must show
        for entry in _folder(place, prefix):
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False) and not _is_junction(entry, path):
                if entry.name not in SKIPPED and entry.path != without:
                    todo.append((path + "/", entry.path))
                continue
            status = _status(entry, path)
            if not stat.S_ISREG(status.st_mode):
                if stat.S_ISLNK(status.st_mode) or _is_junction(entry, path):
                    yield path, entry.path, status
            elif not entry.name.startswith(_SCONS):
                yield path, entry.path, status


def _status_of(place: str, shown: str) -> os.stat_result:
    try:
        return os.lstat(place)
    except OSError as wrong:
        raise _unreadable(shown.rstrip("/") or ".", wrong) from None


def _folder(place: str, shown: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError as wrong:
        raise _unreadable(shown.rstrip("/") or ".", wrong) from None


def _status(entry: os.DirEntry[str], shown: str) -> os.stat_result:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError as wrong:
        raise _unreadable(shown, wrong) from None


def _is_junction(entry: os.DirEntry[str], shown: str) -> bool:
    return not _POSIX and is_junction(_status(entry, shown))


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
        raise _unreadable(shown, wrong) from None
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
