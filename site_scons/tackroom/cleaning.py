"""What ``scons -c`` takes away: everything selected that we wrote and nobody edited, folded or not."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from tackroom.journal import half_written
from tackroom.outputs import Place
from tackroom.state import Output, State, is_unedited, outputs
from tackroom.work import Selection


def targets(state: State, place: Place, selection: Selection) -> tuple[list[str], list[Path]]:
    """Return the edited outputs, which stay, and what to delete: a whole folder where all in it is ours.

    The record stays while it vouches for a file that was kept or is not selected.
    """
    kept = []
    ours = set(half_written(state, place.out))
    for path, output in _selected(state, selection).items():
        target = place.out / path
        if is_unedited(target, output, verify=place.verify):
            ours.add(target)
        elif os.path.lexists(target):
            kept.append(place.shown(path))
    gone = list(_largest(place.out, ours))
    is_whole = not kept and selection == Selection()
    return sorted(kept), [*gone, *([state.folder] if is_whole else ())]


def _selected(state: State, selection: Selection) -> Mapping[str, Output]:
    units = (each for each in state.heads.all() if selection.has(each))
    found = {path: each for unit in units for path, each in outputs(state.records(unit))}
    kept = state.kept.items()
    return found | {path: each.output for path, each in kept if selection.has(each.unit)}


def _largest(folder: Path, ours: set[Path]) -> Iterator[Path]:
    """Yield the fewest paths that hold just what is ours: a folder in which everything is stands for it."""
    if not folder.is_dir():
        return
    if not folder.is_symlink() and _is_all_ours(folder, ours):
        yield folder
        return
    for each in sorted(folder.iterdir()):
        if each in ours:
            yield each
        elif each.is_dir() and not each.is_symlink():
            yield from _largest(each, ours)


def _is_all_ours(folder: Path, ours: set[Path]) -> bool:
    """Tell whether a folder holds files of ours and nothing else; an empty one was made by someone else."""
    found = list(folder.iterdir())
    return bool(found) and all(
        each in ours or (each.is_dir() and not each.is_symlink() and _is_all_ours(each, ours))
        for each in found
    )
