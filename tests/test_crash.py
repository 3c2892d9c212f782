"""Runs that are killed: the next one ends just as one in a fresh workspace does, whatever it stages.

The moments of the first test are random, by a seed, and lie in the middle of staging. It kills 6 runs;
``TACKROOM_KILLS=50`` in the environment makes that 50.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, SCONSTRUCT, SITE, SKILL, YAML, Workspace
from faults import killed_at, killed_before
from tackroom.atomic import beside, write
from tackroom.files import digest
from tackroom.journal import Journal, adopt
from tackroom.state import State

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")

KILLS = int(os.environ.get("TACKROOM_KILLS", "6"))
HARNESSES = "harnesses: [claude, codex]\npackages:\n"
OUT = ".tackroom/stage/claude/kit"


def skills(package: str, count: int, text: str) -> dict[str, str]:
    head = "---\nname: {0}\ndescription: {0}\n---\n"
    return {f"{package}/skills/s{n}/SKILL.md": head.format(f"s{n}") + f"{text}\n" for n in range(count)}


KIT, MORE = "  kit: {path: kit}\n", "  more: {path: more}\n"
# what a workspace is made of: its yaml, and the text of each package
INPUTS: Mapping[str, tuple[str, str, str]] = {
    "first": (HARNESSES + KIT + MORE, "one", "one"),
    "changed": (HARNESSES + KIT + MORE, "two", "one"),
    "changed again": (HARNESSES + KIT + MORE, "three", "two"),
    "other order": (HARNESSES + MORE + KIT, "two", "two"),  # claims the same names in the shared tree
    "removed": (HARNESSES + MORE, "one", "two"),
    "renamed": (HARNESSES + KIT.replace("kit:", "tools:") + MORE, "two", "one"),
}


# a first run lets a second process help, which may outlive it
HELPED = f"import tackroom.second\ntackroom.second.ENOUGH = 2\n{SCONSTRUCT}"


def prepare(workspace: Workspace, name: str) -> None:
    yaml, kit, more = INPUTS[name]
    workspace.write({"tackroom.yaml": yaml, **skills("kit", 140, kit), **skills("more", 10, more)})


def strays(workspace: Workspace) -> list[str]:
    """Return what only a run that never came to its end leaves."""
    found = [*workspace.folder.rglob("*.tackroom~"), *workspace.folder.rglob("journal")]
    return [each.relative_to(workspace.folder).as_posix() for each in found]


def kill(workspace: Workspace, chance: random.Random) -> bool:
    """Start staging and kill it at some moment after it began to write; tell whether it was at work then."""
    env = {**os.environ, "PYTHONPATH": str(SITE)}
    command = [sys.executable, "-m", "SCons", "-Q"]
    with subprocess.Popen(command, cwd=workspace.folder, env=env, stdout=subprocess.DEVNULL) as run:
        while run.poll() is None and not list(workspace.folder.glob(".tackroom/state/*/journal")):
            time.sleep(0.001)
        time.sleep(chance.uniform(0, 0.25))
        run.kill()
    return run.returncode < 0


def test_whenever_a_run_is_killed_the_next_one_ends_as_a_clean_one(tmp_path: Path) -> None:
    chance = random.Random(20)
    clean: dict[str, dict[str, bytes]] = {}
    workspace = Workspace(tmp_path / "ws", {"SConstruct": HELPED})
    prepare(workspace, "first")
    assert workspace.scons().status == 0
    before, kills, hits = "first", 0, 0
    while kills < KILLS:
        for during in random.Random(kills).sample(sorted(INPUTS), chance.choice((1, 1, 2))):
            prepare(workspace, during)
            if chance.random() < 0.2:
                shutil.rmtree(workspace.folder / ".tackroom")
            hits += kill(workspace, chance)
            kills += 1
        then = chance.choice((before, during, *INPUTS))
        prepare(workspace, then)
        outcome = workspace.scons()
        if then not in clean:
            fresh = Workspace(tmp_path / then, {})
            prepare(fresh, then)
            fresh.scons()
            clean[then] = fresh.out()
        assert outcome.status == 0, (before, during, then, outcome.text)
        assert workspace.out() == clean[then], (before, during, then)
        assert strays(workspace) == [], (before, during, then)
        before = then
    assert hits > kills / 3


# --- the same, one moment after the other


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Return one in which everything is staged."""
    made = Workspace(tmp_path / "ws")
    made.scons()
    return made


def kill_before(workspace: Workspace, nth: int) -> None:
    workspace.write({"SConstruct": killed_before(nth)})
    assert workspace.scons().status == -9
    workspace.write({"SConstruct": SCONSTRUCT})


def change(workspace: Workspace, text: str) -> None:
    new = {"kit/commands/review.md": COMMAND + text, "kit/skills/lint/SKILL.md": SKILL + text}
    workspace.write({**new, "kit/skills/lint/run.sh": f"#!/bin/sh\n{text}"})


