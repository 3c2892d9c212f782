"""From a workspace and what is asked of it to a run: lock, trees, artifacts, plan and record.

The one place where the parts meet in their order. What a run may do to the lock and the network is
given as rights; nothing is written here but the lock, and only where it changes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tackroom import harnesses, journal, lock, plan, state
from tackroom.config import Workspace, out_problem
from tackroom.outputs import Place
from tackroom.packages import discovery
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.packages.near import hint
from tackroom.packages.package import Source
from tackroom.packages.store import Store
from tackroom.resolve import Resolver, Rights
from tackroom.staging import Run, Selection
from tackroom.variables import Options

LOCK = "tackroom.lock"

Say = Callable[[str], None]

IDLE = Rights(lock=False, fetch=False, why="this run changes nothing")
GUEST = Rights(lock=False, fetch=False, why="nothing is fetched while the SConstruct is read")
GUEST_STAGING = Rights(lock=False, why="a build never changes the lock")
_LOCKED = Rights(lock=False, why="LOCKED=1 forbids changing it")


def rights(options: Options, *, idle: bool) -> Rights:
    """Return what staging may do: nothing where nothing is to change, else what the options leave."""
    if idle:
        return IDLE
    return _LOCKED if options.locked else Rights()


def run(workspace: Workspace, options: Options, allowed: Rights, say: Say) -> tuple[Run, list[str]]:
    """Return the run of a workspace, and what it would have to lock or fetch first but may not.

    A lock that changes is written. Raises TackroomError for what stops the whole run.
    """
    resolver, sources = _resolve(workspace, options, allowed, say)
    packages = [discovery.read(each) for each in sources]
    if not resolver.pending:
        _check_asked(options.packages or (), [each.id for each in packages])
    made = plan.make(packages, resolver.specs, harness_ids(workspace), tuple(resolver.findings))
    where = place(workspace, options)
    _check_record(workspace.folder)
    record = state.load(record_path(workspace, where))
    if record.unreadable:
        say(f"{where.shown_here(record.path)}: cannot be used by this version; everything is staged anew")
    journal.adopt(record, where.out)
    return Run(made, record, where, selection(options)), resolver.pending


def harness_ids(workspace: Workspace) -> tuple[str, ...]:
    """Return the ids of the harnesses that a workspace stages for."""
    return workspace.harnesses or harnesses.ids()


def record_path(workspace: Workspace, where: Place) -> Path:
    """Return where the record of what lies in a place is kept."""
    return state.place(workspace.folder, where.out, "bundle")


def place(workspace: Workspace, options: Options) -> Place:
    """Return where a workspace's outputs go."""
    out = options.out or workspace.out
    if options.out and (problem := out_problem(workspace.folder, options.out)):
        raise TackroomError(f"OUT={options.out}: {problem}")
    # SCons knows a file by its path without '..', so does whoever else stages into this folder
    where = Place(workspace.folder, Path(os.path.normpath(workspace.folder / out)), options.force)
    real = _real(where.out)
    for spec in workspace.packages:
        if spec.path and _real(workspace.folder / spec.path).is_relative_to(real):
            lies = f"package '{spec.key}' lies in {quoted(out)}, where outputs go"
            raise TackroomError(f"{lies}; choose another folder for outputs")
    return where


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # Path.resolve() fails for a link that leads to itself


def _check_record(folder: Path) -> None:
    """Refuse a workspace whose record has no place, before SCons stumbles over it."""
    for each in (state.FOLDER.parent, state.FOLDER):
        if os.path.lexists(folder / each) and not (folder / each).is_dir():
            name = quoted(each.as_posix())
            raise TackroomError(f"{name} is no folder, and tackroom keeps its record there; move it")


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
    workspace: Workspace, options: Options, allowed: Rights, say: Say
) -> tuple[Resolver, list[Source]]:
    store = Store(offline="OFFLINE=1" if options.offline else "")
    known = lock.read(workspace.folder / LOCK)
    out = _real(place(workspace, options).out)
    resolver = Resolver(workspace, known, store, allowed, frozenset(options.update), say, out)
    sources = resolver.sources()
    new = None if resolver.pending else resolver.new_lock()
    if new and allowed.lock:
        lock.write(workspace.folder / LOCK, new)
        for each in sorted(known.rows.keys() - new.rows.keys() if known else ()):
            say(f"{LOCK} no longer pins {each}")
    elif new and options.locked:
        gone = "has rows of packages that are gone"
        raise TackroomError(f"{LOCK} {gone} and {_LOCKED.why}; run 'tackroom lock'")
    return resolver, sources


def lock_packages(workspace: Workspace, options: Options, say: Say) -> None:
    """Resolve every package that the lock does not know, or whose pin is to move, and write the lock."""
    _resolve(workspace, options, Rights(), say)
    say(f"{LOCK} is complete")
