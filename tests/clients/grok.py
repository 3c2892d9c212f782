"""Grok Build: ``inspect`` lists all by path, commands among the skills; it gives no reasons."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from room import ClientFailed, Clients, room
from staged import Artifact
from verdict import Listed, Verdict, claim

HARNESS = "grok"


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    return "" if clients.command("grok") else "no 'grok'"


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Grok makes of each artifact."""
    with room() as here:
        home = here.home / "grok"
        shutil.copytree(tree, home)
        ran = here.run(
            [str(clients.command("grok")), "inspect", "--json"],
            {"GROK_HOME": str(home), "GROK_FOLDER_TRUST": "0"},
        )
        if ran.status:
            raise ClientFailed(ran.err or ran.out)
        report = json.loads(ran.out)
        listed: Listed = {
            Path(each["source"]["path"]).relative_to(home).as_posix(): each.get("description", "")
            for each in [*report["skills"], *report["agents"]]
            if Path(each["source"].get("path", "")).is_relative_to(home)
        }
    return [claim(each, each.path, listed) for each in artifacts]
