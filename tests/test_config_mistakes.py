"""Every mistake that can be made in a tackroom.yaml, with the exact message."""

import pytest
from tackroom.packages.errors import TackroomError

from tackroom import config

IDS = ("claude", "cursor", "opencode", "codex", "grok", "antigravity", "gemini")
ALL_IDS = "claude, cursor, opencode, codex, grok, antigravity, gemini"
ALL_KINDS = "command, agent, skill, rule, hook, mcp, lsp, instructions"

ALL_KEYS = (
    "packages, harnesses, tackroom, layout, out, models, limits, mcp, hooks, cache, accept, deny, "
    "allow-run, fail-closed, cooldown"
)

WORKSPACE = [
    ("", ":1: the file has no 'packages'; list at least one, or write 'packages: {}'"),
    ("out: x", ":1: the file has no 'packages'; list at least one, or write 'packages: {}'"),
    ("out: x\npackages:", ":1: the file has no 'packages'; list at least one, or write 'packages: {}'"),
    ("[a]", ":1: the file must be a map, not a list"),
    ("text", ":1: the file must be a map, not text"),
    ("packages: {}\npackages: {}", ":2: 'packages' stands in line 1 already; keep one"),
    ("pacakges: {}", ":1: unknown key 'pacakges'; did you mean 'packages'"),
    ("pacakges:", ":1: unknown key 'pacakges'; did you mean 'packages'"),
    (
        "packages: {}\nzzz: 1",
        f":2: unknown key 'zzz'; known: {ALL_KEYS}",
    ),
    ("packages: []", ":1: 'packages' must be a map, not a list"),
    ("packages: one", ":1: 'packages' must be a map, not text"),
]

UNSUPPORTED = [
    (f"packages: {{}}\n{key}: {value}", f":2: '{key}' is not supported by tackroom 0.1.0 yet; remove it")
    for key, value in {
        "models": "{opus: {codex: {model: x}}}",
        "limits": "{codex: {max_threads: 6}}",
        "mcp": "{docs: {command: npx}}",
        "hooks": "{runner: absolute}",
        "cache": "{dir: vendor}",
        "accept": "[]",
        "deny": "[{run: http}]",
        "allow-run": "{reviewer: [hook]}",
        "fail-closed": "false",
        "cooldown": "7d",
    }.items()
]

HARNESSES = [
    ("harnesses: claude", ":1: 'harnesses' must be a list, not text"),
    ("harnesses: {claude: x}", ":1: 'harnesses' must be a list, not a map"),
    ("harnesses: []", ":1: 'harnesses' is an empty list; name something or remove it"),
    ("harnesses:\n- codex\n- [a]", ":3: 'harnesses' must be text, not a list"),
    ("harnesses: [~]", ":1: 'harnesses' must be text, not null"),
    ("harnesses: ['']", ":1: 'harnesses' is empty; write a value or remove it"),
    ("harnesses: [claud]", ":1: 'harnesses' names 'claud', which is no harness; did you mean 'claude'"),
    ("harnesses: [vim]", f":1: 'harnesses' names 'vim', which is no harness; known: {ALL_IDS}"),
    ("harnesses: [Codex]", ":1: 'harnesses' names 'Codex', which is no harness; did you mean 'codex'"),
    ("harnesses:\n- codex\n- grok\n- codex", ":4: 'harnesses' names 'codex' twice; remove one"),
]

VERSIONS = [
    (
        "tackroom: ~=0.3",
        ":1: this workspace asks for tackroom '~=0.3', and this is 0.1.0; install a version in that range",
    ),
    (
        "tackroom: 0.1",
        ":1: 'tackroom' is '0.1', which is no range of versions; write one like '~=0.3' or '>=0.3,<0.5'",
    ),
    ("tackroom: [a]", ":1: 'tackroom' must be text, not a list"),
    ("tackroom: ''", ":1: 'tackroom' is empty; write a value or remove it"),
]

