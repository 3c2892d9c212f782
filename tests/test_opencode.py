"""What OpenCode gets. Each measured refusal of the client is a test here."""

import pytest

from making import artifact, write

REFUSING = [
    "mode: foo",
    "color: gold",
    "color: '#FFF'",
    "temperature: warm",
    "steps: 0",
    "steps: 1.5",
    "hidden: maybe",
    "options: foo",
]


def agent(header: str, body: str = "You review.\n", **more: object) -> tuple[str, list[str]]:
    staged, lines = write("opencode", artifact("agent", f"---\n{header}\n---\n{body}", **more))
    return staged.popitem()[1].decode(), lines


def command(header: str, body: str = "Review.\n", **more: object) -> tuple[str, list[str]]:
    staged, lines = write("opencode", artifact("command", f"---\n{header}\n---\n{body}", **more))
    return staged.popitem()[1].decode(), lines


# --- agents: names and fields


def test_an_agent_of_another_harness_becomes_a_subagent_under_its_path() -> None:
    raw = "---\nname: rev\ndescription: Reviews.\n---\nYou review.\n"
    staged, lines = write("opencode", artifact("agent", raw, name="team/rev"))
    assert staged == {"agents/team/rev.md": b"---\ndescription: Reviews.\nmode: subagent\n---\nYou review.\n"}
    assert lines == []


def test_a_name_that_stands_in_the_header_alone_is_a_finding_because_the_path_is_the_id() -> None:
    assert agent("name: Code Reviewer\ndescription: Reviews.") == (
        "---\ndescription: Reviews.\nmode: subagent\n---\nYou review.\n",
        ["warning: name-changed: 2: 'Code Reviewer' stands in the header alone; staged as 'sample'"],
    )


def test_an_agent_without_a_header_gets_what_it_needs() -> None:
    staged, _ = write("opencode", artifact("agent", "# You review.\n"))
    assert (
        staged["agents/sample.md"] == b"---\ndescription: You review.\nmode: subagent\n---\n# You review.\n"
    )


def test_its_own_agent_is_copied_with_its_name() -> None:
    raw = b"---\r\nname: Rev\r\nsteps: 3\r\ntools:\r\n  write: false\r\npermission: ask\r\n---\r\nx"
    assert write("opencode", artifact("agent", raw, format="opencode")) == ({"agents/sample.md": raw}, [])


def test_its_own_agent_loses_the_name_where_it_is_staged_under_another() -> None:
    made = artifact("agent", "---\nname: Rev\nmode: primary\n---\nx", format="opencode")
    staged, _ = write("opencode", made, name="sample-kit", renamed=True)
    assert staged == {"agents/sample-kit.md": b"---\nmode: primary\n---\nx"}


def test_a_field_that_the_provider_would_be_sent_is_left_out_and_said() -> None:
    text, lines = agent("description: Reviews.\nlicense: MIT\nskills: [lint]\npermissionMode: auto")
    assert text == "---\ndescription: Reviews.\nmode: subagent\n---\nYou review.\n"
    assert lines == [
        "warning: field-dropped: 3: 'license' has no effect there",
        "warning: field-dropped: 4: 'skills' has no effect there",
        "warning: guard-lost: 5: 'permissionMode' (auto) restricts nothing there",
    ]


@pytest.mark.parametrize("line", REFUSING)
def test_a_value_that_would_stop_the_client_is_left_out(line: str) -> None:
    name, value = line.replace("'", "").split(": ")
    text, lines = agent(f"description: Reviews.\n{line}", format="opencode")
    assert text == "---\ndescription: Reviews.\n---\nYou review.\n"
    assert lines == [f"warning: value-dropped: 3: '{value}' is no '{name}' there; left out"]


@pytest.mark.parametrize(
    "permission",
    ["foo", "\n  bash: foo", "\n  bash: [a]", '\n  todowrite:\n    "*": allow', "\n  bash:\n    x: 1"],
)
def test_permissions_that_would_stop_the_client_are_left_out(permission: str) -> None:
    text, lines = agent(f"description: Reviews.\npermission: {permission}", format="opencode")
    assert text == "---\ndescription: Reviews.\n---\nYou review.\n"
    assert lines[0].startswith("warning: value-dropped: 3: ")


def test_switches_that_are_no_booleans_are_left_out() -> None:
    text, lines = agent("description: Reviews.\ntools:\n  bash: ask", format="opencode")
    assert text == "---\ndescription: Reviews.\n---\nYou review.\n"
    assert lines == ["warning: value-dropped: 3: '{bash: ask}' is no 'tools' there; left out"]


