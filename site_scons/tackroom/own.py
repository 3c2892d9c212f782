"""The targets of a workspace of one's own, where there is something to do.

Packages are locked and fetched while the SConstruct is read, since the plan needs them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tackroom import __version__, cleaning, graph, harnesses, journal, prepare, report, variables
from tackroom.config import Workspace, read
from tackroom.explaining import explain
from tackroom.glance import Glance, at
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.paths import relative
from tackroom.resolve import OWN
from tackroom.scons_tool import claim, fail, owner, share
from tackroom.staging import Run
from tackroom.state import State
from tackroom.turn import Turn
from tackroom.variables import Options

Environment = Any  # SCons ships no types
Node = Any

_TURNS: dict[Path, Turn] = {}  # SCons deletes after it has read, and a turn that nobody holds is given back


def declare(env: Environment, path: str, targets: Sequence[str], arguments: Mapping[str, str]) -> None:
    """Declare what is asked for. Raise TackroomError for what stops the run."""
    look = at(os.path.abspath(path), arguments)  # noqa: PTH100 - before the file is read: it may change
    clean = bool(env.GetOption("clean"))  # what was staged goes, be its package still there or not
    found = read(Path(path), harness_ids=harnesses.ids(), version=__version__, built=clean)
    options = _options(found, arguments)
    check_claim(env, found, options)
    if "lock" in targets:
        _lock(env, found, options)
    if "explain" in targets:
        _explain(env, found, options, look)
    if clean:
        take_turn(env, found, options)
        take_along(env, found, options, env.Alias("stage"))
    elif "stage" in targets:
        _stage(env, found, options, look)
    elif targets != ["explain"]:
        # staging may still be a part of what is asked for; only by its own name may it lock or fetch
        from tackroom.guest import declared

        nodes = declared(env, found, options, (), look)
        env.Alias("stage", list(nodes.values()))
        share(env, look.file, nodes, str(prepare.place(found, options).out))


def is_idle(env: Environment) -> bool:
    """Tell whether SCons is only to say what it would do."""
    return any(map(env.GetOption, ("no_exec", "question", "clean")))


def explains(env: Environment) -> bool:
    """Tell whether SCons is to say why something is built."""
    return "explain" in env.GetOption("debug")


def check_claim(env: Environment, found: Workspace, options: Options) -> None:
    """Take an OUT for a workspace, or raise TackroomError where another one has it."""
    out = prepare.place(found, options).out
    file = str(found.folder / Path(found.name).name)
    if not claim(env, str(out), file):
        both = f"'{relative(Path(owner(env, str(out))), Path.cwd())}' and '{found.name}'"
        where = relative(out, found.folder)
        raise TackroomError(f"{both} both stage into '{where}'; give one another 'out'")


def _options(found: Workspace, arguments: Mapping[str, str]) -> Options:
    keys = [*(each.key for each in found.packages), OWN]
    options = variables.read(arguments, os.environ, harness_ids=harnesses.ids(), package_keys=keys)
    for each in options.harnesses or ():
        if found.harnesses and each not in found.harnesses:
            raise TackroomError(f"HARNESS names {quoted(each)}, which is not in 'harnesses:' of {found.name}")
    return options


def _lock(env: Environment, found: Workspace, options: Options) -> None:
    if not is_idle(env):
        prepare.lock_packages(found, options, say)
    env.Alias("lock")


def _explain(env: Environment, found: Workspace, options: Options, look: Glance) -> None:
    """Say all there is to say about an artifact; that changes nothing."""
    if not options.what:
        raise TackroomError("explain needs WHAT=KIND/NAME, as in WHAT=skill/lint")
    run, pending = prepare.run(found, options, prepare.IDLE, say, look)
    for each in pending:
        say(f"left out: {each}")
    for line in explain(run, options.what):
        say(line)
    if options.json:
        report.write_json(run, Path(options.json))
    env.Alias("explain")


def take_turn(env: Environment, found: Workspace, options: Options) -> None:
    """Wait until no run is at work in an OUT, and keep others waiting until this process ends."""
    where = prepare.place(found, options)
    record = prepare.record_path(found, where)
    if record.is_dir() and not env.GetOption("no_exec") and record not in _TURNS:
        _TURNS[record] = Turn(record, where.shown_here(where.out), say)
        _TURNS[record].take()


def take_along(env: Environment, found: Workspace, options: Options, target: Sequence[Node]) -> None:
    """Let a target take what was staged along when it is cleaned."""
    where = prepare.place(found, options)
    record = State(prepare.record_path(found, where))
    for each in record.unreadable:
        say(f"{where.shown_here(each)}: cannot be used by this version; what only it knows of stays")
    journal.adopt(record, where.out)
    kept, gone = cleaning.targets(record, where, prepare.selection(options))
    if record.folder in gone:
        gone.append(prepare.memory_path(found, options))
    for shown, why in kept.items():
        say(f"kept {shown}: {why}")
    env.Clean(target, [str(each).replace("$", "$$") for each in gone])


def _stage(env: Environment, found: Workspace, options: Options, look: Glance) -> None:
    idle = is_idle(env)
    run, pending = prepare.run(found, options, prepare.rights(options, idle=idle), say, look)
    if pending and not idle:
        raise TackroomError("\n".join(pending))
    for each in pending:
        say(f"left out: {each}")
    if not idle and (run.is_needed() or (run.is_worth_recording() and run.can_be_recorded())):
        run.begin()  # what another run does meanwhile need not be done again
    if pending and env.GetOption("question"):
        fail(env, "stage", "the lock or the cache is not complete")
    elif run.is_needed():
        nodes = graph.declare(env, run, options, explain=explains(env))
        env.Alias("stage", nodes)
        share(env, look.file, dict(zip(run.plan.harnesses, nodes, strict=True)), str(run.place.out))
    elif not idle:
        _finish(env, run, options)


def _finish(env: Environment, run: Run, options: Options) -> None:
    """Say what a run with nothing to do has to say, and leave the next one less to look at."""
    if run.is_worth_recording() and run.can_be_recorded():
        run.seal()
    run.turn.give_back()
    try:
        problem = graph.finish(run, options, quiet=bool(env.GetOption("silent")))
    except TackroomError as wrong:
        problem = str(wrong)
    if problem:
        fail(env, "stage", problem)


def say(line: str) -> None:
    """Say a line to the user."""
    sys.stdout.write(report.printable(line) + "\n")
    sys.stdout.flush()  # it may be what the user waits for
