import tomllib

import pytest
from tackroom.packages.findings import render

from making import artifact, write
from tackroom import harnesses, naming

POLICY = b"policy:\n  allow_implicit_invocation: false\n"


def skill(text: str | bytes, **more: object) -> tuple[dict[str, bytes], list[str]]:
    return write("codex", artifact("skill", text, name="lint", **more))  # type: ignore[arg-type]


def agent(text: str | bytes, **more: object) -> tuple[str, list[str]]:
    staged, lines = write("codex", artifact("agent", text, name="judge", **more), becomes="agent")  # type: ignore[arg-type]
    return staged.get("agents/judge.toml", b"").decode(), lines


# --- skills


def test_a_skill_is_copied() -> None:
    text = "---\nname: lint\ndescription: Lints.\nlicense: MIT\n---\nBody\r\n"
    assert skill(text, files={"run.sh": "true"}) == (
        {"skills/lint/SKILL.md": text.encode(), "skills/lint/run.sh": b"true"},
        [],
    )


def test_a_skill_without_a_header_gets_one() -> None:
    staged, lines = skill("# Lints all files\n\nDo it.\n")
    assert staged["skills/lint/SKILL.md"] == (
        b"---\ndescription: Lints all files\n---\n# Lints all files\n\nDo it.\n"
    )
    assert lines == []


def test_a_byte_order_mark_is_left_out() -> None:
    text = "---\ndescription: Lints.\n---\nBody\n"
    assert skill(b"\xef\xbb\xbf" + text.encode())[0] == {"skills/lint/SKILL.md": text.encode()}


@pytest.mark.parametrize("refused", ["description: ''", "description: '  '", "description:"])
def test_a_blank_description_is_replaced(refused: str) -> None:
    staged, _ = skill(f"---\n{refused}\n---\nDo it.\n")
    assert staged["skills/lint/SKILL.md"] == b"---\ndescription: Do it.\n---\nDo it.\n"


def test_a_list_for_a_text_is_written_as_text() -> None:
    staged, _ = skill("---\nname: [lint]\ndescription: [a, b]\n---\n")
    assert staged["skills/lint/SKILL.md"] == b'---\nname: "[lint]"\ndescription: "[a, b]"\n---\n'


@pytest.mark.parametrize(
    ("metadata", "line"),
    [
        ("[a]", "warning: value-dropped: 3: '[a]' is no 'metadata' there; left out"),
        ("foo", "warning: value-dropped: 3: 'foo' is no 'metadata' there; left out"),
    ],
)
def test_metadata_that_is_no_map_is_left_out(metadata: str, line: str) -> None:
    staged, lines = skill(f"---\ndescription: d\nmetadata: {metadata}\n---\n")
    assert staged["skills/lint/SKILL.md"] == b"---\ndescription: d\n---\n"
    assert lines == [line]


def test_a_short_description_that_is_no_text_is_left_out() -> None:
    staged, lines = skill("---\ndescription: d\nmetadata:\n  short-description: [a]\n  tag: b\n---\n")
    assert staged["skills/lint/SKILL.md"] == b"---\ndescription: d\nmetadata:\n  tag: b\n---\n"
    assert lines == ["warning: value-dropped: 3: '[a]' is no 'metadata.short-description' there; left out"]


def test_other_metadata_stays() -> None:
    text = "---\ndescription: d\nmetadata:\n  short-description: s\n  tags: [a]\n---\n"
    assert skill(text) == ({"skills/lint/SKILL.md": text.encode()}, [])


def test_fields_without_effect_stay_in_the_file_and_are_said() -> None:
    text = "---\ndescription: d\nmodel: sonnet\nallowed-tools: Read\nuser-invocable: false\n---\n"
    staged, lines = skill(text)
    assert staged == {"skills/lint/SKILL.md": text.encode()}
    assert lines == [
        "warning: model-dropped: 3: model 'sonnet' is not known there; the session's model is used",
        "warning: field-dropped: 4: 'allowed-tools' has no effect there",
        "warning: field-dropped: 5: 'user-invocable' has no effect there",
    ]


def test_a_value_that_is_the_default_loses_nothing() -> None:
    text = "---\ndescription: d\nmodel: inherit\nuser-invocable: true\ndisable-model-invocation: no\n---\n"
    assert skill(text) == ({"skills/lint/SKILL.md": text.encode()}, [])


def test_a_skill_for_users_alone_says_so_in_a_file_of_its_own() -> None:
    text = "---\ndescription: d\ndisable-model-invocation: true\n---\n"
    assert skill(text) == (
        {"skills/lint/SKILL.md": text.encode(), "skills/lint/agents/openai.yaml": POLICY},
        [],
    )


