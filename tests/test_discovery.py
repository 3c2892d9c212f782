import json

import pytest
from tackroom.packages import catalogue, discovery
from tackroom.packages.findings import render
from tackroom.packages.manifest import Manifest
from tackroom.packages.model import Link, Node
from tackroom.packages.package import Package, Source
from tackroom.packages.tree import Tree

from making import file

SKILL = "---\nname: lint\ndescription: Lints.\n---\nLint.\n"
TEXT = "---\ndescription: Does it.\n---\nDo it.\n"


def package(files: dict[str, str | bytes | Node], **source: object) -> Package:
    nodes = {path: file(each) if isinstance(each, str | bytes) else each for path, each in files.items()}
    return discovery.read(Source("kit", Tree(nodes), **source))  # type: ignore[arg-type]


def ids(found: Package) -> list[str]:
    return [each.id for each in found.artifacts]


def lines(found: Package) -> list[str]:
    return [render(each) for each in found.findings]


def manifest(**fields: object) -> str:
    return json.dumps({"name": "kit", **fields})


# --- default folders


def test_every_default_folder_is_read() -> None:
    files = {"skills/lint/SKILL.md": SKILL, "commands/a.md": TEXT, "agents/b.md": TEXT, "rules/c.mdc": TEXT}
    assert ids(package(files)) == ["skill/lint", "command/a", "agent/b", "rule/c"]


@pytest.mark.parametrize(
    ("vendor", "format_id"),
    [
        (".claude", "claude"),
        (".cursor", "cursor"),
        (".opencode", "opencode"),
        (".agents", "antigravity"),
        (".grok", "grok"),
    ],
)
def test_an_agents_own_folder_decides_the_format(vendor: str, format_id: str) -> None:
    found = package({f"{vendor}/commands/a.md": TEXT})
    assert [(each.id, each.vendor, each.format) for each in found.artifacts] == [
        ("command/a", vendor, format_id)
    ]


def test_a_rule_with_cursors_suffix_is_in_cursors_format_wherever_it_lies() -> None:
    found = package({"rules/a.mdc": TEXT, "rules/b.md": TEXT})
    assert {each.name: each.format for each in found.artifacts} == {"a": "cursor", "b": "claude"}


@pytest.mark.parametrize(
    ("manifests", "format_id"),
    [
        ({}, "claude"),
        ({".cursor-plugin/plugin.json": {}}, "cursor"),
        ({".codex-plugin/plugin.json": {}}, "claude"),  # Codex has no agents of this form
        ({"gemini-extension.json": {}}, "gemini"),
        ({".cursor-plugin/plugin.json": {}, ".claude-plugin/plugin.json": {}}, "claude"),
        # Claude Code reads its default folder unasked, unless its own manifest names another
        ({".cursor-plugin/plugin.json": {"agents": "./agents"}, ".claude-plugin/plugin.json": {}}, "claude"),
        (
            {
                ".cursor-plugin/plugin.json": {"agents": "./agents"},
                ".claude-plugin/plugin.json": {"agents": []},
            },
            "cursor",
        ),
    ],
)
def test_the_format_of_a_bare_file_is_its_manifests(
    manifests: dict[str, dict[str, object]], format_id: str
) -> None:
    files: dict[str, str | bytes | Node] = {path: manifest(**fields) for path, fields in manifests.items()}
    found = package({**files, "agents/a.md": TEXT})
    assert [each.format for each in found.artifacts] == [format_id]


def test_nested_names_are_joined() -> None:
    found = package({"commands/git/commit.md": TEXT})
    assert ids(found) == ["command/git-commit"]
    assert found.artifacts[0].segments == ("git", "commit")


def test_an_agent_may_be_a_folder_with_an_agent_in_it() -> None:
    assert ids(package({".agents/agents/helper/agent.md": TEXT})) == ["agent/helper"]


def test_a_group_of_skills_is_no_part_of_their_names() -> None:
    assert ids(package({"skills/group/deep/lint/SKILL.md": SKILL})) == ["skill/lint"]


