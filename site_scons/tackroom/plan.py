"""The plan: packages and rules become a frozen list of what is to be staged where. Pure.

An item is one artifact in one slot of one harness, or the files that a package has once there, or a
file that several packages share. Items are rendered when they are staged; their names, their places
and what they depend on are settled here. The graph sees nothing but the plan.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from xxhash import xxh3_128_hexdigest

from tackroom import harnesses, naming, shadowing
from tackroom.codes import FilterUnmatched
from tackroom.config import PackageSpec
from tackroom.harnesses import plugin
from tackroom.harnesses.contract import Bundle, Facts, Fragment, Harness, Order, Shape, Staged
from tackroom.naming import Named
from tackroom.packages.codes import ContextNotStaged
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact
from tackroom.packages.names import same
from tackroom.packages.package import Package
from tackroom.packages.tree import join, relative
from tackroom.version import renderer

Rendered = Callable[[], Iterator[Staged | Finding]]


@dataclass(frozen=True, slots=True)
class Item:
    """What is staged as a whole. Paths count from the harness's bundle.

    ``package`` is empty for a file that several packages share. ``kind`` and ``name`` are the
    artifact's own, ``as_kind`` and ``as_name`` those in the harness. ``key`` stands for everything
    that the item's files depend on; ``contest`` names the contested name it depends on, if any.
    """

    harness: str
    package: str
    commit: str
    kind: str
    name: str
    as_kind: str
    as_name: str
    source: str
    path: str
    key: str
    folder: str = ""
    contest: str = ""
    findings: tuple[Finding, ...] = ()
    render: Rendered = field(compare=False, repr=False, default=lambda: iter(()))

    @property
    def id(self) -> str:
        """What the item is called in the records; no two of a plan share it."""
        return f"{self.harness}/{self.package}/{self.kind}/{self.as_kind}/{self.source}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a workspace stages.

    ``contests``: the contested names of each harness's tree, with their contenders. ``findings``:
    what was found while the packages were read and the rules applied.
    """

    harnesses: tuple[str, ...]
    packages: tuple[Package, ...]
    items: tuple[Item, ...]
    contests: Mapping[str, str]
    findings: tuple[Finding, ...]


def make(
    packages: Sequence[Package],
    specs: Mapping[str, PackageSpec],
    ids: Sequence[str],
    found: Sequence[Finding] = (),
) -> Plan:
    """Plan the packages, in their order, for the harnesses.

    ``specs``: what the workspace says of each package, by its id. ``found``: what was found on the
    way to the packages.
    """
    selected = [_selected(each, specs.get(each.id)) for each in packages]
    left_out = shadowing.of_packages(packages, selected)
    staged = [each for each in selected if each.id not in left_out]
    findings = [
        *found,
        *_unmatched(packages, specs),
        *(f for each in packages for f in each.findings),
        *left_out.values(),
    ]
    items: list[Item] = []
    contests: dict[str, str] = {}
    for each in ids:
        made = _Tree(harnesses.get(each), staged)
        items += made.items()
        contests |= made.contests
        findings += made.findings
    return Plan(tuple(ids), tuple(packages), tuple(items), contests, tuple(findings))


def _selected(package: Package, spec: PackageSpec | None) -> Package:
    """Leave out what ``only:`` and ``skip:`` leave out; such an artifact takes no name."""
    if spec is None or not (spec.only or spec.skip):
        return package
    kept = tuple(each for each in package.artifacts if _asked(each, spec))
    return dataclasses.replace(package, artifacts=kept)


def _unmatched(packages: Sequence[Package], specs: Mapping[str, PackageSpec]) -> Iterator[Finding]:
    """Yield a finding for each glob that selects nothing, most often a slip, in any entry of a catalogue."""
    ids: dict[PackageSpec, list[str]] = {}
    for package in packages:
        if spec := specs.get(package.id):
            ids.setdefault(spec, []).extend(each.id for each in package.artifacts)
    for spec, known in ids.items():
        for key, globs in (("only", spec.only), ("skip", spec.skip)):
            for glob in globs:
                if not any(fnmatchcase(each, glob) for each in known):
                    yield FilterUnmatched(package=spec.key, key=key, glob=glob)


def _asked(artifact: Artifact, spec: PackageSpec) -> bool:
    def matches(globs: Iterable[str]) -> bool:
        return any(fnmatchcase(artifact.id, each) for each in globs)

    return (not spec.only or matches(spec.only)) and not matches(spec.skip)


