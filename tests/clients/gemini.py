"""Gemini CLI: each extension is validated and linked; one request then names all agents and skills.

Commands are read only when a prompt starts with ``/``, and only refused ones are told of.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from pathlib import Path

from room import ClientFailed, Clients, Ran, Room, room
from staged import Artifact
from verdict import State, Verdict, judge, refused, told_after

HARNESS = "gemini"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "hooksConfig": {"enabled": False},
}
ENVIRONMENT = {"GEMINI_API_KEY": "x", "GEMINI_CLI_TRUST_WORKSPACE": "true", "GOOGLE_GEMINI_BASE_URL": "{url}"}


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("gemini") else "no 'gemini'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Gemini makes of each artifact."""
    command = str(clients.command("gemini"))
    with room() as here:
        settings = here.home / ".gemini" / "settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps(SETTINGS), encoding="utf-8")
        bundle = here.home / "bundle"
        shutil.copytree(tree, bundle)
        broken = {package: _linked(here, command, bundle / package) for package in {each.package for each in artifacts}}
        ran, sent = here.record(
            [command, "-p", "/none", "-m", "gemini-2.5-flash", "--allowed-mcp-server-names", "none"], ENVIRONMENT
        )
    if not sent:
        raise ClientFailed(ran.err)
    return [
        refused(each, broken[each.package]) if broken[each.package] else _verdict(each, bundle, sent, ran.err)
        for each in artifacts
    ]


def _linked(here: Room, command: str, extension: Path) -> str:
    """Validate and link an extension; return what was wrong, empty where nothing was."""
    for words in (["validate"], ["link", "--consent"]):
        ran: Ran = here.run([command, "extensions", *words, str(extension)])
        if ran.status:
            return (ran.err or ran.out).replace(str(extension), "")
    return ""


def _verdict(artifact: Artifact, bundle: Path, sent: str, log: str) -> Verdict:
    path = str(bundle / artifact.path)
    if artifact.kind == "skill":
        return judge(artifact, path, _skills(sent), told_after(path, log))
    if artifact.kind == "agent":
        return judge(artifact, artifact.header.get("name", ""), _agents(sent), told_after(path, log))
    return refused(artifact, told_after(path, log)) if path in log else Verdict(artifact, State.LOADED)


def _skills(sent: str) -> dict[str, str | None]:
    """Return descriptions by path, from the list of skills in the system prompt."""
    found = re.findall(
        r"<description>(.*?)</description>\s*<location>(.*?)</location>", html.unescape(sent), re.DOTALL
    )
    return {path: about for about, path in found}


def _agents(sent: str) -> dict[str, str | None]:
    """Return descriptions by name, from the list of agents in the system prompt."""
    return {name: about for name, about in re.findall(r"^- ([a-z0-9_-]+) -> (.*)$", sent, re.MULTILINE)}
