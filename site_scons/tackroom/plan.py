"""The plan: what the rules decided becomes a frozen list of what is to be staged where. Pure.

A unit is one package in one harness, or one file that several packages share there; its key stands for
all that its files depend on. What it consists of, its items, is worked out only where a unit has to be
staged: one artifact in one slot, or the files that a package has once. The graph sees nothing but the plan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from xxhash import xxh3_128_hexdigest

from tackroom import harnesses, ids, naming, rules
from tackroom.config import PackageSpec
from tackroom.harnesses.contract import Facts, Fragment, Order, Staged
from tackroom.library import Library, Opened
from tackroom.naming import Named
from tackroom.outline import Known
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact
from tackroom.packages.names import same
from tackroom.packages.package import Package
from tackroom.packages.tree import join
from tackroom.rules import About, Ruling, Rulings
from tackroom.version import renderer

Rendered = Callable[[], Iterator[Staged | Finding]]


class Item(NamedTuple):
    """What is staged as a whole. Paths count from the harness's bundle.

    ``package`` is empty for a file that several packages share. ``kind`` and ``name`` are the
    artifact's own, ``as_kind`` and ``as_name`` those in the harness. ``parts`` are all that the item's
    files depend on, by word; ``contest`` lists who wants the name that it wants, if several do.
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
    parts: Mapping[str, str]
    folder: str = ""
    contest: str = ""
    findings: tuple[Finding, ...] = ()
    render: Rendered = lambda: iter(())

    @property
    def id(self) -> str:
        """What the item is called in the records; no two of a plan share it."""
        return ids.item(self.harness, self.package, self.kind, self.as_kind, self.source)

    @property
    def key(self) -> str:
        """What stands for everything that its files depend on."""
        return _digest(dict(self.parts))


@dataclass(frozen=True, slots=True)
class Unit:
    """What is staged or skipped as a whole.

    ``name`` is its package, or ``/`` and the path of a file that several share. ``code`` stands for the
    code that stages it, and is in the key too.
    """

    harness: str
    name: str
    commit: str
    key: str
    code: str
    items: Callable[[], tuple[Item, ...]] = field(compare=False, repr=False)

    @property
    def id(self) -> str:
        """What the unit is called in the records."""
        return ids.unit(self.harness, self.name)

    @property
    def package(self) -> str:
        """Its package; empty for a file that several share."""
        return ids.package(self.id)


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a workspace stages.

    ``findings``: of reading the packages and applying the rules. ``artifacts`` gives those of all packages,
    each with its package's id.
    """

    harnesses: tuple[str, ...]
    packages: tuple[About, ...]
    units: tuple[Unit, ...]
    findings: tuple[Finding, ...]
    artifacts: Callable[[], Sequence[tuple[str, Known]]] = field(compare=False, repr=False, default=list)

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, whatever is staged already."""
        return tuple(item for unit in self.units for item in unit.items())


def make(
    packages: Sequence[Package],
    specs: Mapping[str, PackageSpec],
    ids: Sequence[str],
    found: Sequence[Finding] = (),
) -> Plan:
    """Plan packages that were read, in their order, for the harnesses; ``specs`` by the packages' ids."""
    library = Library({each.id: partial(_same, each) for each in packages}, specs)
    rulings = rules.rule([library.outline(each.id, ids) for each in packages], library, specs, ids)
    return lay(rulings, dict.fromkeys((each.id for each in packages), ""), library, found)


def _same(package: Package) -> Package:
    return package


def lay(
    rulings: Rulings, digests: Mapping[str, str], library: Library, found: Sequence[Finding] = ()
) -> Plan:
    """Make a plan of what the rules decided. ``digests`` stand for all that packages are made of, by id.

    ``found``: what was found on the way to the packages.
    """
    units = [
        unit
        for harness, ruling in rulings.trees.items()
        for unit in _Tree(harness, ruling, rulings.packages, library).units(digests)
    ]
    return Plan(tuple(rulings.trees), rulings.packages, tuple(units), (*found, *rulings.findings))


