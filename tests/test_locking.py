"""Pins, end to end: what ``stage`` and ``lock`` do to the lock, and what the variables forbid."""

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, Repository, Workspace

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

YAML = "harnesses: [claude]\npackages:\n  kit: {git: ../repo, rev: main, subdir: kit}\n"
REVIEW = "kit/commands/review.md"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo", PLUGIN)


@pytest.fixture
def workspace(tmp_path: Path, repository: Repository) -> Workspace:
    return Workspace(tmp_path / "ws", {}, YAML)


def rows(workspace: Workspace) -> dict[str, dict[str, str]]:
    lock = tomllib.loads(workspace.read("tackroom.lock"))
    return {row["id"]: row for row in lock["package"]}


def test_stage_locks_what_the_lock_does_not_know_and_says_so(
    workspace: Workspace, repository: Repository
) -> None:
    outcome = workspace.scons()
    commit = repository.git("rev-parse", "HEAD")
    assert outcome.status == 0
    assert outcome.lines[:2] == [f"fetching kit at {commit[:7]}", f"locked kit at {commit[:7]}"]
    row = rows(workspace)["kit"]
    assert {key: row[key] for key in ("git", "subdir", "rev", "commit", "tree")} == {
        "git": "../repo",
        "subdir": "kit",
        "rev": "main",
        "commit": commit,
        "tree": repository.git("rev-parse", "HEAD:kit"),
    }
    assert workspace.read(f".tackroom/stage/claude/{REVIEW}") == COMMAND


def test_stage_never_moves_a_pin_by_itself(workspace: Workspace, repository: Repository) -> None:
    workspace.scons()
    before = workspace.read("tackroom.lock")
    repository.commit({REVIEW: "Newer.\n"})
    assert workspace.scons().staged == []
    assert workspace.read("tackroom.lock") == before


def test_lock_moves_the_pins_that_are_named(workspace: Workspace, repository: Repository) -> None:
    workspace.scons()
    old = rows(workspace)["kit"]["commit"]
    new = repository.commit({REVIEW: "Newer.\n"})
    assert workspace.scons("lock").lines == [
        "tackroom.lock is complete",
        "scons: Nothing to be done for `lock'.",
    ]
    assert rows(workspace)["kit"]["commit"] == old
    outcome = workspace.scons("lock", "UPDATE=kit")
    assert f"locked kit at {new[:7]}, was {old[:7]}" in outcome.lines
    assert workspace.scons().staged == ["claude kit command/review"]
    assert workspace.read(f".tackroom/stage/claude/{REVIEW}") == "Newer.\n"


def test_the_row_of_a_package_that_left_goes(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({"tackroom.yaml": "harnesses: [claude]\npackages: {}\n"})
    outcome = workspace.scons("lock")
    assert outcome.status == 0
    assert "tackroom.lock no longer pins kit" in outcome.lines
    assert "package" not in tomllib.loads(workspace.read("tackroom.lock"))


def test_locked_refuses_a_lock_with_the_row_of_a_package_that_left(workspace: Workspace) -> None:
    workspace.scons()
    workspace.write({"tackroom.yaml": "harnesses: [claude]\npackages: {}\n"})
    before = workspace.read("tackroom.lock")
    outcome = workspace.scons("LOCKED=1")
    assert outcome.status == 2
    assert (
        "tackroom.lock has rows of packages that are gone and LOCKED=1 forbids changing it; "
        "run 'tackroom lock'" in outcome.text
    )
    assert workspace.read("tackroom.lock") == before


def test_a_changed_revision_is_resolved_anew(workspace: Workspace, repository: Repository) -> None:
    workspace.scons()
    repository.git("tag", "v1")
    repository.commit({REVIEW: "Newer.\n"})
    workspace.write({"tackroom.yaml": YAML.replace("main", "v1")})
    assert workspace.scons().status == 0
    assert rows(workspace)["kit"]["rev"] == "v1"
    assert rows(workspace)["kit"]["commit"] == repository.git("rev-parse", "v1")


@pytest.mark.parametrize("how", [{"arguments": ["LOCKED=1"]}, {"CI": "true"}])
def test_locked_refuses_to_change_the_lock(workspace: Workspace, how: dict[str, object]) -> None:
    arguments = how.pop("arguments", [])
    outcome = workspace.scons(*arguments, **how)  # type: ignore[misc,arg-type]
    assert outcome.status == 2
    assert (
        "'kit' is not in tackroom.lock and LOCKED=1 forbids changing it; run 'tackroom lock'" in outcome.text
    )
    assert not (workspace.folder / "tackroom.lock").exists()


def test_locked_may_fetch_a_locked_commit(workspace: Workspace) -> None:
    workspace.scons("lock")
    shutil.rmtree(workspace.folder.parent / "cache")
    assert workspace.scons("LOCKED=1").status == 0


def test_frozen_needs_lock_and_cache_and_then_no_network(
    workspace: Workspace, repository: Repository
) -> None:
    outcome = workspace.scons("FROZEN=1")
    assert outcome.status == 2
    workspace.scons("lock")
    shutil.rmtree(repository.folder)
    assert workspace.scons("FROZEN=1").status == 0
    shutil.rmtree(workspace.folder.parent / "cache")
    assert workspace.scons("FROZEN=1").status == 0  # there is nothing to do
    outcome = workspace.scons("FROZEN=1", "OUT=elsewhere")
    assert outcome.status == 2
    assert "is not in the cache and OFFLINE=1 forbids the network" in outcome.text


def test_a_dry_run_neither_locks_nor_fetches(workspace: Workspace) -> None:
    outcome = workspace.scons("-n")
    assert outcome.status == 0
    assert outcome.lines[0] == (
        "left out: 'kit' is not in tackroom.lock and this run changes nothing; run 'tackroom lock'"
    )
    assert not (workspace.folder / "tackroom.lock").exists()
    assert not (workspace.folder.parent / "cache").exists()


def test_content_that_the_lock_does_not_vouch_for_is_refused(workspace: Workspace) -> None:
    workspace.scons("lock")
    text = workspace.read("tackroom.lock")
    workspace.write({"tackroom.lock": text.replace(rows(workspace)["kit"]["sha256"], "0" * 64)})
    shutil.rmtree(workspace.folder.parent / "cache")
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "is not the one that tackroom.lock vouches for" in outcome.text


def test_an_unknown_revision_names_the_nearest_one(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("main", "mian")})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "tackroom.yaml:3: 'kit': no branch or tag 'mian'" in outcome.text
    assert "did you mean 'main'" in outcome.text
    assert "Traceback" not in outcome.text


