"""A workspace that is staged over and over: its files, what a run wrote, one artifact that changes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import generate

STAGE = Path(".tackroom", "stage")
Stamps = dict[str, tuple[int, int]]  # a path from the workspace's folder: time of change in ns, inode


@dataclass
class Workspace:
    """A workspace below a folder; ``changing`` is the command of it that ``change`` changes."""

    folder: Path
    artifacts: int
    changing: Path = field(init=False)
    _changes: int = 0

    def __post_init__(self) -> None:
        """Make it."""
        commands = generate.workspace(self.folder, self.artifacts)
        self.changing = self.folder / commands[len(commands) // 2]

    def reset(self) -> None:
        """Make it one that was never staged."""
        reset(self.folder)

    def change(self) -> None:
        """Add a line to one artifact."""
        self._changes += 1
        with self.changing.open("a", encoding="utf-8") as file:
            file.write(f"\nChanged {self._changes} times.\n")

    def outputs(self) -> list[str]:
        """Return the paths of all that is staged, from the workspace's folder."""
        return list(_files(self.folder, STAGE))

    def sources(self) -> list[str]:
        """Return the paths of all files of the packages, from the workspace's folder."""
        return list(_files(self.folder, Path("packages")))

    def expected(self) -> set[str]:
        """Return the outputs of the artifact that changes: those that have its name."""
        return {each for each in self.outputs() if self.changing.stem in _stems(each)}

    def stamps(self) -> Stamps:
        """Return what tells whether a file or folder was written: everything's, SCons' own files too."""
        return dict(_all(self.folder))


def reset(folder: Path) -> None:
    """Take away what staging and SCons left in a workspace's folder."""
    put_aside(folder / ".tackroom")
    for each in folder.glob(".sconsign*"):
        each.unlink()


def put_aside(path: Path) -> None:
    """Move what is in the way beside its folder, where it stays until all is measured.

    Deleting many files makes the next ones dear: for minutes ext4 looks twice at an inode that was just freed
    before it gives it to a new file, and that can double what a first run costs.
    """
    if path.exists():
        aside = path.parent.with_name(f"{path.parent.name}.aside")
        aside.mkdir(exist_ok=True)
        path.rename(aside / str(len(list(aside.iterdir()))))


def written(before: Stamps, after: Stamps) -> set[str]:
    """Return the paths that are not as they were."""
    return {each for each in before.keys() | after.keys() if before.get(each) != after.get(each)}


def some(paths: Iterable[str], most: int = 3) -> str:
    """Return a few of many paths, in words."""
    found = sorted(paths)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _stems(path: str) -> Iterator[str]:
    return (part.partition(".")[0] for part in path.split("/"))


def _all(top: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for folder, _, names in os.walk(top):
        for path in (folder, *(os.path.join(folder, name) for name in names)):  # noqa: PTH118 - 100,000 of them
            found = os.lstat(path)
            yield os.path.relpath(path, top), (found.st_mtime_ns, found.st_ino)


def _files(top: Path, below: Path) -> Iterator[str]:
    for folder, _, names in os.walk(top / below):
        yield from (os.path.relpath(os.path.join(folder, name), top) for name in sorted(names))  # noqa: PTH118
