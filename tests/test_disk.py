"""Disks that fail: one clear line, nothing is half written, the rest is staged, the next run repairs."""

import os
import time
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SCONSTRUCT, SKILL, Repository, Workspace
from faults import failing_at
from tackroom.atomic import beside

resource = pytest.importorskip("resource")

OUT = ".tackroom/stage/claude/kit"
RECORD = ".tackroom/state/2742638427ff7830"  # by what OUT is called
FAILED = (
    f"scons: *** [{RECORD}/claude.stamp] some outputs could not be staged; the errors above say which and why"
)
LIMITED = f"import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, ({{0}}, {{0}}))\n{SCONSTRUCT}"
NEW = {path: text + "new\n" for path, text in PLUGIN.items() if path.endswith((".md", ".sh"))}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return what a run in which nothing fails stages, once everything is ``NEW``."""
    made = Workspace(tmp_path_factory.mktemp("whole"), {**PLUGIN, **NEW})
    made.scons()
    return made.out()


def fails(workspace: Workspace, sconstruct: str) -> list[str]:
    """Run with a fault, and return what was said; what is there must be whole."""
    workspace.write({"SConstruct": sconstruct})
    outcome = workspace.scons()
    workspace.write({"SConstruct": SCONSTRUCT})
    assert outcome.status == 2
    assert outcome.lines.pop() == FAILED
    assert not list(workspace.folder.rglob("*.tackroom~"))
    return outcome.lines[:-1]


def repairs(workspace: Workspace, whole: dict[str, bytes]) -> None:
    """Run without the fault, which puts everything in order and leaves nothing to do."""
    assert workspace.scons().status == 0
    assert workspace.out() == whole
    assert workspace.scons().lines[-1] == "scons: Nothing to be done for `stage'."


def test_a_disk_without_room_for_one_file_takes_the_others(workspace: Workspace) -> None:
    workspace.write({"kit/skills/lint/data.txt": "x" * (1 << 17)})
    assert fails(workspace, LIMITED.format(1 << 16)) == [
        "stage claude kit",
        f"error: output-failed: kit:skills/lint/SKILL.md: claude: '{OUT}/skills/lint/data.txt': "
        "file too large",
        "claude: 1 staged, 1 rendered, 1 finding",
    ]
    assert set(workspace.out("claude/kit")) == {
        ".claude-plugin/plugin.json",
        "commands/review.md",
        "skills/lint/SKILL.md",
        "skills/lint/run.sh*",
    }
    assert workspace.scons().staged == ["claude kit skill/lint"]
    assert len(workspace.out()["claude/kit/skills/lint/data.txt"]) == 1 << 17


def test_a_full_disk_costs_no_output_that_was_there(workspace: Workspace, whole: dict[str, bytes]) -> None:
    workspace.scons()
    before = workspace.out()
    workspace.write(NEW)
    assert fails(workspace, failing_at(f"{OUT}/", "ENOSPC", "open")) == [
        "stage claude kit skill/lint",
        "stage claude kit command/review",
        f"error: output-failed: kit:commands/review.md: claude: '{OUT}/commands/review.md': "
        "no space left on device",
        f"error: output-failed: kit:skills/lint/SKILL.md: claude: '{OUT}/skills/lint/SKILL.md': "
        "no space left on device",
        f"error: output-failed: kit:skills/lint/SKILL.md: claude: '{OUT}/skills/lint/run.sh': "
        "no space left on device",
        "claude: 0 staged, 0 rendered, 3 findings",
    ]
    assert workspace.out() == before
    repairs(workspace, whole)


def test_a_record_that_finds_no_room_costs_no_output(workspace: Workspace, whole: dict[str, bytes]) -> None:
    workspace.scons()
    workspace.write(NEW)
    assert fails(workspace, failing_at(f"{RECORD}/units/", "ENOSPC", "open")) == [
        "stage claude kit skill/lint",
        "stage claude kit command/review",
        f"error: output-failed: claude: '{RECORD}': no space left on device",
        "claude: 2 staged, 2 rendered, 1 finding",
    ]
    assert workspace.out() == whole
    repairs(workspace, whole)


def test_what_no_record_says_is_still_ours_when_other_inputs_come(workspace: Workspace) -> None:
    workspace.scons()
    before = workspace.out()
    workspace.write(NEW)
    fails(workspace, failing_at(f"{RECORD}/units/", "ENOSPC", "open"))
    workspace.write(PLUGIN)
    repairs(workspace, before)


def test_on_a_disk_that_is_full_altogether_nothing_is_written_that_is_not_noted(workspace: Workspace) -> None:
    """SCons' own database finds no room then either, and says so in its own way."""
    workspace.write({"SConstruct": LIMITED.format(16)})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert outcome.lines[:8] == [
        "stage claude kit",
        f"error: output-failed: '{RECORD}': file too large",
        f"error: output-failed: claude: '{RECORD}': file too large",
        f"error: output-failed: kit: claude: '{RECORD}/journal': file too large",
        f"error: output-failed: kit:commands/review.md: claude: '{RECORD}/journal': file too large",
        f"error: output-failed: kit:skills/lint/SKILL.md: claude: '{RECORD}/journal': file too large",
        "claude: 0 staged, 0 rendered, 1 finding",
        "packages: 1 read, 1 finding",
    ]
    assert workspace.out() == {}
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons().status == 0
    assert len(workspace.out()) == 4


