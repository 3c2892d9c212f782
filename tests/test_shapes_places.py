"""Odd shapes of packages that are real: where things lie, whose they are, one name twice, other files."""

import json

import pytest
from tackroom.packages.findings import Finding, render
from tackroom.packages.model import File, Node
from tackroom.packages.package import Package

from making import package
from tackroom import harnesses, plan

ALL = harnesses.ids()
SKILL = "---\nname: lint\ndescription: Lints.\n---\nLint.\n"
TEXT = "---\ndescription: Does it.\n---\nDo it.\n"
AGENT = "---\nname: helper\ndescription: Helps.\n---\nHelp.\n"

Files = dict[str, str | bytes | Node]


def skill(name: str) -> str:
    return SKILL.replace("lint", name)


def manifest(**fields: object) -> str:
    return json.dumps({"name": "kit", **fields})


def ids(found: Package) -> list[str]:
    return [each.id for each in found.artifacts]


def lines(found: Package) -> list[str]:
    return [render(each) for each in found.findings]


def landed(packages: list[Package], harness: str) -> dict[str, str]:
    """Return where each artifact lands: ``PACKAGE:SOURCE`` to its paths."""
    found: dict[str, str] = {}
    for item in plan.make(packages, {}, [harness]).items:
        if item.kind not in ("manifest", "shared"):
            key = f"{item.package}:{item.source}"
            found[key] = f"{found[key]} {item.path}" if key in found else item.path
    return found


def said(packages: list[Package], harness: str, code: str) -> list[str]:
    made = plan.make(packages, {}, [harness])
    found = [*made.findings, *(each for item in made.items for each in item.findings)]
    return [render(each) for each in found if each.code == code]


def outputs(found: Package, harness: str) -> dict[str, tuple[bytes, bool]]:
    files = {}
    for item in plan.make([found], {}, [harness]).items:
        for each in item.render():
            if not isinstance(each, Finding):
                raw = each.content if isinstance(each.content, bytes) else each.content.load()
                files["/".join(filter(None, [item.folder, each.path]))] = (raw, each.executable)
    return files


# --- whose format a file is in

ALIKE = "---\nname: lint\ndescription: Lints.\n---\nFix $ARGUMENTS; awk '{print $1}' and take $1.\n"


@pytest.mark.parametrize("other", [".cursor-plugin/plugin.json", ".codex-plugin/plugin.json"])
@pytest.mark.parametrize("path", ["skills/lint/SKILL.md", "commands/lint.md", "agents/lint.md"])
def test_a_plugin_of_claude_code_stays_one_though_others_declare_its_folders(other: str, path: str) -> None:
    declared = manifest(skills="./skills/", commands="./commands/", agents="./agents/")
    found = package({".claude-plugin/plugin.json": manifest(), other: declared, path: ALIKE})
    assert [each.format for each in found.artifacts] == ["claude"]
    assert outputs(found, "claude")[f"kit/{path}"] == (ALIKE.encode(), False)


def test_a_folder_that_claude_code_does_not_read_is_in_the_format_of_its_manifest() -> None:
    files: Files = {
        ".claude-plugin/plugin.json": manifest(commands="./claude"),
        ".cursor-plugin/plugin.json": manifest(commands="./commands", rules="./rules"),
        "claude/a.md": TEXT,
        "commands/b.md": TEXT,
        "rules/c.md": TEXT,
    }
    assert {each.name: each.format for each in package(files).artifacts} == {
        "a": "claude",
        "b": "cursor",
        "c": "cursor",
    }


# --- nested folders, and skills and packages in one another


@pytest.mark.parametrize(
    ("path", "places"),
    [
        (
            "commands/git/clean.md",
            {
                "antigravity": ".agents/workflows/git-clean.md",
                "claude": "kit/commands/git/clean.md",
                "codex": "skills/git-clean/SKILL.md",
                "cursor": "kit/commands/git-clean.md",
                "gemini": "kit/commands/git/clean.toml",
                "grok": "commands/git-clean.md",
                "opencode": "commands/git/clean.md",
            },
        ),
        (
            "agents/team/helper.md",
            {
                "antigravity": ".agents/agents/team-helper.md",
                "claude": "kit/agents/team/helper.md",
                "codex": "agents/team-helper.toml skills/team-helper/SKILL.md",
                "cursor": "kit/agents/team-helper.md",
                "gemini": "kit/agents/team-helper.md",
                "grok": "agents/team-helper.md",
                "opencode": "agents/team/helper.md",
            },
        ),
        (
            "rules/web/hooks.md",
            {
                "antigravity": ".agents/rules/web-hooks.md",
                "claude": "kit/skills/web-hooks/SKILL.md",
                "codex": "skills/web-hooks/SKILL.md",
                "cursor": "kit/rules/web-hooks.mdc",
                "gemini": "kit/skills/web-hooks/SKILL.md",
                "grok": "skills/web-hooks/SKILL.md",
                "opencode": "skills/web-hooks/SKILL.md",
            },
        ),
    ],
)
def test_a_folder_between_is_part_of_the_name(path: str, places: dict[str, str]) -> None:
    found = [package({path: TEXT})]
    assert {harness: landed(found, harness)[f"kit:{path}"] for harness in ALL} == places


