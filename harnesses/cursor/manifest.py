"""A plugin's manifest and its row in the marketplace: copied, or made of what the package says.

Takes a package, gives JSON that Cursor accepts. One wrong field would make it skip the whole manifest,
so what it would refuse is left out with a finding.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from tackroom.harnesses.codes import ValueDropped
from tackroom.harnesses.contract import Bundle, Fragment, Staged
from tackroom.harnesses.emit import as_json
from tackroom.harnesses.plugin import extra, identity, own
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMPONENTS
from tackroom.packages.manifest import Manifest
from tackroom.packages.tree import join, relative

MANIFEST = ".cursor-plugin/plugin.json"
MARKETPLACE = ".cursor-plugin/marketplace.json"

# a declared path replaces the default one, so a manifest is copied only where it declares just these
_DEFAULTS = {
    **{name: name for name in COMPONENTS.values()},
    "hooks": "hooks/hooks.json",
    "mcpServers": "mcp.json",
}
_TEXTS = frozenset({"displayName", "description", "version", "publisher", "license", "logo"})
_URLS = frozenset({"homepage", "repository"})
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s/?#]+\S*")
_EMAIL = re.compile(r"[\w+-]+(\.[\w+-]+)*@([A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}", re.ASCII)


def package(bundle: Bundle) -> Iterator[Staged | Fragment | Finding]:
    """Yield the manifest, the marketplace's row and the files that the package's texts refer to."""
    mine = own(bundle)
    kept: dict[str, object] = {}
    for key, value in {**(mine.fields if mine else {}), **identity(bundle)}.items():
        if _accepted(key, value):
            kept[key] = value
        else:
            yield ValueDropped(field=key, value=_shown(value), path=_path(bundle, mine, key))
    yield _manifest(bundle, mine, kept)
    yield from _logo(bundle, kept)
    yield Fragment(MARKETPLACE, bundle.name, _row(bundle, kept))
    yield from extra(bundle)


def merge(path: str, fragments: tuple[Fragment, ...]) -> Staged:
    """Return the marketplace, which lists every plugin of the tree."""
    plugins = [each.value for each in fragments]
    return Staged(path, as_json({"name": "tackroom", "owner": {"name": "tackroom"}, "plugins": plugins}))


def _manifest(bundle: Bundle, mine: Manifest | None, kept: Mapping[str, object]) -> Staged:
    file = bundle.package.source.tree.file(mine.path) if mine else None
    if mine and file and kept == dict(mine.fields) and all(map(_in_place, kept, kept.values())):
        return Staged(MANIFEST, file)
    return Staged(MANIFEST, as_json({key: kept[key] for key in kept if key not in _DEFAULTS}))


def _in_place(key: str, value: object) -> bool:
    """Tell whether a field, if it names where a component lies, names the default place."""
    if key not in _DEFAULTS:
        return True
    return isinstance(value, str) and posixpath.normpath(value) == _DEFAULTS[key]


def _accepted(key: str, value: object) -> bool:
    if key in _URLS:
        return isinstance(value, str) and bool(_URL.fullmatch(value))
    if key in _TEXTS:
        return isinstance(value, str)
    if key == "keywords":
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    if key == "author":
        return isinstance(value, Mapping) and "name" in value and _is_email(value.get("email"))
    return True


def _is_email(value: object) -> bool:
    return value is None or (isinstance(value, str) and bool(_EMAIL.fullmatch(value)))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else as_json(value).decode(errors="replace").strip()


def _path(bundle: Bundle, mine: Manifest | None, key: str) -> str:
    """Return the manifest that a field was taken from, as its path in the package."""
    others = (each for each in bundle.package.manifests if key in each.fields)
    found = mine if mine and key in mine.fields else next(others)
    return relative(found.path, bundle.package.source.root)


def _logo(bundle: Bundle, kept: Mapping[str, object]) -> Iterator[Staged]:
    """Yield the image that the manifest names, unless it lies where components do."""
    path = posixpath.normpath(str(kept.get("logo", ""))).lstrip("/")
    file = bundle.package.source.tree.file(join(bundle.package.source.root, path))
    if file and path.split("/")[0] not in {*COMPONENTS.values(), "hooks", ".cursor-plugin"}:
        yield Staged(path, file)


def _row(bundle: Bundle, kept: Mapping[str, object]) -> dict[str, object]:
    """Return the plugin's row in the marketplace; its source counts from the tree's root."""
    row: dict[str, object] = {"name": bundle.name, "source": bundle.name}
    return row | {key: kept[key] for key in ("description",) if key in kept}
