import os
import shutil
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SKILL, YAML, Workspace

STYLE = "kit/skills/style/SKILL.md"
CONTENDER = {STYLE: SKILL.replace("lint", "style")}
COMMAND_OUT = ".tackroom/stage/claude/kit/commands/review.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def stamps(workspace: Workspace) -> dict[str, tuple[int, int]]:
    """Return when each output was written, and as which file."""
    root = workspace.folder / ".tackroom/stage"
    return {
        str(each): (each.stat().st_mtime_ns, each.stat().st_ino) for each in root.rglob("*") if each.is_file()
    }


def test_a_first_run_stages_everything_and_says_what_it_did(workspace: Workspace) -> None:
    outcome = workspace.scons("stage")
    assert outcome.status == 0
    assert outcome.lines == [
        "stage claude kit",
        "claude: 2 staged, 2 rendered, 0 findings",
    ]
    assert workspace.out("claude") == {
        "kit/.claude-plugin/plugin.json": b'{"name": "kit", "version": "1.0.0"}\n',
        "kit/commands/review.md": COMMAND.encode(),
        "kit/skills/lint/SKILL.md": SKILL.encode(),
        "kit/skills/lint/run.sh*": b"#!/bin/sh\n",
    }


def test_stage_is_the_default_target(workspace: Workspace) -> None:
    assert workspace.scons().staged == ["claude kit"]


def test_with_nothing_to_do_nothing_is_written(workspace: Workspace) -> None:
    workspace.scons()
    before = stamps(workspace)
    records = [*(workspace.folder / ".tackroom/state").iterdir(), workspace.folder / ".sconsign.dblite"]
    written = [each.stat().st_mtime_ns for each in records]
    outcome = workspace.scons()
    assert outcome.lines == [
        "claude: 2 staged, 0 rendered, 0 findings",
        "scons: Nothing to be done for `stage'.",
    ]
    assert stamps(workspace) == before
    assert written == [each.stat().st_mtime_ns for each in records]


def test_only_what_changed_is_staged(workspace: Workspace) -> None:
    workspace.scons()
    before = stamps(workspace)
    workspace.write({"kit/commands/review.md": COMMAND + "More.\n"})
    assert workspace.scons().staged == ["claude kit command/review"]
    changed = [path for path, each in stamps(workspace).items() if before[path] != each]
    assert [Path(path).name for path in changed] == ["review.md"]


def test_a_supporting_file_and_its_mode_are_seen(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / "kit/skills/lint/run.sh").chmod(0o644)
    assert workspace.scons().staged == ["claude kit skill/lint"]
    assert "kit/skills/lint/run.sh" in workspace.out("claude")


def test_a_name_that_becomes_contested_and_free_again(workspace: Workspace) -> None:
    workspace.write({"kit/rules/style.md": "Be brief.\n"})
    workspace.scons()
    before = sorted(workspace.out("claude"))
    workspace.write(CONTENDER)
    outcome = workspace.scons()
    assert outcome.staged == ["claude kit skill/style", "claude kit skill/style-rule"]
    assert (
        "warning: name-taken: kit:rules/style.md: claude: skill 'style' exists; staged as 'style-rule'"
        in outcome.lines
    )
    assert workspace.read(".tackroom/stage/claude/kit/skills/style/SKILL.md") == CONTENDER[STYLE]
    (workspace.folder / STYLE).unlink()
    assert workspace.scons().staged == ["claude kit skill/style"]
    assert sorted(workspace.out("claude")) == before


def test_what_has_a_contested_name_is_said_as_it_is_now(workspace: Workspace) -> None:
    said = "warning: name-taken: kit:skills/lint/SKILL.md: grok: {} 'lint' of 'workspace' exists"
    workspace.write({"tackroom.yaml": YAML.replace("claude", "grok"), ".agents/commands/lint.md": COMMAND})
    workspace.scons()
    assert said.format("command") in workspace.scons("FINDINGS=all").text
    (workspace.folder / ".agents/commands/lint.md").unlink()
    workspace.write({".agents/skills/lint/SKILL.md": SKILL})
    outcome = workspace.scons()
    assert "grok kit skill/lint-kit" in outcome.staged
    assert said.format("skill") in outcome.text


def test_contenders_depend_on_the_node_of_their_name(workspace: Workspace) -> None:
    workspace.write({"kit/rules/style.md": "Be brief.\n", **CONTENDER})
    outcome = workspace.scons("-n", "UNFOLD=1", "--tree=all", "stage")
    assert outcome.text.count("kit rules/style.md style-rule") >= 2


