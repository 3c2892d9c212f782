"""Placeholders of one harness in the words of another."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.harnesses.codes import PlaceholderKept, TextReread
from tackroom.harnesses.contract import Count, Placeholders
from tackroom.harnesses.placeholders import Translated, translate

TOLD = Placeholders(
    all="$ARGUMENTS", count=Count.TOLD, declared=True, escape=True, shell="!`{}`", block=True, file="@{}"
)
ONE = Placeholders(all="$ARGUMENTS", count=Count.ONE, shell="!`{}`", file="@{}")
ZERO = Placeholders(all="$ARGUMENTS", count=Count.ZERO)
BRACES = Placeholders(all="{{args}}", shell="!{{}}", file="@{{}}")
NOTHING = Placeholders()
EVERY = (TOLD, ONE, ZERO, BRACES, NOTHING)


def text(body: str, source: Placeholders, target: Placeholders, declared: tuple[str, ...] = ()) -> str:
    """Translate a body that must lose nothing."""
    made = translate(body.encode(), source, target, declared=declared)
    assert made.findings == ()
    assert made.note == ""
    return made.body.decode()


def lossy(
    body: str, source: Placeholders, target: Placeholders, declared: tuple[str, ...] = ()
) -> Translated:
    """Translate a body of which something is lost."""
    made = translate(body.encode(), source, target, declared=declared)
    assert made.findings
    return made


# --- arguments


def test_all_arguments_are_said_in_the_targets_way() -> None:
    assert text("Fix $ARGUMENTS.", TOLD, BRACES) == "Fix {{args}}."
    assert text("Fix {{args}}.", BRACES, ONE) == "Fix $ARGUMENTS."
    assert text("Fix $ARGUMENTS.", TOLD, ZERO) == "Fix $ARGUMENTS."


def test_positions_are_counted_as_the_target_counts() -> None:
    assert text("Copy $0 to $1", TOLD, ONE) == "Copy $1 to $2"
    assert text("Copy $1 to $2", ONE, TOLD) == "Copy $0 to $1"
    assert text("Copy $1 to $2", ONE, ZERO) == "Copy $0 to $1"


def test_a_body_with_one_and_without_zero_counts_from_one() -> None:
    assert text("Copy $1 to $2", TOLD, ONE) == "Copy $1 to $2"
    assert text("Copy $1 to $2", TOLD, ZERO) == "Copy $0 to $1"
    assert text("Copy $ARGUMENTS[0] to $1", TOLD, ONE) == "Copy $1 to $2"


def test_an_indexed_word_is_a_position_where_the_target_has_no_index() -> None:
    assert text("Do $ARGUMENTS[0] on $ARGUMENTS[2]", TOLD, ONE) == "Do $1 on $3"
    assert text("Do $ARGUMENTS[0]", TOLD, ZERO) == "Do $ARGUMENTS[0]"


def test_a_declared_name_is_the_position_of_its_word() -> None:
    names = ("issue", "issue-type")
    assert text("Fix $issue as $issue-type, not $issues", TOLD, ONE, names) == "Fix $1 as $2, not $issues"
    assert text("Fix $issue", ONE, ZERO, names) == "Fix $issue"
    assert text("Fix $ARGUMENTS_X $a", TOLD, ONE, ("ARGUMENTS_X", "é", "a")) == "Fix $ARGUMENTS_X $3"


def test_dollars_of_other_languages_and_prices_are_kept() -> None:
    assert text("awk '{print $1}'; it costs $5", TOLD, BRACES) == "awk '{print $1}'; it costs $5"


def test_braces_after_an_at_sign_would_name_a_file_so_that_the_words_are_kept() -> None:
    made = lossy("Read @$ARGUMENTS", TOLD, BRACES)
    assert made.body == b"Read @$ARGUMENTS"
    assert made.note == "> The arguments are: {{args}}\n> `$ARGUMENTS` stands for all of them.\n\n"


# --- commands and files


def test_an_injected_command_is_said_in_the_targets_way() -> None:
    assert text("- Now: !`git log -3`", TOLD, BRACES) == "- Now: !{git log -3}"
    assert text("- Now: !{git log -3}", BRACES, ONE) == "- Now: !`git log -3`"
    assert text("!`gh pr view $ARGUMENTS`", TOLD, BRACES) == "!{gh pr view {{args}}}"
    assert text("!{echo ${HOME} {{args}}}", BRACES, TOLD) == "!`echo ${HOME} $ARGUMENTS`"


def test_a_command_that_does_not_fit_the_targets_form_is_kept() -> None:
    assert lossy("!`echo }`", TOLD, BRACES).body == b"!`echo }`"
    assert lossy("!{echo `id`}", BRACES, TOLD).body == b"!{echo `id`}"
    assert lossy("a!{id}", BRACES, TOLD).body == b"a!{id}"


def test_a_block_of_one_command_is_said_inline() -> None:
    assert text("Do:\r\n```!\r\n  git log\r\n```\r\nEnd", TOLD, ONE) == "Do:\r\n!`git log`\r\nEnd"
    made = lossy("```!\na\nb\n```", TOLD, ONE)
    assert made.body == b"```!\na\nb\n```"
    assert made.note == "> Run each code block opened with ```! first and use its output in its place.\n\n"


def test_code_is_not_an_injected_command() -> None:
    assert text("Append `!` before `:`; x!`a`", TOLD, NOTHING) == "Append `!` before `:`; x!`a`"


@pytest.mark.parametrize(
    "path",
    [
        "./a.md",
        "../lib",
        "~/notes",
        "docs/a.md",
        "/etc/hosts.conf",
        "package.json",
        ".env",
        ".github/workflows/",
    ],
)
def test_a_sure_path_is_an_inlined_file(path: str) -> None:
    assert text(f"Read @{path}, then go", TOLD, BRACES) == f"Read @{{{path}}}, then go"
    assert text(f"Read @{{{path}}}, then go", BRACES, TOLD) == f"Read @{path}, then go"


@pytest.mark.parametrize(
    "body",
    [
        "mail me@example.com/a.md",
        "npm i @scope/pkg",
        "@app.route('/')",
        "@State private var",
        "ask @octocat",
        "`cat @./a.md`",
        "```\n@./a.md\n```",
        "import x from @/lib/utils",
        "Read @./docs/${NAME}.md",
    ],
)
def test_what_only_looks_like_a_path_is_none(body: str) -> None:
    assert text(body, TOLD, BRACES) == body


# --- what the target has no form for


def test_what_is_kept_is_reported_once_with_its_first_line() -> None:
    made = lossy("A\n$ARGUMENTS $1\n!`a` !`b`\n$1 @./x.md", TOLD, NOTHING)
    assert made.body == b"A\n$ARGUMENTS $1\n!`a` !`b`\n$1 @./x.md"
    assert made.findings == (
        PlaceholderKept(placeholder="$ARGUMENTS", line=2),
        PlaceholderKept(placeholder="$1", line=2),
        PlaceholderKept(placeholder="!`...`", line=3),
        PlaceholderKept(placeholder="@path", line=4),
    )


def test_a_note_tells_the_model_what_is_kept() -> None:
    made = lossy("Do $ARGUMENTS: $1, $2\n!`a` @./x.md", TOLD, NOTHING)
    assert made.note == (
        "> Run each command written as !`...` first and use its output in its place.\n"
        "> Where @path stands, read that file first.\n"
        "> The arguments are the words that the user gave after the name of this command or skill.\n"
        "> `$ARGUMENTS` stands for all of them, `$1` for the first, `$2` for the second.\n\n"
    )


def test_a_note_carries_the_arguments_where_the_target_can() -> None:
    made = lossy("Fix $issue, $ARGUMENTS[11]", TOLD, BRACES, ("issue",))
    assert made.note == (
        "> The arguments are: {{args}}\n> `$issue` stands for the first, `$ARGUMENTS[11]` for number 12.\n\n"
    )


def test_a_note_names_the_forms_of_the_source() -> None:
    made = lossy("{{args}} !{id} @{a b}", BRACES, NOTHING)
    assert made.note == (
        "> Run each command written as !{...} first and use its output in its place.\n"
        "> Where @{path} stands, read that file first.\n"
        "> The arguments are the words that the user gave after the name of this command or skill.\n"
        "> `{{args}}` stands for all of them.\n\n"
    )


@pytest.mark.parametrize(("source", "target"), [*product(EVERY, EVERY)])
def test_nothing_in_a_note_is_replaced_but_the_arguments_it_carries(
    source: Placeholders, target: Placeholders
) -> None:
    body = (
        b"$ARGUMENTS @$ARGUMENTS $0 $1 $name {{args}} !{id `a`} !`echo }` @{a b} @./a.md\n```!\na\nb\n```\n"
    )
    note = translate(body, source, target, declared=("name",)).note.encode()
    read = translate(note, target, NOTHING, declared=("name",)).findings
    assert set(read) <= {PlaceholderKept(placeholder=target.all, line=each.line) for each in read}


# --- what the target takes for its own


def test_text_that_the_target_would_replace_is_reported() -> None:
    made = lossy("Use {{args}}\nand git log @{u}.. or !{", TOLD, BRACES)
    assert made.body == b"Use {{args}}\nand git log @{u}.. or !{"
    assert made.findings == (
        TextReread(text="{{args}}", line=1),
        TextReread(text="@{u}", line=2),
        TextReread(text="!{", line=2),
    )


def test_a_command_that_never_ran_at_home_is_reported() -> None:
    made = lossy("Type $ARGUMENTS or\n!`id` in @./a.md\n```!\nid\n```", NOTHING, TOLD)
    assert made.findings == (
        TextReread(text="$ARGUMENTS", line=1),
        TextReread(text="!`id`", line=2),
        TextReread(text="@./a.md", line=2),
        TextReread(text="```!", line=3),
    )


def test_a_foreign_dollar_is_escaped_where_the_target_can() -> None:
    assert text("awk '{print $1}', $5 or $20", NOTHING, TOLD) == r"awk '{print \$1}', \$5 or $20"
    assert lossy(r"echo \$1 $ARGUMENTS[0]", BRACES, TOLD).findings == (
        TextReread(text="$1", line=1),
        TextReread(text="$ARGUMENTS[0]", line=1),
    )


def test_a_foreign_dollar_is_reported_where_it_cannot_be_escaped() -> None:
    assert lossy("awk '{print $1}'", NOTHING, ZERO).findings == (TextReread(text="$1", line=1),)


def test_a_dollar_that_a_target_from_one_would_empty_is_reported() -> None:
    made = lossy("Use $0, $1; it costs $20", TOLD, ONE)
    assert made.body == b"Use $1, $2; it costs $20"
    assert made.findings == (TextReread(text="$20", line=1),)


def test_a_dollar_that_both_replace_alike_is_not_reported() -> None:
    assert text("awk '{print $1}'", TOLD, ZERO) == "awk '{print $1}'"


# --- for every body

PIECES = (
    "$ARGUMENTS",
    "$0",
    "$1",
    "$name",
    "{{args}}",
    "!`",
    "!{",
    "@{",
    "@./a",
    "}",
    "`",
    "```!\n",
    "\n",
    " ",
    "\\",
    "\xff",
)
bodies = st.binary() | st.lists(st.sampled_from(PIECES)).map(lambda each: "".join(each).encode("latin-1"))
syntaxes = st.sampled_from(EVERY)


@given(bodies, syntaxes)
def test_the_same_syntax_changes_nothing(body: bytes, syntax: Placeholders) -> None:
    assert translate(body, syntax, syntax, declared=("name",)) == Translated(body)


@given(bodies, syntaxes, syntaxes)
def test_every_body_is_translated_and_every_finding_has_a_line_of_it(
    body: bytes, source: Placeholders, target: Placeholders
) -> None:
    made = translate(body, source, target, declared=("name",))
    assert all(1 <= each.line <= body.count(b"\n") + 1 for each in made.findings)
    assert bool(made.note) == any(isinstance(each, PlaceholderKept) for each in made.findings)


SAID = {
    "$ARGUMENTS": "{{args}}",
    "!`git log`": "!{git log}",
    "@./a.md": "@{./a.md}",
    "!`echo $ARGUMENTS`": "!{echo {{args}}}",
}
plain = st.binary().map(lambda each: each.translate(None, b"$@!{}`~"))


@given(st.lists(st.tuples(plain, st.sampled_from([*SAID]))), plain)
def test_only_placeholders_are_changed(parts: list[tuple[bytes, str]], rest: bytes) -> None:
    body = b"".join(b"%b %b " % (before, each.encode()) for before, each in parts) + rest
    said = b"".join(b"%b %b " % (before, SAID[each].encode()) for before, each in parts) + rest
    assert translate(body, TOLD, BRACES) == Translated(said)


words = st.text("ab \r\n.,:é", max_size=20)


@given(st.lists(words, min_size=2, max_size=14), words)
def test_positions_from_zero_come_back_the_same(parts: list[str], rest: str) -> None:
    body = ("".join(f"{before} ${at} " for at, before in enumerate(parts)) + rest).encode()
    there = translate(body, TOLD, ONE)
    assert translate(there.body, ONE, TOLD) == Translated(body)
