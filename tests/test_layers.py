"""The house's rules that no type checker holds: who imports whom, who runs what, who names a harness."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from building import SITE
from tackroom import docs, harnesses

TOP = Path(__file__).parents[1]
FLOORS = {"packages": TOP / "packages", "harnesses": TOP / "harnesses", "tackroom": SITE / "tackroom"}
SOURCES = sorted(path for folder in FLOORS.values() for path in folder.rglob("*.py"))


def shown(path: Path) -> str:
    return path.relative_to(TOP).as_posix()


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def floor(name: str) -> str:
    """Return the floor that an import leads to; empty where it is none of ours."""
    found = re.match(r"tackroom(?:\.(packages|harnesses))?(?:\.|$)", name)
    return (found[1] or "tackroom") if found else ""


@pytest.mark.parametrize(
    ("here", "allowed"),
    [
        ("packages", {"packages"}),
        ("harnesses", {"packages", "harnesses"}),
        ("tackroom", {"packages", "harnesses", "tackroom"}),
    ],
)
def test_each_floor_imports_only_those_below(here: str, allowed: set[str]) -> None:
    for path in sorted(FLOORS[here].rglob("*.py")):
        assert {floor(each) for each in imports(path)} - {""} <= allowed, shown(path)


def test_no_harness_imports_another() -> None:
    for each in harnesses.ids():
        others = [f"tackroom.harnesses.{other}." for other in harnesses.ids() if other != each]
        for path in (TOP / "harnesses" / each).glob("*.py"):
            assert not [name for name in imports(path) if name.startswith(tuple(others))], shown(path)


def test_only_the_graph_and_the_tool_import_scons() -> None:
    found = {shown(path) for path in SOURCES if any(each.split(".")[0] == "SCons" for each in imports(path))}
    assert found == {
        "site_scons/tackroom/cli.py",  # starts it
        "site_scons/tackroom/graph.py",
        "site_scons/tackroom/scons_tool.py",
    }


def test_only_the_store_runs_programs() -> None:
    found = {
        shown(path) for path in SOURCES if any(each.split(".")[0] == "subprocess" for each in imports(path))
    }
    assert found == {"packages/store.py"}


def test_writers_touch_no_disk() -> None:
    for path in (TOP / "harnesses").rglob("*.py"):
        assert not {"os", "pathlib", "io", "shutil", "tempfile"} & {
            each.split(".")[0] for each in imports(path)
        }


def test_nothing_outside_its_folder_spells_a_harness() -> None:
    words = re.compile(r"[\"'](" + "|".join(harnesses.ids()) + r")[\"']")
    allowed = {
        "packages/formats.py",
        "packages/discovery.py",
    }  # formats of packages, which have the same words
    for path in SOURCES:
        inside = path.parent.parent == TOP / "harnesses"
        if not inside and shown(path) not in allowed:
            assert not words.findall(path.read_text(encoding="utf-8")), shown(path)


def test_files_and_functions_stay_short() -> None:
    lengths = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= 400, shown(path)
        nodes = (each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef))
        lengths += [each.end_lineno - each.lineno + 1 for each in nodes if each.end_lineno]
    lengths.sort()
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 9 // 10] <= 30


def test_the_floors_are_imported_under_one_name() -> None:
    code = (
        "import sys, tackroom.plan, tackroom.harnesses as h; [h.get(each) for each in h.ids()]; "
        "print([each for each in sys.modules if each.split('.')[0] in ('packages', 'harnesses')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SITE)}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_importing_costs_no_more_than_is_needed() -> None:
    code = "import sys, tackroom.cli; print(sorted({'SCons', 'tomli_w', 'filelock'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SITE)}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr


def test_facts_are_had_without_a_writer() -> None:
    code = (
        "import sys, tackroom.harnesses as h; [h.get(each).facts for each in h.ids()]; "
        "print({each.rpartition('.')[2] for each in sys.modules if each.startswith(h.__name__ + '.')})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(SITE)}, capture_output=True, text=True
    )
    assert ast.literal_eval(done.stdout) == {"contract", "facts", *harnesses.ids()}, done.stderr


@pytest.mark.parametrize("name", sorted(docs.pages()))
def test_the_generated_pages_are_fresh(name: str) -> None:
    page = TOP / "docs" / name
    assert page.read_text(encoding="utf-8") == docs.pages()[name], "run: python -m tackroom.docs docs"
