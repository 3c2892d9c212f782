"""Claude Code: ``plugin validate`` for each plugin, and the list that one run with all of them starts with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from room import ClientFailed, Clients, Room, room
from staged import Artifact
from verdict import Verdict, judge, refused

HARNESS = "claude"


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("claude") else "no 'claude'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Claude Code makes of each artifact."""
    command = str(clients.command("claude"))
    with room() as here:
        plugins = sorted({tree / each.package for each in artifacts})
        complaints = dict(_validated(here, command, plugins, strict=strict))
        seen = _listed(here, command, plugins)
    names = {each.package: _manifest_name(tree / each.path) for each in artifacts if each.kind == "plugin"}
    return [_verdict(each, names, seen, complaints.get(str(tree / each.path), "")) for each in artifacts]


def _verdict(
    artifact: Artifact, plugins: Mapping[str, str], seen: Mapping[str, None], complaint: str
) -> Verdict:
    if complaint:
        return refused(artifact, complaint)
    return judge(artifact, listed_as(artifact, plugins.get(artifact.package, artifact.package)), seen)


def listed_as(artifact: Artifact, plugin: str) -> str:
    """Return the name under which Claude Code lists a plugin's artifact."""
    if artifact.kind == "plugin":
        return plugin
    if artifact.kind == "skill":
        return f"{plugin}:{re.sub(r'[^A-Za-z0-9_-]', '-', artifact.stem)}"
    *folders, stem = artifact.below(f"{artifact.kind}s").split("/")
    last = artifact.header.get("name", stem) if artifact.kind == "agent" else stem
    return ":".join([plugin, *folders, last])


def _manifest_name(manifest: Path) -> str:
    try:
        return str(json.loads(manifest.read_bytes())["name"])
    except (ValueError, KeyError, TypeError):
        return manifest.parent.parent.name


def _validated(
    here: Room, command: str, plugins: Iterable[Path], *, strict: bool
) -> Iterable[tuple[str, str]]:
    """Return file and complaint; what concerns no artifact of ours is put on the plugin's manifest."""
    for plugin in plugins:
        said = here.run([command, "plugin", "validate", *(["--strict"] if strict else []), str(plugin)], _QUIET)
        manifest = str(plugin / ".claude-plugin" / "plugin.json")
        for block in re.split(r"^Validating ", said.out, flags=re.MULTILINE)[1:]:
            what, _, path = block.partition("\n")[0].partition(": ")
            complaint = _complaint(block, strict=strict)
            if complaint:
                yield (path if what in ("skill", "agent", "command") else manifest), complaint


def _complaint(block: str, *, strict: bool) -> str:
    """Return the errors of one file's block of the validator's output; under ``strict`` its warnings too."""
    wanted = ("error", "warning") if strict else ("error",)
    parts = re.split(r"^\W*Found \d+ (error|warning)s?:\s*$", block, flags=re.MULTILINE)
    found = [text for severity, text in zip(parts[1::2], parts[2::2], strict=True) if severity in wanted]
    lines = [line.strip(" \t❯>") for text in found for line in text.splitlines() if line.startswith(" ")]
    return "; ".join(line for line in lines if line)


_QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


def _listed(here: Room, command: str, plugins: Iterable[Path]) -> dict[str, None]:
    """Start one run and return all names it knows: no hook and no server of the plugins is started."""
    switches = ["--strict-mcp-config", "--settings", '{"disableAllHooks": true}', "--model", "sonnet"]
    folders = [part for plugin in plugins for part in ("--plugin-dir", str(plugin))]
    ran, sent = here.record(
        [command, "-p", "hello", "--output-format", "stream-json", "--verbose", *switches, *folders],
        {**_QUIET, "ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "x"},
    )
    for line in ran.out.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("subtype") == "init":
            lists = (event["skills"], event["agents"], event["slash_commands"])
            plugin_names = (each["name"] for each in event["plugins"])
            offered = re.findall(r"^- (\S+:[^:\n]+): ", sent, re.MULTILINE)  # skills that only a model may use
            return dict.fromkeys([*(name for names in lists for name in names), *plugin_names, *offered])
    raise ClientFailed(ran.err or ran.out)
