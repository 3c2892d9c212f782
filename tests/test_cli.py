"""The console script: the same without an SConstruct."""

import sys
from pathlib import Path

import pytest

from building import Outcome, Workspace

COMMAND_OUT = ".tackroom/stage/claude/kit/commands/review.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def tackroom(workspace: Workspace, *arguments: str, **environ: str) -> Outcome:
    code = "from tackroom.cli import main; main()"
    return workspace.run(sys.executable, "-c", code, *arguments, **environ)


def test_the_console_script_needs_no_sconstruct(workspace: Workspace) -> None:
    (workspace.folder / "SConstruct").unlink()
    outcome = tackroom(workspace, "stage", "--harness", "claude")
    assert outcome.status == 0
    assert outcome.staged == ["claude kit"]
    assert tackroom(workspace, "clean").status == 0
    assert not (workspace.folder / ".tackroom/stage").exists()


def test_the_console_script_tells_strictness_from_failure(workspace: Workspace) -> None:
    workspace.write({"kit/rules/style.md": "Be brief.\n"})
    assert tackroom(workspace, "stage", "--strict").status == 1
    workspace.write({COMMAND_OUT: "mine"})
    assert tackroom(workspace, "stage", "--strict").status == 2
    assert tackroom(workspace, "stage", "--harness", "clade").status == 2
    assert tackroom(workspace, "stgae").status == 2


def test_the_console_script_is_not_turned_by_flags_for_other_builds(workspace: Workspace) -> None:
    tackroom(workspace, "stage")
    assert tackroom(workspace, "stage", SCONSFLAGS="-c").status == 0
    assert (workspace.folder / COMMAND_OUT).exists()


def test_a_command_that_is_not_built_yet_says_so(workspace: Workspace) -> None:
    outcome = tackroom(workspace, "doctor")
    assert outcome.status == 2
    assert outcome.lines == ["tackroom: 'doctor' is not supported by tackroom 0.1.0 yet"]


def test_variables_may_be_given_as_scons_takes_them(workspace: Workspace) -> None:
    assert tackroom(workspace, "stage", "HARNESS=claude", "-n").staged == ["claude kit"]


def test_the_artifact_to_be_explained_is_a_word(workspace: Workspace) -> None:
    tackroom(workspace, "stage")
    said = tackroom(workspace, "explain", "skill/lint", "--harness", "claude")
    assert said.lines[0] == "skill/lint: 'skills/lint/SKILL.md' of package 'kit', from 'kit'"
