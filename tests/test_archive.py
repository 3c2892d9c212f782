"""The canonical archive: what is in it, and that its bytes never change."""

import hashlib
import io
import tarfile
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tackroom.packages import archive
from tackroom.packages.errors import TackroomError
from tackroom.packages.model import File, Link, Submodule
from tackroom.packages.tree import Tree, Walked


def file(content: bytes, *, executable: bool = False) -> File:
    key = hashlib.sha1(content).hexdigest()
    return File(key, executable=executable, size=len(content), load=partial(bytes, content))


def tree(nodes: dict) -> Tree:
    """Make a tree; a text is a link, bytes are a file."""
    made = {str: Link, bytes: file}
    return Tree({path: made.get(type(node), lambda same: same)(node) for path, node in nodes.items()})


def members(of: Tree, subdir: str) -> dict[str, object]:
    """Return what Python's own reader finds in the archive."""
    out = io.BytesIO()
    archive.write(of, subdir, out)
    assert archive.digest(of, subdir) == hashlib.sha256(out.getvalue()).hexdigest()
    with tarfile.open(fileobj=io.BytesIO(out.getvalue()), encoding="utf-8") as tar:
        return {each.name: each.linkname if each.issym() else tar.extractfile(each).read() for each in tar}


def test_the_bytes_are_pinned():
    """Whatever Python runs this: a lock that was written once stays true."""
    package = tree(
        {
            "skills/lint/SKILL.md": b"---\nname: lint\n---\n",
            "skills/lint/run.sh": file(b"#!/bin/sh\n", executable=True),
            "skills/alias": "lint",
            "skills/" + "long" * 40 + "/\u00fcber\udce9\U0001f600": b"x",
            "skills/far": "lint/" + "a" * 200,
            "vendor": Submodule("0" * 40),
            "empty": b"",
        }
    )
    assert archive.digest(package, "") == "b3da55b249094403d594e319638ea73a6d0e890561b4dfa176cca5e3dfbb538c"


def test_a_member_has_no_owner_no_time_and_one_of_three_modes():
    out = io.BytesIO()
    archive.write(tree({"a": b"1", "b": file(b"2", executable=True), "c": "a"}), "", out)
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as tar:
        found = [(m.name, m.mode, m.uid, m.gid, m.uname, m.gname, m.mtime, m.size) for m in tar]
    assert found == [
        ("a", 0o644, 0, 0, "", "", 0, 1),
        ("b", 0o755, 0, 0, "", "", 0, 1),
        ("c", 0o777, 0, 0, "", "", 0, 0),
    ]
    assert len(out.getvalue()) == tarfile.RECORDSIZE


def test_names_count_from_the_folder_and_are_sorted_by_their_bytes():
    package = tree({"p/b": b"", "p/a/z": b"", "p/a-b": b"", "p/\ue000": b"", "p/\U00010000": b"", "q/x": b""})
    assert list(members(package, "p")) == ["a-b", "a/z", "b", "\ue000", "\U00010000"]


def test_names_that_are_not_text_come_back():
    nodes = {"caf\udce9": b"x", "link": "caf\udce9"}
    assert members(tree(nodes), "") == nodes


def test_submodules_are_not_in_it():
    assert members(tree({"a": b"1", "lib": Submodule("0" * 40)}), "") == {"a": b"1"}


# --- links -----------------------------------------------------------------------------------------


def test_links_inside_the_folder_stay_links():
    nodes = {"p/skills/a": b"1", "p/alias": "skills", "p/skills/b": "../skills/./a"}
    assert members(tree(nodes), "p") == {"skills/a": b"1", "alias": "skills", "skills/b": "../skills/./a"}


def test_a_link_that_leaves_the_folder_is_the_file_it_points_to():
    package = tree({"p/run": "../shared/run.sh", "shared/run.sh": file(b"x", executable=True)})
    assert archive.contents(package, "p") == {"run": file(b"x", executable=True)}


def test_a_link_that_leaves_the_folder_is_all_the_files_below_what_it_points_to():
    nodes = {
        "p/lib": "../shared",
        "shared/a": b"1",
        "shared/b/c": b"2",
        "shared/d": "b",
        "shared/e": Submodule("0"),
    }
    assert members(tree(nodes), "p") == {"lib/a": b"1", "lib/b/c": b"2", "lib/d/c": b"2"}


