"""What is read from the header of a Markdown file, whatever its bytes are."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tackroom.packages.frontmatter import MAX_DEPTH, _fields, _plain_fields, is_text, read
from tackroom.packages.model import Document, Field, Repair, Text, Value

BOM = b"\xef\xbb\xbf"

any_text = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufffe\uffff")
)


def header(text: str) -> Document:
    return read(f"---\n{text}\n---\nbody\n".encode())


def values(document: Document) -> dict[str, Value]:
    return {each.key: each.value for each in document.fields}


def problems(document: Document) -> list[tuple[int, str]]:
    return [(each.line, each.problem) for each in document.repairs]


def value(text: str) -> Value:
    """Read one value that is valid YAML."""
    document = header(f"key: {text}")
    assert document.repairs == ()
    return values(document)["key"]


def kept(text: str) -> Value:
    """Read one value that is not valid YAML, between two that are."""
    document = header(f"name: x\nkey: {text}\nlast: y")
    assert problems(document) == [(3, "'key' is not valid YAML; its text is kept")]
    assert [each.key for each in document.fields] == ["name", "key", "last"]
    assert values(document)["last"] == "y"
    return values(document)["key"]


# --- fences -----------------------------------------------------------------------------------


def test_a_header_and_a_body():
    assert read(b"---\nname: review\nmodel: opus\n---\n\n# Review\n") == Document(
        fields=(Field("name", Text("review"), 2), Field("model", Text("opus"), 3)),
        body=b"\n# Review\n",
        body_line=5,
        fenced=True,
    )


def test_no_header():
    assert read(b"# Title\n\ntext") == Document(body=b"# Title\n\ntext")


def test_an_empty_file():
    assert read(b"") == Document()


@pytest.mark.parametrize("raw", [b"---\n---\nx", b"---\n\n---\nx", b"---\n# only a comment\n---\nx"])
def test_an_empty_header(raw):
    document = read(raw)
    assert (document.fields, document.fenced, document.body, document.repairs) == ((), True, b"x", ())


def test_an_unclosed_block_is_no_header():
    assert read(b"---\nname: x\n\ntext\n") == Document(body=b"---\nname: x\n\ntext\n")


def test_a_closing_fence_may_end_the_file():
    document = read(b"---\nname: x\n---")
    assert (values(document), document.body, document.body_line) == ({"name": "x"}, b"", 3)


def test_fences_may_have_blanks_after_them():
    document = read(b"--- \t\nname: x\n---  \nbody")
    assert (values(document), document.body) == ({"name": "x"}, b"body")


@pytest.mark.parametrize("fence", [b"----", b" ---", b"--- x", b"--", b"+++"])
def test_other_lines_are_no_fences(fence):
    assert not read(fence + b"\nname: x\n---\n").fenced
    assert not read(b"---\nname: x\n" + fence + b"\n").fenced


def test_a_byte_order_mark_belongs_to_neither_part():
    document = read(BOM + b"---\nname: x\n---\nbody")
    assert (values(document), document.body, document.bom) == ({"name": "x"}, b"body", True)
    assert read(BOM + b"body") == Document(body=b"body", bom=True)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end(end):
    document = read(
        end.join([b"---", b"a: 1", b"", b"b: |", b"  x", b"  y", b"c: 2", b"---", b"one", b"two"])
    )
    assert values(document) == {"a": "1", "b": "x\ny\n", "c": "2"}
    assert [each.line for each in document.fields] == [2, 4, 7]
    assert (document.body, document.body_line) == (b"one" + end + b"two", 9)


def test_mixed_line_ends():
    document = read(b"---\r\na: 1\rb: [x] y\n\r\nc: 3\n---\r\rbody\r\n")
    assert [(each.key, each.line) for each in document.fields] == [("a", 2), ("b", 3), ("c", 5)]
    assert problems(document) == [(3, "'b' is not valid YAML; its text is kept")]
    assert (document.body, document.body_line) == (b"\rbody\r\n", 7)


def test_a_second_block_is_part_of_the_body():
    document = read(b"---\nname: x\n---\n---\nname: y\n---\nbody")
    assert (values(document), document.body) == ({"name": "x"}, b"---\nname: y\n---\nbody")


@pytest.mark.parametrize(
    "before", ["\n", "# Title\n", "<!-- note -->\n\n", "text\r\n\r\n", "1\n2\n3\n4\n5\n"]
)
def test_text_before_the_fence(before):
    raw = f"{before}---\nname: x\n---\nbody\n".encode()
    line = 1 + before.count("\n")
    assert read(raw) == Document(
        body=raw, repairs=(Repair(line, "text before '---'; the frontmatter is not read"),)
    )


@pytest.mark.parametrize(
    "raw",
    [
        b"# Title\n---\nname: x\n",  # not closed
        b"# Title\n---\n\nNote: prose between two rules\n\n---\n",
        b"# Title\n---\n**Name**: x\n---\n",
        b"1\n2\n3\n4\n5\n6\n---\nname: x\n---\n",  # too far down
    ],
)
def test_a_rule_in_the_body_is_no_misplaced_header(raw):
    assert read(raw) == Document(body=raw)


# --- valid YAML -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["on", "yes", "1.0", "0x1F", "2026-02-27", "12:30", "null", "~", "a:b", "x#y"]
)
def test_scalars_stay_the_text_as_written(text):
    read_back = value(text)
    assert read_back == text
    assert read_back.plain


@pytest.mark.parametrize("text", ['"true"', "'true'", "|-\n  true", ">-\n  true"])
def test_quoted_and_block_scalars_are_not_plain(text):
    read_back = value(text)
    assert read_back == "true"
    assert not read_back.plain


@pytest.mark.parametrize(("text", "plain"), [("", True), ("# comment", True), ('""', False)])
def test_an_empty_value_is_empty_text(text, plain):
    assert value(text) == ""
    assert value(text).plain is plain


def test_lists_and_maps():
    assert value("[Read, 'Bash(git:*)']") == ("Read", "Bash(git:*)")
    assert value("\n- a\n- [b, {c: d}]") == ("a", ("b", {"c": "d"}))
    assert value("\n  x: 1\n  y:\n    - 2") == {"x": "1", "y": ("2",)}
    assert value("[]") == ()
    assert value("{}") == {}


def test_the_last_of_two_nested_keys_counts():
    assert value("{a: 1, b: 2, a: 3}") == {"a": "3", "b": "2"}


def test_the_header_may_be_a_flow_map():
    document = header("{name: x,\n  model: opus}")
    assert document.fields == (Field("name", Text("x"), 2), Field("model", Text("opus"), 3))


def test_no_break_and_zero_width_characters_stay():
    text = "a\u00a0b\u200bc\u202ed\ufeffe \U0001f600"
    assert value(text) == text


def test_only_line_ends_count_as_lines():
    document = header('a: "x\u2028y\u2029z\x85"\nb: 1')
    assert [each.line for each in document.fields] == [2, 3]
    assert values(document)["a"] == "x\u2028y\u2029z "


def test_a_tag_does_nothing():
    assert value("!!python/object/apply:os.system 'echo x'") == "echo x"
    assert value("!!python/tuple [a, !!int b]") == ("a", "b")


def test_the_last_of_two_equal_keys_counts():
    document = header("name: a\nmodel: opus\nname: b")
    assert document.fields == (Field("model", Text("opus"), 3), Field("name", Text("b"), 4))
    assert problems(document) == [(4, "'name' stands twice; the last one counts")]


@pytest.mark.parametrize("text", ["- a\n- b", "just text", "alwaysApply:true", "\n@x"])
def test_a_header_without_a_key_has_no_fields(text):
    document = header(text)
    line = 3 if text.startswith("\n") else 2
    assert (document.fields, document.fenced, document.body) == ((), True, b"body\n")
    assert problems(document) == [(line, "text outside any key; it is not read")]


# --- one key at a time ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "[a] [--b]",
        "[--a] | [--b]",
        "*.ts",
        "**/*",
        "Use this: when asked",
        "@me",
        "`code`",
        "%x",
        '"quoted" and more',
        "'not closed",
        "[not closed",
        "- a",
    ],
)
def test_a_value_that_does_not_parse_is_kept_as_written(text):
    assert kept(text) == text
    assert kept(text + " \t").plain


def test_text_of_several_lines_that_is_not_indented():
    assert kept("one\ntwo\n\n# a comment\n  three: 3\nfour") == "one two three: 3 four"


def test_a_line_that_looks_like_a_key_is_one():
    document = header("description: one\ntwo\nExample: three")
    assert values(document) == {"description": "one two", "Example": "three"}


def test_a_block_whose_text_is_not_indented_is_kept_without_its_mark():
    assert kept(">-\none\ntwo") == "one two"
    assert kept("|\n\tone\n\ttwo") == "one two"


def test_a_list_is_kept_item_by_item():
    items = kept("# these\n  - **/*.ts\n  - 'a b'\n\n  - *.js\n\t- plain # comment\n  -")
    assert items == ("**/*.ts", "a b", "*.js", "plain", "")
    assert [each.plain for each in items] == [True, False, True, True, True]
    assert kept("\n- *.a\n- b\u2028c: d") == ("*.a", "b\u2028c: d")


def test_values_that_parse_are_read_as_ever():
    document = header("globs: *.ts\ntools: [a, 'b']\nhooks:\n  x:\n  - y\nmodel: \"opus\" # best")
    assert values(document) == {"globs": "*.ts", "tools": ("a", "b"), "hooks": {"x": ("y",)}, "model": "opus"}
    assert [each.line for each in document.fields] == [2, 3, 4, 7]


def test_quoted_keys_start_a_value_too():
    document = header("\"globs\": *.ts\n'a b' : *x y\n# between: them\nlast: 1")
    assert values(document) == {"globs": "*.ts", "a b": "*x y", "last": "1"}


def test_equal_keys_among_broken_values():
    document = header("globs: *.ts\nglobs: *.js")
    assert document.fields == (Field("globs", Text("*.js"), 3),)
    assert problems(document) == [
        (2, "'globs' is not valid YAML; its text is kept"),
        (3, "'globs' is not valid YAML; its text is kept"),
        (3, "'globs' stands twice; the last one counts"),
    ]


def test_text_before_the_first_key():
    document = header("\n# comment\nlost\n[\nname: x")
    assert values(document) == {"name": "x"}
    assert problems(document) == [(4, "text outside any key; it is not read")]


@pytest.mark.parametrize(
    ("text", "result", "why"),
    [
        ("&a x", "&a x", "holds a YAML anchor or alias"),
        ("*a", "*a", "holds a YAML anchor or alias"),
        ("[*a, &b {}]", "[*a, &b {}]", "holds a YAML anchor or alias"),
        ("!src/**", "!src/**", "is a bare YAML tag"),
        ("\n- !src/**\n- x", ("!src/**", "x"), "is a bare YAML tag"),
        ("{{name}} x", "{{name}} x", "has a list or map for a key"),
        ("x\n--- y", "x --- y", "holds a YAML document mark"),
        ("[" * (MAX_DEPTH + 1), "[" * (MAX_DEPTH + 1), "is nested too deeply"),
    ],
)
def test_valid_yaml_that_is_not_taken_as_it_stands(text, result, why):
    document = header(f"key: {text}\nlast: y")
    assert values(document) == {"key": result, "last": "y"}
    assert problems(document) == [(2, f"'key' {why}; its text is kept")]


def test_a_directive_is_not_read():
    document = header("%YAML 1.2\n--- # here\nname: x")
    assert values(document) == {"name": "x"}
    assert problems(document) == [(2, "text outside any key; it is not read")]


# --- generated headers -----------------------------------------------------------------------


@given(
    st.dictionaries(st.from_regex(r"[A-Za-z_][\w.-]{0,20}", fullmatch=True), any_text, max_size=8),
    st.sampled_from(["\n", "\r\n", "\r"]),
    any_text,
)
@settings(deadline=None)
def test_quoted_fields_read_back(fields, end, body):
    lines = [
        "---",
        *(f'"{key}": {json.dumps(text, ensure_ascii=False)}' for key, text in fields.items()),
        "---",
        body,
    ]
    document = read(end.join(lines).encode())
    assert document == Document(
        fields=tuple(Field(key, Text(text), line) for line, (key, text) in enumerate(fields.items(), 2)),
        body=body.encode(),
        body_line=len(fields) + 3,
        fenced=True,
        loose=end == "\r",
    )


@pytest.mark.parametrize("raw", [b"--- \nname: x\n---\n", b"---\nname: x\n---\t", b"---\rname: x\r---\r"])
def test_fences_that_not_every_reader_takes_for_one_are_loose(raw):
    assert read(raw).loose
    assert not read(b"---\r\nname: x\n---").loose


@given(st.lists(st.from_regex(r"[A-Za-z0-9/][A-Za-z0-9 ,.*/()é-]{0,30}", fullmatch=True), max_size=8))
@settings(deadline=None)
def test_plain_fields_read_back(texts):
    document = header("\n".join(f"key{at}: {text}" for at, text in enumerate(texts)))
    assert [each.value for each in document.fields] == [text.strip() for text in texts]
    assert all(each.value.plain for each in document.fields)
    assert document.repairs == ()


# --- is_text ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "answer"), [(b"", True), ("caf\u00e9\r\n".encode(), True), (b"caf\xe9", False), (b"a\0b", False)]
)
def test_is_text(raw, answer):
    assert is_text(raw) is answer


PIECES = st.sampled_from(
    ["a", "b c", "1", ":", ": ", "#", " #", '"', "'", "\\", "\n", "k: ", "-", ".", "\u00e9", " "]
)


@given(
    st.lists(
        st.tuples(st.sampled_from(["x: ", "y-1:  ", "z:", ""]), st.lists(PIECES, max_size=4)), max_size=3
    )
)
@settings(deadline=None)
def test_what_is_read_without_yaml_is_what_yaml_reads(lines):
    text = "".join(f"{key}{''.join(pieces)}\n" for key, pieces in lines)
    found = _plain_fields(text)
    assert not found or shown(found) == shown(_fields(text, 2))


def shown(fields):
    return [(each.key, each.value, each.value.plain, each.line) for each in fields]
