"""What was staged: which item made which file, from what, and what the file looked like then.

One record a workspace, layout and OUT: a folder in ``.tackroom/state`` with a file for each unit. It says
what is ours: nothing else is ever overwritten or deleted. What cannot be read counts as never staged.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

import tackroom.codes
import tackroom.harnesses.codes
import tackroom.packages.codes  # noqa: F401 - a record may hold a finding of any floor
from tackroom import checked, unitfile
from tackroom.atomic import MODES, write
from tackroom.glance import JOURNAL, KEPT
from tackroom.memory import STATE
from tackroom.packages.findings import Finding, Severity, revive
from tackroom.packages.stamps import MODE, NEVER, SIZE, Stamp, pack, unpack
from tackroom.packages.stamps import stamp as stamp_of
from tackroom.paths import relative
from tackroom.unitfile import Head, Heads, Tally, lasting

FORMAT = "3"
FOLDER = Path(STATE)
ABOUT = ("kind", "name", "as_kind", "as_name", "source")
_OF_UNIT = ("harness", "package", "commit")
UNUSABLE = "unusable"  # the folder of what could not be used
_NOT_OURS = "a file that only it knows of counts as yours"
OWN_FILES = ("manifest", "shared")  # kinds of items that are no artifact of a package


class Output(NamedTuple):
    """A file that we wrote: its digest, its mode, and the stat that spares reading it again."""

    digest: str
    executable: bool
    stamp: Stamp


class Record(NamedTuple):
    """What one item became. ``outputs`` by their path from OUT; ``about`` says what it is, for reports.

    ``parts`` are what it depended on, by word, each as a digest; none where it failed. ``why`` is the
    reason for which it was rendered last.
    """

    parts: Mapping[str, str]
    outputs: Mapping[str, Output]
    findings: tuple[Finding, ...] = ()
    about: Mapping[str, str] = MappingProxyType({})
    why: str = ""


Records = dict[str, Record]


class Kept(NamedTuple):
    """A file of ours that no record of a unit holds (any more), and the unit that wrote it."""

    unit: str
    output: Output


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
        return self.folder / f"{harness}.stamp"

    # --- units

    def records(self, unit: str) -> Records:
        """Return the records of a unit by the ids of their items; none where it was never staged."""
        if unit not in self.heads.all():
            return {}
        return self._read(unit)[1]

    def owned(self, unit: str) -> dict[str, Output]:
        """Return the files of a unit, by their path; told by stat where its details cannot be used."""
        found = dict(outputs(self.records(unit)))
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
            return str(details["commit"]), _records(head, details)  # type: ignore[index]
        except (OSError, ValueError, TypeError, KeyError):  # the last two: a finding of another version
            self._lose(Path(path), "what it says is staged anew")
            return "", {}

    def _lose(self, path: Path, so: str) -> None:
        if path not in self.unreadable:
            self.unreadable.append(path)
            self.lost(path, so)

    def save(self, unit: Named, records: Records) -> Head:
        """Write the file of a unit, and return its head."""
        head = _head(unit, records)
        body = {"commit": unit.commit, "items": [_dump(key, each) for key, each in records.items()]}
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
                commit, records = self._read(unit)
                theirs = {path: Kept(unit, each) for path, each in outputs(records) if path in paths}
                if theirs:
                    self.keep(theirs)
                    less = {each: _without(record, paths) for each, record in records.items()}
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
            name: [each.unit, *_dump_output(each.output), *each.output.stamp]
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
        return {name: _kept(*row) for name, row in found.items()}


def place(folder: Path, out: Path, layout: str) -> Path:
    """Return where the record of one OUT and layout is kept, in a workspace's folder."""
    key = xxh3_64_hexdigest(f"{layout}\0{relative(out, folder)}".encode(errors="surrogatepass"))
    return folder / FOLDER / key


def tally(records: Records) -> Tally:
    """Return how many artifacts became what they should, and how many findings of each severity there are."""
    made = [each for each in records.values() if each.outputs and each.parts]
    staged = sum(each.about["kind"] not in OWN_FILES for each in made)
    found = {f for each in records.values() for f in each.findings}
    counts = {word: sum(f.severity == word for f in found) for word in Severity}
    return {"staged": staged, **{str(word): count for word, count in counts.items() if count}}


class _Unit(NamedTuple):
    id: str
    key: str
    code: str
    commit: str


