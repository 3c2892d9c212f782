"""Under which name each artifact is staged. Pure: artifacts and facts in, names and findings out.

Names in one pool of one tree differ on every system, whatever the case. Within a package the kind
that a pool is named for comes first, a converted one becomes NAME-KIND, then NAME-KIND-2. Between
packages that share a tree the first listed keeps the name, a later one becomes NAME-PACKAGE.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from tackroom.codes import NameTaken
from tackroom.harnesses.codes import NameChanged
from tackroom.harnesses.contract import Facts, NameRule, Shape, Slot
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact, Kind
from tackroom.packages.names import MAX_BYTES, digest8, illegal, portable, same, shorten
from tackroom.packages.tree import join


class Named(NamedTuple):
    """An artifact, known by its kind and path, in a slot under its name.

    ``header``: the name in its header, where the slot goes by that. ``wanted``: the pool and the name it
    would have alone. ``renamed``: the header must say the name too.
    """

    kind: Kind
    path: str
    header: str
    slot: Slot
    name: str
    wanted: str = ""
    renamed: bool = False
    findings: tuple[Finding, ...] = ()


class Claims(NamedTuple):
    """What a package wants of the names that packages must not share, a row for each artifact and slot.

    ``keys`` are what a row's names are compared by, ``wants`` the name that it would have alone; ``row``
    gives the row in detail, which is only asked for where a name is contested.
    """

    keys: tuple[tuple[str, ...], ...]
    wants: tuple[str, ...]
    row: Callable[[int], Named]

    def all_keys(self) -> set[str]:
        """Return the keys of all rows."""
        return set(itertools.chain.from_iterable(self.keys))


class Holder(NamedTuple):
    """An artifact that has a name; ``owner`` says of which package, where there are several."""

    slot: Slot
    name: str
    owner: str

    @property
    def words(self) -> str:
        """Say who that is."""
        return f"{self.slot.becomes} '{self.name}'{self.owner}"


@dataclass(slots=True)
class Pools:
    """Who has which name in one tree.

    ``holders``: what a name is compared by, to who holds it. ``held`` are the keys of those who got what
    they wanted; who that was is looked up among ``packages``, each with the keys that it got.
    """

    facts: Facts
    holders: dict[str, Holder] = field(default_factory=dict)
    held: set[str] = field(default_factory=set)
    packages: dict[str, tuple[Claims, set[str]]] = field(default_factory=dict)

    def holder(self, slot: Slot, names: Sequence[str]) -> str:
        """Return in words who holds one of several names that an artifact is known by; empty: nobody."""
        own = self.facts.taken.get(slot.pool, ())
        for name in names:
            key = _key(slot, name)
            if found := self.holders.get(key) or (self._first(key) if key in self.held else None):
                return found.words
            leaf = same(name.rpartition("/")[2]) if own or slot.taken else ""
            if leaf in slot.taken or leaf in own:
                return f"a '{name}' of {self.facts.title}'s own"
        return ""

    def take(self, names: Sequence[str], holder: Holder) -> None:
        """Give names to an artifact."""
        for name in names:
            self.holders.setdefault(_key(holder.slot, name), holder)

    def taken(self, keys: Iterable[str]) -> bool:
        """Tell whether one of several keys is held."""
        return not (self.held.isdisjoint(keys) and self.holders.keys().isdisjoint(keys))

    def _first(self, key: str) -> Holder:
        package, claims = next((name, each) for name, (each, every) in self.packages.items() if key in every)
        row = claims.row(next(at for at, keys in enumerate(claims.keys) if key in keys))
        holder = self.holders[key] = Holder(row.slot, row.name, _owner(package))
        return holder


def _key(slot: Slot, name: str) -> str:
    """Return what a name is compared by: without case, and without what the harness does not tell apart."""
    alike = slot.names.alike
    return f"{slot.pool}/{(alike.sub('', same(name)) or same(name)) if alike else same(name)}"


def _owner(package: str) -> str:
    return f" of '{package}'"


def within(artifacts: Sequence[Artifact], facts: Facts) -> tuple[Named, ...]:
    """Name the artifacts of one package, as if it were alone in its tree; in the order of the slots."""
    pools = Pools(facts)
    primary: dict[str, Slot] = {}
    found: list[Named] = []
    for slot in facts.slots:
        first = primary.setdefault(slot.pool, slot)
        found += (_within(each, slot, first, pools) for each in artifacts if each.kind is slot.kind)
    return tuple(found)


def _within(artifact: Artifact, slot: Slot, primary: Slot, pools: Pools) -> Named:
    own = "/".join(artifact.segments) if slot.nested else artifact.name
    legal, changed = _legal(own, slot.names)
    suffix = "" if slot.kind is primary.kind else f"-{artifact.kind}"
    wanted = _key(slot, legal)
    header = _header_name(artifact) if slot.by_header else ""
    named = Named(artifact.kind, artifact.path, header, slot, legal, wanted, findings=changed)
    return _settle(named, suffix, "", pools)


def claims(named: Sequence[Named], facts: Facts) -> Claims:
    """Return the claims of a package that was named as if it were alone."""
    shared = tuple(each for each in named if is_shared(each.slot.pool, facts))
    keys = tuple(tuple(_keys(each)) for each in shared)
    return Claims(keys, tuple(each.wanted for each in shared), shared.__getitem__)


def across(packages: Mapping[str, Claims], facts: Facts) -> dict[str, tuple[Named, ...]]:
    """Settle the names that packages must not share; the first listed keeps a name.

    Returns the rows that do not get what they want, as they are then, by package.
    """
    pools = Pools(facts)
    found = {}
    for package, wanted in packages.items():
        every = wanted.all_keys()
        if not pools.taken(every):
            pools.packages[package] = wanted, every
            pools.held |= every
        elif rows := tuple(_contested(package, wanted, pools)):
            found[package] = rows
    return found


def _contested(package: str, wanted: Claims, pools: Pools) -> Iterator[Named]:
    """Give each row of a package its name, and yield those for which it is another one."""
    got: set[str] = set()
    pools.packages[package] = wanted, got
    for at, keys in enumerate(wanted.keys):
        if pools.taken(keys):
            yield _settle(wanted.row(at), f"-{portable(package)}", _owner(package), pools)
        else:
            got.update(keys)
            pools.held.update(keys)


def _keys(named: Named) -> Iterator[str]:
    return (_key(named.slot, name) for name in _names(named))


def _names(named: Named) -> list[str]:
    """Return the names that the harness knows an artifact by."""
    return [named.name, named.header] if named.header and not named.renamed else [named.name]


def known_as(named: Named) -> str:
    """Return the name by which the harness knows an artifact."""
    return (not named.renamed and named.header) or named.name


def is_shared(pool: str, facts: Facts) -> bool:
    """Tell whether the names of a pool must differ between packages too."""
    return facts.shape is Shape.TREE or pool in facts.shared


def _settle(named: Named, suffix: str, owner: str, pools: Pools) -> Named:
    """Give an artifact the first of its possible names that is free; ``owner`` says whose it then is."""
    slot, names = named.slot, _names(named)
    holder = pools.holder(slot, names)
    why_not = slot.names.why_not(named.header) if len(names) > 1 else ""
    if not holder and not why_not:
        pools.take(names, Holder(slot, named.name, owner))
        return named
    name = next(each for each in _possible(named.name, suffix, slot) if not pools.holder(slot, [each]))
    finding: Finding = NameChanged(name=named.header, staged_as=name, why=why_not)
    if holder:
        finding = NameTaken(taken_by=holder, staged_as=name)
    pools.take([name], Holder(slot, name, owner))
    return named._replace(name=name, renamed=True, findings=(*named.findings, finding))


def _possible(name: str, suffix: str, slot: Slot) -> Iterator[str]:
    """Yield the names that an artifact may get, in order; a package's id may hold what no name may there."""
    yield name
    if suffix:
        yield _legal(name + suffix, slot.names)[0]
    for number in itertools.count(2):
        yield _legal(f"{name}{suffix}-{number}", slot.names)[0]


