"""Workspaces on the disk for tests, and running SCons in them as a user would."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SITE = Path(__file__).parents[1] / "site_scons"
SCONSTRUCT = "import tackroom\ntackroom.workspace()\n"

SKILL = "---\nname: lint\ndescription: Lints.\n---\nLint.\n"
COMMAND = "---\ndescription: Reviews.\n---\nReview $ARGUMENTS.\n"
PLUGIN = {
    "kit/.claude-plugin/plugin.json": '{"name": "kit", "version": "1.0.0"}\n',
    "kit/commands/review.md": COMMAND,
    "kit/skills/lint/SKILL.md": SKILL,
    "kit/skills/lint/run.sh": "#!/bin/sh\n",
}
YAML = "harnesses: [claude]\npackages:\n  kit: {path: kit}\n"


@dataclass(frozen=True)
class Outcome:
    """How a run ended: its status, and all that it printed, without SCons' own lines of progress."""

    status: int
    text: str

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def staged(self) -> list[str]:
        """What was staged, in the order of the lines."""
        return [line.removeprefix("stage ") for line in self.lines if line.startswith("stage ")]


class Workspace:
    """A folder with a workspace in it."""

    def __init__(self, folder: Path, files: Mapping[str, str] = PLUGIN, yaml: str = YAML) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.write({"SConstruct": SCONSTRUCT, "tackroom.yaml": yaml, **files})

    def write(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
            target.chmod(0o755 if path.endswith(".sh") else 0o644)

    def scons(self, *arguments: str, **environ: str) -> Outcome:
        return self.run(sys.executable, "-m", "SCons", "-Q", *arguments, **environ)

    def run(self, *command: str, **environ: str) -> Outcome:
        known = {key: value for key, value in os.environ.items() if key != "CI"}
        env = {
            **known,
            "PYTHONPATH": str(SITE),
            "TACKROOM_CACHE": str(self.folder.parent / "cache"),
            **environ,
        }
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=120, check=False
        )
        return Outcome(done.returncode, done.stdout + done.stderr)

    def kill(self, after: float) -> None:
        """Start staging and kill it without a warning after so many seconds."""
        command = [sys.executable, "-m", "SCons", "-Q"]
        env = {**os.environ, "PYTHONPATH": str(SITE)}
        with subprocess.Popen(command, cwd=self.folder, env=env, stdout=subprocess.DEVNULL) as running:
            time.sleep(after)
            running.kill()

    def read(self, path: str) -> str:
        return (self.folder / path).read_text(encoding="utf-8")

    def out(self, harness: str = "", folder: str = ".tackroom/stage") -> dict[str, bytes]:
        """Return what is staged: path -> content; a file that may be executed has ``*`` at its path's end."""
        root = self.folder / folder / harness
        found = sorted(each for each in root.rglob("*") if each.is_file())
        return {
            each.relative_to(root).as_posix() + "*" * bool(each.stat().st_mode & 0o100): each.read_bytes()
            for each in found
        }


class Repository:
    """A git repository on the disk, with one branch."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit(files)

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> str:
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "x")
        return self.git("rev-parse", "HEAD")