def test_what_cannot_be_noted_is_not_written(workspace: Workspace) -> None:
    (workspace.folder / RECORD / "journal").mkdir(parents=True)
    outcome = workspace.scons()
    assert outcome.status == 2
    assert (
        f"error: output-failed: kit:commands/review.md: claude: '{RECORD}/journal': is a directory"
        in outcome.lines
    )
    assert workspace.out() == {}


def test_a_file_that_another_program_has_open_stays_as_it_is(
    workspace: Workspace, whole: dict[str, bytes]
) -> None:
    """Windows does not let such a file be replaced."""
    workspace.scons()
    workspace.write(NEW)
    assert fails(workspace, failing_at("review.md", "EACCES")) == [
        "stage claude kit skill/lint",
        "stage claude kit command/review",
        f"error: output-failed: kit:commands/review.md: claude: '{OUT}/commands/review.md': "
        "permission denied",
        "claude: 1 staged, 1 rendered, 1 finding",
    ]
    assert workspace.read(f"{OUT}/commands/review.md") == COMMAND
    assert workspace.read(f"{OUT}/skills/lint/SKILL.md") == SKILL + "new\n"
    repairs(workspace, whole)


def test_a_file_that_cannot_be_taken_away_is_taken_away_later(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / "kit/commands/review.md").unlink()
    assert fails(workspace, failing_at("review.md", "EACCES", "unlink")) == [
        f"error: output-failed: '{OUT}/commands/review.md': permission denied",
        "claude: 1 staged, 0 rendered, 0 findings",
        "packages: 1 read, 1 finding",
    ]
    assert workspace.scons().status == 0
    assert not (workspace.folder / OUT / "commands").exists()


def test_a_stamp_that_cannot_be_written_is_one_line(workspace: Workspace) -> None:
    workspace.write({"SConstruct": failing_at("claude.stamp", "EACCES")})
    assert workspace.scons().lines[-1] == f"scons: *** [{RECORD}/claude.stamp] permission denied"
    workspace.write({"SConstruct": SCONSTRUCT})
    assert workspace.scons().status == 0
    assert (workspace.folder / RECORD / "claude.stamp").is_file()


@pytest.mark.parametrize("inside", ["", "/notes.txt"])
def test_a_folder_where_an_output_belongs_is_in_the_way(workspace: Workspace, inside: str) -> None:
    folder = f"{OUT}/commands/review.md"
    workspace.write({f"{folder}/x{inside}": "theirs"})
    outcome = workspace.scons()
    assert outcome.lines[1:] == [
        f"error: output-in-the-way: kit:commands/review.md: claude: '{folder}' is in the way and no record "
        "says that tackroom wrote it; move it or use FORCE=1",
        "claude: 1 staged, 1 rendered, 1 finding",
        FAILED,
    ]
    assert workspace.read(f"{folder}/x{inside}") == "theirs"
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/in-the-way/{folder}/x{inside}") == "theirs"
    assert workspace.read(folder) == COMMAND


RAISING = """\
from tackroom.harnesses.claude.writer import WRITE
def command(order):
    raise ValueError("nobody thought of this")
WRITE["command", "command"] = command
"""


def test_a_writer_that_raises_costs_its_artifact_alone(workspace: Workspace) -> None:
    assert fails(workspace, RAISING + SCONSTRUCT) == [
        "stage claude kit",
        f"error: output-failed: kit:commands/review.md: claude: '{OUT}/commands/review.md': "
        "ValueError: nobody thought of this",
        "claude: 1 staged, 1 rendered, 1 finding",
    ]
    assert "kit/skills/lint/SKILL.md" in workspace.out("claude")
    assert workspace.scons().staged == ["claude kit command/review"]
    assert workspace.read(f"{OUT}/commands/review.md") == COMMAND


def test_a_writer_that_raises_leaves_what_was_staged_before(workspace: Workspace) -> None:
    workspace.scons()
    before = workspace.out()
    workspace.write({"kit/commands/review.md": "New.\n"})
    assert len(fails(workspace, RAISING + SCONSTRUCT)) == 3
    assert workspace.out() == before
    assert workspace.scons().status == 0
    assert workspace.read(f"{OUT}/commands/review.md") == "New.\n"


@pytest.mark.parametrize("path", ["tackroom.lock", "report.json"])
def test_what_a_killed_run_left_beside_a_file_of_the_users_is_taken_away(tmp_path: Path, path: str) -> None:
    """But not what another process may be writing just now."""
    repository = Repository(tmp_path / "remote", {"commands/x.md": COMMAND})
    yaml = f"harnesses: [claude]\npackages:\n  kit: {{git: {repository.folder.as_uri()}}}\n"
    workspace = Workspace(tmp_path / "ws", {}, yaml)
    for process, seconds in ((1, 3600), (2, 0)):
        left = beside(workspace.folder / path, process)
        left.write_bytes(b"half")
        os.utime(left, (time.time() - seconds,) * 2)
    assert workspace.scons("JSON=report.json").status == 0
    assert [each.name for each in workspace.folder.glob(".*~")] == [f".{path}.2.tackroom~"]


@pytest.mark.skipif(os.name == "nt", reason="umask is POSIX")
def test_nobody_else_may_write_to_a_folder_of_outputs_whatever_the_umask(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    umask = os.umask(0)
    try:
        workspace.scons()
    finally:
        os.umask(umask)
    folders = [each for each in (workspace.folder / ".tackroom/stage/claude").rglob("*") if each.is_dir()]
    assert {each.stat().st_mode & 0o777 for each in folders} == {0o755}