def test_what_a_killed_run_wrote_is_no_edit_when_the_previous_inputs_come_back(workspace: Workspace) -> None:
    before = workspace.out()
    change(workspace, "new\n")
    kill_before(workspace, 3)
    assert workspace.out() != before
    workspace.write(PLUGIN)
    assert workspace.scons().status == 0
    assert workspace.out() == before


def test_what_a_killed_run_left_half_written_is_taken_away(workspace: Workspace) -> None:
    change(workspace, "new\n")
    kill_before(workspace, 2)
    assert strays(workspace)[0].startswith(f"{OUT}/skills/lint/.run.sh.")
    assert workspace.scons().status == 0
    assert strays(workspace) == []


def test_a_folder_that_a_killed_run_made_for_nothing_is_taken_away(workspace: Workspace) -> None:
    workspace.write({"more/commands/x.md": COMMAND, "tackroom.yaml": YAML + "  more: {path: more}\n"})
    kill_before(workspace, 1)
    assert (workspace.folder / ".tackroom/stage/claude/more").is_dir()
    workspace.write({"tackroom.yaml": YAML})
    assert workspace.scons().status == 0
    assert not (workspace.folder / ".tackroom/stage/claude/more").exists()


def test_a_record_that_a_killed_run_left_half_written_is_taken_away(workspace: Workspace) -> None:
    change(workspace, "new\n")
    kill_before(workspace, 4)  # after three outputs
    assert strays(workspace)[0].startswith(".tackroom/state/")
    assert workspace.scons().status == 0
    assert strays(workspace) == []


def test_a_narrowed_run_forgets_nothing_of_a_killed_one(workspace: Workspace) -> None:
    before = workspace.out("claude/kit")
    workspace.write({"more/commands/x.md": COMMAND, "tackroom.yaml": YAML + "  more: {path: more}\n"})
    change(workspace, "new\n")
    kill_before(workspace, 4)
    assert workspace.scons("PACKAGE=more").status == 0
    workspace.write(PLUGIN)
    assert workspace.scons().status == 0
    assert workspace.out("claude/kit") == before


def test_cleaning_takes_along_what_a_killed_run_wrote(workspace: Workspace) -> None:
    change(workspace, "new\n")
    kill_before(workspace, 3)
    assert workspace.scons("-c").lines[:1] != [f"kept {OUT}/skills/lint/SKILL.md: it was edited by hand"]
    assert not (workspace.folder / ".tackroom/stage").exists()


def test_an_edit_of_what_a_killed_run_wrote_is_still_an_edit(workspace: Workspace) -> None:
    change(workspace, "new\n")
    kill_before(workspace, 3)
    workspace.write({f"{OUT}/skills/lint/SKILL.md": "mine"})
    outcome = workspace.scons()
    assert outcome.status == 2
    assert "output-edited: kit:skills/lint/SKILL.md" in outcome.text
    assert workspace.read(f"{OUT}/skills/lint/SKILL.md") == "mine"


OTHER_CODE = "import tackroom.version\ntackroom.version.renderer = lambda _: 'other'\n"


def test_what_other_code_no_longer_makes_is_not_forgotten_by_a_killed_run(workspace: Workspace) -> None:
    (workspace.folder / "kit/commands/review.md").unlink()
    workspace.write({"SConstruct": OTHER_CODE + killed_before(1, "unlink")})
    assert workspace.scons().status == -9
    assert (workspace.folder / OUT / "commands/review.md").exists()
    workspace.write({"SConstruct": OTHER_CODE + SCONSTRUCT})
    assert workspace.scons().status == 0
    assert not (workspace.folder / OUT / "commands").exists()


def test_a_file_that_is_put_back_as_it_was_leaves_nothing_half_written_either(workspace: Workspace) -> None:
    """Its record has the digest already, and still the file that was about to replace it has to be found."""
    before = workspace.out()
    (workspace.folder / OUT / "commands/review.md").unlink()
    workspace.write({"SConstruct": killed_at("review.md")})
    assert workspace.scons().status == -9
    workspace.write({"SConstruct": SCONSTRUCT})
    assert strays(workspace)
    assert workspace.scons().status == 0
    assert workspace.out() == before
    assert strays(workspace) == []


# --- its parts


def test_a_note_that_was_torn_spoils_no_other(tmp_path: Path) -> None:
    state = State(tmp_path / "record")
    (tmp_path / "a").write_bytes(b"a")
    state.folder.mkdir()
    state.journal.write_bytes(b"0123 45 torn")
    journal = Journal(state.journal)
    journal.note("claude/kit", [("a", digest(b"a"))])
    adopt(state, tmp_path)
    journal.forget()
    assert list(state.kept) == ["a"]


def test_a_file_left_by_a_process_that_had_our_number_is_no_obstacle(tmp_path: Path) -> None:
    beside(tmp_path / "a", os.getpid()).write_bytes(b"half")
    assert write(tmp_path / "a", b"whole")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
