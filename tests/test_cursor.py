"""What Cursor gets: a source, the bytes that are staged, and what is said of the losses."""

from __future__ import annotations

import pytest

from making import artifact, write
from tackroom import harnesses

FACTS = harnesses.get("cursor").facts


def staged(kind: str, source: str | bytes, by: str = "claude", **more) -> tuple[str, list[str]]:
    """Return the text of the one file that is made of an artifact, and the findings."""
    files, lines = write("cursor", artifact(kind, source, format=by), **more)
    (content,) = files.values()
    return content.decode(), lines


# --- commands: plain Markdown


def test_a_command_loses_its_header_and_each_field_is_said():
    source = "---\nname: go\ndescription: Run it.\nargument-hint: '[x]'\nmodel: opus\n---\nRun the tests.\n"
    assert write("cursor", artifact("command", source, name="git/commit")) == (
        {"commands/git-commit.md": b"Run the tests.\n"},
        [
            "warning: field-dropped: 4: 'argument-hint' has no effect there",
            "warning: model-dropped: 5: model 'opus' is not known there; the session's model is used",
            "warning: field-dropped: 2: 'name' has no effect there",
            "warning: field-dropped: 3: 'description' has no effect there",
        ],
    )


def test_that_no_model_may_call_a_command_is_so_anyway():
    source = "---\ndescription: D\ndisable-model-invocation: true\n---\nRun.\n"
    assert staged("command", source) == (
        "Run.\n",
        ["warning: field-dropped: 2: 'description' has no effect there"],
    )


def test_cursors_own_command_keeps_its_header():
    source = "---\ndescription: Run it.\nargument-hint: [file]\n---\nRun $ARGUMENTS.\n"
    assert staged("command", source, "cursor") == (source, [])


def test_cursors_own_command_loses_a_header_that_would_cost_the_file():
    source = "---\ndescription: Run it.\nargument-hint: [a] [b]\n---\nRun.\n"
    assert staged("command", source, "cursor") == (
        "Run.\n",
        [
            "warning: field-dropped: 3: 'argument-hint' has no effect there",
            "warning: field-dropped: 2: 'description' has no effect there",
        ],
    )


def test_a_body_that_starts_with_a_rule_is_not_taken_for_a_header():
    assert staged("command", "---\nmodel: inherit\n---\n---\nRun.\n")[0] == "\n---\nRun.\n"
    assert staged("command", "---\n\nRun.\n")[0] == "\n---\n\nRun.\n"


def test_a_placeholder_stays_and_a_note_explains_it():
    text, lines = staged("command", "Fix $ARGUMENTS.\n")
    assert text.endswith("\n\nFix $ARGUMENTS.\n")
    assert text.startswith("> ")
    assert "`$ARGUMENTS`" in text
    assert lines == [
        "warning: placeholder-kept: 1: '$ARGUMENTS' is not replaced there; kept, with a note in the text"
    ]


# --- skills


def test_a_skill_is_copied_with_its_files():
    source = b"\xef\xbb\xbf---\r\nname: lint\r\ndescription: Lint it.\r\nlicense: MIT\r\n---\r\nBody"
    made = artifact("skill", source, name="lint", files={"bin/run.sh": "#!/bin/sh\n"})
    assert write("cursor", made) == (
        {"skills/lint/SKILL.md": source, "skills/lint/bin/run.sh": b"#!/bin/sh\n"},
        [],
    )


