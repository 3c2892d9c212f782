"""What a run has to do: the plan against the record and the disk, unit by unit, then item by item.

A unit whose key and whose outputs' stats are those of its record is folded: nothing of it is looked at.
One that was never staged, or by other code, or of which nothing is left, is staged as a whole. In any other
the items are told apart, each with the reason why it is stale.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from tackroom import ids
from tackroom.files import seen
from tackroom.outputs import Place
from tackroom.packages.findings import Finding
from tackroom.plan import Item, Plan, Unit
from tackroom.records import ABOUT, Kept, Output, Record, Records
from tackroom.state import State

NEW = "it was not staged before"
GONE = "all of its outputs are gone"
OTHER_CODE = "tackroom's own code or tables changed"

# why an item is rendered again, by the part of it that changed
_CHANGED = {
    "tackroom": OTHER_CODE,
    "source": "'{source}' changed",
    "files": "its supporting files changed",
    "format": "it is read as something else",
    "name": "its name there changed",
    "taken": "what has the name that it wants there changed",
    "folder": "the folder of its package there changed",
    "content": "what it is made of changed",
}


class Selection(NamedTuple):
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

    def has(self, unit: str) -> bool:
        """Tell whether a unit is selected, by its id."""
        return self.holds(*ids.split(unit))


EVERYTHING = Selection()


@dataclass(slots=True)
class Task:
    """A unit that differs from its record: what its items were, which are stale and why, what the rest is."""

    unit: Unit
    items: tuple[Item, ...]
    known: Records
    stale: dict[str, str] = field(default_factory=dict)
    records: Records = field(default_factory=dict)

    @property
    def gone(self) -> set[str]:
        """The ids of the items that the unit no longer has."""
        return set(self.known) - {each.id for each in self.items}


@dataclass
class Work:
    """What is to be done of a plan. ``unfold``: everything, artifact by artifact; ``verify``: by content."""

    plan: Plan
    state: State
    place: Place
    selection: Selection = EVERYTHING
    unfold: bool = False
    verify: bool = False

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The plan's units that this run is about."""
        return tuple(each for each in self.plan.units if self.selection.has(each.id))

    @cached_property
    def whole(self) -> dict[str, Unit]:
        """The units that are staged as a whole, package by package: each is read once, and then let go."""
        found = [] if self.unfold else [each for each in self.units if self.why_whole(each)]
        order = {each.id: at for at, each in enumerate(self.plan.packages)}
        found.sort(key=lambda each: order.get(each.package, len(order)))
        return {each.id: each for each in found}

    def never_staged(self) -> list[Unit]:
        """Return the units of harnesses of which there is no record at all, so nothing there is another's."""
        known = set(map(ids.harness, self.state.heads.all()))
        return [each for each in self.whole.values() if each.harness not in known]

    def why_whole(self, unit: Unit) -> str:
        """Say why a unit is staged as a whole; empty where its items are told apart."""
        head = self.state.heads.all().get(unit.id)
        if head is None:
            return NEW
        if head.code != unit.code:
            return OTHER_CODE
        return GONE if head.packed and self.state.heads.is_gone(unit.id, str(self.place.out)) else ""

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The units that were staged and differ in some way from what the plan or the record says."""
        open_ = (each for each in self.units if each.id not in self.whole and not self._is_folded(each))
        return {each.id: self._task(each) for each in open_}

    @cached_property
    def left(self) -> tuple[str, ...]:
        """The units that left the plan, as far as this run is about them."""
        planned = {each.id for each in self.plan.units}
        heads = self.state.heads.all()
        return tuple(each for each in heads if each not in planned and self.selection.has(each))

    def count(self) -> int:
        """Return how many units and items there are to be staged."""
        return len(self.whole) + sum(len(each.stale) for each in self.tasks.values())

    def changes(self) -> bool:
        """Tell whether there is anything to be written or taken away."""
        gone = any(each.gone for each in self.tasks.values())
        return bool(self.count() or self.left or gone or self.kept)

    @property
    def kept(self) -> dict[str, Kept]:
        """What is kept, as far as this run is about it."""
        return {path: each for path, each in self.state.kept.items() if self.selection.has(each.unit)}

    def _is_folded(self, unit: Unit) -> bool:
        head = self.state.heads.all().get(unit.id)
        is_known = head is not None and head.key == unit.key and not (self.unfold or self.verify)
        return is_known and self.state.heads.is_intact(unit.id, str(self.place.out))

    def _task(self, unit: Unit) -> Task:
        task = Task(unit, unit.items(), self.state.records(unit.id))
        for item in task.items:
            record = task.known.get(item.id)
            why = NEW if record is None else _why(item, record) or self._keep(item, record, task)
            if why or self.unfold:
                task.stale[item.id] = why or "UNFOLD=1 stages everything"
        return task

    def _keep(self, item: Item, record: Record, task: Task) -> str:
        """Keep the record of an item, with newer stats; say which output is not as it was staged, if any."""
        found: dict[str, Output] = {}
        for path, output in record.outputs.items():
            try:
                now = seen(self.place.out / path, output, verify=self.verify)
            except OSError:
                return f"'{self.place.shown(path)}' cannot be read"
            if now is None or self.place.folders.blocked(path):
                return f"'{self.place.shown(path)}' is not as it was staged"
            found[path] = now
        findings = tuple(_at_commit(each, item) for each in record.findings)
        task.records[item.id] = Record(record.parts, found, findings, about(item), record.why)
        return ""


def about(item: Item) -> dict[str, str]:
    """Return what a report says of an item."""
    return {each: getattr(item, each) for each in ABOUT}


def _why(item: Item, record: Record) -> str:
    if not record.parts:
        return "it could not be staged the last time"
    changed = [word for word in _CHANGED if record.parts.get(word) != item.parts.get(word)]
    return ", ".join(_CHANGED[word].format(source=item.source) for word in changed)


def _at_commit(finding: Finding, item: Item) -> Finding:
    """Return a remembered finding at the commit where its package is now."""
    return finding if finding.commit == item.commit else finding.but(commit=item.commit)