class _Tree:
    """One harness's bundle in the making."""

    def __init__(self, harness: Harness, packages: Sequence[Package]) -> None:
        self.harness = harness
        self.facts: Facts = harness.facts
        self.packages = packages
        self.findings: list[Finding] = []
        self.named = self._name()
        found = naming.contests(self.named, self.facts)
        self.contests = {f"{self.facts.id}/{name}": text for name, text in found.items()}

    def _name(self) -> dict[str, tuple[Named, ...]]:
        named = {}
        for package in self.packages:
            kept = shadowing.of_originals(package.artifacts, self.facts.vendor)
            self.findings += (self._at(each, package) for each in kept.findings)
            named[package.id] = naming.within(kept.artifacts, self.facts)
        return naming.across(named, self.facts)

    def _at(self, finding: Finding, package: Package) -> Finding:
        return finding.at(package=package.id, commit=package.source.commit, harness=self.facts.id)

    def items(self) -> Iterator[Item]:
        """Yield the items: each package's artifacts and own files, then the shared files."""
        fragments: list[Fragment] = []
        folders = self._folders()
        for package in self.packages:
            if package.context and not self.facts.context:
                lost = ContextNotStaged(path=join(package.source.root, package.context.path))
                self.findings.append(self._at(lost, package))
            if not self.named[package.id] and not (package.context and self.facts.context):
                continue
            self.findings += self._unsaid(package)
            folder = folders[package.id]
            yield from (self._artifact(each, package, folder) for each in self.named[package.id])
            own = self._own(package, folder, fragments)
            if own:
                yield own
        yield from self._shared(fragments)

    def _unsaid(self, package: Package) -> Iterator[Finding]:
        """Yield what manifests say to other harnesses alone.

        Who has a manifest for this very harness has said there what matters to it.
        """
        if any(each.format == self.facts.id for each in package.manifests):
            return
        for manifest in package.manifests:
            if manifest is not package.source.entry:
                for each in plugin.unsaid(manifest, harnesses.get(manifest.format).facts):
                    path = relative(each.path, package.source.root)
                    yield self._at(dataclasses.replace(each, path=path), package)

    def _folders(self) -> dict[str, str]:
        """Return each package's folder in the bundle; empty in a tree that they share."""
        if self.facts.shape is Shape.TREE:
            return {package.id: "" for package in self.packages}
        found = naming.folders(self.packages, self.facts)
        self.findings += (self._at(each, package) for package, _, row in found for each in row)
        return {package.id: name for package, name, _ in found}

    def _base(self, folder: str) -> str:
        """Return where a package's files start in the bundle."""
        return join(self.facts.root, folder) if folder else self.facts.root

    def _artifact(self, named: Named, package: Package, folder: str) -> Item:
        artifact, slot = named.artifact, named.slot
        source = harnesses.get(artifact.format).facts
        order = Order(artifact, slot, named.name, named.renamed, source, self.facts)
        write = self.harness.write[artifact.kind, slot.becomes]
        contest = f"{self.facts.id}/{naming.contest(named, package.id, self.facts)}"
        return Item(
            harness=self.facts.id,
            package=package.id,
            commit=package.source.commit,
            kind=artifact.kind,
            name=artifact.name,
            as_kind=slot.becomes,
            as_name=naming.known_as(named),
            source=artifact.path,
            path=join(self._base(folder), slot.place(named.name)),
            key=_key(self.facts, folder, artifact, named),
            folder=self._base(folder),
            contest=contest if contest in self.contests else "",
            findings=tuple(each.at(path=artifact.path) for each in named.findings),
            render=lambda: write(order),
        )

    def _own(self, package: Package, folder: str, fragments: list[Fragment]) -> Item | None:
        """Return the item of the files that a package has once, and collect its fragments of shared ones."""
        if self.harness.package is None:
            return None
        made = []
        for each in self.harness.package(Bundle(package, folder, self.facts)):
            if isinstance(each, Fragment):
                fragments.append(each)
            else:
                made.append(each)
        placed = {same(path) for path in self._placed(package)}
        files = []
        for each in made:
            if isinstance(each, Finding) or same(each.path) not in placed:
                files.append(each)
            placed |= {same(each.path)} if isinstance(each, Staged) else set()
        return self._fixed("manifest", package, self._base(folder), files)

    def _placed(self, package: Package) -> Iterator[str]:
        """Yield the paths that a package's artifacts stage themselves."""
        for named in self.named[package.id]:
            path = named.slot.place(named.name)
            yield path
            yield from (join(path.rpartition("/")[0], each.path) for each in named.artifact.files)

    def _fixed(
        self, kind: str, package: Package | None, folder: str, files: Sequence[Staged | Finding]
    ) -> Item | None:
        staged = [each for each in files if isinstance(each, Staged)]
        if not staged:
            if package:
                self.findings += (self._at(each, package) for each in files if isinstance(each, Finding))
            return None
        return Item(
            harness=self.facts.id,
            package=package.id if package else "",
            commit=package.source.commit if package else "",
            kind=kind,
            name=folder if package else staged[0].path,
            as_kind=kind,
            as_name=folder if package else staged[0].path,
            source="" if package else staged[0].path,
            path=join(folder, staged[0].path),
            key=_digest([renderer(), folder, [_content_key(each) for each in staged]]),
            folder=folder,
            render=lambda: iter(files),
        )

    def _shared(self, fragments: Sequence[Fragment]) -> Iterator[Item]:
        """Yield the files that several packages share, each made of its fragments in their order."""
        for path in dict.fromkeys(each.path for each in fragments):
            parts = tuple(each for each in fragments if each.path == path)
            if self.harness.merge:
                item = self._fixed("shared", None, self.facts.root, [self.harness.merge(path, parts)])
                if item:
                    yield item


def _content_key(staged: Staged) -> object:
    content = staged.content
    key = xxh3_128_hexdigest(content) if isinstance(content, bytes) else content.key
    return [staged.path, key, staged.executable]


def _key(facts: Facts, folder: str, artifact: Artifact, named: Named) -> str:
    """Return the digest of all that an artifact's files depend on."""
    files = [[each.path, each.file.key, each.file.executable] for each in artifact.files]
    own = [artifact.file.key, artifact.file.executable, artifact.kind, artifact.format, artifact.path]
    return _digest([renderer(), facts.id, folder, named.slot.path, named.name, named.renamed, own, files])


def _digest(value: object) -> str:
    return xxh3_128_hexdigest(json.dumps(value, separators=(",", ":")).encode())
