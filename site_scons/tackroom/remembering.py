"""What a run leaves for the next one to go by: listings of folders, outlines and, last, the memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tackroom.atomic import sweep, write
from tackroom.folders import Folders
from tackroom.glance import Glance
from tackroom.judging import Judge
from tackroom.memory import Memory
from tackroom.packages.findings import Finding, Severity
from tackroom.paths import relative
from tackroom.staging import Run
from tackroom.work import EVERYTHING


@dataclass(frozen=True, slots=True)
class Remembering:
    """Writes it. ``inputs`` are those that the plan was made of; ``listed`` the folders looked at.

    ``complete``: every package could be had. A run that was narrowed, or is not complete, leaves no
    inputs, so the next one looks again.
    """

    look: Glance
    folders: Folders
    judge: Judge
    inputs: dict[str, str]
    listed: list[list[str]]
    complete: bool

    def is_news(self, run: Run) -> bool:
        """Tell whether there is anything to be written that the next run would be quicker by."""
        if not self.complete or run.selection != EVERYTHING:
            return False
        return bool(self._files()) or self._memory(run).text() != self.look.memory.text()

    def remember(self, run: Run) -> None:
        """Write it."""
        for path, content in self._files().items():
            write(Path(path), content)
        write(self.judge.path, self.judge.text)
        if self.complete:
            packages = [each.id for each in run.plan.packages]
            for path in (*self.folders.stale(), *self.judge.outlines.stale(packages)):
                Path(path).unlink(missing_ok=True)
        sweep(Path(self.look.path))
        write(Path(self.look.path), self._memory(run).text())

    def _files(self) -> dict[str, bytes]:
        return {**self.folders.texts(), **self.judge.outlines.texts()}

    def _memory(self, run: Run) -> Memory:
        is_whole = self.complete and run.selection == EVERYTHING
        others = (each for each in run.said if not run.is_selected(each))
        return Memory(
            inputs=self.inputs if is_whole else {},
            folder=run.state.folder.name,
            out=relative(run.place.out, run.place.folder),
            listed=self.listed,
            units={each.id: each.key for each in run.plan.units},
            said=[each.record() for each in sorted({*others, *run.read}, key=_by_text)],
            counts={each: _count(run.plan.findings, each) for each in (*run.plan.harnesses, "")},
            packages=len(run.plan.packages),
        )


def _by_text(finding: Finding) -> tuple[object, ...]:
    return finding.package, finding.path, finding.line, finding.harness, finding.code, finding.message


def _count(findings: Sequence[Finding], harness: str) -> dict[str, int]:
    found = [each.severity for each in set(findings) if each.harness == harness]
    return {str(each): found.count(each) for each in Severity if each in found}
