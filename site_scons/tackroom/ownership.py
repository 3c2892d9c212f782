"""Whose each file in OUT is, by the record. The details of a unit are read only where one is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from threading import Lock

from tackroom.packages.names import same
from tackroom.records import Output
from tackroom.state import State


class Ownership:
    """The files that are ours as a run begins."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._read: dict[str, dict[str, Output]] = {}
        self._found: dict[str, str] | None = None
        self._lock = Lock()

    @property
    def _units(self) -> dict[str, str]:
        """The unit of each file, by its path from OUT."""
        if self._found is None:
            with self._lock:
                self._found = self._found or self._owners()
        return self._found

    def _owners(self) -> dict[str, str]:
        heads = list(self._state.heads.all().values())
        return {path: head.id for head in heads for path in head.outputs}

    def of(self, unit: str) -> dict[str, Output]:
        """Return the files of a unit."""
        if unit not in self._read:
            self._read[unit] = self._state.owned(unit)
        return self._read[unit]

    def recorded(self, path: str) -> Output | None:
        """Return what the record of a unit says of a path; None where no unit has it."""
        unit = self._units.get(path)
        return self.of(unit).get(path) if unit else None

    def kept(self, path: str) -> Output | None:
        """Return what is kept at a path, which is newer than what the record of a unit says of it."""
        kept = self._state.kept.get(path)
        return kept.output if kept else None

    @property
    def kept_paths(self) -> AbstractSet[str]:
        """The paths at which something is kept."""
        return self._state.kept.keys()

    def output(self, path: str) -> Output | None:
        """Return what we last wrote at a path; None where that is not ours."""
        return self.kept(path) or self.recorded(path)

    def take(self, unit: str, paths: Iterable[str]) -> None:
        """Let a unit take the files that others have, before it writes them."""
        taken: dict[str, set[str]] = {}
        units = self._units
        for path in paths if units else ():
            if (other := units.get(path, unit)) != unit:
                taken.setdefault(other, set()).add(path)
        if taken:
            self._state.hand_over(taken)

    def around(self, path: str) -> list[str]:
        """Return the files that leave no room for one.

        They lie below its path, or where its folder belongs, or are the same to a system that folds case.
        """
        alike = same(path)
        return [
            each
            for each in self._all()
            if each.startswith(path + "/")
            or path.startswith(each + "/")
            or (each != path and same(each) == alike)  # one file where the system folds case
        ]

    def _all(self) -> Iterator[str]:
        yield from self._units
        yield from self._state.kept
