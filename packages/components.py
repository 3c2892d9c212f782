"""Where components lie: every way by which the plugin formats lead to a file, in order of precedence.

Yields candidates, not yet read: the default folders at the root come first, then the paths that
manifests declare, then the agents' own folders. One file may be reached by several ways.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tackroom.packages import formats
from tackroom.packages.codes import DocumentationFile, NotAnArtifact, PathMissing, PathOutside
from tackroom.packages.findings import Finding
from tackroom.packages.manifest import Manifest
from tackroom.packages.model import File, Kind
from tackroom.packages.package import Source
from tackroom.packages.tree import Tree, Unreachable, Walked, join, relative

SKILL = "SKILL.md"
MAX_GROUPS = 6  # folders between skills/ and a skill; no harness that reads groups looks deeper


class Candidate(NamedTuple):
    """A file that is an artifact of a kind, by the way it was reached.

    ``format`` is that of the manifest that declared it, or empty. ``folder`` is a skill's folder.
    """

    kind: Kind
    main: Walked
    segments: tuple[str, ...]
    format: str = ""
    folder: str = ""


Found = Iterator[Candidate | Finding]


def candidates(source: Source, manifests: Sequence[Manifest]) -> Found:
    """Yield every candidate of a package, and a finding for each way that leads nowhere."""
    single = _root_skill(source, manifests)
    if single:
        yield single
    if not single or manifests:
        yield from _defaults(source, source.root, manifests)
    for manifest in manifests:
        yield from _declared(source, manifest)
    for vendor in formats.VENDORS if not single or manifests else ():
        yield from _defaults(source, join(source.root, vendor))


def _root_skill(source: Source, manifests: Sequence[Manifest]) -> Candidate | None:
    """Return the skill that the package's root is: one with a SKILL.md and no folder of skills."""
    file = source.tree.file(join(source.root, SKILL))
    folder = join(source.root, formats.COMPONENTS[Kind.SKILL])
    declared = any(formats.COMPONENTS[Kind.SKILL] in each.fields for each in manifests)
    if file is None or declared or _is_folder(source.tree, folder):
        return None
    main = Walked(join(source.root, SKILL), source.tree.resolve(join(source.root, SKILL)), file)
    return Candidate(Kind.SKILL, main, (source.id,), folder=source.root)


def _is_folder(tree: Tree, path: str) -> bool:
    try:
        return tree.is_folder(tree.resolve(path))
    except Unreachable:
        return False


# --- default folders


def _defaults(source: Source, base: str, manifests: Sequence[Manifest] = ()) -> Found:
    for kind, folder in formats.COMPONENTS.items():
        path = join(base, folder)
        if not _replaced(source, kind) and _exists(source.tree, path):
            yield from _component(source.tree, kind, path, _reader(kind, manifests))


def _reader(kind: Kind, manifests: Sequence[Manifest]) -> str:
    """Return the format whose plugins have a default folder read though no manifest names it.

    Claude Code adds declared skills to it, and takes declared commands and agents in its place.
    """
    own = [each for each in manifests if each.format == formats.DEFAULT and kind is not Kind.RULE]
    replaced = kind is not Kind.SKILL and any(formats.COMPONENTS[kind] in each.fields for each in own)
    return formats.DEFAULT if own and not replaced else ""


def _exists(tree: Tree, path: str) -> bool:
    """Tell whether something is there, be it a link that leads nowhere; its own folder may be a link."""
    if path in tree.nodes:
        return True
    try:
        return tree.resolve(path) != ""
    except Unreachable:
        return False


def _replaced(source: Source, kind: Kind) -> bool:
    """Tell whether a catalogue's entry for the repository's root lists its parts itself.

    Several entries may share the root, each with its own list: the default folders then hold the
    parts of all of them.
    """
    fields = source.entry.fields if source.entry and source.replaces else {}
    return formats.COMPONENTS[kind] in fields or any(name in fields for name in formats.COMPONENTS.values())


# --- declared paths


def _declared(source: Source, manifest: Manifest) -> Found:
    for kind in formats.COMPONENTS:
        for each in manifest.declared(kind):
            if isinstance(each, Finding):
                yield each
            else:
                yield from _declared_path(source, manifest, kind, each)


def _declared_path(source: Source, manifest: Manifest, kind: Kind, declared: str) -> Found:
    path = posixpath.normpath(posixpath.join(source.root, declared))
    path = "" if path == "." else path
    if _leaves(declared) or path.split("/")[0] == "..":
        yield PathOutside(path=manifest.path, declared=declared)
        return
    try:
        real = source.tree.resolve(path)
    except Unreachable as wrong:
        is_link = path in source.tree.nodes
        yield wrong.finding if is_link else PathMissing(path=manifest.path, declared=declared)
        return
    yield from _declared_place(source, kind, path, real, manifest.format)