def folders(packages: Mapping[str, str], facts: Facts) -> dict[str, tuple[str, tuple[Finding, ...]]]:
    """Name the folder of each package in a bundle that has one a package; that is its plugin's name too.

    ``packages``: the name in its own manifest, by its id; that is taken where it is legal and free, else
    the id. Returns the name, and what had to change.
    """
    taken: dict[str, str] = {}
    found: dict[str, tuple[str, tuple[Finding, ...]]] = {}
    for package, own in packages.items():
        first, *more = _folders(package, own, facts)
        numbered = (f"{[first, *more][-1]}-{n}" for n in itertools.count(2))
        name = next(each for each in itertools.chain([first], more, numbered) if same(each) not in taken)
        who = taken.get(same(first), "")
        taken[same(name)] = f"'{name}' of package '{package}'"
        found[package] = (name, (NameTaken(taken_by=who, staged_as=name),) if name != first else ())
    return found


def own_folder(package: str, own: str, facts: Facts) -> str:
    """Return the folder that a package gets where nobody else has the name; none in a shared tree."""
    return "" if facts.shape is Shape.TREE else _folders(package, own, facts)[0]


def _folders(package: str, own: str, facts: Facts) -> list[str]:
    """Return the names that a package's folder may have, in order."""
    fallback, _ = _legal(package.replace(".", "-"), facts.plugin_name)
    legal = own and not (facts.plugin_name.why_not(own) or illegal(own))
    return [own, fallback] if legal else [fallback]


