"""What is written in our own code has to be what the library would write, and what every reader reads."""

import tomllib

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from tackroom.harnesses.emit import as_toml

CONTROLS = {chr(each) for each in (*range(32), 127)} - {"\t", "\n"}
AWKWARD = st.text(st.sampled_from('a"\\\n\r\t\b\f\0\x1f\x7f\u0085\u2028\ufeff#='), max_size=12)
TEXTS = st.one_of(AWKWARD, st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
KEYS = st.sampled_from(["name", "description", "developer_instructions", "model-2"])
FIELDS = st.dictionaries(KEYS, st.one_of(TEXTS, st.booleans(), st.lists(TEXTS, max_size=3).map(tuple)))


@given(FIELDS)
def test_toml_is_what_the_library_writes(fields):
    lone = any(isinstance(each, str) and set(each) & CONTROLS for each in fields.values())
    assert as_toml(fields).decode() == tomli_w.dumps(fields, multiline_strings=not lone)


@given(st.dictionaries(KEYS, TEXTS))
def test_any_text_reads_back(fields):
    assert tomllib.loads(as_toml(fields).decode()) == fields


def test_a_map_is_refused():
    with pytest.raises(TypeError, match="no harness has a dict in TOML"):
        as_toml({"name": {"a": "b"}})