def _without(record: Record, paths: AbstractSet[str]) -> Record:
    """Return a record without some of its outputs; what made them has to be staged again."""
    left = {path: each for path, each in record.outputs.items() if path not in paths}
    return record if len(left) == len(record.outputs) else record._replace(parts={}, outputs=left)


def _head(unit: Named, records: Records) -> Head:
    outputs = [pair for each in records.values() for pair in each.outputs.items()]
    packed = pack(lasting(each.stamp) for _, each in outputs)
    rows = sorted(f"{path}\0{each.digest}{'*' * each.executable}" for path, each in outputs)
    paths = "\0".join(path for path, _ in outputs)
    of_all = digest("\0".join(rows).encode(errors="surrogatepass"))
    return Head(unit.id, unit.key, unit.code, of_all, tally(records), paths, packed)


def _dump(item: str, record: Record) -> list[Any]:
    return [
        item,
        [record.about[name] for name in ABOUT],
        record.parts,
        record.why,
        [_dump_output(each) for each in record.outputs.values()],
        [_said(each) for each in record.findings],
    ]


def _said(finding: Finding) -> dict[str, Any]:
    """Return a finding without what its unit says of all."""
    said = finding.record()
    for name in _OF_UNIT:
        del said[name]
    return said


def _records(head: Head, details: Any) -> Records:  # noqa: ANN401 - from a file
    outputs = iter(zip(head.outputs, unpack(head.packed), strict=True))
    harness, _, package = head.id.partition("/")
    unit = dict(zip(_OF_UNIT, (harness, package, details["commit"]), strict=True))
    found = {}
    for item, about, parts, why, rows, findings in details["items"]:
        made = {path: _output(row, stamp) for row, (path, stamp) in zip(rows, outputs, strict=False)}
        if len(made) != len(rows) or not isinstance(parts, dict):
            raise ValueError(item)
        said = unit | dict(zip(ABOUT, about, strict=True))
        found[item] = Record(parts, made, tuple(revive(each).at(**unit) for each in findings), said, why)
    return found


def _dump_output(output: Output) -> list[Any]:
    return [output.digest, output.executable]


def _output(row: list[Any], stamp: Any) -> Output:  # noqa: ANN401 - from a file
    digest, executable = row
    modified, size, inode, changed, mode = stamp
    return Output(digest, executable, (modified, size, inode, changed, mode))


def _kept(unit: str, digest: str, executable: bool, *stamp: int) -> Kept:  # noqa: FBT001 - a row of a file
    return Kept(unit, _output([digest, executable], stamp))


# --- files on the disk


def stamp(path: Path | str) -> Stamp | None:
    """Return the stat that is remembered of a regular file; None where none is there."""
    found = _status(path)
    return stamp_of(found) if found else None


def digest(content: bytes) -> str:
    """Return the digest by which outputs are known."""
    return xxh3_128_hexdigest(content)


def seen(path: Path, output: Output, *, verify: bool = False) -> Output | None:
    """Return an output as it is now, where it is as it was written, else None.

    It is read only where its stat says something else, or where ``verify`` asks for that.
    """
    found = _status(path)
    if found is None or not has_mode(found.st_mode, executable=output.executable):
        return None
    now = stamp_of(found)
    if now == output.stamp and not verify:
        return output
    if now[SIZE] != output.stamp[SIZE] and output.stamp != NEVER:
        return None
    return (
        Output(output.digest, output.executable, now) if digest(path.read_bytes()) == output.digest else None
    )


def is_unedited(path: Path, output: Output, *, verify: bool = False) -> bool:
    """Tell whether a file holds what was written, whatever became of its mode."""
    now = stamp(path)
    is_same = now == output.stamp and not verify
    return now is not None and (is_same or digest(path.read_bytes()) == output.digest)


def edited(output: Output) -> Output:
    """Return an output that was edited: whatever its stat, the next run has to look at its content."""
    return output._replace(stamp=NEVER)


def _status(path: Path | str) -> os.stat_result | None:
    try:
        found = os.lstat(path)
    except (OSError, ValueError):  # no system holds a name with a NUL in it
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def has_mode(mode: int, *, executable: bool) -> bool:
    """Tell whether a file has the mode that we give; Windows has none to compare."""
    return os.name == "nt" or stat.S_IMODE(mode) == MODES[executable]


def outputs(records: Records) -> Iterator[tuple[str, Output]]:
    """Yield the outputs of records, by their path from OUT."""
    for record in records.values():
        yield from record.outputs.items()
