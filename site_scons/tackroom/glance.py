"""Whether there is anything to do, told from what is remembered: no package is read, nothing is planned.

This is all that a run with nothing to do runs through, so it imports next to nothing. It looks at files
in the order in which a change is likely, and stops at the first; what it saw is not looked at again.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from tackroom import ids, memory
from tackroom.folders import Folders
from tackroom.memory import Memory
from tackroom.packages.listing import Unreadable
from tackroom.unitfile import UNITS, Heads, stamp_path, summed

_SWITCHES = frozenset({"LOCKED", "OFFLINE", "FROZEN", "FORCE", "STRICT"})
ON = frozenset({"1", "true", "yes"})
OFF = frozenset({"", "0", "false", "no"})
JOURNAL = "journal"
KEPT = "kept.json"


def is_harmless(arguments: Mapping[str, str]) -> bool:
    """Tell whether the variables given change nothing about a run that has nothing to do."""
    return all(
        name == "OUT" or (name in _SWITCHES and value.lower() in ON | OFF)
        for name, value in arguments.items()
    )


class Glance:
    """A look at a workspace, for as long as nothing differs."""

    def __init__(self, folder: str, name: str, out: str = "", *, verify: bool = False) -> None:
        """``folder`` holds the workspace file ``name``; ``out`` is the variable's value."""
        self.folder = os.path.normpath(folder)
        self.name = name
        self.path = memory.place(folder, name, out)
        found = memory.load(self.path)
        self.unreadable = found is None
        self.memory = found or Memory()
        self.state = os.path.normpath(f"{folder}/{memory.STATE}/{self.memory.folder}")
        self.file = os.path.normpath(f"{folder}/{name}")
        self.out = os.path.normpath(f"{folder}/{self.memory.out}")
        self.folders = Folders(f"{self.state}/folders", trusted=not verify)
        self.heads = Heads(f"{self.state}/{UNITS}")
        self.inputs = memory.inputs(folder, name)

    def is_done(self) -> bool:
        """Tell whether everything is staged as it should be and nothing is left to say."""
        try:
            return self._is_done()
        except OSError:  # whoever does something about it says what cannot be read
            return False

    def _is_done(self) -> bool:
        known = self.memory
        return (
            bool(known.inputs)
            and known.inputs == self.inputs
            and self.folders.trusted
            and not self._is_open()
            and not any(each.get("error") for each in known.counts.values())
            and all(self._is_same(*each) for each in known.listed)
            and {head.id: head.key for head in self.heads.all().values()} == known.units
            and not self.heads.unreadable
            and self._is_stamped()
            and all(self.heads.is_intact(each, self.out) for each in known.units)
        )

    def stamp(self, harness: str) -> str:
        """Return where the stamp of a harness's tree is."""
        return stamp_path(self.state, harness)

    def _is_open(self) -> bool:
        """Tell whether a run never came to its end, or left something that has to be said again."""
        return any(os.path.lexists(f"{self.state}/{name}") for name in (JOURNAL, KEPT))

    def _is_stamped(self) -> bool:
        """Tell whether whoever depends on the trees sees them as they are."""
        return all(self.heads.is_stamped(self.stamp(each), each) for each in self.memory.counts if each)

    def _is_same(self, path: str, real: str, without: str) -> bool:
        try:
            if not os.path.samefile(f"{self.folder}/{path}", real):
                return False
            return self.folders.look(real, without).is_same
        except (OSError, Unreadable):
            return False

    # --- what there is to say

    def warnings(self) -> int:
        """Return how many warnings are remembered."""
        read = sum(each.get("warning", 0) for each in self.memory.counts.values())
        return read + sum(head.tally.get("warning", 0) for head in self.heads.all().values())

    def summary(self) -> list[str]:
        """Return the lines that a run ends with: a harness each, and what was found while reading."""
        lines = [self._line(each) for each in self.memory.counts if each]
        read = sum(self.memory.counts.get("", {}).values())
        return [*lines, *([packages(self.memory.packages, read)] if read else [])]

    def _line(self, harness: str) -> str:
        staged, found = summed(head for head in self.heads.all().values() if ids.harness(head.id) == harness)
        return line(harness, staged, 0, found + sum(self.memory.counts[harness].values()))


def at(file: str, arguments: Mapping[str, str]) -> Glance:
    """Return a look at a workspace file, with the variables of a command line."""
    folder, name = os.path.split(file)
    return Glance(folder, name, arguments.get("OUT", ""), verify=_is_on(arguments, "VERIFY"))


def nothing_to_do(look: Glance, arguments: Mapping[str, str]) -> list[str] | None:
    """Return what a run with nothing to do says; None where there is something to do."""
    if not is_harmless(arguments):
        return None
    if not look.is_done() or (look.warnings() and _is_on(arguments, "STRICT")):
        return None
    return look.summary()


def _is_on(arguments: Mapping[str, str], name: str) -> bool:
    return arguments.get(name, "").lower() in ON


def line(harness: str, staged: int, rendered: int, findings: int) -> str:
    """Return a harness's line of the summary."""
    return f"{harness}: {staged} staged, {rendered} rendered, {_count(findings)}"


def packages(read: int, findings: int) -> str:
    """Return the line of the summary for what was found while packages were read."""
    return f"packages: {read} read, {_count(findings)}"


def _count(findings: int) -> str:
    return f"{findings} finding" + ("" if findings == 1 else "s")