def test_a_repository_that_is_not_there_is_one_line(workspace: Workspace) -> None:
    workspace.write({"tackroom.yaml": YAML.replace("../repo", "../none")})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert outcome.lines[0].startswith("scons: *** tackroom.yaml:3: 'kit': ")
    assert len(outcome.lines) == 1


# --- catalogues

ENTRIES = [
    {"name": "kit", "source": "./kit"},
    {"name": "bare", "source": "./bare", "commands": "./more", "strict": False},
    {"name": "gone", "source": "./gone"},
    {"name": "packed", "source": {"source": "npm", "package": "x"}},
]


@pytest.fixture
def catalogue(tmp_path: Path, repository: Repository) -> Workspace:
    other = Repository(
        tmp_path / "other", {"deep/skills/far/SKILL.md": "---\nname: far\ndescription: Far.\n---\n"}
    )
    far = {"source": "git-subdir", "url": other.folder.as_uri(), "path": "deep", "ref": "main"}
    plugins = [*ENTRIES, {"name": "far", "source": far}]
    repository.commit(
        {
            ".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": plugins}),
            "bare/more/hello.md": COMMAND,
        }
    )
    return Workspace(tmp_path / "ws", {})


def asked(workspace: Workspace, plugins: str) -> None:
    workspace.write(
        {"tackroom.yaml": f"harnesses: [claude]\npackages:\n  all: {{git: ../repo, plugins: {plugins}}}\n"}
    )


def test_every_entry_of_a_catalogue_is_a_package_with_a_row_of_its_own(catalogue: Workspace) -> None:
    asked(catalogue, '"*"')
    outcome = catalogue.scons()
    assert outcome.status == 0
    assert sorted(rows(catalogue)) == ["all", "all.bare", "all.far", "all.kit"]
    assert rows(catalogue)["all.far"]["subdir"] == "deep"
    assert outcome.staged == [
        "claude all.kit",
        "claude all.bare",
        "claude all.far",
    ]
    assert [line for line in outcome.lines if "entry-skipped" in line] == [
        "warning: entry-skipped: all:.claude-plugin/marketplace.json: "
        "plugin 'gone': its folder 'gone' does not exist; skipped",
        "warning: entry-skipped: all:.claude-plugin/marketplace.json: "
        "plugin 'packed': its source is of the kind 'npm', which is not a git repository; skipped",
    ]
    assert catalogue.scons("FROZEN=1").staged == []


