"""A package as a whole: where it comes from, its manifests, its artifacts, what was found on the way."""

from __future__ import annotations

from typing import NamedTuple

from tackroom.packages.findings import Finding
from tackroom.packages.manifest import Manifest
from tackroom.packages.model import Artifact, Support
from tackroom.packages.tree import Tree


class Source(NamedTuple):
    """A package before it is read.

    ``tree`` is the boundary for links; ``root`` the package's folder in it (a catalogue's entry lies
    below its catalogue's repository). ``git``, its address, ``asked``, as the author spelled that, and
    ``commit`` are empty for a folder of the monorepo, whose path ``subdir`` is. ``entry``: the
    catalogue's row for it, if any. ``replaces``: that row's paths stand in place of the default folders.
    """

    id: str
    tree: Tree
    root: str = ""
    git: str = ""
    asked: str = ""
    commit: str = ""
    subdir: str = ""
    entry: Manifest | None = None
    replaces: bool = False


class Package(NamedTuple):
    """A package that was read. Paths of artifacts and findings count from its root.

    ``extra`` are the package's own files that its texts refer to by the plugin root's variable.
    ``context`` is the instruction file of a package that is itself an extension.
    """

    source: Source
    manifests: tuple[Manifest, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    extra: tuple[Support, ...] = ()
    context: Support | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def id(self) -> str:
        """The key in ``packages:``, or KEY.ENTRY."""
        return self.source.id

    @property
    def is_plugin(self) -> bool:
        """Whether it is a plugin: it has a manifest, or a catalogue's entry is one."""
        return bool(self.manifests)
