"""What a run writes, told from the disk: which files are new, written again or gone, and what all hold."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from xxhash import xxh3_64_hexdigest

from building import Outcome, Workspace

STAGE = ".tackroom/stage"
STATE = ".tackroom/state"


@dataclass(frozen=True)
class Watched:
    """A run and what it wrote: ``+ path`` is new, ``~ path`` written again, ``- path`` gone.

    ``outputs`` count from OUT. ``state`` has the parts of the record by name: ``unit codex.kit``,
    ``outline kit``, ``folder kit``, ``stamp codex``, ``rulings``, ``memory``, ``turn``. ``rest`` is
    everything else in the workspace.
    """

    outcome: Outcome
    outputs: set[str]
    state: set[str]
    rest: set[str]

    @property
    def units(self) -> set[str]:
        """The units whose record was written, as HARNESS.PACKAGE."""
        return {each.replace(" unit", "") for each in self.state if each[2:].startswith("unit ")}

    @property
    def remembered(self) -> set[str]:
        """What else of the record was written."""
        return {each[2:] for each in self.state if not each[2:].startswith("unit ")}

    @property
    def wrote_nothing(self) -> bool:
        return not (self.outputs or self.state or self.rest)


def watch(workspace: Workspace, *arguments: str, **environ: str) -> Watched:
    """Run SCons, and tell what it wrote."""
    before = _seen(workspace.folder)
    outcome = workspace.scons(*arguments, **environ)
    after = _seen(workspace.folder)
    found: dict[str, set[str]] = {STAGE: set(), STATE: set(), "": set()}
    for path in before.keys() | after.keys():
        if before.get(path) != after.get(path):
            sign = "+" if path not in before else "~" if path in after else "-"
            place = next(each for each in found if path.startswith(each))
            shown = _named(path, workspace.folder) if place == STATE else path.removeprefix(f"{place}/")
            found[place].add(f"{sign} {shown}")
    return Watched(outcome, *found.values())


def tree(workspace: Workspace, out: str = STAGE) -> dict[str, tuple[bytes, str]]:
    """Return what is staged: path -> content and mode."""
    root = workspace.folder / out
    files = sorted(each for each in root.rglob("*") if each.is_file())
    return {
        each.relative_to(root).as_posix(): (each.read_bytes(), f"{each.stat().st_mode & 0o7777:o}")
        for each in files
    }


def together(folder: Path, names: Iterable[str]) -> Workspace:
    """Return a build of the workspaces in some folders: to start SCons takes longer than to stage them."""
    calls = "".join(f"tackroom.workspace('{each}/tackroom.yaml')\n" for each in names)
    return Workspace(folder, {"SConstruct": f"import tackroom\n{calls}"})


def staged(folder: Path, number: int, files: Mapping[str, str], yaml: str) -> Iterator[Workspace]:
    """Return so many equal workspaces that were staged, each in a folder of its own."""
    made = [Workspace(folder / f"{each}/ws", files, yaml) for each in range(number)]
    assert together(folder, [f"{each}/ws" for each in range(number)]).scons().status == 0
    return iter(made)


def copy_inputs(workspace: Workspace, name: str) -> Workspace:
    """Return a new workspace beside one, with the same inputs."""
    folder = workspace.folder.with_name(name)
    shutil.copytree(workspace.folder, folder, ignore=shutil.ignore_patterns(".tackroom", ".sconsign*"))
    return Workspace(folder, {}, workspace.read("tackroom.yaml"))


def _seen(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Return when each file was written, as which one, and with which mode."""
    found = {each: each.stat() for each in folder.rglob("*") if each.is_file()}
    return {
        path.relative_to(folder).as_posix(): (each.st_mtime_ns, each.st_ino, each.st_mode)
        for path, each in found.items()
    }


def _named(path: str, folder: Path) -> str:
    """Return what a file of the record is, its hashes told by the folders of the workspace."""
    names = [each.name for each in folder.iterdir()]
    folders = {xxh3_64_hexdigest(os.fsencode(folder / each)): each for each in names}
    outlines = {xxh3_64_hexdigest(each.encode()): each for each in names}
    *parents, name = path.removeprefix(f"{STATE}/").split("/")
    stem, _, suffix = name.rpartition(".")
    match parents[1:]:
        case ["units"]:
            return f"unit {_id(folder / path) if '#' in name else name}"
        case ["folders"]:
            return f"folder {folders.get(name, name)}"
        case ["packages"]:
            return f"outline {outlines.get(name, name)}"
    if parents:
        return f"stamp {stem}" if suffix == "stamp" else stem or name
    return {"json": "memory"}.get(suffix, "turn")


def _id(unit: Path) -> str:
    """Return the id of a unit whose file is called by a hash; it is the second line there."""
    return unit.read_bytes().split(b"\n", 2)[1].decode().replace("/", ".", 1) if unit.exists() else unit.name
