"""Putting files in their place and taking them away, without ever losing what is not ours.

A file that we wrote and nobody edited may be replaced and deleted. An edited one, and one that we
never wrote, is left as it is and reported; ``force`` moves it to ``.backups`` first.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tackroom.atomic import MODES, put, write
from tackroom.codes import OutputEdited, OutputFailed, OutputInTheWay
from tackroom.files import digest, has_mode, is_there, is_unedited, stamp
from tackroom.packages.findings import Finding, visible
from tackroom.packages.links import is_folder
from tackroom.packages.names import illegal
from tackroom.packages.stamps import MODE, Stamp
from tackroom.paths import relative
from tackroom.realfolders import RealFolders
from tackroom.records import Output

BACKUPS = ".backups"
ILLEGAL = "leaves the folder of outputs, or has a name that some system cannot hold; not written"


class Refused(Exception):
    """A place that cannot be written to; carries the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass(frozen=True)
class Place:
    """Where outputs go: the workspace's folder, its OUT, whether ``FORCE=1`` and ``VERIFY=1`` were given."""

    folder: Path
    out: Path
    force: bool = False
    verify: bool = False

    @cached_property
    def folders(self) -> RealFolders:
        """Return the folders of outputs that were looked at."""
        return RealFolders(str(self.out))

    def shown(self, path: str) -> str:
        """Return an output's path as users know it: from the workspace's folder."""
        return self.shown_here(self.out / path)

    def shown_here(self, path: Path) -> str:
        """Return any path as it counts from the workspace's folder."""
        return relative(path, self.folder)

    def put(self, path: str, content: bytes, wanted: Output, known: Output | None) -> Output:
        """Stage one file, and return ``wanted`` with its stamp; ``known`` is what we last wrote there.

        Raise Refused where it is not ours.
        """
        folder, _, name = path.rpartition("/")
        if illegal(name) or path.startswith("/") or not self.folders.make(folder):
            self._clear(path)
        within = f"{self.folders.out}/{folder}"
        target = f"{within}/{name}"
        if os.path.lexists(target):
            self._replace(path, Path(target), content, wanted, known)
        else:
            put(within, name, content, executable=wanted.executable)
        return Output(wanted.digest, wanted.executable, self._stamp(target, executable=wanted.executable))

    def _stamp(self, target: str, *, executable: bool) -> Stamp:
        """Return the stamp of a file that was just written; its mode is the one it should have then."""
        now = stamp(target)
        if now and not has_mode(now[MODE], executable=executable):
            Path(target).chmod(MODES[executable])
            now = stamp(target)
        if now is None:  # who does not wait for a turn can take it away
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), target)
        return now

    def _clear(self, path: str) -> None:
        """Make the folder of a path in place of what is in the way; raise Refused where that has to stay.

        Refused as well: a path that is not legal.
        """
        if not _is_legal(path):
            raise Refused(OutputFailed(output=visible(path), problem=ILLEGAL))
        if blocked := self.folders.blocked(path):
            self._refuse(blocked, self.out / blocked, None)
        if not self.folders.make(path.rpartition("/")[0]):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)

    def _replace(self, path: str, target: Path, content: bytes, wanted: Output, known: Output | None) -> None:
        if not self._is_free(target, content, known):
            self._refuse(path, target, known)
        write(target, content, executable=wanted.executable)

    def is_open(self, path: str) -> bool:
        """Tell whether the folders of a path can be made, and a file or nothing stands where it belongs."""
        try:
            if not _is_legal(path) or self.folders.blocked(path):
                return False
        except OSError:
            return False
        target = self.out / path
        folder = next(each for each in target.parents if os.path.lexists(each))
        can_be_made = os.access(folder, os.W_OK | os.X_OK)
        return can_be_made and (stamp(target) is not None or not os.path.lexists(target))

    def _is_free(self, target: Path, content: bytes, known: Output | None) -> bool:
        """Tell whether a place is empty, ours, or holds the right bytes already."""
        now = stamp(target)
        if now is None:
            return not os.path.lexists(target)
        if known and now == known.stamp and not self.verify:
            return True
        try:
            there = target.read_bytes()
        except PermissionError:
            if self.force:  # it can be moved all the same
                return False
            raise
        return there == content or bool(known and digest(there) == known.digest)

    def _refuse(self, path: str, target: Path, known: Output | None) -> None:
        """Move what is in the way to the backups where that was asked for, else raise."""
        if self.force:
            self._back_up(path, target, "edited" if known else "in-the-way")
            return
        kind = OutputEdited if known else OutputInTheWay
        raise Refused(kind(output=self.shown(path)))

    def _back_up(self, path: str, target: Path, why: str) -> None:
        shown = self.shown(path).replace("../", "")
        if Path(shown).is_absolute():  # on another drive
            shown = f"{self.out.name}/{path}"
        *folders, name = shown.split("/")
        place = self.folder / BACKUPS / why
        for part in folders:  # never through a link that was moved there
            place = next(each for each in _numbered(place / part) if not is_there(each) or is_folder(each))
        place.mkdir(parents=True, exist_ok=True)
        self.folders.forget()
        free = next(each for each in _numbered(place / name) if not is_there(each))
        try:
            shutil.move(target, free)  # OUT may be on another disk
        except shutil.Error:  # then it is copied, and what is no file, folder or link cannot be
            shutil.rmtree(free, ignore_errors=True)
            raise OSError(errno.EXDEV, "it cannot be moved to another disk as a whole", str(target)) from None

    def remove(self, path: str, known: Output) -> None:
        """Delete a file that left the plan. Raise Refused where it was edited."""
        target = self.out / path
        if not _is_legal(path) or self.folders.blocked(path):
            return  # its folder is a link or a file now: what lies behind it is not ours
        if is_there(target) and (target.is_symlink() or not target.is_dir()):
            self._remove(path, target, known)
        self._tidy(target.parent)

    def _remove(self, path: str, target: Path, known: Output) -> None:
        if is_unedited(target, known, verify=self.verify):
            target.unlink()
        elif self.force:
            self._back_up(path, target, "edited")
        else:
            raise Refused(OutputEdited(output=self.shown(path)))

    def tidy(self, path: str, beside: str) -> None:
        """Remove what was left ``beside`` a path, and its folders where they are empty."""
        target = self.out / path
        if _is_legal(path) and not self.folders.blocked(path):
            with contextlib.suppress(OSError):
                target.with_name(beside).unlink(missing_ok=True)
            self._tidy(target.parent)

    def _tidy(self, folder: Path) -> None:
        """Remove the folders that a deleted file leaves empty, up to OUT; one that is not empty stays."""
        self.folders.forget()
        with contextlib.suppress(OSError):
            while self.out in folder.parents and not self._stands(folder):
                folder.rmdir()
                folder = folder.parent

    def _stands(self, folder: Path) -> bool:
        return folder.relative_to(self.out).as_posix() in self.folders.standing


def _numbered(path: Path) -> Iterator[Path]:
    """Yield a path, and then the same with a number behind it."""
    yield path
    for number in range(1, 10_000):
        yield path.with_name(f"{path.name}.{number}")


def _is_legal(path: str) -> bool:
    """Tell whether a path stays where it belongs on every system: no '..', no drive, no device."""
    return not any(illegal(part) for part in path.split("/"))
