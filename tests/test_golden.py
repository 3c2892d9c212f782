from pathlib import Path

import pytest

import golden_case as golden

CASES = sorted(Path(__file__).with_name("golden").glob("*.md"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, accept: bool) -> None:
    case = golden.read(path)
    now = golden.staged(case)
    if accept:
        path.write_text(case.text(now), encoding="utf-8")
    assert now == golden.read(path).expected


def test_every_kind_has_a_case() -> None:
    given = {name for path in CASES for name in golden.read(path).given}
    for folder in ("commands/", "agents/", "skills/", "rules/"):
        assert any(name.startswith(folder) for name in given), folder
