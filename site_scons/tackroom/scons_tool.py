"""What a SConstruct calls: a workspace of one's own, and the tool for somebody else's build.

One's own workspace declares the targets and reads the command line's variables; packages are locked
and fetched while the SConstruct is read, since the plan needs them. A guest does nothing but declare
nodes then: what is wrong, or has to be fetched, waits until staging is asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

import SCons.Errors
from SCons.Script import ARGUMENTS, COMMAND_LINE_TARGETS, Action, Exit, GetOption
from SCons.Script import Environment as Construction

from tackroom import __version__, cleaning, graph, harnesses, journal, prepare, report, state, variables
from tackroom.config import Workspace, read
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.paths import relative
from tackroom.resolve import OWN
from tackroom.staging import Run
from tackroom.targets import TARGETS_TO_COME, to_come
from tackroom.variables import Options

HELP = """\
scons stage              render what changed (the default)
scons lock [UPDATE=a,b]  resolve revisions to commits; UPDATE moves those pins
scons -c                 remove what was staged and nobody edited

""" + "".join(f"{row.name:<10}{row.about}\n" for row in variables.VARIABLES if row.supported)

Environment = Any  # SCons ships no types
Node = Any


def workspace(path: str = "tackroom.yaml") -> None:
    """Declare the targets of the workspace described by a file, which counts from the top folder."""
    env = Construction(tools=[], ENV={})  # the default one is the user's to configure
    targets = [str(each) for each in COMMAND_LINE_TARGETS] or ["stage"]
    env.Default(env.Alias("stage"))
    for name in TARGETS_TO_COME:
        _fail(env, name, to_come(name))
    env.Help(HELP)
    if not GetOption("help"):
        try:
            _targets(env, Path(path), targets)  # SCons stands in the top folder while it reads
        except TackroomError as wrong:
            _stop(wrong)
        except OSError as wrong:
            _stop(TackroomError(f"{quoted(str(wrong.filename))}: {(wrong.strerror or str(wrong)).lower()}"))


def _fail(env: Environment, target: str, problem: str) -> None:
    """Let a target fail when it is built."""
    env.AlwaysBuild(env.Alias(target, [], Action(graph.Failing(problem), cmdstr=None)))


def _stop(wrong: TackroomError) -> NoReturn:
    """End SCons as it ends for a mistake of the user's, but without a line of our own code."""
    sys.stderr.write("".join(f"scons: *** {line}\n" for line in str(wrong).splitlines()))
    Exit(2)
    raise AssertionError


def _targets(env: Environment, path: Path, targets: Sequence[str]) -> None:
    clean = bool(GetOption("clean"))  # what was staged goes, be its package still there or not
    found = read(path, harness_ids=harnesses.ids(), version=__version__, built=clean)
    options = _options(found)
    _claim(env, found, options)
    idle = bool(GetOption("no_exec") or GetOption("question") or GetOption("clean"))
    if "lock" in targets:
        _lock(env, found, options, idle=idle)
    if GetOption("clean"):
        _clean(env, found, options, env.Alias("stage"))
    elif "stage" in targets:
        _stage(env, found, options, idle=idle)
    else:  # staging may still be a part of what is asked for; only by its own name may it lock or fetch
        env.Alias("stage", _declared(env, found, options, ()).all)


def _options(found: Workspace) -> Options:
    keys = [*(each.key for each in found.packages), OWN]
    options = variables.read(ARGUMENTS, os.environ, harness_ids=harnesses.ids(), package_keys=keys)
    for each in options.harnesses or ():
        if found.harnesses and each not in found.harnesses:
            raise TackroomError(f"HARNESS names {quoted(each)}, which is not in 'harnesses:' of {found.name}")
    return options


def _lock(env: Environment, found: Workspace, options: Options, *, idle: bool) -> None:
    if not idle:
        prepare.lock_packages(found, options, _say)
    env.Alias("lock")


