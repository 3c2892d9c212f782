"""From a workspace and what is asked of it to a run: lock, packages, plan and record.

The one place where the parts meet in their order. What a run may do to the lock and the network is
given as rights; nothing is written here but the lock, and only where it changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tackroom import harnesses, ids, journal, lock, memory, plan, state
from tackroom.config import Workspace, out_problem
from tackroom.folders import Folders
from tackroom.glance import Glance
from tackroom.judging import Judge
from tackroom.library import Library
from tackroom.memory import LOCK
from tackroom.outputs import Place
from tackroom.packages import discovery
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, quoted, revive
from tackroom.packages.near import hint
from tackroom.packages.package import Package
from tackroom.packages.store import Store
from tackroom.remembering import Remembering
from tackroom.resolve import ALL_RIGHTS, Origin, Resolver, Rights
from tackroom.staging import Run
from tackroom.state import State
from tackroom.turn import Turn
from tackroom.unitfile import STAMP, UNITS
from tackroom.variables import Options
from tackroom.work import Selection, Work

Say = Callable[[str], None]

IDLE = Rights(lock=False, fetch=False, why="this run changes nothing")
GUEST = Rights(lock=False, fetch=False, why="nothing is fetched while the SConstruct is read")
GUEST_STAGING = Rights(lock=False, why="a build never changes the lock")
_LOCKED = Rights(lock=False, why="LOCKED=1 forbids changing it")


def rights(options: Options, *, idle: bool) -> Rights:
    """Return what staging may do: nothing where nothing is to change, else what the options leave."""
    if idle:
        return IDLE
    return _LOCKED if options.locked else ALL_RIGHTS


def run(
    workspace: Workspace,
    options: Options,
    allowed: Rights,
    say: Say,
    look: Glance | None = None,
    *,
    later: Say | None = None,
) -> tuple[Run, list[str]]:
    """Return the run of a workspace, and what it would have to lock or fetch first but may not.

    ``look`` has seen some of it already. ``say`` takes lines for the user now, ``later`` those of the run
    itself. A lock that changes is written. Raises TackroomError for what stops the whole run.
    """
    where = place(workspace, options)
    check_record(workspace, where)
    look = look or _glance(workspace, options)
    held = Held(later or say, is_open=later is None)
    found, folders = _record(workspace, options, look, partial(_say_lost, where, held))
    resolver, origins = _resolve(workspace, options, allowed, say, folders, where)
    if not resolver.pending:
        _check_asked(options.packages or (), [each.id for each in origins])
    library = Library({each.id: partial(_read, each) for each in origins}, resolver.specs)
    judge = Judge(found.folder, library, resolver.specs, harness_ids(workspace))
    made = _plan(judge, library, origins, resolver)
    journal.adopt(found, where.out)
    work = Work(made, found, where, selection(options), options.unfold, options.verify)
    inputs = look.inputs | {"workspace": workspace.digest}
    inputs |= memory.lock_input(str(workspace.folder)) if resolver.wrote else {}
    leaves = Remembering(look, folders, judge, inputs, resolver.listed, not resolver.pending)
    turn = Turn(found.folder, where.shown_here(where.out), later or say)
    said = _revived(look.memory.said)
    return Run(work, turn, leaves, _Release(work, library), said, held.open), resolver.pending


@dataclass
class Held:
    """Says lines, or holds them until it is opened."""

    say: Say
    is_open: bool
    _lines: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> None:
        """Say a line, now or later."""
        if self.is_open:
            self.say(line)
        else:
            self._lines.append(line)

    def open(self) -> None:
        """Say what is held, and from now on hold nothing."""
        self.is_open = True
        while self._lines:
            self.say(self._lines.pop(0))


def _record(
    workspace: Workspace, options: Options, look: Glance, lost: Callable[[Path, str], None]
) -> tuple[State, Folders]:
    """Return the record, and the folders of packages as they are remembered beside it."""
    if look.unreadable:
        lost(Path(look.path), "everything is looked at again")
    record = record_path(workspace, place(workspace, options))
    if look.state == str(record):
        return State(record, lost, look.heads), look.folders
    return State(record, lost), Folders(str(record / "folders"), trusted=not options.verify)  # another OUT


def _plan(judge: Judge, library: Library, origins: Sequence[Origin], resolver: Resolver) -> plan.Plan:
    digests = {each.id: each.digest for each in origins}
    made = plan.lay(judge.rulings(origins), digests, library, resolver.findings)
    return replace(made, artifacts=partial(judge.artifacts, origins))


def _glance(workspace: Workspace, options: Options) -> Glance:
    """Return a look at what is remembered of a workspace."""
    return Glance(str(workspace.folder), Path(workspace.name).name, options.out or "", verify=options.verify)


def _say_lost(where: Place, say: Say, path: Path, so: str) -> None:
    say(f"{where.shown_here(path)}: cannot be used by this version; {so}")


def _read(origin: Origin) -> Package:
    return discovery.read(origin.source())


def _revived(records: Sequence[dict[str, object]]) -> frozenset[Finding]:
    """Return remembered findings; one that this version does not know was not said by it."""
    found = set()
    for each in records:
        try:
            found.add(revive(each))
        except (KeyError, TypeError):
            continue
    return frozenset(found)


class _Release:
    """Lets go of a package when the last unit that is staged from it is done."""

    def __init__(self, work: Work, library: Library) -> None:
        self._library = library
        self._open: dict[str, set[str]] = {}
        for unit in work.units:
            self._open.setdefault(unit.package, set()).add(unit.id)
        self._work = work

    def __call__(self, unit: str) -> None:
        """Count a unit as done."""
        package = ids.package(unit)
        waiting = self._open.get(package, set())
        waiting.discard(unit)
        work = self._work
        if work.whole.keys().isdisjoint(waiting) and work.tasks.keys().isdisjoint(waiting):
            self._library.give_back(package)


def harness_ids(workspace: Workspace) -> tuple[str, ...]:
    """Return the ids of the harnesses that a workspace stages for."""
    return workspace.harnesses or harnesses.ids()


def record_path(workspace: Workspace, where: Place) -> Path:
    """Return the folder of the record of what lies in a place."""
    return state.place(workspace.folder, where.out, "bundle")


def memory_path(workspace: Workspace, options: Options) -> Path:
    """Return where the memory of a workspace is."""
    return Path(memory.place(str(workspace.folder), Path(workspace.name).name, options.out or ""))


def place(workspace: Workspace, options: Options) -> Place:
    """Return where a workspace's outputs go."""
    out = options.out or workspace.out
    if options.out and (problem := out_problem(workspace.folder, options.out)):
        raise TackroomError(f"OUT={options.out}: {problem}")
    # SCons knows a file by its path without '..', so does whoever else stages into this folder
    normal = Path(os.path.normpath(workspace.folder / out))
    return Place(workspace.folder, normal, options.force, options.verify)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve() fails for a link that leads to itself


