"""The plan as SCons nodes: what is stale, then the seal, then the verdict. Public interfaces only.

A unit that is folded has no node. One that is staged as a whole is one node; in any other each stale item
is one, on the value of its key, and on the value of its contested name where others want that too. Whether
something is stale is our own record's to say, not SCons': its database would call a file up to date that
was edited by hand, or half written before an older revision came back. So a node is made only for what is
stale, and is then always built.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from SCons.Script import Action

from tackroom import report, writing
from tackroom.atomic import write
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Severity
from tackroom.packages.tree import join
from tackroom.plan import Item, Unit
from tackroom.staging import Run
from tackroom.variables import Options

Environment = Any  # SCons ships no types
Node = Any

OVER = "tackroom: this is staged; what changed since SCons was started needs a new run"
STRICT_FAILURE = "there are warnings, and a strict run lets none pass"


def declare(env: Environment, run: Run, options: Options, *, explain: bool) -> list[Node]:
    """Make the nodes of a run, and return those of the stamps, one a harness, in the plan's order.

    A stamp is a file with the digest of a harness's whole tree, so whoever depends on it is built
    anew when something in that tree changed. With nothing to do or to fail for, they are plain files.
    """
    stamps = [env.File(escaped(run.state.stamp(each))) for each in run.plan.harnesses]
    is_idle = not run.is_needed() and not run.is_worth_recording()
    if is_idle and not failure(run, strict=options.strict):
        return stamps
    nodes = [*_units(env, run, explain=explain), *_items(env, run, explain=explain)]
    seal = env.Command(escaped(run.state.folder / "sealed"), nodes, Action(Sealing(run), cmdstr=None))
    verdict = env.Command(stamps, seal, Action(Judging(run, options), cmdstr=None))
    always(env, [*nodes, *seal, *verdict])
    return list(verdict)


def late(
    env: Environment, stamps: list[Node], depends: list[Node], action: Callable[..., object], says: str
) -> list[Node]:
    """Make the nodes of the stamps for a plan that has to wait until the build."""
    nodes: list[Node] = env.Command(stamps, depends, Action(action, cmdstr=says))
    always(env, nodes)
    return nodes


def always(env: Environment, nodes: Sequence[Node]) -> None:
    """Let nodes be built whenever they are asked for, and their files stay until they are replaced.

    A build's cache of derived files would put its copy over an edited one, and skip the verdict.
    """
    env.AlwaysBuild(nodes)
    env.NoCache(nodes)
    env.Precious(nodes)
    env.NoClean(nodes)


def _units(env: Environment, run: Run, *, explain: bool) -> list[Node]:
    """Make a node for each unit that is staged as a whole; it is the file of the unit's record.

    Those of one package are made in one go: SCons takes half a millisecond for each time that it acts.
    """
    of: dict[Node, Unit] = {}  # by the node: SCons has its own way to write a path
    action = Action(Whole(run, of), strfunction=Announcing(run, of, explain=explain))
    for _, group in groupby(run.work.whole.values(), key=lambda each: each.package or each.id):
        units = list(group)
        paths = [run.state.heads.path(each.id).replace("$", "$$") for each in units]
        nodes = env.Command(paths, env.Value(" ".join(each.key for each in units)), action)
        of.update(zip(nodes, units, strict=True))
    return list(of)


def _items(env: Environment, run: Run, *, explain: bool) -> list[Node]:
    """Make a node for each stale item of the other units."""
    every = bool(env.GetOption("no_exec"))  # then nothing is made, be it possible or not
    stale = {str(run.place.out / item.harness / item.path): (unit, item) for unit, item in _stale(run)}
    of: dict[Node, tuple[str, Item]] = {}
    action = Action(Staging(run, of), strfunction=Saying(run, of, explain=explain))
    for path, (unit, item) in stale.items():
        is_open = _is_open(run, item)
        if is_open or every:
            # SCons reads a file that it would have made, and a pipe in its place for ever
            make = env.Command if is_open else env.Alias
            (node,) = make(path.replace("$", "$$"), env.Value(item.key), action)
            if item.contest:
                env.Depends(node, env.Value(item.contest))
            of[node] = unit, item
    return list(of)


def _stale(run: Run) -> Iterator[tuple[str, Item]]:
    """Yield the stale items, each with its unit's id."""
    for unit, task in run.work.tasks.items():
        yield from ((unit, item) for item in task.items if item.id in task.stale)


def _is_open(run: Run, item: Item) -> bool:
    """Tell whether the folder of an item may be written to.

    SCons makes the folders of a target before its action runs, through links too. What cannot be
    staged for that reason gets no node; the seal says why.
    """
    return run.place.is_open(join(item.harness, item.path))


# The actions are objects, not closures: SCons takes what a closure holds into its signature, and
# would walk through the whole plan for each node.


