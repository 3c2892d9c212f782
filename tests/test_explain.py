"""``scons explain``: where an artifact comes from, where it lands, and why it was or was not rebuilt."""

from pathlib import Path

import pytest

from building import PLUGIN, Workspace

YAML = "harnesses: [claude, codex]\npackages:\n  kit: {path: kit}\n"
COMMAND = "kit/commands/review.md"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws", PLUGIN, YAML)


def explained(workspace: Workspace, what: str, *more: str) -> list[str]:
    outcome = workspace.scons("explain", f"WHAT={what}", *more)
    assert outcome.status == 0
    return [line for line in outcome.lines if not line.startswith("scons: ")]


def test_what_was_staged_is_explained_by_what_was_recorded(workspace: Workspace) -> None:
    workspace.scons()
    assert explained(workspace, "command/review") == [
        "command/review: 'commands/review.md' of package 'kit', from 'kit'",
        "  claude: command 'review': '.tackroom/stage/claude/kit/commands/review.md'",
        "    rendered last because it was not staged before; nothing that it depends on changed since",
        "  codex: skill 'review': '.tackroom/stage/codex/skills/review/SKILL.md'",
        "    rendered last because it was not staged before; nothing that it depends on changed since",
        "    info: command-as-skill: kit:commands/review.md: codex: "
        "command 'review' is staged as skill 'review'",
        "    warning: placeholder-kept: kit:commands/review.md:4: codex: '$ARGUMENTS' is not replaced there; "
        "kept, with a note in the text",
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({COMMAND: "Other.\n"}, "'commands/review.md' changed"),
        ({".tackroom/stage/claude/kit/commands/review.md": "mine"}, "'{out}' is not as it was staged"),
    ],
)
def test_what_would_be_rendered_again_is_said_with_the_reason(
    workspace: Workspace, change: dict[str, str], why: str
) -> None:
    workspace.scons()
    workspace.write(change)
    out = ".tackroom/stage/claude/kit/commands/review.md"
    assert explained(workspace, "command/review", "HARNESS=claude")[2] == (
        "    rendered last because it was not staged before; "
        f"to be rendered again because {why.format(out=out)}"
    )


def test_the_reason_of_the_last_rendering_is_kept(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({"kit/skills/lint/run.sh": "#!/bin/sh\ntrue\n"})
    workspace.scons()
    assert explained(workspace, "skill/lint", "HARNESS=claude")[1:] == [
        "  claude: skill 'lint': '.tackroom/stage/claude/kit/skills/lint/SKILL.md' and 1 more",
        "    rendered last because its supporting files changed; nothing that it depends on changed since",
    ]


def test_before_the_first_run_nothing_is_recorded(workspace: Workspace) -> None:
    assert explained(workspace, "skill/lint", "HARNESS=claude") == [
        "skill/lint: 'skills/lint/SKILL.md' of package 'kit', from 'kit'",
        "  claude: not staged yet",
    ]
    assert not (workspace.folder / ".tackroom").exists()


def test_a_name_that_is_taken_is_explained_by_who_has_it(workspace: Workspace) -> None:
    workspace.write({"kit/rules/lint.md": "Be brief.\n"})
    workspace.scons()
    lines = explained(workspace, "rule/lint", "HARNESS=claude")
    assert lines[1] == "  claude: skill 'lint-rule': '.tackroom/stage/claude/kit/skills/lint-rule/SKILL.md'"
    assert lines[3] == (
        "    warning: name-taken: kit:rules/lint.md: claude: skill 'lint' exists; staged as 'lint-rule'"
    )


def test_what_is_skipped_is_said_to_be(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("path: kit", "path: kit, skip: [skill/lint]")})
    assert explained(workspace, "skill/lint")[1:] == ["  left out by 'only' or 'skip' of its package"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("WHAT=skill/lnt",), "WHAT is 'skill/lnt', which no package has; did you mean 'skill/lint'"),
        ((), "explain needs WHAT=KIND/NAME, as in WHAT=skill/lint"),
    ],
)
def test_nothing_to_explain(workspace: Workspace, arguments: tuple[str, ...], problem: str) -> None:
    outcome = workspace.scons("explain", *arguments)
    assert outcome.status == 2
    assert outcome.lines == [f"scons: *** {problem}"]


@pytest.mark.parametrize("what", ["lint", "skill/lnt"])
def test_a_name_alone_is_answered_with_the_artifact_that_has_it(workspace: Workspace, what: str) -> None:
    outcome = workspace.scons("explain", f"WHAT={what}")
    assert outcome.lines == [f"scons: *** WHAT is '{what}', which no package has; did you mean 'skill/lint'"]
