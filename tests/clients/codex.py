"""Codex: its app server lists skills and says why it refuses one; a request names the agents it offers."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

import tomli_w
from room import PATIENCE, ClientFailed, Clients, Room, room, stop
from staged import Artifact
from verdict import Listed, Verdict, claim, told_of

HARNESS = "codex"
MODEL = {
    "model": "none",
    "model_provider": "recorder",
    "model_providers": {
        "recorder": {"name": "recorder", "base_url": "http://127.0.0.1:1/v1", "wire_api": "responses"}
    },
}


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("codex") else "no 'codex'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Codex makes of each artifact."""
    command = str(clients.command("codex"))
    with room() as here:
        home = here.home / "codex"
        shutil.copytree(tree, home)
        _configure(home / "config.toml")
        skills, refusals = _skills(here, command, home)
        roles, said = _roles(here, command, home)
    return [
        claim(each, each.path, skills, refusals.get(each.path, ""))
        if each.kind == "skill"
        else claim(each, each.header.get("name", ""), roles, _why(each, said))
        for each in artifacts
    ]


def _configure(path: Path) -> None:
    """Put our provider into the bundle's configuration and switch its servers off: none is started."""
    config: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for server in config.get("mcp_servers", {}).values():
        server["enabled"] = False
    path.write_text(tomli_w.dumps(config | MODEL), encoding="utf-8")


def _skills(here: Room, command: str, home: Path) -> tuple[Listed, dict[str, str]]:
    """Return description and reason by path."""
    answer = _call(here, command, home, "skills/list", {"cwds": [str(here.work)]})
    listed: Listed = {}
    refusals: dict[str, str] = {}
    for folder in answer["data"]:
        listed |= {_path(each["path"], home): each["description"] for each in folder["skills"]}
        refusals |= {_path(each["path"], home): each["message"] for each in folder["errors"]}
    return listed, refusals


def _path(path: str, home: Path) -> str:
    return Path(path).relative_to(home).as_posix() if Path(path).is_relative_to(home) else path


def _call(here: Room, command: str, home: Path, method: str, params: object) -> dict[str, Any]:
    """Ask the app server one thing; it must be read from before it is hung up on."""
    hello = {"id": 0, "method": "initialize", "params": {"clientInfo": {"name": "accept", "version": "1"}}}
    asked: list[dict[str, Any]] = [
        hello,
        {"method": "initialized"},
        {"id": 1, "method": method, "params": params},
    ]
    child = here.start([command, "app-server"], {"CODEX_HOME": str(home)}, subprocess.PIPE)
    deadline = threading.Timer(PATIENCE, stop, [child])
    deadline.start()
    try:
        return _answer(cast("IO[str]", child.stdin), cast("IO[str]", child.stdout), asked)
    finally:
        deadline.cancel()
        stop(child)
        child.communicate()


def _answer(pipe_in: IO[str], pipe_out: IO[str], asked: list[dict[str, Any]]) -> dict[str, Any]:
    pipe_in.write("".join(json.dumps(each) + "\n" for each in asked))
    pipe_in.flush()
    for line in pipe_out:
        message = json.loads(line)
        if "error" in message:
            raise ClientFailed(str(message["error"].get("message")))
        if message.get("id") == asked[-1]["id"]:
            return dict(message["result"])
    raise ClientFailed("the app server ended without an answer")


def _roles(here: Room, command: str, home: Path) -> tuple[Listed, list[str]]:
    """Return the roles that one request offers, and what was said before it."""
    provider = 'model_providers.recorder.base_url="{url}/v1"'
    words = ["exec", "-c", provider, "--json", "--skip-git-repo-check", "hello"]
    ran, sent = here.record([command, *words], {"CODEX_HOME": str(home)})
    if not sent:
        raise ClientFailed(ran.err or ran.out)
    return dict(_offered(sent)), [each.replace(str(home), "") for each in _said(ran.out)]


def _offered(sent: str) -> Iterator[tuple[str, str]]:
    roles = sent.partition("\nAvailable roles:\n")[2]
    yield from re.findall(r"^([^\n]+): \{\n(.*?)\n\}$", roles, re.MULTILINE | re.DOTALL)


def _said(out: str) -> Iterator[str]:
    for line in out.splitlines():
        item = (json.loads(line) if line.startswith("{") else {}).get("item", {})
        if item.get("type") == "error":
            yield item["message"]


def _why(artifact: Artifact, said: list[str]) -> str:
    """Find the message on a refused agent, which names its file or its role."""
    name = artifact.header.get("name", "")
    by_name = [message for message in said if name and f"`{name}`" in message]
    return told_of(artifact.path, said) or "".join(by_name[:1])
