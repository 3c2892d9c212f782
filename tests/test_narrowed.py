"""Runs that are narrowed: whose a file is stays clear, and nothing of the rest is taken away."""

import os
from pathlib import Path

import pytest

from building import COMMAND, SCONSTRUCT, Workspace
from faults import killed_before

HEAD = "harnesses: [codex]\npackages:\n"
ONE, TWO = "  one: {path: one}\n", "  two: {path: two}\n"
SKILL = "---\nname: lint\ndescription: {0}.\n---\n{0}.\n"
FILES = {
    "one/skills/lint/SKILL.md": SKILL.format("One"),
    "two/skills/lint/SKILL.md": SKILL.format("Two"),
}
OUT = ".tackroom/stage"
LINT = f"{OUT}/codex/skills/lint/SKILL.md"
X = f"{OUT}/codex/skills/x/SKILL.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "ws", FILES, HEAD + ONE + TWO)
    assert made.scons().status == 0
    return made


def test_a_file_that_changes_hands_in_a_narrowed_run_is_one_owners(workspace: Workspace) -> None:
    """Two packages want one name; the order decides, and only one of them is staged when it changes."""
    before = workspace.out()
    workspace.write({"tackroom.yaml": HEAD + TWO + ONE})
    assert workspace.scons("PACKAGE=two").status == 0
    assert workspace.read(LINT) == SKILL.format("Two")
    workspace.write({"tackroom.yaml": HEAD + ONE + TWO})
    outcome = workspace.scons()
    assert (outcome.status, outcome.text.count("output-edited")) == (0, 0)
    assert workspace.out() == before
    assert workspace.scons().lines[-1] == "scons: Nothing to be done for `stage'."


def test_a_file_that_changed_hands_is_cleaned_once(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": HEAD + TWO + ONE})
    workspace.scons("PACKAGE=two")
    outcome = workspace.scons("-c")
    assert (outcome.status, "kept" in outcome.text) == (0, False)
    assert not (workspace.folder / OUT).exists()


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
@pytest.mark.parametrize("nth", range(1, 8))
@pytest.mark.parametrize("yaml", [HEAD + ONE + TWO, HEAD + TWO + ONE])
def test_a_run_that_is_killed_while_a_file_changes_hands_loses_no_owner(
    workspace: Workspace, nth: int, yaml: str
) -> None:
    fresh = Workspace(workspace.folder.parent / "fresh", FILES, yaml)
    fresh.scons()
    workspace.write({"tackroom.yaml": HEAD + TWO + ONE, "SConstruct": killed_before(nth)})
    workspace.scons("PACKAGE=two")
    workspace.write({"tackroom.yaml": yaml, "SConstruct": SCONSTRUCT})
    assert workspace.scons().status == 0
    assert workspace.out() == fresh.out()
    assert workspace.scons().lines[-1] == "scons: Nothing to be done for `stage'."


@pytest.mark.parametrize("narrow", ["PACKAGE=two", "HARNESS=claude"])
def test_what_was_kept_of_others_stays_in_a_narrowed_run(tmp_path: Path, narrow: str) -> None:
    yaml = HEAD.replace("[codex]", "[codex, claude]") + ONE + TWO
    workspace = Workspace(tmp_path / "ws", {**FILES, "one/commands/x.md": COMMAND}, yaml)
    workspace.scons()
    workspace.write({X: "edited by hand"})
    (workspace.folder / "one/commands/x.md").unlink()
    assert "output-edited" in workspace.scons().text  # it left the plan, and is kept
    assert workspace.scons(narrow, "FORCE=1").status == 0
    assert workspace.read(X) == "edited by hand"
    assert not (workspace.folder / ".backups").exists()
    outcome = workspace.scons()
    assert (outcome.status, outcome.text.count("output-edited")) == (2, 1)
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/edited/{X}") == "edited by hand"


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_what_a_killed_run_wrote_of_others_stays_in_a_narrowed_run(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws", {**FILES, "SConstruct": killed_before(3)}, HEAD + ONE + TWO)
    workspace.scons()
    written = workspace.out()
    assert len(written) == 1
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons("PACKAGE=two").status == 0
    assert written.items() <= workspace.out().items()
    assert workspace.scons().status == 0


def test_what_one_owner_is_refused_another_is_not_told_is_an_edit(workspace: Workspace) -> None:
    """A user's edit of a file that changes hands is an edit, once, whoever has it."""
    workspace.write({LINT: "edited by hand", "tackroom.yaml": HEAD + TWO + ONE})
    outcome = workspace.scons("PACKAGE=two")
    assert (outcome.status, outcome.text.count("output-edited")) == (2, 1)
    workspace.write({"tackroom.yaml": HEAD + ONE + TWO})
    outcome = workspace.scons()
    assert (outcome.status, outcome.text.count("output-edited")) == (2, 1)
    assert workspace.read(LINT) == "edited by hand"
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/edited/{LINT}") == "edited by hand"
    assert workspace.read(LINT) == SKILL.format("One")
