"""Outputs as they are on the disk, against what was written there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from xxhash import xxh3_128_hexdigest

from tackroom.atomic import MODES
from tackroom.packages.stamps import NEVER, SIZE, Stamp
from tackroom.packages.stamps import stamp as stamp_of
from tackroom.records import Output


def stamp(path: Path | str) -> Stamp | None:
    """Return the stat that is remembered of a regular file; None where none is there."""
    found = _status(path)
    return stamp_of(found) if found else None


def digest(content: bytes) -> str:
    """Return the digest by which outputs are known."""
    return xxh3_128_hexdigest(content)


def seen(path: Path, output: Output, *, verify: bool = False) -> Output | None:
    """Return an output as it is now, where it is as it was written, else None.

    It is read only where its stat says something else, or where ``verify`` asks for that.
    """
    found = _status(path)
    if found is None or not has_mode(found.st_mode, executable=output.executable):
        return None
    now = stamp_of(found)
    if now == output.stamp and not verify:
        return output
    if now[SIZE] != output.stamp[SIZE] and output.stamp != NEVER:
        return None
    return (
        Output(output.digest, output.executable, now) if digest(path.read_bytes()) == output.digest else None
    )


def is_unedited(path: Path, output: Output, *, verify: bool = False) -> bool:
    """Tell whether a file holds what was written, whatever became of its mode."""
    now = stamp(path)
    is_same = now == output.stamp and not verify
    return now is not None and (is_same or digest(path.read_bytes()) == output.digest)


def edited(output: Output) -> Output:
    """Return an output that was edited: whatever its stat, the next run has to look at its content."""
    return output._replace(stamp=NEVER)


def _status(path: Path | str) -> os.stat_result | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):  # no system holds a name with a NUL in it
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def is_there(path: Path | str) -> bool:
    """Tell whether there is something at a path. Raise OSError where that cannot be told."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last: a name with a NUL in it
        return False
    return True


def has_mode(mode: int, *, executable: bool) -> bool:
    """Tell whether a file has the mode that we give; Windows has none to compare."""
    return os.name == "nt" or stat.S_IMODE(mode) == MODES[executable]
