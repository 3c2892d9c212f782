"""A run with nothing to do does nothing: it looks, says what is staged, and reads and writes no more."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tackroom.packages import stamps

from building import COMMAND, PLUGIN, SCONSTRUCT, SKILL, Outcome, Workspace
from tackroom import unitfile
from watching import STAGE, STATE, staged, tree, watch

# says whether it was seen at a glance that there is nothing to do
TELLS = SCONSTRUCT + "import sys\nprint('looked' if 'tackroom.own' in sys.modules else 'folded')\n"
YAML = "harnesses: [claude, codex]\npackages:\n  kit: {path: kit}\n  more: {path: more}\n"
BODY = COMMAND.replace("$ARGUMENTS", "it")
FILES = {
    **PLUGIN,
    "SConstruct": TELLS,
    "kit/commands/review.md": BODY,
    "more/skills/help/SKILL.md": SKILL.replace("lint", "help"),
}
REVIEW = f"{STAGE}/claude/kit/commands/review.md"
SUMMARY = [
    "claude: 3 staged, 0 rendered, 0 findings",
    "codex: 3 staged, 0 rendered, 1 finding",
]
NOTHING = "scons: Nothing to be done for `stage'."
FOLDED = [*SUMMARY, "folded", NOTHING]
LOOKED = [*SUMMARY, "looked", NOTHING]


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    return staged(tmp_path_factory.mktemp("spaces"), 30, FILES, YAML)


@pytest.fixture
def workspace(spaces: Iterator[Workspace]) -> Workspace:
    """A workspace that was staged."""
    return next(spaces)


def touch(*paths: Path) -> None:
    """Give files another time, and nothing else."""
    for each in paths:
        os.utime(each, ns=(10**18 + 1, 10**18 + 1))


# --- nothing to do


@pytest.mark.skipif(os.name == "nt", reason="only the time of the last change, which it lacks, tells that")
@pytest.mark.parametrize("date", [4 * 10**18, 4 * 10**18 + 1, 10**18])  # 2096, to the second and not; 2001
@pytest.mark.parametrize("path", ["kit/commands/review.md", REVIEW])
def test_a_date_that_somebody_gave_a_file_keeps_no_run_busy(
    workspace: Workspace, path: str, date: int
) -> None:
    os.utime(workspace.folder / path, ns=(date, date))
    time.sleep(stamps.TICK / 1e9)
    assert workspace.scons().lines == LOOKED
    run = watch(workspace)
    assert run.outcome.lines == FOLDED
    assert not run.state | run.outputs


def test_with_nothing_to_do_the_summary_is_all_there_is(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws", FILES, YAML)
    first = watch(workspace)
    assert sorted(first.outcome.staged) == ["claude kit", "claude more", "codex kit", "codex more"]
    assert first.rest == {"+ .sconsign.dblite"}
    second = watch(workspace)
    assert second.outcome.lines == FOLDED
    assert second.wrote_nothing


def test_with_nothing_to_do_next_to_nothing_is_imported(workspace: Workspace) -> None:
    workspace.write({"SConstruct": SCONSTRUCT + "import sys\nprint(*sorted(sys.modules), sep='\\n')\n"})
    imported = set(workspace.scons().lines)
    ours = ("config", "graph", "harnesses", "own", "plan", "prepare", "state")
    others = {"filelock", "platformdirs", "tomli_w", "tomllib", "yaml"}
    assert "tackroom.glance" in imported
    assert not imported & {*others, *(f"tackroom.{each}" for each in ours)}


def test_variables_that_change_nothing_about_it_may_be_given(workspace: Workspace) -> None:
    run = watch(workspace, "LOCKED=1", "OFFLINE=1", "FROZEN=1", "FORCE=1", "STRICT=1")
    assert run.outcome.lines == FOLDED
    assert run.wrote_nothing


# --- what differs is seen, and folded again


def test_a_source_that_was_only_touched_costs_one_look(workspace: Workspace) -> None:
    touch(workspace.folder / "kit/commands/review.md")
    first = watch(workspace)
    assert first.outcome.lines == LOOKED
    assert first.state == {"~ folder kit", "~ turn"}
    assert workspace.scons().lines == FOLDED


def test_an_output_that_was_only_touched_costs_one_look(workspace: Workspace) -> None:
    touch(workspace.folder / REVIEW)
    first = watch(workspace)
    assert first.outcome.lines == LOOKED
    assert first.state == {"~ unit claude.kit", "~ turn"}
    assert workspace.scons().lines == FOLDED


def test_a_change_that_was_taken_back_costs_one_look(workspace: Workspace) -> None:
    workspace.write({"kit/commands/review.md": BODY})
    assert workspace.scons().lines == LOOKED
    assert workspace.scons().lines == FOLDED


def test_a_file_that_is_no_part_of_anything_costs_one_look(workspace: Workspace) -> None:
    workspace.write({"kit/notes.txt": "not staged anywhere\n"})
    assert workspace.scons().lines == LOOKED
    assert workspace.scons().lines == FOLDED


def test_a_package_whose_folder_is_another_one_now_is_looked_at(workspace: Workspace) -> None:
    shutil.copytree(workspace.folder / "kit", workspace.folder / "other")
    shutil.rmtree(workspace.folder / "kit")
    (workspace.folder / "kit").symlink_to("other")
    assert workspace.scons().lines == LOOKED
    assert workspace.scons().lines == FOLDED


def test_an_edited_output_is_seen(workspace: Workspace) -> None:
    (workspace.folder / REVIEW).write_text("mine")
    outcome = workspace.scons()
    assert outcome.status == 2
    assert (
        f"error: output-edited: kit:commands/review.md: claude: '{REVIEW}' was edited by hand; "
        "kept, move the edit to the package or use FORCE=1" in outcome.lines
    )


def test_an_edit_is_seen_though_size_and_time_are_put_back(workspace: Workspace) -> None:
    target = workspace.folder / REVIEW
    before = target.stat()
    target.write_text(target.read_text().upper())
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "output-edited" in workspace.scons().text


def forge(workspace: Workspace) -> None:
    """Let the record of a unit say that its outputs were written as they are now."""
    unit = next((workspace.folder / STATE).glob("*/units/claude.kit"))
    head, details = unitfile.read(str(unit))
    outputs = [workspace.folder / STAGE / each for each in head.outputs]
    head.packed = stamps.pack(stamps.stamp(each.lstat()) for each in outputs)
    unit.write_bytes(unitfile.text(head, details))


def test_verify_sees_an_edit_that_no_stat_tells(workspace: Workspace) -> None:
    target = workspace.folder / REVIEW
    target.write_text(target.read_text().upper())
    forge(workspace)
    assert workspace.scons().lines == FOLDED
    for arguments in (["VERIFY=1"], []):  # and what was seen once is not forgotten
        assert "output-edited" in workspace.scons(*arguments).text
    assert target.read_text() == BODY.upper()


def test_verify_takes_no_edited_output_away(workspace: Workspace) -> None:
    target = workspace.folder / REVIEW
    target.write_text(target.read_text().upper())
    forge(workspace)
    (workspace.folder / "kit/commands/review.md").unlink()
    for arguments in (["VERIFY=1"], []):
        assert "output-edited" in workspace.scons(*arguments).text
    assert target.read_text() == BODY.upper()


def test_verify_writes_nothing_where_everything_is_right(workspace: Workspace) -> None:
    run = watch(workspace, "VERIFY=1")
    assert run.outcome.lines == LOOKED
    assert not run.outputs
    assert workspace.scons().lines == FOLDED


# --- a part of it, and elsewhere


NEW = {path: FILES[path] + "New.\n" for path in ("kit/commands/review.md", "more/skills/help/SKILL.md")}
CLAUDE = ("~ claude/kit/commands/review.md", "~ claude/more/skills/help/SKILL.md")
CODEX = ("~ codex/skills/review/SKILL.md", "~ codex/skills/help/SKILL.md")


@pytest.mark.parametrize(
    ("narrow", "part", "rest"),
    [
        ("HARNESS=codex", CODEX, CLAUDE),
        ("PACKAGE=kit", (CLAUDE[0], CODEX[0]), (CLAUDE[1], CODEX[1])),
    ],
)
def test_a_narrowed_run_leaves_the_rest_to_the_next_full_one(
    workspace: Workspace, narrow: str, part: tuple[str, ...], rest: tuple[str, ...]
) -> None:
    workspace.write(NEW)
    assert watch(workspace, narrow).outputs == set(part)
    assert watch(workspace).outputs == set(rest)
    assert workspace.scons().lines == FOLDED


def test_a_narrowed_run_with_nothing_to_do_leaves_the_next_one_folded(workspace: Workspace) -> None:
    assert watch(workspace, "HARNESS=codex").wrote_nothing
    assert workspace.scons().lines == FOLDED


def test_each_out_is_folded_by_itself(workspace: Workspace) -> None:
    before = tree(workspace)
    first = watch(workspace, "OUT=elsewhere")
    assert not first.outputs
    assert all(each.startswith("+") for each in first.state)
    assert tree(workspace, "elsewhere") == before
    assert workspace.scons("OUT=elsewhere").lines == FOLDED
    assert workspace.scons().lines == FOLDED


def test_a_change_is_staged_in_the_out_that_is_asked_for(workspace: Workspace) -> None:
    workspace.scons("OUT=elsewhere")
    workspace.write({"kit/commands/review.md": "New.\n"})
    assert not watch(workspace, "OUT=elsewhere").outputs
    assert workspace.scons().staged == ["claude kit command/review", "codex kit skill/review"]


# --- on another machine


def test_a_copied_workspace_stages_nothing_anew(workspace: Workspace) -> None:
    copy = Workspace(workspace.folder.with_name("copy"), {}, YAML)
    shutil.copytree(workspace.folder, copy.folder, dirs_exist_ok=True)
    first = watch(copy)
    assert first.outcome.lines == LOOKED
    assert not first.outputs
    assert copy.scons().lines == FOLDED


def test_a_restored_cache_with_other_times_stages_nothing_anew(workspace: Workspace) -> None:
    touch(*(each for each in workspace.folder.rglob("*") if each.is_file()))
    first = watch(workspace, CI="true")
    assert first.outcome.lines == LOOKED
    assert not first.outputs
    assert workspace.scons(CI="true").lines == FOLDED


# --- what there is to say


@pytest.fixture
def said(workspace: Workspace) -> Outcome:
    """A run that had something to say, of reading and of staging."""
    workspace.write({"more/rules/style.md": "Be brief.\n", "kit/hooks/hooks.json": "{}"})
    outcome = workspace.scons("JSON=first.json")
    assert [line.split(":")[1] for line in outcome.lines if line.startswith("warning")] == [
        " not-staged",
        " rule-as-skill",
        " rule-as-skill",
    ]
    return outcome


def counts(outcome: Outcome) -> list[str]:
    """Return the summary without what was rendered."""
    found = (line for line in outcome.lines if re.search(r"\d findings?$", line))
    return [re.sub(r" \d+ rendered,", "", line) for line in found]


def test_remembered_findings_are_counted(workspace: Workspace, said: Outcome) -> None:
    again = workspace.scons()
    assert "folded" in again.lines
    assert counts(again) == counts(said)
    assert "warning" not in again.text


def test_all_findings_are_said_again_when_they_are_asked_for(workspace: Workspace, said: Outcome) -> None:
    run = watch(workspace, "FINDINGS=all")
    findings = [line for line in said.lines if line.startswith(("info", "warning"))]
    assert set(findings) <= set(run.outcome.lines)
    assert counts(run.outcome) == counts(said)
    assert run.wrote_nothing


def test_strict_lets_no_remembered_warning_pass(workspace: Workspace, said: Outcome) -> None:
    run = watch(workspace, "STRICT=1")
    assert run.outcome.status == 2
    assert "there are warnings, and a strict run lets none pass" in run.outcome.text
    assert counts(run.outcome) == counts(said)
    assert not run.outputs


def test_the_report_of_a_run_with_nothing_to_do_is_that_of_the_first(
    workspace: Workspace, said: Outcome
) -> None:
    run = watch(workspace, "JSON=again.json")
    assert workspace.read("again.json") == workspace.read("first.json")
    assert run.rest == {"+ again.json"}
    assert not run.state | run.outputs


def test_a_folder_in_place_of_a_file_is_seen(workspace: Workspace) -> None:
    """A link to a folder is checked out as a file where there are no links."""
    workspace.write({".agents/skills": "../elsewhere"})
    workspace.scons()
    (workspace.folder / ".agents/skills").unlink()
    workspace.write({".agents/skills/new/SKILL.md": "---\nname: new\ndescription: New.\n---\n"})
    assert workspace.scons().staged != []
