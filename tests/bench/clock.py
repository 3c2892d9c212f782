"""What commands cost: CPU of a process and its children, peak memory, time; the median of some runs.

Commands that are compared are run in turns, so that a machine which becomes slower does so for all of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

STOPWATCH = Path(__file__).with_name("stopwatch.py")
TOLD = 1500  # characters of what a command that failed said
MIB = 1 << 20


class Failed(Exception):
    """A command that did not do what was to be measured; says why."""


@dataclass(frozen=True)
class Task:
    """A command in a folder, and what is done before each run of it."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    prepare: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Figures:
    """What a command costs: ``cpu`` and ``wall`` in seconds, medians; ``peak`` in MiB, the most of all."""

    cpu: float
    wall: float
    peak: float


def rounds(tasks: Mapping[str, Task], runs: int) -> dict[str, Figures]:
    """Run several commands in turns, each as often, after one run of each that does not count.

    That one compiles Python's byte code and brings the files into the system's cache.
    """
    for each in tasks.values():
        once(each)
    taken: dict[str, list[Figures]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, task in tasks.items():
            taken[name].append(once(task))
    return {name: _middle(found) for name, found in taken.items()}


def once(task: Task) -> Figures:
    """Run a command once; raise Failed where it fails."""
    if not (found := shutil.which(task.command[0])):
        raise Failed(f"'{task.command[0]}' is not there")
    task.prepare()
    with tempfile.TemporaryDirectory(prefix="clock-") as place:
        report, said = Path(place, "report"), Path(place, "said")
        watch = [sys.executable, "-I", "-S", str(STOPWATCH), str(report), found, *task.command[1:]]
        with said.open("wb") as out:  # a file: a pipe would have to be read while the clock runs
            done = subprocess.run(
                watch,
                cwd=task.folder,
                env=task.environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        if done.returncode:
            text = said.read_text(encoding="utf-8", errors="replace")[-TOLD:]
            raise Failed(f"'{' '.join(task.command)}' ended with {done.returncode}:\n{text}")
        cpu, wall, peak = map(float, report.read_text(encoding="ascii").split())
    return Figures(cpu, wall, peak / MIB)


def _middle(found: Sequence[Figures]) -> Figures:
    return Figures(
        median(each.cpu for each in found),
        median(each.wall for each in found),
        max(each.peak for each in found),
    )
