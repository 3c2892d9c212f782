"""A guest in somebody else's build: it declares nodes, and does nothing until it is asked for."""

import os
from pathlib import Path

import pytest

from building import COMMAND, PLUGIN, YAML, Workspace
from watching import watch

OUT = "tools/.tackroom/stage"
GUEST = """\
import tackroom
DefaultEnvironment(tools=[])
env = Environment(tools=[tackroom.tool])
staged = env.Stage("tools/tackroom.yaml")
env.Command("agents.txt", staged["claude"], Copy("$TARGET", "$SOURCE"))
env.Command("other.txt", [], Touch("$TARGET"))
env.Alias("agents", staged.all)
"""


@pytest.fixture
def guest(tmp_path: Path) -> Workspace:
    files = {f"tools/{path}": text for path, text in PLUGIN.items()}
    made = Workspace(tmp_path / "ws", {**files, "SConstruct": GUEST, "tools/tackroom.yaml": YAML})
    (made.folder / "tackroom.yaml").unlink()
    return made


def test_a_guests_consumer_is_built_anew_exactly_when_the_tree_changed(guest: Workspace) -> None:
    assert guest.scons("agents.txt").staged == ["claude kit"]
    first = guest.read("agents.txt")
    assert "up to date" in guest.scons("agents.txt").text
    guest.write({"tools/kit/commands/review.md": "New.\n"})
    assert guest.scons("agents.txt").staged == ["claude kit command/review"]
    assert guest.read("agents.txt") != first


BOTH = """\
import tackroom
{}
DefaultEnvironment(tools=[])
env = Environment(tools=[tackroom.tool])
staged = env.Stage("tackroom.yaml")
{}
env.Command("agents.txt", staged["claude"], Copy("$TARGET", "$SOURCE"))
"""
OWN = "tackroom.workspace()"


def test_a_workspace_of_ones_own_may_be_a_part_of_the_same_build(tmp_path: Path) -> None:
    yaml = "harnesses: [claude, codex]\npackages:\n  kit: {path: kit}\n"
    both = Workspace(tmp_path / "ws", {**PLUGIN, "SConstruct": BOTH.format(OWN, "")}, yaml)
    assert both.scons("stage", "HARNESS=claude").staged == ["claude kit"]
    assert both.scons("agents.txt").status == 0
    both.write({".tackroom/stage/claude/kit/commands/review.md": "edited"})
    assert both.scons("stage", "FORCE=1").status == 0
    first = both.read("agents.txt")
    both.write({"kit/commands/review.md": "New.\n"})
    outcome = both.scons("agents.txt")
    assert (outcome.status, "warning" in outcome.text) == (0, False), outcome.text
    assert both.read("agents.txt") != first
    assert both.scons("agents.txt").lines == ["scons: `agents.txt' is up to date."]


def test_a_workspace_of_ones_own_comes_before_what_else_stages_it(tmp_path: Path) -> None:
    both = Workspace(tmp_path / "ws", {**PLUGIN, "SConstruct": BOTH.format("", OWN)})
    for _ in range(2):
        assert both.scons("agents.txt").lines == [
            "scons: *** env.Stage() of 'tackroom.yaml' comes before tackroom.workspace() of it; "
            "put the workspace first"
        ]


def test_a_guest_does_nothing_unless_it_is_asked_for(guest: Workspace) -> None:
    assert guest.scons("other.txt").status == 0
    assert not (guest.folder / "tools/.tackroom").exists()


@pytest.mark.parametrize("what", ["agents.txt", "agents", "."])
def test_cleaning_what_needs_a_guest_cleans_what_it_staged(guest: Workspace, what: str) -> None:
    guest.scons("agents.txt")
    edited = guest.folder / "tools/.tackroom/stage/claude/kit/commands/review.md"
    edited.write_text("mine")
    guest.scons("-c", "other.txt")
    assert len(guest.out("claude", OUT)) == 4
    assert guest.scons("-n", "-c", what).status == 0
    assert len(guest.out("claude", OUT)) == 4
    outcome = guest.scons("-c", what)
    kept = "kept .tackroom/stage/claude/kit/commands/review.md: it was edited by hand"
    assert outcome.status == 0
    assert kept in outcome.lines
    assert guest.out("claude", OUT) == {"kit/commands/review.md": b"mine"}
    assert not list((guest.folder / "tools/.tackroom/state").glob("*.stamp"))


