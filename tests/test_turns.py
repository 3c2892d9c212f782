"""Two runs at once: the second waits, says for whom, and then does what is left."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SCONSTRUCT, SITE, SKILL, Workspace
from faults import sleeping_before
from tackroom import state

HOLDER = """\
import sys, time
from pathlib import Path
from tackroom.turn import Turn
turn = Turn(Path(sys.argv[1]), "", print)
turn.take()
while not Path("go").exists():
    time.sleep(0.01)
"""
# the first of two runs seals only when it is told to
SLOW = """\
import os, time
import tackroom, tackroom.staging
seal = tackroom.staging.Run.seal
def late(run):
    while os.environ.get("SLOW") and not os.path.exists("go"):
        time.sleep(0.01)
    seal(run)
tackroom.staging.Run.seal = late
tackroom.workspace()
"""
OTHER = "waiting for another process, which stages into '.tackroom/stage'"
WAITS = OTHER.replace("another process", "process {}")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def record(workspace: Workspace) -> Path:
    return state.place(workspace.folder, workspace.folder / ".tackroom/stage", "bundle")


def until(reached: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not reached():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def owner(workspace: Workspace) -> str:
    path = record(workspace).with_suffix(".owner")
    return path.read_text().strip() if path.exists() else ""


@contextmanager
def started(workspace: Workspace, *command: str, **environ: str) -> Iterator[subprocess.Popen[str]]:
    env = {**os.environ, "PYTHONPATH": str(SITE), **environ}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=workspace.folder, env=env, stdout=pipe, text=True) as running:
        try:
            yield running
        finally:
            running.kill()


@contextmanager
def held(workspace: Workspace) -> Iterator[subprocess.Popen[str]]:
    """Let another process have the turn."""
    with started(workspace, sys.executable, "-c", HOLDER, str(record(workspace))) as holder:
        until(lambda: owner(workspace) == str(holder.pid))
        yield holder


def scons(workspace: Workspace, **environ: str):
    return started(workspace, sys.executable, "-u", "-m", "SCons", "-Q", **environ)


def test_a_run_waits_for_its_turn_and_says_for_whom(workspace: Workspace) -> None:
    with held(workspace) as holder, scons(workspace) as waiting:
        assert waiting.stdout
        assert waiting.stdout.readline().strip() == WAITS.format(holder.pid)
        assert not (workspace.folder / ".tackroom/stage").exists()
        (workspace.folder / "go").touch()
        assert waiting.stdout.readline().strip() == "stage claude kit"
        assert waiting.wait(60) == 0


def test_a_run_that_waited_does_what_is_left_which_may_be_nothing(workspace: Workspace) -> None:
    workspace.write({"SConstruct": SLOW})
    with scons(workspace, SLOW="1") as first:
        until(lambda: owner(workspace) == str(first.pid))
        with scons(workspace) as second:
            assert second.stdout
            assert second.stdout.readline().strip() == WAITS.format(first.pid)
            (workspace.folder / "go").touch()
            assert second.stdout.read().splitlines()[0] == "claude: 2 staged, 0 rendered, 0 findings"
            assert (first.wait(60), second.wait(60)) == (0, 0)


def test_a_run_that_waited_stages_what_the_first_did_not_know_of(workspace: Workspace) -> None:
    workspace.write({"SConstruct": SLOW})
    with scons(workspace, SLOW="1") as first:
        until(lambda: owner(workspace) == str(first.pid))
        workspace.write({"kit/commands/late.md": COMMAND})
        with scons(workspace) as second:
            assert second.stdout
            assert second.stdout.readline().strip() == WAITS.format(first.pid)
            (workspace.folder / "go").touch()
            assert second.stdout.readline().strip() == "stage claude kit command/late"
            assert (first.wait(60), second.wait(60)) == (0, 0)


# reads the record, and then the packages only when it is told to
LATE = """\
import os, time
import tackroom, tackroom.prepare
resolve = tackroom.prepare._resolve
def late(*given):
    while os.environ.get("LATE") and not os.path.exists("go"):
        open("reading", "w").close()
        time.sleep(0.01)
    return resolve(*given)
