"""The real clients load what a good bundle holds, and ``clients/accept.py`` names what they refuse.

Not part of the default run: ``pytest -m clients``, with the clients in the folder that TACKROOM_CLIENTS
names or on PATH, and the drivers of the two without a command line in the one of TACKROOM_CLIENT_DRIVERS.
"""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.clients
ACCEPT = Path(__file__).parent / "clients" / "accept.py"


@dataclass(frozen=True)
class Case:
    """A bundle that its client takes, one more file that it refuses, and how that is reported."""

    harness: str
    row: str  # staged, loaded, refused, not checked
    good: dict[str, str]
    path: str
    text: str
    reported: str


def headed(body: str = "Body.\n", **fields: str) -> str:
    header = "".join(f"{name.replace('_', '-')}: {value}\n" for name, value in fields.items())
    return f"---\n{header}---\n{body}"


def role(**fields: str) -> str:
    return "".join(f'{name} = "{value}"\n' for name, value in fields.items())


MANIFEST = '{"name": "pack", "version": "1.0.0", "description": "D", "author": {"name": "A"}}'
SKILL = headed(name="lint", description="Lints.")
AGENT = headed(name="judge", description="Judges.")
COMMAND = headed(description="Commits.", body="Commit $ARGUMENTS\n")
LIST = "tools:\n  '*': false\n  read: true\npermission:\n  '*': deny\n  read: allow\n"

CASES = [
    Case(
        "claude",
        "5 5 0 0",
        {
            "pack/.claude-plugin/plugin.json": MANIFEST,
            "pack/commands/git/commit.md": COMMAND,
            "pack/agents/team/judge.md": AGENT,
            "pack/skills/lint/SKILL.md": SKILL,
            "pack/skills/quiet/SKILL.md": headed(name="quiet", description="Q.", user_invocable="false"),
        },
        "pack/agents/mark.md",
        "\ufeff" + AGENT,
        "claude: agent 'pack/agents/mark.md': frontmatter: No frontmatter block found.",
    ),
    Case(
        "cursor",
        "5 4 0 1",
        {
            "pack/.cursor-plugin/plugin.json": MANIFEST,
            "pack/commands/commit.md": COMMAND,
            "pack/agents/judge.md": AGENT,
            "pack/skills/lint/SKILL.md": SKILL,
            "pack/rules/python.mdc": headed(description="P.", globs='"*.py"', alwaysApply="false"),
            "pack/rules/sub/style.mdc": headed(description="S.", alwaysApply="true"),
        },
        "pack/rules/star.mdc",
        headed(description="S.", globs="*.py", alwaysApply="false"),
        "cursor: rule 'pack/rules/star.mdc': the client does not list it",
    ),
    Case(
        "opencode",
        "3 3 0 0",
        {
            "commands/git/commit.md": COMMAND,
            "agents/judge.md": headed(description="J.").replace("---\nBody", f"{LIST}---\nBody"),
            "skills/group/lint/SKILL.md": SKILL,
        },
        "agents/mute.md",
        headed(description="M.").replace("---\nBody", f"{LIST}---\nBody").replace("  '*': false\n", ""),
        "opencode: agent 'agents/mute.md': its allow list leaves it without a single tool",
    ),
    Case(
        "codex",
        "3 3 0 0",
        {
            "config.toml": '[mcp_servers.docs]\ncommand = "none"\n',
            "agents/judge.toml": role(name="judge", description="Judges.", developer_instructions="J."),
            "skills/lint/SKILL.md": SKILL,
            "skills/group/sort/SKILL.md": headed(name="sort", description="Sorts."),
        },
        "agents/blue.toml",
        role(name="blue", description="B.", developer_instructions="B.", color="blue"),
        "codex: agent 'agents/blue.toml': unknown field `color`",
    ),
    Case(
        "grok",
        "3 3 0 0",
        {"commands/commit.md": COMMAND, "agents/judge.md": AGENT, "skills/lint/SKILL.md": SKILL},
        "agents/explore.md",
        headed(name="explore", description="Explores."),
        "grok: agent 'agents/explore.md': the client does not list it",
    ),
    Case(
        "antigravity",
        "6 4 0 2",
        {
            ".agents/skills/lint/SKILL.md": SKILL,
            ".agents/rules/always.md": headed(trigger="always_on"),
            ".agents/rules/maybe.md": headed(trigger="model_decision", description="Maybe."),
            ".agents/rules/python.md": headed(trigger="glob", globs='"**/src/**"', body="Use types.\n"),
            ".agents/agents/judge.md": AGENT,
            ".agents/workflows/commit.md": COMMAND,
        },
        ".agents/rules/never.md",
        headed(trigger="glob", globs='"lib/**"', body="Never seen.\n"),
        "antigravity: rule '.agents/rules/never.md': not applied when 'lib/a' was read",
    ),
    Case(
        "gemini",
        "4 4 0 0",
        {
            "pack/gemini-extension.json": MANIFEST,
            "pack/commands/git/commit.toml": 'prompt = "Commit {{args}}"\n',
            "pack/agents/judge.md": AGENT,
            "pack/skills/lint/SKILL.md": SKILL,
        },
        "pack/agents/blue.md",
        headed(name="blue", description="B.", color="blue"),
        "gemini: agent 'pack/agents/blue.md': Validation failed: Agent Definition: Unrecognized key(s)",
    ),
]


def accept(out: Path) -> tuple[int, list[str]]:
    command = [sys.executable, str(ACCEPT), "--bundles", str(out)]
    ran = subprocess.run(command, check=False, capture_output=True, encoding="utf-8")
    lines = ran.stdout.splitlines()
    assert not ran.stderr
    if ran.returncode == 2:
        pytest.skip(f"{' '.join(lines[1].split())}: see this file's first lines")
    return ran.returncode, lines[1:]


def stage(out: Path, case: Case, more: dict[str, str]) -> None:
    for path, text in (case.good | more).items():
        file = out / case.harness / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.harness)
def test_all_of_a_good_bundle_is_loaded(case: Case, tmp_path: Path) -> None:
    stage(tmp_path, case, {})
    status, lines = accept(tmp_path)
    assert (status, lines[0].split()) == (0, [case.harness, *case.row.split()])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.harness)
def test_a_refused_artifact_is_named_with_its_reason(case: Case, tmp_path: Path) -> None:
    stage(tmp_path, case, {case.path: case.text})
    status, lines = accept(tmp_path)
    found = [line for line in lines[1:] if " not checked: " not in line]
    assert (status, len(found)) == (1, 1)
    assert found[0].startswith(case.reported)


def test_a_client_that_stops_has_loaded_nothing(tmp_path: Path) -> None:
    case = next(each for each in CASES if each.harness == "opencode")
    stage(tmp_path, case, {"agents/blue.md": headed(description="B.", color="blue")})
    status, lines = accept(tmp_path)
    assert (status, lines[0].split()) == (1, ["opencode", "4", "0", "4", "0"])
    assert lines[1].startswith(
        "opencode: agent 'agents/blue.md': the client stopped: Error: Configuration is"
    )