LAYOUTS = [
    (
        "layout: project",
        ":1: 'layout' is 'project', which is not supported by tackroom 0.1.0 yet; use 'bundle'",
    ),
    ("layout: bundel", ":1: 'layout' is 'bundel', which is no layout; did you mean 'bundle'"),
    ("layout: zzz", ":1: 'layout' is 'zzz', which is no layout; known: bundle, project"),
    ("layout: [bundle]", ":1: 'layout' must be text or a map, not a list"),
    ("layout: {codex: [x]}", ":1: 'layout.codex' must be text, not a list"),
    (
        "layout:\n  cursor: project",
        ":2: 'layout.cursor' is 'project', which is not supported by tackroom 0.1.0 yet; use 'bundle'",
    ),
    ("layout: {cursr: bundle}", ":1: unknown key 'cursr' in 'layout'; did you mean 'cursor'"),
    ("layout: {vim: bundle}", f":1: unknown key 'vim' in 'layout'; known: default, {ALL_IDS}"),
]

HOLDS = "which holds the workspace itself; choose a folder for outputs alone"
OUT = [
    ("out: .", f":1: 'out' is '.', {HOLDS}"),
    ("out: .git", ":1: 'out' is '.git', which is kept for something else; choose a folder for outputs alone"),
    ("out: file", ":1: 'out' is 'file', which is a file; name a folder"),
    ("out: ..", f":1: 'out' is '..', {HOLDS}"),
    ("out: a/..", f":1: 'out' is 'a/..', {HOLDS}"),
    ("out: /", f":1: 'out' is '/', {HOLDS}"),
    ("out: a\\b", ":1: 'out' is 'a\\b', which holds a backslash; separate folders with '/'"),
    ("out: [a]", ":1: 'out' must be text, not a list"),
    ("out: ''", ":1: 'out' is empty; write a value or remove it"),
    ('out: "a\\nb"', ":1: 'out' holds a line break or a control character; write plain text in one line"),
    ("out: |\n  a\n", ":1: 'out' holds a line break or a control character; write plain text in one line"),
]

KEY = "which is no package key; use a-z, 0-9 and, between them, '-'"
PACKAGE_KEYS = [
    ("{Bad: {git: a/b}}", f":1: 'packages' names 'Bad', {KEY}"),
    ("{a_b: {git: a/b}}", f":1: 'packages' names 'a_b', {KEY}"),
    ("{-a: {git: a/b}}", f":1: 'packages' names '-a', {KEY}"),
    ("{a-: {git: a/b}}", f":1: 'packages' names 'a-', {KEY}"),
    ("{a.b: {git: a/b}}", f":1: 'packages' names 'a.b', {KEY}"),
    ("{'': {git: a/b}}", f":1: 'packages' names '', {KEY}"),
    ("{é: {git: a/b}}", f":1: 'packages' names 'é', {KEY}"),
    ('{"a\\e": {git: a/b}}', f":1: 'packages' names 'a\\x1b', {KEY}"),
    (
        "\n  workspace: {path: .}",
        ":2: 'packages' names 'workspace', which stands for the repository's own artifacts; choose another",
    ),
    ("\n  a: {git: a/b}\n  a: {git: c/d}", ":3: 'packages.a' stands in line 2 already; keep one"),
    ("\n  a:\n  b: {git: a/b}", ":2: 'packages.a' must be a map, not null"),
    ("{a: owner/repo}", ":1: 'packages.a' must be a map, not text"),
    ("{a: [owner/repo]}", ":1: 'packages.a' must be a map, not a list"),
    ("{a: {}}", ":1: 'packages.a' has no source; add 'git' or 'path'"),
    ("\n  a:\n    rev: main", ":2: 'packages.a' has no source; add 'git' or 'path'"),
    ("{a: {git: , path: }}", ":1: 'packages.a' has no source; add 'git' or 'path'"),
    ("{a: {git: a/b, path: .}}", ":1: 'packages.a' has two sources, 'git' and 'path'; keep one"),
    (
        "\n  a:\n    path: .\n    rev: main",
        ":4: 'packages.a.rev' goes with 'git' only; remove it, a folder is taken as it is",
    ),
    (
        "\n  a:\n    path: .\n    subdir: x",
        ":4: 'packages.a.subdir' goes with 'git' only; put it into 'path'",
    ),
    ("\n  a:\n    gti: a/b", ":3: unknown key 'gti' in 'packages.a'; did you mean 'git'"),
    (
        "{a: {zzz: 1}}",
        ":1: unknown key 'zzz' in 'packages.a'; known: git, path, rev, subdir, plugins, only, skip",
    ),
]

