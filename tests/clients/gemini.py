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
from verdict import Listed, State, Verdict, claim, refused, told_of

HARNESS = "gemini"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False},
    "hooksConfig": {"enabled": False},
}
NEXT_ENTRY = re.compile(r"\n(?=\[|Duplicate agent|Skill conflict|Ripgrep )")
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
        broken = {
            package: _linked(here, command, bundle / package)
            for package in {each.package for each in artifacts}
        }
        words = ["-p", "/none", "-m", "gemini-2.5-flash", "--allowed-mcp-server-names", "none"]
        ran, sent = here.record([command, *words], ENVIRONMENT)
    if not sent:
        raise ClientFailed(ran.err)
    listed = {"skill": _skills(sent, bundle), "agent": _agents(sent)}
    log = NEXT_ENTRY.split(ran.err.replace(f"{bundle}/", ""))
    return [
        refused(each, broken[each.package]) if broken[each.package] else _verdict(each, listed, log)
        for each in artifacts
    ]


def _linked(here: Room, command: str, extension: Path) -> str:
    """Validate and link an extension; return what was wrong, empty where nothing was."""
    for words in (["validate"], ["link", "--consent"]):
        ran: Ran = here.run([command, "extensions", *words, str(extension)])
        if ran.status:
            return (ran.err or ran.out).replace(str(extension), "")
    return ""


def _verdict(artifact: Artifact, listed: dict[str, Listed], log: list[str]) -> Verdict:
    told = told_of(artifact.path, log)
    if artifact.kind == "skill":
        return claim(artifact, artifact.path, listed["skill"], told)
    if artifact.kind == "agent":
        return claim(artifact, artifact.header.get("name", ""), listed["agent"], told)
    return refused(artifact, told) if told else Verdict(artifact, State.LOADED)


def _skills(sent: str, bundle: Path) -> Listed:
    """Return descriptions by path, from the list of skills in the system prompt."""
    found = re.findall(
        r"<description>(.*?)</description>\s*<location>(.*?)</location>", html.unescape(sent), re.DOTALL
    )
    return {path.removeprefix(f"{bundle}/"): about for about, path in found}


def _agents(sent: str) -> Listed:
    """Return descriptions by name, from the list of agents in the system prompt."""
    return dict(re.findall(r"^- ([a-z0-9_-]+) -> (.*)$", sent, re.MULTILINE))
