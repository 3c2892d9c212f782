import pytest
from tackroom.packages.findings import render

from making import artifact, write
from tackroom import harnesses, naming

NOT_READ = "only 4096 bytes of a header are read"


def staged(kind: str, text: str | bytes, **more: object) -> tuple[str, list[str]]:
    """Return the one file that is made of an artifact, and the findings."""
    files, lines = write("grok", artifact(kind, text, name="lint", **more))  # type: ignore[arg-type]
    (content,) = files.values()
    return content.decode(), lines


def agent(header: str, **more: object) -> tuple[str, list[str]]:
    """Return what is left of an agent's fields behind name and description, and the findings."""
    text, lines = staged("agent", f"---\nname: lint\ndescription: d\n{header}---\nBody\n", **more)
    assert text.startswith("---\nname: lint\ndescription: d\n")
    assert text.endswith("---\nBody\n")
    return text.removeprefix("---\nname: lint\ndescription: d\n").removesuffix("---\nBody\n"), lines


# --- skills and commands


@pytest.mark.parametrize("kind", ["skill", "command"])
def test_claudes_format_is_copied(kind: str) -> None:
    header = "description: d\nargument-hint: '[file]'\nuser-invocable: false\neffort: high\n"
    text = f"---\n{header}---\nFix $ARGUMENTS.\r\n"
    assert staged(kind, text) == (text, [])


def test_supporting_files_come_along() -> None:
    made = artifact("skill", "---\ndescription: d\n---\n", name="lint", files={"run.sh": "true"})
    assert write("grok", made)[0]["skills/lint/run.sh"] == b"true"


def test_a_skill_among_them_is_said() -> None:
    made = artifact("skill", "---\ndescription: d\n---\n", name="lint", files={"one/SKILL.md": "x"})
    assert write("grok", made)[1] == [
        "warning: inner-skill: 'one/SKILL.md' is read as a skill of its own there; rename it if it is none"
    ]


def test_a_nested_command_is_flat() -> None:
    assert list(write("grok", artifact("command", "x", name="git/commit"))[0]) == ["commands/git-commit.md"]


@pytest.mark.parametrize("kind", ["skill", "command"])
def test_a_byte_order_mark_would_hide_the_header(kind: str) -> None:
    assert (
        staged(kind, b"\xef\xbb\xbf---\ndescription: d\n---\nBody\n")[0] == "---\ndescription: d\n---\nBody\n"
    )


def test_a_header_of_4096_bytes_is_copied() -> None:
    text = "---\ndescription: d\nnote: '" + "n" * (4096 - 32) + "'\n---\n"
    assert len(text) == 4096
    assert staged("skill", text) == (text, [])


def test_a_longer_header_loses_what_does_nothing_the_longest_first() -> None:
    header = (
        f"description: d\nlicense: {'l' * 1000}\nmetadata: {'m' * 4000}\nown: {'o' * 2000}\nmodel: inherit\n"
    )
    text, lines = staged("skill", f"---\n{header}---\n")
    assert text == f"---\ndescription: d\nlicense: {'l' * 1000}\nown: {'o' * 2000}\nmodel: inherit\n---\n"
    assert lines == [f"warning: field-dropped: 'metadata' has no effect there; {NOT_READ}"]


def test_then_it_loses_the_longest_of_the_others() -> None:
    text, lines = staged("skill", f"---\ndescription: d\nwhen_to_use: {'w' * 5000}\neffort: low\n---\n")
    assert text == "---\ndescription: d\neffort: low\n---\n"
    assert lines == [f"warning: field-dropped: 'when_to_use' has no effect there; {NOT_READ}"]


def test_a_long_description_is_copied_and_said() -> None:
    text = f"---\ndescription: {'d' * 1025}\n---\n"
    assert staged("skill", text) == (
        text,
        ["warning: field-cut: 2: 'description' has 1025 characters; only the first 1024 are read there"],
    )


def test_one_that_would_hide_the_header_is_cut() -> None:
    text, lines = staged("skill", f"---\ndescription: {'d' * 5000}\nown: 1\n---\n")
    assert text == f'---\ndescription: {"d" * 1024}\nown: "1"\n---\n'
    assert lines == [
        "warning: field-cut: 2: 'description' has 5000 characters; only the first 1024 are read there"
    ]


def test_words_for_true_that_grok_does_not_know_are_written_anew() -> None:
    text, lines = staged("skill", "---\ndescription: d\ndisable-model-invocation: yes\n---\n")
    assert text == "---\ndescription: d\ndisable-model-invocation: true\n---\n"
    assert lines == []


