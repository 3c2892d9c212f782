"""Odd shapes of text that real packages have, in every harness: headers, fences, bytes, values."""

import tomllib

import pytest
import yaml
from tackroom.harnesses import markdown
from tackroom.packages import discovery, frontmatter
from tackroom.packages.findings import render
from tackroom.packages.package import Source

from making import artifact, tree, write
from tackroom import harnesses

BOM = b"\xef\xbb\xbf"
KINDS = ("command", "agent", "skill", "rule")

every_harness = pytest.mark.parametrize("harness", harnesses.ids())
every_kind = pytest.mark.parametrize("kind", KINDS)


def staged(harness: str, kind: str, content: str | bytes, format: str = "claude") -> dict[str, bytes]:
    return write(harness, artifact(kind, content, format=format))[0]


def headers(files: dict[str, bytes]) -> list[dict[str, object]]:
    """Return each staged file's fields, as a strict reader of its format sees them."""
    found = []
    for path, content in files.items():
        text = content.decode("utf-8-sig")
        if path.endswith(".toml"):
            found.append(tomllib.loads(text))
        elif text.startswith("---"):
            found.append(yaml.safe_load(text.split("\n---", maxsplit=1)[0].removeprefix("---")))
    return found


def lines_of_reading(path: str, content: str) -> list[str]:
    return [render(each) for each in discovery.read(Source("kit", tree({path: content}))).findings]


# --- headers that are not valid YAML as a whole

DESCRIPTIONS = {
    "Reviews code. Triggers on: 'lint', 'check'.": "Reviews code. Triggers on: 'lint', 'check'.",
    "Reviews. Examples: <example>user: 'hi'\\nassistant: \"yo\"</example>": (
        "Reviews. Examples: <example>user: 'hi'\\nassistant: \"yo\"</example>"
    ),
    "Checks a page. Usage: /audit [path]": "Checks a page. Usage: /audit [path]",
    "@state and views": "@state and views",
    '"Six ways to say "no" politely"': '"Six ways to say "no" politely"',
    "'it''s' not closed' here": "'it''s' not closed' here",
    "one line\n\nand another": "one line and another",
    "*.ts files": "*.ts files",
    "`git` things": "`git` things",
    "%done 100": "%done 100",
    "[draft] reviews": "[draft] reviews",
    "{draft} reviews": "{draft} reviews",
    "- reviews": "- reviews",
    "> reviews": "> reviews",
    "a: b: c # d": "a: b: c # d",
}


@every_harness
@pytest.mark.parametrize("written", DESCRIPTIONS)
def test_a_description_that_is_not_yaml_arrives_as_it_was_written(harness: str, written: str) -> None:
    found = headers(staged(harness, "agent", f"---\nname: sample\ndescription: {written}\n---\nBody.\n"))
    assert [each["description"] for each in found] == [DESCRIPTIONS[written]] * len(found)
    assert found


@pytest.mark.parametrize("hint", ["[a] [b]", "[--a] | [--b]", "[a] [--b <c>]", "[a], then [b]"])
def test_a_hint_with_text_after_its_bracket_is_quoted(hint: str) -> None:
    content = f"---\nargument-hint: {hint}\ndescription: Runs.\n---\nRun.\n"
    wanted = f'---\ndescription: Runs.\nargument-hint: "{hint}"\n---\nRun.\n'
    for harness in ("claude", "grok"):
        assert staged(harness, "command", content) == {"commands/sample.md": wanted.encode()}
    assert lines_of_reading("commands/sample.md", content) == [
        "warning: frontmatter-repaired: kit:commands/sample.md:2: "
        "'argument-hint' is not valid YAML; its text is kept"
    ]


@pytest.mark.parametrize("globs", ["*.ts", "**/*", "*", "*.ts,*.tsx", "**/*.{ts,tsx},!x"])
def test_a_pattern_that_yaml_takes_for_an_alias_is_a_pattern(globs: str) -> None:
    content = f"---\ndescription: Types.\nglobs: {globs}\nalwaysApply: false\n---\nUse types.\n"
    assert staged("cursor", "rule", content, "cursor") == {
        "rules/sample.mdc": (
            f'---\ndescription: Types.\nglobs: "{globs}"\nalwaysApply: false\n---\nUse types.\n'.encode()
        )
    }


