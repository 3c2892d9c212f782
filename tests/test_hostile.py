"""No package, whatever is in it, writes outside of its folder, stops the others, or shows a traceback."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tackroom.packages import discovery
from tackroom.packages.findings import Finding, render
from tackroom.packages.model import File, Link, Node
from tackroom.packages.names import illegal
from tackroom.packages.package import Source
from tackroom.packages.stamps import NEVER
from tackroom.packages.tree import Tree, join

from making import artifact, file, write
from tackroom import harnesses, plan
from tackroom.outputs import Place, Refused
from tackroom.records import Output

PARTS = st.sampled_from(
    [
        "skills",
        "commands",
        "agents",
        "rules",
        ".claude",
        ".cursor",
        "..",
        ".",
        "a",
        "CON",
        "x:y",
        "SKILL.md",
        "Ä",
        "\0",
    ]
) | st.text(min_size=1, max_size=6)
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join) | st.tuples(
    st.sampled_from(["skills/{}/SKILL.md", "commands/{}.md", "agents/{}.md", "rules/{}.mdc"]),
    st.text(max_size=10),
).map(lambda pair: pair[0].replace("{}", pair[1]))
HEADERS = st.dictionaries(
    st.sampled_from(["name", "description", "tools", "model", "globs", "alwaysApply", "color"]),
    st.text(max_size=20),
).map(
    lambda fields: "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\nbody $1\n"
)
NODES = st.one_of(
    HEADERS.map(lambda text: file(text.encode(errors="surrogatepass"))),
    st.binary(max_size=40).map(file),
    st.text(max_size=12).map(Link),
)


def packages(trees: list[dict[str, Node]]) -> list[discovery.Package]:
    return [discovery.read(Source(f"p{n}", Tree(nodes))) for n, nodes in enumerate(trees)]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.dictionaries(PATHS, NODES, max_size=6), min_size=1, max_size=3))
def test_no_tree_makes_a_path_leave_the_output_folder(trees: list[dict[str, Node]]) -> None:
    made = plan.make(packages(trees), {}, harnesses.ids())
    assert len({item.id for item in made.items}) == len(made.items)
    for item in made.items:
        for each in item.render():
            if isinstance(each, Finding):
                assert render(each).isprintable()
            else:
                parts = join(item.folder, each.path).split("/")
                assert not any(illegal(part) for part in parts), parts


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(PATHS, NODES, max_size=8))
def test_outputs_of_one_harness_differ_on_every_system(nodes: dict[str, Node]) -> None:
    made = plan.make(packages([nodes, nodes]), {}, harnesses.ids())
    for harness in made.harnesses:
        paths = [item.path.casefold() for item in made.items if item.harness == harness]
        assert len(set(paths)) == len(paths)


@given(st.lists(st.sampled_from(["..", "", ".", "a", "nul.txt", "c:", "a\\b"]), min_size=1).map("/".join))
def test_a_place_refuses_a_path_that_leaves_it_on_any_system(path: str) -> None:
    place = Place(Path("/nowhere"), Path("/nowhere/out"))
    if set(path.split("/")) != {"a"}:
        with pytest.raises(Refused, match="leaves the folder of outputs, or has a name that some system"):
            place.put(path, b"", Output("", False, NEVER), None)


NAMED = "---\nname: sample\ndescription: Does it, and does it well.\n---\n"
OWN = [
    *(("claude", kind, NAMED) for kind in ("command", "agent", "skill")),
    *(("cursor", kind, NAMED) for kind in ("command", "agent", "skill")),
    ("cursor", "rule", "---\ndescription: Go.\nglobs: src/**/*.go\nalwaysApply: false\n---\n"),
    ("opencode", "command", "---\ndescription: Does it.\nsubtask: true\n---\n"),
    ("opencode", "agent", "---\ndescription: Does it.\nmode: subagent\ntemperature: 0.1\n---\n"),
    ("opencode", "skill", NAMED),
    ("codex", "skill", NAMED),
    ("grok", "command", NAMED),
    ("grok", "agent", NAMED),
    ("grok", "skill", NAMED),
    ("antigravity", "command", "---\ndescription: Does it.\n---\n"),
    ("antigravity", "agent", NAMED),
    ("antigravity", "skill", NAMED),
    ("antigravity", "rule", "---\ntrigger: always_on\n---\n"),
    ("gemini", "agent", NAMED),
    ("gemini", "skill", NAMED),
]


@pytest.mark.parametrize(("harness", "kind", "head"), OWN)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=st.binary(max_size=60), crlf=st.booleans())
def test_reading_and_writing_in_the_same_format_is_the_identity(
    harness: str, kind: str, head: str, body: bytes, crlf: bool
) -> None:
    raw = (head.replace("\n", "\r\n") if crlf else head).encode() + b"Body.\n" + body
    suffix = ".mdc" if (harness, kind) == ("cursor", "rule") else ".md"
    path = "skills/sample/SKILL.md" if kind == "skill" else f"{kind}s/sample{suffix}"
    staged, lines = write(harness, artifact(kind, raw, format=harness, path=path))
    assert list(staged.values()) == [raw]
    assert lines == []


def test_one_artifact_that_cannot_be_read_stops_nothing() -> None:
    def fail() -> bytes:
        raise OSError("gone")

    nodes: dict[str, Node] = {"skills/a/SKILL.md": file("A."), "skills/a/x.bin": File("k", load=fail)}
    made = plan.make(packages([nodes]), {}, ["claude"])
    assert [item.as_name for item in made.items if item.kind == "skill"] == ["a"]
