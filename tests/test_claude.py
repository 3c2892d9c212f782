"""What Claude Code gets: its own files as they are, and agents of other formats in its words."""

from __future__ import annotations

import pytest

from making import artifact, write


def agent(header: str, by: str) -> tuple[str, list[str]]:
    """Return what is left of an agent's fields behind name and description, and the findings."""
    source = f"---\nname: sample\ndescription: d\n{header}---\nBody.\n"
    staged, lines = write("claude", artifact("agent", source, format=by))
    text = staged["agents/sample.md"].decode()
    assert text.startswith("---\nname: sample\ndescription: d\n")
    return text.removeprefix("---\nname: sample\ndescription: d\n").removesuffix("---\nBody.\n"), lines


@pytest.mark.parametrize(
    "header",
    [
        "tools: Read, Bash(git *), read_file\nmodel: my-model\ncolor: 5\n",
        "tools:\n",
        "tools: []\ndisallowedTools: '*'\n",
        "permissionMode: default\nmaxTurns: many\nown: [a, b]\n",
    ],
)
def test_its_own_agent_is_copied_whatever_it_says(header: str) -> None:
    assert agent(header, "claude") == (header, [])


def test_a_guard_that_a_plugin_may_not_set_is_lost() -> None:
    assert agent("permissionMode: plan\n", "claude") == (
        "permissionMode: plan\n",
        ["warning: guard-lost: 4: 'permissionMode' (plan) restricts nothing there"],
    )


@pytest.mark.parametrize(
    ("by", "tools", "written"),
    [
        ("gemini", "[read_file, run_shell_command]", "Read, Bash, PowerShell"),
        ("gemini", "[mcp_docs_find, mcp_srv_*]", "mcp__docs__find, mcp__srv"),
        ("cursor", "Shell, Write", "Bash, Write, Edit, NotebookEdit"),
        ("grok", "read_file, search_replace, mcp__a__b", "Read, Edit, NotebookEdit, mcp__a__b"),
        ("grok", "Read, Task, MultiEdit", "Read, Agent, Edit, NotebookEdit"),
        ("antigravity", "[view_file, invoke_subagent]", "Read, Agent"),
    ],
)
def test_tools_are_called_by_their_names_here(by: str, tools: str, written: str) -> None:
    assert agent(f"tools: {tools}\n", by) == (f"tools: {written}\n", [])


def test_groks_agent_is_copied_where_it_says_claude_codes_names() -> None:
    header = "tools: [Read, Edit]\nmodel: inherit\neffort: high\n"
    assert agent(header, "grok") == (header, [])


def test_a_tool_that_nobody_has_here_is_left_out() -> None:
    assert agent("tools: [read_file, list_directory, tracker_visualize]\n", "gemini") == (
        "tools: Read\n",
        [
            "warning: tool-dropped: 4: tool 'list_directory' of 'tools' does not exist there; left out",
            "warning: tool-dropped: 4: tool 'tracker_visualize' of 'tools' does not exist there; left out",
        ],
    )


def test_the_tools_of_all_servers_cannot_be_allowed_at_once() -> None:
    assert agent("tools: [read_file, 'mcp_*']\n", "gemini") == (
        "tools: Read\n",
        ["warning: tool-dropped: 4: tool 'mcp_*' of 'tools' does not exist there; left out"],
    )


def test_a_list_of_which_nothing_is_left_allows_nothing() -> None:
    assert agent("tools: [list_directory]\n", "gemini")[0] == "tools: []\n"
    assert agent("tools: []\n", "gemini") == ("tools: []\n", [])
    assert agent("tools: ['*']\n", "gemini") == ("", [])


def test_an_empty_list_allows_everything_in_grok_and_antigravity() -> None:
    assert agent("tools: []\n", "grok") == ("", [])
    assert agent("tools: []\n", "antigravity") == ("", [])


def test_a_limit_in_brackets_is_not_kept_to() -> None:
    assert agent("tools: Bash(git *), Agent(scout)\n", "grok") == (
        "tools: Bash, Agent\n",
        ["warning: guard-lost: 4: 'tools' (Bash(git *)) restricts nothing there"],
    )


# --- OpenCode's maps


def test_switches_that_are_off_become_a_deny_list() -> None:
    assert agent("tools:\n  bash: false\n  edit: false\n  list: false\n  read: true\n", "opencode") == (
        "disallowedTools: Bash, PowerShell, Write, Edit, NotebookEdit\n",
        [],
    )