ADDRESS = "write owner/repo for GitHub, a url, or a path that starts with ./"
SOURCES = [
    ("git: [a/b]", "'packages.a.git' must be text, not a list"),
    ("git: {a: b}", "'packages.a.git' must be text, not a map"),
    ("git: ''", "'packages.a.git' is empty; write a value or remove it"),
    ("git: repo", f"'packages.a.git': 'repo' is no address of a repository; {ADDRESS}"),
    ("git: a/b/c", f"'packages.a.git': 'a/b/c' is no address of a repository; {ADDRESS}"),
    ("git: -x", "'packages.a.git': '-x' starts with '-'"),
    ("git: 'ext::sh -c id'", "'packages.a.git': 'ext::sh -c id' names a program to run; use a url or a path"),
    ("path: none/here", "'packages.a.path' is 'none/here', which does not exist"),
    ("path: file", "'packages.a.path' is 'file', which is a file; name a folder"),
    (
        "path: /etc",
        "'packages.a.path' is '/etc', which is absolute; write it from the folder of tackroom.yaml",
    ),
    (
        "path: C:/x",
        "'packages.a.path' is 'C:/x', which is absolute; write it from the folder of tackroom.yaml",
    ),
    ("path: a\\b", "'packages.a.path' is 'a\\b', which holds a backslash; separate folders with '/'"),
    ("path: [a]", "'packages.a.path' must be text, not a list"),
    (
        'path: "a\\0"',
        "'packages.a.path' holds a line break or a control character; write plain text in one line",
    ),
]

REFINEMENTS = [
    ("rev: [main]", "'packages.a.rev' must be text, not a list"),
    ("rev: -x", "'packages.a.rev': '-x' starts with '-'"),
    ("rev: main~1", "'packages.a.rev': 'main~1' holds '~', which no branch, tag or commit does"),
    ("rev: a:b", "'packages.a.rev': 'a:b' holds ':', which no branch, tag or commit does"),
    ("subdir: ../x", "'packages.a.subdir': '../x' leaves the repository; name a folder inside it"),
    ("subdir: /x", "'packages.a.subdir': '/x' leaves the repository; name a folder inside it"),
    ("subdir: a\\b", "'packages.a.subdir': 'a\\b' holds a backslash; folders are separated by '/'"),
    ("subdir: {a: b}", "'packages.a.subdir' must be text, not a map"),
    ("plugins: gopls", "'packages.a.plugins' must be a list, not text"),
    ("plugins: []", "'packages.a.plugins' is an empty list; name something or remove it"),
    ("plugins: ['*', x]", "'packages.a.plugins' names '*', which takes all; remove the others"),
    ("plugins: [x, x]", "'packages.a.plugins' names 'x' twice; remove one"),
    ("plugins: [{x: y}]", "'packages.a.plugins' must be text, not a map"),
    ("only: skill/*", "'packages.a.only' must be a list, not text"),
    ("only: []", "'packages.a.only' is an empty list; name something or remove it"),
    ("only: [lint]", "'packages.a.only' names 'lint', which is not KIND/NAME; write one like 'skill/*'"),
    ("only: [skill/]", "'packages.a.only' names 'skill/', which is not KIND/NAME; write one like 'skill/*'"),
    (
        "only: [skills/x]",
        "'packages.a.only' names 'skills/x', which starts with no kind; did you mean 'skill'",
    ),
    ("skip: [zzz/x]", f"'packages.a.skip' names 'zzz/x', which starts with no kind; known: {ALL_KINDS}"),
    ("skip: [Rule/x]", "'packages.a.skip' names 'Rule/x', which starts with no kind; did you mean 'rule'"),
]


