"""``scons -c``: what is ours goes, its folders too, and whatever is not ours stays."""

from pathlib import Path

import pytest

from building import PLUGIN, Workspace

STAGE = ".tackroom/stage"
COMMANDS = f"{STAGE}/claude/kit/commands"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "ws", PLUGIN)
    made.scons()
    return made


def test_a_folder_of_ours_that_somebody_emptied_goes_too(workspace: Workspace) -> None:
    (workspace.folder / COMMANDS / "review.md").unlink()
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / STAGE).exists()


def test_an_empty_folder_that_never_held_anything_of_ours_stays(workspace: Workspace) -> None:
    theirs = workspace.folder / COMMANDS / "theirs"
    theirs.mkdir()
    assert workspace.scons("-c").status == 0
    assert [each.name for each in (workspace.folder / COMMANDS).iterdir()] == ["theirs"]
    assert workspace.out() == {}
