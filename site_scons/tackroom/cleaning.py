"""What ``scons -c`` takes away: everything selected that we wrote and nobody edited, folded or not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from tackroom import standing
from tackroom.files import is_there, is_unedited
from tackroom.journal import half_written
from tackroom.outputs import Place
from tackroom.packages.links import is_link
from tackroom.packages.names import same
from tackroom.records import Output
from tackroom.state import State
from tackroom.work import EVERYTHING, Selection
from tackroom.writing import problem


def targets(state: State, place: Place, selection: Selection) -> tuple[dict[str, str], list[Path]]:
    """Return the outputs that stay, each with the reason, and what to delete.

    A whole folder goes where all in it is ours. The record stays while it vouches for a file that was kept or
    is not selected, or a part of it cannot be used.
    """
    kept = {}
    ours = set(half_written(state, place.out))
    for path, output in sorted(_selected(state, selection).items()):
        if why := _why_kept(path, output, place):
            kept[place.shown(path)] = why
        else:
            ours.add(place.out / path)
    stands = frozenset(place.out / each for each in standing.load(state))
    gone = list(_Ours(ours, stands).largest(place.out))
    is_whole = not kept and not state.unreadable and selection == EVERYTHING
    return kept, [*gone, *([state.folder] if is_whole else ())]


def _why_kept(path: str, output: Output, place: Place) -> str:
    """Say why an output stays; empty where it goes, or is gone."""
    target = place.out / path
    try:
        if not is_there(target):
            return ""
        if place.folders.blocked(path):
            return "its folder is a link now"
        if not is_unedited(target, output, verify=place.verify):
            return "it was edited by hand"
        return "" if _may_be_changed(target.parent) else "its folder may not be changed"
    except OSError as wrong:
        return f"it cannot be read: {problem(wrong)}"


@lru_cache(maxsize=1)  # a folder's files are looked at one after the other
def _may_be_changed(folder: Path) -> bool:
    """Tell whether files may be taken out of a folder: SCons does that, and only tells the user where not."""
    return os.access(folder, os.W_OK | os.X_OK)


def _selected(state: State, selection: Selection) -> Mapping[str, Output]:
    units = (each for each in state.heads.all() if selection.has(each))
    found = {path: each for unit in units for path, each in state.owned(unit).items()}
    kept = state.kept.items()
    return found | {path: each.output for path, each in kept if selection.has(each.unit)}


class _Ours:
    """Files of ours, and folders that stay whatever is in them."""

    def __init__(self, files: set[Path], stands: frozenset[Path]) -> None:
        self._files = files
        self._folders = frozenset(_above(files))
        self._stands = stands
        self._alike = {same(str(each)): each for each in files}

    def largest(self, folder: Path) -> Iterator[Path]:
        """Yield the fewest paths that hold just what is ours: a folder, where all in it is."""
        if not folder.is_dir():
            return
        if not is_link(folder) and self._is_whole(folder):
            yield folder
            return
        for each in _listed(folder) or ():
            if self._has(each):
                yield each
            elif each.is_dir() and not is_link(each):
                yield from self.largest(each)

    def _has(self, path: Path) -> bool:
        """Tell whether a file is ours, be it in another case where the system folds that."""
        if path in self._files:
            return True
        known = self._alike.get(same(str(path)))
        return known is not None and known.exists() and path.exists() and path.samefile(known)

    def _is_whole(self, folder: Path) -> bool:
        """Tell whether a folder holds files of ours and nothing else; an empty one, whether it held some."""
        found = _listed(folder)
        return (
            found is not None
            and (bool(found) or folder in self._folders)
            and folder not in self._stands
            and all(
                self._has(each) or (each.is_dir() and not is_link(each) and self._is_whole(each))
                for each in found
            )
        )


def _above(files: Iterable[Path]) -> set[Path]:
    """Return the folders that files lie in, and those that these lie in."""
    found: set[Path] = set()
    for each in files:
        folder = each.parent
        while folder not in found:
            found.add(folder)
            folder = folder.parent
    return found


def _listed(folder: Path) -> list[Path] | None:
    """Return what is in a folder; None where it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return None
