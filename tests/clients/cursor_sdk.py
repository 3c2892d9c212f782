"""Cursor: the agent runtime of its SDK loads the bundle as local plugins; commands are not part of that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from room import ClientFailed, Clients, room
from staged import Artifact
from verdict import Listed, Verdict, claim, unchecked

HARNESS = "cursor"
STARTED = ("hooks", "mcp.json", ".mcp.json")  # what would start a package's own programs


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    if not clients.part("cursor/node_modules/@cursor/sdk"):
        return "no '@cursor/sdk' in 'cursor'"
    return "" if clients.driver("cursor_run.mjs") else "no driver 'cursor_run.mjs'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Cursor makes of each artifact."""
    with room() as here:
        plugins = here.home / ".cursor" / "plugins" / "local"
        for package in sorted({each.package for each in artifacts}):
            _install(tree / package, plugins / package)
        driver = ["node", str(clients.driver("cursor_run.mjs")), "--sdk", str(clients.part("cursor"))]
        # a long list arrives after the end of its own question; a second question gives it the time
        more = json.dumps({"path": str(here.work), "toolCallId": "more"})
        ran = here.run([*driver, "--cwd", str(here.work), "--load", "yes", "--step", f"lsArgs={more}"])
        listed = _listed(_loaded(ran.out, ran.err), here.work, plugins)
    return [
        unchecked(each, "commands are not part of what this runtime tells")
        if each.kind == "command"
        else claim(each, each.path, listed[each.kind])
        for each in artifacts
    ]


def _install(package: Path, plugin: Path) -> None:
    """Copy a package, as this client follows no links, without what would start programs."""

    def left_out(folder: str, _: list[str]) -> tuple[str, ...]:
        return STARTED if Path(folder) == package else ()

    shutil.copytree(package, plugin, ignore=left_out)


def _loaded(out: str, err: str) -> dict[str, Any]:
    for line in out.splitlines():
        event = json.loads(line) if line.startswith("{") else {}
        if event.get("event") == "loaded":
            return dict(event)
    raise ClientFailed(err or out)


def _listed(loaded: dict[str, Any], work: Path, plugins: Path) -> dict[str, Listed]:
    """Return descriptions by path for each kind; a rule has one only where the model decides on it."""

    def by_path(key: str) -> list[tuple[str, dict[str, Any]]]:
        full = [((work / each["path"]).resolve(), each) for each in loaded[key]]
        return [(at.relative_to(plugins).as_posix(), each) for at, each in full if at.is_relative_to(plugins)]

    return {
        "skill": {path: each.get("description", "") for path, each in by_path("skills")},
        "agent": {path: each.get("description", "") for path, each in by_path("agents")},
        "rule": {path: _rule(each["type"]) for path, each in by_path("rules")},
    }


def _rule(kind: dict[str, Any]) -> str | None:
    if "manuallyAttached" in kind:
        return ""
    return str(kind["agentFetched"].get("description", "")) if "agentFetched" in kind else None