def _check_packages(workspace: Workspace, where: Place) -> None:
    """Refuse a package that lies where outputs go: it would be read and written at once."""
    real = _real(where.out)
    for spec in workspace.packages:
        if spec.path and _real(workspace.folder / spec.path).is_relative_to(real):
            lies = f"package '{spec.key}' lies in {quoted(where.shown_here(where.out))}, where outputs go"
            raise TackroomError(f"{lies}; choose another folder for outputs")


def check_record(workspace: Workspace, where: Place) -> None:
    """Refuse a workspace whose record has no place, before SCons stumbles over it."""
    record = record_path(workspace, where)
    for each in (record.parent.parent, record.parent, record, units := record / UNITS):
        if os.path.lexists(each) and not each.is_dir():
            name = quoted(where.shown_here(each))
            raise TackroomError(f"{name} is no folder, and tackroom keeps its record there; move it")
    for each in (*record.glob(f"*{STAMP}"), *_folders(units)):
        if each.is_dir():
            name = quoted(where.shown_here(each))
            raise TackroomError(f"{name} is a folder, and tackroom keeps a file of its record there; move it")


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            return [Path(each) for each in found if each.is_dir()]
    except FileNotFoundError:
        return []


def _check_asked(names: Sequence[str], ids: Sequence[str]) -> None:
    """Refuse to be narrowed to what is not there: an entry no catalogue has, or nothing of one's own."""
    known = {*ids, *(each.partition(".")[0] for each in ids)}
    for name in names:
        if name not in known:
            problem = f"which is no package of the workspace{hint(name, sorted(known))}"
            raise TackroomError(f"PACKAGE names {quoted(name)}, {problem}")


def selection(options: Options) -> Selection:
    """Return what the options narrow a run to."""

    def chosen(names: tuple[str, ...] | None) -> frozenset[str] | None:
        return None if names is None else frozenset(names)

    return Selection(chosen(options.harnesses), chosen(options.packages))


def _resolve(
    workspace: Workspace, options: Options, allowed: Rights, say: Say, folders: Folders, where: Place
) -> tuple[Resolver, list[Origin]]:
    _check_packages(workspace, where)
    store = Store(offline="OFFLINE=1" if options.offline else "")
    known = lock.read(workspace.folder / LOCK)
    out, update = _real(where.out), frozenset(options.update)
    resolver = Resolver(workspace, known, store, folders, out, allowed, update, say, options.verify)
    origins = resolver.origins()
    new = None if resolver.pending else resolver.new_lock()
    if new and allowed.lock:
        lock.write(workspace.folder / LOCK, new)
        resolver.wrote = True
        for each in sorted(known.rows.keys() - new.rows.keys() if known else ()):
            say(f"{LOCK} no longer pins {each}")
    elif new and options.locked:
        gone = "has rows of packages that are gone"
        raise TackroomError(f"{LOCK} {gone} and {_LOCKED.why}; run 'tackroom lock'")
    return resolver, origins


def lock_packages(workspace: Workspace, options: Options, say: Say) -> None:
    """Resolve every package that the lock does not know, or whose pin is to move, and write the lock."""
    folders = Folders(str(workspace.folder / state.FOLDER / "folders"))
    _resolve(workspace, options, ALL_RIGHTS, say, folders, place(workspace, options))
    say(f"{LOCK} is complete")
