"""A record that somebody damaged costs a look at everything, never a traceback and never an output."""

import os
import shutil
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SCONSTRUCT, SKILL, Workspace
from faults import failing_at

STAGE = ".tackroom/stage"
KIT = f"{STAGE}/claude/kit"
GUEST = """\
import tackroom
DefaultEnvironment(tools=[])
env = Environment(tools=[tackroom.tool])
staged = env.Stage("tackroom.yaml")
env.Command("agents.txt", staged["claude"], Copy("$TARGET", "$SOURCE"))
env.Command("other.txt", [], Touch("$TARGET"))
"""
IDLE = "scons: Nothing to be done for `stage'."


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Return one in which everything is staged, and an edited file that left the plan is kept."""
    made = Workspace(tmp_path_factory.mktemp("staged") / "ws", {**PLUGIN, "kit/commands/x.md": COMMAND})
    made.scons()
    made.write({f"{KIT}/commands/x.md": "edited by hand"})
    (made.folder / "kit/commands/x.md").unlink()
    assert made.scons().status == 2
    return made


def parts(workspace: Workspace) -> list[str]:
    """Return everything below the folder of states, its folders too."""
    state = workspace.folder / ".tackroom/state"
    return sorted(each.relative_to(workspace.folder).as_posix() for each in state.rglob("*"))


def damage(path: Path, how: str) -> None:
    if how == "gone":
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    elif how == "folder":
        path.unlink()
        (path / "x").mkdir(parents=True)
    elif how == "file":
        shutil.rmtree(path)
        path.write_bytes(b"x")
    else:
        raw = path.read_bytes()
        path.write_bytes({"empty": b"", "cut": raw[: len(raw) // 2], "other": raw.replace(b"1", b"[")}[how])


def ways(path: Path) -> tuple[str, ...]:
    """Return what may be done to a part; the second is always tried, the others in turns."""
    return ("gone", "file") if path.is_dir() else ("gone", "folder", "empty", "cut", "other")


@pytest.mark.parametrize("sconstruct", [SCONSTRUCT, GUEST], ids=["own", "guest"])
def test_whatever_is_damaged_nothing_is_lost_and_nobody_sees_a_traceback(
    staged: Workspace, tmp_path: Path, sconstruct: str
) -> None:
    copy, wanted = tmp_path / "ws", {**staged.out()}
    for number, part in enumerate(parts(staged)):
        possible = ways(staged.folder / part)
        for how in {possible[number % len(possible)], possible[1]}:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(staged.folder, copy, symlinks=True)
            workspace = Workspace(copy, {"SConstruct": sconstruct})
            (copy / ".sconsign.dblite").unlink(missing_ok=True)
            damage(copy / part, how)
            outcome = workspace.scons(*(["agents.txt"] if sconstruct == GUEST else []))
            assert "Traceback" not in outcome.text, (part, how)
            assert workspace.out() == wanted, (part, how, outcome.text)
            if sconstruct == GUEST and how in ("folder", "file"):
                assert workspace.scons("other.txt").status == 0, (part, how)


@pytest.mark.parametrize(
    "part", ["units", "units/claude.kit", "kept.json", "claude.stamp", "folders", "packages"]
)
def test_a_part_that_is_gone_or_garbage_is_made_again(tmp_path: Path, part: str) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    record = next((workspace.folder / ".tackroom/state").glob("*/units")).parent
    for how in ("garbage", "gone"):
        path = record / part
        if how == "gone":
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        elif not path.is_dir():
            path.write_bytes(b"garbage")
        assert workspace.scons().status == 0
        assert len(workspace.out()) == 4
        assert workspace.scons().lines[-1] == IDLE


@pytest.mark.parametrize("place", [".tackroom", ".tackroom/state"])
def test_a_file_where_the_record_of_a_guest_belongs(tmp_path: Path, place: str) -> None:
    workspace = Workspace(tmp_path / "ws", {**PLUGIN, "SConstruct": GUEST, place: "theirs"})
    for more in ([], ["-c"]):
        assert workspace.scons(*more, "other.txt").status == 0
    outcome = workspace.scons("agents.txt")
    assert outcome.status == 2
    assert outcome.lines[-1] == (
        f"scons: *** [tackroom.yaml: claude] '{place}' is no folder, and tackroom keeps its record there; "
        "move it"
    )
    assert workspace.read(place) == "theirs"


@pytest.mark.parametrize("cut", [0, 40])
def test_a_changed_output_that_no_record_vouches_for_any_more_counts_as_the_users(
    tmp_path: Path, cut: int
) -> None:
    """Nothing tells it from a file of the user's, so it is neither overwritten nor lost."""
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    record = next((workspace.folder / ".tackroom/state").glob("*/units/claude.kit"))
    record.write_bytes(record.read_bytes()[:cut])
    workspace.write({"kit/commands/review.md": "New.\n"})
    outcome = workspace.scons()
    shown = f"{KIT}/commands/review.md"
    assert outcome.lines[0] == (
        f"{record.relative_to(workspace.folder).as_posix()}: cannot be used by this version; "
        "a file that only it knows of counts as yours"
    )
    assert f"'{shown}' is in the way and no record says that tackroom wrote it; move it" in outcome.text
    assert workspace.read(shown) == COMMAND
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/in-the-way/{shown}") == COMMAND
    assert workspace.read(shown) == "New.\n"
    assert workspace.scons().lines[-1] == IDLE


