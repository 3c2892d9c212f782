"""Staging as a part of somebody else's build: nodes, and not a write, a fetch or a failure before the build.

What is wrong, or has to be fetched, waits until staging is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tackroom import __version__, graph, harnesses, prepare
from tackroom.config import Workspace, read
from tackroom.glance import Glance
from tackroom.own import check_claim, explains, say, take_along, take_turn
from tackroom.packages.errors import TackroomError
from tackroom.scons_tool import fail
from tackroom.unitfile import stamp_path
from tackroom.variables import Options
from tackroom.writing import problem

Environment = Any  # SCons ships no types
Node = Any


def declare(
    env: Environment, file: str, look: Glance, *, strict: bool, depends: Sequence[Node]
) -> tuple[Mapping[str, Node], str]:
    """Return a node for each harness of a workspace file, and the folder of outputs."""
    options, clean = Options(strict=strict), bool(env.GetOption("clean"))
    shown = Path(os.path.relpath(file))
    try:
        found = read(shown, harness_ids=harnesses.ids(), version=__version__, built=clean or bool(depends))
        check_claim(env, found, options)
        prepare.check_record(found, prepare.place(found, options))
        if clean:
            take_turn(env, found, options)
            return _cleaned(env, found, options), _out(found)
        _check_built(env, found, depends)
    except (TackroomError, OSError) as wrong:
        broken = Workspace(Path(file).name, Path(file).parent, (), {})
        return _failing(env, shown, problem(wrong)), _out(broken)
    return declared(env, found, options, depends, look), _out(found)


def _out(found: Workspace) -> str:
    return str(prepare.place(found, Options()).out)


def _cleaned(env: Environment, found: Workspace, options: Options) -> Mapping[str, Node]:
    """Declare the nodes for a run that cleans: whoever cleans one takes its harness's tree along."""
    stamps = _stamps(env, found, prepare.record_path(found, prepare.place(found, options)))
    for each, node in stamps.items():
        take_along(env, found, replace(options, harnesses=(each,)), [node])
        env.Clean([node], [node])
    return stamps


def _stamps(env: Environment, found: Workspace, record: Path) -> dict[str, Node]:
    ids = prepare.harness_ids(found)
    return {each: env.File(graph.escaped(Path(stamp_path(str(record), each)))) for each in ids}


def declared(
    env: Environment, found: Workspace, options: Options, depends: Sequence[Node], look: Glance
) -> Mapping[str, Node]:
    """Declare the nodes of a workspace without a write, a fetch or a failure."""
    try:
        run, pending = prepare.run(found, options, prepare.GUEST, lambda _: None, look, later=say)
    except (TackroomError, OSError):
        pending = ["what is wrong is said when staging is asked for"]
    if pending or depends:
        record = prepare.record_path(found, prepare.place(found, options))
        return _late(env, found, Waiting(found, options), depends, record)
    nodes = graph.declare(env, run, options, explain=explains(env))
    return dict(zip(run.plan.harnesses, nodes, strict=True))


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


def _failing(env: Environment, file: Path, wrong: str) -> Mapping[str, Node]:
    """Make a node for each harness that may be asked for; it fails then, and makes nothing."""
    return {each: fail(env, f"{file}: {each}", wrong) for each in harnesses.ids()}


def _late(
    env: Environment, found: Workspace, action: Callable[..., object], depends: Sequence[Node], record: Path
) -> Mapping[str, Node]:
    """Make one node for everything, for a plan that has to wait until the build."""
    stamps = _stamps(env, found, record)
    nodes = graph.late(env, list(stamps.values()), list(depends), action, f"stage {found.folder.name}")
    return dict(zip(stamps, nodes, strict=True))


@dataclass(frozen=True, slots=True)
class Waiting:
    """The action that plans and stages in the build phase."""

    found: Workspace
    options: Options

    def __call__(self, target: object, source: object, env: Environment) -> str | None:
        """Return why it failed, or nothing."""
        try:
            run, pending = prepare.run(self.found, self.options, prepare.GUEST_STAGING, say)
            if pending:
                return "\n".join(pending)
            graph.stage_all(run)
        except (TackroomError, OSError) as wrong:
            return problem(wrong)
        return graph.Judging(run, self.options)(target, source, env)