def test_of_one_file_name_in_two_folders_both_are_staged() -> None:
    found = [package({"rules/web/style.md": TEXT, "rules/go/style.md": TEXT, "rules/go-style.md": TEXT})]
    assert sorted(landed(found, "codex").values()) == [
        "skills/go-style-rule/SKILL.md",
        "skills/go-style/SKILL.md",
        "skills/web-style/SKILL.md",
    ]


def test_a_package_in_a_package_is_no_part_of_it() -> None:
    files: Files = {
        ".claude-plugin/plugin.json": manifest(),
        "skills/lint/SKILL.md": SKILL,
        "inner/.claude-plugin/plugin.json": manifest(name="inner"),
        "inner/skills/deep/SKILL.md": skill("deep"),
    }
    assert ids(package(files)) == ["skill/lint"]
    assert ids(package(files, root="inner")) == ["skill/deep"]


@pytest.mark.parametrize("folder", ["rules", "agents", "commands", "skills/inner", "hooks"])
def test_what_a_skill_carries_belongs_to_the_skill(folder: str) -> None:
    path = f"{folder}/x.md" if folder != "skills/inner" else f"{folder}/SKILL.md"
    found = package({"skills/lint/SKILL.md": SKILL, f"skills/lint/{path}": TEXT})
    assert ids(found) == ["skill/lint"]
    for harness in ALL:
        (base,) = landed([found], harness).values()
        assert base.removesuffix("SKILL.md") + path in outputs(found, harness)


def test_a_skill_deep_in_groups_is_known_by_its_own_folder() -> None:
    assert ids(package({"skills/a/b/lint/SKILL.md": SKILL, "skills/a/c/SKILL.md": skill("c")})) == [
        "skill/lint",
        "skill/c",
    ]


def test_two_groups_with_a_skill_of_one_name_lose_neither() -> None:
    found = [package({"skills/a/lint/SKILL.md": SKILL, "skills/b/lint/SKILL.md": SKILL})]
    assert landed(found, "codex") == {
        "kit:skills/a/lint/SKILL.md": "skills/lint/SKILL.md",
        "kit:skills/b/lint/SKILL.md": "skills/lint-2/SKILL.md",
    }
    assert said(found, "codex", "name-taken") == [
        "warning: name-taken: skills/b/lint/SKILL.md: skill 'lint' exists; staged as 'lint-2'"
    ]


@pytest.mark.parametrize("folder", [".kiro/skills/x", ".github/prompts", "docs/skills/x", "tests/skills/x"])
def test_what_lies_elsewhere_is_no_artifact(folder: str) -> None:
    assert ids(package({f"{folder}/SKILL.md": SKILL, "skills/lint/SKILL.md": SKILL})) == ["skill/lint"]


@pytest.mark.parametrize(("below", "shadowed"), [("kit", True), ("kit/skills/lint", True), ("other", False)])
def test_a_skill_of_its_own_is_shadowed_by_the_plugins_above_it(below: str, shadowed: bool) -> None:
    git = {"git": "https://example.com/o/r", "commit": "c" * 40}
    plugin = package(
        {".claude-plugin/plugin.json": manifest(), "skills/lint/SKILL.md": SKILL}, subdir="kit", **git
    )
    single = package({"SKILL.md": SKILL}, id="single", subdir=below, **git)
    made = plan.make([single, plugin, plugin], {}, ["codex"])
    assert [each.message for each in made.findings if each.code == "shadowed"] == [
        "'lint' is left out; plugin 'kit' of the same commit, which brings it, is staged"
    ] * shadowed


# --- documentation files


@pytest.mark.parametrize(
    "name", ["README", "CHANGELOG", "TEMPLATE", "INSTRUCTIONS", "CLAUDE", "CONTRIBUTING"]
)
@pytest.mark.parametrize("folder", ["agents", "commands", "rules", ".claude/commands", "agents/personas"])
def test_a_name_in_capitals_documents_its_folder(folder: str, name: str) -> None:
    found = package({f"{folder}/{name}.md": TEXT})
    assert ids(found) == []
    assert (
        f"info: documentation-file: kit:{folder}/{name}.md: documents its folder; "
        "not staged, a name in lower case would be"
    ) in lines(found)


@pytest.mark.parametrize(
    "name", ["readme-generator", "license-engineer", "changelog", "4.1-Beast", "Readme-writer"]
)
def test_a_name_that_only_starts_like_one_is_an_artifact(name: str) -> None:
    assert ids(package({f"agents/{name}.md": AGENT})) == [f"agent/{name}"]


# --- one name twice


