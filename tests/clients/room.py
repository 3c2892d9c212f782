"""A throw-away home in which a client runs: no network, no account, no settings of whoever runs the tests."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

HERE = Path(__file__).parent
PATIENCE = 180  # seconds; the slowest client answers within ten
INHERITED = ("PATH", "LANG", "SYSTEMROOT", "COMSPEC", "PATHEXT", "TEMP", "TMP")


class ClientFailed(Exception):
    """A client that did not do what it was asked; says why."""


@dataclass(frozen=True)
class Clients:
    """Where clients are installed: one npm prefix or virtual environment each; else they are on PATH."""

    folder: Path | None
    drivers: Path | None  # the programs that drive the two clients which have no command line

    def command(self, name: str) -> str | None:
        """Return the path of a client's command, or None."""
        if self.folder:
            return shutil.which(name, path=self.folder / name / "node_modules" / ".bin")
        return shutil.which(name)

    def part(self, path: str) -> Path | None:
        """Return a file or folder below the clients' folder, or None."""
        found = self.folder / path if self.folder else None
        return found if found and found.exists() else None

    def driver(self, name: str) -> Path | None:
        """Return a driver, or None."""
        found = self.drivers / name if self.drivers else None
        return found if found and found.exists() else None


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Room:
    """One home with one empty repository in it."""

    home: Path

    @property
    def work(self) -> Path:
        """The repository in which clients are started."""
        return self.home / "work"

    def environment(self, more: Mapping[str, str]) -> dict[str, str]:
        """Return the only variables a client sees."""
        kept = {name: os.environ[name] for name in INHERITED if name in os.environ}
        home = {"HOME": str(self.home), "USERPROFILE": str(self.home)}
        return {**kept, **home, "NO_COLOR": "1", "TERM": "dumb", **more}

    def start(
        self, command: Sequence[str], more: Mapping[str, str], out: int | IO[str]
    ) -> subprocess.Popen[str]:
        """Start a command without a network."""
        return subprocess.Popen(
            [*_offline(), *command],
            cwd=self.work,
            env=self.environment(more),
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
        )

    def run(self, command: Sequence[str], more: Mapping[str, str] | None = None) -> Ran:
        """Run a command to its end, without input."""
        # into a file: some clients end before a pipe has taken all they said
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
            child = self.start(command, more or {}, said)
            try:
                _, err = child.communicate("", timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                stop(child)
                child.communicate()
                raise ClientFailed(f"no answer within {PATIENCE} s") from None
            said.seek(0)
            return Ran(child.returncode, said.read(), err)

    def record(self, command: Sequence[str], more: Mapping[str, str]) -> tuple[Ran, str]:
        """Run a command whose model is our recorder, at ``{url}``; return also every text that it sent."""
        log = self.home / "sent.txt"
        ran = self.run([sys.executable, str(HERE / "recorder.py"), str(log), *command], more)
        return ran, log.read_text(encoding="utf-8") if log.exists() else ""


@contextlib.contextmanager
def room() -> Iterator[Room]:
    """Make a room and take it away again."""
    with tempfile.TemporaryDirectory(prefix="client-", ignore_cleanup_errors=True) as folder:
        made = Room(Path(folder).resolve())
        made.work.mkdir()
        subprocess.run(["git", "init", "-q", str(made.work)], check=True)
        yield made


def stop(child: subprocess.Popen[str]) -> None:
    """End a client and what it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()


@functools.cache
def _offline() -> tuple[str, ...]:
    """Return what to put before a command so that it has a loopback only, where that can be had."""
    namespace = ("unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")
    if not shutil.which("unshare"):
        return ()
    tried = subprocess.run([*namespace, "true"], check=False, capture_output=True)
    return () if tried.returncode else namespace