def test_a_skill_inside_a_skill_is_one_of_its_supporting_files() -> None:
    found = package({"skills/lint/SKILL.md": SKILL, "skills/lint/examples/other/SKILL.md": SKILL})
    assert ids(found) == ["skill/lint"]
    assert [each.path for each in found.artifacts[0].files] == ["examples/other/SKILL.md"]


def test_documentation_in_capitals_is_no_artifact_but_lower_case_is() -> None:
    files = {
        f"commands/{name}.md": TEXT
        for name in ("README", "A/CHANGELOG", "A/TEMPLATE", "README.fr", "changelog", "index", "template")
    }
    found = package(files)
    assert sorted(ids(found)) == ["command/changelog", "command/index", "command/template"]
    line = (
        "info: documentation-file: kit:commands/README.md: documents its folder; not "
        "staged, a name in lower case would be"
    )
    assert line in lines(found)


def test_a_flat_file_among_skills_is_said_to_be_none() -> None:
    found = package({"skills/lint.md": SKILL})
    assert lines(found) == [
        "warning: not-an-artifact: kit:skills/lint.md: a skill is a folder with a SKILL.md in it; not staged"
    ]


def test_a_package_that_holds_nothing_says_so() -> None:
    assert lines(package({"docs/x.md": TEXT})) == [
        "warning: nothing-found: kit: holds no commands, agents, skills or rules; "
        "check its 'subdir' or 'path'"
    ]


# --- declared paths


def test_declared_paths_add_to_the_default_folders() -> None:
    files = {
        ".claude-plugin/plugin.json": manifest(commands="./more", agents=["./one.md"]),
        "commands/a.md": TEXT,
        "more/b.md": TEXT,
        "one.md": TEXT,
    }
    assert ids(package(files)) == ["command/a", "command/b", "agent/one"]


def test_a_declared_skill_may_be_a_folder_of_skills_a_skill_or_its_file() -> None:
    files = {
        ".codex-plugin/plugin.json": manifest(skills=["./set", "./single", "./other/SKILL.md"]),
        "set/a/SKILL.md": SKILL,
        "single/SKILL.md": SKILL,
        "other/SKILL.md": SKILL,
    }
    assert ids(package(files)) == ["skill/a", "skill/single", "skill/other"]


def test_a_declared_folder_of_links_is_followed_inside_the_package() -> None:
    files = {
        ".codex-plugin/plugin.json": manifest(skills="./.codex/skills/"),
        ".codex/skills/lint": Link("../../engineering/skills/lint"),
        "engineering/skills/lint/SKILL.md": SKILL,
        "engineering/skills/lint/run.sh": "echo",
    }
    found = package(files)
    assert ids(found) == ["skill/lint"]
    assert [each.path for each in found.artifacts[0].files] == ["run.sh"]


def test_a_file_is_staged_once_however_many_ways_lead_to_it() -> None:
    files = {
        ".claude-plugin/plugin.json": manifest(commands=["./commands/a.md", "./commands"]),
        ".cursor-plugin/plugin.json": manifest(commands="commands"),
        "commands/a.md": TEXT,
        ".claude/commands": Link("../commands"),
    }
    assert ids(package(files)) == ["command/a"]


@pytest.mark.parametrize(
    ("declared", "line"),
    [
        (
            "./gone",
            "path-missing: kit:.claude-plugin/plugin.json: './gone' does not exist in the package; skipped",
        ),
        ("../x", "path-outside: kit:.claude-plugin/plugin.json: '../x' leaves the package; skipped"),
        ("/opt/x", "path-outside: kit:.claude-plugin/plugin.json: '/opt/x' leaves the package; skipped"),
        ("C:\\x", "path-outside: kit:.claude-plugin/plugin.json: 'C:\\x' leaves the package; skipped"),
    ],
)
def test_a_declared_path_that_leads_nowhere_is_skipped_by_name(declared: str, line: str) -> None:
    assert lines(package({".claude-plugin/plugin.json": manifest(skills=declared)})) == ["warning: " + line]