def test_a_skill_with_such_a_file_of_its_own_keeps_it() -> None:
    text = "---\ndescription: d\ndisable-model-invocation: true\n---\n"
    own = "interface:\n  display_name: Lint\n"
    staged, lines = skill(text, files={"agents/openai.yaml": own})
    assert staged["skills/lint/agents/openai.yaml"] == own.encode()
    field = "'disable-model-invocation' (not in agents/openai.yaml)"
    assert lines == [f"warning: guard-lost: 3: {field} restricts nothing there"]


def test_a_file_of_its_own_that_says_it_loses_nothing() -> None:
    text = "---\ndescription: d\ndisable-model-invocation: true\n---\n"
    staged, lines = skill(text, files={"agents/openai.yaml": POLICY})
    assert (staged["skills/lint/agents/openai.yaml"], lines) == (POLICY, [])


def test_a_skill_among_the_supporting_files_is_said() -> None:
    _, lines = skill("---\ndescription: d\n---\n", files={"one/SKILL.md": "x"})
    assert lines == [
        "warning: inner-skill: 'one/SKILL.md' is read as a skill of its own there; rename it if it is none"
    ]


# --- what becomes a skill


def test_a_command_becomes_a_skill_under_its_files_name() -> None:
    made = artifact("command", "---\nname: Review it\ndescription: Reviews.\n---\nLook.\n", name="git/review")
    assert write("codex", made) == (
        {"skills/git-review/SKILL.md": b"---\nname: git-review\ndescription: Reviews.\n---\nLook.\n"},
        ["info: command-as-skill: command 'git-review' is staged as skill 'git-review'"],
    )


def test_a_command_for_users_alone_is_not_for_the_model() -> None:
    made = artifact("command", "---\ndescription: d\ndisable-model-invocation: true\n---\n", name="go")
    assert write("codex", made)[0]["skills/go/agents/openai.yaml"] == POLICY


def test_arguments_have_no_form_there_and_a_file_that_is_written_anew_says_nothing_idle() -> None:
    text = (
        "---\ndescription: d\ndisable-model-invocation: false\nuser-invocable: true\n---\nFix $ARGUMENTS.\n"
    )
    staged, lines = write("codex", artifact("command", text, name="fix"))
    assert staged["skills/fix/SKILL.md"].decode() == (
        "---\nname: fix\ndescription: d\n---\n"
        "> The arguments are the words that the user gave after the name of this command or skill.\n"
        "> `$ARGUMENTS` stands for all of them.\n\n"
        "Fix $ARGUMENTS.\n"
    )
    assert lines[1:] == [
        "warning: placeholder-kept: 6: '$ARGUMENTS' is not replaced there; kept, with a note in the text"
    ]


def test_what_becomes_a_skill_says_its_name_and_its_description() -> None:
    staged, _ = write("codex", artifact("command", "Look **here**.\n", name="look"))
    text = b"---\nname: look\ndescription: Look here.\n---\nLook **here**.\n"
    assert staged == {"skills/look/SKILL.md": text}


def test_a_rule_becomes_a_skill_that_says_its_scope() -> None:
    text = "---\ndescription: Go style.\nglobs: '*.go'\n---\nUse tabs.\n"
    assert write("codex", artifact("rule", text, name="go", format="cursor")) == (
        {
            "skills/go/SKILL.md": b"---\nname: go\ndescription: Go style.\n---\n## When this applies\n\n"
            b"- It applies to files that match `*.go`.\n\nUse tabs.\n"
        },
        ["warning: rule-as-skill: rule 'go' (for *.go) is staged as skill 'go'"],
    )


def test_a_rule_that_is_asked_for_by_name_is_not_for_the_model() -> None:
    made = artifact("rule", "---\nalwaysApply: false\n---\nUse tabs.\n", name="go", format="cursor")
    assert write("codex", made)[0]["skills/go/agents/openai.yaml"] == POLICY


def test_an_agent_becomes_a_skill_too() -> None:
    text = "---\nname: Judge Dee\ndescription: Judges.\nmodel: opus\n---\nJudge.\n"
    assert write("codex", artifact("agent", text, name="judge"), becomes="skill") == (
        {"skills/judge/SKILL.md": b"---\nname: judge\ndescription: Judges.\n---\nJudge.\n"},
        ["info: agent-as-skill: agent 'judge' is staged as skill 'judge' too"],
    )


# --- agents