def test_a_link_that_leaves_and_comes_back_by_name_is_what_it_points_to():
    """The folder has no name in the archive."""
    assert members(tree({"p/a": b"1", "p/b": "../p/a"}), "p") == {"a": b"1", "b": b"1"}


@pytest.mark.parametrize(
    "target",
    ["../../outside", "/etc/passwd", "nothing", "../nothing", "b", ".", "../p", "../lib", "C:\\x", ""],
)
def test_a_link_that_leads_nowhere_or_into_itself_is_stored_as_it_is(target):
    package = tree({"p/a": b"1", "p/b": target, "lib": Submodule("0" * 40)})
    assert archive.contents(package, "p") == {"a": file(b"1"), "b": Link(target)}


def test_a_link_to_the_folder_above_brings_everything_but_the_folder_itself():
    nodes = {"p/a": b"1", "p/up": "..", "q/b": b"2", "README": b"3"}
    assert members(tree(nodes), "p") == {"a": b"1", "up/README": b"3", "up/q/b": b"2"}


def test_a_loop_through_what_is_outside_ends():
    nodes = {"p/out": "../q", "q/back": "../p", "q/self": "../q", "q/x": b"1"}
    assert members(tree(nodes), "p") == {"out/back": "../p", "out/self": "../q", "out/x": b"1"}


def test_links_that_multiply_are_refused():
    nodes: dict = {f"d{level}/{name}": f"../d{level + 1}" for level in range(40) for name in "ab"}
    with pytest.raises(TackroomError) as error:
        archive.digest(tree(nodes | {"d40/x": b"1", "p/a": "../d0"}), "p")
    assert str(error.value) == "the links in 'p' copy its files again and again"


def test_links_to_much_are_refused():
    huge = File("key", size=archive.MAX_COPIED // 2)
    with pytest.raises(TackroomError, match="again and again"):
        archive.contents(tree({"big": huge, "p/a": "../big", "p/b": "../big"}), "p")


# --- folders ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subdir", "message"),
    [
        ("nothing", "there is no folder 'nothing' in the repository"),
        ("p/a", "'p/a' is not a folder of the repository"),
        ("lib", "'lib' is not a folder of the repository"),
    ],
)
def test_a_folder_that_is_none(subdir, message):
    with pytest.raises(TackroomError) as error:
        archive.digest(tree({"p/a": b"1", "lib": Submodule("0" * 40)}), subdir)
    assert str(error.value) == message


def test_a_folder_may_be_reached_through_a_link():
    package = tree({"real/a": b"1", "alias": "real"})
    assert archive.digest(package, "alias") == archive.digest(package, "real")


# --- properties ------------------------------------------------------------------------------------

NAMES = ["p", "a", "b"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
TARGETS = st.lists(st.sampled_from(["..", ".", *NAMES]), min_size=1, max_size=4).map("/".join)


def folders(nodes: dict) -> dict:
    """Leave out what lies below a file, as no repository holds such."""
    above = {path: [path[:end] for end, c in enumerate(path) if c == "/"] for path in nodes}
    return {path: node for path, node in nodes.items() if not any(each in nodes for each in above[path])}


TREES = st.dictionaries(PATHS, TARGETS | st.binary(max_size=2), max_size=8).map(folders)


@given(TREES)
def test_the_order_of_the_nodes_does_not_matter(nodes):
    assert archive.digest(tree(nodes), "") == archive.digest(tree(dict(reversed(nodes.items()))), "")


@given(TREES)
def test_the_archive_of_the_whole_is_the_whole(nodes):
    assert archive.contents(tree(nodes), "") == tree(nodes).nodes


@given(TREES)
@example({"p/p": "..", "b": b"", "a": b"", "p/b/p": "../../p/b"})  # a link to the folder that it lies in
def test_a_package_reads_the_same_from_its_archive(nodes):
    """Every file that is reached in the repository is reached in the archive, and no other."""
    package = tree({path: node for path, node in nodes.items() if path != "p"} | {"p/x": b""})

    def reached(of, folder):
        found = (each for each in of.walk(folder) if isinstance(each, Walked))
        return {each.path[len(folder) :].lstrip("/"): each.file for each in found}

    assert reached(Tree(archive.contents(package, "p")), "") == reached(package, "p")
