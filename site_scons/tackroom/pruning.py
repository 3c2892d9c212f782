"""Taking away what is ours and nothing in the plan makes any more. What was edited by hand stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from tackroom.codes import OutputFailed
from tackroom.files import edited
from tackroom.outputs import Place, Refused
from tackroom.ownership import Ownership
from tackroom.packages.findings import Finding
from tackroom.packages.names import same
from tackroom.records import Kept, outputs
from tackroom.work import Work
from tackroom.writing import problem


@dataclass
class Pruner:
    """Prunes once everything is staged; ``findings`` says what could not be taken away, or be recorded."""

    place: Place
    findings: list[Finding] = field(default_factory=list)

    def prune(self, work: Work, placed: AbstractSet[str]) -> dict[str, Kept]:
        """Delete what left the plan, and return what stays of it because it was edited.

        What is kept of what the run is not about stays kept, and so does what a killed run wrote until it
        is staged again: ``placed`` is what was.
        """
        gone = leaving(work)
        if not gone and not work.state.kept:
            return {}
        ours = _ours(work)
        folded = {same(path) for path in ours}
        leaves = {path: each for path, each in gone.items() if path not in ours}
        waiting = {path: each for path, each in _waiting(work, ours) if path not in placed}
        return waiting | dict(self._kept(leaves, folded))

    def _kept(self, leaves: Mapping[str, Kept], folded: set[str]) -> Iterator[tuple[str, Kept]]:
        for path, kept in leaves.items():
            if same(path) in folded and self._is_one_file(path):
                continue
            try:
                self.place.remove(path, kept.output)
            except Refused as refused:
                self.findings.append(refused.finding.at(harness=path.partition("/")[0]))
                yield path, Kept(kept.unit, edited(kept.output))
            except OSError as wrong:
                self.fail(self.place.shown(path), problem(wrong))
                yield path, kept

    def fail(self, output: str, problem: str, **at: str) -> None:
        """Take note of what failed, and is no part of what an item became."""
        self.findings.append(OutputFailed(output=output, problem=problem).at(**at))

    def _is_one_file(self, path: str) -> bool:
        """Tell whether the file system folds case, so that the old name leads to the new file."""
        target = self.place.out / path
        swapped = target.with_name(target.name.swapcase())
        return target.exists() and swapped.exists() and target.samefile(swapped)


def leaving(work: Work) -> dict[str, Kept]:
    """Return the files that were ours: of units that left, of items that changed, and what was kept.

    What the run is not about is none of its business.
    """
    gone: dict[str, Kept] = {}
    for unit in work.left:
        gone |= {path: Kept(unit, each) for path, each in work.state.owned(unit).items()}
    for unit, task in work.tasks.items():
        made = dict(outputs(task.records))
        owned = dict(outputs(task.known)) or work.state.owned(unit)
        gone |= {path: Kept(unit, each) for path, each in owned.items() if path not in made}
    return gone | work.kept


def _waiting(work: Work, ours: AbstractSet[str]) -> Iterator[tuple[str, Kept]]:
    """Yield what is kept and newer than what the record of a unit says, or is not of this run."""
    ownership = Ownership(work.state)
    for path, kept in work.state.kept.items():
        known = ownership.recorded(path) if path in ours else None
        is_news = known is None or known.digest != kept.output.digest
        if is_news if path in ours else path not in work.kept:
            yield path, kept


def _ours(work: Work) -> set[str]:
    """Return the paths that are ours from now on, of whatever unit."""
    heads = work.state.heads.all()
    rest = (head for unit, head in heads.items() if unit not in work.left and unit not in work.tasks)
    found = {path for head in rest for path in head.outputs}
    return found | {path for task in work.tasks.values() for path, _ in outputs(task.records)}
