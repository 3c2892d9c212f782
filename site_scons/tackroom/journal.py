"""Ownership that outlives a run which never came to its end.

The record is written once, when a run is sealed. Until then each file that is about to be written is
noted here first, with its digest, so that the next run knows it for ours, whatever killed this one.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from tackroom.state import Output, State, digest, stamp


@dataclass(slots=True)
class Journal:
    """The notes of one run, beside its record."""

    path: Path
    lock: Lock = field(default_factory=Lock, repr=False)

    def note(self, path: str, content_digest: str) -> None:
        """Note a file before it is written; a line is whole or, at the very end, torn and then ignored."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = f"{content_digest} {path}\n".encode(errors="surrogateescape")
        with self.lock, self.path.open("ab", buffering=0) as notes:
            notes.write(line)

    def forget(self) -> None:
        """Drop the notes: the record says it all now."""
        self.path.unlink(missing_ok=True)


def of(record: Path) -> Journal:
    """Return the journal that belongs to a record."""
    return Journal(record.with_suffix(".journal"))


def adopt(state: State, out: Path) -> None:
    """Take what a run noted and wrote, but never sealed, for ours; only what still has the noted digest."""
    with contextlib.suppress(FileNotFoundError):
        for line in of(state.path).path.read_bytes().splitlines(keepends=True):
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
