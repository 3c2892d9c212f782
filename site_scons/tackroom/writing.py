"""Rendering items and putting their files in place, a batch at a time: noted first, then written.

What goes wrong becomes a finding of the item's record; the other items are staged all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock

from tackroom.codes import OutputFailed
from tackroom.files import digest, edited
from tackroom.harnesses.contract import Staged
from tackroom.journal import Journal
from tackroom.outputs import Place, Refused
from tackroom.ownership import Ownership
from tackroom.packages.errors import TackroomError, reason
from tackroom.packages.findings import Finding, Severity
from tackroom.packages.stamps import NEVER
from tackroom.packages.tree import join
from tackroom.plan import Item
from tackroom.records import OWN_FILES, Output, Record, Records, outputs
from tackroom.second import Told
from tackroom.work import about

_BATCH = 4 << 20  # bytes that may be rendered before they are noted and written


@dataclass(slots=True)
class _Made:
    """What an item became before it is written.

    ``files`` by their path from OUT, with their content, its digest, and whether they may be executed;
    ``size`` counts their bytes. ``lost`` are those that could not be read.
    """

    item: Item
    why: str
    findings: list[Finding]
    files: list[tuple[str, bytes, str, bool]] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    size: int = 0

    @property
    def paths(self) -> list[str]:
        """Return the paths of its files, read or not."""
        return [*self.lost, *(path for path, *_ in self.files)]


@dataclass
class Writer:
    """Stages items.

    ``fresh`` are the findings of what it staged, ``rendered`` counts the artifacts, ``placed`` are the
    paths at which something was kept.
    """

    place: Place
    journal: Journal
    ownership: Ownership
    fresh: list[Finding] = field(default_factory=list)
    packages: set[str] = field(default_factory=set)
    rendered: Counter[str] = field(default_factory=Counter)
    placed: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def stage(self, unit: str, items: Iterable[tuple[Item, str]], before: Records) -> Records:
        """Stage items of a unit, each for a reason, and return their records; ``before`` is what it has."""
        records: Records = {}
        known = dict(outputs(before))
        for batch in _batches(self._made(*each, before) for each in items):
            self._note(unit, batch, known)
            made = [(each.item, self._record(each, known)) for each in batch]
            records.update((item.id, record) for item, record in made)
            self._count(made)
        return records

    def add(self, told: Told) -> None:
        """Count what another process staged as staged here."""
        self.fresh += told.fresh
        self.packages |= told.packages
        self.rendered.update(told.rendered)
        self.placed |= told.placed

    def _count(self, made: Iterable[tuple[Item, Record]]) -> None:
        """Count what was staged, and keep what is to be said of it."""
        with self._lock:
            for item, record in made:
                self.fresh += record.findings
                self.packages.add(item.package)
                is_made = record.outputs and record.parts and item.kind not in OWN_FILES
                self.rendered[item.harness] += bool(is_made)

    def _note(self, unit: str, batch: Iterable[_Made], known: Mapping[str, Output]) -> None:
        """Note what is about to be written; what cannot be noted is not written."""
        try:
            self.journal.note(unit, ((path, found) for each in batch for path, _, found, _ in each.files))
            self.ownership.take(unit, (path for each in batch for path in each.paths if path not in known))
        except OSError as wrong:
            shown = self.place.shown_here(self.journal.path)
            for each in batch:
                each.findings.append(OutputFailed(output=shown, problem=problem(wrong)))
                each.lost += [path for path, *_ in each.files]
                each.files.clear()

    def _made(self, item: Item, why: str, before: Records) -> _Made:
        made = _Made(item, why, list(item.findings))
        try:
            for each in item.render():
                if isinstance(each, Finding):
                    made.findings.append(each)
                else:
                    self._load(made, each)
        except Exception as wrong:  # noqa: BLE001 - one bad artifact must not stop the others
            output = self.place.shown(join(item.harness, item.path))
            made.findings.append(OutputFailed(output=output, problem=problem(wrong)))
            if item.id in before:  # the rest of what it was stays until it can be made again
                made.lost += before[item.id].outputs.keys() - set(made.paths)
        return made

    def _load(self, made: _Made, staged: Staged) -> None:
        path = join(made.item.harness, join(made.item.folder, staged.path))
        try:
            content = staged.content if isinstance(staged.content, bytes) else staged.content.load()
            made.files.append((path, content, digest(content), staged.executable))
            made.size += len(content)
        except (OSError, TackroomError) as wrong:
            made.findings.append(OutputFailed(output=self.place.shown(path), problem=problem(wrong)))
            made.lost.append(path)

    def _record(self, made: _Made, known: Mapping[str, Output]) -> Record:
        """Write what an item became, and return its record."""
        ours: dict[str, Output] = {}
        kept = self.ownership.kept
        for path in made.lost:
            if there := kept(path) or known.get(path):
                ours[path] = there
        for path, content, found, executable in made.files:
            before = kept(path) or known.get(path) or self.ownership.recorded(path)
            if now := self._written(made, path, content, Output(found, executable, NEVER), before):
                ours[path] = now
        self.placed |= self.ownership.kept_paths & ours.keys()
        return self._said(made, ours)

    def _written(
        self, made: _Made, path: str, content: bytes, wanted: Output, known: Output | None
    ) -> Output | None:
        """Write one file; return what is there of ours then."""
        try:
            return self._put(path, content, wanted, known)
        except Refused as refused:
            made.findings.append(refused.finding)
            return edited(known) if known else None
        except OSError as wrong:
            made.findings.append(OutputFailed(output=self.place.shown(path), problem=problem(wrong)))
        return known

    def _put(self, path: str, content: bytes, wanted: Output, known: Output | None) -> Output:
        """Write a file, if need be over another unit's, or in place of files of ours that leave no room."""
        try:
            return self.place.put(path, content, wanted, known)
        except Refused:
            if not self._make_room(path):
                raise
            return self.place.put(path, content, wanted, known)

    def _make_room(self, path: str) -> bool:
        """Take away what is ours and unedited and leaves no room for a file; tell whether there was any."""
        old = self.ownership.around(path)
        for each in old:
            if output := self.ownership.output(each):
                self.place.remove(each, output)
        return bool(old)

    def _said(self, made: _Made, written: Mapping[str, Output]) -> Record:
        item = made.item
        said = _placed(made.findings, item) if made.findings else ()
        failed = any(each.severity is Severity.ERROR for each in said) if said else False
        return Record({} if failed else item.parts, written, said, about(item), made.why)


def _placed(findings: Iterable[Finding], item: Item) -> tuple[Finding, ...]:
    """Return findings with the place where an item comes from, each once."""
    at = {"package": item.package, "commit": item.commit, "harness": item.harness, "path": item.source}
    said = [each.at(**at) for each in findings]
    return tuple(dict.fromkeys(said) if len(said) > 1 else said)


def _batches(made: Iterable[_Made]) -> Iterator[list[_Made]]:
    """Yield what was made in lists that are not too large to be held."""
    batch: list[_Made] = []
    size = 0
    for each in made:
        batch.append(each)
        size += each.size
        if size > _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def problem(wrong: Exception) -> str:
    """Return what went wrong in a few words."""
    if isinstance(wrong, OSError):
        return reason(wrong)
    return str(wrong) if isinstance(wrong, TackroomError) else f"{type(wrong).__name__}: {wrong}"
