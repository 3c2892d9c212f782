"""Which units are staged anew when tackroom's own code changed, and that no file is written for it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from building import PLUGIN, SITE, Workspace
from watching import Watched, staged, watch

YAML = "harnesses: [claude, codex]\npackages:\n  kit: {path: kit}\n"


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    return staged(tmp_path_factory.mktemp("spaces"), 5, PLUGIN, YAML)


@pytest.fixture
def workspace(spaces: Iterator[Workspace]) -> Workspace:
    """A workspace that was staged."""
    return next(spaces)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of tackroom, which may be changed."""
    for each in ("site_scons", "packages", "harnesses"):
        shutil.copytree(SITE.parent / each, tmp_path / each)
    shutil.copy(SITE.parent / "SConstruct", tmp_path)
    return tmp_path


def edit(path: Path) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("# a comment\n")


def run(workspace: Workspace, checkout: Path) -> Watched:
    return watch(workspace, PYTHONPATH=str(checkout / "site_scons"))


def test_other_code_of_a_harness_stages_that_harness_alone(workspace: Workspace, checkout: Path) -> None:
    edit(checkout / "harnesses/codex/writer.py")
    first = run(workspace, checkout)
    assert first.outcome.staged == ["codex kit"]
    assert not first.outputs
    assert first.units == {"~ codex.kit"}
    assert run(workspace, checkout).wrote_nothing


@pytest.mark.parametrize(
    "file", ["packages/model.py", "harnesses/markdown.py", "site_scons/tackroom/shadowing.py"]
)
def test_code_that_all_harnesses_share_stages_everything(
    workspace: Workspace, checkout: Path, file: str
) -> None:
    edit(checkout / file)
    first = run(workspace, checkout)
    assert first.outcome.staged == ["claude kit", "codex kit"]
    assert not first.outputs


def test_the_same_code_in_another_place_stages_nothing(workspace: Workspace, checkout: Path) -> None:
    first = run(workspace, checkout)
    assert first.outcome.staged == []
    assert first.state == {"~ memory", "~ turn"}
    assert run(workspace, checkout).wrote_nothing
