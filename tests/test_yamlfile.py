"""The YAML that a user writes: what is read, what is refused, and that hostile files cost nothing."""

import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tackroom import yamlfile
from tackroom.yamlfile import Mistakes, Node


@pytest.fixture(params=["CSafeLoader", "SafeLoader"], autouse=True)
def loader(request, monkeypatch):
    monkeypatch.setattr(yamlfile, "LOADER", getattr(yaml, request.param))


def plain(node):
    """Return the value as Python's own types."""
    if isinstance(node.value, tuple):
        return [plain(each) for each in node.value]
    if isinstance(node.value, dict):
        return {key: plain(each) for key, each in node.value.items()}
    return node.value


def mistakes(data):
    started = time.process_time()
    with pytest.raises(Mistakes) as wrong:
        yamlfile.read(data if isinstance(data, bytes) else data.encode())
    assert time.process_time() - started < 1
    message = wrong.value.text("x.yaml")
    assert message.isprintable()
    return message


def test_scalars_stay_the_text_that_stands_there():
    data = b"a: on\nb: 1.0\nc: 2026-02-27\nd: 'null'\ne: 12:30\nf: |\n  x\n  y\n"
    assert plain(yamlfile.read(data)) == {
        "a": "on", "b": "1.0", "c": "2026-02-27", "d": "null", "e": "12:30", "f": "x\ny\n"
    }  # fmt: skip


def test_null_is_what_yaml_calls_so_where_it_is_not_quoted():
    data = b"a:\nb: ~\nc: null\nd: Null\ne: NULL\nf: nUll\ng: ''\nh: '~'\n"
    nothing = dict.fromkeys("abcde")
    assert plain(yamlfile.read(data)) == {**nothing, "f": "nUll", "g": "", "h": "~"}


@pytest.mark.parametrize("data", [b"", b"# a comment\n", b"---\n", b"null\n", b"\xef\xbb\xbf"])
def test_a_file_that_says_nothing_is_an_empty_map(data):
    assert yamlfile.read(data) == Node((), 1, {})


def test_a_value_has_the_line_of_its_key_and_an_item_its_own():
    root = yamlfile.read(b"\na:\n  b:\n    text\n  c:\n    - one\n    - two\n")
    inner = root.mapping()["a"].mapping()
    assert inner["b"] == Node(("a", "b"), 3, "text")
    assert inner["c"].line == 5
    assert inner["c"].value == (Node(("a", "c"), 6, "one"), Node(("a", "c"), 7, "two"))


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa: b\nc: d\n", b"a: b\r\nc: d\r\n"])
def test_a_mark_and_the_line_ends_of_any_editor_are_read(data):
    root = yamlfile.read(data)
    assert plain(root) == {"a": "b", "c": "d"}
    assert root.mapping()["c"].line == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a: &x 1\n", "x.yaml:1: anchor '&x'; remove it, aliases are not supported"),
        ("a: [&x 1]\n", "x.yaml:1: anchor '&x'; remove it, aliases are not supported"),
        ("&x a: 1\n", "x.yaml:1: anchor '&x'; remove it, aliases are not supported"),
        ("a: &x\n  b: 1\n", "x.yaml:1: anchor '&x'; remove it, aliases are not supported"),
        ("b: 1\na: *x\n", "x.yaml:2: alias '*x'; write the value, in quotes if it is text"),
        ("a: !!str 1\n", "x.yaml:1: tag '!!str'; remove it, tags are not supported"),
        ("a: !mine [1]\n", "x.yaml:1: tag '!mine'; remove it, tags are not supported"),
        ("a: ! x\n", "x.yaml:1: tag '!'; remove it, tags are not supported"),
        (
            "a: !!python/object/apply:os.system [id]\n",
            "x.yaml:1: tag '!!python/object/apply:os.system'; remove it, tags are not supported",
        ),
        ("a: 1\nb: 2\na: 3\n", "x.yaml:3: 'a' stands in line 1 already; keep one"),
        ("a:\n  b: 1\n  b: 2\n", "x.yaml:3: 'a.b' stands in line 2 already; keep one"),
        ("? [a]\n: b\n", "x.yaml:1: a key must be text"),
        ("a: 1\n---\nb: 2\n", "x.yaml:2: a second document starts here; keep one"),
        ("a: 1\nb: x\0\n", "x.yaml:2: control character U+0000; remove it"),
        ("a: \x1b[31m\n", "x.yaml:1: control character U+001B; remove it"),
        (b"a: 1\nb: \xe9\n", "x.yaml:2: not UTF-8; save the file as UTF-8"),
        ("a: 1\n".encode("utf-16"), "x.yaml:1: not UTF-8; save the file as UTF-8"),
        ("[" * 500, "x.yaml:1: nested deeper than 16 levels"),
        ("- " * 5000, "x.yaml:1: nested deeper than 16 levels"),
        ("{a: " * 5000, "x.yaml:1: nested deeper than 16 levels"),
    ],
)
def test_what_is_not_supported_is_refused_in_one_line(data, message):
    assert mistakes(data) == message


@pytest.mark.parametrize(
    ("data", "start"),
    [
        ("a: 1\nb:\n\tc: 1\n", "x.yaml:3: not YAML: found character "),
        ("a: b: c\n", "x.yaml:1: not YAML: mapping values are not allowed "),
        ("a: [1, 2\nb: 3\n", "x.yaml:2: not YAML: "),
        ("a: @x\n", "x.yaml:1: not YAML: found character "),
        ("%YAML 9.9\n---\na: 1\n", "x.yaml:1: not YAML: found incompatible YAML document"),
        ('a: "\\U99999999"\n', "x.yaml:1: not YAML: "),
        (f"%YAML {'9' * 5000}.1\n---\na: 1\n", "x.yaml:1: not YAML: "),
    ],
)
def test_what_is_not_yaml_names_the_line_and_the_problem(data, start):
    assert mistakes(data).startswith(start)


def test_a_construct_that_never_ends_names_the_line_where_it_starts():
    assert mistakes("a: 1\nb: 'x\n").endswith(
        "found unexpected end of stream; while scanning a quoted scalar that starts in line 2"
    )


def test_brackets_beyond_any_depth_are_refused():
    assert mistakes("[" * 5000 + "]" * 5000).startswith("x.yaml:1: ")


def test_a_star_without_quotes_is_explained():
    assert mistakes("plugins: *\n").endswith("; a value that starts with '*' needs quotes")


def test_an_alias_bomb_is_refused_at_its_first_line():
    levels = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 20))
    assert mistakes("l0: &l0 [lol]\n" + levels).startswith("x.yaml:1: anchor '&l0'")


@given(
    st.one_of(st.binary(max_size=60), st.text("ab:-[]{},&*!|>'\"%#?~ \n\t\\Ux0", max_size=40).map(str.encode))
)
def test_any_bytes_give_a_value_or_mistakes_of_one_line_each(data):
    for name in ("CSafeLoader", "SafeLoader"):
        yamlfile.LOADER = getattr(yaml, name)
        assert read_or_message(data).isprintable()


def read_or_message(data):
    try:
        yamlfile.read(data)
    except Mistakes as wrong:
        return wrong.text("x.yaml")
    return ""
