"""What a tackroom.yaml says: every key, and that any text is either a workspace or a readable error."""

import os
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tackroom.packages.errors import TackroomError

from tackroom import config
from tackroom.config import PACKAGE_KEYS, WORKSPACE_KEYS, PackageSpec, Workspace

IDS = ("claude", "cursor", "opencode", "codex", "grok", "antigravity", "gemini")
BUNDLES = dict.fromkeys(IDS, "bundle")


@pytest.fixture
def read(tmp_path):
    def read(text, version="0.1.0"):
        path = tmp_path / "tackroom.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return config.read(path, harness_ids=IDS, version=version)

    return read


def package(read, text):
    """Read a workspace of one package and return that."""
    return read("packages:\n  one: " + text).packages[0]


def test_every_key_that_is_supported(tmp_path, read):
    (tmp_path / "tools" / "agents").mkdir(parents=True)
    made = read("""\
harnesses: [codex, claude]
tackroom: "~=0.1"
layout: bundle
out: build/agents/
packages:
  reviewer:
    git: owner/repo
    rev: v1.0
    subdir: plugins/reviewer
    plugins: [gopls-lsp, other]
    only: [skill/*, command/review]
    skip: ["*/old-*"]
  mine:
    path: tools/agents
""")
    assert made == Workspace(
        name=(tmp_path / "tackroom.yaml").as_posix(),
        folder=tmp_path,
        harnesses=("codex", "claude"),
        requires="~=0.1",
        layout=BUNDLES,
        out="build/agents",
        packages=(
            PackageSpec(
                key="reviewer",
                line=6,
                git="owner/repo",
                rev="v1.0",
                subdir="plugins/reviewer",
                plugins=("gopls-lsp", "other"),
                only=("skill/*", "command/review"),
                skip=("*/old-*",),
            ),
            PackageSpec(key="mine", line=13, path="tools/agents"),
        ),
    )


def test_only_packages_must_be_there(tmp_path, read):
    made = read("packages: {}\n")
    assert made == Workspace(
        name=(tmp_path / "tackroom.yaml").as_posix(),
        folder=tmp_path,
        packages=(),
        layout=BUNDLES,
        harnesses=None,
        requires="",
        out=".tackroom/stage",
    )


def test_null_is_the_same_as_no_such_key(read):
    assert read("harnesses:\ntackroom: ~\nlayout: null\nout:\nmodels:\npackages: {}\n") == read(
        "packages: {}\n"
    )
    assert package(read, "{git: a/b, path: , rev: ~, only: null}") == package(read, "{git: a/b}")


def test_packages_keep_the_order_of_the_file(read):
    made = read("packages: {z: {git: a/b}, a: {git: a/b}, m-1: {git: a/b}}\n")
    assert [each.key for each in made.packages] == ["z", "a", "m-1"]


def test_text_that_yaml_takes_for_something_else_stays_text(read):
    assert package(read, "{git: a/b, rev: 1.0, plugins: [on, 12]}").plugins == ("on", "12")
    assert package(read, "{git: a/b, rev: 1.0}").rev == "1.0"


@pytest.mark.parametrize("text", ['"*"', "['*']", "\n      - '*'"])
def test_a_star_takes_all_of_a_catalogue(read, text):
    assert package(read, "\n    git: a/b\n    plugins: " + text).plugins == ("*",)


def test_no_plugins_means_no_catalogue(read):
    assert package(read, "{git: a/b}").plugins is None


@pytest.mark.parametrize(
    "kind", ["command", "agent", "skill", "rule", "hook", "mcp", "lsp", "instructions", "*"]
)
def test_a_glob_starts_with_any_kind_or_a_star(read, kind):
    assert package(read, f"{{git: a/b, only: ['{kind}/x*']}}").only == (f"{kind}/x*",)


@pytest.mark.parametrize(
    "git", ["https://git.example/a/b.git", "ssh://git@git.example:22/a", "git@git.example:a/b.git", "a/b.c"]
)
def test_a_repository_is_kept_as_it_is_written(read, git):
    assert package(read, f"{{git: '{git}'}}").git == git


def test_a_repository_at_hand_is_kept_as_it_is_written(tmp_path, read):
    (tmp_path / "vendor").mkdir()
    assert package(read, "{git: ./vendor}").git == "./vendor"
    assert package(read, f"{{git: '{tmp_path.as_posix()}/vendor'}}").git == f"{tmp_path.as_posix()}/vendor"


def test_a_folder_counts_from_the_file_and_may_lie_beside_it(tmp_path):
    (tmp_path / "team").mkdir()
    (tmp_path / "shared").mkdir()
    path = tmp_path / "team" / "tackroom.yaml"
    path.write_text("packages: {a: {path: ../shared/}, b: {path: .}}")
    made = config.read(path, harness_ids=IDS, version="0.1.0")
    assert [each.path for each in made.packages] == ["../shared", "."]


@pytest.mark.parametrize(
    ("text", "subdir"), [(".", ""), ("./a/b/", "a/b"), (".claude", ".claude"), ("a//b", "a/b")]
)
def test_a_subdir_has_one_form(read, text, subdir):
    assert package(read, f"{{git: a/b, subdir: '{text}'}}").subdir == subdir


@pytest.mark.parametrize(
    "text", ["bundle", "{default: bundle}", "{cursor: bundle}", "{default: bundle, codex: bundle}"]
)
def test_a_layout_is_known_for_every_harness(read, text):
    assert read(f"layout: {text}\npackages: {{}}\n").layout == BUNDLES