def test_a_changed_output_stays_ours_where_only_the_details_of_its_record_are_damaged(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    record = next((workspace.folder / ".tackroom/state").glob("*/units/claude.kit"))
    record.write_bytes(record.read_bytes()[:-9])
    workspace.write({"kit/commands/review.md": "New.\n"})
    outcome = workspace.scons()
    assert (outcome.status, workspace.read(f"{KIT}/commands/review.md")) == (0, "New.\n"), outcome.text
    assert outcome.lines[0].endswith(": cannot be used by this version; what it says is staged anew")


# --- a stamp that is not of what is staged


@pytest.fixture
def guest(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path / "ws", {**PLUGIN, "SConstruct": GUEST})
    assert made.scons("agents.txt").status == 0
    return made


def test_a_consumer_sees_what_a_run_that_failed_for_a_warning_staged(guest: Workspace) -> None:
    before = guest.read("agents.txt")
    guest.write({"kit/rules/style.md": "Be brief.\n"})
    strict = GUEST.replace('yaml")', 'yaml", strict=True)')
    guest.write({"SConstruct": strict})
    assert guest.scons("agents.txt").status == 2
    guest.write({"SConstruct": GUEST})
    assert guest.scons("agents.txt").status == 0
    assert guest.read("agents.txt") != before


def test_a_consumer_sees_what_a_run_staged_that_could_not_write_the_stamp(guest: Workspace) -> None:
    before = guest.read("agents.txt")
    guest.write({"kit/commands/review.md": "New.\n", "SConstruct": failing_at("claude.stamp", "EACCES")})
    assert guest.scons().lines[-1].endswith("/claude.stamp] permission denied")
    guest.write({"SConstruct": GUEST})
    assert guest.scons("agents.txt").status == 0
    assert guest.read("agents.txt") != before


def test_a_run_says_nothing_is_to_be_done_only_where_its_stamps_are_right(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    stamp = next((workspace.folder / ".tackroom/state").glob("*/claude.stamp"))
    right = stamp.read_bytes()
    stamp.write_bytes(b"0" * 32 + b"\n")
    assert IDLE not in workspace.scons().lines
    assert stamp.read_bytes() == right
    assert IDLE in workspace.scons().lines


# --- a folder of outputs that is a link now


@pytest.mark.parametrize("which", [f"{STAGE}/claude", KIT])
@pytest.mark.parametrize("target", [["-c"], []])
def test_a_folder_of_outputs_that_became_a_link_is_in_the_way(
    tmp_path: Path, which: str, target: list[str]
) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    link, moved = workspace.folder / which, workspace.folder / "elsewhere"
    link.rename(moved)
    try:
        link.symlink_to(moved, target_is_directory=True)
    except OSError:
        pytest.skip("this system gives no right to make links")
    before = sorted(each.name for each in moved.rglob("*"))
    outcome = workspace.scons(*target)
    if target:
        assert f"kept {KIT}/skills/lint/SKILL.md: its folder is a link now" in outcome.lines
    else:
        assert outcome.status == 2
        assert (
            f"'{which}' is in the way and no record says that tackroom wrote it; move it or use FORCE=1"
            in outcome.text
        )
    assert sorted(each.name for each in moved.rglob("*")) == before
    link.unlink()
    moved.rename(link)
    assert workspace.scons().status == 0
    assert workspace.scons().lines[-1] == IDLE
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / STAGE).exists()


def test_no_backup_goes_through_a_link_that_was_moved_to_the_backups(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    theirs = workspace.folder / "theirs"
    theirs.mkdir()
    for link in (f"{STAGE}/claude", KIT, f"{KIT}/commands"):
        shutil.rmtree(workspace.folder / link)
        try:
            (workspace.folder / link).symlink_to(theirs, target_is_directory=True)
        except OSError:
            pytest.skip("this system gives no right to make links")
        workspace.write({"kit/commands/review.md": f"{link}\n"})
        assert workspace.scons("FORCE=1").status == 0
        assert list(theirs.iterdir()) == []
        assert workspace.scons().lines[-1] == IDLE
    moved = workspace.folder / ".backups/in-the-way/.tackroom/stage"
    for each in ("claude", "claude.1/kit", "claude.1/kit.1/commands"):
        assert (moved / each).is_symlink()


def test_verify_sees_a_link_wherever_it_is(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    link, moved = workspace.folder / KIT / "skills/lint", workspace.folder / "elsewhere"
    link.rename(moved)
    try:
        link.symlink_to(moved, target_is_directory=True)
    except OSError:
        pytest.skip("this system gives no right to make links")
    outcome = workspace.scons("VERIFY=1")
    assert f"'{KIT}/skills/lint' is in the way and no record says that tackroom wrote it" in outcome.text
    assert (moved / "SKILL.md").read_text() == SKILL


# --- a disk that may only be read

READ_ONLY = (
    """\
import errno, os
access, create = os.access, os.open
os.access = lambda path, mode: "{0}" not in str(path) and access(path, mode)
def refused(path, flags, *more, **named):
    if "{0}" in str(path) and flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return create(path, flags, *more, **named)
os.open = refused
"""
    + SCONSTRUCT
)


def test_a_record_that_may_only_be_read_is_no_matter_where_the_outputs_are_right(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    shutil.copytree(workspace.folder / STAGE, workspace.folder / "copy")  # so every stat is another one
    shutil.rmtree(workspace.folder / STAGE)
    (workspace.folder / "copy").rename(workspace.folder / STAGE)
    workspace.write({"SConstruct": READ_ONLY.format(".tackroom/state")})
    outcome = workspace.scons()
    assert outcome.lines == ["claude: 2 staged, 0 rendered, 0 findings", IDLE]


def test_a_dry_run_says_what_it_would_stage_be_it_possible_or_not(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    workspace.write({"kit/commands/review.md": "New.\n", "SConstruct": READ_ONLY.format(STAGE)})
    assert workspace.scons("-n").staged == ["claude kit command/review"]
    assert workspace.read(f"{KIT}/commands/review.md") == COMMAND


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("is_linked", [False, True])
def test_no_run_waits_for_a_pipe_in_place_of_an_output(tmp_path: Path, is_linked: bool) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    output, pipe = workspace.folder / KIT / "commands/review.md", workspace.folder / "pipe"
    output.unlink()
    os.mkfifo(pipe if is_linked else output)
    if is_linked:
        output.symlink_to(pipe)
    assert workspace.scons("-n").staged == ["claude kit command/review"]
    assert workspace.scons("-q").status == 1
    assert f"'{KIT}/commands/review.md' was edited by hand; kept" in workspace.scons().text
    assert f"kept {KIT}/commands/review.md: it was edited by hand" in workspace.scons("-c").lines
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.scons().lines[-1] == IDLE


UNREADABLE = (
    """\
import pathlib
read = pathlib.Path.read_bytes
def refused(path):
    if path.match("stage/*/*/*/review.md"):
        raise PermissionError(13, "Permission denied")
    return read(path)
pathlib.Path.read_bytes = refused
"""
    + SCONSTRUCT
)


def test_cleaning_keeps_an_output_that_cannot_be_read(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    (workspace.folder / KIT / "commands/review.md").touch()
    workspace.write({"SConstruct": UNREADABLE})
    outcome = workspace.scons("-c")
    assert f"kept {KIT}/commands/review.md: it cannot be read: permission denied" in outcome.lines
    assert workspace.out() == {"claude/kit/commands/review.md": COMMAND.encode()}
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons("-c").status == 0
    assert workspace.out() == {}


def test_an_output_that_cannot_be_read_costs_nothing_else(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons()
    (workspace.folder / KIT / "commands/review.md").touch()
    workspace.write({"SConstruct": UNREADABLE, "kit/skills/lint/SKILL.md": SKILL + "New.\n"})
    outcome = workspace.scons()
    assert outcome.status == 2
    shown = f"{KIT}/commands/review.md"
    assert f"claude: '{shown}': permission denied" in outcome.text
    assert workspace.read(f"{KIT}/skills/lint/SKILL.md") == SKILL + "New.\n"
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons().status == 0
    assert workspace.scons().lines[-1] == IDLE


def test_a_unit_whose_details_are_damaged_and_that_leaves_the_plan_leaves_no_orphans(tmp_path: Path) -> None:
    yaml = "harnesses: [claude]\npackages:\n  kit: {path: kit}\n"
    workspace = Workspace(
        tmp_path / "ws", {**PLUGIN, "more/commands/x.md": COMMAND}, yaml + "  more: {path: more}\n"
    )
    workspace.scons()
    record = next((workspace.folder / ".tackroom/state").glob("*/units/claude.more"))
    record.write_bytes(record.read_bytes()[:-9])
    workspace.write({"tackroom.yaml": yaml})
    assert workspace.scons().status == 0
    assert workspace.out("claude/more") == {}
    assert (record.parent.parent / "unusable/claude.more").is_file()
    assert workspace.scons().lines[-1] == IDLE
