"""What is kept of a unit is what it became, whatever that was."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tackroom import ids
from tackroom.codes import NameTaken, OutputEdited
from tackroom.records import ABOUT, Output, Record, dump, load, outputs, tally

COMMIT = "0123abc"
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
names = st.from_regex(r"[a-z][a-z0-9-]{0,5}", fullmatch=True)
stamps = st.tuples(*[st.integers(0, 2**64 - 1)] * 5)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
files = st.builds(Output, st.from_regex(r"[0-9a-f]{0,32}", fullmatch=True), st.booleans(), stamps)
parts = st.dictionaries(st.sampled_from(["tackroom", "source", "name", "files"]), words)


@st.composite
def records(draw: st.DrawFn) -> tuple[str, dict[str, Record]]:
    """Return the id of a unit, and its records."""
    harness = draw(names)
    package = draw(st.one_of(names, st.just("")))
    unit = ids.unit(harness, package or "/shared.json")
    of_unit = {"harness": harness, "package": package, "commit": COMMIT}
    found: dict[str, Record] = {}
    taken: set[str] = set()
    for about in draw(st.lists(st.tuples(*[names] * 5), max_size=6)):
        said = of_unit | dict(zip(ABOUT, about, strict=True))
        made = {
            p: each for p, each in draw(st.dictionaries(paths, files, max_size=3)).items() if p not in taken
        }
        taken |= made.keys()
        finding = st.one_of(
            st.builds(OutputEdited, output=words, line=st.integers(0, 9)),
            st.builds(NameTaken, taken_by=words, staged_as=words, path=st.one_of(paths, st.just(""))),
        )
        at = {**of_unit, "path": said["source"]}
        findings = tuple(each.at(**at) for each in draw(st.lists(finding, max_size=3)))
        kind, _, as_kind, _, source = about
        found[ids.item(harness, package, kind, as_kind, source)] = Record(
            draw(parts), made, findings, said, draw(words)
        )
    return unit, found


@given(records())
def test_what_is_loaded_is_what_was_dumped(unit_and_records: tuple[str, dict[str, Record]]) -> None:
    unit, known = unit_and_records
    text = json.dumps(dump(known, COMMIT))
    found = load(unit, json.loads(text), [(path, each.stamp) for path, each in outputs(known)])
    assert found == known
    assert tally(found) == tally(known)


def test_what_all_items_have_in_common_is_written_once() -> None:
    about = dict.fromkeys(ABOUT, "x")
    made = {
        name: Record({"tackroom": "code", "source": name}, {}, (), about, "it is new") for name in ("a", "b")
    }
    assert dump(made, COMMIT) == {
        "commit": COMMIT,
        "common": {"tackroom": "code"},
        "whys": ["it is new"],
        "items": [[*["x"] * 5, {"source": name}, 0, [], []] for name in ("a", "b")],
    }