def test_outputs_may_go_anywhere_but_over_the_workspace(tmp_path, read):
    elsewhere = f"{tmp_path.as_posix()}-elsewhere"
    assert read(f"out: '{elsewhere}'\npackages: {{}}\n").out == elsewhere
    assert read("out: ../beside\npackages: {}\n").out == "../beside"
    assert read("out: ./a/../b\npackages: {}\n").out == "b"


def test_outputs_may_not_go_over_the_workspace_through_a_link(tmp_path, read):
    try:
        (tmp_path / "out").symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(TackroomError, match="'out' is 'out', which holds the workspace itself"):
        read("out: out\npackages: {}\n")


def test_the_folder_is_absolute_though_the_path_is_not(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tackroom.yaml").write_text("packages: {}")
    assert config.read(Path("tackroom.yaml"), harness_ids=IDS, version="0.1.0").folder == Path.cwd()


@pytest.mark.parametrize(
    "text", [b"\xef\xbb\xbfpackages: {}\n", b"out: x\r\npackages: {}\r\n", b"# one\n\npackages: {}"]
)
def test_a_mark_line_ends_and_comments_change_nothing(read, text):
    assert read(text).packages == ()


def test_the_table_shows_every_key_and_what_is_not_supported():
    lines = config.table().splitlines()
    assert lines[0] == "| key | takes | what it is for |"
    assert len(lines) == 2 + len(WORKSPACE_KEYS) + len(PACKAGE_KEYS)
    assert "| `models` | a map of tiers | what each harness calls a model tier (not supported yet) |" in lines
    assert (
        "| `packages.NAME.rev` | a branch, tag or commit | what the lock pins; absent: the default branch |"
        in lines
    )
    assert all(line.count("|") == 4 for line in lines)


# --- hostile files ----------------------------------------------------------------------------

BOMB = "a: &a [x]\n" + "".join(f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in pairwise("abcdefghi"))


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        "packages: " + "[" * 5000,
        "packages: " + "{a: " * 5000,
        "\n".join(" " * depth + "a:" for depth in range(5000)),
        "packages: !!python/object/apply:os.system [id]\n",
        'packages: {a: {git: a/b, rev: "x\\0y"}}',
        "packages: \0",
        "packages:\n\ta: b\n",
        "packages: {a: {path: '" + "x/" * 5000 + "'}}\n",
        "packages: {a: {path: '" + "x" * 5000 + "'}}\n",
        "tackroom: '==" + "9" * 5000 + "'\npackages: {}\n",
        "packages: {'" + "a" * 100_000 + "_': {git: a/b}}\n",
        "'" + "a" * 100_000 + "': 1\npackages: {}\n",
        "<<: {packages: {}}\n",
        b"\xff\xfep\x00",
    ],
    ids=lambda text: repr(text[:30]),
)  # fmt: skip
def test_a_hostile_file_is_one_line_soon(read, text):
    started = time.process_time()
    with pytest.raises(TackroomError) as wrong:
        read(text)
    assert time.process_time() - started < 1
    assert str(wrong.value).isprintable()


KEYS = st.sampled_from(
    [key.name for key in (*WORKSPACE_KEYS, *PACKAGE_KEYS)] + ["default", "x", "X", "codex"]
)
LEAVES = st.sampled_from(
    ["*", "", "a/b", "./x", "..", "~=0.1", "project", "skill/*", "-x", "/", "a\\b", "C:/x", "\x7f", "é", "~"]
)
NODES = st.recursive(
    LEAVES, lambda each: st.lists(each, max_size=3) | st.dictionaries(KEYS, each, max_size=4), max_leaves=8
)
FILES = st.dictionaries(KEYS, NODES, max_size=4).map(lambda made: repr(made).replace("'~'", "~"))
YAML_LIKE = st.text("packges:git/b-[]{},&*!|'\"#?~ \n\t", max_size=80)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(FILES | YAML_LIKE | st.binary(max_size=60))
def test_any_text_is_a_workspace_or_lines_that_name_the_place(tmp_path, read, text):
    try:
        made = read(text)
    except TackroomError as wrong:
        place = f"{(tmp_path / 'tackroom.yaml').as_posix()}:"
        lines = str(wrong).split("\n")
    else:
        assert isinstance(made, Workspace)
        return
    assert all(line.startswith(place) and line.isprintable() for line in lines)


def test_the_same_file_gives_the_same_workspace(read):
    text = "harnesses: [grok, codex]\npackages: {b: {git: a/b}, a: {git: c/d}}\n"
    assert repr(read(text)) == repr(read(text))


# --- files that cannot be read ----------------------------------------------------------------


def error(path):
    with pytest.raises(TackroomError) as wrong:
        config.read(path, harness_ids=IDS, version="0.1.0")
    return str(wrong.value)


def test_a_missing_file_says_what_to_write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = "no tackroom.yaml in '{}'; write one with at least 'packages: {{NAME: {{git: OWNER/REPO}}}}'"
    assert error(Path("tackroom.yaml")) == expected.format(".")
    assert error(Path("a/b/tackroom.yaml")) == expected.format("a/b")


def test_a_folder_of_that_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("tackroom.yaml").mkdir()
    assert error(Path("tackroom.yaml")) == "tackroom.yaml: is a folder; write a file there"


def test_a_file_that_may_not_be_read(monkeypatch):
    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert error(Path("tackroom.yaml")) == "tackroom.yaml: cannot be read: permission denied"


@pytest.mark.skipif(os.name == "nt", reason="a missing file there")
def test_a_path_through_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a").touch()
    assert error(Path("a/tackroom.yaml")) == "a/tackroom.yaml: cannot be read: not a directory"