@pytest.mark.parametrize("text", ["5", "true", "1.0", "2026-01-02", "12:30", "null", "0x1f"])
def test_text_that_yaml_takes_for_something_else_is_quoted(text: str) -> None:
    assert agent(f"description: {text}")[0].splitlines()[1] == f'description: "{text}"'
    assert command(f"description: {text}")[0].splitlines()[1] == f'description: "{text}"'
    staged, _ = write("opencode", artifact("skill", f"---\nname: sample\ndescription: {text}\n---\nx"))
    assert staged["skills/sample/SKILL.md"] == f'---\nname: sample\ndescription: "{text}"\n---\nx'.encode()


def test_a_key_without_a_value_says_nothing() -> None:
    assert agent("description: Reviews.\nvariant:\nmodel:\ncolor:", format="opencode") == (
        "---\ndescription: Reviews.\n---\nYou review.\n",
        [],
    )


def test_what_the_client_reads_as_it_is_stays_in_a_file_of_another_format() -> None:
    text, lines = agent(
        "description: Reviews.\nmode: primary\nsteps: 3\ntemperature: 0.5\ntools:\n  bash: false"
    )
    assert text == (
        "---\ndescription: Reviews.\nmode: primary\nsteps: 3\ntemperature: 0.5\n"
        "tools:\n  bash: false\n---\nYou review.\n"
    )
    assert lines == []


# --- agents: colour, model, turns


@pytest.mark.parametrize(
    ("line", "staged"),
    [
        ("color: blue", 'color: "#2563eb"'),
        ('color: "#4CAF50"', 'color: "#4CAF50"'),
        ("color: accent", "color: accent"),
        ("model: anthropic/claude-sonnet-4", "model: anthropic/claude-sonnet-4"),
        ("maxTurns: 20", "steps: 20"),
    ],
)
def test_colours_models_and_turns_are_said_in_its_words(line: str, staged: str) -> None:
    text, lines = agent(f"description: Reviews.\n{line}")
    assert text.splitlines()[3] == staged
    assert lines == []


def test_an_alias_of_a_model_is_left_out_and_inherit_needs_no_word() -> None:
    assert agent("description: Reviews.\nmodel: sonnet")[1] == [
        "warning: model-dropped: 3: model 'sonnet' is not known there; the session's model is used"
    ]
    assert agent("description: Reviews.\nmodel: inherit") == (
        "---\ndescription: Reviews.\nmode: subagent\n---\nYou review.\n",
        [],
    )


# --- agents: tools


def test_an_allow_list_denies_everything_first_in_both_maps() -> None:
    text, lines = agent("description: Reviews.\ntools: Read, Edit, Write, AskUserQuestion")
    assert (
        text
        == """---
description: Reviews.
mode: subagent
tools:
  "*": false
  read: true
  write: true
  edit: true
  bash: false
  grep: false
  glob: false
  list: false
  webfetch: false
  websearch: false
  task: false
  todowrite: false
  skill: false
  question: true
permission:
  "*": deny
  read: allow
  edit: allow
  question: allow
---
You review.
"""
    )
    assert lines == []


def permission(tools: str) -> tuple[list[str], list[str]]:
    text, lines = agent(f"description: Reviews.\ntools: {tools}")
    return text.partition("permission:\n")[2].partition("---")[0].splitlines(), lines


def test_commands_and_agents_in_brackets_become_patterns() -> None:
    assert permission("Bash(git *), Bash(npm:*), Agent(scout, scribe)") == (
        [
            '  "*": deny',
            "  bash:",
            '    "*": deny',
            "    git *: allow",
            "    npm *: allow",
            "  task:",
            '    "*": deny',
            "    scout: allow",
            "    scribe: allow",
        ],
        [],
    )


def test_a_tool_that_is_allowed_as_a_whole_needs_no_pattern() -> None:
    assert (
        permission("Bash(git *), Bash")[0]
        == permission("Bash, Bash(git *)")[0]
        == ['  "*": deny', "  bash: allow"]
    )


def test_a_limit_that_cannot_be_said_is_a_guard_lost() -> None:
    assert permission("WebFetch(domain:example.com)") == (
        ['  "*": deny', "  webfetch: allow"],
        ["warning: guard-lost: 3: 'tools' (WebFetch(domain:example.com)) restricts nothing there"],
    )


