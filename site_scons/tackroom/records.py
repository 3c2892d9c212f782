"""What each item of a unit became, and how that is kept as plain data.

What all items of a unit have in common is written once, and nothing is that the unit's id and head say:
a first run writes these by the ten thousand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Any, NamedTuple

import tackroom.codes
import tackroom.harnesses.codes
import tackroom.packages.codes  # noqa: F401 - a record may hold a finding of any floor
from tackroom import ids
from tackroom.packages.findings import CATALOGUE, Finding, Severity
from tackroom.packages.stamps import Stamp
from tackroom.unitfile import Tally

ABOUT = ("kind", "name", "as_kind", "as_name", "source")
OWN_FILES = ("manifest", "shared")  # kinds of items that are no artifact of a package
_OF_UNIT = ("harness", "package", "commit")


class Output(NamedTuple):
    """A file that we wrote: its digest, its mode, and the stat that spares reading it again."""

    digest: str
    executable: bool
    stamp: Stamp

    @property
    def known_by(self) -> str:
        """What stands for its bytes and its mode."""
        return self.digest + "*" if self.executable else self.digest


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


def outputs(records: Records) -> Iterator[tuple[str, Output]]:
    """Yield the outputs of records, by their path from OUT."""
    for record in records.values():
        yield from record.outputs.items()


def tally(records: Records) -> Tally:
    """Return how many artifacts became what they should, and how many findings of each severity there are."""
    made = [each for each in records.values() if each.outputs and each.parts]
    staged = sum(each.about["kind"] not in OWN_FILES for each in made)
    found = [f.severity for f in {f for each in records.values() for f in each.findings}]
    counts = {word: found.count(word) for word in Severity}
    return {"staged": staged, **{str(word): count for word, count in counts.items() if count}}


# --- as plain data


def dump(records: Records, commit: str) -> dict[str, Any]:
    """Return the records of a unit but for the paths and stamps of its outputs, which its head has."""
    common = _common([each.parts for each in records.values() if each.parts])
    whys = {why: at for at, why in enumerate(dict.fromkeys(each.why for each in records.values()))}
    items = [_row(each, common, whys) for each in records.values()]
    return {"commit": commit, "common": common, "whys": list(whys), "items": items}


def _common(every: list[Mapping[str, str]]) -> dict[str, str]:
    """Return the parts that are the same in all of them."""
    first = every[0] if every else {}
    rest = every[1:]
    return {word: part for word, part in first.items() if all(each.get(word) == part for each in rest)}


def _row(record: Record, common: Mapping[str, str], whys: Mapping[str, int]) -> list[Any]:
    about = [record.about[each] for each in ABOUT]
    parts = {word: part for word, part in record.parts.items() if word not in common}
    files = [each.known_by for each in record.outputs.values()]
    said = [_said(each, about[-1]) for each in record.findings]
    return [*about, parts if record.parts else None, whys[record.why], files, said]


def _said(finding: Finding, source: str) -> list[Any]:
    """Return a finding of an item without what is said of the item."""
    path = "" if finding.path == source else finding.path
    return [finding.code, finding.line, path, *finding.data.values()]


def load(unit: str, details: Any, files: Iterable[tuple[str, Stamp]]) -> Records:  # noqa: ANN401 - from a file
    """Return what ``dump`` was given; ``files`` are the paths and stamps of its outputs, in their order.

    Raises ValueError, TypeError or KeyError for what no ``dump`` of this version returned.
    """
    about = dict(zip(_OF_UNIT, (*ids.split(unit), details["commit"]), strict=True))
    left, found = iter(files), {}
    for row in details["items"]:
        record = _load(row, about, details, left)
        key = ids.item(*(record.about[each] for each in ("harness", "package", "kind", "as_kind", "source")))
        found[key] = record
    return found


def _load(
    row: list[Any], unit: Mapping[str, str], details: Mapping[str, Any], files: Iterator[tuple[str, Stamp]]
) -> Record:
    *words, parts, why, known, said = row
    about = {**unit, **dict(zip(ABOUT, words, strict=True))}
    made = zip(known, islice(files, len(known)), strict=True)
    return Record(
        {} if parts is None else {**details["common"], **parts},
        {path: load_output(each, stamp) for each, (path, stamp) in made},
        tuple(_finding(*each, source=about["source"]).at(**unit) for each in said),
        about,
        details["whys"][why],
    )


def _finding(code: str, line: int, path: str, *own: Any, source: str) -> Finding:  # noqa: ANN401 - from a file
    kind = CATALOGUE[code]
    return kind(line=line, path=path or source, **dict(zip(kind.own_fields(), own, strict=True)))


def load_output(known_by: str, stamp: Iterable[int]) -> Output:
    """Return an output by what it is known by, and the numbers of its stamp."""
    modified, size, inode, changed, mode = stamp
    return Output(known_by.rstrip("*"), known_by.endswith("*"), (modified, size, inode, changed, mode))
