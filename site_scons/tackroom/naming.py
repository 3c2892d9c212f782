"""Under which name each artifact is staged. Pure: artifacts and facts in, names and findings out.

Names in one pool of one tree differ on every system, whatever the case. Within a package the kind
that a pool is named for comes first, a converted one becomes NAME-KIND, then NAME-KIND-2. Between
packages that share a tree the first listed keeps the name, a later one becomes NAME-PACKAGE.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tackroom.codes import NameTaken
from tackroom.harnesses.codes import NameChanged
from tackroom.harnesses.contract import Facts, NameRule, Shape, Slot
from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact
from tackroom.packages.names import MAX_BYTES, digest8, illegal, portable, same, shorten
from tackroom.packages.package import Package
from tackroom.packages.tree import join


@dataclass(frozen=True, slots=True)
class Named:
    """An artifact in a slot under its name.

    ``wanted``: the pool and the name it would have alone. ``renamed``: the header must say the name too.
    """

    artifact: Artifact
    slot: Slot
    name: str
    wanted: str = ""
    renamed: bool = False
    findings: tuple[Finding, ...] = ()


@dataclass(slots=True)
class Pools:
    """Who has which name in one tree: ``(pool, folded name)`` to who holds it, in words."""

    facts: Facts
    holders: dict[tuple[str, str], str] = field(default_factory=dict)

    def holder(self, slot: Slot, names: Sequence[str]) -> str:
        """Return who holds one of several names that an artifact is known by; empty: nobody."""
        for name in names:
            if found := self.holders.get(_key(slot, name)):
                return found
            leaf = same(name.rpartition("/")[2])
            if leaf in slot.taken | self.facts.taken.get(slot.pool, frozenset()):
                return f"a '{name}' of {self.facts.title}'s own"
        return ""

    def take(self, slot: Slot, names: Sequence[str], who: str) -> None:
        """Give names to an artifact."""
        for name in names:
            self.holders.setdefault(_key(slot, name), who)


def _key(slot: Slot, name: str) -> tuple[str, str]:
    """Return what a name is compared by: without case, and without what the harness does not tell apart."""
    alike = slot.names.alike
    return slot.pool, (alike.sub("", same(name)) or same(name)) if alike else same(name)


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
    wanted = "/".join(_key(slot, legal))
    named = Named(artifact, slot, legal, wanted, findings=tuple(changed))
    return _settle(named, suffix, "", pools)


def across(packages: Mapping[str, Sequence[Named]], facts: Facts) -> dict[str, tuple[Named, ...]]:
    """Name the artifacts of packages that share a tree, or some pools; the first listed keeps a name."""
    pools = Pools(facts)

    def settle(each: Named, package: str) -> Named:
        if not is_shared(each.slot.pool, facts):
            return each
        return _settle(each, f"-{portable(package)}", f" of '{package}'", pools)

    return {package: tuple(settle(each, package) for each in named) for package, named in packages.items()}


def known_as(named: Named) -> str:
    """Return the name by which the harness knows an artifact."""
    header = _header_name(named.artifact) if named.slot.by_header and not named.renamed else ""
    return header or named.name


def is_shared(pool: str, facts: Facts) -> bool:
    """Tell whether the names of a pool must differ between packages too."""
    return facts.shape is Shape.TREE or pool in facts.shared


def _settle(named: Named, suffix: str, owner: str, pools: Pools) -> Named:
    """Give an artifact the first of its possible names that is free; ``owner`` says whose it then is."""
    slot = named.slot
    header = _header_name(named.artifact) if slot.by_header and not named.renamed else ""
    names = [named.name, header] if header else [named.name]
    holder = pools.holder(slot, names)
    why_not = slot.names.why_not(header) if header else ""
    if not holder and not why_not:
        pools.take(slot, names, f"{slot.becomes} '{named.name}'{owner}")
        return named
    name = next(each for each in _possible(named.name, suffix, slot) if not pools.holder(slot, [each]))
    finding: Finding = NameChanged(name=header, staged_as=name, why=why_not)
    if holder:
        finding = NameTaken(taken_by=holder, staged_as=name)
    pools.take(slot, [name], f"{slot.becomes} '{name}'{owner}")
    return dataclasses.replace(named, name=name, renamed=True, findings=(*named.findings, finding))


def _possible(name: str, suffix: str, slot: Slot) -> Iterator[str]:
    """Yield the names that an artifact may get, in order; a package's id may hold what no name may there."""
    yield name
    if suffix:
        yield _legal(name + suffix, slot.names)[0]
    for number in itertools.count(2):
        yield _legal(f"{name}{suffix}-{number}", slot.names)[0]


def folders(packages: Sequence[Package], facts: Facts) -> list[tuple[Package, str, tuple[Finding, ...]]]:
    """Name the folder of each package in a bundle that has one a package; that is its plugin's name too.

    The name that the package's own manifest gives it, where it is legal and free; else its id.
    """
    taken: dict[str, str] = {}
    found: list[tuple[Package, str, tuple[Finding, ...]]] = []
    for package in packages:
        own = _manifest_name(package, facts)
        fallback, _ = _legal(package.id.replace(".", "-"), facts.plugin_name)
        legal = own and not (facts.plugin_name.why_not(own) or illegal(own))
        choices = [
            *([own] if legal else []),
            fallback,
            *(f"{fallback}-{n}" for n in range(2, len(packages) + 2)),
        ]
        name = next(each for each in choices if same(each) not in taken)
        first = choices[0]
        who = taken.get(same(first), "")
        taken[same(name)] = f"'{name}' of package '{package.id}'"
        findings = (NameTaken(taken_by=who, staged_as=name),) if name != first else ()
        found.append((package, name, findings))
    return found


def _manifest_name(package: Package, facts: Facts) -> str:
    ranked = sorted(package.manifests, key=lambda each: each.format != facts.id)
    return next((each.text("name") for each in ranked if each.text("name")), "")


def _header_name(artifact: Artifact) -> str:
    value = artifact.document.get("name")
    return value.strip() if isinstance(value, str) else ""


def _legal(name: str, rule: NameRule) -> tuple[str, list[Finding]]:
    """Return the nearest name that every system and the harness can hold, and what had to change."""
    parts = [_legal_part(part, rule) for part in name.split("/")]
    legal = _cut("/".join(parts), rule)
    if legal == name:
        return name, []
    why = rule.why_not(name) or "is not a name that every system can hold"
    return legal, [NameChanged(name=name, staged_as=legal, why=why)]


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


def contests(named: Mapping[str, Sequence[Named]], facts: Facts) -> dict[str, str]:
    """Return each name that several want, with its contenders in order, one a line.

    That text is the value of the name's node in the graph: whoever wants the name depends on it.
    """
    found: dict[str, list[str]] = {}
    for package, row in named.items():
        for each in row:
            found.setdefault(contest(each, package, facts), []).append(
                f"{package} {each.artifact.path} {each.name}"
            )
    return {name: "\n".join(rows) for name, rows in found.items() if len(rows) > 1}


def contest(named: Named, package: str, facts: Facts) -> str:
    """Return what a name is called among those that may be contested: per package where each has its own."""
    return named.wanted if is_shared(named.slot.pool, facts) else f"{package}/{named.wanted}"
