"""Folders and files that may not be read or written: said, and nothing is forgotten for it.

Root may read and write everything, so these are for whoever is not root.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from building import PLUGIN, Workspace

pytestmark = pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="there are no such rights here, or root is above them"
)

STAGE = ".tackroom/stage"
COMMANDS = f"{STAGE}/claude/kit/commands"
REVIEW = f"{COMMANDS}/review.md"
IDLE = "scons: Nothing to be done for `stage'."
CONSOLE = (sys.executable, "-c", "from tackroom.cli import main; main()")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "ws", PLUGIN)
    made.scons()
    return made


@contextmanager
def locked(path: Path, mode: int = 0) -> Iterator[None]:
    """Take the rights to a path away for a while."""
    before = path.stat().st_mode & 0o7777
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


def units(workspace: Workspace) -> Path:
    return next((workspace.folder / ".tackroom/state").glob("*/units"))


def test_cleaning_leaves_a_folder_that_cannot_be_read_and_takes_the_rest(workspace: Workspace) -> None:
    with locked(workspace.folder / COMMANDS):
        outcome = workspace.scons("-c")
        assert outcome.status == 0
        assert f"kept {REVIEW}: it cannot be read: permission denied" in outcome.lines
        assert not (workspace.folder / STAGE / "claude/kit/skills").exists()
    assert list(workspace.out()) == ["claude/kit/commands/review.md"]
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / STAGE).exists()


def test_cleaning_forgets_nothing_that_it_may_not_take_away(workspace: Workspace) -> None:
    with locked(workspace.folder / COMMANDS, 0o555):
        outcome = workspace.scons("-c")
        assert outcome.status == 0
        assert f"kept {REVIEW}: its folder may not be changed" in outcome.lines
    workspace.write({"kit/commands/review.md": "New.\n"})
    assert workspace.scons().status == 0
    assert workspace.read(REVIEW) == "New.\n"


def test_force_moves_a_file_that_may_not_be_read(workspace: Workspace) -> None:
    (workspace.folder / REVIEW).chmod(0)
    assert workspace.scons().status == 2
    assert workspace.scons("FORCE=1").status == 0
    assert (workspace.folder / ".backups/edited" / REVIEW).is_file()
    assert workspace.scons().lines[-1] == IDLE


def test_an_output_that_left_the_plan_and_cannot_be_looked_at_is_not_forgotten(workspace: Workspace) -> None:
    (workspace.folder / "kit/commands/review.md").unlink()
    with locked(workspace.folder / COMMANDS):
        outcome = workspace.scons()
        assert outcome.status == 2
        assert f"'{REVIEW}': permission denied" in outcome.text
    assert workspace.scons().status == 0
    assert not (workspace.folder / REVIEW).exists()
    assert workspace.scons().lines[-1] == IDLE


@pytest.mark.parametrize("arguments", [[], ["-c"]])
def test_a_record_that_cannot_be_read_stops_the_run(workspace: Workspace, arguments: list[str]) -> None:
    before = workspace.out()
    with locked(units(workspace)):
        outcome = workspace.scons(*arguments)
        assert outcome.status == 2
        assert outcome.lines == [f"scons: *** '{units(workspace)}': permission denied"]
    assert workspace.out() == before
    assert workspace.scons().lines[-1] == IDLE


def test_tackroom_itself_keeps_no_database_where_nothing_may_be_written(workspace: Workspace) -> None:
    """SCons would, in the folder of the workspace; so a checkout may be there to be read only."""
    workspace.write({"kit/commands/review.md": "New.\n"})
    (workspace.folder / ".sconsign.dblite").unlink()
    (workspace.folder / "SConstruct").unlink()
    with locked(workspace.folder, 0o555):
        outcome = workspace.run(*CONSOLE, "stage")
        assert (outcome.status, outcome.staged) == (0, ["claude kit command/review"]), outcome.text
        assert "Mkdir" not in outcome.text
        assert (workspace.folder / ".tackroom/sconsign.dblite").is_file()
        assert workspace.run(*CONSOLE, "stage").lines == ["claude: 2 staged, 0 rendered, 0 findings"]
    assert workspace.read(REVIEW) == "New.\n"
