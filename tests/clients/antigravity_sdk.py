"""Antigravity: its harness, driven by the SDK, lists rules and skills; it opens no agents and no workflows.

A rule with globs shows when a matching file is read: one is made for each, and a scripted model reads it.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

from recorder import texts
from room import ClientFailed, Clients, Room, room
from staged import Artifact
from verdict import Listed, State, Verdict, claim, refused, squeeze, unchecked

HARNESS = "antigravity"
BODY = 200  # characters of a rule's body by which it is found again
GROUP = 5  # rules that surely fit into one request


def missing(clients: Clients) -> str:
    """Say what is not installed; empty where all is."""
    if not clients.part("ag/bin/python"):
        return "no virtual environment 'ag' with google-antigravity"
    scripts = ("antigravity_run.py", "fake_model.py")
    return "".join(f"no driver '{name}'" for name in scripts if not clients.driver(name))


def ask(tree: Path, artifacts: list[Artifact], clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return what Antigravity makes of each artifact.

    It has room for some 20,000 tokens of rules; what is missing among many is asked for again in
    small groups.
    """
    verdicts = _asked(tree, artifacts, artifacts, clients)
    left = [
        each.artifact for each in verdicts if each.state is State.REFUSED and each.artifact.kind == "rule"
    ]
    again = [
        found
        for start in range(0, len(left), GROUP)
        for found in _asked(tree, artifacts, left[start : start + GROUP], clients)
    ]
    settled = {each.artifact.path: each for each in again}
    return [settled.get(each.artifact.path, each) for each in verdicts]


def _asked(tree: Path, every: list[Artifact], about: list[Artifact], clients: Clients) -> list[Verdict]:
    """Return the verdicts on some artifacts, in a tree that holds no other rules."""
    with room() as here:
        shutil.copytree(tree, here.work, dirs_exist_ok=True)
        for each in every:
            if each.kind == "rule" and each not in about:
                (here.work / each.path).unlink()
        examples = [example for each in about if (example := _example(each))]
        sent = _sent(here, clients, examples)
        listed = {"skill": _skills(sent), "rule": _rules(sent)}
        return [_verdict(each, here.work, listed, sent) for each in about]


def _sent(here: Room, clients: Clients, examples: list[str]) -> str:
    log = here.home / "requests.jsonl"
    command = [sys.executable, str(clients.driver("fake_model.py")), "--log", str(log)]
    for name in examples:
        file = here.work / name
        with contextlib.suppress(
            NotADirectoryError, FileExistsError
        ):  # one example's file is another's folder
            file.parent.mkdir(parents=True, exist_ok=True)
        if not file.parent.is_dir():
            continue
        file.touch()
        call = {"AbsolutePath": str(file), "toolSummary": "read", "toolAction": "read"}
        command += ["--tool", f"view_file={json.dumps(call)}"]
    skills = here.work / ".agents" / "skills"
    command += ["--", str(clients.part("ag/bin/python")), str(clients.driver("antigravity_run.py"))]
    command += ["--url", "{url}", "--workspace", str(here.work), "--timeout", "150"]
    ran = here.run([*command, *(["--skills", str(skills)] if skills.is_dir() else [])])
    if ran.status:
        raise ClientFailed(ran.err or ran.out)
    bodies = [json.loads(line)["body"] for line in log.read_text(encoding="utf-8").splitlines()]
    return "\n".join(text for body in bodies for text in texts(body))


def _example(rule: Artifact) -> str:
    """Return the path of a file that a rule's first glob matches; empty where there is no such glob."""
    if rule.kind != "rule" or rule.header.get("trigger") != "glob":
        return ""
    return re.sub(r"[*?]+", "a", rule.header.get("globs", "").split(",")[0].strip()).lstrip("/")


def _verdict(artifact: Artifact, work: Path, listed: dict[str, Listed], sent: str) -> Verdict:
    if artifact.kind not in listed:
        return unchecked(artifact, f"{artifact.kind}s are not opened by this harness")
    if artifact.header.get("disable-model-invocation") == "true":
        return unchecked(artifact, "a skill that no model may use is not sent")
    trigger = artifact.header.get("trigger", "") if artifact.kind == "rule" else ""
    if trigger == "manual":
        return unchecked(artifact, "a manual rule is not sent")
    if trigger == "glob":
        return _scoped(artifact, work, sent)
    path, name = str(work / artifact.path), artifact.header.get("name", "")
    return claim(artifact, name if name in listed[artifact.kind] else path, listed[artifact.kind])


def _scoped(rule: Artifact, work: Path, sent: str) -> Verdict:
    text = (work / rule.path).read_text(encoding="utf-8")
    body = squeeze(re.sub(r"\A---\r?\n.*?\n---", "", text, count=1, flags=re.DOTALL))
    if body[:BODY] in squeeze(sent):
        return Verdict(rule, State.LOADED)
    example = _example(rule)
    reason = f"not applied when '{example}' was read" if example else "its globs are not one text"
    return refused(rule, reason)


def _skills(sent: str) -> Listed:
    """Return descriptions by path, and by name alone what is known but left out because the list is long."""
    shown = re.findall(r"^- .* \((/.*?/SKILL\.md)\): (.*)$", sent, re.MULTILINE)
    left_out = re.search(r"excluded due to context budget limits: (.*)", sent)
    return {**dict.fromkeys(left_out[1].split(", ") if left_out else []), **dict(shown)}


def _rules(sent: str) -> Listed:
    """Return the rules of the system prompt by path: applied ones show no description, offered ones do."""
    applied: Listed = dict.fromkeys(re.findall(r"^<RULE\[(.*?)\]>$", sent, re.MULTILINE))
    offered = re.findall(r"^- file://(\S+): (.*)$", sent, re.MULTILINE)
    return applied | {unquote(path): about for path, about in offered}