def test_a_hint_that_yaml_takes_for_a_list_is_written_as_text() -> None:
    text, lines = staged(
        "command", "---\ndescription: d\nargument-hint: [branch]\nallowed-tools: Read, Bash\n---\n"
    )
    assert text == '---\ndescription: d\nargument-hint: "[branch]"\nallowed-tools: Read, Bash\n---\n'
    assert lines == []


def test_a_list_for_a_description_is_written_as_text() -> None:
    assert staged("skill", "---\ndescription: [a, b]\n---\n")[0] == '---\ndescription: "[a, b]"\n---\n'


def test_what_only_claude_does_stays_and_is_said() -> None:
    text = "---\ndescription: d\ncontext: fork\ndisallowed-tools: Bash\n---\n"
    assert staged("skill", text) == (
        text,
        [
            "warning: field-dropped: 3: 'context' has no effect there",
            "warning: guard-lost: 4: 'disallowed-tools' (Bash) restricts nothing there",
        ],
    )


@pytest.mark.parametrize("kind", ["skill", "command", "agent"])
def test_a_model_that_is_not_groks_is_left_out(kind: str) -> None:
    text, lines = staged(kind, "---\nname: lint\ndescription: d\nmodel: sonnet\n---\n")
    assert text == "---\nname: lint\ndescription: d\n---\n"
    assert lines == [
        "warning: model-dropped: 4: model 'sonnet' is not known there; the session's model is used"
    ]


@pytest.mark.parametrize("model", ["inherit", "grok-4.6", "grok-code-fast-1"])
def test_a_model_of_groks_is_kept(model: str) -> None:
    assert agent(f"model: {model}\n") == (f"model: {model}\n", [])


def test_positions_count_from_zero() -> None:
    text, lines = staged("command", "---\ndescription: d\nargument-hint: a b\n---\nMove $1 to $2.\n")
    assert text.endswith("---\nMove $0 to $1.\n")
    assert lines == []


def test_commands_are_not_run() -> None:
    _, lines = staged("command", "---\ndescription: d\n---\nNow !`git status` it.\n")
    assert lines == [
        "warning: placeholder-kept: 4: '!`...`' is not replaced there; kept, with a note in the text"
    ]


# --- rules


def test_a_rule_becomes_a_skill_for_its_files() -> None:
    text = "---\ndescription: Go style.\nglobs: '*.{go,mod}'\n---\nUse tabs.\n"
    assert staged("rule", text, format="cursor") == (
        "---\nname: lint\ndescription: Go style.\npaths: ['*.{go,mod}']\n---\n".replace("'", '"')
        + "## When this applies\n\n- It applies to files that match `*.{go,mod}`.\n\nUse tabs.\n",
        ["warning: rule-as-skill: rule 'lint' (for *.{go,mod}) is staged as skill 'lint'"],
    )


def test_a_rule_that_is_asked_for_by_name_is_not_for_the_model() -> None:
    text, _ = staged("rule", "---\nalwaysApply: false\n---\nUse tabs.\n", format="cursor")
    assert text.startswith(
        "---\nname: lint\ndescription: Use tabs.\ndisable-model-invocation: true\n---\n## When this applies\n"
    )


# --- agents


def test_an_agent_in_claudes_format_is_copied() -> None:
    header = (
        "tools: Read, Edit, Bash, mcp__docs__search\nmodel: inherit\neffort: max\npermissionMode: plan\n"
        "maxTurns: 20\nbackground: true\nisolation: worktree\nmemory: project\ncolor: pink\nskills: [a, b]\n"
        "hooks:\n  Stop: []\nmcpServers: [docs]\nown: x\n"
    )
    assert agent(header) == (header, [])


def test_a_byte_order_mark_would_drop_an_agent() -> None:
    text = "---\nname: lint\ndescription: d\n---\n"
    assert staged("agent", b"\xef\xbb\xbf" + text.encode()) == (text, [])


def test_an_agent_needs_a_name_and_a_description() -> None:
    assert staged("agent", "Checks all files.\n")[0] == (
        "---\nname: lint\ndescription: Checks all files.\n---\nChecks all files.\n"
    )


