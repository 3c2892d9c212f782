"""A row of the benchmark, and all of them as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

HEAD = "| work | ratio | bar | | CPU s | limit s | MiB | |\n|---|--:|--:|---|--:|--:|--:|---|"


@dataclass(frozen=True)
class Row:
    """What was measured: ``cpu`` and ``limit`` in seconds, ``peak`` in MiB; ``most``: MiB allowed, 0: any.

    ``problem``: something that is wrong beside the figures. ``note``: something to know.
    """

    work: str
    cpu: float
    limit: float
    bar: float
    peak: float = 0
    most: float = 0
    problem: str = ""
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times its limit the work costs."""
        return self.cpu / self.limit

    @property
    def is_met(self) -> bool:
        """Tell whether the work is within its bars."""
        return self.ratio <= self.bar and not (self.most and self.peak > self.most) and not self.problem

    def cells(self) -> Iterator[str]:
        """Yield the row's cells."""
        yield from (self.work, f"{self.ratio:.2f}", f"{self.bar:g}", "ok" if self.is_met else "MISSED")
        yield from (_seconds(self.cpu), _seconds(self.limit), self._memory())
        yield "; ".join(filter(None, (self.problem, self.note)))

    def _memory(self) -> str:
        return f"{self.peak:.0f}" + (f" of {self.most:g}" if self.most else "") if self.peak else ""


@dataclass(frozen=True)
class Unmeasured:
    """Work that was not measured, and why. ``is_failure``: it should have been."""

    work: str
    why: str
    is_failure: bool = True

    def cells(self) -> Iterator[str]:
        """Yield the row's cells."""
        yield from (self.work, "", "", "not measured" if self.is_failure else "", "", "", "", self.why)


def line(row: Row | Unmeasured) -> str:
    """Return a row as a line of the table."""
    return "| " + " | ".join(each.replace("\n", " ").replace("|", "/") for each in row.cells()) + " |"


def status(rows: Iterable[Row | Unmeasured]) -> int:
    """Return the exit status: 1 a bar missed, 2 something could not be measured, else 0."""
    found = list(rows)
    if any(isinstance(each, Row) and not each.is_met for each in found):
        return 1
    return 2 if any(isinstance(each, Unmeasured) and each.is_failure for each in found) else 0


def _seconds(value: float) -> str:
    """Return seconds; a slope has only millionths of them."""
    return f"{value:.3f}" if value >= 0.001 else f"{value * 1e6:.2f}e-6"
