"""What was staged: which item made which file, from what, and what the file looked like then.

One record a workspace, layout and OUT: a folder in ``.tackroom/state`` with a file for each unit. It says
what is ours: nothing else is ever overwritten or deleted. What cannot be read counts as never staged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Protocol

from xxhash import xxh3_64_hexdigest

from tackroom import checked, records, unitfile
from tackroom.atomic import write
from tackroom.files import digest
from tackroom.glance import JOURNAL, KEPT
from tackroom.memory import STATE
from tackroom.packages.stamps import MODE, pack, unpack
from tackroom.paths import relative
from tackroom.records import Kept, Output, Record, Records
from tackroom.unitfile import Head, Heads, lasting

FORMAT = "4"
FOLDER = Path(STATE)
UNUSABLE = "unusable"  # the folder of what could not be used
_NOT_OURS = "a file that only it knows of counts as yours"


class Named(Protocol):
    """A unit as the record knows it: its id, what it and the code that stages it is known by, its commit.

    The key is empty where something of the unit could not be staged.
    """

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def key(self) -> str: ...  # noqa: D102
    @property
    def code(self) -> str: ...  # noqa: D102
    @property
    def commit(self) -> str: ...  # noqa: D102


@dataclass(slots=True)
class State:
    """The record in a folder.

    ``heads`` are those of its units. ``kept`` are files that left the plan but were edited by hand, so they
    stay, and those of units that were not recorded yet: by path, newer than what any unit's record says.
    ``lost`` is told the files of the record that cannot be used, and what follows of it.
    """

    folder: Path
    lost: Callable[[Path, str], None] = field(default=lambda *_: None, repr=False)
    heads: Heads = field(default_factory=lambda: Heads(""))
    kept: dict[str, Kept] = field(default_factory=dict, init=False)
    unreadable: list[Path] = field(default_factory=list, init=False)
    _lock: Any = field(default_factory=RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        """Read the heads of the units and what is kept; their details are read when they are asked for."""
        self.reload(self.heads if self.heads.folder else None)

    def reload(self, heads: Heads | None = None) -> None:
        """Read the record again, or take heads that were just read."""
        self.heads = heads or Heads(str(self.folder / unitfile.UNITS))
        self.heads.all()
        self.unreadable = []
        for name in self.heads.unreadable:
            self._lose(Path(self.heads.folder, name), _NOT_OURS)
        self.kept = self._load_kept()

    @property
    def journal(self) -> Path:
        """Where a run notes what it writes until it is sealed."""
        return self.folder / JOURNAL

    def stamp(self, harness: str) -> Path:
        """Return where the stamp of a harness's tree is."""
        return Path(unitfile.stamp_path(str(self.folder), harness))

    # --- units

    def records(self, unit: str) -> Records:
        """Return the records of a unit by the ids of their items; none where it was never staged."""
        if unit not in self.heads.all():
            return {}
        return self._read(unit)[1]

    def owned(self, unit: str) -> dict[str, Output]:
        """Return the files of a unit, by their path; told by stat where its details cannot be used."""
        found = dict(records.outputs(self.records(unit)))
        head = self.heads.all().get(unit)
        if found or head is None:
            return found
        stamps = zip(head.outputs, unpack(head.packed), strict=False)
        return {path: Output("", bool(each[MODE] & 0o100), each) for path, each in stamps}

    def _read(self, unit: str) -> tuple[str, Records]:
        """Return the commit that a unit was staged from, and its records."""
        path = self.heads.path(unit)
        try:
            head, details = unitfile.read(path)
            files = zip(head.outputs, unpack(head.packed), strict=True)
            return str(details["commit"]), records.load(unit, details, files)  # type: ignore[index]
        except (OSError, ValueError, TypeError, LookupError):  # the last two: a finding of another version
            self._lose(Path(path), "what it says is staged anew")
            return "", {}

    def _lose(self, path: Path, so: str) -> None:
        if path not in self.unreadable:
            self.unreadable.append(path)
            self.lost(path, so)

    def save(self, unit: Named, made: Records) -> Head:
        """Write the file of a unit, and return its head."""
        head, body = _head(unit, made), records.dump(made, unit.commit)
        with self._lock:
            write(Path(self.heads.path(unit.id)), unitfile.text(head, body))
            self.heads.all()[unit.id] = head
        return head

    def hand_over(self, taken: Mapping[str, AbstractSet[str]]) -> None:
        """Keep files, by unit, that another unit is about to take; what made them there is stale then.

        No two records have a path: each would call what the other wrote an edit.
        """
        with self._lock:
            for unit, paths in taken.items():
                commit, known = self._read(unit)
                theirs = {path: Kept(unit, each) for path, each in records.outputs(known) if path in paths}
                if theirs:
                    self.keep(theirs)
                    less = {each: _without(record, paths) for each, record in known.items()}
                    self.save(_Unit(unit, "", self.heads.all()[unit].code, commit), less)

    def keep(self, files: Mapping[str, Kept]) -> None:
        """Keep files, unless something newer is kept there."""
        with self._lock:
            self.kept = {**files, **self.kept}
            self.save_kept()

    def set_aside(self) -> None:
        """Move what says nothing any more out of the way; it stays for whoever wants to look."""
        units = {self.heads.path(each) for each in self.heads.all()} if self.unreadable else set()
        for path in self.unreadable:
            if str(path) not in units:
                self._move_aside(path)
        self.unreadable = [each for each in self.unreadable if str(each) in units]

    def _move_aside(self, path: Path) -> None:
        aside = self.folder / UNUSABLE / path.name
        aside.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(path):
            path.replace(aside)

    def drop(self, unit: str) -> None:
        """Forget a unit of which nothing is left; its file stays where it could not be used."""
        path = Path(self.heads.path(unit))
        if path in self.unreadable:
            self._move_aside(path)
        path.unlink(missing_ok=True)
        self.heads.all().pop(unit, None)

    # --- what left the plan

    def save_kept(self) -> None:
        """Write what is kept; there is no file where nothing is."""
        path = self.folder / KEPT
        if not self.kept:
            path.unlink(missing_ok=True)
            return
        rows = {
            name: [each.unit, each.output.known_by, *each.output.stamp]
            for name, each in sorted(self.kept.items())
        }
        write(path, checked.text(FORMAT, json.dumps(rows).encode()))

    def _load_kept(self) -> dict[str, Kept]:
        path = self.folder / KEPT
        try:
            found = json.loads(checked.body(FORMAT, path.read_bytes()))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            self._lose(path, _NOT_OURS)
            return {}
        return {
            name: Kept(unit, records.load_output(known_by, stamp))
            for name, (unit, known_by, *stamp) in found.items()
        }


def place(folder: Path, out: Path, layout: str) -> Path:
    """Return where the record of one OUT and layout is kept, in a workspace's folder."""
    key = xxh3_64_hexdigest(f"{layout}\0{relative(out, folder)}".encode(errors="surrogatepass"))
    return folder / FOLDER / key


class _Unit(NamedTuple):
    id: str
    key: str
    code: str
    commit: str


def _without(record: Record, paths: AbstractSet[str]) -> Record:
    """Return a record without some of its outputs; what made them has to be staged again."""
    left = {path: each for path, each in record.outputs.items() if path not in paths}
    return record if len(left) == len(record.outputs) else record._replace(parts={}, outputs=left)


def _head(unit: Named, made: Records) -> Head:
    outputs = list(records.outputs(made))
    packed = pack(lasting(each.stamp) for _, each in outputs)
    rows = sorted(f"{path}\0{each.known_by}" for path, each in outputs)
    paths = "\0".join(path for path, _ in outputs)
    of_all = digest("\0".join(rows).encode(errors="surrogatepass"))
    return Head(unit.id, unit.key, unit.code, of_all, records.tally(made), paths, packed)