def _clean(env: Environment, found: Workspace, options: Options, target: Sequence[Node]) -> None:
    """Let a target take what was staged along when it is cleaned."""
    where = prepare.place(found, options)
    record = state.load(prepare.record_path(found, where))
    if record.unreadable:
        _say(f"{where.shown_here(record.path)}: cannot be used by this version; nothing is removed")
        return
    journal.adopt(record, where.out)
    kept, gone = cleaning.targets(record, where, prepare.selection(options))
    for each in kept:
        _say(f"kept {each}: it was edited by hand")
    env.Clean(target, [str(each).replace("$", "$$") for each in gone])


def _stage(env: Environment, found: Workspace, options: Options, *, idle: bool) -> None:
    run, pending = prepare.run(found, options, prepare.rights(options, idle=idle), _say)
    if pending and not idle:
        raise TackroomError("\n".join(pending))
    for each in pending:
        _say(f"left out: {each}")
    if pending and GetOption("question"):
        _fail(env, "stage", "the lock or the cache is not complete")
    elif run.is_needed():
        env.Alias("stage", graph.declare(env, run, options, explain="explain" in GetOption("debug")))
    elif not idle:
        _report(env, run, options)


def _report(env: Environment, run: Run, options: Options) -> None:
    """Say what a run with nothing to do has to say."""
    try:
        problem = graph.finish(run, options, quiet=bool(GetOption("silent")))
    except TackroomError as wrong:
        problem = str(wrong)
    if problem:
        _fail(env, "stage", problem)


def _say(line: str) -> None:
    sys.stdout.write(report.printable(line) + "\n")


# --- a guest


class Tree(list[Node]):
    """One harness's tree: what a build depends on is its one stamp, ``path`` is the folder."""

    def __init__(self, stamp: Node, path: Path) -> None:
        super().__init__([stamp])
        self.path = str(path)

    def files(self) -> list[str]:
        """Return the paths of all files in the folder now; that reads the whole tree."""
        return sorted(str(each) for each in Path(self.path).rglob("*") if each.is_file())


class Staged(dict[str, Tree]):
    """What ``env.Stage`` gives: a tree for each harness, and ``all`` of their nodes."""

    @property
    def all(self) -> list[Node]:
        """The stamps of all harnesses."""
        return [stamp for tree in self.values() for stamp in tree]

    def __missing__(self, harness: str) -> NoReturn:
        """Say which harnesses there are."""
        raise SCons.Errors.UserError(f"nothing is staged for '{harness}'; there are: {', '.join(self)}")


def tool(env: Environment) -> None:
    """Add ``env.Stage`` to a construction environment: ``Environment(tools=[tackroom.tool])``."""
    env.AddMethod(stage, "Stage")


def stage(env: Environment, path: str, *, strict: bool = False, depends: Sequence[Node] = ()) -> Staged:
    """Stage a workspace as part of another build: a node a harness, and nothing else.

    ``depends``: nodes that make the folder of a package, which is then read in the build phase. While
    the SConstruct is read nothing is written or fetched, and nothing fails.
    """
    node = env.Entry(path).srcnode()
    if not hasattr(node.attributes, "tackroom"):  # one yaml is staged once, whatever environments ask for it
        node.attributes.tackroom = _guest(env, Path(node.abspath), Options(strict=strict), depends)
    staged: Staged = node.attributes.tackroom
    return staged


def _guest(env: Environment, file: Path, options: Options, depends: Sequence[Node]) -> Staged:
    shown, clean = Path(os.path.relpath(file)), bool(GetOption("clean"))
    try:
        found = read(shown, harness_ids=harnesses.ids(), version=__version__, built=clean or bool(depends))
        _claim(env, found, options)
        if clean:
            return _cleaned(env, found, options)
        _check_built(env, found, depends)
    except TackroomError as wrong:
        broken = Workspace(file.name, file.parent, (), {})
        record = state.place(file.parent, file, "cannot be staged")  # as no other workspace's
        return _late(env, broken, graph.Failing(str(wrong)), depends, record)
    return _declared(env, found, options, depends)


