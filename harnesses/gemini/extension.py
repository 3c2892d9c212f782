"""An extension's manifest, its instructions, and the package's own files that its texts refer to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from tackroom.harnesses import plugin
from tackroom.harnesses.codes import ValueDropped
from tackroom.harnesses.contract import Bundle, Fragment, Staged
from tackroom.harnesses.emit import as_json
from tackroom.packages.codes import NotStaged, PathMissing
from tackroom.packages.findings import Finding
from tackroom.packages.tree import join

MANIFEST = "gemini-extension.json"
CONTEXT = "contextFileName"

# what the client loads by its place: nothing gets there but as an artifact
_LOADED = re.compile(
    r"hooks/hooks\.json|policies/.*|agents/[^/]*\.md|commands/.*\.toml|skills/([^/]*/)?SKILL\.md"
    r"|GEMINI\.md|gemini-extension\.json",
    re.IGNORECASE,
)


def package(bundle: Bundle) -> Iterator[Staged | Fragment | Finding]:
    """Yield the manifest, the context file of a package that is an extension itself, and its own files."""
    manifest = plugin.own(bundle)
    fields = _fields(bundle, dict(manifest.fields) if manifest else {})
    tree = bundle.package.source.tree
    file = tree.file(manifest.path) if manifest else None
    if manifest and file and fields == dict(manifest.fields):
        yield Staged(MANIFEST, file)
    else:
        yield Staged(MANIFEST, as_json(fields))
    yield from _context_lost(bundle, manifest.fields.get(CONTEXT) if manifest else None)
    if manifest and tree.is_folder(join(bundle.package.source.root, "policies")):
        yield NotStaged(path="policies", kind="policy")
    yield from _files(bundle)


def _fields(bundle: Bundle, own: dict[str, object]) -> dict[str, object]:
    """Return the manifest's fields: its own, but the servers, and a context file that is not there."""
    said = plugin.identity(bundle)
    version = said.get("version", plugin.VERSION)
    fields = {**own, "name": bundle.name, "version": version}
    if "description" in said:
        fields["description"] = said["description"]
    left = {"mcpServers"} if bundle.package.context else {"mcpServers", CONTEXT}
    return {key: value for key, value in fields.items() if key not in left}


def _context_lost(bundle: Bundle, declared: object) -> Iterator[Finding]:
    """Yield what is declared and not staged: what is missing, and each file but the first."""
    context = bundle.package.context
    for each in declared if isinstance(declared, list) else [declared] if declared else []:
        if context is None:
            yield PathMissing(path=MANIFEST, declared=str(each))
        elif posixpath.normpath(str(each).replace("${/}", "/")) != context.path:
            yield ValueDropped(path=MANIFEST, field=CONTEXT, value=str(each))


def _files(bundle: Bundle) -> Iterator[Staged]:
    context = bundle.package.context
    if context and (context.path == "GEMINI.md" or not _LOADED.fullmatch(context.path)):
        yield Staged(context.path, context.file, context.file.executable)
    for each in plugin.extra(bundle):
        if not _LOADED.fullmatch(each.path):
            yield each
