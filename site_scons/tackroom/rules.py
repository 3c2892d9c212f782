"""The rules that look at all packages together: shadowing, names, folders and shared files. Pure.

Outlines in, decisions out: small values that can be remembered, so that the rules are applied again only
when the outline of a package changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from tackroom import harnesses, naming, shadowing
from tackroom.codes import FilterUnmatched
from tackroom.config import PackageSpec
from tackroom.harnesses.contract import Facts, Fragment, Shape
from tackroom.library import Library, fragments
from tackroom.naming import Named
from tackroom.outline import Branch, Outline, called, dump_named, load_named
from tackroom.packages.findings import Finding, revive


class About(NamedTuple):
    """What a report says of a package: its git address, also as it was asked for, its commit and place."""

    id: str
    git: str
    asked: str
    commit: str
    subdir: str


class Ruling(NamedTuple):
    """What is decided for one harness.

    ``folders``: the folder of each package of which something is staged there; ``settled`` the rows of
    those artifacts that do not get the name they want, by package; ``contests`` who wants a name that
    several want; ``fragments`` what the packages add to shared files, in their order.
    """

    folders: Mapping[str, str]
    settled: Mapping[str, tuple[Named, ...]]
    contests: Mapping[str, str]
    fragments: tuple[Fragment, ...]


class Rulings(NamedTuple):
    """What is decided, by harness, and what was found on the way."""

    packages: tuple[About, ...]
    trees: Mapping[str, Ruling]
    findings: tuple[Finding, ...]


def rule(
    outlines: Sequence[Outline], library: Library, specs: Mapping[str, PackageSpec], ids: Sequence[str]
) -> Rulings:
    """Apply the rules to packages in their order, for the harnesses; ``specs`` by the packages' ids."""
    left_out = shadowing.of_packages(outlines)
    staged = [each for each in outlines if each.id not in left_out]
    findings = [
        *_unmatched(outlines, specs),
        *(f for each in outlines for f in each.findings),
        *left_out.values(),
    ]
    packages = tuple(About(each.id, each.git, each.asked, each.commit, each.subdir) for each in outlines)
    trees = {each: _ruling(harnesses.get(each).facts, staged, library, findings) for each in ids}
    return Rulings(packages, trees, tuple(findings))


def _unmatched(outlines: Sequence[Outline], specs: Mapping[str, PackageSpec]) -> Iterator[Finding]:
    """Yield a finding for each glob that selects nothing, most often a slip, in any entry of a catalogue."""
    known: dict[PackageSpec, list[str]] = {}
    for outline in outlines:
        spec = specs.get(outline.id)
        if spec and (spec.only or spec.skip):
            known.setdefault(spec, []).extend(each.id for each in outline.artifacts)
    for spec, names in known.items():
        for key, globs in (("only", spec.only), ("skip", spec.skip)):
            for glob in globs:
                if not any(fnmatchcase(each, glob) for each in names):
                    yield FilterUnmatched(package=spec.key, key=key, glob=glob)


def _ruling(facts: Facts, outlines: Sequence[Outline], library: Library, findings: list[Finding]) -> Ruling:
    branches = {each.id: each.branches[facts.id] for each in outlines}
    claims = {package: each.claims for package, each in branches.items()}
    named = _folders(facts, outlines, findings)
    for each in outlines:
        findings += (_at(found, each, facts) for found in branches[each.id].findings)
    folders = {package: named[package] for package, each in branches.items() if each.is_staged}
    parts = (
        _parts(facts, package, branches[package], folder, library) for package, folder in folders.items()
    )
    return Ruling(
        folders,
        naming.across(claims, facts),
        naming.contests(claims),
        tuple(part for each in parts for part in each),
    )


def _folders(facts: Facts, outlines: Sequence[Outline], findings: list[Finding]) -> dict[str, str]:
    """Return each package's folder in the bundle; empty in a tree that they share."""
    if facts.shape is Shape.TREE:
        return {each.id: "" for each in outlines}
    found = naming.folders({each.id: called(each.names, facts.id) for each in outlines}, facts)
    findings += (_at(f, each, facts) for each in outlines for f in found[each.id][1])
    return {package: name for package, (name, _) in found.items()}


def _parts(facts: Facts, package: str, branch: Branch, folder: str, library: Library) -> tuple[Fragment, ...]:
    """Return what a package adds to shared files; it has to be read where its folder got another name."""
    return branch.fragments if folder == branch.folder else fragments(library.open(package), facts, folder)


def _at(finding: Finding, outline: Outline, facts: Facts) -> Finding:
    return finding.at(package=outline.id, commit=outline.commit, harness=facts.id)


# --- as JSON


def dump(rulings: Rulings) -> dict[str, Any]:
    """Return rulings as plain data; ``load`` is the inverse."""
    about = [[each.id, each.git, each.asked, each.commit, each.subdir] for each in rulings.packages]
    return {
        "packages": about,
        "trees": {harness: _dump(each, harness) for harness, each in rulings.trees.items()},
        "findings": [each.record() for each in rulings.findings],
    }


def load(found: Mapping[str, Any]) -> Rulings:
    """Return what ``dump`` was given; KeyError, TypeError or ValueError for anything else."""
    return Rulings(
        tuple(About(*row) for row in found["packages"]),
        {harness: _load(each, harness) for harness, each in found["trees"].items()},
        tuple(map(revive, found["findings"])),
    )


def _dump(ruling: Ruling, harness: str) -> dict[str, Any]:
    settled = {
        package: [dump_named(each, harness) for each in rows] for package, rows in ruling.settled.items()
    }
    return {
        "folders": ruling.folders,
        "settled": settled,
        "contests": ruling.contests,
        "fragments": [[each.path, each.key, each.value] for each in ruling.fragments],
    }


def _load(found: Mapping[str, Any], harness: str) -> Ruling:
    return Ruling(
        found["folders"],
        {
            package: tuple(load_named(each, harness) for each in rows)
            for package, rows in found["settled"].items()
        },
        found["contests"],
        tuple(Fragment(*row) for row in found["fragments"]),
    )
