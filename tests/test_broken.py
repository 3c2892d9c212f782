"""What goes wrong on the disk, in the user's build and in hostile packages, and what it must not cost."""

import json
import os
import shutil
from pathlib import Path

import pytest
from tackroom.packages import catalogue
from tackroom.packages.codes import PathUnusable
from tackroom.packages.findings import render, visible
from tackroom.packages.folder import read_folder
from tackroom.packages.model import File
from tackroom.packages.tree import Tree

from building import COMMAND, PLUGIN, SCONSTRUCT, SKILL, YAML, Workspace
from tackroom import checked
from tackroom.unitfile import FORMAT

STAGE = ".tackroom/stage"
OUT = f"{STAGE}/claude/kit/commands/review.md"
posix = pytest.mark.skipif(os.name != "posix", reason="needs links or modes")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


# --- somebody else's build


def test_the_users_cache_of_derived_files_never_replaces_an_edited_output(workspace: Workspace) -> None:
    workspace.write({"SConstruct": "CacheDir('cache')\n" + SCONSTRUCT})
    workspace.scons()
    (workspace.folder / OUT).write_text("mine")
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "output-edited" in outcome.text
    assert workspace.read(OUT) == "mine"


def test_the_users_default_environment_is_left_alone(workspace: Workspace) -> None:
    workspace.write({"SConstruct": SCONSTRUCT + "print('path' if DefaultEnvironment()['ENV'] else 'none')\n"})
    assert workspace.scons().lines[-3:][0] != "none"
    assert "none" not in workspace.scons().lines


# --- OUT


@pytest.mark.parametrize("out", ["a/../b", "./b", "b/"])
def test_an_out_that_is_spelled_in_a_roundabout_way(workspace: Workspace, out: str) -> None:
    assert workspace.scons(f"OUT={out}").status == 0
    assert len(workspace.out(folder="b")) == 4
    assert workspace.scons("OUT=b").staged == []


def test_an_out_beside_the_workspace(workspace: Workspace) -> None:
    assert workspace.scons("OUT=../b").staged == [
        "claude kit",
    ]
    assert len(workspace.out(folder="../b")) == 4
    assert workspace.scons("OUT=../b").staged == []


@posix
def test_an_out_that_is_a_link_to_itself_costs_no_traceback(workspace: Workspace) -> None:
    (workspace.folder / "loop").symlink_to("loop")
    outcome = workspace.scons("OUT=loop")
    assert outcome.status == 2
    assert "error: output-failed: kit:skills/lint/SKILL.md: claude: " in outcome.text
    assert "Traceback" not in outcome.text


@posix
def test_an_out_that_is_the_workspace_by_way_of_a_link_is_refused(workspace: Workspace) -> None:
    (workspace.folder.parent / "far/away").mkdir(parents=True)
    (workspace.folder / "link").symlink_to(workspace.folder.parent / "far/away")
    workspace.write({"tackroom.yaml": "out: link/..\n" + YAML})
    assert workspace.scons().lines == [
        "scons: *** tackroom.yaml:1: 'out' is 'link/..', which holds the workspace itself; "
        "choose a folder for outputs alone"
    ]


def test_outputs_inside_a_package_are_not_read_as_its_files(tmp_path: Path) -> None:
    yaml = "harnesses: [claude]\nout: stage\npackages:\n  kit: {path: .}\n"
    workspace = Workspace(tmp_path / "ws", {"SKILL.md": SKILL}, yaml)
    workspace.scons()
    staged = sorted(workspace.out(folder="stage"))
    outcome = workspace.scons()
    assert outcome.staged == []
    assert sorted(workspace.out(folder="stage")) == staged
    assert not [path for path in staged if "sconsign" in path or "stage" in path]


def test_a_package_inside_out_is_refused(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws", yaml="out: kit\n" + YAML)
    assert workspace.scons().lines == [
        "scons: *** package 'kit' lies in 'kit', where outputs go; choose another folder for outputs"
    ]


@posix
def test_cleaning_reaches_an_out_that_is_a_link(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace.folder / "out").symlink_to(tmp_path / "elsewhere")
    workspace.scons("OUT=out")
    assert workspace.scons("-c", "OUT=out").status == 0
    assert (workspace.folder / "out").is_symlink()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_cleaning_can_be_narrowed(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("[claude]", "[claude, codex]")})
    everything = workspace.scons() and workspace.out()
    assert workspace.scons("-c", "HARNESS=codex").status == 0
    assert workspace.out("codex") == {}
    assert len(workspace.out("claude")) == 4
    workspace.scons()
    assert workspace.out() == everything


def unit_file(workspace: Workspace) -> Path:
    """Return the file of the record of what is staged for one package in Claude Code."""
    return next((workspace.folder / ".tackroom/state").glob("*/units/claude.kit"))


