"""A long first run is shared with a second process, and nobody sees a difference."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from building import COMMAND, SCONSTRUCT, SITE, SKILL, Workspace
from tackroom import second
from tackroom.turn import Turn

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")

YAML = "harnesses: [claude, codex]\npackages:\n  one: {path: one}\n  two: {path: two}\n"
FILES = {
    "one/commands/review.md": COMMAND,
    "one/skills/lint/SKILL.md": SKILL,
    "two/commands/review.md": COMMAND,
    "two/rules/style.md": "Be brief.\n",
}
SHARED = """\
import os
import tackroom, tackroom.second
tackroom.second.ENOUGH = 2
tackroom.second._can_fork = lambda: True
fork = os.fork
def counted():
    open("forked", "a").write("x")
    return fork()
os.fork = counted
{more}
tackroom.workspace()
"""


def workspace(tmp_path: Path, name: str, more: str | None = None) -> Workspace:
    files = FILES if more is None else {**FILES, "SConstruct": SHARED.format(more=more)}
    return Workspace(tmp_path / name, files, YAML)


def started(workspace: Workspace) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(SITE)}
    command = [sys.executable, "-u", "-m", "SCons", "-Q"]
    return subprocess.Popen(command, cwd=workspace.folder, env=env, stdout=subprocess.PIPE, text=True)


def test_two_processes_stage_what_one_does_and_say_the_same(tmp_path: Path) -> None:
    alone, shared = workspace(tmp_path, "alone"), workspace(tmp_path, "shared", "")
    assert alone.scons("JSON=report.json").lines == shared.scons("JSON=report.json").lines
    assert shared.read("forked") == "x"
    assert not (alone.folder / "forked").exists()
    assert alone.out() == shared.out()
    assert alone.read("report.json") == shared.read("report.json")
    assert shared.scons().staged == []


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), 9)", "1 / 0", "None"])
def test_what_a_second_process_did_not_come_to_is_staged_all_the_same(tmp_path: Path, end: str) -> None:
    broken = f"import tackroom.staging\ntackroom.staging.Run._stage_half = lambda self, units: {end}"
    alone, shared = workspace(tmp_path, "alone"), workspace(tmp_path, "shared", broken)
    assert alone.scons().lines == [line for line in shared.scons().lines if "Traceback" not in line]
    assert alone.out() == shared.out()


def test_what_a_second_process_left_half_written_goes(tmp_path: Path) -> None:
    """It is killed before it puts its second file in place."""
    broken = """
first, real, count = os.getpid(), os.replace, iter(range(9))
def replace(*places, **more):
    if os.getpid() != first and next(count) == 1:
        os.kill(os.getpid(), 9)
    return real(*places, **more)
os.replace = replace
"""
    alone, shared = workspace(tmp_path, "alone"), workspace(tmp_path, "shared", broken)
    assert alone.scons().status == shared.scons().status == 0
    assert alone.out() == shared.out()
    assert not list(shared.folder.rglob("*.tackroom~"))


KILLED = """
import signal, time
first, real = os.getpid(), os.replace
def replace(*places, **more):
    if "/stage/" not in str(places[-1]):
        return real(*places, **more)
    if os.getpid() == first:
        while not os.path.exists("asleep"):
            time.sleep(0.01)
        os.kill(first, signal.SIGKILL)
    open("asleep", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.01)
    return real(*places, **more)
os.replace = replace
"""


def test_a_second_process_that_outlives_a_killed_run_is_waited_for(tmp_path: Path) -> None:
    alone, shared = workspace(tmp_path, "alone"), workspace(tmp_path, "shared", KILLED)
    alone.scons()
    with started(shared) as killed:
        assert killed.wait(60) < 0
    shared.write({"SConstruct": SCONSTRUCT})
    with started(shared) as waiting:
        assert waiting.stdout
        line = waiting.stdout.readline()
        shared.write({"go": ""})
        assert waiting.wait(60) == 0
    # a lock of the first may be the second's too, by what it inherits; then it is named for the first
    assert re.fullmatch(
        r"waiting for (another process|process \d+), which stages into '.tackroom/stage'\n", line
    )
    assert shared.out() == alone.out()
    assert not list(shared.folder.rglob("*.tackroom~"))


def test_a_second_process_whose_first_is_gone_stages_nothing(tmp_path: Path) -> None:
    turn = Turn(tmp_path / "record", "", print)
    turn.take()
    turn._process = 0  # as if it had died since
    assert not turn.help()
    turn.give_back()


def test_there_is_no_second_process_for_little_work_nor_beside_threads(tmp_path: Path) -> None:
    few = workspace(tmp_path, "few", "tackroom.second.ENOUGH = 5")
    assert few.scons().status == 0
    assert not (few.folder / "forked").exists()
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    assert not second._can_fork()
    done.set()
    other.join()
