"""OpenCode: its resolved configuration lists agents and commands, ``debug skill`` the skills."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from room import ClientFailed, Clients, Room, room
from staged import Artifact
from verdict import Listed, State, Verdict, claim, refused

HARNESS = "opencode"
SAMPLE = 5  # agents with an allow list that are looked at one by one; each takes seconds
QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    # it installs a package into every configuration folder; a closed port makes that fail at once
    "npm_config_fetch_retries": "0",
    "npm_config_registry": "http://127.0.0.1:9/",
}


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("opencode") else "no 'opencode'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what OpenCode makes of each artifact."""
    command = str(clients.command("opencode"))
    with room() as here:
        bundle = here.home / "bundle"
        shutil.copytree(tree, bundle)
        config = _debug(here, command, bundle, "config")
        skills: Listed = {
            _path(each["location"], bundle): each.get("description", "")
            for each in _debug(here, command, bundle, "skill")
        }
        listed = {"agent": _described(config, "agent"), "command": _described(config, "command")}
        found = [
            claim(each, each.path, skills)
            if each.kind == "skill"
            else claim(each, each.header.get("name") or each.below(f"{each.kind}s"), listed[each.kind])
            for each in artifacts
        ]
        mute = set(_without_tools(here, command, bundle, config))
    return [_with_tools(each, mute) for each in found]


def _path(path: str, bundle: Path) -> str:
    return Path(path).relative_to(bundle).as_posix() if Path(path).is_relative_to(bundle) else path


def _described(config: Mapping[str, Any], key: str) -> Listed:
    return {name: each.get("description", "") for name, each in config.get(key, {}).items()}


def _debug(here: Room, command: str, bundle: Path, *words: str) -> Any:
    ran = here.run([command, "debug", *words], {**QUIET, "OPENCODE_CONFIG_DIR": str(bundle)})
    if ran.status:
        message = re.sub(r"\x1b\[[0-9;]*m", "", ran.err or ran.out)
        raise ClientFailed(message.replace(str(bundle) + "/", ""))
    return json.loads(ran.out)


def _without_tools(here: Room, command: str, bundle: Path, config: Mapping[str, Any]) -> Iterator[str]:
    """Return agents of a sample whose allow list allows nothing once resolved: the order of keys decides."""
    lists = {name: each.get("permission", {}) for name, each in config.get("agent", {}).items()}
    allowing = [name for name, keys in sorted(lists.items()) if "*" in keys and "allow" in keys.values()]
    for name in allowing[:SAMPLE]:
        if not any(_debug(here, command, bundle, "agent", name).get("tools", {}).values()):
            yield name


def _with_tools(verdict: Verdict, mute: set[str]) -> Verdict:
    agent = verdict.artifact
    name = agent.header.get("name") or agent.below("agents")
    if agent.kind != "agent" or verdict.state is not State.LOADED or name not in mute:
        return verdict
    return refused(agent, "its allow list leaves it without a single tool")