@every_harness
def test_of_a_key_that_stands_twice_the_last_one_is_staged(harness: str) -> None:
    content = "---\nname: first\nname: second\ndescription: Tells.\n---\nTell.\n"
    assert [each["name"] for each in headers(staged(harness, "skill", content))] == ["second"]
    assert lines_of_reading("skills/sample/SKILL.md", content) == [
        "warning: frontmatter-repaired: kit:skills/sample/SKILL.md:3: "
        "'name' stands twice; the last one counts"
    ]


def test_a_list_that_stands_twice_is_repaired_and_said_on_its_line() -> None:
    content = "---\nreviewed: 2026-02-27\npaths:\n  - '*.py'\nreviewed: 2026-03-01\n---\nPython.\n"
    assert lines_of_reading("rules/py.md", content) == [
        "warning: frontmatter-repaired: kit:rules/py.md:5: 'reviewed' stands twice; the last one counts"
    ]


# --- fences, line ends, byte order marks


def test_a_byte_order_mark_stays_where_it_hides_no_header() -> None:
    content = BOM + b"---\nname: sample\ndescription: Marked.\n---\nBody.\n"
    files = {
        harness: staged(harness, "skill", content)["skills/sample/SKILL.md"] for harness in harnesses.ids()
    }
    assert {harness for harness, raw in files.items() if raw == content} == {
        "antigravity",
        "cursor",
        "opencode",
    }
    assert {raw.removeprefix(BOM) for raw in files.values()} == {content.removeprefix(BOM)}


@every_kind
@every_harness
def test_a_byte_order_mark_is_no_part_of_a_body(harness: str, kind: str) -> None:
    for raw in staged(harness, kind, BOM + b"Body.\n").values():
        assert BOM not in raw[len(BOM) :]


@pytest.mark.parametrize(
    "body",
    [
        b"one\r\ntwo\r\n",
        b"one\r\ntwo\nthree\r\n",
        b"one\rtwo\nthree",
        b"\n\n  indented\n\n\n",
        b"no newline at the end",
        b"",
        b"zero\xe2\x80\x8bwidth \xe2\x80\xaeturned\xc2\xa0end\n",
        b"---\nname: other\n---\nsecond block\n",
        b"text\n---\nmore\n---\n",
        b'"""quotes""" \'\'\'and\'\'\' \\" \\n\n',
        b"~~~\n```\n~~~\n",
        b"````md\n```\n````\n",
        b"{{mustache}} and {% tag %}\n",
        b"x" * 150_000 + b"\n",
    ],
    ids=lambda body: repr(body[:12]),
)
@every_kind
@every_harness
def test_a_body_is_kept_byte_for_byte(harness: str, kind: str, body: bytes) -> None:
    files = staged(harness, kind, b"---\nname: sample\ndescription: Keeps.\n---\n" + body)
    assert files
    for path, raw in files.items():
        if path.endswith(".toml"):
            text = tomllib.loads(raw.decode())
            kept = str(text.get("prompt", text.get("developer_instructions"))).encode()
            assert kept == body or not body
        elif path.endswith((".md", ".mdc")) and body:
            assert raw.endswith(body), path


def test_an_empty_body_says_the_description_where_an_empty_one_is_refused() -> None:
    content = "---\nname: sample\ndescription: Reviews code.\n---\n"
    bodies = {}
    for harness in harnesses.ids():
        (path, raw), *_ = staged(harness, "agent", content).items()
        is_toml = path.endswith(".toml")
        text = (
            tomllib.loads(raw.decode())["developer_instructions"] if is_toml else frontmatter.read(raw).body
        )
        bodies[harness] = text if is_toml else text.decode()
    assert {name: text for name, text in bodies.items() if text} == {
        "codex": "Reviews code.",
        "cursor": "Reviews code.\n",
        "gemini": "Reviews code.\n",
    }


def test_a_rule_before_prose_is_no_header() -> None:
    content = "# Sample\n\n---\n\n**Name**: sample\n**Tier**: basic\n\n---\n\nText.\n"
    assert lines_of_reading("skills/sample/SKILL.md", content) == []
    assert staged("codex", "skill", content) == {
        "skills/sample/SKILL.md": b"---\ndescription: Sample\n---\n" + content.encode()
    }