def test_a_plugins_skill_is_scoped_by_globs():
    text, lines = staged("skill", "---\nname: sample\ndescription: D\npaths: src/**, '*.py'\n---\n")
    assert text == "---\nname: sample\ndescription: D\nglobs: src/**,*.py\n---\n"
    assert lines == []


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("description: 5", 'description: "5"'),
        ("description: 12:30", 'description: "12:30"'),
        ("description: 2026-01-02", 'description: "2026-01-02"'),
        ("description: true", 'description: "true"'),
        ("description: [a, b]", 'description: "[a, b]"'),
        ("description: Use: this", 'description: "Use: this"'),
        ("disable-model-invocation: yes", "description: Body.\ndisable-model-invocation: true"),
        ('disable-model-invocation: "true"', "description: Body.\ndisable-model-invocation: true"),
        ("", "description: Body."),
    ],
)
def test_a_header_that_cursor_would_misread_is_written_so_that_it_does_not(header: str, written: str):
    text, _ = staged("skill", f"---\nname: sample\n{header}\n---\nBody.\n")
    assert text == f"---\nname: sample\n{written}\n---\nBody.\n"


def test_line_ends_of_cr_alone_would_cost_the_file():
    text, _ = staged("skill", "---\rname: sample\rdescription: D\r---\rBody.\r")
    assert text == "---\nname: sample\ndescription: D\n---\nBody.\r"


def test_what_a_skill_cannot_say_stays_in_its_header_and_is_told():
    source = "---\nname: sample\ndescription: D\nallowed-tools: Read\ndisallowed-tools: Bash\n---\n"
    assert staged("skill", source) == (
        source,
        [
            "warning: field-dropped: 4: 'allowed-tools' has no effect there",
            "warning: guard-lost: 5: 'disallowed-tools' (Bash) restricts nothing there",
        ],
    )


def test_a_description_is_read_up_to_1536_characters():
    _, lines = staged("skill", f"---\nname: sample\ndescription: {'d' * 1537}\n---\n")
    assert len(lines) == 1
    assert lines[0].startswith("warning: field-cut: 3: 'description' has 1537 ")


@pytest.mark.parametrize("name", ["中文", "_", "日 本"])
def test_a_name_without_any_latin_letter_or_digit_would_drop_the_file(name: str):
    rules = [slot.names for slot in FACTS.slots]
    assert [rule.why_not(name) for rule in rules] == [f"may not hold {name!r} there"] * 4
    assert [rule.why_not(f"{name}-a") for rule in rules] == [""] * 4


# --- agents: a plugin may say name, description and that the agent only reads


def agent(fields: str, body: str = "Body.\n", by: str = "claude") -> tuple[str, list[str]]:
    text, lines = staged("agent", f"---\nname: rev\ndescription: Reviews.\n{fields}---\n{body}", by)
    assert text.startswith("---\nname: rev\ndescription: Reviews.\n")
    return text.removeprefix("---\nname: rev\ndescription: Reviews.\n"), lines


def test_an_agent_is_copied_where_it_says_nothing_else():
    assert agent("model: inherit\n") == ("model: inherit\n---\nBody.\n", [])
    assert agent("model:\n") == ("---\nBody.\n", [])


@pytest.mark.parametrize("tools", ["Read, Grep, mcp__docs__find", "[Read, WebFetch(domain:a.b)]"])
def test_an_allow_list_without_a_writing_tool_becomes_read_only(tools: str):
    assert agent(f"tools: {tools}\n") == (
        "permissionMode: readonly\n---\nBody.\n",
        ["warning: field-dropped: 4: 'tools' has no effect there; the agent only reads"],
    )


@pytest.mark.parametrize("tools", ["Read, Edit", "Read, Bash(git status *)", "Write", "NotebookEdit"])
def test_any_other_allow_list_is_lost(tools: str):
    assert agent(f"tools: {tools}\n") == (
        "---\nBody.\n",
        [f"warning: guard-lost: 4: 'tools' ({tools}) restricts nothing there"],
    )


def test_a_list_that_allows_everything_loses_nothing():
    assert agent("tools: '*'\n") == ("---\nBody.\n", [])


def test_a_deny_list_of_every_writing_tool_becomes_read_only():
    everything = "disallowedTools: Write, Edit, Bash\n"
    assert agent(everything)[0] == "permissionMode: readonly\n---\nBody.\n"
    assert agent("disallowedTools: Write, Edit\n") == (
        "---\nBody.\n",
        ["warning: guard-lost: 4: 'disallowedTools' (Write, Edit) restricts nothing there"],
    )


