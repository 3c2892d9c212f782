"""The traps of stock SCons, which calls an output up to date by its own database or forgets about it.

Each has a test; those that are told elsewhere:

- a target that left the graph: ``test_scons``, ``test_a_package_that_leaves_takes_its_outputs...``
- ``scons -c`` with an edited target: ``test_scons``, ``test_cleaning_removes_what_is_ours...``
- a file of that name there before: ``test_scons``, ``test_a_file_that_was_there_before...`` and
  ``test_a_file_with_the_right_bytes_is_adopted``
- edited by hand: ``test_scons``, ``test_an_edited_output_is_kept...`` and ``test_force_moves...``
- deleted: ``test_scons``, ``test_a_deleted_or_wrongly_moded_output_is_put_back``
- ``kill -9``, and then back to the previous lock: ``test_crash``, in this file with a real lock
- a corrupt record: ``test_broken``, ``test_a_record_that_lacks_something...`` and the two after it
- two runs at once: ``test_turns``
- CacheDir: ``test_broken``, ``test_the_users_cache_of_derived_files...``, and in this file
"""

import os
import subprocess
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SCONSTRUCT, SKILL, Workspace
from faults import failing_at, killed_before, stopped_before

OUT = ".tackroom/stage/claude/kit"
REVIEW = f"{OUT}/commands/review.md"
NEW = {path: text + "new\n" for path, text in PLUGIN.items() if path.endswith((".md", ".sh"))}
posix = pytest.mark.skipif(os.name == "nt", reason="there are no such signals")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return one in which everything is staged."""
    made = Workspace(tmp_path / "ws")
    made.scons()
    return made


def test_cleaning_takes_along_what_is_no_target_any_more(workspace: Workspace) -> None:
    (workspace.folder / "kit/commands/review.md").unlink()
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / ".tackroom/stage").exists()


def test_going_back_after_an_action_that_failed_leaves_no_half_file(workspace: Workspace) -> None:
    before = workspace.out()
    workspace.write({"SConstruct": failing_at("run.sh", "EIO"), **NEW})
    assert workspace.scons().status == 2
    workspace.write({"SConstruct": SCONSTRUCT, **PLUGIN})
    assert workspace.scons().status == 0
    assert workspace.out() == before


@posix
def test_a_run_that_is_told_to_stop_is_finished_by_the_next_one(workspace: Workspace) -> None:
    workspace.write({"SConstruct": stopped_before(1), **NEW})
    assert workspace.scons().status == 2
    assert workspace.read(f"{OUT}/skills/lint/SKILL.md") == SKILL + "new\n"
    assert workspace.read(REVIEW) == COMMAND
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons().status == 0
    assert workspace.read(REVIEW) == COMMAND + "new\n"
    assert not list(workspace.folder.rglob("*.tackroom~"))


@posix
def test_going_back_after_a_run_that_was_told_to_stop(workspace: Workspace) -> None:
    before = workspace.out()
    workspace.write({"SConstruct": stopped_before(1), **NEW})
    workspace.scons()
    workspace.write({"SConstruct": SCONSTRUCT, **PLUGIN})
    assert workspace.scons().status == 0
    assert workspace.out() == before


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@posix
def test_a_killed_update_and_back_to_the_previous_lock(tmp_path: Path) -> None:
    yaml = "harnesses: [claude]\npackages:\n  kit: {git: ../repo, subdir: kit, rev: main}\n"
    repo = Workspace(tmp_path / "repo")
    git(repo.folder, "init", "-q", "-b", "main")
    git(repo.folder, "add", ".")
    git(repo.folder, "commit", "-qm", "one")
    workspace = Workspace(tmp_path / "ws", {}, yaml)
    assert workspace.scons().status == 0
    before, lock = workspace.out(), workspace.read("tackroom.lock")
    repo.write(NEW)
    git(repo.folder, "commit", "-qam", "two")
    assert workspace.scons("lock", "UPDATE=kit").status == 0
    assert workspace.read("tackroom.lock") != lock
    workspace.write({"SConstruct": killed_before(3)})
    assert workspace.scons().status == -9
    assert workspace.out() != before
    workspace.write({"SConstruct": SCONSTRUCT, "tackroom.lock": lock})
    assert workspace.scons().status == 0
    assert workspace.out() == before


@pytest.mark.parametrize("what", ["corrupt", "gone"])
def test_the_database_of_scons_decides_nothing(workspace: Workspace, what: str) -> None:
    database = workspace.folder / ".sconsign.dblite"
    workspace.write(NEW)
    workspace.scons()
    if what == "corrupt":
        database.write_bytes(b"corrupt")
    else:
        database.unlink()
    assert workspace.scons().staged == []
    workspace.write({"kit/commands/review.md": COMMAND})
    assert workspace.scons().staged == ["claude kit command/review"]


def test_a_database_from_before_makes_nothing_up_to_date(workspace: Workspace) -> None:
    database = workspace.folder / ".sconsign.dblite"
    workspace.write(NEW)
    workspace.scons()
    old = database.read_bytes()
    workspace.write(PLUGIN)
    workspace.scons()
    database.write_bytes(old)
    workspace.write(NEW)
    assert workspace.scons().staged == ["claude kit skill/lint", "claude kit command/review"]
    assert workspace.read(REVIEW) == COMMAND + "new\n"


def test_an_edit_with_the_old_size_and_time_is_an_edit(workspace: Workspace) -> None:
    target = workspace.folder / REVIEW
    known = target.stat()
    target.write_text(COMMAND.replace("Review", "Revoke"), newline="")
    os.utime(target, ns=(known.st_atime_ns, known.st_mtime_ns))
    assert target.stat().st_size == known.st_size
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "output-edited" in outcome.text


def test_a_touched_output_is_no_edit(workspace: Workspace) -> None:
    (workspace.folder / REVIEW).touch()
    outcome = workspace.scons()
    assert outcome.status == 0
    assert outcome.staged == []


def test_the_users_cache_of_derived_files_gives_back_no_deleted_output(workspace: Workspace) -> None:
    workspace.write({"SConstruct": "CacheDir('cache')\n" + SCONSTRUCT, **NEW})
    workspace.scons()
    cached = [each for each in (workspace.folder / "cache").rglob("*") if each.is_file()]
    assert [each.name for each in cached if each.read_bytes().endswith(b"new\n")] == []
    (workspace.folder / REVIEW).unlink()
    assert workspace.scons().staged == ["claude kit command/review"]
