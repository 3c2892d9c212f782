"""From what a workspace asks for to packages that can be read, by the lock.

Takes the workspace's packages, its lock, the store of git objects and the folders as they are; gives the
origin of each package and the lock as it should be. A pin is never moved unless that is asked for by name.
Writes nothing but the store's cache.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_128_hexdigest

from tackroom import __version__
from tackroom.codes import EntrySkipped, NotRead
from tackroom.config import PackageSpec, Workspace
from tackroom.folders import Folders
from tackroom.lock import VERSION, Lock, Row
from tackroom.memory import NOT_READ, OWN_FOLDER, OWN_PARTS
from tackroom.packages import catalogue, folder, pin
from tackroom.packages.catalogue import Catalogue, Entry
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, quoted
from tackroom.packages.folder import check, unreadable
from tackroom.packages.listing import Listing, Unreadable
from tackroom.packages.manifest import Manifest
from tackroom.packages.near import hint
from tackroom.packages.package import Source
from tackroom.packages.store import Store
from tackroom.packages.tree import Tree, Unreachable, join
from tackroom.paths import relative

OWN = "workspace"  # the id of the package that the repository itself is


class Pending(TackroomError):
    """A package that has to be looked up or fetched first, in a run that may not do that."""


class Rights(NamedTuple):
    """What a run may do: look up revisions and so change the lock, and fetch; ``why`` it may not."""

    lock: bool = True
    fetch: bool = True
    why: str = ""


ALL_RIGHTS = Rights()


class Origin(NamedTuple):
    """A package before it is opened: ``digest`` stands for all that it holds, ``source`` opens it.

    ``git`` is its address here, which is not in the digest: it may be another one on another machine.
    """

    id: str
    digest: str
    source: Callable[[], Source]
    git: str = ""


@dataclass(slots=True)
class Resolver:
    """One resolution of a workspace.

    ``folders`` are looked into, but not into ``out``, where outputs go. ``update`` are the ids whose pins
    move. ``say`` takes lines for the user. ``listed`` are the folders of packages: the path, where that
    really is, and what of it is left out. ``verify`` checks what is in the store; ``wrote`` says that the
    lock was written. ``pending`` are packages that the rights did not suffice for;
    they are left out of the origins.
    """

    workspace: Workspace
    lock: Lock | None
    store: Store
    folders: Folders
    out: Path
    rights: Rights = ALL_RIGHTS
    update: frozenset[str] = frozenset()
    say: Callable[[str], None] = lambda _: None
    verify: bool = False
    wrote: bool = False
    real: Path = field(init=False)
    rows: dict[str, Row] = field(default_factory=dict)
    specs: dict[str, PackageSpec] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    listed: list[list[str]] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Find out where the workspace really is."""
        self.real = Path(os.path.realpath(self.workspace.folder))

    def origins(self) -> list[Origin]:
        """Return the origins of all packages, in the workspace's order."""
        found = list(self._own())
        for spec in self.workspace.packages:
            try:
                for origin in self._origins(spec):
                    self.specs[origin.id] = spec
                    found.append(origin)
            except Pending as wrong:
                self.pending.append(str(wrong))
            except TackroomError as wrong:
                raise TackroomError(
                    str(wrong), where=f"{self.workspace.name}:{spec.line}: '{spec.key}'"
                ) from None
        return found

    def new_lock(self) -> Lock | None:
        """Return the lock as it should be, or None where it is so already."""
        old = dict(self.lock.rows) if self.lock else {}
        if self.rows == old:
            return None
        return Lock(VERSION, __version__, dict(self.rows))

    # --- the repository's own

    def _own(self) -> Iterator[Origin]:
        """Yield the repository's own artifacts as a package, the first one, where it has any."""
        folder = self.workspace.folder
        for name in NOT_READ:
            if (folder / name).is_file():
                self.findings.append(NotRead(package=OWN, path=name))
        if any((folder / OWN_FOLDER / each).is_dir() for each in OWN_PARTS):
            listed = self._listed(OWN_FOLDER)
            yield Origin(
                OWN, listed.digest(), lambda: Source(OWN, listed.tree(OWN_FOLDER + "/"), subdir=OWN_FOLDER)
            )

    # --- one package

    def _origins(self, spec: PackageSpec) -> Iterator[Origin]:
        if spec.plugins is not None:
            yield from self._entries(spec)
        elif spec.path:
            listed = self._listed(spec.path)
            place = self._place(listed.folder)
            digest = _digest(spec, [listed.digest(), place])
            yield Origin(spec.key, digest, lambda: Source(spec.key, listed.tree(), subdir=place))
        else:
            row, tree = self._pinned(spec.key, spec.git, spec.subdir, spec.rev)
            yield self._pinned_origin(spec, row, partial(_below, tree, pin.folder(row.subdir)))

    def _pinned_origin(
        self,
        spec: PackageSpec,
        row: Row,
        tree: Callable[[], Tree],
        root: str = "",
        entry: Entry | None = None,
    ) -> Origin:
        replaces = bool(entry and not entry.subdir and not entry.git)
        manifest = entry.manifest if entry else None

        def source() -> Source:
            return Source(
                id=row.id,
                tree=tree(),
                root=root,
                git=self._url(row.git),
                asked=row.git,
                commit=row.commit,
                subdir=row.subdir,
                entry=manifest,
                replaces=replaces,
            )

        said = [row.git, row.subdir, row.commit, row.sha256, root, _fields(manifest), replaces]
        return Origin(row.id, _digest(spec, said), source, self._url(row.git))

    def _listed(self, path: str) -> _Listed:
        """Look into the folder of a package."""
        place = self.workspace.folder / path
        check(place)
        real = os.path.realpath(place)
        self.listed.append([path, real, str(self.out)])
        try:
            return _Listed(Path(real), self.folders.look(real, str(self.out)))
        except Unreadable as wrong:
            raise unreadable(wrong) from None

    def _place(self, folder: Path) -> str:
        """Return where a folder really is, from the workspace's: two spellings of one place are the same."""
        return relative(folder, self.real)

    # --- a catalogue's entries

    def _entries(self, spec: PackageSpec) -> Iterator[Origin]:
        row, listed, base = None, None, ""
        if spec.path:
            listed = self._listed(spec.path)
            tree = listed.tree()
        else:
            row, opened = self._pinned(spec.key, spec.git, spec.subdir, spec.rev)
            tree, base = opened(), row.subdir
        found = catalogue.read(tree, base)
        if found is None:
            raise TackroomError(
                "has no marketplace catalogue; leave 'plugins:' out to take it as one package"
            )
        self.findings += (each.at(package=spec.key) for each in found.findings)
        for entry in self._taken(spec, found, tree, base):
            yield self._entry(spec, entry, row or listed, tree, base)

    def _taken(self, spec: PackageSpec, found: Catalogue, tree: Tree, base: str) -> Iterator[Entry]:
        """Yield the entries asked for, in the catalogue's order; one that is named must be usable."""
        wanted = set(spec.plugins or ())
        every = "*" in wanted
        for name in sorted(wanted - {"*"} - found.entries.keys()):
            raise TackroomError(f"the catalogue has no plugin {quoted(name)}{hint(name, found.entries)}")
        for entry in found.entries.values():
            problem = entry.problem or self._unusable(spec, entry) or _missing(entry, tree, base)
            if entry.name not in wanted and not every:
                continue
            if problem and entry.name in wanted:
                raise TackroomError(f"plugin {quoted(entry.name)} of the catalogue: {problem}")
            if problem:
                self.findings.append(
                    EntrySkipped(package=spec.key, path=found.path, name=entry.name, why=problem)
                )
            else:
                yield entry

    def _foreign(self, spec: PackageSpec, url: str) -> str:
        """Say that a catalogue from elsewhere names a repository on this machine; empty where it does not."""
        local = pin.is_local(url) and not (spec.path or pin.is_local(self._url(spec.git)))
        return "its source is on this machine, which a catalogue from elsewhere may not name" if local else ""

    def _unusable(self, spec: PackageSpec, entry: Entry) -> str:
        """Say why an entry cannot be pinned: it must not stop the others that a ``*`` takes."""
        try:
            pin.folder(entry.subdir)
            pin.check_rev(entry.rev)
            if entry.git:
                return self._foreign(spec, self._url(entry.git))
        except TackroomError as wrong:
            return str(wrong)
        return ""

    def _entry(
        self, spec: PackageSpec, entry: Entry, of: Row | _Listed | None, tree: Tree, base: str
    ) -> Origin:
        """Return an entry's origin; ``of`` is the row or the folder of the catalogue."""
        id_ = f"{spec.key}.{entry.name}"
        if entry.git:
            pinned, other = self._pinned(id_, entry.git, entry.subdir, entry.rev)
            return self._pinned_origin(spec, pinned, other, pin.folder(entry.subdir), entry)
        root = tree.resolve(_folder_of(entry, base))
        if isinstance(of, Row):
            own = self._row_of(id_, of, root, tree)
            return self._pinned_origin(spec, own, lambda: tree, root, entry)
        replaces = not entry.subdir
        place = self._place((of.folder / entry.subdir).resolve()) if of else ""
        content = of.digest(root) if of else ""
        digest = _digest(spec, [content, place, root, _fields(entry.manifest), replaces])
        made = Source(id_, tree, root, subdir=place, entry=entry.manifest, replaces=replaces)
        return Origin(id_, digest, lambda: made)

    def _row_of(self, id_: str, row: Row, root: str, tree: Tree) -> Row:
        """Return the row of an entry in the catalogue's own repository: at the catalogue's commit."""
        old = self.lock.rows.get(id_) if self.lock else None
        if old and (old.git, old.subdir, old.rev, old.commit) == (row.git, root, row.rev, row.commit):
            self.rows[id_] = old
            return old
        if not self.rights.lock:
            raise Pending(f"{quoted(id_)} is not in tackroom.lock and {self.rights.why}; run 'tackroom lock'")
        made = self._row(id_, row.git, root, row.rev, row.commit, tree)
        self.rows[id_] = made
        return made

    # --- pins

    def _pinned(self, id_: str, git: str, subdir: str, rev: str) -> tuple[Row, Callable[[], Tree]]:
        """Return a package's row and its repository's tree, fetched and checked where it was not there."""
        old = self.lock.rows.get(id_) if self.lock else None
        asked = (git, pin.folder(subdir), rev)
        if old and (old.git, old.subdir, old.rev) == asked and not self._moves(id_):
            self._have(old)
            self.rows[id_] = old
            return old, lambda: self.store.tree(self._url(git), old.commit)
        if not self.rights.lock:
            known = "differs from" if old else "is not in"
            raise Pending(f"{quoted(id_)} {known} tackroom.lock and {self.rights.why}; run 'tackroom lock'")
        row, tree = self._new_pin(id_, git, subdir, rev, old)
        return row, lambda: tree

    def _moves(self, id_: str) -> bool:
        return id_ in self.update or id_.partition(".")[0] in self.update

    def _new_pin(self, id_: str, git: str, subdir: str, rev: str, old: Row | None) -> tuple[Row, Tree]:
        url = self._url(git)
        commit = self.store.resolve(url, rev)
        self._fetch(id_, url, commit, rev)
        tree = self.store.tree(url, commit)
        row = self._row(id_, git, pin.folder(subdir), rev, commit, tree)
        if row != old:
            self.say(f"locked {id_} at {commit[:7]}" + (f", was {old.commit[:7]}" if old else ""))
        self.rows[id_] = row
        return row, tree

    def _row(self, id_: str, git: str, subdir: str, rev: str, commit: str, tree: Tree) -> Row:
        tree_id = self.store.tree_id(self._url(git), commit, subdir)
        return Row(id_, git, subdir, rev, commit, tree_id, _content(tree, subdir))

    def _have(self, row: Row) -> None:
        """Fetch a locked commit that is not there; what has just come is checked against the lock."""
        url = self._url(row.git)
        fetched = self._fetch(row.id, url, row.commit, row.rev)
        if not (fetched or self.verify):
            return
        if _content(self.store.tree(url, row.commit), row.subdir) != row.sha256:
            raise TackroomError(
                f"the content of {row.id} at {row.commit[:7]} is not the one that tackroom.lock vouches for"
            )

    def _fetch(self, id_: str, url: str, commit: str, rev: str) -> bool:
        if self.store.has(url, commit):
            return False
        if not self.rights.fetch:
            raise Pending(f"{quoted(id_)} at {commit[:7]} is not in the cache and {self.rights.why}")
        self.say(f"fetching {id_} at {commit[:7]}")
        self.store.fetch(url, commit, rev)
        return True

    def _url(self, git: str) -> str:
        return pin.remote(git, self.workspace.folder)