def test_a_guest_with_a_mistake_fails_only_when_it_is_asked_for(guest: Workspace) -> None:
    guest.write({"tools/tackroom.yaml": "packages: {kit: {path: gone}}\n"})
    assert guest.scons("other.txt").status == 0
    outcome = guest.scons("agents")
    assert outcome.status == 2
    assert "'gone'" in outcome.text
    assert "Traceback" not in outcome.text


def test_a_guest_without_a_lock_names_the_command_that_makes_one(guest: Workspace) -> None:
    guest.write({"tools/tackroom.yaml": "packages: {kit: {git: ./repo}}\n"})
    (guest.folder / "tools/repo").mkdir()
    assert guest.scons("other.txt").status == 0
    outcome = guest.scons("agents")
    assert outcome.status == 2
    assert (
        "'kit' is not in tackroom.lock and a build never changes the lock; run 'tackroom lock'"
        in outcome.text
    )


def test_a_package_that_the_build_makes_has_to_be_waited_for(guest: Workspace) -> None:
    make = 'made = env.Command("tools/kit/commands/made.md", [], Touch("$TARGET"))\n'
    text = GUEST.replace("staged =", make + "staged =")
    guest.write({"SConstruct": text})
    assert "is built here; name it in depends=[...]" in guest.scons("agents").text
    guest.write({"SConstruct": text.replace('yaml")', 'yaml", depends=made)', 1)})
    assert guest.scons("agents").status == 0
    assert "kit/commands/made.md" in guest.out("claude", "tools/.tackroom/stage")


def test_a_package_that_is_not_there_yet_is_read_when_it_is_built(guest: Workspace) -> None:
    make = 'made = env.Command("tools/new/commands/made.md", [], Touch("$TARGET"))\n'
    text = GUEST.replace("staged =", make + "staged =").replace('yaml")', 'yaml", depends=made)', 1)
    guest.write({"SConstruct": text, "tools/tackroom.yaml": YAML + "  new: {path: new}\n"})
    assert guest.scons("agents").status == 0
    assert "new/commands/made.md" in guest.out("claude", "tools/.tackroom/stage")


def test_one_yaml_is_staged_once_whatever_environments_ask_for_it(guest: Workspace) -> None:
    again = 'assert Environment(tools=[tackroom.tool]).Stage("tools/tackroom.yaml") is staged\n'
    guest.write({"SConstruct": GUEST + again})
    assert guest.scons("agents").status == 0


def test_two_workspaces_that_stage_into_one_place_are_told_apart(guest: Workspace) -> None:
    again = 'env.Alias("again", env.Stage("tools/second.yaml").all)\n'
    guest.write({"SConstruct": GUEST + again, "tools/second.yaml": YAML})
    assert guest.scons("agents").status == 0
    outcome = guest.scons("again")
    assert outcome.status == 2
    assert "'tools/tackroom.yaml' and 'tools/second.yaml' both stage into" in outcome.text


def test_a_tree_tells_its_folder_and_its_files(guest: Workspace) -> None:
    show = 'print(staged["claude"].path, len(staged["claude"].files()), len(staged.all))\n'
    guest.write({"SConstruct": GUEST + show})
    guest.scons("agents")
    assert f"{guest.folder}/tools/.tackroom/stage/claude 4 1" in guest.scons("agents").lines


def test_a_strict_guest_lets_no_remembered_warning_pass(guest: Workspace) -> None:
    guest.write({"tools/kit/rules/style.md": "Be brief.\n"})
    assert guest.scons("agents").status == 0
    guest.write({"SConstruct": GUEST.replace('.yaml")', '.yaml", strict=True)')})
    for _ in range(2):
        outcome = guest.scons("agents")
        assert outcome.status == 2
        assert "there are warnings, and a strict run lets none pass" in outcome.text
    assert guest.scons("other.txt").status == 0


def test_two_workspaces_that_reach_one_place_by_different_ways_are_told_apart(guest: Workspace) -> None:
    yaml = "out: ../stage\n" + YAML
    others = {f"more/{path}": text for path, text in PLUGIN.items()}
    guest.write({**others, "tools/tackroom.yaml": yaml, "more/tackroom.yaml": yaml})
    guest.write({"SConstruct": GUEST + 'env.Alias("agents", env.Stage("more/tackroom.yaml").all)\n'})
    outcome = guest.scons("agents")
    assert outcome.status == 2
    assert "'tools/tackroom.yaml' and 'more/tackroom.yaml' both stage into '../stage'" in outcome.text


