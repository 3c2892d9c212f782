"""The file of one unit: what it depends on, the stamps of its outputs, and behind them the details.

The head is all that a run with nothing to do reads, so it is a few lines and one packed array, and this
module imports little. The details say which item made which output. A file is written whole or not at
all; one that cannot be read, or of another version, counts as absent.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Sequence

from tackroom import checked, ids
from tackroom.packages import stamps
from tackroom.packages.links import is_link
from tackroom.packages.stamps import NEVER, ORDER, Stamp, are_same

FORMAT = f"4 {ORDER}"  # the stamps are packed as this machine packs them
UNITS = "units"  # the folder of these files, in that of the record
STAMP = ".stamp"  # how the file in the record ends that stands for a harness's tree
_LONG = 100  # characters of a name that any system holds
_HEAD = 1 << 14  # bytes that most heads have less of

Tally = dict[str, int]  # what there is of it, by word: staged, info, warning, error


class Head:
    """What a unit was staged from and became.

    ``code`` stands for the code that made it. ``paths`` are those of its outputs, from OUT and with a NUL
    between, ``packed`` their stamps; ``tally`` counts what there is, ``digest`` stands for all outputs.
    """

    __slots__ = ("code", "digest", "id", "key", "packed", "paths", "tally")

    def __init__(
        self, unit: str, key: str, code: str, digest: str, tally: Tally, paths: str, packed: bytes
    ) -> None:
        self.id = unit
        self.key = key
        self.code = code
        self.digest = digest
        self.tally = tally
        self.paths = paths
        self.packed = packed

    @property
    def outputs(self) -> Sequence[str]:
        """The paths of the outputs."""
        return self.paths.split("\0") if self.packed else []

    def is_intact(self, out: str) -> bool:
        """Tell whether every output is there just as it was left, by its stat alone."""
        return are_same(out, self.paths, self.packed)


def summed(heads: Iterable[Head]) -> tuple[int, int]:
    """Return how many artifacts are staged in all, and how many findings there are."""
    tallies = [each.tally for each in heads]
    staged = sum(each.get("staged", 0) for each in tallies)
    return staged, sum(count for each in tallies for count in each.values()) - staged


def lasting(stamp: Stamp) -> Stamp:
    """Return a stamp that every edit after this run must change, or that of no file where one need not.

    Where times are whole seconds, an edit right after the file was written would not show. A fine clock
    moves on before the run ends.
    """
    return stamp if stamps.is_fine(stamp) or stamps.is_settled(stamp, time.time_ns()) else NEVER


def text(head: Head, details: object) -> bytes:
    """Return the bytes of a unit's file."""
    dump = json.JSONEncoder(separators=(",", ":")).encode
    paths = head.paths.encode(errors="surrogatepass")
    lines = (
        FORMAT,
        head.id,
        head.key,
        head.code,
        head.digest,
        dump(head.tally),
        f"{len(head.packed)} {len(paths)}",
    )
    body = checked.text(FORMAT, dump(details).encode())
    first = "".join(f"{line}\n" for line in lines).encode(errors="surrogatepass")
    return first + head.packed + paths + body


def read_head(path: str) -> Head | None:
    """Return the head of a unit's file; None where it cannot be read."""
    try:
        found = _head(_start(path)) or _head(_whole(path))
        return found[0] if found else None
    except (OSError, ValueError, RecursionError):
        return None


def read(path: str) -> tuple[Head, object]:
    """Return the head of a unit's file and its details; raise what reading raises where it cannot be used."""
    found = _head(_whole(path))
    if found is None:
        raise ValueError(path)
    return found[0], json.loads(checked.body(FORMAT, found[1]))