def _content(tree: Tree, subdir: str) -> str:
    """Return the sha256 by which the lock vouches for a package."""
    from tackroom.packages import archive

    return archive.digest(tree, subdir)


def _below(tree: Callable[[], Tree], folder: str) -> Tree:
    """Return a folder of a tree as a tree of its own, which is then the boundary for links."""
    return tree().below(folder) if folder else tree()


class _Listed(NamedTuple):
    """The folder of a package, and what lies in it."""

    folder: Path
    listing: Listing

    def digest(self, root: str = "") -> str:
        return self.listing.digest(root)

    def tree(self, below: str = "") -> Tree:
        return folder.tree(self.folder, self.listing, below)


def _digest(spec: PackageSpec, made_of: Sequence[object]) -> str:
    """Return what stands for all that a package holds and all that is wanted of it."""
    return xxh3_128_hexdigest(json.dumps([made_of, spec.only, spec.skip]).encode())


def _fields(manifest: Manifest | None) -> object:
    return [manifest.path, manifest.format, dict(manifest.fields)] if manifest else None


def _folder_of(entry: Entry, base: str) -> str:
    return join(base, entry.subdir) if entry.subdir else base


def _missing(entry: Entry, tree: Tree, base: str) -> str:
    """Say that an entry's folder does not exist; empty where it does, or is in another repository."""
    try:
        found = bool(entry.git) or tree.is_folder(tree.resolve(_folder_of(entry, base)))
    except Unreachable:
        found = False
    return "" if found else f"its folder {quoted(entry.subdir)} does not exist"
