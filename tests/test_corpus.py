"""A folder of real packages, if there is one: nothing stops, nothing is lost, nothing leaves its place.

``TACKROOM_CORPUS`` names the folder; else ``shared/corpus`` beside the checkout.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tackroom.packages import discovery
from tackroom.packages.findings import Finding, render
from tackroom.packages.folder import read_folder
from tackroom.packages.names import illegal, same
from tackroom.packages.package import Package, Source
from tackroom.packages.tree import join

import corpus
from tackroom import harnesses, plan

FOLDER = Path(os.environ.get("TACKROOM_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="there is no corpus; name one in TACKROOM_CORPUS")


@pytest.fixture(scope="module")
def packages() -> list[Package]:
    folders = corpus.packages(FOLDER)
    return [discovery.read(Source(f"p{n}", read_folder(each))) for n, each in enumerate(folders)]


def outputs(made: plan.Plan) -> Iterator[tuple[plan.Item, str, bytes]]:
    """Yield each file that a plan stages: its item, its path and its content."""
    for item in made.items:
        for each in item.render():
            if not isinstance(each, Finding):
                content = each.content if isinstance(each.content, bytes) else each.content.load()
                yield item, join(item.folder, each.path), content


def test_every_artifact_is_in_every_harness(packages: list[Package]) -> None:
    made = plan.make(packages, {}, harnesses.ids())
    for harness in harnesses.ids():
        staged = {(item.package, item.source) for item in made.items if item.harness == harness}
        shadowed = {(f.package, f.path) for f in made.findings if f.code == "shadowed"}
        for package in packages:
            for artifact in package.artifacts:
                assert (package.id, artifact.path) in staged | shadowed


@pytest.mark.parametrize("harness", harnesses.ids())
def test_outputs_have_legal_names_of_their_own(packages: list[Package], harness: str) -> None:
    seen: set[str] = set()
    for _, path, _ in outputs(plan.make(packages, {}, [harness])):
        assert not any(illegal(part) for part in path.split("/")), path
        assert same(path) not in seen, path
        seen.add(same(path))


@pytest.mark.parametrize("harness", harnesses.ids())
def test_every_item_is_staged_and_every_finding_is_one_line(packages: list[Package], harness: str) -> None:
    for item in plan.make(packages, {}, [harness]).items:
        found = list(item.render())
        lines = [render(each) for each in found if isinstance(each, Finding)]
        assert len(lines) < len(found) or any("body-not-text" in line for line in lines), item.id
        assert all(line.isprintable() for line in lines), lines


def test_what_is_read_is_the_same_each_time(packages: list[Package]) -> None:
    once, again = (
        {path: content for _, path, content in outputs(plan.make(packages, {}, ["codex"]))} for _ in range(2)
    )
    assert once == again
