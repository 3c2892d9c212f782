"""A second process for a long first run: it stages half of the packages while this one stages the rest.

It is a fork, so it has read everything already; where there is none, or threads are at work, one process
does it all. What it staged it records itself, a unit at a time, so nothing is lost whoever is killed; at
its end it tells what it found. What it did not come to is staged here.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import BinaryIO, NamedTuple

from tackroom.packages.findings import Finding
from tackroom.plan import Unit

ENOUGH = 100  # units: below that a run is over before a second process pays


class Told(NamedTuple):
    """What the second process tells at its end, besides what is in the records."""

    fresh: list[Finding]
    packages: set[str]
    rendered: dict[str, int]
    placed: set[str]


class Second(NamedTuple):
    """The second process at work on some units."""

    units: frozenset[str]
    process: int
    answer: BinaryIO

    def finish(self) -> Told | None:
        """Wait for its end, and return what it tells; None where it came to grief."""
        import pickle

        with self.answer:
            said = self.answer.read()
        os.waitpid(self.process, 0)
        try:
            told = pickle.loads(said)  # noqa: S301 - from a process of our own, through a pipe of our own
        except (EOFError, pickle.UnpicklingError):
            return None
        return told if isinstance(told, Told) else None


def start(units: Sequence[Unit], stage: Callable[[Iterable[Unit]], Told]) -> Second | None:
    """Let a second process stage half of the packages, if there is enough to do and a processor for it.

    They were never staged, so there is nothing of theirs that might have to be kept or taken away.
    """
    packages = list(dict.fromkeys(each.package for each in units if each.package))
    mine = frozenset(packages[len(packages) // 2 :])
    theirs = [each for each in units if each.package in mine]
    if len(units) < ENOUGH or len(packages) < 2 or not _can_fork():  # noqa: PLR2004 - two halves
        return None
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return Second(frozenset(each.id for each in theirs), process, os.fdopen(reading, "rb"))
    try:
        import pickle

        os.close(reading)
        told = pickle.dumps(stage(theirs))
        with os.fdopen(writing, "wb") as answer:
            answer.write(told)
    finally:
        os._exit(0)  # none of SCons' own ends happen twice


def _can_fork() -> bool:
    """Tell whether a fork is safe, and there is a processor for it."""
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return False
    available = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
    return len(available) > 1