def test_components_written_inline_are_skipped_by_name() -> None:
    found = package({".claude-plugin/plugin.json": manifest(commands={"deploy": {"content": "Deploy."}})})
    assert lines(found) == [
        "warning: inline-component: kit:.claude-plugin/plugin.json: "
        "'deploy' in 'commands' is written inline in the manifest; skipped, move it to a file"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "1: is not JSON: expecting property name enclosed in double quotes"),
        ("[]", " is not a JSON object"),
        ("[" * 100_000, " is not JSON that can be read"),
        (b"\xff\xfe", " is not UTF-8"),
    ],
)
def test_a_manifest_that_does_not_parse_stops_nothing(text: str | bytes, problem: str) -> None:
    found = package({".claude-plugin/plugin.json": text, "commands/a.md": TEXT})
    assert ids(found) == ["command/a"]
    assert lines(found)[0] == (
        f"warning: manifest-unreadable: kit:.claude-plugin/plugin.json:{problem}; that part is not used"
    )


def test_a_field_of_the_wrong_form_stops_nothing() -> None:
    found = package({".claude-plugin/plugin.json": manifest(commands=[7]), "commands/a.md": TEXT})
    assert ids(found) == ["command/a"]
    assert lines(found) == [
        "warning: manifest-unreadable: kit:.claude-plugin/plugin.json: "
        "'commands' holds 7 where a path belongs; that part is not used"
    ]


# --- links


def test_links_that_leave_break_or_loop_are_each_said_once() -> None:
    files = {
        "skills/out": Link("../../else"),
        "skills/gone": Link("../nothing"),
        "skills/loop": Link("loop"),
        ".claude/skills": Link("../skills"),
    }
    assert lines(package(files))[:3] == [
        "warning: link-broken: kit:skills/gone: link to '../nothing' points to nothing; skipped",
        "warning: link-loop: kit:skills/loop: link to 'loop' loops; skipped",
        "warning: link-outside: kit:skills/out: link to '../../else' leaves the package; skipped",
    ]


def test_groups_of_links_to_groups_end() -> None:
    files: dict[str, str | bytes | Node] = {"skills/g0/lint/SKILL.md": SKILL}
    for level in range(1, 60):
        files |= {f"skills/g{level}/{name}": Link(f"../g{level - 1}") for name in "abc"}
    assert ids(package(files)) == ["skill/lint"]


# --- one skill, and content that is not there


def test_a_skill_at_the_root_is_the_whole_package_but_version_control() -> None:
    files = {"SKILL.md": SKILL, "scripts/x.sh": "x", ".github/workflows/ci.yml": "x", "agents/a.md": TEXT}
    found = package(files)
    assert ids(found) == ["skill/lint"]
    assert [each.path for each in found.artifacts[0].files] == ["agents/a.md", "scripts/x.sh"]


def test_a_skill_at_the_root_without_a_name_has_the_packages_key() -> None:
    assert ids(package({"SKILL.md": "Lint.\n"})) == ["skill/kit"]


def test_a_pointer_to_large_file_storage_is_said() -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12345\n"
    found = package({"skills/lint/SKILL.md": SKILL, "skills/lint/logo.png": pointer, "agents/a.md": pointer})
    assert ids(found) == ["skill/lint"]
    assert [each for each in lines(found) if "lfs" in each] == [
        "warning: lfs-pointer: kit:skills/lint/logo.png: is a Git LFS pointer; the file "
        "itself is not in the repository",
        "warning: lfs-pointer: kit:agents/a.md: is a Git LFS pointer; the file itself is "
        "not in the repository",
    ]


def test_what_is_not_staged_yet_is_said_where_it_is_declared() -> None:
    files = {
        "hooks/hooks.json": "{}",
        ".claude-plugin/plugin.json": manifest(mcpServers={"a": {}}),
        "CLAUDE.md": "x",
    }
    assert lines(package(files)) == [
        "warning: not-staged: kit:hooks/hooks.json: hook declared here; this version "
        "does not stage that kind yet",
        "warning: not-staged: kit:.claude-plugin/plugin.json: mcp declared here; "
        "this version does not stage that kind yet",
        "info: instructions-not-staged: kit:CLAUDE.md: speaks of the package's own repository; not staged",
    ]


