"""What plugin manifests of all harnesses share: who made the package, and what it is called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tackroom.harnesses.codes import FieldDropped, GuardLost
from tackroom.harnesses.contract import Bundle, Facts, Staged
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMPONENTS
from tackroom.packages.manifest import Manifest

# said elsewhere, or of no meaning to a harness
_SHARED = frozenset(
    {
        *COMPONENTS.values(),
        *("name", "displayName", "version", "description", "author", "homepage", "repository", "license"),
        *("keywords", "$schema", "hooks", "mcpServers", "lspServers", "contextFileName"),
    }
)
_TEXTS = ("displayName", "version", "description", "homepage", "repository", "license")
VERSION = "0.0.0"  # of a package that names none, where a harness needs one


def own(bundle: Bundle) -> Manifest | None:
    """Return the manifest that the package has for this very harness, if it has one of its own file."""
    entry = bundle.package.source.entry
    for each in bundle.package.manifests:
        if each.format == bundle.target.id and each is not entry:
            return each
    return None


def identity(bundle: Bundle) -> dict[str, object]:
    """Return the fields that say who made the package: the harness's own manifest before the others.

    A package without any manifest gets fields that claim nothing, since validators ask for them.
    """
    found: dict[str, object] = {"name": bundle.name}
    if not bundle.package.manifests:
        return {**found, **_nobody(bundle)}
    ranked = sorted(bundle.package.manifests, key=lambda each: each.format != bundle.target.id)
    for manifest in ranked:
        for key, value in _said(manifest.fields):
            found.setdefault(key, value)
    return found


def unsaid(manifest: Manifest, source: Facts) -> Iterator[Finding]:
    """Yield what a manifest of another harness (``source``) says and this one is not told."""
    for key in sorted(manifest.fields.keys() - _SHARED):
        if key in source.manifest_guards:
            yield GuardLost(field=key, value=json.dumps(manifest.fields[key]), path=manifest.path)
        else:
            yield FieldDropped(field=key, path=manifest.path)


def _nobody(bundle: Bundle) -> dict[str, object]:
    about = f"The artifacts of the package '{bundle.package.id}'"
    return {"version": VERSION, "description": about, "author": {"name": "unknown"}}


def _said(fields: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key in _TEXTS:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            yield key, value
    author = _author(fields.get("author"))
    if author:
        yield "author", author
    words = fields.get("keywords")
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        yield "keywords", list(words)


def _author(value: object) -> dict[str, str]:
    """Return an author as an object, which every manifest format takes; a bare text is refused by some."""
    if isinstance(value, str) and value.strip():
        return {"name": value}
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        return {}
    return {key: value[key] for key in ("name", "email", "url") if isinstance(value.get(key), str)}


# read by a plugin's loader where they lie, so they would come in by the back door
_LOADED = re.compile(r"(commands|agents|rules|hooks)/|(.*/)?SKILL\.md$|\.?(mcp|lsp)\.json$|\.[a-z]+-plugin/")


def extra(bundle: Bundle) -> Iterator[Staged]:
    """Yield the package's own files that its texts refer to, at the same place below the plugin's root.

    What the plugin's loader would take for a part of the plugin is left to the writers of those.
    """
    for each in bundle.package.extra:
        if not _LOADED.match(each.path):
            yield Staged(each.path, each.file, each.file.executable)
