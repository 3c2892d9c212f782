"""An immutable tree of files, links and submodules, and the only place that follows links.

A tree is the package's root for links: whatever points out of it is outside. Paths are POSIX,
relative, ``""`` is the root. Names come from hostile places: a node whose path could leave the
tree on some system (``..``, an absolute path, a drive) never gets in.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tackroom.packages.codes import (
    LinkBroken,
    LinkLoop,
    LinkOutside,
    PathUnusable,
    SubmoduleFound,
    TooManyFiles,
)
from tackroom.packages.findings import Finding
from tackroom.packages.model import File, Link, Node, Submodule
from tackroom.packages.names import illegal, same

MAX_DEPTH = 64  # of folders, and of links that lead to links
MAX_VISITS = 20_000  # files and folders that one walk may meet


class Walked(NamedTuple):
    """A file as it is reached: ``path`` by the way taken, ``real`` where it is."""

    path: str
    real: str
    file: File


class Unreachable(Exception):
    """A path that leads nowhere; carries the finding that says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding

    def __str__(self) -> str:
        """Say it only when it is asked for: most are raised for what need not be there."""
        return self.finding.message


_Steps = Iterator[Walked | Finding | None]


class Tree:
    """Nodes by path. ``id`` names the whole content, where the source has a name for it."""

    def __init__(self, nodes: Mapping[str, Node], *, id: str = "") -> None:  # noqa: A002 - git's word
        self.id = id
        self.nodes = {path: node for path, node in nodes.items() if _safe(path)}
        self._has_links = any(isinstance(each, Link) for each in self.nodes.values())
        self._children: dict[str, list[str]] = {"": []}
        for path in self.nodes:
            self._enter(path)

    def _enter(self, path: str) -> None:
        """List a node in its folder, and that in its own, up to the first that is known."""
        known = False
        while path and not known:
            folder, _, name = path.rpartition("/")
            known = folder in self._children
            insort(self._children.setdefault(folder, []), name)
            path = folder

    def children(self, folder: str) -> tuple[str, ...]:
        """Return the names in a real folder, sorted; empty where there is none."""
        return tuple(self._children.get(folder, ()))

    def folders(self) -> frozenset[str]:
        """Return the paths of all real folders below the root."""
        return frozenset(self._children) - {""}

    def is_folder(self, path: str) -> bool:
        """Tell whether a real folder is there."""
        return path in self._children

    def file(self, path: str) -> File | None:
        """Return the regular file a path leads to, links followed; None where there is none."""
        try:
            found = self.nodes.get(self.resolve(path) if self._has_links else _plain(path))
        except Unreachable:
            return None
        return found if isinstance(found, File) else None

    def resolve(self, path: str) -> str:
        """Follow the links along a path that exists; return where it really is, or raise Unreachable.

        What is said then is of the first link on the way, as its author wrote it.
        """
        plain = _plain(path)
        if not self._has_links and (plain in self.nodes or plain in self._children):
            return plain
        return self._follow(_parts(path), 0, "", "")

    def _follow(self, todo: list[str], hops: int, first: str, target: str) -> str:
        at = ""
        while todo:
            at = join(at, todo.pop(0))
            node = self.nodes.get(at)
            if isinstance(node, Link):
                first, target = (first, target) if first else (at, node.target)
                if hops >= MAX_DEPTH:
                    raise Unreachable(LinkLoop(path=first, target=target))
                return self._follow([*self._target(at, node), *todo], hops + 1, first, target)
            if node is None and at not in self._children:
                raise Unreachable(LinkBroken(path=first or at, target=target or at))
        return at

    def _target(self, at: str, link: Link) -> list[str]:
        """Return the parts of where a link points, from the tree's root."""
        outside = Unreachable(LinkOutside(path=at, target=link.target))
        if link.target.startswith("/") or "\\" in link.target or ":" in link.target[:2]:
            raise outside
        parts = _parts(at)[:-1]
        for part in _parts(link.target):
            if part != "..":
                parts.append(part)
            elif parts:
                parts.pop()
            else:
                raise outside
        return parts

    def walk(self, folder: str, *, once: bool = False) -> Iterator[Walked | Finding]:
        """Yield each file below a folder, in order, following links that stay in the tree.

        What cannot be followed or held by every system is yielded as a finding. A folder that
        contains itself through a link is entered once on each way down; with ``once``, each folder
        is entered on the first way that leads to it only. Links to folders of links could lead to
        more files than a disk can hold, so a walk ends after ``MAX_VISITS`` steps.
        """
        try:
            real = self.resolve(folder)
        except Unreachable as wrong:
            yield wrong.finding
            return
        steps = self._walk(folder, real, (real,), {real} if once else None)
        for visits, each in enumerate(steps):
            if visits >= MAX_VISITS:
                yield TooManyFiles(path=folder, limit=MAX_VISITS)
                return
            if each is not None:
                yield each

    def _walk(self, path: str, real: str, above: tuple[str, ...], entered: set[str] | None) -> _Steps:
        seen: dict[str, str] = {}
        for name in self.children(real):
            why = illegal(name) or _clash(name, seen)
            if why:
                yield PathUnusable(path=join(path, name), name=name, why=why)
            else:
                yield from self._visit(join(path, name), join(real, name), above, entered)

    def _visit(self, path: str, real: str, above: tuple[str, ...], entered: set[str] | None) -> _Steps:
        link = self.nodes.get(real)
        try:
            real = self.resolve(real)
        except Unreachable as wrong:
            yield wrong.finding.but(path=path)
            return
        node = self.nodes.get(real)
        if isinstance(node, File):
            yield Walked(path, real, node)
        elif isinstance(node, Submodule):
            yield SubmoduleFound(path=path, commit_of=node.commit)
        elif real in above or len(above) > MAX_DEPTH:
            yield LinkLoop(path=path, target=link.target if isinstance(link, Link) else real)
        elif entered is None or real not in entered:
            yield None  # a folder counts as a step, though it yields nothing itself
            if entered is not None:
                entered.add(real)
            yield from self._walk(path, real, (*above, real), entered)

    def below(self, folder: str) -> Tree:
        """Return the tree of one real folder, which is then the boundary for links."""
        prefix = folder + "/" if folder else ""
        inside = {p[len(prefix) :]: n for p, n in self.nodes.items() if p.startswith(prefix)}
        return Tree(inside)


def relative(path: str, folder: str) -> str:
    """Return a path as it counts from a folder above it; unchanged where the folder is not above it."""
    return path.removeprefix(folder + "/") if folder else path


def join(folder: str, name: str) -> str:
    """Join a folder, which may be the root, and a name."""
    return f"{folder}/{name}" if folder else name


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _plain(path: str) -> str:
    """Return a path without the parts that lead nowhere else."""
    return "/".join(_parts(path))


def _safe(path: str) -> bool:
    parts = path.split("/")
    return not any(p in ("", ".", "..") or "\0" in p or p.lower() == ".git" for p in parts)


def _clash(name: str, seen: dict[str, str]) -> str:
    first = seen.setdefault(same(name), name)
    return "" if first == name else f"differs from '{first}' in case only"