@dataclass(slots=True, eq=False, repr=False)
class Whole:
    """The action that stages the units of its targets."""

    run: Run
    units: Mapping[Node, Unit]

    def __call__(self, target: Sequence[Node], source: object, env: object) -> None:
        """Stage it; that never fails."""
        self.run.begin()
        for each in target:
            self.run.stage_unit(self.units[each])
            progress(self.run)


@dataclass(slots=True, eq=False, repr=False)
class Announcing:
    """The lines that say which units are staged."""

    run: Run
    units: Mapping[Node, Unit]
    explain: bool

    def __call__(self, target: Sequence[Node], source: object, env: object) -> str:
        """Return the lines."""
        return "\n".join(line for each in target for line in self._lines(self.units[each]))

    def _lines(self, unit: Unit) -> Iterator[str]:
        yield report.printable(f"stage {unit.harness} {unit.package or unit.name[1:]}")
        if self.explain:
            yield f"tackroom: because {self.run.work.why_whole(unit)}"


@dataclass(slots=True, eq=False, repr=False)
class Staging:
    """The action that stages the item of its target."""

    run: Run
    items: Mapping[Node, tuple[str, Item]]

    def __call__(self, target: Sequence[Node], source: object, env: object) -> None:
        """Stage it; that never fails."""
        self.run.begin()
        self.run.stage(*self.items[target[0]])
        progress(self.run)


@dataclass(slots=True, eq=False, repr=False)
class Saying:
    """The line that says what is staged, and why where that was asked for."""

    run: Run
    items: Mapping[Node, tuple[str, Item]]
    explain: bool

    def __call__(self, target: Sequence[Node], source: object, env: object) -> str:
        """Return the line."""
        unit, item = self.items[target[0]]
        words = filter(None, ["stage", item.harness, item.package, f"{item.as_kind}/{item.as_name}"])
        line = report.printable(" ".join(words))
        task = self.run.work.tasks.get(unit)
        why = task.stale.get(item.id) if task else ""
        return f"{line}\ntackroom: because {report.printable(why)}" if self.explain and why else line


@dataclass(slots=True, eq=False, repr=False)
class Sealing:
    """The action that seals a run, and stages first what could not have a node."""

    run: Run

    def __call__(self, target: object, source: object, env: object) -> None:
        """Seal it."""
        if not self.run.is_over:
            self.run.begin()
            self.run.stage_all()
            self.run.seal()


@dataclass(slots=True, eq=False, repr=False)
class Judging:
    """The action that says what a run found, and fails where it must."""

    run: Run
    options: Options
    _problem: str = ""

    def __call__(self, target: object, source: object, env: Environment) -> str | None:
        """Return why the run failed, or nothing."""
        if self.run.is_over:  # SCons may be told to build once more what it read at its start
            sys.stdout.write(f"{OVER}\n")
        else:
            self.run.is_over = True
            self._problem = self._judge(env)
        return self._problem or None

    def _judge(self, env: Environment) -> str:
        progress(self.run, end=True)
        try:
            problem = finish(self.run, self.options, quiet=bool(env.GetOption("silent")))
            if not problem:
                stamp(self.run)
        except (TackroomError, OSError) as wrong:
            problem = writing.problem(wrong)
        self.run.turn.give_back()
        return problem


def stage_all(run: Run) -> None:
    """Stage and seal a run in one go, for a plan that could not be made before the build."""
    run.begin()
    run.stage_all()
    if run.is_needed() or run.is_worth_recording():
        run.seal()


def finish(run: Run, options: Options, *, quiet: bool) -> str:
    """Say what a run found, write its report, and return why it failed; empty where it did not."""
    problem = failure(run, strict=options.strict)
    every = options.findings_all or problem == STRICT_FAILURE  # a remembered warning fails it as well
    lines = map(report.printable, report.lines(run, every=every, quiet=quiet))
    while some := "".join(f"{line}\n" for line in islice(lines, 100)):
        sys.stdout.write(some)  # SCons flushes each time
    if options.json:
        report.write_json(run, Path(options.json))
    return problem


def failure(run: Run, *, strict: bool) -> str:
    """Return why findings fail a run, in a few words; empty where they do not."""
    if run.count(Severity.ERROR):
        return "some outputs could not be staged; the errors above say which and why"
    return STRICT_FAILURE if strict and run.count(Severity.WARNING) else ""


def stamp(run: Run) -> None:
    """Write the stamps of a run that did not fail."""
    for harness in run.plan.harnesses:
        write(run.state.stamp(harness), run.state.heads.stamp(harness))


def escaped(path: Path) -> str:
    """Return a path that SCons does not look for variables in."""
    return str(path).replace("$", "$$")


def progress(run: Run, *, end: bool = False) -> None:
    """Say on a terminal how far a long run has come; nothing in a pipe."""
    if not sys.stderr.isatty() or run.work.count() < 100:  # noqa: PLR2004 - below it is done at once
        return
    with contextlib.suppress(OSError):
        line = "" if end else f"{len(run.done)} of {run.work.count()} staged"
        sys.stderr.write(f"\r{line:<40}" + ("\r" if end else ""))
        sys.stderr.flush()
