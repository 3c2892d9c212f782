"""What Claude Code gets: its own format, so most files are copied; a rule becomes a skill."""

from __future__ import annotations

from collections.abc import Iterator

from tackroom.harnesses import markdown, plugin, skill
from tackroom.harnesses.codes import FieldDropped
from tackroom.harnesses.contract import Bundle, Fragment, Staged
from tackroom.harnesses.emit import as_json
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMPONENTS
from tackroom.packages.model import Kind

WRITE = {
    (Kind.SKILL, Kind.SKILL): skill.skill,
    (Kind.COMMAND, Kind.COMMAND): markdown.write,
    (Kind.AGENT, Kind.AGENT): markdown.write,
    (Kind.RULE, Kind.SKILL): skill.rule_as_skill,
}

MANIFEST = ".claude-plugin/plugin.json"

# where the parts lie is the bundle's own layout; hooks and servers are said where they are declared
_PLACED = frozenset({*COMPONENTS.values(), "hooks", "mcpServers", "lspServers"})
# these name files that are not staged
_LOST = frozenset({"outputStyles", "workflows", "themes", "monitors", "experimental"})


def package(bundle: Bundle) -> Iterator[Staged | Fragment | Finding]:
    """Yield the plugin's manifest and the files that its texts refer to."""
    manifest = plugin.own(bundle)
    fields = {**(manifest.fields if manifest else {}), **plugin.identity(bundle)}
    kept = {key: value for key, value in fields.items() if key not in _PLACED | _LOST}
    for key in fields:
        if key in _LOST:
            yield FieldDropped(field=key, path=MANIFEST)
    file = bundle.package.source.tree.file(manifest.path) if manifest else None
    if manifest and file and kept == dict(manifest.fields):
        yield Staged(MANIFEST, file)
    else:
        yield Staged(MANIFEST, as_json(kept))
    yield from plugin.extra(bundle)