def _cleaned(env: Environment, found: Workspace, options: Options) -> Staged:
    """Declare the nodes for a run that cleans: whoever cleans one takes its harness's tree along."""
    record = prepare.record_path(found, prepare.place(found, options))
    ids = prepare.harness_ids(found)
    stamps = [env.File(str(state.stamp_of(record, each)).replace("$", "$$")) for each in ids]
    for each, node in zip(ids, stamps, strict=True):
        _clean(env, found, replace(options, harnesses=(each,)), [node])
        env.Clean([node], [node])
    return _trees(found, stamps)


def _declared(env: Environment, found: Workspace, options: Options, depends: Sequence[Node]) -> Staged:
    """Declare the nodes of a workspace without a write, a fetch or a failure."""
    try:
        run, pending = prepare.run(found, options, prepare.GUEST, lambda _: None)
    except TackroomError:
        pending = ["what is wrong is said when staging is asked for"]
    if pending or depends:
        record = prepare.record_path(found, prepare.place(found, options))
        return _late(env, found, Waiting(found, options), depends, record)
    nodes = graph.declare(env, run, options, explain="explain" in GetOption("debug"))
    return _trees(found, nodes)


def _claim(env: Environment, found: Workspace, options: Options) -> None:
    """Take an OUT for a workspace; two that write to one place would each call the other's files foreign."""
    out = prepare.place(found, options).out
    top = env.Dir("#").attributes
    owners: dict[Path, str] = getattr(top, "tackroom", {})
    if owners.setdefault(out, found.name) != found.name:
        both = f"'{owners[out]}' and '{found.name}' both stage into '{relative(out, found.folder)}'"
        raise TackroomError(f"{both}; give one another 'out'")
    top.tackroom = owners


def _check_built(env: Environment, found: Workspace, depends: Sequence[Node]) -> None:
    """Refuse a package that this very build makes, where nothing says that it has to be waited for."""
    for spec in found.packages if not depends else ():
        made = _built_in(env, str(found.folder / spec.path)) if spec.path else None
        if made:
            raise TackroomError(f"package '{spec.key}': '{made}' is built here; name it in depends=[...]")


def _built_in(env: Environment, folder: str) -> Node | None:
    """Return a node below a folder that the build makes; only what SCons knows already is looked at."""
    for node in env.Glob(folder.replace("$", "$$") + "/*", ondisk=False):
        if node.has_explicit_builder():
            return node
        if below := _built_in(env, str(node.abspath)):
            return below
    return None


def _late(
    env: Environment, found: Workspace, action: Callable[..., object], depends: Sequence[Node], record: Path
) -> Staged:
    """Make one node for everything, for a plan that has to wait until the build."""
    ids = prepare.harness_ids(found)
    stamps = [str(state.stamp_of(record, each)).replace("$", "$$") for each in ids]
    nodes = env.Command(stamps, list(depends), Action(action, cmdstr=f"stage {found.folder.name}"))
    graph.always(env, nodes)
    return _trees(found, nodes)


@dataclass(frozen=True, slots=True)
class Waiting:
    """The action that plans and stages in the build phase."""

    found: Workspace
    options: Options

    def __call__(self, target: object, source: object, env: Environment) -> str | None:
        """Return why it failed, or nothing."""
        try:
            run, pending = prepare.run(self.found, self.options, prepare.GUEST_STAGING, _say)
        except TackroomError as wrong:
            return str(wrong)
        if pending:
            return "\n".join(pending)
        graph.stage_all(run)
        return graph.Judging(run, self.options)(target, source, env)


def _trees(found: Workspace, nodes: Sequence[Node]) -> Staged:
    out = prepare.place(found, Options()).out
    ids = prepare.harness_ids(found)
    return Staged({each: Tree(node, out / each) for each, node in zip(ids, nodes, strict=True)})
