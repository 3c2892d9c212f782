"""The file of one unit: what it says survives, and what happened to it on the disk costs no run."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tackroom.packages import stamps

from tackroom import unitfile
from tackroom.unitfile import FORMAT, Head

STAMPS = st.tuples(*[st.integers(0, 2**64 - 1)] * 5)
PATHS = st.text(st.characters(exclude_characters="\0"), min_size=1, max_size=9)
LINES = st.text(st.characters(exclude_characters="\n"), max_size=9)
OUTPUTS = st.lists(st.tuples(PATHS, STAMPS), max_size=9)
TALLIES = st.dictionaries(st.sampled_from(["staged", "info", "warning", "error"]), st.integers(0, 10**6))
DETAILS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda each: st.lists(each) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), each),
    max_leaves=9,
)

Outputs = list[tuple[str, stamps.Stamp]]


def head(outputs: Outputs, unit: str = "claude/kit", tally: dict[str, int] | None = None) -> Head:
    paths = "\0".join(path for path, _ in outputs)
    return Head(unit, "key", "code", "digest", tally or {}, paths, stamps.pack(row for _, row in outputs))


def values(found: Head) -> dict[str, object]:
    return {name: getattr(found, name) for name in Head.__slots__}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("units") / "claude.kit"


@settings(deadline=None)
@given(OUTPUTS, LINES, TALLIES, DETAILS)
@example([("caf\udce9\n", (1, 2, 3, 4, 5)), ("\ud800", (0, 0, 0, 0, 0))], "claude/kit", {}, {})
def test_what_was_written_is_read(
    path: Path, outputs: Outputs, unit: str, tally: dict[str, int], details: object
) -> None:
    made = head(outputs, unit, tally)
    path.write_bytes(unitfile.text(made, details))
    found, said = unitfile.read(str(path))
    assert values(found) == values(made)
    assert said == details
    start = unitfile.read_head(str(path))
    assert start is not None
    assert values(start) == values(made)
    assert [*zip(start.outputs, stamps.unpack(start.packed), strict=True)] == outputs


@pytest.mark.parametrize("count", [0, 1, 200, 400, 5_000])
def test_a_head_may_be_longer_than_what_is_read_at_once(path: Path, count: int) -> None:
    made = head([(f"skills/lint/{at}", (at, at, at, at, at)) for at in range(count)])
    path.write_bytes(unitfile.text(made, {"commit": ""}))
    found = unitfile.read_head(str(path))
    assert found is not None
    assert values(found) == values(made)
    assert len(found.outputs) == count


def test_a_head_that_ends_right_where_the_first_read_ends(path: Path) -> None:
    for more in range(-3, 4):
        spare = unitfile._HEAD + more - len(unitfile.text(head([("", (1, 1, 1, 1, 1))]), 1)) - 2
        made = head([("x" * spare, (1, 1, 1, 1, 1))])
        path.write_bytes(unitfile.text(made, 1))
        found = unitfile.read_head(str(path))
        assert found is not None
        assert values(found) == values(made)


# --- files that were damaged


SMALL = unitfile.text(
    head([("a", (1, 2, 3, 4, 5)), ("b\n", (5, 4, 3, 2, 1))], tally={"staged": 2}), {"commit": "", "items": []}
)


def is_whole(path: Path) -> bool:
    """Tell whether a file can be read, by ``read``; it raises no other errors than those of reading."""
    try:
        unitfile.read(str(path))
    except (OSError, ValueError, RecursionError):
        return False
    return True


def test_a_file_that_was_cut_short_counts_as_absent(path: Path) -> None:
    for end in range(len(SMALL)):
        path.write_bytes(SMALL[:end])
        assert not is_whole(path), end
        found = unitfile.read_head(str(path))
        assert found is None or len(stamps.unpack(found.packed)) == len(found.outputs) == 2


def test_a_file_whose_end_is_all_zeros_counts_as_absent(path: Path) -> None:
    for end in range(len(SMALL)):
        path.write_bytes(SMALL[:end].ljust(len(SMALL), b"\0"))
        assert not is_whole(path), end
        unitfile.read_head(str(path))


def test_any_byte_may_be_another_one(path: Path) -> None:
    """What is read then is a head like any other, or nothing."""
    seed = random.Random(1)
    for at in range(len(SMALL)):
        for byte in (0, 10, 32, 45, 255, seed.randrange(256), seed.randrange(256)):
            path.write_bytes(SMALL[:at] + bytes([byte]) + SMALL[at + 1 :])
            is_whole(path)
            found = unitfile.read_head(str(path))
            if found:
                assert isinstance(found.tally, dict)
                assert isinstance(found.outputs, list)
                assert not found.is_intact(str(path.parent))


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=99), st.integers(0, len(SMALL)), st.integers(0, len(SMALL)))
def test_any_bytes_are_read_without_an_accident(path: Path, junk: bytes, start: int, end: int) -> None:
    path.write_bytes(SMALL[:start] + junk + SMALL[end:])
    is_whole(path)
    unitfile.read_head(str(path))


SIZES = [
    "-40 40",
    "-40 0",
    "0 -1",
    "40 -40",
    "80",
    "80 3 1",
    "8e1 3",
    "1_0 3",
    "9" * 5000 + " 3",
    "",
    "\xb2 3",
]


@pytest.mark.parametrize("sizes", [*SIZES, "99999999999999999999 3", "12000 3", "80 9999", "0 3", "80 0"])
def test_sizes_that_cannot_be(path: Path, sizes: str) -> None:
    path.write_bytes(SMALL.replace(b"\n80 4\n", f"\n{sizes}\n".encode()))
    assert not is_whole(path)
    assert unitfile.read_head(str(path)) is None


@pytest.mark.parametrize("tally", ["", "[]", "1", "null", "{", "[" * 100_000, "\xff"])
def test_counts_that_are_none(path: Path, tally: str) -> None:
    path.write_bytes(SMALL.replace(b'{"staged":2}', tally.encode("latin-1")))
    assert not is_whole(path)
    assert unitfile.read_head(str(path)) is None


@pytest.mark.parametrize("version", ["1 little", "3 little", "2 big", "2", "", "2 little ", "\xff"])
def test_a_file_of_another_version_or_byte_order(path: Path, version: str) -> None:
    if version == FORMAT:
        version = "2 little"  # this machine is the other one
    path.write_bytes(SMALL.replace(FORMAT.encode(), version.encode("latin-1"), 1))
    assert not is_whole(path)
    assert unitfile.read_head(str(path)) is None


def test_a_file_that_is_none(tmp_path: Path) -> None:
    assert unitfile.read_head(str(tmp_path / "nothing")) is None
    assert unitfile.read_head(str(tmp_path)) is None
    assert unitfile.read_head(f"{tmp_path}/nul\0") is None
    with pytest.raises(FileNotFoundError):
        unitfile.read(str(tmp_path / "nothing"))


# --- the folder of a record


def test_files_that_cannot_be_read_are_named_and_those_being_written_are_not(tmp_path: Path) -> None:
    (tmp_path / "claude.kit").write_bytes(SMALL)
    (tmp_path / "claude.other").write_bytes(SMALL[:20])
    (tmp_path / ".claude.kit.1.tackroom~").write_bytes(SMALL[:20])
    heads = unitfile.Heads(str(tmp_path))
    assert list(heads.all()) == ["claude/kit"]
    assert heads.unreadable == ["claude.other"]


def test_a_record_that_is_not_there_has_no_units(tmp_path: Path) -> None:
    assert unitfile.Heads(str(tmp_path / "nothing")).all() == {}


def test_outputs_are_intact_until_one_of_them_changes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
    made = head([(name, stamps.stamp((tmp_path / name).stat())) for name in ("a", "b")])
    assert made.is_intact(str(tmp_path))
    os.utime(tmp_path / "b", ns=(1, 1))
    assert not made.is_intact(str(tmp_path))


def test_a_unit_may_have_no_outputs() -> None:
    assert head([]).outputs == []


def test_no_two_units_share_a_file() -> None:
    packages = [
        "kit",
        "Kit",
        "KIT",
        "kit.x",
        "kit-x",
        "kit_x",
        "k\u0131t",
        "kit/x",
        "/kit",
        "",
        "é",
        "k" * 200,
        ".",
    ]
    names = [unitfile.file_name(f"claude/{package}") for package in packages]
    assert len({name.casefold() for name in names}) == len(packages)
    assert all(len(name) < 130 and "/" not in name and name.isascii() for name in names)
    assert names[0] == "claude.kit"