def message(tmp_path, text):
    path = tmp_path / "tackroom.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    (tmp_path / "file").touch()
    with pytest.raises(TackroomError) as wrong:
        config.read(path, harness_ids=IDS, version="0.1.0")
    return str(wrong.value).replace(path.as_posix(), "tackroom.yaml")


@pytest.mark.parametrize(("text", "expected"), WORKSPACE + UNSUPPORTED)
def test_a_mistake_in_the_file(tmp_path, text, expected):
    assert message(tmp_path, text) == "tackroom.yaml" + expected


@pytest.mark.parametrize(("text", "expected"), HARNESSES + VERSIONS + LAYOUTS + OUT)
def test_a_mistake_in_a_key(tmp_path, text, expected):
    assert message(tmp_path, text + "\npackages: {}") == "tackroom.yaml" + expected


@pytest.mark.parametrize(("text", "expected"), PACKAGE_KEYS)
def test_a_mistake_in_a_package(tmp_path, text, expected):
    assert message(tmp_path, "packages: " + text) == "tackroom.yaml" + expected


@pytest.mark.parametrize(("text", "expected"), SOURCES)
def test_a_mistake_in_a_source(tmp_path, text, expected):
    assert message(tmp_path, f"packages:\n  a:\n    {text}") == "tackroom.yaml:3: " + expected


@pytest.mark.parametrize(("text", "expected"), REFINEMENTS)
def test_a_mistake_in_what_is_taken_of_a_source(tmp_path, text, expected):
    assert message(tmp_path, f"packages:\n  a:\n    git: a/b\n    {text}") == "tackroom.yaml:4: " + expected


def test_a_star_without_quotes_is_explained(tmp_path):
    text = "packages:\n  a:\n    git: a/b\n    plugins: *\n"
    assert message(tmp_path, text).startswith("tackroom.yaml:4: not YAML: ")
    assert message(tmp_path, text).endswith("; a value that starts with '*' needs quotes")


def test_a_password_in_an_address_is_not_shown(tmp_path):
    shown = message(tmp_path, "packages: {a: {git: 'ftp://me:hunter2@example.com/a'}}")
    assert "ftp://***@example.com/a" in shown
    assert "hunter2" not in shown


def test_all_mistakes_are_told_in_the_order_of_the_file(tmp_path):
    text = """\
harnesses: [claud, zed, codex]
out: .
packages:
  Bad: {git: a/b}
  a:
    git: repo
    revv: main
    only: [skil/x, lint]
  b: {}
harness: codex
models: {}
"""
    assert message(tmp_path, text).splitlines() == [
        "tackroom.yaml:1: 'harnesses' names 'claud', which is no harness; did you mean 'claude'",
        f"tackroom.yaml:1: 'harnesses' names 'zed', which is no harness; known: {ALL_IDS}",
        f"tackroom.yaml:2: 'out' is '.', {HOLDS}",
        f"tackroom.yaml:4: 'packages' names 'Bad', {KEY}",
        f"tackroom.yaml:6: 'packages.a.git': 'repo' is no address of a repository; {ADDRESS}",
        "tackroom.yaml:7: unknown key 'revv' in 'packages.a'; did you mean 'rev'",
        "tackroom.yaml:8: 'packages.a.only' names 'lint', which is not KIND/NAME; write one like 'skill/*'",
        "tackroom.yaml:8: 'packages.a.only' names 'skil/x', which starts with no kind; did you mean 'skill'",
        "tackroom.yaml:9: 'packages.b' has no source; add 'git' or 'path'",
        "tackroom.yaml:10: unknown key 'harness'; did you mean 'harnesses'",
        "tackroom.yaml:11: 'models' is not supported by tackroom 0.1.0 yet; remove it",
    ]


def test_another_version_is_the_only_mistake_told(tmp_path):
    text = "key-of-a-later-version: 1\ntackroom: '>=0.2'\npackages: {a: {also: 2}}\n"
    assert message(tmp_path, text) == (
        "tackroom.yaml:2: this workspace asks for tackroom '>=0.2', and this is 0.1.0; "
        "install a version in that range"
    )
