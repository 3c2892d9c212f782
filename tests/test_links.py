"""Windows' junctions look like the folders they lead to; nothing is written, or taken away, behind one."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from tackroom.packages import links
from tackroom.packages.links import is_folder, is_link

from tackroom.cleaning import _Ours
from tackroom.realfolders import RealFolders
from tackroom.unitfile import Heads

MOUNT_POINT = 0xA0000003


@pytest.fixture
def junction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a file in it that the system calls a junction."""
    made = tmp_path / "claude"
    (made / "kit").mkdir(parents=True)
    (made / "kit/x.md").write_text("x")
    look = os.lstat

    def lstat(path: str | Path) -> object:
        found = look(path)
        return SimpleNamespace(st_mode=found.st_mode, st_reparse_tag=MOUNT_POINT * (Path(path) == made))

    monkeypatch.setattr(links.os, "lstat", lstat)
    return made


def test_a_junction_is_a_link_and_no_folder(junction: Path) -> None:
    assert is_link(junction)
    assert not is_folder(junction)
    assert is_folder(junction / "kit")
    assert not is_link(junction / "kit")
    assert not is_link(junction / "gone")
    assert not is_link("a\0b")


def test_no_folder_of_outputs_lies_behind_a_junction(junction: Path) -> None:
    folders = RealFolders(str(junction.parent))
    assert not folders.make("claude/new")
    assert folders.blocked("claude/kit/x.md") == "claude"


def test_a_unit_behind_a_junction_is_not_as_it_was_left(junction: Path) -> None:
    head = SimpleNamespace(paths="claude/kit/x.md")
    assert Heads("")._is_behind_link(head, str(junction.parent))


def test_cleaning_does_not_go_through_a_junction(junction: Path) -> None:
    ours = _Ours({junction / "kit/x.md"}, frozenset())
    assert list(ours.largest(junction.parent)) == []
