"""The variables of a command line: what they ask for, and every mistake with its exact message."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.packages.errors import TackroomError

from tackroom import __version__, variables
from tackroom.variables import VARIABLES, Form, Options

IDS = ("claude", "cursor", "opencode", "codex", "grok", "antigravity", "gemini")
ALL_IDS = "claude, cursor, opencode, codex, grok, antigravity, gemini"


def read(environ=None, **arguments):
    return variables.read(
        arguments,
        environ or {},
        harness_ids=IDS,
        package_keys=("reviewer", "official"),
    )


def message(**arguments):
    with pytest.raises(TackroomError) as wrong:
        read(**arguments)
    return str(wrong.value)


def test_nothing_given_narrows_nothing():
    assert read() == Options(
        harnesses=None,
        packages=None,
        layout=None,
        out=None,
        locked=False,
        offline=False,
        strict=False,
        force=False,
        findings_all=False,
        json=None,
        update=(),
    )


def test_everything_given():
    assert read(
        HARNESS="codex,claude",
        PACKAGE="reviewer,official.gopls-lsp",
        LAYOUT="bundle",
        OUT="build",
        LOCKED="1",
        OFFLINE="yes",
        STRICT="true",
        FORCE="YES",
        FINDINGS="all",
        JSON="report.json",
        UPDATE="official",
    ) == Options(
        harnesses=("codex", "claude"),
        packages=("reviewer", "official.gopls-lsp"),
        layout="bundle",
        out="build",
        locked=True,
        offline=True,
        strict=True,
        force=True,
        findings_all=True,
        json="report.json",
        update=("official",),
    )


def test_a_variable_without_a_value_counts_as_not_given():
    supported = {row.name: "" for row in VARIABLES if row.supported}
    assert read(**supported) == Options()


def test_names_may_have_spaces_and_are_taken_once():
    assert read(HARNESS=" grok, ,codex,grok,").harnesses == ("grok", "codex")


def test_frozen_is_locked_and_offline():
    assert read(FROZEN="1") == Options(locked=True, offline=True)
    assert read(FROZEN="1", LOCKED="0", OFFLINE="0") == Options(locked=True, offline=True)


@pytest.mark.parametrize(
    ("text", "on"), [("1", True), ("0", False), ("", False), ("True", True), ("no", False)]
)
def test_a_flag_is_on_or_off(text, on):
    assert read(STRICT=text).strict is on


@pytest.mark.parametrize(
    ("ci", "locked"),
    [("true", True), ("1", True), ("woodpecker", True), ("", False), ("false", False), ("0", False)],
)
def test_locked_is_the_default_where_ci_is_set(ci, locked):
    assert read({"CI": ci}) == Options(locked=locked)


@pytest.mark.parametrize("text", ["0", "false", ""])
def test_locked_can_be_switched_off_where_ci_is_set(text):
    assert read({"CI": "true"}, LOCKED=text).locked is False


def test_other_variables_are_none_of_ours():
    assert read(prefix="/usr", CC="clang", TARGET="x", VERSION="1", DEBUG="1") == Options()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"HARNESS": "codex,claud"}, "HARNESS names 'claud', which is no harness; did you mean 'claude'"),
        ({"HARNESS": "vim"}, f"HARNESS names 'vim', which is no harness; known: {ALL_IDS}"),
        (
            {"PACKAGE": "reviwer"},
            "PACKAGE names 'reviwer', which is no package of the workspace; did you mean 'reviewer'",
        ),
        ({"PACKAGE": "zzz"}, "PACKAGE names 'zzz', which is no package of the workspace"),
        (
            {"PACKAGE": "reviewer."},
            "PACKAGE names 'reviewer.', which is no package of the workspace; did you mean 'reviewer'",
        ),
        (
            {"UPDATE": "oficial.gopls-lsp"},
            "UPDATE names 'oficial.gopls-lsp', which is no package of the workspace; did you mean 'official'",
        ),
        (
            {"LAYOUT": "project"},
            f"LAYOUT is 'project', which is not supported by tackroom {__version__} yet; use 'bundle'",
        ),
        ({"LAYOUT": "bundel"}, "LAYOUT is 'bundel', which is no layout; did you mean 'bundle'"),
        ({"LAYOUT": "x"}, "LAYOUT is 'x', which is no layout; known: bundle, project"),
        ({"LOCKED": "maybe"}, "LOCKED is 'maybe', which is neither on nor off; use 1 or 0"),
        ({"FROZEN": "2"}, "FROZEN is '2', which is neither on nor off; use 1 or 0"),
        ({"FORCE": "a\x1bb"}, "FORCE is 'a\\x1bb', which is neither on nor off; use 1 or 0"),
        ({"FINDINGS": "some"}, "FINDINGS is 'some', which is no choice; use 'all'"),
        ({"FILE": "x.html"}, f"FILE is not supported by tackroom {__version__} yet; remove it"),
        ({"HARNES": "codex"}, "unknown variable 'HARNES'; did you mean 'HARNESS'"),
        ({"harness": "codex"}, "unknown variable 'harness'; did you mean 'HARNESS'"),
        ({"PACKAGES": "reviewer"}, "unknown variable 'PACKAGES'; did you mean 'PACKAGE'"),
        ({"UPDTE": "x", "LOCK": "1"}, "unknown variable 'LOCK'; did you mean 'LOCKED'"),
    ],
)
def test_a_mistake(arguments, expected):
    assert message(**arguments) == expected


@pytest.mark.parametrize("row", [row for row in VARIABLES if row.supported], ids=lambda row: row.name)
def test_what_the_table_says_of_a_variable_is_how_it_is_read(row):
    if row.form is Form.FLAG:
        assert message(**{row.name: "x,y"}).startswith(f"{row.name} is 'x,y', which is neither")
    elif row.form is Form.LIST:
        assert message(**{row.name: "x,y"}).startswith(f"{row.name} names 'x'")
    elif row.name in ("OUT", "JSON", "WHAT"):
        assert "x,y" in repr(read(**{row.name: "x,y"}))
    else:
        assert message(**{row.name: "x,y"}).startswith(f"{row.name} is 'x,y'")


@given(
    st.dictionaries(
        st.sampled_from([row.name for row in VARIABLES]) | st.text(max_size=8),
        st.sampled_from(["codex", "reviewer.x", "bundle", "all", "1", ","]) | st.text(max_size=8),
        max_size=5,
    )
)
def test_any_variables_are_options_or_one_line(arguments):
    try:
        made = read(**arguments)
    except TackroomError as wrong:
        made = str(wrong)
    assert isinstance(made, Options) or made.isprintable()


def test_the_table_shows_every_variable_and_what_is_not_supported():
    lines = variables.table().splitlines()
    assert lines[0] == "| variable | takes | what it does |"
    assert len(lines) == 2 + len(VARIABLES)
    assert "| `HARNESS` | names, with commas | stage for these harnesses only |" in lines
    assert "| `FILE` | text | where `report` writes its page (not supported yet) |" in lines
    assert all(line.count("|") == 4 for line in lines)
