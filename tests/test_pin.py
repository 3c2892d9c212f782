"""What a user may write as an address, a revision and a folder, and what each is taken for."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.packages import pin
from tackroom.packages.errors import TackroomError

HERE = Path("/home/space")


def refused(function, *arguments) -> str:
    with pytest.raises(TackroomError) as error:
        function(*arguments)
    return str(error.value)


# --- addresses --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("git", "url"),
    [
        ("owner/repo", "https://github.com/owner/repo"),
        ("Owner-1/my.repo_2.git", "https://github.com/Owner-1/my.repo_2.git"),
        ("./tools/repo", "/home/space/tools/repo"),
        ("../repo.git", "/home/repo.git"),
        ("..", "/home"),
        ("/srv/git/repo", "/srv/git/repo"),
        ("file:///srv/git/repo", "file:///srv/git/repo"),
        ("https://example.com/a/b", "https://example.com/a/b"),
        ("HTTPS://user:secret@example.com:8443/a b", "https://user:secret@example.com:8443/a b"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("ssh://git@example.com:2222/a", "ssh://git@example.com:2222/a"),
        ("git://example.com/a", "git://example.com/a"),
        ("git@example.com:a/b.git", "git@example.com:a/b.git"),
        ("work:a/b", "work:a/b"),
        ("work:/srv/a", "work:/srv/a"),
    ],
)
def test_addresses(git, url):
    assert pin.remote(git, HERE) == url


NO_ADDRESS = (
    "is no address of a repository; write owner/repo for GitHub, a url, or a path that starts with ./"
)
PRINTED = "holds a character that cannot be printed"
OPTION = "holds a part that starts with '-'"
HELPER = "names a program to run; use a url or a path"
KINDS = "is none of the kinds of url that are fetched: file, git, http, https, ssh"


@pytest.mark.parametrize(
    ("git", "message"),
    [
        ("--upload-pack=touch x", "git: '--upload-pack=touch x' starts with '-'"),
        ("-oProxyCommand=x:y", "git: '-oProxyCommand=x:y' starts with '-'"),
        ("ext::sh -c x", f"git: 'ext::sh -c x' {HELPER}"),
        ("fd::17", f"git: 'fd::17' {HELPER}"),
        ("http::https://example.com/x", f"git: 'http::https://example.com/x' {HELPER}"),
        ("ftp://example.com/x", f"git: 'ftp://example.com/x' {KINDS}"),
        ("git+ssh://example.com/x", f"git: 'git+ssh://example.com/x' {KINDS}"),
        ("https://example.com:port/x", "git: 'https://example.com:port/x' is not a url"),
        ("ssh://-oProxyCommand=x/y", f"git: 'ssh://-oProxyCommand=x/y' {OPTION}"),
        ("ssh://%2DoProxyCommand=x/y", f"git: 'ssh://%2DoProxyCommand=x/y' {OPTION}"),
        ("ssh://-x@example.com/y", f"git: 'ssh://-x@example.com/y' {OPTION}"),
        ("git@-oProxyCommand=x:y", f"git: 'git@-oProxyCommand=x:y' {OPTION}"),
        ("example.com:-x", f"git: 'example.com:-x' {OPTION}"),
        ("repo", f"git: 'repo' {NO_ADDRESS}"),
        ("a/b/c", f"git: 'a/b/c' {NO_ADDRESS}"),
        ("a/..", f"git: 'a/..' {NO_ADDRESS}"),
        ("~/repo", f"git: '~/repo' {NO_ADDRESS}"),
        ("x@y::z", f"git: 'x@y::z' {NO_ADDRESS}"),
        ("", "git: '' is empty or starts or ends with a space"),
        (" a/b", "git: ' a/b' is empty or starts or ends with a space"),
        ("a/b\n", f"git: 'a/b\\n' {PRINTED}"),
        ("https://x/\0", f"git: 'https://x/\\x00' {PRINTED}"),
        (
            "https://u:secret@x/\x1b[2J",
            f"git: 'https://***@x/\\x1b[2J' {PRINTED}",
        ),
        ("https://u:se/cret@x/y", "git: 'https://u:***@x/y' is not a url"),
    ],
)
def test_addresses_that_are_refused(git, message):
    assert refused(pin.remote, git, HERE) == message


@given(st.text(max_size=12) | st.text("-:/@.[]%2Dax ", max_size=12))
def test_no_address_is_an_option_or_a_program(git):
    try:
        url = pin.remote(git, HERE)
    except TackroomError:
        return
    assert url.isprintable()
    assert not url.startswith("-")
    assert not re.match("[A-Za-z0-9]*::", url)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com/a/b@c", "https://example.com/a/b@c"),
        ("https://user:secret@example.com/a", "https://***@example.com/a"),
        ("https://token@example.com/a", "https://***@example.com/a"),
        ("https://user:p@ss@example.com/a", "https://***@example.com/a"),
        ("https://user:pa/ss@example.com/a", "https://user:***@example.com/a"),
        ("https://example.com:8443/a/b@c", "https://example.com:8443/a/b@c"),
        ("ssh://git@example.com/a", "ssh://git@example.com/a"),
        ("ssh://git:secret@example.com/a", "ssh://git:***@example.com/a"),
        ("git@example.com:a/b", "git@example.com:a/b"),
        ("/srv/a", "/srv/a"),
        (
            "cannot read 'https://u:p@x/y': try https://q@z",
            "cannot read 'https://***@x/y': try https://***@z",
        ),
    ],
)
def test_what_is_shown_holds_no_password(text, expected):
    assert pin.shown(text) == expected


# --- revisions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rev", ["", "main", "v1.2.3", "feature/x", "refs/tags/v1", "a@b", "0" * 40, "\u00fc", "@"]
)
def test_revisions(rev):
    pin.check_rev(rev)


@pytest.mark.parametrize(
    ("rev", "message"),
    [
        ("--upload-pack=x", "rev: '--upload-pack=x' starts with '-'"),
        ("a b", "rev: 'a b' holds ' ', which no branch, tag or commit does"),
        ("a..b", "rev: 'a..b' holds '..', which no branch, tag or commit does"),
        ("main:x", "rev: 'main:x' holds ':', which no branch, tag or commit does"),
        ("main^", "rev: 'main^' holds '^', which no branch, tag or commit does"),
        ("main~1", "rev: 'main~1' holds '~', which no branch, tag or commit does"),
        ("v?", "rev: 'v?' holds '?', which no branch, tag or commit does"),
        ("v*", "rev: 'v*' holds '*', which no branch, tag or commit does"),
        ("v[1]", "rev: 'v[1]' holds '[', which no branch, tag or commit does"),
        ("a\\b", "rev: 'a\\b' holds '\\', which no branch, tag or commit does"),
        ("main@{1}", "rev: 'main@{1}' holds '@{', which no branch, tag or commit does"),
        ("main.lock", "rev: 'main.lock' is no name of a branch, tag or commit"),
        ("/main", "rev: '/main' is no name of a branch, tag or commit"),
        ("main/", "rev: 'main/' is no name of a branch, tag or commit"),
        ("a\tb", "rev: 'a\\tb' holds a character that cannot be printed"),
        (" ", "rev: ' ' is empty or starts or ends with a space"),
    ],
)
def test_revisions_that_are_refused(rev, message):
    assert refused(pin.check_rev, rev) == message


@pytest.mark.parametrize(
    ("rev", "expected"),
    [
        ("a" * 40, True),
        ("A" * 64, True),
        ("a" * 39, False),
        ("a" * 41, False),
        ("g" * 40, False),
        ("main", False),
    ],
)
def test_a_commit_is_named_by_all_its_digits(rev, expected):
    assert pin.is_commit(rev) is expected


# --- folders ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subdir", "expected"),
    [("", ""), (".", ""), ("./", ""), ("./plugins//x/", "plugins/x"), ("a b/.c", "a b/.c"), ("a/./b", "a/b")],
)
def test_folders(subdir, expected):
    assert pin.folder(subdir) == expected


@pytest.mark.parametrize(
    ("subdir", "message"),
    [
        ("..", "subdir: '..' leaves the repository; name a folder inside it"),
        ("a/../../b", "subdir: 'a/../../b' leaves the repository; name a folder inside it"),
        ("/etc", "subdir: '/etc' leaves the repository; name a folder inside it"),
        ("C:/x", "subdir: 'C:/x' leaves the repository; name a folder inside it"),
        ("a\\b", "subdir: 'a\\b' holds a backslash; folders are separated by '/'"),
        ("-x", "subdir: '-x' starts with '-'"),
        ("a\nb", "subdir: 'a\\nb' holds a character that cannot be printed"),
    ],
)
def test_folders_that_are_refused(subdir, message):
    assert refused(pin.folder, subdir) == message


# --- one repository, many spellings -------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/Owner/Repo",
        "https://github.com/owner/repo.git",
        "https://github.com/owner/repo/",
        "https://github.com/owner/repo.git/",
        "https://GitHub.com:443/owner/repo",
        "https://www.github.com/owner/repo",
        "https://user:secret@github.com/owner/repo",
        "https://github.com./owner//repo",
        "https://github.com/%6Fwner/repo",
        "http://github.com:80/owner/repo",
        "ssh://git@github.com/owner/repo.git",
        "ssh://git@github.com:22/owner/repo.git",
        "git://github.com:9418/owner/repo",
        "git@github.com:owner/repo.git",
        "git@github.com:/owner/repo",
        "github.com:owner/repo",
    ],
)
def test_one_repository_of_github(url):
    assert pin.identity(url) == "github.com/owner/repo"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com/Owner/Repo", "example.com/Owner/Repo"),
        ("https://example.com:8443/a", "example.com:8443/a"),
        ("http://[::1]:8080/a", "[::1]:8080/a"),
        ("ssh://git@example.com:2222/~me/a.git", "example.com:2222/~me/a"),
        ("file:///srv/a.git", "/srv/a"),
        ("file://localhost/srv/a", "/srv/a"),
        ("/srv/a/.git", "/srv/a"),
        ("/srv/x:y", "/srv/x:y"),
        ("work:a", "work/a"),
    ],
)
def test_identities(url, expected):
    assert pin.identity(url) == expected


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("file:///a/b", True),
        ("/a/b", True),
        ("https://git.example/a/b", False),
        ("ssh://git@git.example/a", False),
        ("git@git.example:a/b", False),
    ],
)
def test_which_repositories_are_on_this_machine(url, local):
    assert pin.is_local(url) is local
