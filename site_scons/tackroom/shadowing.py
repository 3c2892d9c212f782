"""Which copy of a thing is staged, where a workspace holds it twice. Pure functions on what was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tackroom.codes import Shadowed
from tackroom.outline import Outline
from tackroom.packages.findings import Finding
from tackroom.packages.formats import VENDORS
from tackroom.packages.model import Artifact, Kind
from tackroom.packages.pin import identity
from tackroom.packages.tree import join, relative


class Kept(NamedTuple):
    """What remains to be staged, and a finding for each copy that does not."""

    artifacts: tuple[Artifact, ...]
    findings: tuple[Finding, ...] = ()


def of_packages(packages: Sequence[Outline]) -> dict[str, Finding]:
    """Return the packages that are left out, by id: single skills that a plugin of the list brings itself.

    A plugin at a path shadows each skill at that path or below it, in the same repository at the same
    commit, however its url is spelled; but not one that ``only`` or ``skip`` keeps out of the plugin.
    """
    plugins = [each for each in packages if each.is_plugin]
    found: dict[str, Finding] = {}
    for skill in filter(_is_single_skill, packages):
        for plugin in plugins:
            if _brings(plugin, skill) and _path(plugin, skill) not in _left_out(plugin):
                found[skill.id] = _shadowed(skill, plugin)
                break
    return found


def _brings(plugin: Outline, skill: Outline) -> bool:
    return _origin(plugin) == _origin(skill) and _is_below(skill.subdir, plugin.subdir)


def _path(plugin: Outline, skill: Outline) -> str:
    """Return where a skill's file lies in a plugin that it is below of."""
    return join(relative(skill.subdir, plugin.subdir), skill.chosen[0].path)


def _left_out(package: Outline) -> set[str]:
    return {each.path for each in package.artifacts} - {each.path for each in package.chosen}


def _is_single_skill(package: Outline) -> bool:
    """Tell whether a package is one skill and nothing else: no manifest, no catalogue's entry."""
    chosen = package.chosen
    return (
        not package.is_plugin and [each.kind for each in chosen] == [Kind.SKILL] and "/" not in chosen[0].path
    )


def _origin(package: Outline) -> tuple[str, str]:
    """Return repository and commit; folders of the monorepo share one origin, their real paths differ."""
    return (identity(package.git), package.commit) if package.git else ("", "")


def _is_below(path: str, folder: str) -> bool:
    if not folder:
        return not path.startswith("..")  # a folder of the monorepo may lie beside the workspace's
    return path == folder or path.startswith(folder + "/")


def _shadowed(skill: Outline, plugin: Outline) -> Finding:
    first = skill.chosen[0]
    winner = f"plugin '{plugin.id}' of the same commit, which brings it,"
    place = {"package": skill.id, "commit": skill.commit, "path": first.path}
    return Shadowed(name=first.name, winner=winner, **place)  # type: ignore[arg-type]


def of_originals(artifacts: Sequence[Artifact], vendor: str) -> Kept:
    """Choose, for a harness whose own folder is ``vendor``, between originals of one name in a package.

    It takes its own folder's copy, else the root's, else that of the first agent's folder that has
    one. Copies that are equal are one; of others the losers are reported.
    """
    ranks = {vendor: 0, "": 1} | {each: 2 + at for at, each in enumerate(VENDORS) if each != vendor}
    best: dict[str, Artifact] = {}
    for each in artifacts:
        winner = best.setdefault(each.id, each)
        if ranks.get(each.vendor, 9) < ranks.get(winner.vendor, 9):
            best[each.id] = each
    kept = tuple(each for each in artifacts if each.vendor == best[each.id].vendor)
    return Kept(kept, tuple(_losers(artifacts, best)))


def _losers(artifacts: Sequence[Artifact], best: dict[str, Artifact]) -> Iterator[Finding]:
    for each in artifacts:
        winner = best[each.id]
        if each.vendor != winner.vendor and not _equal(each, winner):
            yield Shadowed(path=each.path, name=each.name, winner=f"'{winner.path}'")


def _equal(one: Artifact, other: Artifact) -> bool:
    def content(artifact: Artifact) -> object:
        return (artifact.file.key, [(each.path, each.file.key) for each in artifact.files])

    return content(one) == content(other)
