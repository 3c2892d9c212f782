"""Odd shapes of packages that are real: links, manifests, declared paths, catalogues."""

import json
import sys
from pathlib import Path

import pytest
from tackroom.packages import catalogue
from tackroom.packages.findings import render
from tackroom.packages.model import Link, Node
from tackroom.packages.package import Package

from building import Workspace
from making import package, tree

SKILL = "---\nname: lint\ndescription: Lints.\n---\nLint.\n"
OTHER = SKILL.replace("lint", "other")
TEXT = "---\ndescription: Does it.\n---\nDo it.\n"
AGENT = "---\nname: helper\ndescription: Helps.\n---\nHelp.\n"

Files = dict[str, str | bytes | Node]


def manifest(**fields: object) -> str:
    return json.dumps({"name": "kit", **fields})


def ids(found: Package) -> list[str]:
    return [each.id for each in found.artifacts]


def lines(found: Package) -> list[str]:
    return [render(each) for each in found.findings]


# --- links


def test_links_to_a_file_and_to_a_folder_are_what_they_lead_to() -> None:
    found = package(
        {
            ".claude/skills": Link("../.agents/skills"),
            ".agents/skills/lint/SKILL.md": SKILL,
            ".agents/skills/lint/notes.md": Link("../../../docs/notes.md"),
            "docs/notes.md": "Notes.\n",
            "agents/helper.md": Link("../docs/helper.md"),
            "docs/helper.md": AGENT,
        }
    )
    assert ids(found) == ["agent/helper", "skill/lint"]
    assert [each.file.load() for each in found.artifacts[1].files] == [b"Notes.\n"]


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("../../../gone/SKILL.md", "link-broken: kit:{}: link to '../../../gone/SKILL.md' points to nothing"),
        ("../../../../SKILL.md", "link-outside: kit:{}: link to '../../../../SKILL.md' leaves the package"),
        ("/etc/passwd", "link-outside: kit:{}: link to '/etc/passwd' leaves the package"),
        ("SKILL.md", "link-loop: kit:{}: link to 'SKILL.md' loops"),
    ],
)
def test_a_skill_whose_file_is_a_link_to_nowhere_is_skipped_by_name(target: str, line: str) -> None:
    path = ".claude/skills/lint/SKILL.md"
    found = package({path: Link(target), "skills/other/SKILL.md": OTHER})
    assert ids(found) == ["skill/other"]
    assert lines(found) == [f"warning: {line.format(path)}; skipped"]


@pytest.mark.parametrize("folder", [".claude-plugin", ".cursor-plugin", ".codex-plugin"])
def test_a_manifest_behind_a_link_that_leaves_is_said(folder: str) -> None:
    found = package({folder: Link("../outside"), "skills/lint/SKILL.md": SKILL})
    assert ids(found) == ["skill/lint"]
    assert lines(found) == [
        f"warning: link-outside: kit:{folder}: link to '../outside' leaves the package; skipped"
    ]


def test_a_manifest_behind_a_link_that_stays_is_read() -> None:
    found = package(
        {".claude-plugin": Link("meta"), "meta/plugin.json": manifest(commands="./x"), "x/a.md": TEXT}
    )
    assert ids(found) == ["command/a"]


# --- manifests and declared paths


@pytest.mark.parametrize("path", [".claude-plugin", ".cursor-plugin", ".codex-plugin"])
@pytest.mark.parametrize("declared", ["./more", "./more/", "more", ["./more"], ["./more/", "more"]])
def test_a_declared_folder_in_any_spelling_is_read(path: str, declared: object) -> None:
    files: Files = {f"{path}/plugin.json": manifest(skills=declared), "more/lint/SKILL.md": SKILL}
    assert ids(package(files)) == ["skill/lint"]


def test_declared_files_at_the_root_are_the_agents() -> None:
    files: Files = {
        ".claude-plugin/plugin.json": manifest(agents=["./helper.md", "./net-4.8.md", "./gone.md"]),
        "helper.md": AGENT,
        "net-4.8.md": AGENT.replace("helper", "net"),
        "undeclared.md": AGENT,
    }
    found = package(files)
    assert ids(found) == ["agent/helper", "agent/net-4.8"]
    assert lines(found) == [
        "warning: path-missing: kit:.claude-plugin/plugin.json: "
        "'./gone.md' does not exist in the package; skipped"
    ]


@pytest.mark.parametrize(
    "declared", ["../shared/", "./a/../../shared", "/opt/shared/skills", "~/skills", "https://h/x"]
)
def test_a_declared_path_that_leaves_is_skipped_by_name(declared: str) -> None:
    found = package({".codex-plugin/plugin.json": manifest(skills=declared), "skills/lint/SKILL.md": SKILL})
    assert ids(found) == ["skill/lint"]
    assert lines(found) == [
        f"warning: path-outside: kit:.codex-plugin/plugin.json: '{declared}' leaves the package; skipped"
    ]


def test_a_path_that_leaves_the_package_but_not_the_catalogues_repository_is_read() -> None:
    files: Files = {
        "plugins/kit/.codex-plugin/plugin.json": manifest(skills="../shared/"),
        "plugins/shared/lint/SKILL.md": SKILL,
    }
    assert ids(package(files, root="plugins/kit")) == ["skill/lint"]


# --- catalogues


def entries(rows: list[object], **more: object) -> dict[str, catalogue.Entry]:
    text = json.dumps({"name": "m", "plugins": rows, **more})
    found = catalogue.read(tree({".claude-plugin/marketplace.json": text}))
    assert found
    return dict(found.entries)


def test_a_string_that_is_an_address_is_no_folder() -> None:
    found = entries([{"name": "a", "source": "https://example.com/o/r"}])["a"]
    assert found.problem == "its source 'https://example.com/o/r' leaves the repository"


@pytest.mark.parametrize("root", ["../other", "/opt", "./plugins/../.."])
def test_a_plugin_root_that_leaves_takes_its_entries_along(root: str) -> None:
    found = entries([{"name": "a", "source": "./kit"}], metadata={"pluginRoot": root})["a"]
    assert found.problem == "its source './kit' leaves the repository"


@pytest.mark.parametrize("strict", [True, False])
def test_an_entry_is_the_manifest_of_a_folder_without_one(strict: bool) -> None:
    row = {"name": "go", "source": "./go", "strict": strict, "agents": ["./extra/helper.md"]}
    files: Files = {"go/extra/helper.md": AGENT, "go/commands/a.md": TEXT}
    found = package(files, root="go", entry=entries([row])["go"].manifest)
    assert ids(found) == ["command/a", "agent/helper"]
    assert found.is_plugin


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
def test_an_entry_whose_folder_is_a_link_is_what_the_link_leads_to(tmp_path: Path) -> None:
    rows = [{"name": name, "source": f"./plugins/{name}"} for name in ("linked", "out", "loop")]
    workspace = Workspace(
        tmp_path / "ws",
        {
            "m/.claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": rows}),
            "m/tools/commands/review.md": TEXT,
            "m/plugins/note": "",
        },
        'harnesses: [claude]\npackages:\n  m: {path: m, plugins: "*"}\n',
    )
    for name, target in (("linked", "../tools"), ("out", "../../.."), ("loop", "loop")):
        (workspace.folder / "m/plugins" / name).symlink_to(target)
    outcome = workspace.scons()
    assert outcome.staged == ["claude m.linked"]
    assert [line for line in outcome.lines if "entry-skipped" in line] == [
        "warning: entry-skipped: m:.claude-plugin/marketplace.json: "
        f"plugin '{name}': its folder 'plugins/{name}' does not exist; skipped"
        for name in ("loop", "out")
    ]
