"""One run: which items of a plan are stale, staging each of them, and sealing what was done.

Staging an item records what it finds and never fails, so that one bad artifact stops nothing else.
Sealing takes away what left the plan and writes the record; the verdict says whether the run failed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from tackroom.codes import OutputFailed
from tackroom.harnesses.contract import Staged
from tackroom.journal import Journal, of
from tackroom.outputs import Place, Refused
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, Severity
from tackroom.packages.names import same
from tackroom.packages.tree import join
from tackroom.plan import Item, Plan
from tackroom.state import ABOUT, Output, Record, State, digest, is_intact


@dataclass(frozen=True, slots=True)
class Selection:
    """What a run is narrowed to; None is everything. Nothing outside of it is staged or pruned."""

    harnesses: frozenset[str] | None = None
    packages: frozenset[str] | None = None

    def holds(self, harness: str, package: str) -> bool:
        """Tell whether a package's part in a harness is selected; a shared file goes with its harness."""
        in_harness = self.harnesses is None or harness in self.harnesses
        key = package.partition(".")[0]
        return in_harness and (
            self.packages is None or not package or package in self.packages or key in self.packages
        )

    def has(self, record: Record) -> bool:
        """Tell whether what an item became is selected."""
        return self.holds(record.about["harness"], record.about["package"])