def test_cleaning_keeps_what_only_a_record_knows_of_that_it_cannot_read(workspace: Workspace) -> None:
    workspace.write({"more/commands/x.md": COMMAND, "tackroom.yaml": YAML + "  more: {path: more}\n"})
    workspace.scons()
    record = unit_file(workspace)
    record.write_bytes(b"9" + record.read_bytes())
    name = record.relative_to(workspace.folder).as_posix()
    outcome = workspace.scons("-c")
    assert outcome.lines[0] == f"{name}: cannot be used by this version; what only it knows of stays"
    assert outcome.status == 0
    assert record.is_file()
    assert len(workspace.out("claude/kit")) == 4
    assert workspace.out("claude/more") == {}


def test_what_cannot_be_used_is_set_aside_and_said_once(workspace: Workspace) -> None:
    """Whatever it was: nothing refers to it any more, but somebody may want to look."""
    workspace.scons()
    record = unit_file(workspace).parent.parent
    (record / "units/claude.of-another-version").write_text("x")
    (record / "kept.json").write_text("x")
    said = [
        f"{each.relative_to(workspace.folder).as_posix()}: cannot be used by this version; "
        "a file that only it knows of counts as yours"
        for each in (record / "units/claude.of-another-version", record / "kept.json")
    ]
    outcome = workspace.scons()
    assert outcome.lines[:2] == said
    assert outcome.status == 0
    assert sorted(each.name for each in (record / "unusable").iterdir()) == [
        "claude.of-another-version",
        "kept.json",
    ]
    assert workspace.scons().lines == [
        "claude: 2 staged, 0 rendered, 0 findings",
        "scons: Nothing to be done for `stage'.",
    ]
    assert workspace.scons("-c").status == 0
    assert not record.exists()


@posix
def test_cleaning_removes_an_output_whose_mode_alone_was_changed(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / OUT).chmod(0o600)
    workspace.scons("-c")
    assert not (workspace.folder / STAGE).exists()


HEAD = f"{FORMAT}\nclaude/kit\nkey\ncode\ndigest\n{{}}\n0 0\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        "{}",
        HEAD.replace(FORMAT, "9", 1),
        HEAD.replace("0 0", "8 0") + 8 * "x",
        HEAD.replace("0 0", "0 9"),
        HEAD.replace("0 0", "-1 -1"),
        HEAD.replace("0 0", "a b"),
        HEAD.replace("{}", "1"),
        HEAD.replace("{}", "{"),
    ],
)
def test_a_record_that_lacks_something_counts_as_unreadable_once(workspace: Workspace, text: str) -> None:
    workspace.scons()
    record = unit_file(workspace)
    record.write_text(text)
    outcome = workspace.scons()
    name = record.relative_to(workspace.folder).as_posix()
    assert outcome.status == 0
    assert outcome.lines == [
        f"{name}: cannot be used by this version; a file that only it knows of counts as yours",
        "stage claude kit",
        "claude: 2 staged, 2 rendered, 0 findings",
    ]
    assert workspace.scons().staged == []


@pytest.mark.parametrize(
    "what",
    [
        HEAD,
        HEAD + "{}",
        HEAD + checked.text("2", b"{}").decode(),
        HEAD + checked.text(FORMAT, b"{}").decode(),
    ],
)
def test_details_that_lack_something_are_staged_anew(workspace: Workspace, what: str) -> None:
    workspace.scons()
    before = workspace.out()
    unit_file(workspace).write_text(what)
    name = unit_file(workspace).relative_to(workspace.folder).as_posix()
    outcome = workspace.scons()
    assert outcome.status == 0
    assert f"{name}: cannot be used by this version; what it says is staged anew" in outcome.lines
    assert workspace.out() == before
    assert workspace.scons().staged == []


@pytest.mark.parametrize("text", ["", "{", "[]", checked.text("2", b"{}").decode()])
def test_a_memory_that_cannot_be_used_costs_a_look_at_everything(workspace: Workspace, text: str) -> None:
    workspace.scons()
    found = next((workspace.folder / ".tackroom/state").glob("*.json"))
    found.write_text(text)
    for said in (
        [f".tackroom/state/{found.name}: cannot be used by this version; everything is looked at again"],
        [],
    ):
        assert workspace.scons().lines == [
            *said,
            "claude: 2 staged, 0 rendered, 0 findings",
            "scons: Nothing to be done for `stage'.",
        ]


# --- what stands in the way


@pytest.mark.parametrize("place", [STAGE, f"{STAGE}/claude", f"{STAGE}/claude/kit"])
def test_a_file_where_a_folder_of_outputs_belongs(workspace: Workspace, place: str) -> None:
    workspace.write({place: "theirs"})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert (
        f"error: output-in-the-way: kit:commands/review.md: claude: '{place}' is in the way and no record "
        "says that tackroom wrote it; move it or use FORCE=1" in outcome.lines
    )
    assert workspace.read(place) == "theirs"
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/in-the-way/{place}") == "theirs"
    assert len(workspace.out()) == 4


