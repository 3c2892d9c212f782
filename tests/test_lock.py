"""tackroom.lock: its text, and every way in which it can be wrong."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.packages.errors import TackroomError

from tackroom import lock
from tackroom.lock import Lock, Row

COMMIT = "340e33ae" * 5
TREE = "9b1c" * 10
SHA256 = "0123456789abcdef" * 4
ROW = Row("official.gopls-lsp", "https://example.com/a/b", "plugins/gopls-lsp", "main", COMMIT, TREE, SHA256)
OTHER = Row("lint", "owner/repo", "", "", COMMIT, TREE, SHA256)

TEXT = f"""\
version = 1
tackroom = "0.3.1"

[[package]]
id = "lint"
git = "owner/repo"
subdir = ""
rev = ""
commit = "{COMMIT}"
tree = "{TREE}"
sha256 = "{SHA256}"

[[package]]
id = "official.gopls-lsp"
git = "https://example.com/a/b"
subdir = "plugins/gopls-lsp"
rev = "main"
commit = "{COMMIT}"
tree = "{TREE}"
sha256 = "{SHA256}"
"""
LOCK = Lock(1, "0.3.1", {"official.gopls-lsp": ROW, "lint": OTHER})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tackroom.lock"


def test_the_text_is_sorted_and_its_keys_are_in_order():
    assert lock.text(LOCK) == TEXT


def test_what_was_written_is_read(path):
    lock.write(path, LOCK)
    assert path.read_bytes() == TEXT.encode()
    assert lock.read(path) == LOCK


def test_no_file_is_no_lock(path):
    assert lock.read(path) is None


def test_a_lock_without_packages(path):
    empty = Lock(1, "0.3.1", {})
    lock.write(path, empty)
    assert path.read_text() == 'version = 1\ntackroom = "0.3.1"\n'
    assert lock.read(path) == empty


def test_line_ends_of_windows_are_read(path):
    path.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert lock.read(path) == LOCK


def test_nothing_is_written_that_is_there(path):
    lock.write(path, LOCK)
    before = path.stat()
    lock.write(path, LOCK)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert path.stat().st_ino == before.st_ino


def test_nothing_is_left_beside_the_file(path):
    lock.write(path, LOCK)
    lock.write(path, Lock(1, "0.3.2", {}))
    assert [each.name for each in path.parent.iterdir()] == ["tackroom.lock"]


def test_a_file_that_cannot_be_written(tmp_path):
    (tmp_path / "tackroom.lock").mkdir()
    with pytest.raises(TackroomError, match=r"^tackroom\.lock: cannot be written: "):
        lock.write(tmp_path / "tackroom.lock", LOCK)
    assert [each.name for each in tmp_path.iterdir()] == ["tackroom.lock"]


TEXTS = st.text(max_size=20)


@given(st.lists(st.builds(Row, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS, TEXTS), max_size=3))
def test_any_text_is_written_as_toml(rows):
    named = {row.id: row for row in rows}
    text = lock.text(Lock(1, "x", named))
    found = [Row(**each) for each in tomllib.loads(text).get("package", [])]
    assert found == sorted(named.values(), key=lambda row: row.id)


RESTORE = "restore it from version control, or delete it and run 'tackroom lock'"
LEAVES = "leaves the repository; name a folder inside it"
COMMIT_RULE = "is not a whole commit id of 40 or 64 digits"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "lint"', "id = lint", f"tackroom.lock:5: not valid TOML; {RESTORE}"),
        ('rev = ""', "<<<<<<< HEAD", f"tackroom.lock:8: not valid TOML; {RESTORE}"),
        ("version = 1", "version = 1" + "0" * 5000, f"tackroom.lock: not valid TOML; {RESTORE}"),
        ('git = "owner/repo"', 'git = "\u2028"\nx = 1', "tackroom.lock:7: unknown key 'x'"),
        ('rev = ""', "rev = " + "[" * 5000, f"tackroom.lock: not valid TOML; {RESTORE}"),
        (
            "version = 1",
            "version = 2\nnew = true",
            "tackroom.lock:1: version 2 is unknown: this tackroom reads version 1; use the one that wrote it",
        ),
        ("version = 1", "version = true", "tackroom.lock:1: 'version' is not a number"),
        ("version = 1\n", "", "tackroom.lock: the key 'version' is missing; run 'tackroom lock'"),
        ('tackroom = "0.3.1"', "tackroom = 3", "tackroom.lock:2: 'tackroom' is not text"),
        ('tackroom = "0.3.1"', "", "tackroom.lock: the key 'tackroom' is missing; run 'tackroom lock'"),
        (
            'tackroom = "0.3.1"',
            'tackroom = "0.3.1"\npakage = 1',
            "tackroom.lock:3: unknown key 'pakage'; did you mean 'package'",
        ),
        ('rev = ""\n', 'revision = ""\n', "tackroom.lock:8: unknown key 'revision'"),
        ('subdir = ""\n', 'sub-dir = ""\n', "tackroom.lock:7: unknown key 'sub-dir'; did you mean 'subdir'"),
        ('subdir = ""\n', "", "tackroom.lock:4: the key 'subdir' is missing; run 'tackroom lock'"),
        ('subdir = ""', "subdir = false", "tackroom.lock:7: 'subdir' is not text"),
        (
            'id = "lint"',
            'id = "official.gopls-lsp"',
            "tackroom.lock:14: a second row of 'official.gopls-lsp'; delete one",
        ),
        (
            'id = "lint"',
            'id = "../x"',
            "tackroom.lock:5: id: '../x' is not the id of a package, KEY or KEY.ENTRY",
        ),
        (
            f'commit = "{COMMIT}"',
            'commit = "340e33a"',
            f"tackroom.lock:9: commit: '340e33a' {COMMIT_RULE}",
        ),
        (
            f'tree = "{TREE}"',
            'tree = "HEAD"',
            "tackroom.lock:10: tree: 'HEAD' is not a whole tree id of 40 or 64 digits",
        ),
        (
            f'sha256 = "{SHA256}"',
            f'sha256 = "{SHA256.upper()}"',
            f"tackroom.lock:11: sha256: '{SHA256.upper()}' is not 64 hexadecimal digits",
        ),
        (
            "owner/repo",
            "ext::sh",
            "tackroom.lock:6: git: 'ext::sh' names a program to run; use a url or a path",
        ),
        ('rev = ""', 'rev = "--x"', "tackroom.lock:8: rev: '--x' starts with '-'"),
        ('subdir = ""', 'subdir = "../x"', f"tackroom.lock:7: subdir: '../x' {LEAVES}"),
        ('subdir = ""', 'subdir = "x/"', "tackroom.lock:7: subdir: 'x/' is not in its plain form, 'x'"),
    ],
)
def test_a_lock_that_is_wrong(path, old, new, message):
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TackroomError) as error:
        lock.read(path)
    assert str(error.value) == message


@pytest.mark.parametrize("package", ["3", "[1]", '"x"', "{ id = 1 }"])
def test_packages_that_are_no_tables(path, package):
    path.write_text(f'version = 1\ntackroom = "1"\npackage = {package}\n')
    with pytest.raises(TackroomError) as error:
        lock.read(path)
    assert str(error.value) == "tackroom.lock:3: 'package' is not a list of tables; write [[package]]"


def test_a_lock_that_is_not_text(path):
    path.write_bytes(b"\xff")
    with pytest.raises(TackroomError) as error:
        lock.read(path)
    assert str(error.value) == "tackroom.lock: not UTF-8; restore it from version control"


def test_a_lock_that_is_a_folder(path):
    path.mkdir()
    with pytest.raises(TackroomError, match=r"^tackroom\.lock: cannot be read: "):
        lock.read(path)