def _leaves(declared: str) -> bool:
    """Tell whether a declared path is absolute on some system, or none at all."""
    return declared.startswith(("/", "~")) or "\\" in declared or ":" in declared or "\0" in declared


def _declared_place(source: Source, kind: Kind, path: str, real: str, format_id: str) -> Found:
    file = source.tree.nodes.get(real)
    if kind is Kind.SKILL:
        yield from _declared_skills(source, path, file, format_id)
    elif isinstance(file, File):
        yield from _file(kind, Walked(path, real, file), (_stem(path),), format_id)
    else:
        yield from _component(source.tree, kind, path, format_id)


def _declared_skills(source: Source, path: str, file: object, format_id: str) -> Found:
    if isinstance(file, File) and posixpath.basename(path) != SKILL:
        yield NotAnArtifact(path=path, why=f"a skill is a folder with a {SKILL} in it")
        return
    folder = posixpath.dirname(path) if isinstance(file, File) else path
    if source.tree.file(join(folder, SKILL)):
        yield from _skill(source.tree, folder, posixpath.basename(folder) or source.id, format_id)
    else:
        yield from _component(source.tree, Kind.SKILL, folder, format_id)


# --- one component folder


def _component(tree: Tree, kind: Kind, path: str, format_id: str) -> Found:
    if kind is Kind.SKILL:
        yield from _skills(tree, path, format_id, (), set())
    else:
        yield from _files(tree, kind, path, format_id)


def _skills(tree: Tree, folder: str, format_id: str, above: tuple[str, ...], entered: set[str]) -> Found:
    """Yield each skill below a folder; a folder without a SKILL.md of its own is a group of skills.

    A group is entered on the first way that leads to it: another leads to the same skills.
    """
    try:
        real = tree.resolve(folder)
    except Unreachable as wrong:
        yield wrong.finding
        return
    if real not in entered and len(above) <= MAX_GROUPS:
        entered.add(real)
        for name in tree.children(real):
            yield from _in_skills(tree, join(folder, name), format_id, (*above, real), entered)


def _in_skills(tree: Tree, path: str, format_id: str, above: tuple[str, ...], entered: set[str]) -> Found:
    name = posixpath.basename(path)
    try:
        real = tree.resolve(path)
    except Unreachable as wrong:
        yield wrong.finding.but(path=path)
        return
    if not tree.is_folder(real):
        if len(above) == 1 and name.endswith(formats.MARKDOWN) and not formats.is_documentation(name):
            yield NotAnArtifact(path=path, why=f"a skill is a folder with a {SKILL} in it")
    elif SKILL in tree.children(real):
        yield from _skill(tree, path, name, format_id)
    elif misspelled := [each for each in tree.children(real) if each.lower() == SKILL.lower()]:
        yield NotAnArtifact(path=join(path, misspelled[0]), why=f"a skill's file is called {SKILL}")
    else:
        is_new, found = real not in entered, [*_skills(tree, path, format_id, above, entered)]
        yield from found
        if is_new and not found and len(above) == 1:
            yield NotAnArtifact(path=path, why=f"holds no {SKILL}")


def _skill(tree: Tree, folder: str, name: str, format_id: str) -> Found:
    path = join(folder, SKILL)
    try:
        real = tree.resolve(path)
    except Unreachable as wrong:
        yield wrong.finding
        return
    file = tree.nodes.get(real)
    if isinstance(file, File):
        yield Candidate(Kind.SKILL, Walked(path, real, file), (name,), format_id, folder)


def _files(tree: Tree, kind: Kind, folder: str, format_id: str) -> Found:
    for each in tree.walk(folder, once=True):
        if isinstance(each, Finding):
            yield each
        elif kind is Kind.AGENT and each.path.endswith(formats.COMMAND_TOML):
            yield NotAnArtifact(path=each.path, why="an agent is a Markdown file")
        elif not _is_source(kind, each.path):
            continue
        elif formats.is_documentation(posixpath.basename(each.path)):
            yield DocumentationFile(path=each.path)
        else:
            yield Candidate(kind, each, _segments(relative(each.path, folder), kind), format_id)


def _segments(path: str, kind: Kind) -> tuple[str, ...]:
    """Return what a file's path says of its name; ``NAME/agent.md`` is one form of an agent."""
    folders = tuple(path.split("/")[:-1])
    if kind is Kind.AGENT and folders and posixpath.basename(path) == "agent.md":
        return folders
    return (*folders, _stem(path))


def _file(kind: Kind, main: Walked, segments: tuple[str, ...], format_id: str) -> Found:
    if _is_source(kind, main.path):
        yield Candidate(kind, main, segments, format_id)
    else:
        yield NotAnArtifact(path=main.path, why=f"is declared as {kind} and no Markdown file")


def _is_source(kind: Kind, path: str) -> bool:
    return path.endswith(formats.MARKDOWN) or bool(formats.of_suffix(kind, path))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]
