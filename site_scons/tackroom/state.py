"""What was staged: which item made which file, from which key, and what the file looked like then.

One record a workspace, layout and OUT, in ``.tackroom/state``. It says what is ours: nothing else is
ever overwritten or deleted. A record that cannot be read, or of another version, counts as empty.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

import tackroom.codes
import tackroom.harnesses.codes
import tackroom.packages.codes  # noqa: F401 - a record may hold a finding of any floor
from tackroom.atomic import write
from tackroom.packages.findings import Finding, revive
from tackroom.paths import relative

FORMAT = 1
FOLDER = Path(".tackroom", "state")
ABOUT = ("harness", "package", "commit", "kind", "name", "as_kind", "as_name", "source")


@dataclass(frozen=True, slots=True)
class Output:
    """A file that we wrote: its digest, its mode, and the stat that spares reading it again."""

    digest: str
    executable: bool
    stamp: tuple[int, int, int]  # modification time in nanoseconds, size, inode


@dataclass(frozen=True, slots=True)
class Record:
    """What one item became. ``outputs`` by their path from OUT; ``about`` says what it is, for reports."""

    key: str
    outputs: Mapping[str, Output]
    findings: tuple[Finding, ...] = ()
    about: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class State:
    """The records by item, and files that left the plan but were edited by hand, so they stay.

    ``found`` is what the last run found while it read the packages, and so has said.
    """

    path: Path
    records: dict[str, Record] = field(default_factory=dict)
    kept: dict[str, Output] = field(default_factory=dict)
    found: tuple[Finding, ...] = ()
    unreadable: bool = False

    def outputs(self) -> Iterator[tuple[str, Output]]:
        """Yield every file that we know to be ours."""
        for record in self.records.values():
            yield from record.outputs.items()
        yield from self.kept.items()

    def stamp(self, harness: str) -> Path:
        """Return where the stamp of a harness's tree is, beside the record."""
        return stamp_of(self.path, harness)

    def text(self) -> bytes:
        """Return the record's bytes: sorted, so that the same state has the same bytes."""
        body = {
            "version": FORMAT,
            "records": {key: _dump(each) for key, each in sorted(self.records.items())},
            "kept": {key: _dump_output(each) for key, each in sorted(self.kept.items())},
            "found": [each.record() for each in self.found],
        }
        return json.dumps(body, separators=(",", ":")).encode()

    def save(self) -> None:
        """Write the record, unless it says what is there already."""
        write(self.path, self.text())


def place(folder: Path, out: Path, layout: str) -> Path:
    """Return where the record of one OUT and layout is kept, in a workspace's folder."""
    key = xxh3_64_hexdigest(f"{layout}\0{relative(out, folder)}".encode(errors="surrogatepass"))
    return folder / FOLDER / f"{key}.json"


def stamp_of(record: Path, harness: str) -> Path:
    """Return where the stamp of a harness's tree is, beside a record."""
    return record.with_name(f"{record.stem}-{harness}.stamp")


def load(path: Path) -> State:
    """Read a record; an empty one where there is none that can be read."""
    try:
        found = json.loads(path.read_bytes())
        if found["version"] != FORMAT:
            return State(path, unreadable=True)
        records = {key: _record(each) for key, each in found["records"].items()}
        kept = {key: _output(each) for key, each in found["kept"].items()}
        return State(path, records, kept, tuple(revive(each) for each in found["found"]))
    except FileNotFoundError:
        return State(path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return State(path, unreadable=True)


def _dump(record: Record) -> dict[str, Any]:
    outputs = {path: _dump_output(each) for path, each in sorted(record.outputs.items())}
    findings = [each.record() for each in record.findings]
    return {"key": record.key, "outputs": outputs, "findings": findings, "about": dict(record.about)}


def _dump_output(output: Output) -> list[Any]:
    return [output.digest, output.executable, *output.stamp]


def _record(found: Mapping[str, Any]) -> Record:
    outputs = {path: _output(each) for path, each in found["outputs"].items()}
    findings = tuple(revive(each) for each in found["findings"])
    return Record(found["key"], outputs, findings, {name: found["about"][name] for name in ABOUT})


def _output(found: list[Any]) -> Output:
    digest, executable, modified, size, inode = found
    return Output(digest, executable, (modified, size, inode))


def stamp(path: Path) -> tuple[int, int, int] | None:
    """Return the stat that is remembered of a regular file; None where none is there."""
    found = _status(path)
    return _stamp(found) if found else None


def _status(path: Path) -> os.stat_result | None:
    try:
        found = path.lstat()
    except (OSError, ValueError):  # no system holds a name with a NUL in it
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_mtime_ns, found.st_size, found.st_ino


def digest(content: bytes) -> str:
    """Return the digest by which outputs are known."""
    return xxh3_128_hexdigest(content)


def is_intact(path: Path, output: Output) -> bool:
    """Tell whether a file is as it was written; it is read only where its stat says something else."""
    found = _status(path)
    if found is None or not _has_mode(found, executable=output.executable):
        return False
    now = _stamp(found)
    return now == output.stamp or (now[1] == output.stamp[1] and digest(path.read_bytes()) == output.digest)


def is_unedited(path: Path, output: Output) -> bool:
    """Tell whether a file holds what was written, whatever became of its mode."""
    now = stamp(path)
    return now is not None and (now == output.stamp or digest(path.read_bytes()) == output.digest)


def _has_mode(found: os.stat_result, *, executable: bool) -> bool:
    """Tell whether a file has the mode that we give; Windows has none to compare."""
    return os.name == "nt" or stat.S_IMODE(found.st_mode) == (0o755 if executable else 0o644)