def test_a_header_below_a_heading_is_not_read_and_that_is_said() -> None:
    content = "# Sample\n\n---\nname: other\n---\n\nText.\n"
    assert lines_of_reading("skills/sample/SKILL.md", content) == [
        "warning: frontmatter-repaired: kit:skills/sample/SKILL.md:3: "
        "text before '---'; the frontmatter is not read"
    ]
    assert headers(staged("gemini", "skill", content)) == [{"name": "sample", "description": "Sample"}]


# --- sizes, and what else is in a header


@every_harness
def test_a_comment_in_a_header_is_no_loss(harness: str) -> None:
    content = "---\n# who\nname: sample # the name\ndescription: Helps.\n---\nHelp.\n"
    found = headers(staged(harness, "agent", content))
    assert [each["description"] for each in found] == ["Helps."] * len(found)
    assert lines_of_reading("agents/sample.md", content) == []


@every_harness
def test_a_no_break_space_stays_one(harness: str) -> None:
    content = "---\nname: sample\ndescription: Uses our\u00a0tools.\ntools: Read\n---\nHelp.\n"
    found = headers(staged(harness, "agent", content))
    assert [each["description"] for each in found] == ["Uses our\u00a0tools."] * len(found)


@every_harness
def test_a_header_beyond_four_kilobytes_keeps_name_and_description(harness: str) -> None:
    rows = "".join(f"  - pattern: 'x{n}'\n    message: a rather long explanation\n" for n in range(200))
    content = f"---\nname: sample\ndescription: Checks.\nvalidate:\n{rows}---\nCheck.\n"
    (found,) = headers(staged(harness, "skill", content))
    assert (found["name"], found["description"]) == ("sample", "Checks.")


def test_grok_reads_four_kilobytes_of_a_header_so_the_longest_field_goes() -> None:
    rows = "".join(f"  - {n:04}-xxxxxxxxxxxxxxxxxxxx\n" for n in range(200))
    made = artifact("skill", f"---\nname: sample\ndescription: Checks.\nvalidate:\n{rows}---\nCheck.\n")
    files, lines = write("grok", made)
    assert files == {"skills/sample/SKILL.md": b"---\nname: sample\ndescription: Checks.\n---\nCheck.\n"}
    assert lines == [
        "warning: field-dropped: 'validate' has no effect there; only 4096 bytes of a header are read"
    ]


# --- values that another reader takes for something else than text


@every_harness
@pytest.mark.parametrize(
    "text", ["on", "yes", "No", "1.0", "0x1F", "2026-02-27", "12:30", "null", "~", "1e3"]
)
def test_a_description_that_looks_like_something_else_stays_text(harness: str, text: str) -> None:
    content = f"---\nname: sample\ndescription: {text}\nglobs: *.ts\n---\nBody.\n"
    found = headers(staged(harness, "skill", content))
    assert [each["description"] for each in found] == [text]


@pytest.mark.parametrize(
    ("written", "kept"),
    [("1.0", '"1.0"'), ("2026-02-27", '"2026-02-27"'), ("'8'", '"8"'), ("v2", "v2"), ("[a, b]", "[a, b]")],
)
def test_an_unknown_field_is_written_anew_as_the_text_it_was(written: str, kept: str) -> None:
    content = f"---\nname: sample\ndescription: Runs: fast\nversion: {written}\n---\nRun.\n"
    wanted = f'---\nname: sample\ndescription: "Runs: fast"\nversion: {kept}\n---\nRun.\n'
    assert staged("claude", "skill", content) == {"skills/sample/SKILL.md": wanted.encode()}


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("Call my_helper_fn and `__init__` with *args.", "Call my_helper_fn and __init__ with *args."),
        ("## **Lint** all _files_ in [the docs](docs.md)", "Lint all files in the docs"),
        ("- ***Note:*** run `a_b` ~~twice~~", "Note: run a_b twice"),
        ("2 * 3 * 4 is x", "2 * 3 * 4 is x"),
    ],
)
def test_a_made_description_has_no_markup_and_keeps_the_words(line: str, description: str) -> None:
    assert markdown.description(artifact("command", line + "\n")) == description
