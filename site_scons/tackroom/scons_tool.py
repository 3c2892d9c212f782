"""What a SConstruct calls: a workspace of one's own, and the tool for somebody else's build.

One's own workspace declares the targets and reads the command line's variables; a guest does nothing but
declare nodes. Where nothing is to be done neither goes on: what decides that is in ``glance``, and all
that would do it is imported only then.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import SCons.Errors
from SCons.Script import ARGUMENTS, COMMAND_LINE_TARGETS, Action, Exit, GetOption
from SCons.Script import Environment as Construction

from tackroom import glance
from tackroom.glance import Glance, is_harmless, nothing_to_do
from tackroom.targets import COMMANDS, TARGETS_TO_COME, to_come

Environment = Any  # SCons ships no types
Node = Any


def workspace(path: str = "tackroom.yaml") -> None:
    """Declare the targets of the workspace described by a file, which counts from the top folder."""
    env = Construction(tools=[], ENV={})  # the default one is the user's to configure
    env.CacheDir(None)  # else SCons asks the default one, and makes it: that looks for compilers
    env.Decider("content")  # likewise
    targets = [str(each) for each in COMMAND_LINE_TARGETS] or ["stage"]
    if hasattr(_attributes(env, _plain(os.path.abspath(path))), "tackroom"):
        _stop(f"env.Stage() of '{path}' comes before tackroom.workspace() of it; put the workspace first")
    env.Default(env.Alias("stage"))
    for name in TARGETS_TO_COME:
        if name in targets:
            fail(env, name, to_come(name))
    if GetOption("help"):
        from tackroom.variables import HELP

        env.Help(HELP)
    elif not _is_done(env, path, targets):
        with _planning():
            _targets(env, path, targets)


def _is_done(env: Environment, path: str, targets: Sequence[str]) -> bool:
    """Tell whether there is nothing to do, and say so; SCons stands in the top folder while it reads."""
    if GetOption("clean") or GetOption("debug"):
        return False
    if not {"stage", *COMMANDS}.intersection(targets):  # staging may be a part of what is asked for
        look = glance.at(os.path.abspath(path), ARGUMENTS)
        is_done = is_harmless(ARGUMENTS) and look.is_done() and claim(env, look.out, look.file)
        env.Alias("stage", list(_stamps(env, look).values()) if is_done else [])
        return is_done
    if targets != ["stage"] or GetOption("no_exec") or GetOption("question"):
        return False
    look = glance.at(os.path.abspath(path), ARGUMENTS)
    lines = nothing_to_do(look, ARGUMENTS)
    if lines is None or not claim(env, look.out, look.file):
        return False
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return True


def _targets(env: Environment, path: str, targets: Sequence[str]) -> None:
    from tackroom import own
    from tackroom.packages.errors import TackroomError, reason
    from tackroom.packages.findings import quoted

    try:
        own.declare(env, path, targets, ARGUMENTS)
    except TackroomError as wrong:
        _stop(str(wrong))
    except OSError as wrong:
        at = f"{quoted(str(wrong.filename))}: " if wrong.filename else ""
        _stop(at + reason(wrong))


@contextmanager
def _planning() -> Iterator[None]:
    """Put off the search for cycles: a plan is made of many values, holds none, and is all still needed.

    What was made by then is not searched later either, as long as the process lives.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.enable()


def fail(env: Environment, target: str, problem: str) -> Node:
    """Return a target that fails when it is built."""
    (node,) = env.Alias(target, [], Action(Failing(problem), cmdstr=None))
    env.AlwaysBuild(node)
    return node


class Failing:
    """An action that only fails."""

    def __init__(self, problem: str) -> None:
        self.problem = problem

    def __call__(self, target: object, source: object, env: object) -> str:
        """Return why."""
        return self.problem


def _stop(wrong: str) -> NoReturn:
    """End SCons as it ends for a mistake of the user's, but without a line of our own code."""
    sys.stderr.write("".join(f"scons: *** {line}\n" for line in wrong.splitlines()))
    Exit(2)
    raise AssertionError


# --- a guest


class Tree(list[Node]):
    """One harness's tree: what a build depends on is its one stamp, ``path`` is the folder."""

    def __init__(self, stamp: Node, path: str) -> None:
        super().__init__([stamp])
        self.path = path

    def files(self) -> list[str]:
        """Return the paths of all files in the folder now; that reads the whole tree."""
        return sorted(os.path.join(folder, name) for folder, _, names in os.walk(self.path) for name in names)


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
    attributes = _attributes(env, path)
    if not hasattr(attributes, "tackroom"):  # one yaml is staged once, whatever environments ask for it
        file = env.Entry(path).srcnode().abspath
        attributes.tackroom = _guest(env, file, strict=strict, depends=depends)
    staged: Staged = attributes.tackroom
    return staged


def share(env: Environment, file: str, nodes: Mapping[str, Node], out: str) -> None:
    """Let whoever asks for a workspace file that is staged already have the same nodes, one a harness."""
    _attributes(env, _plain(file)).tackroom = _trees(nodes, out)


def _attributes(env: Environment, path: str) -> Any:  # noqa: ANN401 - SCons ships no types
    """Return where SCons lets a tool keep what it knows of a file."""
    return env.Entry(path).srcnode().attributes


def _plain(path: str) -> str:
    """Return a path that SCons does not look for variables in."""
    return path.replace("$", "$$")


def _trees(nodes: Mapping[str, Node], out: str) -> Staged:
    return Staged({each: Tree(node, f"{out}/{each}") for each, node in nodes.items()})


def _guest(env: Environment, file: str, *, strict: bool, depends: Sequence[Node]) -> Staged:
    look = glance.at(file, {})
    out = look.out
    nodes: Mapping[str, Node] = {}
    if not depends and not GetOption("clean") and look.is_done() and claim(env, out, file):
        nodes = _stamps(env, look)
    if not nodes or (strict and look.warnings()):
        from tackroom import guest

        with _planning():
            nodes, out = guest.declare(env, file, look, strict=strict, depends=depends)
    return _trees(nodes, out)


def _stamps(env: Environment, look: Glance) -> Mapping[str, Node]:
    """Return the stamps of all harnesses, where they are as they should be."""
    return {each: env.File(_plain(look.stamp(each))) for each in look.memory.counts if each}


def claim(env: Environment, out: str, file: str) -> bool:
    """Take an OUT for a workspace file; tell whether no other one has it.

    Two that write to one place would each call the other's files foreign.
    """
    top = env.Dir("#").attributes
    top.tackroom = owners = getattr(top, "tackroom", {})
    return bool(owners.setdefault(os.path.normpath(out), file) == file)


def owner(env: Environment, out: str) -> str:
    """Return the workspace file that has an OUT."""
    return str(env.Dir("#").attributes.tackroom[os.path.normpath(out)])
