"""The file of one unit: what it depends on, the stats of its outputs, and behind them the details.

The head is all that a run with nothing to do reads, so it is one line of JSON and one packed array, and
this module imports little. The details say which item made which output. A file is written whole or not
at all; one that cannot be read, or of another version, counts as absent.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from array import array
from collections.abc import Sequence

TYPE_CHECKING = False  # as type checkers know it; typing itself takes as long to import as all of this
if TYPE_CHECKING:
    from typing import BinaryIO

FORMAT = f"2 {sys.byteorder}"  # the stats are packed as this machine packs them
WORDS = 4  # modification time in ns, size, inode, change time in ns

Stamp = tuple[int, int, int, int]
NEVER: Stamp = (0, 0, 0, 0)  # of no file: its content has to be looked at
_LONG = 100  # characters of a name that any system holds
_COARSE = 2_000_000_000  # nanoseconds of a file system that keeps whole seconds, or every other one

Tally = dict[str, int]  # what there is of it, by word: staged, info, warning, error


class Head:
    """What a unit was staged from and became. ``outputs`` are paths from OUT, ``packed`` their stamps."""

    __slots__ = ("digest", "id", "key", "outputs", "packed", "tally")

    def __init__(
        self, unit: str, key: str, outputs: Sequence[str], packed: bytes, tally: Tally, digest: str
    ) -> None:
        self.id = unit
        self.key = key
        self.outputs = outputs
        self.packed = packed
        self.tally = tally
        self.digest = digest

    def stamps(self) -> list[Stamp]:
        """Return the stamps of the outputs, in their order."""
        words = array("q")
        words.frombytes(self.packed)
        return [(words[n], words[n + 1], words[n + 2], words[n + 3]) for n in range(0, len(words), WORDS)]

    def is_intact(self, out: str) -> bool:
        """Tell whether every output is there just as it was left, by its stat alone.

        A changed mode shows in the change time, but on Windows, which has no modes.
        """
        lstat, found = os.lstat, array("q")
        try:
            for path in self.outputs:
                status = lstat(f"{out}/{path}")
                found.extend((status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns))
        except (OSError, ValueError):
            return False
        return found.tobytes() == self.packed


def pack(stamps: Sequence[Stamp]) -> bytes:
    """Return stamps as a head holds them."""
    return array("q", [word for stamp in stamps for word in stamp]).tobytes()


def stamp(path: str) -> Stamp | None:
    """Return the stat that is remembered of a regular file; None where none is there."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):  # no system holds a name with a NUL in it
        return None
    return stamp_of(found) if stat.S_ISREG(found.st_mode) else None


def stamp_of(found: os.stat_result) -> Stamp:
    """Return what is remembered of a stat."""
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_ctime_ns


def lasting(stamp: Stamp) -> Stamp:
    """Return a stamp that every later edit must change, or that of no file where one need not.

    Where times are whole seconds, an edit right after the file was written would not show.
    """
    is_fine = stamp[0] % 1_000_000
    return stamp if is_fine or stamp[0] < time.time_ns() - _COARSE else NEVER


def text(head: Head, details: object) -> bytes:
    """Return the bytes of a unit's file."""
    first = {
        "version": FORMAT,
        "id": head.id,
        "key": head.key,
        "outputs": "\n".join(head.outputs),
        "tally": head.tally,
        "digest": head.digest,
    }
    dump = json.JSONEncoder(separators=(",", ":")).encode
    return dump(first).encode() + b"\n" + head.packed + dump(details).encode()


def read_head(path: str) -> Head | None:
    """Return the head of a unit's file; None where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return _head(file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def read(path: str) -> tuple[Head, object]:
    """Return the head of a unit's file and its details; raise what reading raises where it cannot be used."""
    with open(path, "rb") as file:
        return _head(file), json.loads(file.read())


def _head(file: BinaryIO) -> Head:
    found = json.loads(file.readline())
    if found["version"] != FORMAT:
        raise ValueError(found["version"])
    outputs = found["outputs"].split("\n") if found["outputs"] else []
    packed = file.read(len(outputs) * WORDS * 8)
    if len(packed) != len(outputs) * WORDS * 8:
        raise ValueError(len(packed))
    return Head(found["id"], found["key"], outputs, packed, dict(found["tally"]), found["digest"])


class Heads:
    """The heads of all units in a folder, each read once; ``unreadable`` are names of files that are none."""

    __slots__ = ("_found", "_intact", "folder", "unreadable")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.unreadable: list[str] = []
        self._found: dict[str, Head] | None = None
        self._intact: dict[str, bool] = {}

    def all(self) -> dict[str, Head]:
        """Return the heads by the ids of their units."""
        if self._found is None:
            self._found = {}
            for name in _names(self.folder):
                head = read_head(f"{self.folder}/{name}")
                if head is None:
                    self.unreadable.append(name)
                else:
                    self._found[head.id] = head
        return self._found

    def is_intact(self, unit: str, out: str) -> bool:
        """Tell whether every output of a unit is there as it was left; looked at once."""
        if unit not in self._intact:
            self._intact[unit] = self.all()[unit].is_intact(out)
        return self._intact[unit]

    def path(self, unit: str) -> str:
        """Return where a unit's file is."""
        return f"{self.folder}/{file_name(unit)}"


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.endswith("~"))
    except OSError:
        return []


def file_name(unit: str) -> str:
    """Return the name of a unit's file; one that some system could not hold is told by its hash."""
    harness, _, package = unit.partition("/")
    plain = package.replace("-", "").replace(".", "")
    if not package or (plain.isascii() and plain.isalnum() and package.islower() and len(package) < _LONG):
        return f"{harness}.{package}"
    from xxhash import xxh3_64_hexdigest

    return f"{harness}.#{xxh3_64_hexdigest(package.encode(errors='surrogatepass'))}"
