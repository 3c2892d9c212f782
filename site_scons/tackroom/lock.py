"""``tackroom.lock``: which commit each package is pinned to, and the digest of what is there.

Takes the text of the file, gives frozen rows, and back. The file comes from a repository that
others write to: what it says is checked before any of it reaches git or a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from tackroom import atomic
from tackroom.packages import near, pin
from tackroom.packages.errors import TackroomError, reason
from tackroom.packages.findings import quoted

VERSION = 1

_ID = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\..+)?")  # KEY or KEY.ENTRY
_OBJECT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_T = TypeVar("_T")

Check = Callable[[str, Path], object]  # of one value, in a file of that folder; raises TackroomError


class Row(NamedTuple):
    """The pin of one package. ``git`` and ``rev`` are as asked; ``tree`` is git's id of ``subdir``."""

    id: str
    git: str
    subdir: str
    rev: str
    commit: str
    tree: str
    sha256: str


class Lock(NamedTuple):
    """What a lock file says: its format, who wrote it and the rows by id."""

    version: int
    tackroom: str
    rows: Mapping[str, Row]


def read(path: Path) -> Lock | None:
    """Return the lock of a file, or None where there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise TackroomError("not UTF-8; restore it from version control", where=path.name) from None
    except OSError as error:
        raise TackroomError(f"cannot be read: {reason(error)}", where=path.name) from None
    return _Reading(path, text).lock()


def text(lock: Lock) -> str:
    """Return the text of a lock file: rows sorted by id, keys in their fixed order."""
    rows = [lock.rows[id_]._asdict() for id_ in sorted(lock.rows)]
    head = {"version": lock.version, "tackroom": lock.tackroom}
    import tomli_w

    return tomli_w.dumps(head | ({"package": rows} if rows else {}))


def write(path: Path, lock: Lock) -> None:
    """Write a lock file in one step, and only if that changes it."""
    try:
        atomic.sweep(path, atomic.LEFT)
        atomic.write(path, text(lock).encode())
    except OSError as error:
        raise TackroomError(f"cannot be written: {reason(error)}", where=path.name) from None


class _Reading:
    """One reading of a lock file; knows on which line a complaint belongs."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._text = text

    def lock(self) -> Lock:
        table = self._parse()
        version = self._typed(table, "version", int)
        if version != VERSION:
            known = f"this tackroom reads version {VERSION}"
            raise self._wrong(f"version {version} is unknown: {known}; use the one that wrote it", "version")
        self._known(table, ("version", "tackroom", "package"))
        return Lock(version, self._typed(table, "tackroom", str), self._rows(table.get("package", [])))

    def _parse(self) -> dict[str, Any]:
        import tomllib

        try:
            return tomllib.loads(self._text)
        except (ValueError, RecursionError) as error:  # a number of 5,000 digits is only a ValueError
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            advice = "restore it from version control, or delete it and run 'tackroom lock'"
            raise self._at(int(found[1]) if found else 0, f"not valid TOML; {advice}") from None

    def _rows(self, tables: object) -> dict[str, Row]:
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self._wrong("'package' is not a list of tables; write [[package]]", "package")
        rows: dict[str, Row] = {}
        for index, table in enumerate(tables):
            row = self._row(table, index)
            if row.id in rows:
                raise self._wrong(f"a second row of {quoted(row.id)}; delete one", "id", index)
            rows[row.id] = row
        return rows

    def _row(self, table: dict[str, Any], index: int) -> Row:
        names = Row._fields
        self._known(table, names, index)
        row = Row(**{name: self._typed(table, name, str, index) for name in names})
        for name, check in _CHECKS.items():
            try:
                check(getattr(row, name), self._path.parent)
            except TackroomError as error:
                raise self._wrong(str(error), name, index) from None
        return row

    def _known(self, table: dict[str, Any], known: Iterable[str], index: int = -1) -> None:
        for key in table:
            if key not in known:
                raise self._wrong(f"unknown key {quoted(key)}{near.hint(key, known)}", key, index)

    def _typed(self, table: dict[str, Any], key: str, kind: type[_T], index: int = -1) -> _T:
        if key not in table:
            raise self._wrong(f"the key {quoted(key)} is missing; run 'tackroom lock'", "", index)
        value = table[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self._wrong(f"{quoted(key)} is not {'a number' if kind is int else 'text'}", key, index)
        return value

    def _wrong(self, message: str, key: str, index: int = -1) -> TackroomError:
        return self._at(self._line(key, index), message)

    def _line(self, key: str, index: int) -> int:
        """Return the line of a key of the index-th package (-1: above them); of its head if not found."""
        at, head = -1, 0
        for number, line in enumerate(self._text.split("\n"), 1):
            if re.match(r"\s*\[\[\s*package\s*\]\]", line):
                at, head = at + 1, number if at + 1 == index else head
            elif at == index and key and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return head

    def _at(self, line: int, message: str) -> TackroomError:
        return TackroomError(message, where=f"{self._path.name}:{line}" if line else self._path.name)


def _matches(name: str, pattern: re.Pattern[str], what: str) -> Check:
    def check(value: str, _folder: Path) -> None:
        if not pattern.fullmatch(value) or not value.isprintable():
            raise TackroomError(f"{name}: {quoted(value)} is not {what}")

    return check


def _check_subdir(value: str, _folder: Path) -> None:
    if pin.folder(value) != value:
        raise TackroomError(f"subdir: {quoted(value)} is not in its plain form, {quoted(pin.folder(value))}")


_CHECKS: dict[str, Check] = {
    "id": _matches("id", _ID, "the id of a package, KEY or KEY.ENTRY"),
    "git": pin.remote,
    "subdir": _check_subdir,
    "rev": lambda value, _folder: pin.check_rev(value),
    "commit": _matches("commit", _OBJECT, "a whole commit id of 40 or 64 digits"),
    "tree": _matches("tree", _OBJECT, "a whole tree id of 40 or 64 digits"),
    "sha256": _matches("sha256", _SHA256, "64 hexadecimal digits"),
}