tackroom.prepare._resolve = late
tackroom.workspace()
"""
SEEN = ["claude: 2 staged, 0 rendered, 0 findings", "scons: Nothing to be done for `stage'."]


def test_a_run_sees_what_another_one_staged_since_it_read_the_record(workspace: Workspace) -> None:
    workspace.write({"SConstruct": LATE})
    with scons(workspace, LATE="1") as first:
        until((workspace.folder / "reading").exists)
        assert workspace.scons().status == 0
        workspace.write({"kit/commands/review.md": "New.\n", "go": ""})
        assert first.wait(60) == 0
    assert workspace.read(".tackroom/stage/claude/kit/commands/review.md") == "New.\n"
    assert workspace.scons().lines == SEEN


def test_a_run_forgets_no_edit_that_another_one_found_since_it_read_the_record(workspace: Workspace) -> None:
    yaml = "harnesses: [claude]\npackages:\n  kit: {path: kit}\n  more: {path: more}\n"
    files = {"more/commands/other.md": COMMAND, "SConstruct": LATE, "tackroom.yaml": yaml}
    workspace.write(files)
    workspace.scons()
    shown = ".tackroom/stage/claude/kit/commands/review.md"
    workspace.write({shown: "edited", "more/commands/other.md": "New.\n"})
    (workspace.folder / "kit/commands/review.md").unlink()
    with scons(workspace, LATE="1") as first:
        until((workspace.folder / "reading").exists)
        assert "output-edited" in workspace.scons().text
        workspace.write({"more/commands/other.md": "Newer.\n", "go": ""})
        assert first.wait(60) == 2
    assert f"'{shown}' was edited by hand; kept" in workspace.scons().text
    assert workspace.read(shown) == "edited"


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_run_that_waited_goes_on_where_the_first_was_killed(workspace: Workspace) -> None:
    workspace.scons()
    before = workspace.out()
    new = {path: text + "new\n" for path, text in PLUGIN.items() if text in (COMMAND, SKILL)}
    workspace.write({"SConstruct": sleeping_before(2), **new})  # one file is new then, and one half written
    with scons(workspace) as first:
        until((workspace.folder / "asleep").exists)
        workspace.write(PLUGIN)
        with scons(workspace) as second:
            assert second.stdout
            assert second.stdout.readline().strip() == WAITS.format(first.pid)
            assert workspace.out() != before
            workspace.write({"go": ""})
            first.kill()
            assert second.wait(60) == 0
    assert workspace.out() == before
    assert not list(workspace.folder.rglob("*.tackroom~"))


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_dead_owner_is_not_waited_for(workspace: Workspace) -> None:
    with held(workspace) as holder:
        holder.kill()
        holder.wait(60)
        assert workspace.scons().lines[0] == "stage claude kit"


@pytest.mark.parametrize("arguments", [(), ("-n",), ("-q",), ("explain", "WHAT=skill/lint")])
def test_what_writes_nothing_waits_for_nobody(workspace: Workspace, arguments: tuple[str, ...]) -> None:
    workspace.scons()
    with held(workspace):
        outcome = workspace.scons(*arguments)
        assert outcome.status == 0
        assert "waiting" not in outcome.text


def test_an_owner_who_is_not_known_is_waited_for_all_the_same(workspace: Workspace) -> None:
    with held(workspace), scons(workspace) as waiting:
        record(workspace).with_suffix(".owner").unlink()
        assert waiting.stdout
        assert waiting.stdout.readline().strip() == OTHER
        (workspace.folder / "go").touch()
        assert waiting.wait(60) == 0


def test_each_out_has_a_turn_of_its_own(workspace: Workspace) -> None:
    with held(workspace):
        assert workspace.scons("OUT=elsewhere").staged == ["claude kit"]


def test_a_guest_waits_in_the_build_and_not_while_it_is_read(workspace: Workspace) -> None:
    guest = (
        "import tackroom\nenv = Environment(tools=[tackroom.tool])\n"
        "Default(env.Alias('agents', env.Stage('tackroom.yaml').all))\nprint('read')\n"
    )
    workspace.write({"SConstruct": guest})
    with held(workspace) as holder, scons(workspace) as waiting:
        assert waiting.stdout
        lines = [waiting.stdout.readline().strip() for _ in range(3)]
        assert lines == ["read", "stage claude kit", WAITS.format(holder.pid)]
        (workspace.folder / "go").touch()
        assert waiting.wait(60) == 0


GUEST = """\
import tackroom
{}
env = Environment(tools=[tackroom.tool])
env.Stage("tackroom.yaml")
"""


@pytest.mark.parametrize("sconstruct", [SCONSTRUCT, GUEST.format(""), GUEST.format("tackroom.workspace()")])
def test_cleaning_waits_for_its_turn(workspace: Workspace, sconstruct: str) -> None:
    workspace.scons()
    workspace.write({"SConstruct": sconstruct})
    command = (sys.executable, "-u", "-m", "SCons", "-Q", "-c")
    with held(workspace) as holder, started(workspace, *command) as waiting:
        assert waiting.stdout
        assert waiting.stdout.readline().strip() == WAITS.format(holder.pid)
        assert len(workspace.out()) == 4
        (workspace.folder / "go").touch()
        assert waiting.wait(60) == 0
        assert WAITS.format(holder.pid) not in waiting.stdout.read()
        assert workspace.out() == {}


def test_a_run_waits_for_one_that_cleans(workspace: Workspace) -> None:
    slow = "import os, time\nimport tackroom\ntackroom.workspace()\nopen('asleep', 'w').close()\n"
    slow += "while not os.path.exists('go'): time.sleep(0.01)\n"
    workspace.scons()
    workspace.write({"Slow": slow, "kit/commands/review.md": COMMAND + "New.\n"})
    command = (sys.executable, "-u", "-m", "SCons", "-Q", "-c", "-f", "Slow")
    with started(workspace, *command) as first:
        until((workspace.folder / "asleep").exists)
        with scons(workspace) as second:
            assert second.stdout
            assert second.stdout.readline().strip() == WAITS.format(first.pid)
            (workspace.folder / "go").touch()
            assert (first.wait(60), second.wait(60)) == (0, 0)
    assert len(workspace.out()) == 4
    assert workspace.scons().lines[-1] == "scons: Nothing to be done for `stage'."


def test_a_dry_run_of_cleaning_waits_for_nobody_and_writes_nothing(workspace: Workspace) -> None:
    workspace.scons()
    state = workspace.folder / ".tackroom/state"
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*")}
    assert workspace.scons("-n", "-c").status == 0
    assert {path: path.stat().st_mtime_ns for path in state.rglob("*")} == before