@pytest.mark.parametrize(("tools", "shown"), [("", "none"), ("''", "none"), ("[]", "[]")])
def test_an_agent_without_any_tool_only_reads_and_has_tools_there(tools: str, shown: str):
    assert agent(f"tools: {tools}\n") == (
        "permissionMode: readonly\n---\nBody.\n",
        [f"warning: guard-lost: 4: 'tools' ({shown}) restricts nothing there"],
    )


def test_planning_only_reads_and_other_modes_are_not_known():
    assert agent("permissionMode: plan\n") == (
        "permissionMode: readonly\n---\nBody.\n",
        ["warning: value-dropped: 4: 'plan' is no 'permissionMode' there; 'readonly' is written"],
    )
    assert agent("permissionMode: acceptEdits\n") == (
        "---\nBody.\n",
        ["warning: value-dropped: 4: 'acceptEdits' is no 'permissionMode' there; left out"],
    )


def test_a_mode_that_is_no_text_would_drop_the_agent():
    assert agent("permissionMode: 5\n", by="cursor")[0] == "---\nBody.\n"


def test_cursors_own_agent_says_read_only_so_that_a_plugin_may():
    assert agent("model: fast\nreadonly: true\nis_background: true\n", by="cursor") == (
        "permissionMode: readonly\nmodel: fast\nreadonly: true\nis_background: true\n---\nBody.\n",
        [
            "warning: model-dropped: 4: model 'fast' is not known there; the session's model is used",
            "warning: field-dropped: 6: 'is_background' has no effect there",
        ],
    )


def test_cursors_own_agent_is_copied_else():
    same = "permissionMode: readonly\nmodel: fast\nreadonly: true\n"
    assert agent(same, by="cursor")[0] == same + "---\nBody.\n"
    assert agent("readonly: false\n", by="cursor") == ("readonly: false\n---\nBody.\n", [])


def test_fields_of_other_agents_are_told():
    assert agent("model: opus\ncolor: red\nbackground: true\n") == (
        "---\nBody.\n",
        [
            "warning: model-dropped: 4: model 'opus' is not known there; the session's model is used",
            "warning: field-dropped: 5: 'color' has no effect there",
            "warning: field-dropped: 6: 'background' has no effect there",
        ],
    )


def test_a_value_that_is_the_default_is_no_loss():
    assert agent("background: false\n") == ("---\nBody.\n", [])


def test_an_agent_with_a_blank_body_would_be_dropped():
    assert agent("", body=" \n")[0] == "---\nReviews.\n \n"


def test_an_agent_gets_a_description_where_its_own_format_needs_one():
    assert staged("agent", "Review **everything**.\n")[0] == (
        "---\ndescription: Review everything.\n---\nReview **everything**.\n"
    )
    assert staged("agent", "Review.\n", "cursor") == ("Review.\n", [])


# --- rules


@pytest.mark.parametrize(
    ("by", "header", "written"),
    [
        ("claude", "", "alwaysApply: true\n"),
        ("claude", "paths: ['a/*.{c,h}', '*.py']\n", 'globs: "a/*.{c,h},*.py"\nalwaysApply: false\n'),
        ("antigravity", "trigger: always_on\n", "alwaysApply: true\n"),
        ("antigravity", "trigger: glob\nglobs: '*.py, *.pyi'\n", 'globs: "*.py,*.pyi"\nalwaysApply: false\n'),
        ("antigravity", "description: D\ntrigger: model_decision\n", "description: D\nalwaysApply: false\n"),
        ("antigravity", "trigger: model_decision\n", "description: Body.\nalwaysApply: false\n"),
        ("antigravity", "trigger: manual\n", ""),
        ("claude", "applyTo: '**'\n", "alwaysApply: true\n"),
        ("claude", "applyTo: '**/*.ts,**/*.tsx'\n", 'globs: "**/*.ts,**/*.tsx"\nalwaysApply: false\n'),
    ],
)  # fmt: skip
def test_a_rules_scope_is_said_in_cursors_words(by: str, header: str, written: str):
    text, lines = staged("rule", f"---\n{header}---\nBody.\n", by)
    assert text == f"---\n{written}---\nBody.\n"
    assert lines == []