def test_an_agent_is_named_for_its_file() -> None:
    assert agent("---\nname: Judge Dee\ndescription: Judges.\n---\nJudge.\n\nFairly.\n") == (
        'name = "judge"\ndescription = "Judges."\ndeveloper_instructions = """\nJudge.\n\nFairly.\n"""\n',
        [],
    )


def test_a_body_with_carriage_returns_stands_on_one_line() -> None:
    text, _ = agent(b"---\ndescription: d\n---\nOne\r\nTwo")
    assert text.splitlines()[2] == 'developer_instructions = "One\\r\\nTwo"'


def test_a_body_of_any_kind_reads_back_as_it_is() -> None:
    body = '"""quoted""" \\ and \\u0041 \\\n\ttab\u2028 \x85 \x7f\n\n"'
    assert tomllib.loads(agent(f"---\ndescription: d\n---\n{body}")[0])["developer_instructions"] == body


def test_a_blank_body_says_the_description() -> None:
    text, lines = agent("---\ndescription: Judges.\n---\n \n")
    assert text == 'name = "judge"\ndescription = "Judges."\ndeveloper_instructions = "Judges."\n'
    assert lines == []


def test_an_empty_file_still_makes_an_agent() -> None:
    assert (
        agent("")[0]
        == 'name = "judge"\ndescription = "agent judge"\ndeveloper_instructions = "agent judge"\n'
    )


def test_a_body_that_is_no_text_is_left_out_of_toml_alone() -> None:
    made = artifact("agent", b"---\ndescription: d\n---\n\xff\n", name="judge")
    staged, lines = write("codex", made)
    assert list(staged) == ["skills/judge/SKILL.md"]
    assert lines[0].startswith("warning: body-not-text: is not UTF-8 text;")


def test_a_level_of_effort_is_kept() -> None:
    text, lines = agent("---\ndescription: d\neffort: max\n---\nx")
    assert 'model_reasoning_effort = "max"\n' in text
    assert lines == []


def test_an_effort_that_is_no_level_is_left_out() -> None:
    text, lines = agent("---\ndescription: d\neffort: extreme\n---\nx")
    assert "effort" not in text
    assert lines == ["warning: value-dropped: 3: 'extreme' is no 'effort' there; left out"]


@pytest.mark.parametrize("model", ["gpt-6.2-sol", "gpt-5.5", "codex-mini-latest", "o3", "o4-mini"])
def test_a_model_of_codex_is_kept(model: str) -> None:
    text, lines = agent(f"---\ndescription: d\nmodel: {model}\n---\nx")
    assert f'model = "{model}"\n' in text
    assert lines == []


@pytest.mark.parametrize("model", ["sonnet", "opus", "openai/gpt-5.5", "GPT-5 (copilot)", "openrouter"])
def test_another_model_is_left_out(model: str) -> None:
    text, lines = agent(f"---\ndescription: d\nmodel: {model}\n---\nx")
    assert "model" not in text
    assert lines == [
        f"warning: model-dropped: 3: model '{model}' is not known there; the session's model is used"
    ]


def test_inherit_is_what_an_agent_without_a_model_does() -> None:
    text, lines = agent("---\ndescription: d\nmodel: inherit\n---\nx")
    assert "model" not in text
    assert lines == []


@pytest.mark.parametrize(
    ("header", "line"),
    [
        (
            "tools: Read, Grep, WebFetch, mcp__docs__search",
            "guard-lost: 3: 'tools' (Read, Grep, WebFetch, mcp__docs__search) restricts nothing there",
        ),
        ("tools: [ExitPlanMode]", "guard-lost: 3: 'tools' ([ExitPlanMode]) restricts nothing there"),
        ("tools: []", "guard-lost: 3: 'tools' ([]) restricts nothing there"),
        ("tools: ''", "guard-lost: 3: 'tools' (none) restricts nothing there"),
        ("tools:", "guard-lost: 3: 'tools' (none) restricts nothing there"),
        ("tools: ~", "guard-lost: 3: 'tools' (~) restricts nothing there"),
        (
            "disallowedTools: Write, Edit, Bash",
            "guard-lost: 3: 'disallowedTools' (Write, Edit, Bash) restricts nothing there",
        ),
        ("permissionMode: plan", "guard-lost: 3: 'permissionMode' (plan) restricts nothing there"),
    ],
)
def test_an_agent_that_only_reads_asks_for_that_sandbox_but_the_sessions_own_counts(
    header: str, line: str
) -> None:
    text, lines = agent(f"---\ndescription: d\n{header}\n---\nx")
    assert 'sandbox_mode = "read-only"\n' in text
    assert lines == [f"warning: {line}"]


