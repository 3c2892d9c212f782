"""Ownership that outlives a run which never came to its end.

The record of a unit is written when all of it is staged. Until then each file that is about to be written
is noted here first, with its digest, so that the next run knows it for ours, whatever killed this one.
The process is noted too: what it left half written beside a file is known by its number.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO, NamedTuple

from tackroom.atomic import beside, is_beside
from tackroom.files import digest, stamp
from tackroom.outputs import Place
from tackroom.ownership import Ownership
from tackroom.records import Kept, Output
from tackroom.state import State


@dataclass(slots=True)
class Journal:
    """The notes of one run."""

    path: Path
    _lock: Lock = field(default_factory=Lock, repr=False)
    _notes: BinaryIO | None = field(default=None, repr=False)

    def note(self, unit: str, files: Iterable[tuple[str, str]]) -> None:
        """Note files of a unit before they are written, each with its digest, in one go.

        A line is whole, or torn and then ignored. What is noted starts on a line of its own, since a
        killed run, or a disk that was full, may have left a torn one.
        """
        process = os.getpid()
        lines = "".join(f"{content}\t{process}\t{unit}\t{path}\n" for path, content in files)
        with self._lock:
            if lines and self._notes is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._notes = self.path.open("ab", buffering=0)
            if lines and self._notes:
                self._write(f"\n{lines}".encode(errors="surrogateescape"))

    def _write(self, raw: bytes) -> None:
        """Write all of it; without a buffer the system may take a part."""
        while raw and self._notes:
            raw = raw[self._notes.write(raw) :]

    def forget(self) -> None:
        """Drop the notes: the record says it all now."""
        if self._notes:
            self._notes.close()
            self._notes = None
        self.path.unlink(missing_ok=True)


class _Note(NamedTuple):
    digest: str
    process: int
    unit: str
    path: str


def _notes(state: State) -> Iterator[_Note]:
    """Yield what was noted by runs that never came to their end."""
    try:
        lines = state.journal.read_bytes().split(b"\n")[:-1]
    except OSError:  # there is none; what is no file cannot be written to either, and is said then
        return
    for line in lines:
        parts = line.decode(errors="surrogateescape").split("\t", 3)
        if len(parts) == len(_Note._fields) and parts[1].isdecimal():
            yield _Note(parts[0], int(parts[1]), *parts[2:])


def adopt(state: State, out: Path) -> None:
    """Take what a run noted and wrote, but never sealed, for ours; only what still has the noted digest.

    It is newer than what the record of its unit says, and stands instead of that among what is kept.
    """
    ownership = Ownership(state)
    for note in _notes(state):
        found = _as_noted(out / note.path, note.digest)
        known = ownership.recorded(note.path) if found else None
        if known and known.digest == note.digest:
            state.kept.pop(note.path, None)
        elif found:
            state.kept[note.path] = Kept(note.unit, found)


def _as_noted(target: Path, noted: str) -> Output | None:
    now = stamp(target)
    if now is None:
        return None
    with contextlib.suppress(OSError):
        if digest(target.read_bytes()) == noted:
            return Output(noted, os.access(target, os.X_OK), now)
    return None


def half_written(state: State, out: Path) -> list[Path]:
    """Return the files that killed runs left beside the noted ones."""
    found = (beside(out / note.path, note.process) for note in _notes(state))
    return [each for each in found if os.path.lexists(each)]


def sweep(state: State, place: Place) -> None:
    """Take away what killed runs left half written, or a folder that they made for nothing.

    Only in one's turn: whoever has it is the only one who writes there.
    """
    for note in _notes(state):
        place.tidy(note.path, beside(place.out / note.path, note.process).name)
    for folder, _, names in os.walk(state.folder):
        for name in filter(is_beside, names):
            Path(folder, name).unlink(missing_ok=True)
