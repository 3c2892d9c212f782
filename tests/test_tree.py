import pytest
from hypothesis import given
from hypothesis import strategies as st
from tackroom.packages.findings import Finding, render
from tackroom.packages.model import Link, Node, Submodule
from tackroom.packages.tree import MAX_VISITS, Tree, Unreachable

from making import file


def walked(nodes: dict[str, Node], folder: str = "") -> tuple[list[str], list[str]]:
    """Return the paths that a walk yields, and the lines of its findings."""
    found = list(Tree(nodes).walk(folder))
    paths = [each.path for each in found if not isinstance(each, Finding)]
    return paths, [render(each) for each in found if isinstance(each, Finding)]


def test_a_link_to_a_folder_is_walked_under_its_own_name() -> None:
    nodes = {"a/x.md": file("x"), "links/b": Link("../a")}
    assert walked(nodes, "links") == (["links/b/x.md"], [])


def test_a_link_that_leaves_the_tree_is_skipped_by_name() -> None:
    nodes = {"skills/out": Link("../../elsewhere")}
    line = "warning: link-outside: skills/out: link to '../../elsewhere' leaves the package; skipped"
    assert walked(nodes) == ([], [line])


@pytest.mark.parametrize("target", ["/etc/passwd", "C:/x", "..\\..\\x"])
def test_a_link_that_is_absolute_on_some_system_leaves_the_tree(target: str) -> None:
    paths, lines = walked({"a": Link(target)})
    assert not paths
    assert lines == [f"warning: link-outside: a: link to '{target}' leaves the package; skipped"]


def test_a_link_to_nothing_is_skipped_by_name() -> None:
    line = "warning: link-broken: skills/x/SKILL.md: link to '../gone.md' points to nothing; skipped"
    assert walked({"skills/x/SKILL.md": Link("../gone.md")}) == ([], [line])


def test_links_in_a_circle_loop() -> None:
    paths, lines = walked({"a": Link("b"), "b": Link("a")})
    assert not paths
    assert lines == [
        "warning: link-loop: a: link to 'b' loops; skipped",
        "warning: link-loop: b: link to 'a' loops; skipped",
    ]


def test_a_folder_that_holds_a_link_to_itself_is_entered_once() -> None:
    nodes = {"a/x.md": file("x"), "a/again": Link(".")}
    assert walked(nodes) == (["a/x.md"], ["warning: link-loop: a/again: link to '.' loops; skipped"])


def test_a_submodule_is_said() -> None:
    line = "warning: submodule: lib: is a submodule at 1234567; its files are not in the repository"
    assert walked({"lib": Submodule("1234567890")}) == ([], [line])


def test_of_two_names_that_differ_in_case_the_first_is_taken() -> None:
    paths, lines = walked({"README.md": file("a"), "readme.md": file("b")})
    assert paths == ["README.md"]
    assert lines == [
        "warning: path-unusable: readme.md: 'readme.md' differs from 'README.md' in case only; "
        "left out, rename it in the package"
    ]


@pytest.mark.parametrize("name", ["aux.md", "a:b.md", "end.", "x\\y.md", "tab\t.md"])
def test_a_name_that_windows_cannot_hold_is_left_out(name: str) -> None:
    paths, lines = walked({f"docs/{name}": file("x")})
    assert not paths
    assert lines[0].startswith("warning: path-unusable: docs/")


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a//x", ".git/config", "a/.GIT/hooks/x", "a/\0"])
def test_a_hostile_path_never_gets_in(path: str) -> None:
    assert not Tree({path: file("x")}).nodes


def test_below_a_folder_what_lies_beside_it_is_outside() -> None:
    tree = Tree({"plugin/a": Link("../shared"), "shared/x.md": file("x")})
    assert tree.resolve("plugin/a/x.md") == "shared/x.md"
    with pytest.raises(Unreachable, match="leaves the package"):
        tree.below("plugin").resolve("a/x.md")


@given(st.dictionaries(st.text(max_size=12), st.one_of(st.just(None), st.text(max_size=12)), max_size=8))
def test_no_walk_leaves_the_tree(raw: dict[str, str | None]) -> None:
    nodes = {path: file(path) if target is None else Link(target) for path, target in raw.items()}
    for each in Tree(nodes).walk(""):
        if not isinstance(each, Finding):
            assert each.real in nodes
            assert not {"", ".", ".."} & set(each.path.split("/"))


def test_a_path_of_many_folders_is_no_trouble() -> None:
    deep = "/".join(["a"] * 5000)
    assert Tree({deep: file("x")}).file(deep) is not None


def test_links_to_folders_of_links_end() -> None:
    nodes: dict[str, Node] = {"d0/x.md": file("x")}
    for level in range(1, 40):
        nodes |= {f"d{level}/{name}": Link(f"../d{level - 1}") for name in "ab"}
    paths, lines = walked(nodes, "d39")
    assert len(paths) < MAX_VISITS
    assert lines[-1] == (
        "warning: too-many-files: d39: holds or links to more than 20000 files and "
        "folders; the rest is left out"
    )
    assert [each.path for each in Tree(nodes).walk("d39", once=True) if not isinstance(each, Finding)] == [
        "d39/" + "a/" * 39 + "x.md"
    ]