def _header_name(artifact: Artifact) -> str:
    value = artifact.document.get("name")
    return value.strip() if isinstance(value, str) else ""


@lru_cache(maxsize=4096)  # the harnesses ask for the same names, one after the other
def _legal(name: str, rule: NameRule) -> tuple[str, tuple[Finding, ...]]:
    """Return the nearest name that every system and the harness can hold, and what had to change."""
    parts = [_legal_part(part, rule) for part in name.split("/")]
    legal = _cut("/".join(parts), rule)
    if legal == name:
        return name, ()
    why = rule.why_not(name) or "is not a name that every system can hold"
    return legal, (NameChanged(name=name, staged_as=legal, why=why),)


def _legal_part(name: str, rule: NameRule) -> str:
    text = portable(name)
    if rule.lower:
        text = text.lower()
    if rule.illegal:
        text = rule.illegal.sub("-", text).strip("- ") or digest8(name)
    return portable(text)


def _cut(name: str, rule: NameRule) -> str:
    """Return a name as long as the harness and every file system allow."""
    text = shorten(name, rule.limit) if rule.limit and len(name) > rule.limit else name
    folder, _, leaf = text.rpartition("/")
    return join(folder, shorten(leaf, MAX_BYTES))


def contests(packages: Mapping[str, Claims]) -> dict[str, str]:
    """Return each name that several want in one tree, with its contenders in order, one a line.

    That text is the value of the name's node in the graph: whoever wants the name depends on it.
    """
    wanted = Counter(itertools.chain.from_iterable(each.wants for each in packages.values()))
    several = {name for name, count in wanted.items() if count > 1}
    found: dict[str, list[str]] = {name: [] for name in sorted(several)}
    for package, each in packages.items():
        for at, name in enumerate(each.wants) if not several.isdisjoint(each.wants) else ():
            if name in several:
                found[name].append(_contender(package, each.row(at)))
    return {name: "\n".join(rows) for name, rows in found.items()}


def own_contests(package: str, named: Sequence[Named], facts: Facts) -> dict[str, str]:
    """Return likewise the names that several artifacts of a package want where each package has its own."""
    found: dict[str, list[str]] = {}
    for each in named:
        if not is_shared(each.slot.pool, facts):
            found.setdefault(contest(each, package, facts), []).append(_contender(package, each))
    return {name: "\n".join(rows) for name, rows in found.items() if len(rows) > 1}


def _contender(package: str, named: Named) -> str:
    return f"{package} {named.path} {named.name}"


def contest(named: Named, package: str, facts: Facts) -> str:
    """Return what a name is called among those that may be contested: per package where each has its own."""
    return named.wanted if is_shared(named.slot.pool, facts) else f"{package}/{named.wanted}"
