"""What is remembered of folders, plans, packages and rules says the same as a look at everything."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tackroom.packages import discovery, listing
from tackroom.packages.folder import read_folder
from tackroom.packages.listing import Remembered, look
from tackroom.packages.package import Package, Source
from xxhash import xxh3_128_hexdigest

import corpus
import making
from tackroom import folders, harnesses, memory, outline, plan, rules
from tackroom.config import PackageSpec
from tackroom.folders import Folders
from tackroom.judging import Judge
from tackroom.library import Library
from tackroom.memory import Memory
from tackroom.outline import Outline
from tackroom.outlines import Outlines
from tackroom.resolve import Origin
from tackroom.rules import Rulings

IDS = harnesses.ids()
CORPUS = Path(os.environ.get("TACKROOM_CORPUS") or Path(__file__).parents[2] / "shared" / "corpus")

# --- the files of folders

TEXTS = st.text(max_size=30)


@settings(deadline=None)
@given(TEXTS, st.binary(max_size=99), TEXTS, st.sampled_from(["", "0123456789abcdef"]))
def test_what_is_remembered_of_a_folder_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, paths: str, packed: bytes, keys: str, digest: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "folder"
    made = Remembered(paths, packed, keys, digest)
    path.write_bytes(folders.text(made))
    found = folders.load(str(path))
    assert found is not None
    assert [getattr(found, each) for each in Remembered.__slots__] == [digest, keys, packed, paths]


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder whose files all count as old."""
    monkeypatch.setattr(listing, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + 10**13))
    for path in ("a.md", "skills/lint/SKILL.md"):
        (tmp_path / "kit" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kit" / path).write_text(path)
    return tmp_path / "kit"


def damaged(raw: bytes) -> list[bytes]:
    """Return a file cut short anywhere, all zeros from there, and with any one byte changed."""
    ends = range(len(raw))
    other = random.Random(1).randrange
    return [
        *(raw[:end] for end in ends),
        *(raw[:end].ljust(len(raw), b"\0") for end in ends),
        *(raw[:at] + bytes([raw[at] ^ other(1, 256)]) + raw[at + 1 :] for at in ends),
    ]


def test_a_damaged_file_of_a_folder_is_not_used(kit: Path, tmp_path: Path) -> None:
    found = look(str(kit))
    found.digest()
    for raw in damaged(folders.text(found.now)):
        (tmp_path / "file").write_bytes(raw)
        assert folders.load(str(tmp_path / "file")) is None


@pytest.mark.parametrize("version", ["1 little", "2 big", "3 little", ""])
def test_a_file_of_a_folder_of_another_version_or_byte_order(kit: Path, tmp_path: Path, version: str) -> None:
    version = "2 little" if version == folders.FORMAT else version  # this machine is the other one
    raw = folders.text(look(str(kit)).now).replace(folders.FORMAT.encode(), version.encode(), 1)
    (tmp_path / "file").write_bytes(raw)
    assert folders.load(str(tmp_path / "file")) is None


def write(files: Mapping[str, bytes]) -> None:
    for path, raw in files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(raw)


def test_a_folder_is_written_once_and_again_where_it_changed(kit: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "folders")
    written = []
    for at in range(4):
        found = Folders(place)
        found.look(str(kit), "").digest()
        written.append(len(found.texts()))
        write(found.texts())
        if at == 1:
            (kit / "a.md").write_text("another")
    assert written == [1, 0, 1, 0]


def test_a_folder_is_looked_at_once_in_a_run(kit: Path, tmp_path: Path) -> None:
    found = Folders(str(tmp_path / "folders"))
    first = found.look(str(kit), "")
    (kit / "a.md").write_text("another")
    assert found.look(str(kit), "") is first


def test_where_nothing_is_trusted_every_file_is_read(kit: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "folders")
    found = Folders(place)
    found.look(str(kit), "")
    write(found.texts())
    assert Folders(place).look(str(kit), "").is_same
    assert not Folders(place, trusted=False).look(str(kit), "").is_same


def test_the_file_of_a_folder_that_was_not_looked_at_is_stale(kit: Path, tmp_path: Path) -> None:
    place = str(tmp_path / "folders")
    found = Folders(place)
    found.look(str(kit), "")
    found.look(str(kit / "skills"), "")
    write(found.texts())
    again = Folders(place)
    assert again.stale() != []
    again.look(str(kit), "")
    assert len(again.stale()) == 1
    assert Folders(str(tmp_path / "nothing")).stale() == []


# --- the memory

MEMORY = Memory(
    inputs={"code": "c", "workspace": "w"},
    folder="0123",
    out=".tackroom/caf\udce9",
    listed=[["kit", "/real/kit", "/out"]],
    units={"claude/kit": "key"},
    said=[{"code": "nothing-found", "package": "kit"}],
    counts={"claude": {"info": 12}, "": {}},
    packages=1,
)


def test_a_memory_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "memory").write_bytes(MEMORY.text())
    found = memory.load(str(tmp_path / "memory"))
    assert found is not None
    assert found.text() == MEMORY.text()
    assert found.out == ".tackroom/caf\udce9"