# --- nothing to do

TELLS = GUEST + "import sys\nprint('looked' if 'tackroom.guest' in sys.modules else 'folded')\n"
IDLE = ["folded", "scons: `agents.txt' is up to date."]


@pytest.fixture
def idle(guest: Workspace) -> Workspace:
    """A guest that was staged."""
    guest.write({"SConstruct": TELLS})
    assert guest.scons("agents.txt").staged == ["claude kit"]
    return guest


def written(guest: Workspace, target: str) -> set[str]:
    """Build a target, and return what was written but for SCons' own database, which it always writes."""
    return watch(guest, target).rest - {"~ .sconsign.dblite"}


def test_a_guest_with_nothing_to_do_is_seen_at_a_glance(idle: Workspace) -> None:
    assert idle.scons("agents.txt").lines == IDLE
    assert not written(idle, "agents.txt")


def test_a_guest_that_looked_and_found_nothing_does_not_look_again(idle: Workspace) -> None:
    os.utime(idle.folder / "tools/kit/commands/review.md", ns=(10**18 + 1, 10**18 + 1))
    first = idle.scons("agents.txt")
    assert first.lines[0] == "looked"
    assert not first.staged
    assert idle.scons("agents.txt").lines == IDLE


def test_a_guest_writes_nothing_while_the_sconstruct_is_read(idle: Workspace) -> None:
    idle.write({"tools/kit/commands/review.md": "New.\n"})
    assert written(idle, "other.txt") == {"+ other.txt"}
    assert idle.scons("agents.txt").staged == ["claude kit command/review"]


def test_a_consumer_of_a_harness_in_which_nothing_changed_is_not_built(idle: Workspace) -> None:
    idle.write({"tools/tackroom.yaml": YAML.replace("claude", "claude, codex")})
    idle.scons("agents")
    text = COMMAND.replace("---\n", "---\nargument-hint: PATH\n", 1)  # codex has no such thing
    idle.write({"SConstruct": TELLS.replace('staged["claude"]', 'staged["codex"]')})
    idle.scons("agents.txt")
    idle.write({"tools/kit/commands/review.md": text})
    outcome = idle.scons("agents.txt")
    assert "claude kit command/review" in outcome.staged
    assert "Copy" not in outcome.text


# --- wherever the yaml is, and however its place is written


@pytest.mark.parametrize(
    ("sconstruct", "call"),
    [
        ("build/SConstruct", "../tools/tackroom.yaml"),
        ("build/SConstruct", "#../tools/../tools/tackroom.yaml"),
    ],
)
def test_a_yaml_outside_of_the_folder_of_the_sconstruct(tmp_path: Path, sconstruct: str, call: str) -> None:
    files = {f"tools/{path}": text for path, text in PLUGIN.items()}
    text = GUEST.replace("tools/tackroom.yaml", call)
    made = Workspace(tmp_path / "ws", {**files, sconstruct: text, "tools/tackroom.yaml": YAML})
    inner = Workspace(made.folder / "build", {"SConstruct": text})
    for change in ({}, {"tools/kit/commands/review.md": "New.\n"}):
        made.write(change)
        outcome = inner.scons("agents")
        assert (outcome.status, "Traceback" in outcome.text) == (0, False), outcome.text
    assert made.read(f"{OUT}/claude/kit/commands/review.md") == "New.\n"


def test_a_guest_in_a_sconscript_of_its_own(guest: Workspace) -> None:
    text = GUEST.replace('"tools/', '"#tools/').replace("DefaultEnvironment(tools=[])\n", "")
    guest.write(
        {"app/SConscript": text, "SConstruct": "DefaultEnvironment(tools=[])\nSConscript('app/SConscript')\n"}
    )
    outcome = guest.scons("agents")
    assert (outcome.status, outcome.staged) == (0, ["claude kit"]), outcome.text


def test_a_guest_says_what_of_its_record_cannot_be_used_when_it_stages(idle: Workspace) -> None:
    record = next((idle.folder / "tools/.tackroom/state").glob("*/units/claude.kit"))
    record.write_text("garbage")
    so = "a file that only it knows of counts as yours"
    said = f".tackroom/state/{{}}/units/claude.kit: cannot be used by this version; {so}"
    assert "cannot be used" not in idle.scons("other.txt").text
    assert said.format(record.parent.parent.name) in idle.scons("agents").lines
    assert "cannot be used" not in idle.scons("agents").text