@dataclass
class Run:
    """A plan on its way to the disk. ``done`` holds the records of the items staged in this run."""

    plan: Plan
    state: State
    place: Place
    selection: Selection = Selection()
    done: dict[str, Record] = field(default_factory=dict)
    pruned: list[Finding] = field(default_factory=list)
    news: frozenset[Finding] = field(init=False)

    def __post_init__(self) -> None:
        """Keep what was found while reading and is in no record yet, before a seal puts it there."""
        self.news = frozenset(self.read()) - frozenset(self.state.found)

    @cached_property
    def journal(self) -> Journal:
        """What is noted of this run until it is sealed."""
        return of(self.state.path)

    @cached_property
    def known(self) -> dict[str, Output]:
        """Every file that is ours by the record, by its path from OUT."""
        return dict(self.state.outputs())

    # --- what is to be done

    @cached_property
    def stale(self) -> dict[str, str]:
        """The ids of the items to be staged, each with the reason."""
        reasons = ((item.id, self._why(item)) for item in self.selected())
        return {each: why for each, why in reasons if why}

    def selected(self) -> Iterator[Item]:
        """Yield the plan's items that this run is about."""
        return (each for each in self.plan.items if self.selection.holds(each.harness, each.package))

    def _why(self, item: Item) -> str:
        record = self.state.records.get(item.id)
        if record is None:
            return "it was not staged before"
        if record.key != item.key:
            return "its sources, its name or tackroom itself changed"
        for path, output in record.outputs.items():
            if not is_intact(self.place.out / path, output):
                return f"'{self.place.shown(path)}' is not as it was staged"
        return ""

    def left(self) -> dict[str, Record]:
        """Return the records of what left the plan, as far as this run is about it."""
        planned = {item.id for item in self.plan.items}
        return {
            key: record
            for key, record in self.state.records.items()
            if key not in planned and self.selection.has(record)
        }

    def is_needed(self) -> bool:
        """Tell whether there is anything to do."""
        return bool(self.stale or self.left() or self.state.kept or self.news or not self._is_stamped())

    def _is_stamped(self) -> bool:
        return all(self.state.stamp(each).is_file() for each in self.plan.harnesses)

    # --- staging

    def stage(self, item: Item) -> None:
        """Stage one item. What goes wrong becomes a finding of its record."""
        outputs: dict[str, Output] = {}
        findings = list(item.findings)
        try:
            for each in item.render():
                if isinstance(each, Finding):
                    findings.append(each)
                else:
                    outputs |= self._put(item, each, findings)
        except Exception as wrong:  # noqa: BLE001 - one bad artifact must not stop the others
            output = self.place.shown(join(item.harness, item.path))
            findings.append(OutputFailed(output=output, problem=_problem(wrong)))
        self.done[item.id] = self._record(item, outputs, findings)

    def _put(self, item: Item, staged: Staged, findings: list[Finding]) -> dict[str, Output]:
        path = join(item.harness, join(item.folder, staged.path))
        known = self.known.get(path)
        try:
            content = staged.content if isinstance(staged.content, bytes) else staged.content.load()
            return {path: self._written(path, content, executable=staged.executable)}
        except Refused as refused:
            findings.append(refused.finding)
        except (OSError, TackroomError) as wrong:
            findings.append(OutputFailed(output=self.place.shown(path), problem=_problem(wrong)))
        return {path: known} if known else {}

    def _written(self, path: str, content: bytes, *, executable: bool) -> Output:
        """Write one file, if need be in place of a folder of ours, or of a file where its folder belongs."""
        known = self.known.get(path)
        if not known or known.digest != digest(content):
            self.journal.note(path, digest(content))
        try:
            return self.place.put(path, content, executable=executable, known=known)
        except Refused:
            if not self._make_room(path):
                raise
            return self.place.put(path, content, executable=executable, known=known)

    def _make_room(self, path: str) -> bool:
        """Take away what is ours and unedited and leaves no room for a file; tell whether there was any."""
        old = [each for each in self.known if path.startswith(each + "/") or each.startswith(path + "/")]
        for each in old:
            self.place.remove(each, self.known[each])
        return bool(old)

    def _record(self, item: Item, outputs: Mapping[str, Output], findings: Iterable[Finding]) -> Record:
        at = {"package": item.package, "commit": item.commit, "harness": item.harness, "path": item.source}
        said = tuple(dict.fromkeys(each.at(**at) for each in findings))
        failed = any(each.severity is Severity.ERROR for each in said)
        return Record("" if failed else item.key, outputs, said, about(item))

    # --- sealing

    def seal(self) -> None:
        """Take away what left the plan and write the record."""
        gone = self.left()
        records = {key: each for key, each in self.state.records.items() if key not in gone} | self.done
        ours = {path for record in records.values() for path in record.outputs}
        self.state.kept = dict(self._prune(ours))
        self.state.records = records
        others = (each for each in self.state.found if not self._is_selected(each))
        self.state.found = tuple(sorted({*others, *self.read()}, key=_by_place))
        self.state.save()
        self.journal.forget()

    def _prune(self, ours: set[str]) -> Iterator[tuple[str, Output]]:
        """Delete what is no longer ours, and yield what was edited and so stays."""
        folded = {same(path) for path in ours}
        for path, output in self.known.items():
            if path in ours or (same(path) in folded and self._is_one_file(path)):
                continue
            try:
                self.place.remove(path, output)
            except Refused as refused:
                self.pruned.append(refused.finding.at(harness=path.partition("/")[0]))
                yield path, output
            except OSError as wrong:
                problem = _problem(wrong)
                self.pruned.append(OutputFailed(output=self.place.shown(path), problem=problem))
                yield path, output

    def _is_one_file(self, path: str) -> bool:
        """Tell whether the file system folds case, so that the old name leads to the new file."""
        target = self.place.out / path
        swapped = target.with_name(target.name.swapcase())
        return target.exists() and swapped.exists() and target.samefile(swapped)

    # --- what there is to say

    def findings(self) -> list[Finding]:
        """Return every finding of the selection: of reading, of each item, of sealing; sorted by place."""
        read = self.read()
        staged = (f for record in self.records().values() for f in record.findings)
        return sorted({*read, *staged, *self.pruned}, key=_by_place)

    def fresh_findings(self) -> list[Finding]:
        """Return the findings of what was staged in this run, and of reading the packages it belongs to.

        What was found while reading and was not there at the last run is said, whatever was staged.
        """
        done = {record.about["package"] for record in self.done.values()}
        read = [each for each in self.read() if each.package in done or each in self.news]
        staged = (f for record in self.done.values() for f in record.findings)
        return sorted({*read, *staged, *self.pruned}, key=_by_place)

    def read(self) -> list[Finding]:
        """Return what was found while the packages were read and the rules applied."""
        return [each for each in self.plan.findings if self._is_selected(each)]

    def _is_selected(self, finding: Finding) -> bool:
        harness = finding.harness or next(iter(self.selection.harnesses or self.plan.harnesses), "")
        return self.selection.holds(harness, finding.package)

    def records(self) -> dict[str, Record]:
        """Return the records of the selected items as they are now."""
        known = self.state.records | self.done
        return {each.id: known[each.id] for each in self.selected() if each.id in known}


def about(item: Item) -> dict[str, str]:
    """Return what a report says of an item."""
    return {name: str(getattr(item, name)) for name in ABOUT}


def _by_place(finding: Finding) -> tuple[object, ...]:
    return (finding.package, finding.path, finding.line, finding.harness, finding.code, finding.message)


def _problem(wrong: Exception) -> str:
    if isinstance(wrong, OSError):
        return (wrong.strerror or str(wrong)).lower()
    return str(wrong) if isinstance(wrong, TackroomError) else f"{type(wrong).__name__}: {wrong}"


def tree_digest(run: Run, harness: str) -> str:
    """Return the digest of all that is staged for a harness: paths, modes and contents."""
    records = (each for each in run.state.records.values() if each.about["harness"] == harness)
    rows = sorted(
        (path, output.executable, output.digest) for each in records for path, output in each.outputs.items()
    )
    return digest(json.dumps(rows).encode())
