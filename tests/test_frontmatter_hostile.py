"""Headers made to break a reader, and headers that other people wrote."""

import time
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tackroom.packages import frontmatter
from tackroom.packages.frontmatter import MAX_DEPTH, MAX_LINES, MAX_SIZE, MAX_VALUES, read
from tackroom.packages.model import Document, Field, Text, Value

BOM = b"\xef\xbb\xbf"
CORPUS = Path(__file__).parents[2] / "shared" / "corpus"

pieces = [BOM, b"---", b"---\n", b"\n", b"\r\n", b"\r", b" ", b"\t", b"\0", b"\xff", b"# c", b"a: b", b'"a":']
pieces += [b"key: [a] b", b"*x", b"&x", b"- ", b"  ", b"|", b"{", b"...", b"%", b"!t", "\u2028".encode()]
any_file = st.binary() | st.lists(st.sampled_from(pieces)).map(b"".join)


def header(text: str) -> Document:
    return read(f"---\n{text}\n---\nbody\n".encode())


def values(document: Document) -> dict[str, Value]:
    return {each.key: each.value for each in document.fields}


def problems(document: Document) -> list[tuple[int, str]]:
    return [(each.line, each.problem) for each in document.repairs]


def test_bytes_that_are_not_utf8():
    document = read(b"---\nname: x\ndescription: caf\xe9\n---\nbody \xff\0")
    assert values(document) == {"name": "x", "description": "caf\ufffd"}
    assert document.body == b"body \xff\0"
    assert problems(document) == [(3, "holds bytes that are not UTF-8; '\ufffd' stands for them")]


def test_control_characters():
    document = read(b"---\nname: x\ndes\0cription: a\x1b[31mb\x7f [\nglobs: *.\0ts\n---\n")
    assert values(document) == {"name": "x", "description": "a[31mb [", "globs": "*.ts"}
    assert problems(document) == [
        (3, "holds control characters; they are left out"),
        (4, "'globs' is not valid YAML; its text is kept"),
    ]


def test_control_characters_in_a_key_are_made_visible():
    document = header('"a\\eb": 1\n"a\\eb": 2')
    assert problems(document) == [(3, r"'a\x1bb' stands twice; the last one counts")]


@pytest.mark.parametrize("loader", [yaml.SafeLoader, frontmatter._LOADER])
def test_half_a_surrogate_pair_is_kept_as_written(monkeypatch, loader):
    monkeypatch.setattr(frontmatter, "_LOADER", loader)
    document = header(r'key: "\ud800"')
    assert values(document) == {"key": r'"\ud800"'}
    assert problems(document) == [(2, "'key' is not valid YAML; its text is kept")]


def test_the_parser_without_libyaml_reads_the_same(monkeypatch):
    text = "name: x\nglobs: *.ts\ntools: [a, {b: c}]\nd: |\n  x\n\n  y\ne: 'f\n  g' # h\ni: [j] k"
    before = header(text)
    monkeypatch.setattr(frontmatter, "_LOADER", yaml.SafeLoader)
    assert header(text) == before


def seconds(raw: bytes) -> float:
    start = time.process_time()
    read(raw)
    return time.process_time() - start


def test_an_alias_bomb_is_text():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"{key}: &{key} [{', '.join([f'*{last}'] * 9)}]\n" for last, key in pairwise("abcdefghi"))
    document = header(bomb)
    assert values(document)["a"] == "&a [x, x, x, x, x, x, x, x, x]"
    assert values(document)["i"] == "&i [*h, *h, *h, *h, *h, *h, *h, *h, *h]"
    assert seconds(f"---\n{bomb}---\n".encode()) < 0.1


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "\n" + "- " * 5000, "[" * 5000 + "]" * 5000])
def test_thousands_of_levels_are_text(text):
    document = header(f"key: {text}\nlast: y")
    assert values(document)["last"] == "y"
    assert problems(document)[0][0] == 2
    assert problems(document)[0][1].endswith("; its text is kept")


def test_levels_up_to_the_limit_are_read():
    depth = MAX_DEPTH - 1  # the header itself is the first
    found = header(f"key: {'[' * depth}x{']' * depth}").get("key")
    for _ in range(depth):
        (found,) = found
    assert found == "x"


def test_too_many_values():
    text = "[" + "x," * MAX_VALUES + "]"
    document = header(f"name: x\nkey: {text}")
    assert values(document) == {"name": "x", "key": text}
    assert problems(document) == [(3, "'key' holds too many values; its text is kept")]


def test_a_value_that_is_too_long():
    text = "x" * MAX_SIZE
    document = header(f"name: x\nkey: {text}")
    assert values(document) == {"name": "x", "key": text}
    assert problems(document) == [(3, "'key' is too long; its text is kept")]


def test_too_many_lines_for_reading_key_by_key():
    document = header("k: [\n" * (MAX_LINES + 1))
    assert document.get("k") == "["
    assert problems(document)[-1] == (MAX_LINES + 2, f"more than {MAX_LINES} lines; the rest is not read")


def test_a_long_header():
    text = "\n".join(f"key{at}:\n  - pattern: 'x{at}'\n    why: some words of text" for at in range(350))
    assert len(text) > 15_000
    document = header(text)
    assert len(document.fields) == 350
    assert document.fields[-1] == Field(
        "key349", ({"pattern": Text("x349"), "why": Text("some words of text")},), 1049
    )


@pytest.mark.parametrize("start", [b"---\nname: x\n---\n", b"", b"---\nname: x\n"])
def test_a_huge_body_costs_nothing(start):
    body = b"--- \xff some line\r\n" * 20_000
    assert read(start + body).body.endswith(body)
    assert seconds(start + body) < 0.1


@pytest.mark.parametrize(
    "line", [b"a: [", b"a: *b", b"a: b", b"- *", b"'", b'"a', b"? x", b"\t", b"a:\n - *x", b"#"]
)
def test_long_headers_of_any_shape_are_quick(line):
    assert seconds(b"---\na: b\n" + (line + b"\n") * (MAX_SIZE // 8) + b"---\n") < 2


@given(any_file)
@settings(deadline=None)
def test_any_bytes_give_a_document(raw):
    document = read(raw)
    whole = raw.removeprefix(BOM) if document.bom else raw
    before = whole.removesuffix(document.body) if document.body else whole
    assert before + document.body == whole
    assert (
        document.body_line == 1 + len(before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")) - 1
    )
    assert document.fenced == before.startswith(b"---")
    assert document.fenced or not document.fields
    assert all(2 <= each.line < document.body_line for each in document.fields)


def test_every_file_of_the_corpus_is_read():
    if not CORPUS.is_dir():
        pytest.skip("no corpus lies beside this checkout")
    paths = [path for end in ("md", "mdc") for path in CORPUS.rglob(f"*.{end}") if path.is_file()]
    documents = {path: read(path.read_bytes()) for path in paths}
    assert len(documents) > 1000
    assert [path for path, document in documents.items() if document.fenced and not document.fields] == []
