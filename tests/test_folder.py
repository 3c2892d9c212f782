"""A folder of the monorepo as a tree."""

import os
import socket
import sys

import pytest
from tackroom.packages import archive
from tackroom.packages.errors import TackroomError
from tackroom.packages.folder import read_folder
from tackroom.packages.model import File, Link
from xxhash import xxh3_128_hexdigest

posix = pytest.mark.skipif(sys.platform == "win32", reason="of file systems as Linux and macOS have them")


def key(content: bytes) -> str:
    return f"xxh3:{xxh3_128_hexdigest(content)}"


def write(path, content=b""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@posix
def test_files_links_and_modes(tmp_path):
    write(tmp_path / "skills/x/SKILL.md", b"skill\r\n")
    write(tmp_path / "run.sh", b"#!/bin/sh\n").chmod(0o700)
    write(tmp_path / "others.sh").chmod(0o655)
    (tmp_path / "skills/run").symlink_to("../run.sh")
    (tmp_path / "nowhere").symlink_to("/a/./b//")
    (tmp_path / "empty folder").mkdir()
    assert read_folder(tmp_path).nodes == {
        "run.sh": File(key(b"#!/bin/sh\n"), executable=True, size=10),
        "others.sh": File(key(b"")),
        "skills/run": Link("../run.sh"),
        "skills/x/SKILL.md": File(key(b"skill\r\n"), size=7),
        "nowhere": Link("/a/./b//"),
    }


def test_content_is_read_when_it_is_asked_for(tmp_path):
    content = bytes(range(256)) * 10_000
    write(tmp_path / "big", content)
    tree = read_folder(tmp_path)
    assert tree.nodes["big"] == File(key(content), size=len(content))
    assert tree.file("big").load() == content


def test_version_control_and_what_tackroom_keeps_are_skipped(tmp_path):
    for place in (".git/config", "lib/.git/config", ".tackroom/state", "x/.backups/y"):
        write(tmp_path / place)
    write(tmp_path / "submodule/.git", b"gitdir: elsewhere")
    write(tmp_path / "lib/x")
    write(tmp_path / "node_modules/y")
    write(tmp_path / ".github/z")
    assert sorted(read_folder(tmp_path).nodes) == [".github/z", "lib/x", "node_modules/y"]


@posix
def test_what_is_neither_file_nor_folder_nor_link_is_skipped(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        assert read_folder(tmp_path).nodes == {}


@posix
def test_a_link_to_a_folder_is_not_entered(tmp_path):
    write(tmp_path / "p/x")
    (tmp_path / "p/loop").symlink_to(".")
    assert sorted(read_folder(tmp_path / "p").nodes) == ["loop", "x"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hold no such names")
def test_names_that_are_not_text(tmp_path):
    write(tmp_path / os.fsdecode(b"caf\xe9\n"), b"x")
    tree = read_folder(tmp_path)
    assert list(tree.nodes) == ["caf\udce9\n"]
    assert tree.nodes["caf\udce9\n"].load() == b"x"


def test_a_file_that_changed(tmp_path):
    path = write(tmp_path / "a", b"1")
    file = read_folder(tmp_path).file("a")
    path.write_bytes(b"2")
    with pytest.raises(TackroomError) as error:
        file.load()
    assert str(error.value) == "'a' changed while it was read; run again"
    path.unlink()
    with pytest.raises(TackroomError) as error:
        file.load()
    assert str(error.value) == "'a' cannot be read: no such file or directory"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("place", ["a", "locked"])
def test_what_may_not_be_read_is_named(tmp_path, place):
    write(tmp_path / "a")
    (tmp_path / "locked").mkdir()
    (tmp_path / place).chmod(0)
    with pytest.raises(TackroomError) as error:
        read_folder(tmp_path)
    (tmp_path / place).chmod(0o700)
    assert str(error.value) == f"'{place}' cannot be read: permission denied"


def test_a_folder_that_is_none(tmp_path):
    path = write(tmp_path / "file")
    for wrong, message in ((path, "is not a folder"), (tmp_path / "nothing", "does not exist")):
        with pytest.raises(TackroomError) as error:
            read_folder(wrong)
        assert str(error.value) == f"'{wrong.as_posix()}' {message}"


@posix
def test_a_folder_has_the_archive_that_its_commit_has(tmp_path):
    """The digest is of the content; where it was read from leaves no trace."""
    write(tmp_path / "one/a", b"1").chmod(0o777)
    (tmp_path / "one/b").symlink_to("a")
    write(tmp_path / "two/a", b"1").chmod(0o500)
    (tmp_path / "two/b").symlink_to("a")
    digests = {archive.digest(read_folder(tmp_path), name) for name in ("one", "two")}
    assert len(digests) == 1


def test_a_link_that_was_checked_out_as_text_is_a_link(tmp_path):
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/skills").write_text("../skills")
    (tmp_path / "notes.md").write_text("../skills\n")
    (tmp_path / "name.md").write_text("AGENTS.md")
    nodes = read_folder(tmp_path).nodes
    assert nodes[".claude/skills"] == Link("../skills")
    assert isinstance(nodes["notes.md"], File)
    assert isinstance(nodes["name.md"], File)