@pytest.mark.parametrize(
    ("kinds", "taken"),
    [
        (
            ("skills/x/SKILL.md", "commands/x.md"),
            {"antigravity": "x-command", "codex": "x-command", "grok": "x-command"},
        ),
        (("skills/x/SKILL.md", "agents/x.md"), {"codex": "x-agent"}),
        (
            ("skills/x/SKILL.md", "rules/x.md"),
            dict.fromkeys(["claude", "codex", "gemini", "grok", "opencode"], "x-rule"),
        ),
        (("commands/x.md", "rules/x.md"), {"codex": "x-rule", "grok": "x-rule"}),
    ],
)
def test_of_two_kinds_with_one_name_the_converted_one_gives_way(
    kinds: tuple[str, str], taken: dict[str, str]
) -> None:
    found = [package(dict.fromkeys(kinds, TEXT))]
    lost = {harness: said(found, harness, "name-taken") for harness in ALL}
    assert {harness: rows for harness, rows in lost.items() if rows}.keys() == taken.keys()
    assert all(
        len(rows) == 1 and rows[0].endswith(f"staged as '{taken[h]}'") for h, rows in lost.items() if rows
    )


@pytest.mark.parametrize("path", ["commands/x.md", "agents/x.md", "rules/x.md", "skills/x/SKILL.md"])
def test_an_agents_own_copy_wins_there_and_the_roots_elsewhere(path: str) -> None:
    found = [package({path: TEXT, f".opencode/{path}": TEXT.replace("Do", "Try")})]
    for harness in ALL:
        loser, winner = (path, f".opencode/{path}") if harness == "opencode" else (f".opencode/{path}", path)
        assert said(found, harness, "shadowed") == [
            f"warning: shadowed: kit:{loser}: {harness}: 'x' is left out; '{winner}' is staged"
        ]
        assert list(landed(found, harness)) == [f"kit:{winner}"]


# --- supporting files


def test_supporting_files_keep_bytes_and_execute_bits() -> None:
    binary = b"\x89PNG\r\n\x1a\n\0\xff"
    kinds = {
        "run.sh": b"#!/bin/sh\n",
        "logo.png": binary,
        "NOTES.md": b"\xff",
        "check": b"x",
        ".gitignore": b"a\n",
    }
    files: Files = {"skills/lint/SKILL.md": File("k", executable=True, size=len(SKILL), load=SKILL.encode)}
    for name, raw in kinds.items():
        for executable in (True, False):
            path = f"skills/lint/{'x' if executable else 'plain'}/{name}"
            files[path] = File(path, executable=executable, size=len(raw), load=lambda raw=raw: raw)
    found = package(files)
    for harness in ALL:
        (base,) = landed([found], harness).values()
        folder = base.removesuffix("SKILL.md")
        staged = {path.removeprefix(folder): each for path, each in outputs(found, harness).items()}
        assert {name: staged[f"x/{name}"] for name in kinds} == {
            name: (raw, True) for name, raw in kinds.items()
        }
        assert {name: staged[f"plain/{name}"] for name in kinds} == {
            name: (raw, False) for name, raw in kinds.items()
        }
        assert staged["SKILL.md"][1] is True


def test_a_place_of_artifacts_that_is_not_read_is_said() -> None:
    files = {".opencode/agent/a.md": AGENT, ".agents/workflows/w.md": TEXT, "skills/lint/SKILL.md": SKILL}
    assert lines(package(files)) == [
        f"warning: place-not-read: kit:{place}: is a place of artifacts that is not read; "
        "nothing in it is staged, declare it in a manifest"
        for place in (".opencode/agent", ".agents/workflows")
    ]
    declared = {**files, ".claude-plugin/plugin.json": manifest(agents="./.opencode/agent")}
    assert [each.path for each in package(declared).findings if each.code == "place-not-read"] == [
        ".agents/workflows"
    ]


def test_what_a_plugin_holds_beside_artifacts_is_said() -> None:
    files = {".claude-plugin/plugin.json": manifest(), "bin/tool": "x", "skills/lint/SKILL.md": SKILL}
    assert lines(package(files)) == [
        "warning: not-staged: kit:bin: bin declared here; this version does not stage that kind yet"
    ]


def test_files_that_are_nearly_artifacts_are_said() -> None:
    files = {"skills/low/skill.md": SKILL, "skills/x/n.md": "x", "agents/a.toml": "x", "agents/b.md": AGENT}
    assert sorted(lines(package(files))) == [
        "warning: not-an-artifact: kit:agents/a.toml: an agent is a Markdown file; not staged",
        "warning: not-an-artifact: kit:skills/low/skill.md: a skill's file is called SKILL.md; not staged",
        "warning: not-an-artifact: kit:skills/x: holds no SKILL.md; not staged",
    ]


def test_what_a_manifest_says_to_another_harness_alone_is_said() -> None:
    fields = manifest(version="1.0.0", excludeTools=["run_shell_command"], plan={"directory": "p"})
    made = package({"gemini-extension.json": fields, "skills/lint/SKILL.md": SKILL})
    found = plan.make([made], {}, ["codex", "gemini"]).findings
    assert [render(each) for each in found] == [
        "warning: guard-lost: kit:gemini-extension.json: codex: "
        "'excludeTools' ([\"run_shell_command\"]) restricts nothing there",
        "warning: field-dropped: kit:gemini-extension.json: codex: 'plan' has no effect there",
    ]
