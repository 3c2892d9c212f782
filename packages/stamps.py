"""The stats of many files, kept as text and packed numbers, and compared without a step in Python for each.

A stamp is what a stat must say for a file to be taken for the one that was read or written: modification
time in ns, size, inode, change time in ns, mode. This is most of what a run with nothing to do does.
"""

from __future__ import annotations

import os
import sys
from array import array
from collections.abc import Iterable
from operator import attrgetter, eq

Stamp = tuple[int, int, int, int, int]

WORDS = 5  # 8 bytes each
_WORD = "Q"  # without a sign: the inodes of some file systems need every bit
_ALL = 2**64 - 1
ORDER = sys.byteorder  # as they are packed here
NEVER: Stamp = (0, 0, 0, 0, 0)  # of no file: its content has to be looked at
SIZE, CHANGED, MODE = 1, 3, 4
TICK = 20_000_000  # nanoseconds that the clock of a file system with fine times may lag behind
_COARSE = 2_000_000_000  # likewise, where times are whole milliseconds or seconds
_POSIX = os.name == "posix"

stamp = attrgetter("st_mtime_ns", "st_size", "st_ino", "st_ctime_ns", "st_mode")


def is_settled(stamp: Stamp, now: int) -> bool:
    """Tell whether every edit after ``now`` must change a stamp: it is older than its clock is coarse."""
    return _last(stamp) < now - (TICK if is_fine(stamp) else _COARSE)


def is_fine(stamp: Stamp) -> bool:
    """Tell whether a stamp is of a clock that moves on within ``TICK``."""
    return _last(stamp) % 1_000_000 != 0


def _last(stamp: Stamp) -> int:
    """Return the time of the last change, which nobody can set; where there is none, that of modification."""
    return stamp[CHANGED] if _POSIX else stamp[0]


def pack(stamps: Iterable[Stamp]) -> bytes:
    """Return stamps as bytes. One that does not fit, from before 1970 say, is then that of no file."""
    return array(_WORD, [word & _ALL for each in stamps for word in each]).tobytes()


def unpack(packed: bytes) -> list[Stamp]:
    """Return the stamps that were packed; ValueError where there is no whole number of them."""
    if len(packed) % (8 * WORDS):
        raise ValueError(len(packed))
    words = array(_WORD)
    words.frombytes(packed)
    each = iter(words)
    return list(zip(each, each, each, each, each, strict=True))


def are_same(folder: str, paths: str, packed: bytes) -> bool:
    """Tell whether each path below a folder has its stamp; a link is looked at itself, not followed.

    ``paths`` is one text, with a NUL between them, which no path holds.
    """
    prefix = _shortest(folder) + "/"
    places = (prefix + paths.replace("\0", "\0" + prefix)).split("\0") if packed else []
    if len(packed) != 8 * WORDS * len(places):
        return False
    words = array(_WORD)
    words.frombytes(packed)
    each = iter(words)
    try:
        return all(map(eq, map(stamp, map(os.lstat, places)), zip(each, each, each, each, each, strict=True)))
    except (OSError, ValueError):
        return False


def _shortest(folder: str) -> str:
    """Return a folder as it counts from the current one, if it lies there: the system then looks up less."""
    here = os.getcwd()
    return folder[len(here) + 1 :] if folder.startswith(here + "/") else folder