def test_a_header_that_is_not_yaml_is_written_anew() -> None:
    text, _ = staged("agent", "---\nname: lint\ndescription: Use: this: that\n---\n")
    assert text == '---\nname: lint\ndescription: "Use: this: that"\n---\n'


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("skills: a, b\n", "skills: [a, b]\n"),
        ("skills: a\n", "skills: [a]\n"),
        ("maxTurns: '5'\n", "maxTurns: 5\n"),
        ("background: yes\n", "background: true\n"),
        ("background: 'true'\n", "background: true\n"),
        ("background: no\n", "background: false\n"),
        ("background:\n", "background: false\n"),
        ("mcpServers: docs\n", "mcpServers: [docs]\n"),
        ("mcpServers: [5]\n", 'mcpServers: ["5"]\n'),
        (
            "mcpServers:\n  one:\n    command: a\n  two:\n    command: b\n",
            "mcpServers: [{one: {command: a}}, {two: {command: b}}]\n",
        ),
        ("permissionMode:\n", ""),
        ("initialPrompt: [a]\n", 'initialPrompt: "[a]"\n'),
    ],
)
def test_a_value_of_another_form_would_drop_an_agent(header: str, written: str) -> None:
    assert agent(header) == (written, [])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("maxTurns", "0"),
        ("maxTurns", "010"),
        ("maxTurns", "-1"),
        ("maxTurns", "1.5"),
        ("maxTurns", "4294967296"),
        ("effort", "ultra"),
        ("effort", "High"),
        ("permissionMode", "Plan"),
        ("memory", "true"),
        ("isolation", "container"),
        ("background", "maybe"),
        ("hooks", "[a]"),
        ("mcpServers", "{docs: 5}"),
    ],
)
def test_a_value_that_does_not_exist_there_is_left_out(key: str, value: str) -> None:
    assert agent(f"{key}: {value}\n") == (
        "",
        [f"warning: value-dropped: 4: '{value}' is no '{key}' there; left out"],
    )


def test_readonly_is_a_capability() -> None:
    assert agent("readonly: true\n", format="cursor") == ("capabilityMode: read-only\n", [])
    assert agent("readonly: false\n", format="cursor") == ("", [])


# --- tools


def test_one_unknown_tool_would_allow_every_tool() -> None:
    assert agent("tools: Read, NotebookRead, Grep\n") == (
        "tools: Read, Grep\n",
        ["warning: tool-dropped: 4: tool 'NotebookRead' of 'tools' does not exist there; left out"],
    )


def test_so_would_a_limit() -> None:
    assert agent("tools: Read, Bash(git log *), Bash(git diff *)\n") == (
        "tools: Read, Bash\n",
        [
            "warning: guard-lost: 4: 'tools' (Bash(git log *)) restricts nothing there",
            "warning: guard-lost: 4: 'tools' (Bash(git diff *)) restricts nothing there",
        ],
    )


def test_so_would_blanks_between_the_words() -> None:
    assert agent("tools: Read Grep\n") == ("tools: Read, Grep\n", [])


def test_a_list_is_kept_as_it_is() -> None:
    assert agent("tools:\n  - Read\n  - Grep\n") == ("tools:\n  - Read\n  - Grep\n", [])


@pytest.mark.parametrize("tools", ["ExitPlanMode", "nonsense"])
def test_an_empty_list_would_allow_every_tool(tools: str) -> None:
    assert agent(f"tools: {tools}\n") == (
        "tools: TodoWrite\n",
        [
            f"warning: tool-dropped: 4: tool '{tools}' of 'tools' does not exist there; left out",
            "warning: tool-added: 4: tool 'TodoWrite' is added to 'tools'; an empty list allows all there",
        ],
    )


@pytest.mark.parametrize("tools", ["", "[]", "''", "null"])
def test_so_would_one_that_allows_no_tool_at_home(tools: str) -> None:
    assert agent(f"tools: {tools}\n") == (
        "tools: TodoWrite\n",
        ["warning: tool-added: 4: tool 'TodoWrite' is added to 'tools'; an empty list allows all there"],
    )


def test_a_list_of_all_tools_is_kept() -> None:
    assert agent("tools: '*'\n") == ("tools: '*'\n", [])
    assert agent("tools:\n", format="grok") == ("tools:\n", [])


@pytest.mark.parametrize("tool", ["Edit", "MultiEdit", "NotebookEdit"])
def test_an_agent_that_edits_does_not_start_unless_it_reads(tool: str) -> None:
    assert agent(f"tools: Write, {tool}\n") == (
        f"tools: Write, {tool}, Read\n",
        [f"warning: tool-added: 4: tool 'Read' is added to 'tools'; '{tool}' does not start without it"],
    )


def test_a_deny_list_knows_ids_alone() -> None:
    assert agent("disallowedTools: Bash, Write, Edit, NotebookEdit, ExitPlanMode\n") == (
        "disallowedTools: run_terminal_cmd, monitor, write, search_replace\n",
        [],
    )


def test_what_cannot_be_denied_is_a_guard_lost() -> None:
    assert agent("disallowedTools: [NotebookEdit, mcp__docs__drop, Grep]\n") == (
        "disallowedTools: grep\n",
        [
            "warning: guard-lost: 4: 'disallowedTools' (NotebookEdit) restricts nothing there",
            "warning: guard-lost: 4: 'disallowedTools' (mcp__docs__drop) restricts nothing there",
        ],
    )


