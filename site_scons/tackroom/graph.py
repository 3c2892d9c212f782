"""The plan as SCons nodes: what is stale, then the seal, then the verdict. Public interfaces only.

An item is a node on the value of its key, and on the value of its contested name where others want
it too. Whether it is stale is our own record's to say, not SCons': its database would call a file
up to date that was edited by hand, or half written before an older revision came back. So a node is
made only for what is stale, and is then always built.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from SCons.Script import Action

from tackroom import report
from tackroom.atomic import write
from tackroom.packages.findings import Finding
from tackroom.packages.tree import join
from tackroom.plan import Item
from tackroom.staging import Run, tree_digest
from tackroom.variables import Options

Environment = Any  # SCons ships no types
Node = Any

STRICT_FAILURE = "there are warnings, and STRICT=1 does not let them pass"


def declare(env: Environment, run: Run, options: Options, *, explain: bool) -> list[Node]:
    """Make the nodes of a run, and return those of the stamps, one a harness, in the plan's order.

    A stamp is a file with the digest of a harness's whole tree, so whoever depends on it is built
    anew when something in that tree changed. With nothing to do, the stamps are plain files.
    """
    stamps = [env.File(_escaped(run.state.stamp(each))) for each in run.plan.harnesses]
    if not run.is_needed():
        return stamps
    items = [_item(env, run, item, explain=explain) for item in _open(run)]
    seal = env.Command(_escaped(run.state.path), items, Action(_sealing(run), cmdstr=None))
    verdict = env.Command(stamps, seal, Action(_judging(run, options), cmdstr=None))
    always(env, [*seal, *verdict])
    return list(verdict)


def always(env: Environment, nodes: Sequence[Node]) -> None:
    """Let nodes be built whenever they are asked for, and their files stay until they are replaced."""
    env.AlwaysBuild(nodes)
    env.Precious(nodes)
    env.NoClean(nodes)


def _item(env: Environment, run: Run, item: Item, *, explain: bool) -> Node:
    def stage(target: object, source: object, env: object) -> None:  # noqa: ARG001 - SCons' names
        run.stage(item)
        progress(run)

    def said(target: object, source: object, env: object) -> str:  # noqa: ARG001 - SCons' names
        line = f"stage {item.harness} {item.package} {item.as_kind}/{item.as_name}".replace("  ", " ")
        return f"{line}\ntackroom: because {run.stale[item.id]}" if explain else line

    target = _escaped(run.place.out / item.harness / item.path)
    node = env.Command(target, env.Value(item.key), Action(stage, strfunction=said))
    if item.contest:
        env.Depends(node, env.Value(run.plan.contests[item.contest]))
    always(env, node)
    return node


def _open(run: Run) -> Iterator[Item]:
    """Yield the stale items whose folder may be written to.

    SCons makes the folders of a target before its action runs, through links too. What cannot be
    staged for that reason gets no node; the seal says why.
    """
    for item in run.selected():
        if item.id in run.stale and run.place.is_open(join(item.harness, item.path)):
            yield item


def _sealing(run: Run) -> Callable[..., None]:
    def seal(target: object, source: object, env: object) -> None:  # noqa: ARG001 - SCons' names
        for item in run.selected():
            if item.id in run.stale and item.id not in run.done:
                run.stage(item)
        run.seal()

    return seal


def _judging(run: Run, options: Options) -> Callable[..., str | None]:
    def judge(target: object, source: object, env: Environment) -> str | None:  # noqa: ARG001 - SCons' names
        progress(run, end=True)
        problem = finish(run, options, quiet=bool(env.GetOption("silent")))
        if not problem:
            stamp(run)
        return problem or None

    return judge


def stage_all(run: Run) -> None:
    """Stage and seal a run in one go, for a plan that could not be made before the build."""
    for item in run.selected():
        if item.id in run.stale:
            run.stage(item)
            progress(run)
    progress(run, end=True)
    if run.is_needed():
        run.seal()


def finish(run: Run, options: Options, *, quiet: bool) -> str:
    """Say what a run found, write its report, and return why it failed; empty where it did not."""
    for line in report.lines(run, every=options.findings_all, quiet=quiet):
        print(line)  # noqa: T201 - the screen is where findings belong
    if options.json:
        report.write_json(run, Path(options.json))
    return failure(run.findings(), strict=options.strict)


def failure(findings: Sequence[Finding], *, strict: bool) -> str:
    """Return why findings fail a run, in a few words; empty where they do not."""
    if report.has_failed(findings, strict=False):
        return "some outputs could not be staged; the errors above say which and why"
    if strict and report.has_failed(findings, strict=True):
        return STRICT_FAILURE
    return ""


def stamp(run: Run) -> None:
    """Write the stamps of a run that did not fail."""
    for harness in run.plan.harnesses:
        write(run.state.stamp(harness), tree_digest(run, harness).encode() + b"\n")


def _escaped(path: Path) -> str:
    """Return a path that SCons does not look for variables in."""
    return str(path).replace("$", "$$")


def progress(run: Run, *, end: bool = False) -> None:
    """Say on a terminal how far a long run has come; nothing in a pipe."""
    if not sys.stderr.isatty() or len(run.stale) < 500:  # noqa: PLR2004 - below it is done at once
        return
    with contextlib.suppress(OSError):
        line = "" if end else f"{len(run.done)} of {len(run.stale)} staged"
        sys.stderr.write(f"\r{line:<40}" + ("\r" if end else ""))
        sys.stderr.flush()