@pytest.mark.parametrize("place", [".tackroom", ".tackroom/state"])
def test_a_file_where_the_record_belongs(workspace: Workspace, place: str) -> None:
    workspace.write({place: "theirs"})
    assert workspace.scons().lines == [
        f"scons: *** '{place}' is no folder, and tackroom keeps its record there; move it"
    ]


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to_costs_nothing_else(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("claude", "claude, codex")})
    locked = workspace.folder / STAGE / "codex"
    locked.mkdir(parents=True)
    locked.chmod(0o555)
    outcome = workspace.scons()
    assert outcome.status == 2
    assert f"'{STAGE}/codex/skills/lint/SKILL.md': permission denied" in outcome.text
    assert len(workspace.out("claude")) == 4
    locked.chmod(0o755)
    workspace.write({"kit/commands/review.md": COMMAND + "More.\n"})
    assert workspace.scons().status == 0


def test_a_supporting_file_that_becomes_a_folder_and_back(workspace: Workspace) -> None:
    data = workspace.folder / "kit/skills/lint/data"
    for make in ("file", "folder", "file"):
        if data.is_dir():
            shutil.rmtree(data)
        data.unlink(missing_ok=True)
        workspace.write({f"kit/skills/lint/data{'/x' if make == 'folder' else ''}": "x"})
        assert workspace.scons().status == 0
    assert workspace.out()["claude/kit/skills/lint/data"] == b"x"


def test_an_edited_file_is_not_given_up_for_a_folder(workspace: Workspace) -> None:
    workspace.write({"kit/skills/lint/data": "x"})
    workspace.scons()
    workspace.write({f"{STAGE}/claude/kit/skills/lint/data": "mine"})
    (workspace.folder / "kit/skills/lint/data").unlink()
    workspace.write({"kit/skills/lint/data/x": "x"})
    assert workspace.scons().status == 2
    assert workspace.read(f"{STAGE}/claude/kit/skills/lint/data") == "mine"


@posix
def test_a_pipe_in_the_place_of_an_output_is_not_opened(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / OUT).unlink()
    os.mkfifo(workspace.folder / OUT)
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "output-edited" in outcome.text


# --- the report and the screen


def test_a_report_that_cannot_be_written_is_one_line(workspace: Workspace) -> None:
    problem = "JSON=kit cannot be written: is a directory"
    outcome = workspace.scons("JSON=kit")
    assert outcome.lines[-1].endswith(f"] {problem}")
    assert outcome.staged == ["claude kit"]
    workspace.scons()
    assert workspace.scons("JSON=kit").lines[-1] == f"scons: *** [stage] {problem}"


def test_a_screen_that_cannot_show_a_name_gets_it_escaped(workspace: Workspace) -> None:
    workspace.write({"kit/commands/\u65e5.md": COMMAND, "kit/rules/\u65e5.md": "x\n"})
    outcome = workspace.scons("UNFOLD=1", PYTHONIOENCODING="ascii")
    assert outcome.status == 0
    assert "stage claude kit command/\\u65e5" in outcome.lines


def test_what_a_package_says_can_neither_forge_a_line_nor_steer_a_terminal(workspace: Workspace) -> None:
    workspace.write(
        {"kit/skills/lint/SKILL.md": '---\nname: "a\\e[31m\\nerror: forged"\ndescription: x\n---\n'}
    )
    workspace.write({"tackroom.yaml": YAML.replace("claude", "codex")})
    outcome = workspace.scons()
    assert "\x1b" not in outcome.text
    assert not [line for line in outcome.lines if line.startswith("error: forged")]
    finding = PathUnusable(path="a\nerror: b", name="x", why="y", package="kit")
    assert "\n" not in render(finding)
    assert visible("a\u202eb\x85") == "a\\u202eb\\x85"


@posix
def test_a_name_that_is_no_text_has_its_place_in_the_report(workspace: Workspace) -> None:
    (workspace.folder / os.fsdecode(b"kit/commands/\xff.md")).write_bytes(b"x")
    assert workspace.scons("JSON=report.json").status == 0
    found = json.loads(workspace.read("report.json"))["findings"]
    assert [each["data"]["name"] for each in found] == ["\udcff.md"]


# --- names


@pytest.mark.parametrize("name", ["a\u200bb", "a\u00a0b", "a\u0085b"])
def test_a_catalogue_cannot_give_an_id_that_the_lock_refuses(name: str) -> None:
    text = json.dumps({"plugins": [{"name": name, "source": "./k"}, {"name": "b", "source": "./k"}]}).encode()
    tree = Tree({".claude-plugin/marketplace.json": File("x", size=len(text), load=lambda: text)})
    found = catalogue.read(tree)
    assert found is not None
    assert list(found.entries) == ["b"]
    assert [each.code for each in found.findings] == ["manifest-unreadable"]


