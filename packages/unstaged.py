"""What a package declares and this version does not stage: kinds still to come, and instructions.

Each is said once, at the place that declares it, so that nothing is lost in silence. A kind that is
staged one day gets a reader of its own and leaves this table.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from tackroom.packages import formats
from tackroom.packages.codes import InstructionsNotStaged, NotStaged, PlaceNotRead
from tackroom.packages.findings import Finding
from tackroom.packages.manifest import Manifest
from tackroom.packages.model import Artifact, File, Kind, Support
from tackroom.packages.names import illegal
from tackroom.packages.package import Source
from tackroom.packages.tree import join

_FILES = {
    "hooks/hooks.json": Kind.HOOK,
    ".mcp.json": Kind.MCP,
    "mcp.json": Kind.MCP,
    ".lsp.json": Kind.LSP,
}
_FIELDS = {"hooks": Kind.HOOK, "mcpServers": Kind.MCP, "lspServers": Kind.LSP}


def findings(
    source: Source, manifests: Sequence[Manifest], context: Support | None, artifacts: Sequence[Artifact]
) -> list[Finding]:
    """Return a finding for each such declaration of a package, and for each place that is not read."""
    return [
        *_places(source, artifacts),
        *_plugin_places(source, manifests),
        *(NotStaged(path=join(source.root, path), kind=kind) for path, kind in _declared_files(source)),
        *_declared_fields(manifests),
        *_instructions(source, context),
    ]


def _places(source: Source, artifacts: Sequence[Artifact]) -> Iterator[Finding]:
    """Yield the unread places with files of their own, to which no declared path led either."""
    for each in formats.UNREAD:
        place = join(source.root, each)
        if not source.tree.is_folder(place):
            continue
        read = any(artifact.path.startswith(place + "/") for artifact in artifacts)
        if not read and any(isinstance(source.tree.nodes[path], File) for path in _below(source, place)):
            yield PlaceNotRead(path=place)


def _below(source: Source, place: str) -> Iterator[str]:
    return (path for path in source.tree.nodes if path.startswith(place + "/"))


def _plugin_places(source: Source, manifests: Sequence[Manifest]) -> Iterator[Finding]:
    if any(each.format == formats.DEFAULT and each is not source.entry for each in manifests):
        for name in formats.UNREAD_IN_PLUGIN:
            place = join(source.root, name)
            if place in source.tree.nodes or source.tree.is_folder(place):
                yield NotStaged(path=place, kind=name)


def _declared_files(source: Source) -> Iterator[tuple[str, Kind]]:
    return ((path, kind) for path, kind in _FILES.items() if source.tree.file(join(source.root, path)))


def _declared_fields(manifests: Sequence[Manifest]) -> Iterator[Finding]:
    for manifest in manifests:
        for key, kind in _FIELDS.items():
            if manifest.fields.get(key):
                yield NotStaged(path=manifest.path, kind=kind)


def _instructions(source: Source, context: Support | None) -> Iterator[Finding]:
    for name in formats.INSTRUCTIONS:
        staged = context is not None and context.path == name
        if not staged and source.tree.file(join(source.root, name)):
            yield InstructionsNotStaged(path=join(source.root, name))


def context(source: Source, manifests: Sequence[Manifest]) -> Support | None:
    """Return the instruction file that a package which is an extension brings into its own harness."""
    for manifest in manifests:
        if manifest.path == join(source.root, formats.EXTENSION):
            return next(_context_files(source, manifest.fields.get("contextFileName") or "GEMINI.md"), None)
    return None


def _context_files(source: Source, declared: object) -> Iterator[Support]:
    for each in declared if isinstance(declared, list) else [declared]:
        path = posixpath.normpath(str(each).replace("${/}", "/"))
        file = source.tree.file(join(source.root, path))
        if file is not None and not any(illegal(part) for part in path.split("/")):
            yield Support(path, path, file)