def test_where_there_is_no_memory_it_is_empty(tmp_path: Path) -> None:
    found = memory.load(str(tmp_path / "nothing"))
    assert found is not None
    assert found.text() == Memory().text()


def test_a_memory_that_was_cut_short_cannot_be_used(tmp_path: Path) -> None:
    raw = MEMORY.text()
    for end in range(len(raw)):
        for kept in (raw[:end], raw[:end].ljust(len(raw), b"\0")):
            (tmp_path / "memory").write_bytes(kept)
            assert memory.load(str(tmp_path / "memory")) is None


def test_a_memory_with_any_byte_changed_is_read_without_an_accident(tmp_path: Path) -> None:
    for raw in damaged(MEMORY.text()):
        (tmp_path / "memory").write_bytes(raw)
        memory.load(str(tmp_path / "memory"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "1",
        "null",
        '"version"',
        "{}",
        '{"version": 1}',
        '{"version": 2, "more": 1}',
        "\xff",
        "[" * 10**5,
    ],
)
def test_what_is_no_memory_cannot_be_used(tmp_path: Path, text: str) -> None:
    (tmp_path / "memory").write_bytes(text.encode("latin-1"))
    assert memory.load(str(tmp_path / "memory")) is None
    assert memory.load(str(tmp_path)) is None


def test_each_workspace_file_and_out_has_a_memory_of_its_own() -> None:
    places = [("w", "a", ""), ("w", "b", ""), ("w", "a", "b"), ("w", "ab", ""), ("v", "a", "")]
    assert len({memory.place(*each) for each in places}) == len(places)


# --- outlines and rulings of packages

SKILL = "---\nname: lint\ndescription: Lints.\n---\nLint.\n"
SAMPLES = {
    "a plugin": {
        ".claude-plugin/plugin.json": '{"name": "Kit", "keywords": ["a"], "x": {"y": [1, 2.5, null]}}',
        "commands/git/commit.md": "---\ndescription: Commits.\nmodel: opus\n---\nCommit $1 and $ARGUMENTS.\n",
        "skills/lint/SKILL.md": SKILL,
        "agents/lint.md": "---\nname: Net 4.8\ntools: [Read]\n---\nLint.\n",
    },
    "a skill": {"SKILL.md": SKILL, "more/run.sh": "x"},
    "names that no system holds": {
        "commands/con.md": "x",
        "commands/\ud800.md": "x",
        "commands/caf\udce9.md": "x",
        "skills/a:b/SKILL.md": '---\nname: "\\ud83d\\ude00"\ndescription: x\n---\n',
        ".claude-plugin/plugin.json": '{"name": "\\ud83d-\\udce9", "description": "\\ud800"}',
    },
    "an extension": {"gemini-extension.json": '{"name": "ext", "contextFileName": "C.md"}', "C.md": "x"},
    "another skill of that name": {"skills/lint/SKILL.md": SKILL},
    "nothing": {"README.md": "x"},
}