@pytest.mark.parametrize(
    ("plugins", "problem"),
    [
        ("[kti]", "the catalogue has no plugin 'kti'; did you mean 'kit'"),
        ("[gone]", "plugin 'gone' of the catalogue: its folder 'gone' does not exist"),
        (
            "[packed]",
            "plugin 'packed' of the catalogue: its source is of the kind 'npm', which is not "
            "a git repository",
        ),
    ],
)
def test_an_entry_that_is_named_must_be_there(catalogue: Workspace, plugins: str, problem: str) -> None:
    asked(catalogue, plugins)
    outcome = catalogue.scons()
    assert outcome.status == 2
    assert f"tackroom.yaml:3: 'all': {problem}" in outcome.text


def test_a_glob_must_match_in_one_entry_of_a_catalogue_not_in_each(catalogue: Workspace) -> None:
    asked(catalogue, '"*", only: [skill/*, skill/none]')
    assert [line for line in catalogue.scons().lines if "filter-unmatched" in line] == [
        "warning: filter-unmatched: all: 'skill/none' in 'only' matches none of its artifacts"
    ]


def test_a_catalogue_cannot_steer_the_terminal_by_an_error(
    catalogue: Workspace, repository: Repository
) -> None:
    row = {"name": "kit", "source": "../\x1b[2J"}
    repository.commit({".claude-plugin/marketplace.json": json.dumps({"name": "m", "plugins": [row]})})
    asked(catalogue, "[kit]")
    assert catalogue.scons().lines[-1] == (
        "scons: *** tackroom.yaml:3: 'all': plugin 'kit' of the catalogue: "
        "its source '../\\x1b[2J' leaves the repository"
    )


def test_the_json_report_says_a_repository_as_the_workspace_does(workspace: Workspace) -> None:
    assert workspace.scons("JSON=report.json").status == 0
    (package,) = json.loads(workspace.read("report.json"))["packages"]
    assert package["git"] == "../repo"


def test_plugins_without_a_catalogue_are_a_mistake(workspace: Workspace) -> None:
    asked(workspace, "[kit]")
    outcome = workspace.scons()
    assert "has no marketplace catalogue; leave 'plugins:' out to take it as one package" in outcome.text


# --- shadowing


def test_a_plugin_shadows_its_own_skill_however_the_url_is_spelled(
    tmp_path: Path, repository: Repository
) -> None:
    uri = repository.folder.as_uri()
    workspace = Workspace(
        tmp_path / "ws",
        {},
        f"harnesses: [claude]\npackages:\n  lint: {{git: ../repo, subdir: kit/skills/lint}}\n"
        f"  kit: {{git: '{uri}', subdir: kit}}\n",
    )
    outcome = workspace.scons()
    assert (
        f"warning: shadowed: lint@{repository.git('rev-parse', 'HEAD')[:7]}:SKILL.md: "
        "'lint' is left out; plugin 'kit' of the same commit, which brings it, is staged" in outcome.lines
    )
    assert not any(path.startswith("lint/") for path in workspace.out("claude"))


def test_a_plugin_that_skips_its_skill_leaves_it_to_the_skill_of_its_own(
    tmp_path: Path, repository: Repository
) -> None:
    workspace = Workspace(
        tmp_path / "ws",
        {},
        "harnesses: [claude]\npackages:\n  lint: {git: ../repo, subdir: kit/skills/lint}\n"
        "  kit: {git: ../repo, subdir: kit, skip: [skill/lint]}\n",
    )
    assert "shadowed" not in workspace.scons().text
    staged = workspace.out("claude")
    assert any(path.startswith("lint/") for path in staged)
    assert "kit/skills/lint/SKILL.md" not in staged


def test_two_runs_may_fill_one_cache_at_once(
    workspace: Workspace, tmp_path: Path, repository: Repository
) -> None:
    others = [Workspace(tmp_path / f"ws{n}", {}, YAML) for n in range(3)]
    import concurrent.futures

    with concurrent.futures.ThreadPoolExecutor() as pool:
        outcomes = list(pool.map(lambda each: each.scons(), others))
    assert [each.status for each in outcomes] == [0, 0, 0]
    assert others[0].out() == others[1].out() == others[2].out()


def test_a_repository_beside_a_workspace_that_was_moved_is_still_the_same_one(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    Repository(tmp_path / "one/repo", {path.removeprefix("kit/"): text for path, text in PLUGIN.items()})
    yaml = "harnesses: [codex]\npackages:\n  kit: {git: ../repo}\n"
    Workspace(tmp_path / "one/ws", {}, yaml).scons()
    (tmp_path / "one").rename(tmp_path / "two")
    moved = Workspace(tmp_path / "two/ws", {}, yaml + "  lint: {git: ../repo, subdir: skills/lint}\n")
    assert "warning: shadowed: lint@" in moved.scons().text
