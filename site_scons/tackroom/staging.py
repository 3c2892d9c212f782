"""One run: its turn, staging what is stale, and sealing what was done.

Staging an item records what it finds and never fails, so that one bad artifact stops nothing else.
Sealing takes away what left the plan and writes the record; the verdict says whether the run failed.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Protocol

from tackroom import journal, second, standing
from tackroom.outputs import Place
from tackroom.ownership import Ownership
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, Severity
from tackroom.packages.stamps import TICK
from tackroom.plan import Item, Plan, Unit
from tackroom.pruning import Pruner
from tackroom.records import Kept, Output, Record, Records, outputs
from tackroom.second import Second, Told
from tackroom.state import State
from tackroom.turn import Turn
from tackroom.unitfile import moment
from tackroom.work import EVERYTHING, Selection, Task, Work
from tackroom.writing import Writer, problem


class Leaves(Protocol):
    """Writes what a run leaves for the next one to go by."""

    def is_news(self, run: Run) -> bool:
        """Tell whether there is anything to be written."""

    def remember(self, run: Run) -> None:
        """Write it."""


@dataclass
class Run:
    """A plan on its way to the disk.

    ``said`` is what was found while reading and said by an earlier run, ``speak`` says what could not be said
    before it begins. ``leaves`` writes what the next run goes by, ``release`` lets go of what a unit was
    staged from. ``writer`` puts files in their places, ``pruner`` takes them away. ``is_over``: it has ended.
    """

    work: Work
    turn: Turn
    leaves: Leaves
    release: Callable[[str], None] = lambda _: None
    said: frozenset[Finding] = frozenset()
    speak: Callable[[], None] = lambda: None
    done: set[str] = field(default_factory=set)
    _planned_on: object = field(init=False, repr=False)
    is_over: bool = False
    _has_begun: bool = False
    _second: Second | None = None
    _is_recorded: bool = True
    _lock: Lock = field(default_factory=Lock, repr=False)
    pruner: Pruner = field(init=False, repr=False)
    writer: Writer = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Note what the record looks like, since another run may change it before this one begins."""
        self._planned_on = self.state.heads.since
        self.pruner = Pruner(self.place)
        self.writer = self._new_writer()

    @property
    def plan(self) -> Plan:
        """What there is to be staged."""
        return self.work.plan

    @property
    def state(self) -> State:
        """What was staged."""
        return self.work.state

    @property
    def place(self) -> Place:
        """Where outputs go."""
        return self.work.place

    @property
    def selection(self) -> Selection:
        """What the run is narrowed to."""
        return self.work.selection

    def _new_writer(self) -> Writer:
        return Writer(self.place, journal.Journal(self.state.journal), Ownership(self.state))

    def is_needed(self) -> bool:
        """Tell whether there is anything to do or to say."""
        return self.work.changes() or bool(self.news) or not self._is_stamped()

    def is_worth_recording(self) -> bool:
        """Tell whether the record would be another one, though nothing is to be done."""
        state = self.state
        is_other = bool(self.work.tasks or state.unreadable) or state.journal.exists()
        return is_other or self.leaves.is_news(self)

    def can_be_recorded(self) -> bool:
        """Tell whether the record may be written to at all."""
        folder = next(each for each in (self.state.folder, *self.state.folder.parents) if each.exists())
        return os.access(folder, os.W_OK | os.X_OK)

    def _is_stamped(self) -> bool:
        heads, stamp = self.state.heads, self.state.stamp
        return all(heads.is_stamped(str(stamp(each)), each) for each in self.plan.harnesses)

    # --- one run at a time

    def begin(self) -> None:
        """Wait for one's turn, and look at the record again if another run changed it meanwhile."""
        with self._lock:
            if self._has_begun:
                return
            self._has_begun = True
            self.speak()
            if self.turn.take() or moment(self.state.heads.folder) != self._planned_on:
                self.state.reload()
                journal.adopt(self.state, self.place.out)
                same = (self.plan, self.state, self.place, self.selection)
                self.work = Work(*same, self.work.unfold, self.work.verify)
            self.writer = self._new_writer()  # now, since threads are to come
            self.place.folders.forget()  # what was seen while planning may be gone
            with self._recording():
                self.place.folders.standing = standing.note(self.state, self.place.out)
                self.state.set_aside()
                # else SCons makes it, and looks for compilers to do that
                Path(self.state.heads.folder).mkdir(parents=True, exist_ok=True)
            journal.sweep(self.state, self.place)

    # --- staging

    def stage_unit(self, unit: Unit) -> None:
        """Stage a unit as a whole, and write its record; at the first a second process sets out to help."""
        if self.is_over or unit.id not in self.work.whole or unit.id in self.done:
            return
        if not self.done:
            self._second = second.start(self.work.never_staged(), self._stage_half)
        if self._second and unit.id in self._second.units:
            self._hear()
        if unit.id not in self.done:
            self._stage_whole(unit)

    def _stage_whole(self, unit: Unit) -> None:
        self.done.add(unit.id)
        why, known = self.work.why_whole(unit), self.state.records(unit.id)
        try:
            items = unit.items()
        except (TackroomError, OSError) as wrong:  # the package changed, or is not to be read any more
            self.pruner.fail(unit.name, problem(wrong), harness=unit.harness, package=unit.package)
            self._save_unfinished(unit, known)
            return
        records = self.writer.stage(unit.id, ((item, why) for item in items), known)
        if unit.id in self.state.heads.all():
            made, owned = dict(outputs(records)), self.state.owned(unit.id)
            self._keep(unit.id, {path: each for path, each in owned.items() if path not in made})
        self._save(unit, records)
        self.place.folders.forget()  # a package's folders are asked for no more, and there are many

    def _stage_half(self, units: Iterable[Unit]) -> Told:
        """Stage units in the second process; none where the first is gone, and another run may be at work."""
        for unit in units if self.turn.help() else ():
            self._stage_whole(unit)
        writer = self.writer
        return Told(writer.fresh, writer.packages, dict(writer.rendered), writer.placed)

    def _hear(self) -> None:
        """Take over what the second process did."""
        theirs, self._second = self._second, None
        told = theirs.finish() if theirs else None
        if theirs and not told:  # it was killed, maybe in the midst of a file
            journal.sweep(self.state, self.place)
        if theirs and told:
            self.done |= {each for each in theirs.units if self.state.heads.again(each)}
            self.writer.add(told)
            for each in theirs.units:
                self.release(each)

    def _keep(self, unit: str, left: dict[str, Output]) -> None:
        """Keep what a unit no longer makes until it is pruned; its own record says nothing of it any more."""
        new = {path: Kept(unit, each) for path, each in left.items() if path not in self.writer.placed}
        if new:
            with self._recording():
                self.state.keep(new)

    def stage(self, unit: str, item: Item) -> None:
        """Stage one item of a unit that differs from its record."""
        task = self.work.tasks.get(unit)
        if task and item.id in task.stale and item.id not in self.done and not self.is_over:
            self.done.add(item.id)
            task.records |= self.writer.stage(unit, [(item, task.stale[item.id])], task.known)

    def stage_all(self) -> None:
        """Stage whatever was not staged on its own."""
        for unit in self.work.whole.values():
            self.stage_unit(unit)
        for task in self.work.tasks.values():
            for item in task.items:
                self.stage(task.unit.id, item)

    def seal(self) -> None:
        """Take away what left the plan and write the record: first what is kept, lest it be forgotten."""
        self.state.kept = self.pruner.prune(self.work, self.writer.placed)
        with self._recording():
            self.state.save_kept()
            for task in self.work.tasks.values():
                self._save(task.unit, _in_order(task))
            for each in self.work.left:
                self.state.drop(each)
            self.leaves.remember(self)
        with self._recording():
            if self._is_recorded:
                self.writer.journal.forget()
        time.sleep(TICK / 1e9)  # every later edit of an output has another time than ours

    def _save(self, unit: Unit, records: Records) -> None:
        if not all(each.parts for each in records.values()):
            self._save_unfinished(unit, records)
            return
        with self._recording(unit.harness):
            self.state.save(unit, records)
        self.release(unit.id)

    def _save_unfinished(self, unit: Unit, records: Records) -> None:
        """Record a unit of which not all could be staged, so that the next run sees to it."""
        with self._recording(unit.harness):
            self.state.save(replace(unit, key=""), records)
        self.release(unit.id)

    @contextlib.contextmanager
    def _recording(self, harness: str = "") -> Iterator[None]:
        """Say what cannot be recorded; the journal stays then, and the next run goes by that."""
        try:
            yield
        except OSError as wrong:
            shown = self.place.shown_here(self.state.folder)
            self.pruner.fail(shown, problem(wrong), harness=harness)
            self._is_recorded = False

    # --- what there is to say

    @cached_property
    def read(self) -> frozenset[Finding]:
        """What was found while the packages were read and the rules applied."""
        found = self.plan.findings
        return frozenset(found if self.selection == EVERYTHING else filter(self.is_selected, found))

    def is_selected(self, finding: Finding) -> bool:
        """Tell whether a finding is of what the run is narrowed to."""
        harness = finding.harness or next(iter(self.selection.harnesses or self.plan.harnesses), "")
        return self.selection.holds(harness, finding.package)

    @cached_property
    def news(self) -> frozenset[Finding]:
        """What was found while reading and was never said."""
        return self.read - self.said

    def findings(self) -> list[Finding]:
        """Return every finding of the selection: of reading, of each item, of sealing; sorted by place."""
        staged = (f for record in self.records() for f in record.findings)
        return sorted({*self.read, *staged, *self.pruner.findings}, key=_by_place)

    def fresh_findings(self) -> list[Finding]:
        """Return the findings of what was staged in this run, and of reading the packages it belongs to.

        What was found while reading and was not there at the last run is said, whatever was staged.
        """
        staged = self.writer.packages
        read = [each for each in self.read if each.package in staged or each in self.news]
        return sorted({*read, *self.writer.fresh, *self.pruner.findings}, key=_by_place)

    def count(self, severity: Severity) -> int:
        """Return how many findings there are, without reading what is folded."""
        heads = self.state.heads.all()
        tallies = (heads[each.id].tally for each in self.work.units if each.id in heads)
        read = {*self.read, *self.pruner.findings}
        return sum(each.get(severity, 0) for each in tallies) + sum(f.severity is severity for f in read)

    def records(self) -> Iterator[Record]:
        """Yield the records of the selected units as they are now."""
        for unit in self.work.units:
            yield from self.state.records(unit.id).values()


def _in_order(task: Task) -> Records:
    return {each.id: task.records[each.id] for each in task.items if each.id in task.records}


def _by_place(finding: Finding) -> tuple[object, ...]:
    return (finding.package, finding.path, finding.line, finding.harness, finding.code, finding.message)