def _start(path: str) -> bytes:
    """Return as much of a file as most heads have; without a file object, for a run opens thousands."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(file, _HEAD)
    finally:
        os.close(file)


def _whole(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _head(raw: bytes) -> tuple[Head, bytes] | None:
    """Return a head and what follows it; None where not all of it is there."""
    version, unit, key, code, digest, tally, sizes, rest = raw.split(b"\n", 7)
    if version.decode() != FORMAT:
        raise ValueError(version)
    packed, paths = map(int, sizes.split())
    end = packed + paths
    if len(rest) < end:
        return None
    counts = json.loads(tally)
    are_sizes = min(packed, paths) >= 0 and bool(packed) == bool(paths) and not packed % (8 * stamps.WORDS)
    if not are_sizes or not isinstance(counts, dict):
        raise ValueError(sizes)
    texts = (each.decode(errors="surrogatepass") for each in (unit, key, code, digest, rest[packed:end]))
    id_, known, made_by, outputs, names = texts
    return Head(id_, known, made_by, outputs, counts, names, rest[:packed]), rest[end:]


class Heads:
    """The heads of all units in a folder, each read once; ``unreadable`` are names of files that are none.

    ``since`` is the moment before they were read: what another run did by then is in them.
    """

    __slots__ = ("_found", "_intact", "_links", "folder", "since", "unreadable")

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.since: object = None
        self.unreadable: list[str] = []
        self._found: dict[str, Head] | None = None
        self._intact: dict[str, bool] = {}
        self._links: dict[str, bool] = {}

    def all(self) -> dict[str, Head]:
        """Return the heads by the ids of their units."""
        if self._found is None:
            self._found = {}
            self.since = moment(self.folder)
            for name in _names(self.folder):
                head = read_head(f"{self.folder}/{name}")
                if head is None:
                    self.unreadable.append(name)
                else:
                    self._found[head.id] = head
        return self._found

    def again(self, unit: str) -> bool:
        """Read the head of a unit that another process wrote; tell whether it did."""
        head = read_head(self.path(unit))
        if head is not None:
            self.all()[unit] = head
        return head is not None

    def is_intact(self, unit: str, out: str) -> bool:
        """Tell whether every output of a unit is there as it was left; looked at once."""
        if unit not in self._intact:
            head = self.all()[unit]
            self._intact[unit] = not self._is_behind_link(head, out) and head.is_intact(out)
        return self._intact[unit]

    def _is_behind_link(self, head: Head, out: str) -> bool:
        """Tell whether the folder of a unit's harness or package is a link now; each is looked at once.

        Those further down are not: they are as many as the outputs, which are seen to be as they were left.
        """
        harness, _, rest = head.paths.partition("\0")[0].partition("/")
        package, is_folder, _ = rest.partition("/")
        places = (f"{out}/{harness}", *((f"{out}/{harness}/{package}",) if is_folder else ()))
        for each in places:
            if each not in self._links:
                self._links[each] = is_link(each)
        return any(map(self._links.get, places))

    def is_gone(self, unit: str, out: str) -> bool:
        """Tell whether no output of a unit is there."""
        if self.is_intact(unit, out):
            return False
        return not any(os.path.lexists(f"{out}/{path}") for path in self.all()[unit].outputs)

    def stamp(self, harness: str) -> bytes:
        """Return what a stamp holds: the digest of all that is staged for a harness, its modes too."""
        from xxhash import xxh3_128_hexdigest

        mine = (head for head in self.all().values() if ids.harness(head.id) == harness)
        rows = sorted((head.id, head.digest) for head in mine)
        return f"{xxh3_128_hexdigest(json.dumps(rows).encode())}\n".encode()

    def is_stamped(self, path: str, harness: str) -> bool:
        """Tell whether the file of a stamp says what is staged for a harness."""
        try:
            return _whole(path) == self.stamp(harness)
        except OSError:
            return False

    def path(self, unit: str) -> str:
        """Return where a unit's file is."""
        return f"{self.folder}/{file_name(unit)}"


def _names(folder: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.endswith("~"))
    except (FileNotFoundError, NotADirectoryError):  # any other: nobody may think that nothing is ours
        return []


def moment(folder: str) -> object:
    """Return what is another thing once somebody has written to a record, given the folder of its units."""
    try:
        found = map(os.stat, (folder, os.path.dirname(folder)))
        times = [(each.st_mtime_ns, each.st_ino) for each in found]
    except OSError:
        return None
    is_young = max(times)[0] >= time.time_ns() - stamps.TICK  # what is written next may be of the same time
    return object() if is_young else times


def stamp_path(folder: str, harness: str) -> str:
    """Return where the stamp of a harness's tree is, in the folder of a record."""
    return f"{folder}/{harness}{STAMP}"


def file_name(unit: str) -> str:
    """Return the name of a unit's file; one that some system could not hold is told by its hash."""
    harness, _, package = unit.partition("/")
    plain = package.replace("-", "").replace(".", "")
    if not package or (plain.isascii() and plain.isalnum() and package.islower() and len(package) < _LONG):
        return f"{harness}.{package}"
    from xxhash import xxh3_64_hexdigest

    return f"{harness}.#{xxh3_64_hexdigest(package.encode(errors='surrogatepass'))}"
