"""``JSON=FILE``: all that is staged and found, for machines."""

import json
from pathlib import Path

import pytest

from building import PLUGIN, Workspace

COMMAND_OUT = ".tackroom/stage/claude/kit/commands/review.md"
MARKETPLACE = ".tackroom/stage/cursor/.cursor-plugin/marketplace.json"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def test_the_json_report_is_whole_and_has_no_path_of_this_machine(workspace: Workspace) -> None:
    workspace.scons()
    workspace.scons("JSON=report.json")
    text = workspace.read("report.json")
    report = json.loads(text)
    assert report["version"] == 1
    assert [each["id"] for each in report["packages"]] == ["kit"]
    assert report["staged"][1] == {
        "harness": "claude",
        "layout": "bundle",
        "path": COMMAND_OUT,
        "kind": "command",
        "name": "review",
        "as": {"kind": "command", "name": "review"},
        "package": "kit",
        "commit": "",
        "source": "commands/review.md",
        "mode": "0644",
        "xxh3_128": report["staged"][1]["xxh3_128"],
    }
    assert str(workspace.folder) not in text


def test_a_file_that_packages_share_is_of_no_package(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "ws", PLUGIN, "harnesses: [cursor]\npackages:\n  kit: {path: kit}\n")
    workspace.scons("JSON=report.json")
    rows = {each["path"]: each for each in json.loads(workspace.read("report.json"))["staged"]}
    assert rows[MARKETPLACE]["package"] == ""
    assert {each["package"] for path, each in rows.items() if path != MARKETPLACE} == {"kit"}