def test_switches_behind_a_star_that_is_off_become_an_allow_list() -> None:
    assert agent("tools:\n  '*': false\n  read: true\n  bash: true\n  task: false\n", "opencode") == (
        "tools: Read, Bash\n",
        [],
    )
    assert agent("tools:\n  read: true\n  '*': false\n", "opencode")[0] == "tools: []\n"


@pytest.mark.parametrize(
    ("permission", "written"),
    [
        ("\n  edit: deny\n  bash: deny", "disallowedTools: Write, Edit, NotebookEdit, Bash, PowerShell\n"),
        ("\n  '*': deny\n  read: allow\n  grep: allow", "tools: Read, Grep\n"),
        (" deny", "tools: []\n"),
        (" allow", ""),
        ("\n  bash:\n    '*': deny", "disallowedTools: Bash, PowerShell\n"),
    ],
)
def test_permissions_become_lists(permission: str, written: str) -> None:
    assert agent(f"permission:{permission}\n", "opencode")[0] == written


def test_permissions_have_the_last_word_over_switches() -> None:
    header = "permission:\n  bash: allow\ntools:\n  bash: false\n  webfetch: false\n"
    assert agent(header, "opencode") == ("disallowedTools: WebFetch\n", [])


def test_asking_first_and_single_uses_cannot_be_said() -> None:
    header = "permission:\n  webfetch: ask\n  bash:\n    '*': deny\n    git *: allow\n"
    assert agent(header, "opencode") == (
        "",
        [
            "warning: guard-lost: 4: 'permission' (webfetch: ask) restricts nothing there",
            "warning: guard-lost: 4: 'permission' (bash: {*: deny, git *: allow}) restricts nothing there",
        ],
    )


def test_a_denied_tool_that_nobody_knows_is_a_guard_lost() -> None:
    assert agent("tools:\n  docs_drop: false\n", "opencode") == (
        "",
        ["warning: guard-lost: 4: 'tools' (docs_drop) restricts nothing there"],
    )


@pytest.mark.parametrize("mode", ["primary", "all"])
def test_a_subagent_is_what_an_agent_is_here(mode: str) -> None:
    assert agent("mode: subagent\nsteps: 5\n", "opencode") == ("maxTurns: 5\n", [])
    assert agent(f"mode: {mode}\n", "opencode") == (
        f"mode: {mode}\n",
        ["warning: field-dropped: 4: 'mode' has no effect there"],
    )


# --- agents that only read, models


@pytest.mark.parametrize(
    ("by", "line"),
    [("cursor", "readonly: true"), ("cursor", "permissionMode: readonly"), ("grok", "permissionMode: plan"),
     ("grok", "capabilityMode: read-only")],
)  # fmt: skip
def test_an_agent_that_only_reads_is_denied_what_writes_or_runs(by: str, line: str) -> None:
    field = line.partition(":")[0]
    assert agent(f"{line}\n", by) == (
        "disallowedTools: Write, Edit, NotebookEdit, Bash, PowerShell, Monitor\n",
        [
            f"warning: field-dropped: 4: '{field}' has no effect there; "
            "tools that write or run are denied instead"
        ],
    )


def test_it_keeps_the_tools_of_its_list_that_only_read() -> None:
    assert agent("readonly: true\ntools: Read, Shell\n", "cursor")[0] == "tools: Read\n"
    assert agent("readonly: false\nis_background: true\n", "cursor") == ("background: true\n", [])


@pytest.mark.parametrize(
    ("model", "written"),
    [
        ("anthropic/claude-opus-4-5", "claude-opus-4-5"),
        ("claude-opus-4-5", "claude-opus-4-5"),
        ("haiku", "haiku"),
        ("inherit", "inherit"),
    ],
)
@pytest.mark.parametrize("kind", ["agent", "command"])
def test_a_model_of_anthropics_is_kept(kind: str, model: str, written: str) -> None:
    source = f"---\nname: sample\ndescription: d\nmodel: {model}\n---\nBody.\n"
    staged, lines = write("claude", artifact(kind, source, format="opencode"))
    assert f"\nmodel: {written}\n" in staged.popitem()[1].decode()
    assert lines == []


@pytest.mark.parametrize("model", ["fast", "openai/gpt-5", "claude-4.5-sonnet", "gemini-3-pro"])
def test_another_model_is_left_out(model: str) -> None:
    assert agent(f"model: {model}\n", "cursor") == (
        "",
        [f"warning: model-dropped: 4: model '{model}' is not known there; the session's model is used"],
    )


def test_a_background_agent_of_cursors_is_one_here() -> None:
    assert agent("is_background: true\n", "cursor") == ("background: true\n", [])
