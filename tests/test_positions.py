"""Which dollars before a number stand for words of the arguments."""

from __future__ import annotations

import pytest
from tackroom.harnesses.positions import positions


def read(body: str, *, from_zero: bool = True, expected: bool = False) -> list[str]:
    """Return the positions of a body."""
    return [each[0].decode() for each in positions(body.encode(), from_zero=from_zero, expected=expected)]


@pytest.mark.parametrize(
    "body",
    [
        "Review PR #$1.",
        "- `$1`: the branch to push to",
        "- **$1** (required): the name",
        "Read @$1 first",
        "git checkout -b feature/$1",
        "```bash\ngh issue view $1\n```",
        '```json\n{"message": "$1"}\n```',
        '```bash\nCLUSTER="$1"\n```',
        "tag v$1, or branch rebase-$1",
        "生成一个名为 $1 的新项目",
    ],
)
def test_a_dollar_in_prose_or_in_commands_is_a_position(body: str) -> None:
    assert set(read(body)) == {"$1"}


@pytest.mark.parametrize(
    "body",
    [
        "awk '{print $1}' access.log",
        "awk -F '\\t' '{sub(/x/, \"\", $1); print $1}'",
        "awk '\n  { print $1 }\n'",
        "perl -pe 's/(a)/$1/' file",
        "sed -E 's/(.*)/$1/' file",
        "SELECT * FROM users WHERE id = $1",
        "VALUES ($1, $2)",
        "text.replace(/(a)/g, '<b>$1</b>')",
        "rewrite ^/old/(.*) /new/$1",
        "replacement: $1:9090",
        "```go\ndb.Query(q, $1)\n```",
        '```bash\n#!/bin/bash\nwhisper "$1"\n```',
        '```sh\nlog() {\n  echo "$1"\n}\n```',
        '~~~sh\nwhile [ $# -gt 0 ]; do\n  name="$1"\n  shift\ndone\n~~~',
        'Save this:\n\n#!/bin/sh\necho "$1"\n',
    ],
)
def test_a_dollar_of_another_language_is_none(body: str) -> None:
    assert read(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "$5",
        "$10",
        "$20/month",
        "$1.50",
        "$1,000",
        "$1M",
        "$1k",
        "$1-5",
        "$1 per call",
        "$1/mo/user",
        "~$1",
        "$1%",
    ],
)
def test_a_price_is_none(body: str) -> None:
    assert read(f"It costs {body} or so.") == []


@pytest.mark.parametrize("body", [r"\$1", "$$1", "${1}", "$1$2", "$1st", "$1_x"])
def test_what_is_escaped_or_glued_to_more_is_none(body: str) -> None:
    assert read(body) == []


def test_positions_run_from_the_first_without_a_gap() -> None:
    assert read("$1 and $2, not $4") == ["$1", "$2"]
    assert read("$0 and $1") == ["$0", "$1"]
    assert read("only $2") == []


def test_an_indexed_word_belongs_to_the_run() -> None:
    assert read("$ARGUMENTS[0] and $1") == ["$1"]


def test_a_format_that_counts_from_one_has_no_position_zero() -> None:
    assert read("$0 and $1", from_zero=False) == ["$1"]


def test_more_than_nine_positions_are_read() -> None:
    body = " ".join(f"${number}" for number in range(1, 12))
    assert read(body) == body.split()


def test_one_number_alone_is_a_price_in_a_body_about_money() -> None:
    body = "| Free | $0 |\n| Pro | $20 |\n"
    assert read(body) == []
    assert read(body, expected=True) == ["$0"]
    assert read(body + "Plan: $ARGUMENTS") == ["$0"]
