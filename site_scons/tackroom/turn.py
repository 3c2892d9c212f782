"""One run at a time in one OUT: the second waits, says for what, and then does what is left.

The system gives a dead owner's lock back, so nobody waits for that. A process that helps the owner has a lock
of its own, since it may outlive it: it is waited for as well.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_OTHER = "another process"


@dataclass(slots=True)
class Turn:
    """The right to write into one OUT and its record; the lock lies beside ``record``, and stays there."""

    record: Path
    shown: str
    say: Callable[[str], None]
    _lock: Any = field(default=None, repr=False)
    _shared: Any = field(default=None, repr=False)
    _process: int = 0

    def take(self) -> bool:
        """Take the turn, unless it is taken; tell whether that meant to wait."""
        if self._lock is not None:
            return False
        self.record.parent.mkdir(parents=True, exist_ok=True)
        self._lock, waited = self._acquire(self.record.with_suffix(".lock"), self._whose)
        if self._helpers.exists():
            helper, helped = self._acquire(self._helpers, lambda: _OTHER)
            helper.release()
            waited |= helped
        self._process = os.getpid()
        with contextlib.suppress(OSError):  # a full disk stops nobody who waits
            self._sign()
        return waited

    def _sign(self) -> None:
        """Write down whose turn it is, over what is there: a file that is emptied first may be flushed."""
        file = os.open(self._owner, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.write(file, f"{self._process:<20}\n".encode())
        finally:
            os.close(file)

    def help(self) -> bool:
        """Share the turn, in a process that its owner forked; tell whether the owner still has it.

        Once it is shared the next run waits for this process too, so the owner may die.
        """
        # the owner's lock is the owner's to release, so it is not let go of here
        self._shared, _ = self._acquire(self._helpers, lambda: _OTHER)
        return os.getppid() == self._process

    def _acquire(self, path: Path, whose: Callable[[], str]) -> tuple[Any, bool]:
        from filelock import FileLock, Timeout

        lock = FileLock(path, thread_local=False)  # any thread may have to give it back
        try:
            lock.acquire(timeout=0)
        except Timeout:
            self.say(f"waiting for {whose()}, which stages into '{self.shown}'")
            lock.acquire()
            return lock, True
        return lock, False

    def give_back(self) -> None:
        """Let the next run go on."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def _helpers(self) -> Path:
        return self.record.with_suffix(".helper")

    @property
    def _owner(self) -> Path:
        return self.record.with_suffix(".owner")

    def _whose(self) -> str:
        try:
            return f"process {int(self._owner.read_text(encoding='ascii'))}"
        except (OSError, ValueError):
            return _OTHER