def test_a_package_that_leaves_takes_its_outputs_and_folders_along(workspace: Workspace) -> None:
    workspace.write({"more/commands/other.md": COMMAND, "tackroom.yaml": YAML + "  more: {path: more}\n"})
    workspace.scons()
    assert (workspace.folder / ".tackroom/stage/claude/more").is_dir()
    workspace.write({"tackroom.yaml": YAML})
    assert workspace.scons().status == 0
    assert not (workspace.folder / ".tackroom/stage/claude/more").exists()


def test_the_repositorys_own_artifacts_are_the_first_package(workspace: Workspace) -> None:
    workspace.write({".agents/skills/lint/SKILL.md": SKILL, "tackroom.yaml": YAML.replace("claude", "codex")})
    outcome = workspace.scons("UNFOLD=1")
    assert outcome.staged[:2] == ["codex workspace skill/lint", "codex kit skill/lint-kit"]
    assert workspace.read(".tackroom/stage/codex/skills/lint/SKILL.md") == SKILL


def test_a_file_for_tackroom_that_is_not_read_yet_is_said(workspace: Workspace) -> None:
    workspace.write({".team/config.json": "{}"})
    assert (
        "warning: not-read: workspace:.team/config.json: is not read by this version; "
        "what it says has no effect" in workspace.scons().lines
    )


# --- what is not ours


def test_an_edited_output_is_kept_and_fails_the_run(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / COMMAND_OUT).write_text("mine")
    workspace.write({"kit/skills/lint/SKILL.md": SKILL + "More.\n"})
    outcome = workspace.scons("-k")
    assert outcome.status == 2
    assert (
        f"error: output-edited: kit:commands/review.md: claude: '{COMMAND_OUT}' was edited by hand; "
        "kept, move the edit to the package or use FORCE=1" in outcome.lines
    )
    assert workspace.read(COMMAND_OUT) == "mine"
    assert workspace.read(".tackroom/stage/claude/kit/skills/lint/SKILL.md").endswith("More.\n")
    assert workspace.scons().status == 2


def test_force_moves_an_edited_output_to_the_backups(workspace: Workspace) -> None:
    workspace.scons()
    for edit, backup in (("first", ""), ("second", ".1")):
        (workspace.folder / COMMAND_OUT).write_text(edit)
        assert workspace.scons("FORCE=1").status == 0
        assert workspace.read(f".backups/edited/{COMMAND_OUT}{backup}") == edit
    assert workspace.read(COMMAND_OUT) == COMMAND


def test_a_file_that_was_there_before_is_never_overwritten(workspace: Workspace) -> None:
    workspace.write({COMMAND_OUT: "theirs"})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert (
        f"error: output-in-the-way: kit:commands/review.md: claude: '{COMMAND_OUT}' is in the way and "
        "no record says that tackroom wrote it; move it or use FORCE=1" in outcome.lines
    )
    assert workspace.read(COMMAND_OUT) == "theirs"
    assert workspace.scons("FORCE=1").status == 0
    assert workspace.read(f".backups/in-the-way/{COMMAND_OUT}") == "theirs"


def test_a_file_with_the_right_bytes_is_adopted(workspace: Workspace) -> None:
    workspace.write({COMMAND_OUT: COMMAND})
    before = (workspace.folder / COMMAND_OUT).stat().st_ino
    assert workspace.scons().status == 0
    assert (workspace.folder / COMMAND_OUT).stat().st_ino == before