def test_what_is_denied_leaves_the_allow_list() -> None:
    assert (
        "sandbox_mode" in agent("---\ndescription: d\ntools: [Read, Bash]\ndisallowedTools: Bash\n---\nx")[0]
    )


def test_so_does_one_of_cursors_that_is_readonly() -> None:
    text, lines = agent("---\ndescription: d\nreadonly: true\n---\nx", format="cursor")
    assert 'sandbox_mode = "read-only"\n' in text
    assert lines == ["warning: guard-lost: 3: 'readonly' (true) restricts nothing there"]
    assert agent("---\ndescription: d\nreadonly: false\n---\nx", format="cursor")[1] == []


@pytest.mark.parametrize("tools", ["Read, Bash(git log *)", "Read, Write", "NotebookEdit", "PowerShell"])
def test_another_list_of_tools_is_lost(tools: str) -> None:
    text, lines = agent(f"---\ndescription: d\ntools: {tools}\n---\nx")
    assert "sandbox_mode" not in text
    assert lines == [f"warning: guard-lost: 3: 'tools' ({tools}) restricts nothing there"]


@pytest.mark.parametrize("header", ["tools: '*'", "disallowedTools:", "disallowedTools: []"])
def test_a_list_that_limits_nothing_loses_nothing(header: str) -> None:
    text, lines = agent(f"---\ndescription: d\n{header}\n---\nx")
    assert "sandbox_mode" not in text
    assert lines == []


def test_an_agent_of_opencodes_is_a_subagent_and_its_permissions_are_lost() -> None:
    header = "mode: subagent\npermission:\n  edit: deny\n  bash: deny\n"
    text, lines = agent(f"---\ndescription: d\n{header}---\nx", format="opencode")
    assert 'sandbox_mode = "read-only"\n' in text
    assert lines == [
        "warning: guard-lost: 4: 'permission' ({edit: deny, bash: deny}) restricts nothing there"
    ]
    assert agent("---\ndescription: d\npermission: allow\n---\nx", format="opencode")[1] == []
    assert agent("---\ndescription: d\nmode: primary\n---\nx", format="opencode")[1] == [
        "warning: field-dropped: 3: 'mode' has no effect there"
    ]


def test_guards_are_lost() -> None:
    header = "disallowedTools: Write, Edit\npermissionMode: acceptEdits\nhooks:\n  Stop: []\n"
    assert agent(f"---\ndescription: d\n{header}---\nx")[1] == [
        "warning: guard-lost: 3: 'disallowedTools' (Write, Edit) restricts nothing there",
        "warning: guard-lost: 4: 'permissionMode' (acceptEdits) restricts nothing there",
        "warning: guard-lost: 5: 'hooks' ({Stop: []}) restricts nothing there",
    ]


def test_what_would_refuse_the_file_is_left_out_and_said() -> None:
    text, lines = agent("---\ndescription: d\ncolor: blue\nmaxTurns: 5\nskills: a\nown-key: 1\n---\nx")
    assert set(tomllib.loads(text)) == {"name", "description", "developer_instructions"}
    assert lines == [
        f"warning: field-dropped: {line}: '{key}' has no effect there"
        for line, key in ((3, "color"), (4, "maxTurns"), (5, "skills"), (6, "own-key"))
    ]


# --- names


def named(kind: str, name: str, text: str = "x") -> list[tuple[str, str, list[str]]]:
    found = naming.within([artifact(kind, text, name=name)], harnesses.get("codex").facts)
    return [(each.slot.becomes, each.name, [render(line) for line in each.findings]) for each in found]


@pytest.mark.parametrize("name", ["default", "Worker", "explorer"])
def test_a_built_in_role_is_not_replaced(name: str) -> None:
    assert [each[1] for each in named("agent", name)] == [f"{name}-2", name]


def test_a_system_skill_keeps_its_name() -> None:
    line = "warning: name-taken: a 'skill-creator' of Codex's own exists; staged as "
    name = "skill-creator-command"
    assert named("command", "skill-creator") == [("skill", name, [f"{line}'{name}'"])]


def test_a_skill_is_known_by_its_headers_name_which_has_at_most_64_characters() -> None:
    long = "n" * 65
    assert named("skill", "lint", f"---\nname: {long}\n---\n") == [
        (
            "skill",
            "lint",
            [f"warning: name-changed: '{long}' is longer than 64 characters; staged as 'lint'"],
        )
    ]


def test_a_folder_that_is_not_searched_gets_another_name() -> None:
    assert [each[1] for each in named("skill", ".hidden")] == ["hidden"]