def test_a_rule_lands_flat_and_as_mdc():
    files, _ = write("cursor", artifact("rule", "Body.\n", name="web/style"))
    assert files == {"rules/web-style.mdc": b"---\nalwaysApply: true\n---\nBody.\n"}


def test_a_manual_rule_with_a_description_would_be_applied_by_it():
    text, lines = staged("rule", "---\ntrigger: manual\ndescription: D\n---\nBody.\n", "antigravity")
    assert text == "---\n---\nBody.\n"
    assert lines == [
        "warning: field-dropped: 3: 'description' has no effect there; a rule with one would be applied by it"
    ]


def test_patterns_beside_another_scope_would_become_the_scope():
    text, lines = staged("rule", "---\ntrigger: always_on\nglobs: '*.py'\n---\nBody.\n", "antigravity")
    assert text == "---\nalwaysApply: true\n---\nBody.\n"
    assert lines == ["warning: field-dropped: 3: 'globs' has no effect there; the rule applies always"]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "description: D\nglobs:\nalwaysApply: true\n",
        'description: "D: d"\nglobs: ["*.ts", "*.py"]\nalwaysApply: false\n',
        'globs:\n  - "*.ts"\n  - src/**\n',
        'globs: "*.{ts,tsx}, *.py"\n',
        "globs: src/**/*.ts,lib/** # both\n",
        "description: >-\n  folded\n  text\nalwaysApply: false # by description\n",
        "environments: [ide]\ndescription: D\n",
    ],
)
def test_cursors_own_rule_is_copied_where_a_plugin_reads_it_as_meant(header: str):
    source = f"---\n{header}---\r\nBody"
    assert staged("rule", source, "cursor") == (source, [])
    assert staged("rule", "No header.\n", "cursor") == ("No header.\n", [])


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("globs: *.ts, **/*.py", 'globs: "*.ts,**/*.py"'),
        ("globs: [*.ts]", 'globs: "*.ts"'),
        ("""globs: '["*.ts","*.py"]'""", 'globs: "*.ts,*.py"'),
        ("description: Use: this\nglobs: [a.ts, b.ts]", 'description: "Use: this"\nglobs: a.ts,b.ts'),
        ("description: 1.0\nglobs:", 'description: "1.0"\nglobs: ""'),
        ('alwaysApply: true\nalwaysApply: "yes"', ""),
    ],
)
def test_cursors_own_rule_is_repaired_where_a_plugin_would_not(header: str, written: str):
    text, _ = staged("rule", f"---\n{header}\n---\nBody.\n", "cursor")
    assert text == f"---\n{written}\n---\nBody.\n".replace("\n\n", "\n")


def test_an_agent_of_no_format_may_say_it_in_the_harness_own_word() -> None:
    assert agent("readonly: true\n") == ("permissionMode: readonly\n---\nBody.\n", [])
    assert agent("readonly: maybe\n")[1] == [
        "warning: value-dropped: 4: 'maybe' is no 'readonly' there; left out"
    ]


def test_of_two_fields_that_say_one_thing_the_one_it_reads_counts() -> None:
    raw = '---\nname: k\ndescription: d\nglobs: "*.ts"\npaths: "*.py"\n---\nx\n'
    text, lines = staged("skill", raw, "cursor")
    assert 'globs: "*.ts"' in text
    assert lines == ["warning: field-dropped: 5: 'paths' has no effect there; 'globs' says it"]
