"""Taking away what is ours and nothing in the plan makes any more. What was edited by hand stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from tackroom.codes import OutputFailed
from tackroom.outputs import Place, Refused
from tackroom.packages.findings import Finding
from tackroom.packages.names import same
from tackroom.state import Output, edited, outputs
from tackroom.work import Work
from tackroom.writing import problem


@dataclass
class Pruner:
    """Prunes once everything is staged; ``findings`` says what could not be taken away, or be recorded."""

    place: Place
    findings: list[Finding] = field(default_factory=list)

    def prune(self, work: Work, placed: AbstractSet[str]) -> dict[str, Output]:
        """Delete what left the plan, and return what stays of it because it was edited.

        What a killed run wrote stays kept until it is staged again: ``placed`` is what was.
        """
        gone = leaving(work)
        if not gone:
            return {}
        ours = _ours(work)
        folded = {same(path) for path in ours}
        leaves = {path: each for path, each in gone.items() if path not in ours}
        waiting = work.state.kept.keys() & ours - placed
        return {path: gone[path] for path in sorted(waiting)} | dict(self._kept(leaves, folded))

    def _kept(self, leaves: Mapping[str, Output], folded: set[str]) -> Iterator[tuple[str, Output]]:
        for path, output in leaves.items():
            if same(path) in folded and self._is_one_file(path):
                continue
            try:
                self.place.remove(path, output)
            except Refused as refused:
                self.findings.append(refused.finding.at(harness=path.partition("/")[0]))
                yield path, edited(output)
            except OSError as wrong:
                failed = OutputFailed(output=self.place.shown(path), problem=problem(wrong))
                self.findings.append(failed)
                yield path, output

    def _is_one_file(self, path: str) -> bool:
        """Tell whether the file system folds case, so that the old name leads to the new file."""
        target = self.place.out / path
        swapped = target.with_name(target.name.swapcase())
        return target.exists() and swapped.exists() and target.samefile(swapped)


def leaving(work: Work) -> dict[str, Output]:
    """Return the files that were ours: of units that left, of items that changed, and what was kept."""
    gone: dict[str, Output] = {}
    for unit in work.left:
        gone |= dict(outputs(work.state.records(unit)))
    for task in work.tasks.values():
        made = dict(outputs(task.records))
        gone |= {path: each for path, each in outputs(task.known) if path not in made}
    return gone | work.state.kept


def _ours(work: Work) -> set[str]:
    """Return the paths that are ours from now on, of whatever unit."""
    heads = work.state.heads.all()
    rest = (head for unit, head in heads.items() if unit not in work.left and unit not in work.tasks)
    found = {path for head in rest for path in head.outputs}
    return found | {path for task in work.tasks.values() for path, _ in outputs(task.records)}
