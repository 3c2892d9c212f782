"""Marketplace catalogues: their entries, and where each entry's package is."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any, NamedTuple

from tackroom.packages import pin
from tackroom.packages.codes import ManifestUnreadable
from tackroom.packages.findings import Finding, quoted
from tackroom.packages.formats import CATALOGUES
from tackroom.packages.manifest import Manifest, read_json
from tackroom.packages.names import illegal
from tackroom.packages.tree import Tree, join


class Entry(NamedTuple):
    """One plugin of a catalogue.

    ``git`` is empty where it lies in the catalogue's own repository, at ``subdir`` below the
    catalogue's root. ``problem`` says why an entry cannot be taken.
    """

    name: str
    manifest: Manifest
    subdir: str = ""
    git: str = ""
    rev: str = ""
    problem: str = ""


class Catalogue(NamedTuple):
    """The first catalogue found at a root; entries in the order they stand in."""

    path: str
    entries: Mapping[str, Entry]
    findings: tuple[Finding, ...] = ()


def read(tree: Tree, root: str = "") -> Catalogue | None:
    """Read the catalogue of a folder; None where it has none. ``root`` is a folder of the tree."""
    for place, format_id in CATALOGUES.items():
        found = read_json(tree, join(root, place))
        if isinstance(found, Finding):
            return Catalogue(place, {}, (found.at(path=place),))
        if found is not None:
            return _catalogue(place, format_id, found)
    return None


def _catalogue(place: str, format_id: str, found: Mapping[str, Any]) -> Catalogue:
    entries: dict[str, Entry] = {}
    findings: list[Finding] = []
    plugins = found.get("plugins")
    for row in plugins if isinstance(plugins, list) else []:
        name = row.get("name") if isinstance(row, dict) else None
        if not isinstance(name, str) or illegal(name) or not name.isprintable() or name in entries:
            problem = f"an entry has no usable name of its own: {str(name)[:60]!r}"
            findings.append(ManifestUnreadable(path=place, problem=problem))
            continue
        entries[name] = _entry(name, row, Manifest(place, format_id, row), _plugin_root(found))
    return Catalogue(place, entries, tuple(findings))


def _plugin_root(found: Mapping[str, Any]) -> str:
    metadata = found.get("metadata")
    root = metadata.get("pluginRoot", "") if isinstance(metadata, dict) else ""
    return root if isinstance(root, str) else ""


def _entry(name: str, row: Mapping[str, Any], manifest: Manifest, plugin_root: str) -> Entry:
    source = row.get("source")
    if isinstance(source, dict) and source.get("source") == "local":
        source = source.get("path")
    if isinstance(source, str):
        return _local(name, source, manifest, plugin_root)
    if isinstance(source, dict):
        return _remote(name, source, manifest)
    return Entry(name, manifest, problem="has no source")


def _local(name: str, source: str, manifest: Manifest, plugin_root: str) -> Entry:
    """Place an entry of this repository; a source that starts with the plugin root does not get it twice."""
    base = posixpath.normpath(plugin_root or ".")
    path = posixpath.normpath(source or ".")
    if not (path == base or path.startswith(base + "/")):
        path = posixpath.normpath(posixpath.join(base, path))
    if path[:1] == "/" or "\\" in base + source or "://" in source or path.split("/")[0] == "..":
        return Entry(name, manifest, problem=f"its source {quoted(source)} leaves the repository")
    return Entry(name, manifest, subdir="" if path == "." else path)


def _remote(name: str, source: Mapping[str, Any], manifest: Manifest) -> Entry:
    kind = source.get("source")
    repo, url = source.get("repo"), source.get("url")
    where = pin.GITHUB + repo if kind == "github" and isinstance(repo, str) else url
    if kind not in ("github", "url", "git-subdir") or not isinstance(where, str):
        return Entry(
            name,
            manifest,
            problem=f"its source is of the kind {quoted(str(kind))}, which is not a git repository",
        )
    rev = source.get("sha") or source.get("ref") or ""
    path = source.get("path") or ""
    if not isinstance(rev, str) or not isinstance(path, str):
        return Entry(name, manifest, problem="its source has a 'sha', 'ref' or 'path' that is no text")
    subdir = posixpath.normpath(path.strip("/") or ".")
    if subdir.split("/")[0] == "..":
        return Entry(name, manifest, problem=f"its path {quoted(path)} leaves the repository")
    return Entry(name, manifest, git=where, rev=rev, subdir="" if subdir == "." else subdir)