def samples() -> dict[str, Package]:
    made = {id_: making.package(files, f"p{at}") for at, (id_, files) in enumerate(SAMPLES.items())}
    real = corpus.packages(CORPUS) if CORPUS.is_dir() else ()
    found = {each.relative_to(CORPUS).as_posix(): each for each in real}
    return made | {name: discovery.read(Source(name, read_folder(each))) for name, each in found.items()}


@pytest.fixture(scope="module")
def packages() -> dict[str, Package]:
    return samples()


def library(packages: Sequence[Package], specs: Mapping[str, PackageSpec] | None = None) -> Library:
    return Library({each.id: partial(_same, each) for each in packages}, specs)


def _same(package: Package) -> Package:
    return package


def plain(found: Outline) -> object:
    """Return an outline with its rows of names, which otherwise are made when they are asked for."""
    branches = {
        harness: [
            [getattr(each, name) for name in each._fields if name != "claims"],
            each.claims.keys,
            each.claims.wants,
            [each.claims.row(at) for at in range(len(each.claims.keys))],
        ]
        for harness, each in found.branches.items()
    }
    return dataclasses.replace(found, branches={}), branches


def test_an_outline_is_read_as_it_was_written(packages: dict[str, Package]) -> None:
    for package in packages.values():
        made = library([package]).outline(package.id, IDS, "digest")
        found = outline.load(outline.dump(made), "digest")
        assert plain(found) == plain(made)
        assert outline.dump(found) == outline.dump(made)


def test_the_shape_of_an_outline_is_not_that_of_its_digest_but_of_all_else() -> None:
    one, other = (making.package(files, "kit") for files in ({"SKILL.md": SKILL}, {"SKILL.md": SKILL + "!"}))
    shapes = []
    for package, ids, digest in ((one, IDS, "1"), (other, IDS, "2"), (one, IDS[:2], "1")):
        outlines = Outlines("nowhere", ids)
        outlines.put(library([package]).outline("kit", ids, digest))
        shapes.append(outlines.shape("kit"))
    assert shapes[0] == shapes[1] != shapes[2]


def test_rulings_are_read_as_they_were_written(packages: dict[str, Package]) -> None:
    every = list(packages.values())
    books = library(every)
    made = rules.rule([books.outline(each.id, IDS) for each in every], books, {}, IDS)
    assert any(each.settled for each in made.trees.values())
    assert rules.load(json.loads(json.dumps(rules.dump(made)))) == made


def test_a_plan_is_the_same_from_rulings_that_were_remembered(packages: dict[str, Package]) -> None:
    every = list(packages.values())
    books = library(every)
    made = rules.rule([books.outline(each.id, IDS) for each in every], books, {}, IDS)
    digests = dict.fromkeys((each.id for each in every), "")
    again = rules.load(json.loads(json.dumps(rules.dump(made))))
    assert plan.lay(again, digests, books) == plan.lay(made, digests, books)


def test_an_outline_is_used_while_digest_and_harnesses_are_the_same(tmp_path: Path) -> None:
    package = making.package(SAMPLES["a plugin"], "kit")
    found = Outlines(str(tmp_path), IDS)
    found.put(library([package]).outline("kit", IDS, "digest"))
    write(found.texts())
    again = Outlines(str(tmp_path), IDS)
    assert again.get("kit", "digest") is not None
    assert again.shape("kit") == found.shape("kit")
    assert Outlines(str(tmp_path), IDS).get("kit", "another") is None
    assert Outlines(str(tmp_path), IDS[:2]).get("kit", "digest") is None
    assert Outlines(str(tmp_path), IDS).get("kit2", "digest") is None
    assert Outlines(str(tmp_path), IDS).texts() == {}


def test_the_outline_of_a_package_that_is_gone_is_stale(tmp_path: Path) -> None:
    found = Outlines(str(tmp_path), ["claude"])
    for name in ("kit", "gone"):
        found.put(library([making.package({"SKILL.md": SKILL}, name)]).outline(name, ["claude"], "digest"))
    write(found.texts())
    assert len(found.stale(["kit"])) == 1
    assert found.stale(["kit", "gone"]) == []
    assert Outlines(str(tmp_path / "nothing"), IDS).stale([]) == []


