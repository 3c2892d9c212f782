"""One run at a time in one OUT: the second waits, says for what, and then does what is left.

The system gives a dead owner's lock back, so nobody waits for that.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(slots=True)
class Turn:
    """The right to write into one OUT and its record; the lock lies beside ``record``, and stays there."""

    record: Path
    shown: str
    say: Callable[[str], None]
    _lock: Any = field(default=None, repr=False)

    def take(self) -> bool:
        """Take the turn, unless it is taken; tell whether that meant to wait."""
        if self._lock is not None:
            return False
        from filelock import FileLock, Timeout

        self.record.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.record.with_suffix(".lock"))
        try:
            lock.acquire(timeout=0)
            waited = False
        except Timeout:
            self.say(f"waiting for {self._whose()}, which stages into '{self.shown}'")
            lock.acquire()
            waited = True
        self._lock = lock
        with contextlib.suppress(OSError):  # a full disk stops nobody who waits
            self._owner.write_text(f"{os.getpid()}\n", encoding="ascii")
        return waited

    def give_back(self) -> None:
        """Let the next run go on."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def _owner(self) -> Path:
        return self.record.with_suffix(".owner")

    def _whose(self) -> str:
        try:
            return f"process {int(self._owner.read_text(encoding='ascii'))}"
        except (OSError, ValueError):
            return "another process"