def test_a_folder_that_became_a_link_is_not_followed(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (workspace.folder / ".tackroom/stage/claude").mkdir(parents=True)
    (workspace.folder / ".tackroom/stage/claude/kit").symlink_to(tmp_path / "elsewhere")
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "output-in-the-way" in outcome.text
    assert not list((tmp_path / "elsewhere").iterdir())


def test_an_edited_output_that_left_the_plan_is_kept_and_said_again(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / COMMAND_OUT).write_text("mine")
    (workspace.folder / "kit/commands/review.md").unlink()
    for _ in range(2):
        outcome = workspace.scons()
        assert outcome.status == 2
        assert "output-edited" in outcome.text
    assert workspace.read(COMMAND_OUT) == "mine"
    (workspace.folder / COMMAND_OUT).unlink()
    assert workspace.scons().status == 0


def test_a_deleted_or_wrongly_moded_output_is_put_back(workspace: Workspace) -> None:
    workspace.scons()
    (workspace.folder / COMMAND_OUT).unlink()
    (workspace.folder / ".tackroom/stage/claude/kit/skills/lint/run.sh").chmod(0o600)
    assert workspace.scons().staged == ["claude kit skill/lint", "claude kit command/review"]
    assert "kit/skills/lint/run.sh*" in workspace.out("claude")


# --- runs that never came to their end


def test_what_was_staged_but_never_sealed_is_still_ours(workspace: Workspace) -> None:
    workspace.scons("UNFOLD=1", COMMAND_OUT)
    workspace.write({"kit/commands/review.md": "New.\n"})
    assert workspace.scons().status == 0
    assert workspace.read(COMMAND_OUT) == "New.\n"
    assert not list((workspace.folder / ".tackroom/state").glob("*.journal"))


def test_what_was_never_sealed_and_left_the_plan_is_taken_away(workspace: Workspace) -> None:
    workspace.scons("UNFOLD=1", COMMAND_OUT)
    (workspace.folder / "kit/commands/review.md").unlink()
    assert workspace.scons().status == 0
    assert not (workspace.folder / COMMAND_OUT).exists()


def test_what_was_never_sealed_and_then_edited_is_kept(workspace: Workspace) -> None:
    workspace.scons("UNFOLD=1", COMMAND_OUT)
    (workspace.folder / COMMAND_OUT).write_text("mine")
    assert workspace.scons().status == 2
    assert workspace.read(COMMAND_OUT) == "mine"


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_killed_run_loses_nothing_whatever_the_next_one_stages(tmp_path: Path) -> None:
    files = {f"kit/commands/c{n}.md": COMMAND + f"{n}\n" for n in range(60)}
    killed, clean = (Workspace(tmp_path / name, {**PLUGIN, **files}) for name in ("killed", "clean"))
    for round_ in range(4):
        killed.kill(after=0.25 + 0.1 * round_)
        changed = {path: text + f"round {round_}\n" for path, text in files.items()}
        for each in (killed, clean):
            each.write(changed)
    assert killed.scons().status == 0
    clean.scons()
    assert killed.out() == clean.out()


# --- SCons' own switches


def test_a_dry_run_says_what_it_would_do_and_does_nothing(workspace: Workspace) -> None:
    assert workspace.scons("-n").staged == ["claude kit"]
    assert not (workspace.folder / ".tackroom").exists()


def test_a_question_is_answered_by_the_status(workspace: Workspace) -> None:
    assert workspace.scons("-q").status == 1
    assert not (workspace.folder / ".tackroom").exists()
    workspace.scons()
    assert workspace.scons("-q").status == 0


def test_what_has_to_be_locked_first_is_not_up_to_date(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": "packages: {kit: {git: ./repo}}\n"})
    (workspace.folder / "repo").mkdir()
    assert workspace.scons("-q").status == 1
    assert not (workspace.folder / "tackroom.lock").exists()


def test_cleaning_removes_what_is_ours_and_keeps_what_was_edited(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({".tackroom/stage/claude/kit/notes.txt": "theirs"})
    (workspace.folder / COMMAND_OUT).write_text("mine")
    outcome = workspace.scons("-c")
    assert outcome.status == 0
    assert f"kept {COMMAND_OUT}: it was edited by hand" in outcome.lines
    assert workspace.out("claude") == {"kit/commands/review.md": b"mine", "kit/notes.txt": b"theirs"}


def test_cleaning_everything_leaves_nothing_of_ours(workspace: Workspace) -> None:
    workspace.scons()
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / ".tackroom/stage").exists()
    assert not list((workspace.folder / ".tackroom/state").glob("*.stamp"))


def test_in_parallel_the_result_is_the_same(workspace: Workspace, tmp_path: Path) -> None:
    workspace.scons("-j1")
    other = Workspace(tmp_path / "other")
    other.scons("-j2", "--random")
    assert other.out() == workspace.out()


def test_explain_says_why_in_terms_of_the_package(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({"kit/commands/review.md": "New.\n"})
    outcome = workspace.scons("--debug=explain")
    assert "tackroom: because 'commands/review.md' changed" in outcome.lines


def test_cleaning_needs_no_package(workspace: Workspace) -> None:
    workspace.scons()
    shutil.rmtree(workspace.folder / "kit")
    assert workspace.scons("-c").status == 0
    assert not (workspace.folder / ".tackroom/stage").exists()


def test_help_lists_the_targets_and_the_variables(workspace: Workspace) -> None:
    outcome = workspace.scons("-h")
    assert outcome.status == 0
    assert "scons lock [UPDATE=a,b]" in outcome.text
    assert "HARNESS   stage for these harnesses only" in outcome.lines


# --- variables, reports, mistakes


def test_a_narrowed_run_leaves_the_rest_alone(workspace: Workspace) -> None:
    workspace.write({"more/commands/other.md": COMMAND, "tackroom.yaml": YAML + "  more: {path: more}\n"})
    assert workspace.scons("PACKAGE=more").staged == ["claude more"]
    workspace.write({"kit/commands/late.md": COMMAND})
    workspace.scons()
    (workspace.folder / "kit/commands/review.md").unlink()
    workspace.scons("PACKAGE=more")
    assert (workspace.folder / COMMAND_OUT).exists()
    workspace.scons()
    assert not (workspace.folder / COMMAND_OUT).exists()


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ("HARNESS=codex", "HARNESS names 'codex', which is not in 'harnesses:' of tackroom.yaml"),
        ("PACKAGE=workspace", "PACKAGE names 'workspace', which is no package of the workspace"),
        ("PACKAGE=kit.gone", "PACKAGE names 'kit.gone', which is no package of the workspace"),
    ],
)
def test_a_run_cannot_be_narrowed_to_what_is_not_there(
    workspace: Workspace, asked: str, problem: str
) -> None:
    outcome = workspace.scons(asked)
    assert outcome.status == 2
    assert f"scons: *** {problem}" in outcome.text
    assert not (workspace.folder / ".tackroom").exists()


def test_a_run_can_be_narrowed_to_the_repositorys_own(workspace: Workspace) -> None:
    workspace.write({".agents/skills/own/SKILL.md": SKILL.replace("lint", "own")})
    assert workspace.scons("PACKAGE=workspace").staged == ["claude workspace"]


def test_each_out_has_a_record_of_its_own(workspace: Workspace) -> None:
    workspace.scons()
    assert workspace.scons("OUT=elsewhere").staged == ["claude kit"]
    assert workspace.out(folder="elsewhere") == workspace.out()


def test_strict_lets_no_warning_pass_not_even_a_remembered_one(workspace: Workspace) -> None:
    workspace.write({"kit/rules/style.md": "Be brief.\n", **CONTENDER})
    assert workspace.scons().status == 0
    outcome = workspace.scons("STRICT=1")
    assert outcome.status == 2
    assert "there are warnings, and a strict run lets none pass" in outcome.text
    assert outcome.lines[0].startswith("warning: name-taken: kit:rules/style.md: claude:")


def test_a_finding_of_reading_is_said_once_though_nothing_is_rendered(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({"kit/hooks/hooks.json": "{}"})
    said = "warning: not-staged: kit:hooks/hooks.json: hook declared here; "
    outcome = workspace.scons()
    assert outcome.staged == []
    assert outcome.lines[0].startswith(said)
    assert said not in workspace.scons().text
    assert said in workspace.scons("FINDINGS=all").text


def test_a_context_file_is_said_in_the_harnesses_that_do_not_load_it(workspace: Workspace) -> None:
    workspace.write(
        {
            "tackroom.yaml": "harnesses: [claude, gemini]\npackages:\n  notes: {path: notes}\n",
            "notes/gemini-extension.json": '{"name": "notes", "version": "1.0.0"}',
            "notes/GEMINI.md": "Be brief.\n",
        }
    )
    outcome = workspace.scons()
    assert set(workspace.out("gemini")) == {"notes/gemini-extension.json", "notes/GEMINI.md"}
    assert workspace.out("claude") == {}
    assert [line for line in outcome.lines if line.startswith(("warning", "error"))] == [
        "warning: context-not-staged: notes:GEMINI.md: claude: "
        "is loaded with the extension in its own harness; not staged here"
    ]


def test_what_failed_is_not_counted_as_staged(workspace: Workspace) -> None:
    workspace.write({COMMAND_OUT: "mine"})
    outcome = workspace.scons("-k")
    assert outcome.status == 2
    assert "claude: 1 staged, 1 rendered, 1 finding" in outcome.lines


def test_findings_are_remembered_and_shown_again_when_asked_for(workspace: Workspace) -> None:
    workspace.write({"kit/rules/style.md": "Be brief.\n", **CONTENDER})
    workspace.scons()
    assert "name-taken" not in workspace.scons().text
    outcome = workspace.scons("FINDINGS=all")
    assert outcome.lines[0].startswith("warning: name-taken: kit:rules/style.md: claude:")
    assert outcome.lines[1].startswith("warning: rule-as-skill: kit:rules/style.md: claude:")
    assert outcome.lines[2] == "claude: 4 staged, 0 rendered, 2 findings"


def test_only_and_skip_choose_among_the_artifacts(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("path: kit", "path: kit, only: [skill/*, rule/x]")})
    outcome = workspace.scons("UNFOLD=1")
    assert outcome.staged == ["claude kit skill/lint", "claude kit manifest/kit"]
    assert "warning: filter-unmatched: kit: 'rule/x' in 'only' matches none of its artifacts" in outcome.lines


def test_a_mistake_in_the_workspace_is_one_line_and_no_traceback(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": "pacakges: {}\n"})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "unknown key 'pacakges'; did you mean 'packages'" in outcome.text
    assert "Traceback" not in outcome.text


@pytest.mark.parametrize("target", ["check", "doctor", "report"])
def test_a_target_that_is_not_built_yet_says_so(workspace: Workspace, target: str) -> None:
    outcome = workspace.scons(target)
    assert outcome.status == 2
    assert f"'{target}' is not supported by tackroom 0.1.0 yet" in outcome.text


TWO = "import tackroom\ntackroom.workspace()\ntackroom.workspace('second.yaml')\n"


@pytest.mark.parametrize("is_done", [False, True])
def test_two_workspaces_may_not_stage_into_one_place(workspace: Workspace, is_done: bool) -> None:
    if is_done:  # the first has nothing to do then
        workspace.scons()
    workspace.write({"SConstruct": TWO, "second.yaml": YAML})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert outcome.lines[-1] == (
        "scons: *** 'tackroom.yaml' and 'second.yaml' both stage into '.tackroom/stage'; "
        "give one another 'out'"
    )


def test_another_target_is_built_though_the_workspace_is_broken(workspace: Workspace) -> None:
    text = 'import tackroom\ntackroom.workspace()\nCommand("other.txt", [], Touch("$TARGET"))\n'
    workspace.write({"SConstruct": text, "tackroom.yaml": "packages: {kit: {git: ./none}}\n"})
    assert workspace.scons("other.txt").status == 0
    assert not (workspace.folder / "tackroom.lock").exists()


# --- the same bytes everywhere


@pytest.mark.skipif(os.name == "nt", reason="umask and TZ are POSIX")
def test_the_same_input_gives_the_same_bytes_and_modes_everywhere(tmp_path: Path) -> None:
    one = Workspace(tmp_path / "a")
    other = Workspace(tmp_path / "much/deeper/down/b")
    one.scons("JSON=report.json", PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C", HOME=str(tmp_path))
    changed = {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "HOME": "/nowhere"}
    umask = os.umask(0o077)
    try:
        other.scons("JSON=report.json", "-j2", **changed)
    finally:
        os.umask(umask)
    assert one.out() == other.out()
    assert one.read("report.json") == other.read("report.json")
    modes = {
        oct(each.stat().st_mode & 0o777)
        for each in (other.folder / ".tackroom/stage").rglob("*")
        if each.is_file()
    }
    assert modes == {"0o644", "0o755"}


def test_a_file_that_is_two_artifacts_is_two_items(workspace: Workspace) -> None:
    declared = '{"name": "kit", "commands": ["./agents/a.md"]}'
    workspace.write(
        {
            "tackroom.yaml": YAML.replace("claude", "codex"),
            "kit/.claude-plugin/plugin.json": declared,
            "kit/agents/a.md": "---\nname: a\ndescription: d\n---\nx\n",
        }
    )
    workspace.scons()
    assert workspace.scons().staged == []
    workspace.write({"kit/.claude-plugin/plugin.json": '{"name": "kit"}'})
    assert workspace.scons().status == 0
    workspace.scons("-c")
    assert workspace.out("codex") == {}


def test_a_workspace_file_whose_place_is_written_in_a_roundabout_way(workspace: Workspace) -> None:
    workspace.write({"SConstruct": "import tackroom\ntackroom.workspace('kit/../tackroom.yaml')\n"})
    outcome = workspace.scons()
    assert (outcome.status, outcome.staged) == (0, ["claude kit"]), outcome.text


def test_threads_do_not_write_one_anothers_files_where_names_are_long(tmp_path: Path) -> None:
    commands = {f"kit/commands/{'x' * 110}{n}.md": f"{n}\n" * 999 for n in range(30)}
    workspace = Workspace(tmp_path / "ws", commands)
    for arguments in (("UNFOLD=1", "-j4"), ()):
        assert workspace.scons(*arguments).status == 0
    for path, text in commands.items():
        assert workspace.read(f".tackroom/stage/claude/{path}") == text