def test_an_artifact_only_in_one_agents_folder_of_a_plugin_is_said() -> None:
    found = package({".claude-plugin/plugin.json": manifest(), ".cursor/agents/a.md": TEXT})
    assert lines(found) == [
        "info: vendor-folder: kit:.cursor/agents/a.md: 'a' is only under '.cursor'; staged for every harness"
    ]


# --- catalogues


def entries(plugins: list[object], **more: object) -> catalogue.Catalogue:
    text = json.dumps({"name": "m", "plugins": plugins, **more})
    found = catalogue.read(Tree({".claude-plugin/marketplace.json": file(text)}))
    assert found
    return found


@pytest.mark.parametrize(
    ("source", "root", "subdir"),
    [
        ("./plugins/a", "", "plugins/a"),
        ("a", "./plugins", "plugins/a"),
        ("./plugins/a", "./plugins", "plugins/a"),
        ("./", "", ""),
        ({"source": "local", "path": "./x"}, "", "x"),
    ],
)
def test_where_an_entry_of_the_same_repository_lies(source: object, root: str, subdir: str) -> None:
    found = entries([{"name": "a", "source": source}], metadata={"pluginRoot": root})
    assert (found.entries["a"].subdir, found.entries["a"].problem) == (subdir, "")


@pytest.mark.parametrize(
    ("source", "git", "rev", "subdir"),
    [
        ({"source": "github", "repo": "o/r"}, "https://github.com/o/r", "", ""),
        ({"source": "url", "url": "https://h/r.git", "ref": "v1"}, "https://h/r.git", "v1", ""),
        (
            {"source": "git-subdir", "url": "https://h/r", "path": "p/q", "ref": "v1", "sha": "a" * 40},
            "https://h/r",
            "a" * 40,
            "p/q",
        ),
    ],
)
def test_where_an_entry_of_another_repository_lies(source: object, git: str, rev: str, subdir: str) -> None:
    found = entries([{"name": "a", "source": source}]).entries["a"]
    assert (found.git, found.rev, found.subdir, found.problem) == (git, rev, subdir, "")


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("../x", "its source '../x' leaves the repository"),
        ("/x", "its source '/x' leaves the repository"),
        ({"source": "npm", "package": "x"}, "its source is of the kind 'npm', which is not a git repository"),
        (
            {"source": "archive", "url": "u"},
            "its source is of the kind 'archive', which is not a git repository",
        ),
        (None, "has no source"),
    ],
)
def test_an_entry_that_cannot_be_had_says_why(source: object, problem: str) -> None:
    assert entries([{"name": "a", "source": source}]).entries["a"].problem == problem


def test_an_entry_without_a_usable_name_is_said() -> None:
    found = entries([{"name": 5, "source": "./a"}, {"name": "b", "source": "./b"}])
    assert list(found.entries) == ["b"]
    assert render(found.findings[0]) == (
        "warning: manifest-unreadable: .claude-plugin/marketplace.json: "
        "an entry has no usable name of its own: '5'; that part is not used"
    )


def test_an_entry_without_a_manifest_of_its_own_is_the_manifest() -> None:
    entry = Manifest(".claude-plugin/marketplace.json", "claude", {"name": "a", "commands": "./extra"})
    found = package({"plugins/a/extra/x.md": TEXT}, root="plugins/a", entry=entry)
    assert ids(found) == ["command/x"]
    assert found.is_plugin


def test_entries_that_share_the_repositorys_root_have_only_what_they_list() -> None:
    entry = Manifest(".claude-plugin/marketplace.json", "claude", {"name": "a", "skills": ["./skills/one"]})
    files = {"skills/one/SKILL.md": SKILL, "skills/two/SKILL.md": SKILL, "commands/c.md": TEXT}
    assert ids(package(files, entry=entry, replaces=True)) == ["skill/one"]
