"""The packages of a workspace, each read when it is first needed and at most once in a run.

Reading is the dear part of a run: outlines stand in for packages in which nothing changed. What was read
serves all harnesses, and is given back when the last of them is through with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock

from tackroom import harnesses, naming, shadowing
from tackroom.config import PackageSpec
from tackroom.harnesses import plugin
from tackroom.harnesses.contract import Bundle, Facts, Fragment, Staged
from tackroom.naming import Named
from tackroom.outline import Branch, Known, Outline, called, is_chosen
from tackroom.packages.codes import ContextNotStaged
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact
from tackroom.packages.package import Package
from tackroom.packages.tree import join, relative
from tackroom.shadowing import Kept


@dataclass(frozen=True, slots=True)
class Opened:
    """A package that was read, with all its artifacts, and what of it is to be staged."""

    whole: Package
    package: Package
    _kept: dict[str, Kept] = field(default_factory=dict, repr=False)
    _named: dict[str, tuple[Named, ...]] = field(default_factory=dict, repr=False)

    def kept(self, facts: Facts) -> Kept:
        """Return the artifacts that a harness gets: of several originals of one name, one."""
        if facts.vendor not in self._kept:
            self._kept[facts.vendor] = shadowing.of_originals(self.package.artifacts, facts.vendor)
        return self._kept[facts.vendor]

    def named(self, facts: Facts) -> tuple[Named, ...]:
        """Return the artifacts' names in a harness, as if the package were alone there."""
        if facts.id not in self._named:
            self._named[facts.id] = naming.within(self.kept(facts).artifacts, facts)
        return self._named[facts.id]

    def artifacts(self, facts: Facts) -> dict[tuple[str, str], Artifact]:
        """Return what a harness gets by kind and path."""
        return {(each.kind, each.path): each for each in self.kept(facts).artifacts}

    def own(self, facts: Facts, folder: str) -> list[Staged | Fragment | Finding]:
        """Return the files that the package has once in a harness, and its part of shared ones."""
        write = harnesses.get(facts.id).package
        return list(write(Bundle(self.package, folder, facts))) if write else []


class Library:
    """Packages by id. ``read`` reads one; ``specs`` say what of it is wanted."""

    def __init__(
        self, read: Mapping[str, Callable[[], Package]], specs: Mapping[str, PackageSpec] | None = None
    ) -> None:
        self._read = read
        self._specs = specs or {}
        self._opened: dict[str, Opened] = {}
        self._lock = RLock()

    def open(self, package: str) -> Opened:
        """Return a package, read unless it was."""
        with self._lock:
            if package not in self._opened:
                whole = self._read[package]()
                self._opened[package] = Opened(whole, _selected(whole, self._specs.get(package)))
            return self._opened[package]

    def give_back(self, package: str) -> None:
        """Let go of a package that nobody needs any more in this run."""
        with self._lock:
            self._opened.pop(package, None)

    def outline(self, package: str, ids: Sequence[str], digest: str = "") -> Outline:
        """Return a package in outline, for the harnesses; ``digest`` stands for all that it is made of."""
        opened, spec = self.open(package), self._specs.get(package)
        whole, source = opened.whole, opened.whole.source
        names = tuple((each.format, name) for each in whole.manifests if (name := each.text("name")))
        return Outline(
            id=package,
            digest=digest,
            git=source.git,
            asked=source.asked,
            commit=source.commit,
            subdir=source.subdir,
            is_plugin=whole.is_plugin,
            artifacts=tuple(
                Known(each.kind, each.name, each.path, is_chosen(each, spec)) for each in whole.artifacts
            ),
            names=names,
            findings=whole.findings,
            branches={each: _branch(opened, harnesses.get(each).facts, names) for each in ids},
        )


def _selected(package: Package, spec: PackageSpec | None) -> Package:
    """Leave out what ``only:`` and ``skip:`` leave out."""
    if spec is None or not (spec.only or spec.skip):
        return package
    kept = tuple(each for each in package.artifacts if is_chosen(each, spec))
    return package._replace(artifacts=kept)


def _branch(opened: Opened, facts: Facts, names: Sequence[tuple[str, str]]) -> Branch:
    package, named = opened.package, opened.named(facts)
    findings = list(opened.kept(facts).findings)
    is_staged = bool(named) or bool(package.context and facts.context)
    if package.context and not facts.context:
        findings.append(ContextNotStaged(path=join(package.source.root, package.context.path)))
    if is_staged:
        findings += _unsaid(package, facts)
    folder = naming.own_folder(package.id, called(names, facts.id), facts)
    made = fragments(opened, facts, folder) if is_staged else ()
    return Branch(naming.claims(named, facts), is_staged, tuple(findings), folder, made)


def fragments(opened: Opened, facts: Facts, folder: str) -> tuple[Fragment, ...]:
    """Return what a package adds to shared files, under the name of a folder."""
    if harnesses.get(facts.id).merge is None:
        return ()
    return tuple(each for each in opened.own(facts, folder) if isinstance(each, Fragment))


def _unsaid(package: Package, facts: Facts) -> list[Finding]:
    """Return what manifests say to other harnesses alone.

    Who has a manifest for this very harness has said there what matters to it.
    """
    if any(each.format == facts.id for each in package.manifests):
        return []
    found: list[Finding] = []
    for manifest in package.manifests:
        if manifest is not package.source.entry:
            found += plugin.unsaid(manifest, harnesses.get(manifest.format).facts)
    return [each.but(path=relative(each.path, package.source.root)) for each in found]