def test_an_agent_that_may_not_read_may_not_edit_or_it_does_not_start() -> None:
    why = "it does not start without 'Read'"
    assert agent("disallowedTools: Read\n") == (
        "disallowedTools: read_file, search_replace\n",
        [f"warning: tool-added: 4: tool 'Edit' is added to 'disallowedTools'; {why}"],
    )


def test_what_is_denied_leaves_the_allow_list() -> None:
    assert agent("tools: Read, Bash\ndisallowedTools: Bash\n") == ("tools: Read\n", [])


def test_tools_of_another_format_are_translated() -> None:
    assert agent("tools: Shell, Read\n", format="cursor")[0] == "tools: Bash, Read\n"


def test_switches_and_permissions_of_opencode_become_one_list() -> None:
    header = "tools:\n  bash: false\npermission:\n  edit: deny\n  webfetch: ask\n"
    assert agent(header, format="opencode") == (
        "disallowedTools: run_terminal_cmd, monitor, write, search_replace\n",
        ["warning: guard-lost: 6: 'permission' (webfetch: ask) restricts nothing there"],
    )


def test_groks_own_lists_stay() -> None:
    header = "tools: read_file, run_terminal_cmd\ndisallowedTools: write\nmodel: my-model\n"
    assert agent(header, format="grok") == (header, [])


# --- names


def named(kind: str, name: str, text: str = "x") -> tuple[str, list[str]]:
    (found,) = naming.within([artifact(kind, text, name=name)], harnesses.get("grok").facts)
    return found.name, [render(line) for line in found.findings]


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Upper Name", "upper-name"),
        ("under_score", "under-score"),
        ("-a--b.c-", "a-b-c"),
        ("a - b", "a-b"),
        ("Café", "caf"),
        ("n" * 65, "n" * 55 + "-eb58c26f"),
    ],
)
@pytest.mark.parametrize("kind", ["skill", "command"])
def test_names_are_what_grok_makes_of_them(kind: str, name: str, slug: str) -> None:
    assert named(kind, name)[0] == slug


def test_a_name_of_which_nothing_would_be_left_is_a_number() -> None:
    assert named("skill", "技能") == (
        "00543a57",
        ["warning: name-changed: '技能' may not hold '技能' there; staged as '00543a57'"],
    )


def test_a_header_name_that_grok_would_change_gives_way_to_the_files() -> None:
    assert named("skill", "lint", "---\nname: Lint All\n---\n") == (
        "lint",
        ["warning: name-changed: 'Lint All' may not hold capitals there; staged as 'lint'"],
    )


@pytest.mark.parametrize("name", ["plan", "explore", "General-Purpose"])
def test_a_built_in_agent_would_stay(name: str) -> None:
    assert named("agent", name)[0] == f"{name}-2"


def test_a_command_is_not_named_like_a_built_in_one() -> None:
    line = "warning: name-taken: a 'docs' of Grok Build's own exists; staged as "
    assert named("command", "docs") == ("docs-command", [f"{line}'docs-command'"])


def test_a_skill_may_be_since_a_model_never_types_its_name() -> None:
    assert named("skill", "docs") == ("docs", [])


def test_a_skill_would_hide_a_command_of_its_name() -> None:
    made = [artifact("command", "x", name="review"), artifact("skill", "x", name="review")]
    found = naming.within(made, harnesses.get("grok").facts)
    assert [(each.kind, each.name) for each in found] == [
        ("skill", "review"),
        ("command", "review-command"),
    ]


def test_a_denied_tool_that_nobody_knows_is_a_guard_lost() -> None:
    assert agent("disallowedTools: MyTool\n") == (
        "",
        ["warning: guard-lost: 4: 'disallowedTools' (MyTool) restricts nothing there"],
    )
    assert agent('permission: {"gh_*": deny}\n', format="opencode") == (
        "",
        ["warning: guard-lost: 4: 'permission' (gh_*) restricts nothing there"],
    )


@pytest.mark.parametrize(
    ("patterns", "denied"),
    [
        ('{"rm -rf *": deny}', ""),
        ('{"*": allow, "rm -rf *": deny}', ""),
        ('{"git *": allow, "*": deny}', "disallowedTools: run_terminal_cmd, monitor\n"),
        ('{"*": deny, "git *": allow}', ""),
    ],
)
def test_of_patterns_the_last_that_matches_decides_whether_a_tool_is_left(patterns: str, denied: str) -> None:
    head, lines = agent(f"permission: {{bash: {patterns}}}\n", format="opencode")
    assert head == denied
    assert any("guard-lost" in each for each in lines)