# --- judging


@dataclasses.dataclass
class Shelf:
    """A workspace's packages as they are now, and the folder of what is remembered of them."""

    folder: Path
    files: dict[str, dict[str, str]]
    specs: dict[str, PackageSpec] = dataclasses.field(default_factory=dict)
    ids: Sequence[str] = IDS
    read: list[str] = dataclasses.field(default_factory=list)

    def judge(self, folder: Path | None = None) -> tuple[Judge, Rulings]:
        """Return a judge and what he decides, by what is remembered in a folder."""
        self.read = []
        books = Library({id_: partial(self._open, id_) for id_ in self.files}, self.specs)
        judge = Judge(folder or self.folder, books, self.specs, self.ids)
        return judge, judge.rulings([Origin(id_, self._digest(id_), Source) for id_ in self.files])

    def from_scratch(self) -> Rulings:
        return self.judge(self.folder / "nothing")[1]

    def remember(self, judge: Judge) -> None:
        write({str(judge.path): judge.text, **judge.outlines.texts()})

    def _open(self, id_: str) -> Package:
        self.read.append(id_)
        return making.package(self.files[id_], id_)

    def _digest(self, id_: str) -> str:
        spec = self.specs.get(id_)
        return xxh3_128_hexdigest(json.dumps([self.files[id_], spec and [spec.only, spec.skip]]).encode())


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    kit, other = {"skills/lint/SKILL.md": SKILL}, {"skills/lint/SKILL.md": SKILL, "commands/go.md": "Go."}
    found = Shelf(tmp_path, {"kit": kit, "other": other})
    found.remember(found.judge()[0])
    return found


def test_where_nothing_changed_no_package_is_read(shelf: Shelf) -> None:
    found = shelf.judge()[1]
    assert shelf.read == []
    assert found == shelf.from_scratch()


def test_only_the_package_that_changed_is_read(shelf: Shelf) -> None:
    shelf.files["kit"]["skills/other/SKILL.md"] = SKILL
    found = shelf.judge()[1]
    assert shelf.read == ["kit"]
    assert found == shelf.from_scratch()