def test_an_mcp_tool_is_allowed_by_name_in_permission_alone() -> None:
    assert permission("mcp__docs__find, mcp__my.srv, mcp__a__*") == (
        ['  "*": deny', "  docs_find: allow", "  my_srv_*: allow", "  a_*: allow"],
        [
            f"warning: tool-dropped: 3: tool '{tool}' of 'tools' does not exist there; "
            "allowed by name in 'permission'"
            for tool in ("mcp__docs__find", "mcp__my.srv", "mcp__a__*")
        ],
    )


@pytest.mark.parametrize("tool", ["NotebookEdit", "Teleport", "mcp__*"])
def test_a_tool_without_a_counterpart_is_left_out(tool: str) -> None:
    assert permission(tool) == (
        ['  "*": deny'],
        [f"warning: tool-dropped: 3: tool '{tool}' of 'tools' does not exist there; left out"],
    )


def test_write_without_edit_is_a_finding() -> None:
    assert permission("Write") == (
        ['  "*": deny', "  edit: allow"],
        ["warning: tool-joined: 3: tool 'Write' of 'tools' and 'Edit' are one there; both are allowed"],
    )


def test_denied_tools_are_switched_off() -> None:
    text, lines = agent("description: Reviews.\ndisallowedTools: Write, Bash(rm *), mcp__docs__drop")
    assert (
        text
        == """---
description: Reviews.
mode: subagent
tools:
  write: false
  edit: false
  bash: false
permission:
  docs_drop: deny
---
You review.
"""
    )
    assert [line.partition(" of 'disallowedTools' ")[::2] for line in lines] == [
        (
            "warning: tool-dropped: 3: tool 'mcp__docs__drop'",
            "does not exist there; denied by name in 'permission'",
        ),
        ("warning: tool-joined: 3: tool 'Write'", "and 'Edit' are one there; both are denied"),
    ]


def test_what_is_denied_is_taken_off_the_allow_list() -> None:
    text, _ = agent(
        "description: Reviews.\ntools: Read, Bash, mcp__docs\ndisallowedTools: Bash, mcp__docs__drop"
    )
    assert text.endswith(
        'permission:\n  "*": deny\n  read: allow\n  docs_*: allow\n  docs_drop: deny\n---\nYou review.\n'
    )


def test_every_tool_needs_no_list_and_an_empty_list_allows_none() -> None:
    assert "tools" not in agent('description: Reviews.\ntools: "*"')[0]
    for nothing in ("[]", "''", "", "null"):
        assert permission(nothing)[0] == ['  "*": deny']


@pytest.mark.parametrize(("line", "by"), [("readonly: true", "cursor"), ("permissionMode: plan", "claude")])
def test_an_agent_that_only_reads_has_no_tool_that_writes_or_runs(line: str, by: str) -> None:
    text, lines = agent(f"description: Reviews.\n{line}", format=by)
    assert text == (
        "---\ndescription: Reviews.\nmode: subagent\ntools:\n  write: false\n  edit: false\n  bash: false\n"
        "---\nYou review.\n"
    )
    field = line.partition(":")[0]
    assert lines == [
        f"warning: field-dropped: 3: '{field}' has no effect there; "
        "tools that write or run are denied instead"
    ]


def test_the_authors_own_permissions_keep_the_last_word() -> None:
    text, _ = agent("description: Reviews.\ntools: [Read]\npermission:\n  bash: ask")
    assert text.count("permission:") == 1
    assert text.endswith("permission:\n  bash: ask\n---\nYou review.\n")


# --- commands


def test_a_command_is_copied_where_nothing_has_to_change() -> None:
    raw = b"---\ndescription: Reviews.\nargument-hint: <file>\n---\nReview $ARGUMENTS.\r\n"
    staged, lines = write("opencode", artifact("command", raw, name="git/review"))
    assert staged == {"commands/git/review.md": raw}
    assert lines == ["warning: field-dropped: 3: 'argument-hint' has no effect there"]


def test_positions_count_from_one_and_commands_and_files_are_written_alike() -> None:
    assert command("description: Reviews.", "$0 $1 !`git status` @a.md $ARGUMENTS\n") == (
        "---\ndescription: Reviews.\n---\n$1 $2 !`git status` @a.md $ARGUMENTS\n",
        [],
    )


def test_a_name_in_a_commands_header_is_taken_out_because_it_would_win_over_the_path() -> None:
    assert command("name: other\ndescription: Reviews.") == ("---\ndescription: Reviews.\n---\nReview.\n", [])


