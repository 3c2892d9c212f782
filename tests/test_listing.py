"""A folder that is looked at again: what changed is seen, and what did not is not read."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tackroom.packages import listing, stamps
from tackroom.packages.listing import Listing, Remembered, is_executable, look

from tackroom import folders

HOUR = 3_600_000_000_000

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere a stat vouches for no folder")


def clock(now: Callable[[], int]) -> contextlib.AbstractContextManager[object]:
    return mock.patch.object(listing, "time", SimpleNamespace(time_ns=now))


def seen(folder: Path, known: Remembered | None = None, without: str = "") -> Listing:
    """Look at a folder as if everything in it were old, and leave time for a change that shows."""
    with clock(lambda: time.time_ns() + HOUR):
        found = look(str(folder), without, known)
    wait()
    return found


def wait() -> None:
    """Wait until the clock that files get their times from has moved on."""
    coarse = getattr(time, "CLOCK_REALTIME_COARSE", None)
    before = coarse and time.clock_gettime(coarse)
    time.sleep(0 if coarse else stamps.TICK / 1e9)
    while coarse and time.clock_gettime(coarse) == before:
        time.sleep(0.0005)


def write(path: Path, content: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """Return a folder with files and a link, and an equal of one of its folders beside it."""
    kit = tmp_path / "kit"
    for path in ("kit/a.md", "kit/b.md", "kit/skills/lint/SKILL.md", "kit/skills/lint/run.sh", "other/x"):
        write(tmp_path / path, path)
    (kit / "link").symlink_to("a.md")
    shutil.copytree(kit / "skills", tmp_path / "equal")
    return kit


# --- what changed is seen


def at_its_old_time(path: Path, content: str) -> None:
    before = path.stat()
    path.write_text(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swapped(one: Path, other: Path) -> None:
    one.rename(one.parent / "aside")
    other.rename(one)
    (one.parent / "aside").rename(other)


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    make(path)


def moved_and_linked(path: Path, place: Path) -> None:
    path.rename(place)
    path.symlink_to(place)


EDITS: dict[str, Callable[[Path], object]] = {
    "an edit": lambda kit: write(kit / "a.md", "longer than before"),
    "an edit of the same length": lambda kit: write(kit / "a.md", "kit/A.md"),
    "an edit with the time put back": lambda kit: at_its_old_time(kit / "a.md", "kit/A.md"),
    "an edit deep down": lambda kit: write(kit / "skills/lint/SKILL.md", "kit/skills/lint/SKILL.MD"),
    "a rename": lambda kit: (kit / "a.md").rename(kit / "z.md"),
    "two files swapped": lambda kit: swapped(kit / "a.md", kit / "b.md"),
    "a file moved between folders": lambda kit: (kit / "a.md").rename(kit / "skills/a.md"),
    "a file put in another's place": lambda kit: (kit.parent / "other/x").rename(kit / "a.md"),
    "a deleted file": lambda kit: (kit / "a.md").unlink(),
    "a new file": lambda kit: write(kit / "c.md"),
    "a new file deep down": lambda kit: write(kit / "skills/lint/more.md"),
    "a file in a new folder": lambda kit: write(kit / "new/c.md"),
    "a deleted folder": lambda kit: shutil.rmtree(kit / "skills"),
    "a renamed folder": lambda kit: (kit / "skills").rename(kit / "talents"),
    "an execute bit": lambda kit: (kit / "skills/lint/run.sh").chmod(0o755),
    "a link that points elsewhere": lambda kit: replaced(kit / "link", lambda at: at.symlink_to("b.md")),
    "a link that became a file": lambda kit: replaced(kit / "link", lambda at: write(at, "kit/a.md")),
    "a file that became a link": lambda kit: replaced(kit / "a.md", lambda at: at.symlink_to("b.md")),
    "a file that became a folder": lambda kit: replaced(kit / "a.md", lambda at: write(at / "a.md")),
    "a folder that became a file": lambda kit: replaced(kit / "skills", write),
    "a folder that became a link to an equal one": lambda kit: replaced(
        kit / "skills", lambda at: at.symlink_to(kit.parent / "equal")
    ),
    "a folder that was moved and linked": lambda kit: moved_and_linked(kit / "skills", kit.parent / "moved"),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_a_change_is_seen_at_the_next_look(kit: Path, edit: Callable[[Path], object]) -> None:
    before = seen(kit)
    edit(kit)
    after, fresh = seen(kit, before.now), look(str(kit))
    assert (contents(after), after.digest()) == (contents(fresh), fresh.digest())
    assert after.digest() != before.digest()
    assert (after.is_same, after.is_known) == (False, False)


def contents(found: Listing) -> dict[str, tuple[str, bool]]:
    return {path: (row[1], is_executable(row)) for path, row in found.rows.items()}


def test_an_empty_folder_changes_no_digest_but_is_remembered(kit: Path) -> None:
    before = seen(kit)
    (kit / "empty").mkdir()
    after = seen(kit, before.now)
    assert after.digest() == before.digest()
    assert (after.is_same, after.is_known) == (True, False)
    assert seen(kit, after.now).is_known


def test_a_file_in_a_folder_that_was_empty(kit: Path) -> None:
    (kit / "empty").mkdir()
    before = seen(kit)
    write(kit / "empty/file")
    assert "empty/file" in look(str(kit), known=before.now).rows


def test_a_file_that_was_touched_is_read_again_and_the_digest_stays(kit: Path) -> None:
    before = seen(kit)
    os.utime(kit / "a.md")
    after = seen(kit, before.now)
    assert after.digest() == before.digest()
    assert (after.is_same, after.is_known) == (False, False)
    assert seen(kit, after.now).is_same


# --- what did not change is not read


def forbidden(*_: object, **__: object) -> None:
    raise AssertionError("nothing is to be read")


def test_where_nothing_changed_no_file_is_read_and_no_folder_listed(
    kit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = seen(kit)
    digest = before.digest()
    for name in ("builtins.open", "os.open", "os.scandir", "os.readlink"):
        monkeypatch.setattr(name, forbidden)
    after = look(str(kit), known=before.now)
    assert (after.is_same, after.is_known, after.digest()) == (True, True, digest)
    assert after.rows == before.rows


def test_where_nothing_changed_each_path_costs_one_lstat(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = seen(kit).now
    paths: list[str] = []
    lstat = os.lstat
    monkeypatch.setattr("os.lstat", lambda path: paths.append(path) or lstat(path))
    monkeypatch.setattr("os.stat", forbidden)
    monkeypatch.setattr("os.scandir", forbidden)
    assert look(str(kit), known=known).is_same
    assert sorted(each.removeprefix(f"{kit}/") for each in paths) == sorted(known.paths.split("\0"))
    assert sorted(known.paths.split("\0")) == [
        "",
        "a.md",
        "b.md",
        "link",
        "skills/",
        "skills/lint/",
        "skills/lint/SKILL.md",
        "skills/lint/run.sh",
    ]


def test_only_the_file_that_changed_is_read(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = seen(kit).now
    write(kit / "a.md", "new")
    read = mock.Mock(wraps=open)
    monkeypatch.setattr("builtins.open", read)
    look(str(kit), known=known)
    assert read.call_args_list == [mock.call(f"{kit}/a.md", "rb")]


def test_a_folder_below_the_current_one(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = seen(kit).now
    for place in (kit.parent, kit, kit / "skills"):
        monkeypatch.chdir(place)
        assert look(str(kit), known=known).is_same


def test_a_folder_that_is_gone_is_not_the_same(kit: Path) -> None:
    known = seen(kit).now
    shutil.rmtree(kit)
    with pytest.raises(listing.Unreadable) as error:
        look(str(kit), known=known)
    assert (error.value.shown, error.value.why) == (".", "no such file or directory")


# --- files as young as the look at them


FINE = 1_700_000_000_123_456_789
SECONDS = 1_700_000_000_000_000_000
MILLISECONDS = SECONDS + 123_000_000


def stopped(at: int) -> contextlib.AbstractContextManager[object]:
    """Let every file and folder keep the times that it has: no edit of the same length shows."""

    def stamp(status: os.stat_result) -> stamps.Stamp:
        return (at, status.st_size, status.st_ino, at, status.st_mode)

    return mock.patch.object(stamps, "stamp", stamp)


@pytest.mark.parametrize(
    ("at", "after", "is_trusted"),
    [
        (FINE, 0, False),
        (FINE, 15_000_000, False),
        (FINE, 25_000_000, True),
        (MILLISECONDS, 25_000_000, False),
        (SECONDS, 1_999_000_000, False),
        (SECONDS, 2_001_000_000, True),
        (FINE, -HOUR, False),  # a file from the future
    ],
)
def test_a_stat_vouches_only_for_a_file_that_is_older_than_the_clock_is_coarse(
    kit: Path, at: int, after: int, is_trusted: bool
) -> None:
    with stopped(at), clock(lambda: at + after):
        before = look(str(kit))
        assert look(str(kit), known=before.now).is_same is is_trusted
        write(kit / "a.md", "kit/A.md")
        after_edit = look(str(kit), known=before.now)
        assert (after_edit.digest() == before.digest()) is is_trusted


def test_a_young_file_is_read_again_until_it_is_old(kit: Path) -> None:
    with stopped(SECONDS):
        with clock(lambda: SECONDS):
            first = look(str(kit))
        with clock(lambda: SECONDS + HOUR):
            second = look(str(kit), known=first.now)
            third = look(str(kit), known=second.now)
    assert [each.is_known for each in (first, second, third)] == [False, False, True]
    assert first.digest() == second.digest() == third.digest()


def test_a_new_file_in_a_young_folder_is_seen_though_all_others_are_old(kit: Path) -> None:
    def stamp(status: os.stat_result) -> stamps.Stamp:
        at = SECONDS if stat.S_ISDIR(status.st_mode) else SECONDS - HOUR
        return (at, status.st_size, status.st_ino, at, status.st_mode)

    with mock.patch.object(stamps, "stamp", stamp), clock(lambda: SECONDS):
        before = look(str(kit))
        write(kit / "skills/new.md")
        assert "skills/new.md" in look(str(kit), known=before.now).rows


def test_an_edit_right_after_the_look_is_seen(kit: Path) -> None:
    """With the real clock, as fast as it goes."""
    known = None
    for at in range(200):
        write(kit / "a.md", f"{at:03}")
        found = look(str(kit), known=known)
        assert found.digest() == look(str(kit)).digest()
        known = found.now


@pytest.mark.parametrize("inode", [2**63, 2**64 - 1, 2**64, 2**127])
def test_a_file_system_with_large_inodes(kit: Path, inode: int) -> None:
    def stamp(status: os.stat_result) -> stamps.Stamp:
        return (status.st_mtime_ns, status.st_size, inode, status.st_ctime_ns, status.st_mode)

    with mock.patch.object(stamps, "stamp", stamp):
        before = seen(kit)
        after = seen(kit, before.now)
        assert after.is_same is (inode < 2**64)
        assert after.digest() == before.digest()


def test_a_file_from_before_1970_is_read_each_time(kit: Path) -> None:
    os.utime(kit / "a.md", ns=(-1, -1))
    before = seen(kit)
    after = seen(kit, before.now)
    assert (after.is_same, after.is_known, after.digest()) == (False, True, before.digest())


# --- what is no part of a folder


def test_outputs_in_a_folder_are_no_part_of_it(kit: Path) -> None:
    write(kit / "out/x", "1")
    write(kit / "skills/out/x", "1")
    before = seen(kit, without=f"{kit}/out")
    assert "out/x" not in before.rows
    assert "skills/out/x" in before.rows
    write(kit / "out/x", "2")
    write(kit / "out/y")
    assert seen(kit, before.now, f"{kit}/out").is_known


@pytest.mark.parametrize("name", sorted(listing.SKIPPED))
def test_a_skipped_folder_is_no_part_of_it_at_any_depth(kit: Path, name: str) -> None:
    for folder in (kit, kit / "skills"):
        write(folder / name / "x")
    before = seen(kit)
    assert not any(name in path for path in before.now.paths.split("\0"))
    write(kit / name / "y")
    assert seen(kit, before.now).is_known


def test_a_file_of_a_skipped_folders_name_is_a_file(kit: Path) -> None:
    write(kit / "skills/.git", "gitdir: elsewhere")
    assert "skills/.git" in seen(kit).rows


def test_the_database_of_scons_is_no_part_of_it(kit: Path) -> None:
    before = seen(kit)
    write(kit / ".sconsign.dblite")
    after = seen(kit, before.now)
    assert (after.is_same, after.digest()) == (True, before.digest())


# --- names and digests

NAMES = ["new\nline", "tab\t", " ", "-", "a\\b", "\u2028", "é", "e\u0301", "\x01", "*", "->", "x\x7f"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems hold no such names")
def test_any_name_is_remembered(kit: Path) -> None:
    for name in (*NAMES, os.fsdecode(b"caf\xe9"), os.fsdecode(b"\xed\xa0\x80"), os.fsdecode(b"\xff\xfe")):
        write(kit / name / name, "x")
        (kit / f"{name}.link").symlink_to(name)
    before = seen(kit)
    write(kit.parent / "file").write_bytes(folders.text(before.now))
    known = folders.load(str(kit.parent / "file"))
    assert known is not None
    assert known.rows() == before.rows
    after = seen(kit, known)
    assert (after.is_known, after.digest()) == (True, before.digest())


def test_the_digest_of_a_folder_in_it_depends_on_what_is_below(kit: Path) -> None:
    (kit / "link").unlink()
    before = seen(kit)
    write(kit / "a.md", "new")
    write(kit / "skills.md", "new")
    write(kit / "skills2/lint/SKILL.md", "new")
    after = seen(kit, before.now)
    assert after.digest("skills") == before.digest("skills")
    assert after.digest() != before.digest()
    write(kit / "skills/lint/run.sh", "new")
    assert seen(kit, after.now).digest("skills") != before.digest("skills")


def test_where_there_is_a_link_the_digest_of_a_folder_in_it_depends_on_everything(kit: Path) -> None:
    before = seen(kit)
    write(kit / "a.md", "new")
    assert seen(kit, before.now).digest("skills") != before.digest("skills")


def test_equal_folders_at_two_places_have_two_digests(kit: Path) -> None:
    (kit / "link").unlink()
    shutil.copytree(kit / "skills", kit / "talents")
    assert seen(kit).digest("skills") != seen(kit).digest("talents")


def test_the_digest_does_not_depend_on_where_a_folder_lies(kit: Path) -> None:
    shutil.copytree(kit, kit.parent / "elsewhere", symlinks=True)
    assert seen(kit).digest() == seen(kit.parent / "elsewhere").digest()


def test_the_digest_does_not_depend_on_the_order_in_which_files_are_listed(kit: Path) -> None:
    before = seen(kit)
    listed = listing._folder
    with mock.patch.object(listing, "_folder", lambda *where: listed(*where)[::-1]):
        assert look(str(kit)).digest() == before.digest()
        os.utime(kit)  # so that it is listed again
        after = seen(kit, before.now)
    assert (after.is_same, after.digest()) == (True, before.digest())


def test_names_and_contents_do_not_run_into_each_other(tmp_path: Path) -> None:
    write(tmp_path / "one/a-", "x")
    write(tmp_path / "two/a", "-x")
    assert seen(tmp_path / "one").digest() != seen(tmp_path / "two").digest()


def test_a_link_that_was_checked_out_as_text_changes_into_a_link(kit: Path) -> None:
    write(kit / "skills/text", "../a.md")
    before = seen(kit)
    assert before.rows["skills/text"][1] == "->../a.md"
    write(kit / "skills/text", "../b.md")
    assert seen(kit, before.now).rows["skills/text"][1] == "->../b.md"


# --- whatever is done to a folder

PATHS = st.sampled_from(["a", "b", "c\n", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/a", "f/e", ".git"])
CONTENTS = st.sampled_from(["", "1", "2", "33", "../a", "../b"])
VERBS = st.sampled_from(["write", "put back", "folder", "remove", "move", "swap", "mode", "link", "touch"])
Step = tuple[bool, str, str, str, str]
STEPS = st.lists(st.tuples(st.booleans(), VERBS, PATHS, PATHS, CONTENTS), min_size=1, max_size=12)


def do(top: Path, verb: str, one: str, other: str, content: str) -> None:
    """Change something in a folder, if that can be done there."""
    path, target = top / one, top / other
    match verb:
        case "write":
            write(path, content)
        case "put back":
            at_its_old_time(path, content)
        case "folder":
            path.mkdir(parents=True)
        case "remove":
            replaced(path, lambda _: None)
        case "move":
            path.rename(target)
        case "swap":
            swapped(path, target)
        case "mode":
            path.chmod(path.stat().st_mode ^ 0o100) if path.is_file() else None
        case "link":
            path.symlink_to(other)
        case "touch":
            os.utime(path)


def looks(top: Path, without: str, steps: list[Step]) -> Iterator[Listing]:
    """Yield looks at a folder that goes through steps, each with what the one before remembered.

    Some changes come right after a look, others when it trusts all that it saw.
    """
    for path in ("a", "b", "d/a", "d/e/a", "f/a"):
        write(top / path, "1")
    found = look(str(top), without)
    for is_old, *step in steps:
        if is_old:
            found = seen(top, found.now, without)
            yield found
        with contextlib.suppress(OSError):
            do(top, *step)
        found = look(str(top), without, found.now)
        yield found


@settings(deadline=None, max_examples=60)
@given(STEPS, st.sampled_from(["", "d", "f"]))
def test_a_look_with_what_is_remembered_finds_what_one_from_scratch_finds(
    steps: list[Step], out: str
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        without = out and f"{folder}/{out}"
        for found in looks(Path(folder), without, steps):
            fresh = look(folder, without)
            assert contents(found) == contents(fresh)
            assert found.digest() == fresh.digest()
            assert found.digest("d") == fresh.digest("d")
