"""Ownership that outlives a run which never came to its end.

The record of a unit is written when all of it is staged. Until then each file that is about to be written
is noted here first, with its digest, so that the next run knows it for ours, whatever killed this one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from tackroom.state import Output, State, digest, stamp


@dataclass(slots=True)
class Journal:
    """The notes of one run."""

    path: Path
    _lock: Lock = field(default_factory=Lock, repr=False)
    _notes: BinaryIO | None = field(default=None, repr=False)

    def note(self, files: Iterable[tuple[str, str]]) -> None:
        """Note files before they are written, each with its digest, in one go.

        A line is whole or, at the very end, torn and then ignored.
        """
        lines = "".join(f"{content} {path}\n" for path, content in files)
        with self._lock:
            if lines and self._notes is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._notes = self.path.open("ab", buffering=0)
            if lines and self._notes:
                self._notes.write(lines.encode(errors="surrogateescape"))

    def forget(self) -> None:
        """Drop the notes: the record says it all now."""
        if self._notes:
            self._notes.close()
            self._notes = None
        self.path.unlink(missing_ok=True)


def adopt(state: State, out: Path) -> None:
    """Take what a run noted and wrote, but never sealed, for ours; only what still has the noted digest."""
    with contextlib.suppress(FileNotFoundError):
        for line in state.journal.read_bytes().splitlines(keepends=True):
            noted, _, path = line.decode(errors="surrogateescape").partition(" ")
            found = _as_noted(out / path.removesuffix("\n"), noted) if path.endswith("\n") else None
            if found:
                state.kept[path.removesuffix("\n")] = found


def _as_noted(target: Path, noted: str) -> Output | None:
    now = stamp(target)
    if now is None:
        return None
    with contextlib.suppress(OSError):
        if digest(target.read_bytes()) == noted:
            return Output(noted, os.access(target, os.X_OK), now)
    return None