def test_an_entry_that_cannot_be_pinned_stops_no_other(tmp_path: Path) -> None:
    odd = [
        {"name": "a", "source": "./-x"},
        {"name": "b", "source": {"source": "url", "url": "-x"}},
        {"name": "c", "source": {"source": "url", "url": "ext::sh -c id"}},
        {"name": "d", "source": {"source": "github", "repo": "o/r", "ref": "--upload-pack=x"}},
    ]
    text = json.dumps({"plugins": [*odd, {"name": "kit", "source": "./kit"}]})
    files = {f"repo/{path}": each for path, each in PLUGIN.items()}
    yaml = "harnesses: [claude]\npackages:\n  all: {path: repo, plugins: '*'}\n"
    workspace = Workspace(tmp_path / "ws", {**files, "repo/.claude-plugin/marketplace.json": text}, yaml)
    (workspace.folder / "repo/-x").mkdir()
    outcome = workspace.scons()
    assert outcome.status == 0
    assert "claude all.kit" in outcome.staged
    assert [line.split(": ", 3)[3] for line in outcome.lines if "entry-skipped" in line] == [
        "plugin 'a': subdir: '-x' starts with '-'; skipped",
        "plugin 'b': git: '-x' starts with '-'; skipped",
        "plugin 'c': git: 'ext::sh -c id' names a program to run; use a url or a path; skipped",
        "plugin 'd': rev: '--upload-pack=x' starts with '-'; skipped",
    ]


def test_two_names_that_differ_in_normal_form_only_are_one() -> None:
    tree = Tree({"s/e\u0301": File("x"), "s/\u00e9": File("y")})
    assert len([each for each in tree.walk("s") if not hasattr(each, "file")]) == 1


def test_an_absolute_context_file_is_not_staged(tmp_path: Path) -> None:
    extension = json.dumps({"name": "kit", "contextFileName": "/notes.md"})
    files = {"kit/gemini-extension.json": extension, "kit/notes.md": "x", "kit/commands/a.md": "Hello.\n"}
    workspace = Workspace(tmp_path / "ws", files, YAML.replace("claude", "gemini"))
    outcome = workspace.scons()
    assert outcome.status == 0
    assert "'/notes.md' does not exist in the package; skipped" in outcome.text


def test_scons_own_database_is_no_file_of_a_package(tmp_path: Path) -> None:
    for name in (".sconsign.dblite", ".sconsign_sha256.dblite", "x"):
        (tmp_path / name).write_text("x")
    assert list(read_folder(tmp_path).nodes) == ["x"]


def test_a_package_that_changes_between_reading_and_staging_costs_itself_alone(tmp_path: Path) -> None:
    more = {f"more/{path.partition('/')[2]}": text for path, text in PLUGIN.items()}
    late = SCONSTRUCT + "open('kit/commands/review.md', 'a').write('Late.\\n')\n"
    workspace = Workspace(tmp_path / "ws", {**PLUGIN, **more}, YAML + "  more: {path: more}\n")
    workspace.scons()
    before = workspace.out()
    shutil.rmtree(workspace.folder / STAGE)
    workspace.write({"SConstruct": late})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "Traceback" not in outcome.text
    assert "error: output-failed: kit: claude: 'kit': " in outcome.text
    assert len(workspace.out("claude/more")) == 4
    workspace.write({"SConstruct": SCONSTRUCT, **PLUGIN})
    assert workspace.scons().status == 0
    assert workspace.out() == before


# --- folders that were there before


def test_folders_that_staging_did_not_make_stay(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    (workspace.folder / "mine/claude/kit/commands").mkdir(parents=True)
    assert workspace.scons("OUT=mine").status == 0
    (workspace.folder / "kit/commands/review.md").unlink()
    assert workspace.scons("OUT=mine").status == 0
    assert (workspace.folder / "mine/claude/kit/commands").is_dir()
    assert workspace.scons("-c", "OUT=mine").status == 0
    found = sorted(
        each.relative_to(workspace.folder).as_posix() for each in workspace.folder.glob("mine/**/*")
    )
    assert found == ["mine/claude", "mine/claude/kit", "mine/claude/kit/commands"]


def test_folders_that_staging_made_go(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws")
    workspace.scons("OUT=mine/deep")
    (workspace.folder / "kit/commands/review.md").unlink()
    workspace.scons("OUT=mine/deep")
    assert not (workspace.folder / "mine/deep/claude/kit/commands").exists()
    workspace.scons("-c", "OUT=mine/deep")
    assert not (workspace.folder / "mine/deep").exists()