def test_where_no_outline_changed_the_rules_are_not_applied(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.files["kit"]["skills/lint/SKILL.md"] += "More.\n"
    expected = shelf.from_scratch()
    monkeypatch.setattr(rules, "rule", None)
    assert shelf.judge()[1] == expected


@pytest.mark.parametrize("what", ["order", "gone", "added", "harnesses", "only", "skip"])
def test_what_the_rules_look_at_besides_outlines(shelf: Shelf, what: str) -> None:
    match what:
        case "order":
            shelf.files = dict(reversed(shelf.files.items()))
        case "gone":
            del shelf.files["kit"]
        case "added":
            shelf.files["new"] = shelf.files["kit"]
        case "harnesses":
            shelf.ids = IDS[:3]
        case "only":
            shelf.specs["kit"] = PackageSpec("kit", 1, only=("skill/nothing",))
        case "skip":
            shelf.specs["kit"] = PackageSpec("kit", 1, skip=("skill/*", "command/nothing"))
    before = Shelf(shelf.folder, shelf.files).judge()[1]
    found = shelf.judge()[1]
    assert found == shelf.from_scratch()
    assert (found != before) is (what in ("harnesses", "only", "skip"))


def test_damaged_rulings_are_decided_anew(shelf: Shelf) -> None:
    expected = shelf.from_scratch()
    path = shelf.judge()[0].path
    raw = path.read_bytes()
    for end in range(0, len(raw), 97):
        for kept in (raw[:end], raw[:end].ljust(len(raw), b"\0")):
            path.write_bytes(kept)
            assert shelf.judge()[1] == expected


def test_rulings_that_somebody_wrote_into_are_decided_anew(shelf: Shelf) -> None:
    expected = shelf.from_scratch()
    path = shelf.judge()[0].path
    raw = path.read_bytes()
    for old, new in (
        (b'"lint"', b'"lost"'),
        (b'"settled":{', b'"settled":['),
        (b'"shapes":{', b'"shopes":{'),
    ):
        assert old in raw
        path.write_bytes(raw.replace(old, new))
        assert shelf.judge()[1] == expected


def test_a_damaged_outline_is_made_anew(shelf: Shelf) -> None:
    expected = shelf.from_scratch()
    shelf.judge()[0].path.unlink()
    for path in (shelf.folder / "packages").iterdir():
        raw = path.read_bytes()
        for end in range(0, len(raw), 97):
            for kept in (raw[:end], raw[:end].ljust(len(raw), b"\0")):
                path.write_bytes(kept)
                assert shelf.judge()[1] == expected
        path.write_bytes(raw)


# whatever is done to a workspace's packages

NAMES = st.sampled_from(["lint", "Lint", "lint-one", "lint-two", "lint-skill", "go"])
PATHS = st.one_of(
    NAMES.map("skills/{}/SKILL.md".format),
    NAMES.map("commands/{}.md".format),
    NAMES.map("agents/{}.md".format),
    NAMES.map("rules/{}.md".format),
    st.sampled_from([".claude/commands/lint.md", "commands/x/lint.md", "SKILL.md", "GEMINI.md"]),
)
HEADERS = st.sampled_from(["", "---\nname: lint\n---\n", "---\nname: go\ndescription: x\n---\n"])
MANIFESTS = st.sampled_from(
    [
        "{}",
        '{"name": "kit"}',
        '{"name": "kit", "description": "x"}',
        '{"name": "one"}',
        '{"name": "A b"}',
        "{",
    ]
)
KEYS = st.sampled_from(["one", "two", "three", "four"])
PLACES = st.sampled_from(
    [".claude-plugin/plugin.json", ".cursor-plugin/plugin.json", "gemini-extension.json"]
)
GLOBS = st.sampled_from([(), ("skill/*",), ("*/lint",), ("rule/nothing",)])
FILES = st.one_of(
    st.tuples(PATHS, HEADERS.map("{}x".format)),
    st.tuples(PATHS, HEADERS.map("{}y".format)),
    st.tuples(PLACES, MANIFESTS),
)
SHELVES = st.dictionaries(KEYS, st.dictionaries(PATHS, HEADERS, max_size=4), min_size=2, max_size=4)
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), KEYS, FILES),
        st.tuples(st.just("write"), KEYS, FILES),
        st.tuples(st.just("remove"), KEYS, st.integers(0, 4)),
        st.tuples(st.just("drop"), KEYS, st.none()),
        st.tuples(st.just("last"), KEYS, st.none()),
        st.tuples(st.just("only"), KEYS, GLOBS),
        st.tuples(st.just("skip"), KEYS, GLOBS),
        st.tuples(st.just("forget"), KEYS, st.none()),
    ),
    max_size=6,
)


def edit(shelf: Shelf, verb: str, key: str, what: object) -> None:
    files = shelf.files.get(key, {})
    match verb, what:
        case "write", (path, text):
            shelf.files[key] = {**files, str(path): text}
        case "remove", int():
            shelf.files[key] = dict([*files.items()][:what])
        case "drop", _:
            shelf.files.pop(key, None)
        case "last", _:
            shelf.files[key] = shelf.files.pop(key, {})
        case "only" | "skip", _:
            spec = shelf.specs.get(key, PackageSpec(key, 1))
            shelf.specs[key] = spec._replace(**{verb: what})
        case _:
            (shelf.folder / "rulings.json").unlink(missing_ok=True)


@settings(deadline=None, max_examples=150)
@given(SHELVES, EDITS)
def test_what_is_decided_from_memory_is_what_is_decided_from_scratch(
    tmp_path_factory: pytest.TempPathFactory,
    files: dict[str, dict[str, str]],
    edits: list[tuple[str, str, object]],
) -> None:
    shelf = Shelf(tmp_path_factory.mktemp("shelf"), files)
    for each in (("nothing", "one", None), *edits):
        edit(shelf, *each)
        judge, found = shelf.judge()
        assert found == shelf.from_scratch()
        shelf.remember(judge)