def test_a_forked_command_is_a_subtask_of_the_agent_that_does_the_same() -> None:
    assert command("description: Reviews.\ncontext: fork\nagent: Explore\nmodel: anthropic/claude") == (
        "---\ndescription: Reviews.\nsubtask: true\nagent: explore\nmodel: anthropic/claude\n---\nReview.\n",
        [],
    )


def test_the_agent_of_a_command_that_is_not_forked_means_nothing_at_home() -> None:
    assert command("description: Reviews.\nagent: Explore") == (
        "---\ndescription: Reviews.\n---\nReview.\n",
        ["warning: field-dropped: 3: 'agent' has no effect there; the command is not forked"],
    )


def test_its_own_command_keeps_agent_and_subtask() -> None:
    raw = b"---\nagent: build\nsubtask: true\nmodel: a/b\n---\nx"
    assert write("opencode", artifact("command", raw, format="opencode")) == ({"commands/sample.md": raw}, [])


def test_a_boolean_that_would_stop_the_client_is_written_anew() -> None:
    assert command('agent: build\nsubtask: "true"', format="opencode")[1] == [
        "warning: value-dropped: 3: 'true' is no 'subtask' there; left out"
    ]
    assert command("subtask:", format="opencode")[0] == "---\nsubtask: false\n---\nReview.\n"


def test_that_no_model_may_call_a_command_is_so_anyway() -> None:
    raw = "---\ndescription: Reviews.\ndisable-model-invocation: true\n---\nReview.\n"
    assert write("opencode", artifact("command", raw)) == ({"commands/sample.md": raw.encode()}, [])


def test_a_header_that_the_client_would_not_read_is_written_anew() -> None:
    assert command("description: [a] [b]")[0] == '---\ndescription: "[a] [b]"\n---\nReview.\n'
    staged, _ = write("opencode", artifact("command", "---\rdescription: Reviews.\r---\rReview.\r"))
    assert staged["commands/sample.md"] == b"---\ndescription: Reviews.\n---\nReview.\r"


# --- skills and rules


def test_a_skill_is_copied_with_its_files() -> None:
    raw = b"\xef\xbb\xbf---\nname: other\ndescription: Lints.\nallowed-tools: Read\n---\nLint.\n"
    staged, lines = write("opencode", artifact("skill", raw, name="lint", files={"run.sh": "x"}))
    assert staged == {"skills/lint/SKILL.md": raw, "skills/lint/run.sh": b"x"}
    assert lines == ["warning: field-dropped: 4: 'allowed-tools' has no effect there"]


def test_a_skill_among_a_skills_files_is_a_document_as_it_is_at_home() -> None:
    raw = "---\nname: lint\ndescription: d\n---\nx"
    files = {"eg/SKILL.md": raw, "plain/SKILL.md": "x", "eg/NOTSKILL.md": raw}
    staged, lines = write("opencode", artifact("skill", raw, name="lint", files=files))
    assert staged == {
        "skills/lint/SKILL.md": raw.encode(),
        "skills/lint/eg/SKILL.md": b"\n" + raw.encode(),
        "skills/lint/plain/SKILL.md": b"x",
        "skills/lint/eg/NOTSKILL.md": raw.encode(),
    }
    assert lines == []


def test_a_skill_without_name_or_description_would_be_dropped_or_hidden() -> None:
    staged, _ = write("opencode", artifact("skill", "# Lint all *files*\n", name="lint"))
    assert (
        staged["skills/lint/SKILL.md"]
        == b"---\nname: lint\ndescription: Lint all files\n---\n# Lint all *files*\n"
    )


def test_a_skill_with_a_broken_field_is_repaired() -> None:
    raw = "---\nname: lint\ndescription: Lints.\nargument-hint: [a] [b]\n---\nx"
    staged, _ = write("opencode", artifact("skill", raw, name="lint"))
    assert staged["skills/lint/SKILL.md"] == (b"---\nname: lint\ndescription: Lints.\n---\nx")


def test_a_rule_becomes_a_skill_that_says_its_scope() -> None:
    staged, lines = write("opencode", artifact("rule", "---\npaths: src/**\n---\nBe nice.\n", name="style"))
    assert staged["skills/style/SKILL.md"] == (
        b"---\nname: style\ndescription: Be nice.\n---\n## When this applies\n\n"
        b"- It applies to files that match `src/**`.\n\nBe nice.\n"
    )
    assert lines == ["warning: rule-as-skill: rule 'style' (for src/**) is staged as skill 'style'"]
