"""Claude Code: ``plugin validate`` for each plugin, and the lists with which one run of them all starts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from room import ClientFailed, Clients, Room, room
from staged import Artifact
from verdict import Listed, Verdict, claim, refused, unchecked

HARNESS = "claude"
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
# no hook and no server of a plugin is started
PASSIVE = ("--strict-mcp-config", "--settings", '{"disableAllHooks": true}')


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("claude") else "no 'claude'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Claude Code makes of each artifact."""
    command = str(clients.command("claude"))
    plugins = [tree / package for package in sorted({each.package for each in artifacts})]
    with room() as here:
        complaints = dict(pair for plugin in plugins for pair in _complaints(here, command, plugin))
        listed = _listed(here, command, plugins)
    verdicts = []
    for each in artifacts:
        found = complaints.get(str(tree / each.path), [])
        against = "; ".join(one.text for one in found if strict or one.counts(each))
        key = _listed_as(each, _plugin_name(tree / each.package))
        hidden = each.kind == "skill" and each.header.get("user-invocable") == "false"
        if against:
            verdicts.append(refused(each, against))
        elif hidden and key not in listed[each.kind]:
            verdicts.append(unchecked(each, "a skill that no user may invoke is not always offered"))
        else:
            verdicts.append(claim(each, key, listed[each.kind]))
    return verdicts


class Complaint(NamedTuple):
    """One line of the validator."""

    severity: str
    text: str

    def counts(self, artifact: Artifact) -> bool:
        """Tell a loss from advice; of a header that is there and was not read the validator only warns."""
        unread = self.text.startswith("frontmatter:") and bool(artifact.header)
        return self.severity == "error" or unread


def _listed_as(artifact: Artifact, plugin: str) -> str:
    """Return the name under which Claude Code lists a plugin's artifact."""
    if artifact.kind == "plugin":
        return plugin
    if artifact.kind == "skill":
        return f"{plugin}:{re.sub(r'[^A-Za-z0-9_-]', '-', artifact.stem)}"
    *folders, stem = artifact.below(f"{artifact.kind}s").split("/")
    last = artifact.header.get("name", stem) if artifact.kind == "agent" else stem
    return ":".join([plugin, *folders, last])


def _plugin_name(plugin: Path) -> str:
    try:
        return str(json.loads((plugin / ".claude-plugin" / "plugin.json").read_bytes())["name"])
    except (OSError, ValueError, KeyError, TypeError):
        return plugin.name


def _complaints(here: Room, command: str, plugin: Path) -> Iterator[tuple[str, list[Complaint]]]:
    """Return complaints by file; on what is no artifact of ours, by the plugin's manifest."""
    said = here.run([command, "plugin", "validate", str(plugin)], QUIET)
    on_manifest: list[Complaint] = []
    for block in re.split(r"^Validating ", said.out, flags=re.MULTILINE)[1:]:
        what, _, path = block.partition("\n")[0].partition(": ")
        if what in ("skill", "agent", "command"):
            yield path, list(_found(block))
        else:
            on_manifest += _found(block)
    yield str(plugin / ".claude-plugin" / "plugin.json"), on_manifest


def _found(block: str) -> Iterator[Complaint]:
    """Return the complaints in one file's block of the validator's output."""
    parts = re.split(r"^\W*Found \d+ (error|warning)s?:\s*$", block, flags=re.MULTILINE)
    for severity, lines in zip(parts[1::2], parts[2::2], strict=True):
        yield from (
            Complaint(severity, text) for text in re.findall(r"^ +[^\w\s]+ +(.*)$", lines, re.MULTILINE)
        )


def _listed(here: Room, command: str, plugins: Iterable[Path]) -> dict[str, Listed]:
    """Start one run with all plugins and return the names that it knows, by kind."""
    folders = [part for plugin in plugins for part in ("--plugin-dir", str(plugin))]
    words = ["-p", "hello", "--output-format", "stream-json", "--verbose", "--model", "sonnet"]
    model = {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "x"}
    ran, sent = here.record([command, *words, *PASSIVE, *folders], QUIET | model)
    for line in ran.out.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("subtype") == "init":
            return {
                "plugin": dict.fromkeys(each["name"] for each in event["plugins"]),
                "agent": dict.fromkeys(event["agents"]),
                "command": dict.fromkeys(event["slash_commands"]),
                "skill": dict.fromkeys([*event["slash_commands"], *_offered(sent)]),
            }
    raise ClientFailed(ran.err or ran.out)


def _offered(sent: str) -> list[str]:
    """Return what the model is offered: there, and nowhere else, are skills that no user may invoke."""
    return re.findall(r"^- ([^\s:]+:[^\s:]+): ", sent, re.MULTILINE)
