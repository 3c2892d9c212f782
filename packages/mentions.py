"""The package's own files that its texts refer to through the plugin root's variable.

A plugin-shaped bundle must hold them, or ``${CLAUDE_PLUGIN_ROOT}/scripts/x.sh`` leads nowhere there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact, Support
from tackroom.packages.names import illegal
from tackroom.packages.package import Source
from tackroom.packages.tree import Unreachable, join, relative

_MENTION = re.compile(
    rb"\$\{?(CLAUDE_PLUGIN_ROOT|CURSOR_PLUGIN_ROOT|extensionPath)\}?(?:/([A-Za-z0-9_.@/+-]+))?"
)


def of_root(body: bytes) -> Iterator[tuple[str, str, int]]:
    """Yield each mention of the plugin's own folder: the variable, the text as it stands, its offset."""
    for match in _MENTION.finditer(body):
        yield match[1].decode(), match[0].decode(), match.start()


def renamed(body: bytes, names: Mapping[str, str]) -> bytes:
    """Return a text with the variables of the plugin's own folder under other names; ``$VAR`` gets braces."""

    def called(match: re.Match[bytes]) -> bytes:
        name = names.get(match[1].decode())
        if name is None:
            return match[0]
        return b"${" + name.encode() + b"}" + (b"/" + match[2] if match[2] else b"")

    return _MENTION.sub(called, body) if names else body


def files(source: Source, artifacts: Sequence[Artifact]) -> tuple[Support, ...]:
    """Return the files that are mentioned, sorted; of a mentioned folder every file."""
    found: dict[str, Support] = {}
    for path in sorted({path for each in artifacts for path in _mentioned(each)}):
        for support in _below(source, path):
            found.setdefault(support.path, support)
    return tuple(found[path] for path in sorted(found))


def _mentioned(artifact: Artifact) -> Iterator[str]:
    for match in _MENTION.finditer(artifact.document.body):
        path = posixpath.normpath((match[2] or b"").decode().rstrip("./"))
        if not any(illegal(part) for part in path.split("/")):
            yield path


def _below(source: Source, path: str) -> Iterator[Support]:
    """Yield what a path leads to. One that leads nowhere is an example in prose as often as a fault."""
    try:
        real = source.tree.resolve(join(source.root, path))
    except Unreachable:
        return
    file = source.tree.file(real)
    if file is not None:
        yield Support(path, relative(real, source.root), file)
        return
    for each in source.tree.walk(join(source.root, path)):
        if not isinstance(each, Finding):
            yield Support(relative(each.path, source.root), relative(each.real, source.root), each.file)
