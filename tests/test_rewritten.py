"""After a change exactly the files that it concerns are written, and all are what a first run would make."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from building import COMMAND, SKILL, Repository, Workspace
from watching import Watched, copy_inputs, together, tree, watch

KIT = {
    "kit/.claude-plugin/plugin.json": '{"name": "kit", "version": "1.0.0"}\n',
    "kit/commands/review.md": COMMAND,
    "kit/agents/critic.md": "---\nname: critic\ndescription: Criticises.\n---\nCriticise.\n",
    "kit/skills/lint/SKILL.md": SKILL,
    "kit/skills/lint/run.sh": "#!/bin/sh\n",
}
MORE = {
    "more/skills/help/SKILL.md": SKILL.replace("lint", "help"),
    "more/rules/style.md": "Be brief.\n",
}
STYLE = {"kit/skills/style/SKILL.md": SKILL.replace("lint", "style")}
YAML = "harnesses: [claude, codex, cursor]\npackages:\n  kit: {path: kit}\n  more: {path: more}\n"

Make = Callable[[Workspace, Repository], object]


def write(files: dict[str, str]) -> Make:
    return lambda workspace, _: workspace.write(files)


def yaml(old: str, new: str) -> Make:
    assert old in YAML
    return write({"tackroom.yaml": YAML.replace(old, new)})


def remove(path: str) -> Make:
    return lambda workspace, _: (workspace.folder / path).unlink()


def move_pin(workspace: Workspace, repository: Repository) -> None:
    repository.commit({"kit/commands/review.md": COMMAND + "More.\n"})
    assert workspace.scons("lock", "UPDATE=kit").status == 0


def lines(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.strip()}


@dataclass(frozen=True)
class Change:
    """A change to a workspace that was staged, and what is written for it.

    ``outputs`` and ``units``: a line each. ``remembered``: of which packages the outline or the folder is
    another one. ``extra`` and ``yaml`` are what the workspace has to begin with.
    """

    make: Make
    outputs: str = ""
    units: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    yaml: str = YAML


IN_KIT = ("folder kit", "outline kit")
KITS = ("~ claude.kit", "~ codex.kit", "~ cursor.kit")
CHANGES = {
    "nothing": Change(lambda *_: None),
    "a body": Change(
        write({"kit/commands/review.md": COMMAND + "More.\n"}),
        """
        ~ claude/kit/commands/review.md
        ~ codex/skills/review/SKILL.md
        ~ cursor/kit/commands/review.md
        """,
        KITS,
        IN_KIT,
    ),
    "a body, in every harness": Change(
        write({"kit/commands/review.md": COMMAND + "More.\n"}),
        """
        ~ antigravity/.agents/workflows/review.md
        ~ claude/kit/commands/review.md
        ~ codex/skills/review/SKILL.md
        ~ cursor/kit/commands/review.md
        ~ gemini/kit/commands/review.toml
        ~ grok/commands/review.md
        ~ opencode/commands/review.md
        """,
        (*KITS, "~ antigravity.kit", "~ gemini.kit", "~ grok.kit", "~ opencode.kit"),
        IN_KIT,
        yaml=YAML.partition("\n")[2],
    ),
    "a field that is written in one harness only": Change(
        write({"kit/commands/review.md": COMMAND.replace("---\n", "---\nargument-hint: PATH\n", 1)}),
        "~ claude/kit/commands/review.md",
        KITS,
        IN_KIT,
    ),
    "a supporting file": Change(
        write({"kit/skills/lint/run.sh": "#!/bin/sh\ntrue\n"}),
        """
        ~ claude/kit/skills/lint/run.sh
        ~ codex/skills/lint/run.sh
        ~ cursor/kit/skills/lint/run.sh
        """,
        KITS,
        IN_KIT,
    ),
    "a mode": Change(
        lambda workspace, _: (workspace.folder / "kit/skills/lint/run.sh").chmod(0o644),
        """
        ~ claude/kit/skills/lint/run.sh
        ~ codex/skills/lint/run.sh
        ~ cursor/kit/skills/lint/run.sh
        """,
        KITS,
        IN_KIT,
    ),
    "a manifest": Change(
        write({"kit/.claude-plugin/plugin.json": '{"name": "kit", "version": "2.0.0"}\n'}),
        """
        ~ claude/kit/.claude-plugin/plugin.json
        ~ cursor/kit/.cursor-plugin/plugin.json
        """,
        KITS,
        IN_KIT,
    ),
    "a new artifact that takes another package's name": Change(
        write(STYLE),
        """
        + claude/kit/skills/style/SKILL.md
        ~ codex/skills/style/SKILL.md
        + codex/skills/style-more/SKILL.md
        + cursor/kit/skills/style/SKILL.md
        """,
        (*KITS, "~ codex.more"),
        IN_KIT,
    ),
    "that artifact removed": Change(
        remove("kit/skills/style/SKILL.md"),
        """
        - claude/kit/skills/style/SKILL.md
        ~ codex/skills/style/SKILL.md
        - codex/skills/style-more/SKILL.md
        - cursor/kit/skills/style/SKILL.md
        """,
        (*KITS, "~ codex.more"),
        IN_KIT,
        extra=STYLE,
    ),
    "a package removed": Change(
        yaml("  more: {path: more}\n", ""),
        """
        - claude/more/.claude-plugin/plugin.json
        - claude/more/skills/help/SKILL.md
        - claude/more/skills/style/SKILL.md
        - codex/skills/help/SKILL.md
        - codex/skills/style/SKILL.md
        ~ cursor/.cursor-plugin/marketplace.json
        - cursor/more/.cursor-plugin/plugin.json
        - cursor/more/rules/style.mdc
        - cursor/more/skills/help/SKILL.md
        """,
        ("- claude.more", "- codex.more", "- cursor.more", "~ cursor./.cursor-plugin/marketplace.json"),
        ("folder more", "outline more"),
    ),
    "a harness added": Change(
        yaml("cursor]", "cursor, opencode]"),
        """
        + opencode/agents/critic.md
        + opencode/commands/review.md
        + opencode/skills/help/SKILL.md
        + opencode/skills/lint/SKILL.md
        + opencode/skills/lint/run.sh
        + opencode/skills/style/SKILL.md
        """,
        ("+ opencode.kit", "+ opencode.more"),
        ("outline kit", "outline more"),
    ),
    "a pin that moves to a commit with another body": Change(
        move_pin,
        """
        ~ claude/kit/commands/review.md
        ~ codex/skills/review/SKILL.md
        ~ cursor/kit/commands/review.md
        """,
        KITS,
        ("outline kit",),
        yaml=YAML.replace("path: kit", "git: ../repo, rev: main, subdir: kit"),
    ),
    "skip": Change(
        yaml("path: kit", "path: kit, skip: [command/*]"),
        """
        - claude/kit/commands/review.md
        - codex/skills/review/SKILL.md
        - cursor/kit/commands/review.md
        """,
        KITS,
        ("outline kit",),
    ),
    "only": Change(
        yaml("path: more", "path: more, only: [rule/*]"),
        """
        - claude/more/skills/help/SKILL.md
        - codex/skills/help/SKILL.md
        - cursor/more/skills/help/SKILL.md
        """,
        ("~ claude.more", "~ codex.more", "~ cursor.more"),
        ("outline more",),
    ),
}


@dataclass(frozen=True)
class Case:
    """A change that was made in a workspace and staged there; ``fresh`` has the same inputs."""

    change: Change
    workspace: Workspace
    fresh: Workspace
    run: Watched


@dataclass(frozen=True)
class Cases:
    """All changes, and a build of all the workspaces in which they were made."""

    build: Workspace
    by_name: dict[str, Case]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Cases:
    """Stage, make each change, stage; then stage the same inputs artifact by artifact in new workspaces."""
    top = tmp_path_factory.mktemp("changes")
    repository = Repository(top / "repo", KIT)
    spaces = {
        name: Workspace(top / f"{number}", {**KIT, **MORE, **each.extra}, each.yaml)
        for number, (name, each) in enumerate(CHANGES.items())
    }
    build = together(top, [each.folder.name for each in spaces.values()])
    assert build.scons().status == 0
    found = {}
    for name, workspace in spaces.items():
        CHANGES[name].make(workspace, repository)
        run = watch(workspace)
        fresh = copy_inputs(workspace, f"{workspace.folder.name}-fresh")
        found[name] = Case(CHANGES[name], workspace, fresh, run)
    assert together(top, [each.fresh.folder.name for each in found.values()]).scons("UNFOLD=1").status == 0
    return Cases(together(top, [each.folder.name for each in spaces.values()]), found)


@pytest.fixture(params=CHANGES)
def case(request: pytest.FixtureRequest, cases: Cases) -> Case:
    return cases.by_name[request.param]


def test_exactly_the_files_that_differ_are_written(case: Case) -> None:
    assert case.run.outputs == lines(case.change.outputs)


def test_exactly_the_records_of_the_units_concerned_are_written(case: Case) -> None:
    assert case.run.units == set(case.change.units)


def test_of_the_rest_only_what_is_remembered_of_the_packages_concerned_is_written(case: Case) -> None:
    stamps = {f"stamp {each[2:].partition('/')[0]}" for each in case.run.outputs}
    of_the_run = {"memory", "rulings", "turn"} if stamps else set()
    assert case.run.remembered == stamps | of_the_run | set(case.change.remembered)


def test_the_tree_is_the_one_that_a_first_unfolded_run_makes(case: Case) -> None:
    assert tree(case.workspace) == tree(case.fresh)


def test_the_next_run_writes_nothing(cases: Cases) -> None:
    assert watch(cases.build).wrote_nothing


def test_an_unfolded_run_finds_every_output_right(cases: Cases) -> None:
    run = watch(cases.build, "UNFOLD=1")
    assert len(run.outcome.staged) > len(CHANGES) * len(KIT)
    assert not [each for each in run.rest if "/.tackroom/stage/" in each]