class _Tree:
    """One harness's bundle in the making."""

    def __init__(self, harness: str, ruling: Ruling, packages: Sequence[About], library: Library) -> None:
        self.harness = harnesses.get(harness)
        self.facts: Facts = self.harness.facts
        self.ruling = ruling
        self.packages = packages
        self.library = library

    def units(self, digests: Mapping[str, str]) -> Iterator[Unit]:
        """Yield the units: each package's, then those of shared files."""
        for package in self.packages:
            if package.id in self.ruling.folders:
                yield self._unit(package, digests[package.id])
        yield from self._shared()

    def _unit(self, package: About, digest: str) -> Unit:
        settled = self.ruling.settled.get(package.id, ())
        rows = [[row.path, row.slot.path, row.name, [f.record() for f in row.findings]] for row in settled]
        names = _encode(rows) if rows else ""
        folder, code = self.ruling.folders[package.id], renderer(self.facts.id)
        parts = (code, self.facts.id, package.id, digest, package.commit, folder, names)
        return Unit(
            harness=self.facts.id,
            name=package.id,
            commit=package.commit,
            code=code,
            key=_hash("\0".join(parts)),
            items=partial(self._items, package, folder),
        )

    def _shared(self) -> Iterator[Unit]:
        """Yield the files that several packages share, each made of its fragments in their order."""
        parts, code = self.ruling.fragments, renderer(self.facts.id)
        for path in dict.fromkeys(each.path for each in parts):
            made = tuple(each for each in parts if each.path == path)
            key = _digest([code, path, [[each.key, each.value] for each in made]])
            yield Unit(self.facts.id, f"/{path}", "", key, code, partial(self._merged, path, made))

    # --- items

    def _items(self, package: About, folder: str) -> tuple[Item, ...]:
        opened = self.library.open(package.id)
        settled = {_place(row): row for row in self.ruling.settled.get(package.id, ())}
        named = [settled.get(_place(row), row) for row in opened.named(self.facts)]
        artifacts = opened.artifacts(self.facts)
        contests = {**self.ruling.contests, **naming.own_contests(package.id, named, self.facts)}
        base = self._base(folder)
        made = [self._artifact(row, artifacts[row.kind, row.path], package, base, contests) for row in named]
        own = self._own(opened, folder, named, artifacts)
        return (*made, own) if own else tuple(made)

    def _base(self, folder: str) -> str:
        """Return where a package's files start in the bundle."""
        return join(self.facts.root, folder) if folder else self.facts.root

    def _artifact(
        self, named: Named, artifact: Artifact, package: About, base: str, contests: Mapping[str, str]
    ) -> Item:
        slot = named.slot
        source = harnesses.get(artifact.format).facts
        order = Order(artifact, slot, named.name, named.renamed, source, self.facts)
        write = self.harness.write[artifact.kind, slot.becomes]
        return Item(
            harness=self.facts.id,
            package=package.id,
            commit=package.commit,
            kind=artifact.kind,
            name=artifact.name,
            as_kind=slot.becomes,
            as_name=naming.known_as(named),
            source=artifact.path,
            path=join(base, slot.place(named.name)),
            parts=_parts(self.facts, base, artifact, named),
            folder=base,
            contest=contests.get(naming.contest(named, package.id, self.facts), "") if contests else "",
            findings=tuple(each.at(path=artifact.path) for each in named.findings),
            render=lambda: write(order),
        )

    def _own(
        self,
        opened: Opened,
        folder: str,
        named: Sequence[Named],
        artifacts: Mapping[tuple[str, str], Artifact],
    ) -> Item | None:
        """Return the item of the files that a package has once; none of them in an artifact's place."""
        placed = {same(path) for path in _placed(named, artifacts)}
        files: list[Staged | Finding] = []
        for each in opened.own(self.facts, folder):
            if isinstance(each, Finding):
                files.append(each)
            elif isinstance(each, Staged) and same(each.path) not in placed:
                files.append(each)
                placed.add(same(each.path))
        return self._fixed("manifest", opened.package, self._base(folder), files) if files else None

    def _merged(self, path: str, parts: tuple[Fragment, ...]) -> tuple[Item, ...]:
        merge = self.harness.merge
        return (self._fixed("shared", None, self.facts.root, [merge(path, parts)]),) if merge else ()

    def _fixed(
        self, kind: str, package: Package | None, folder: str, files: Sequence[Staged | Finding]
    ) -> Item:
        staged = [each for each in files if isinstance(each, Staged)]
        first = staged[0].path if staged else ""
        content = _digest(
            [each.record() if isinstance(each, Finding) else _content_key(each) for each in files]
        )
        return Item(
            harness=self.facts.id,
            package=package.id if package else "",
            commit=package.source.commit if package else "",
            kind=kind,
            name=folder if package else first,
            as_kind=kind,
            as_name=folder if package else first,
            source="" if package else first,
            path=join(folder, first),
            parts={"tackroom": renderer(self.facts.id), "folder": folder, "content": content},
            folder=folder,
            render=lambda: iter(files),
        )


def _place(named: Named) -> tuple[str, str, str, str]:
    return named.kind, named.path, named.slot.becomes, named.slot.path


def _placed(named: Sequence[Named], artifacts: Mapping[tuple[str, str], Artifact]) -> Iterator[str]:
    """Yield the paths that a package's artifacts stage themselves."""
    for each in named:
        path = each.slot.place(each.name)
        yield path
        files = artifacts[each.kind, each.path].files
        yield from (join(path.rpartition("/")[0], support.path) for support in files)


def _content_key(staged: Staged) -> object:
    content = staged.content
    key = xxh3_128_hexdigest(content) if isinstance(content, bytes) else content.key
    return [staged.path, key, staged.executable]


def _parts(facts: Facts, folder: str, artifact: Artifact, named: Named) -> dict[str, str]:
    """Return all that an artifact's files depend on, by the word that says what changed."""
    parts = {
        "tackroom": renderer(facts.id),
        "source": f"{artifact.file.key}{'*' * artifact.file.executable}",
        "format": artifact.format,
        "name": f"{named.slot.path} {named.name}{'*' * named.renamed}",
        "folder": folder,
    }
    if artifact.files:
        parts["files"] = _digest(
            [[each.path, each.file.key, each.file.executable] for each in artifact.files]
        )
    if named.findings:
        parts["taken"] = _digest([each.record() for each in named.findings])
    return parts


_encode = json.JSONEncoder(separators=(",", ":"), default=str).encode


def _digest(value: object) -> str:
    return _hash(_encode(value))


def _hash(text: str) -> str:
    return xxh3_128_hexdigest(text.encode(errors="surrogatepass"))
