"""What Antigravity gets: a source, the bytes that are staged, and what is said of the losses."""

from __future__ import annotations

import pytest
from tackroom.harnesses.antigravity import patterns
from tackroom.harnesses.antigravity.facts import FACTS, RULE_BYTES
from tackroom.packages.findings import Finding, render

from making import artifact, write
from tackroom import harnesses


def staged(kind: str, source: str | bytes, by: str = "claude", **more) -> tuple[str, list[str]]:
    """Return the text of the one file that is made of an artifact, and the findings."""
    files, lines = write("antigravity", artifact(kind, source, format=by), **more)
    (content,) = files.values()
    return content.decode(), lines


# --- rules: a trigger, and patterns in one text


def rule(header: str, by: str = "claude", body: str = "Body.\n") -> tuple[str, list[str]]:
    text, lines = staged("rule", f"---\n{header}---\n{body}", by)
    assert text.startswith("---\n")
    assert text.endswith(f"---\n{body}")
    return text.removeprefix("---\n").removesuffix(f"---\n{body}"), lines


@pytest.mark.parametrize(
    ("by", "header", "written"),
    [
        ("claude", "", "trigger: always_on\n"),
        ("claude", "paths:\n  - '**/*.py'\n  - '**/*.pyi'\n", 'trigger: glob\nglobs: "**/*.py,**/*.pyi"\n'),
        ("cursor", "alwaysApply: true\n", "trigger: always_on\n"),
        ("cursor", "globs: *.ts, *.py\nalwaysApply: false\n", 'trigger: glob\nglobs: "*.ts,*.py"\n'),
        ("cursor", "description: D\nalwaysApply: false\n", "description: D\ntrigger: model_decision\n"),
        ("cursor", "description: Use: this\n", 'description: "Use: this"\ntrigger: model_decision\n'),
        ("cursor", "", "trigger: manual\n"),
        ("claude", "applyTo: '**'\n", 'trigger: always_on\nglobs: "**"\n'),
    ],
)
def test_a_rules_scope_is_said_by_its_trigger(by: str, header: str, written: str):
    assert rule(header, by) == (written, [])


def test_a_rule_lands_flat_and_as_md():
    files, _ = write("antigravity", artifact("rule", "Body.\n", path="rules/web/style.mdc", name="web/style"))
    assert files == {"rules/web-style.md": b"---\ntrigger: always_on\n---\nBody.\n"}


@pytest.mark.parametrize(
    "header",
    [
        "trigger: always_on # ever\nunknown: [a, b]\nname: other\n",
        "description: it's\ntrigger: 'model_decision'\n",
        "trigger: glob\nglobs: '**/*.ts, *.py,  Makefile'\ndescription: 5\n",
        "glob: a/../b.py\ntrigger: manual\n",
        "trigger: glob\nglob: '**/src/**'\n",
    ],
)
def test_antigravitys_own_rule_is_copied_where_it_is_read_as_meant(header: str):
    source = f"---\n{header}---\r\nBody"
    assert staged("rule", source, "antigravity") == (source, [])


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (b"\xef\xbb\xbf---\ntrigger: always_on\n---\nB", "---\ntrigger: always_on\n---\nB"),
        (b"---\rtrigger: always_on\r---\rB", "---\ntrigger: always_on\n---\nB"),
        (b"---\ntrigger: manual\ntrigger: always_on\n---\nB", "---\ntrigger: always_on\n---\nB"),
        (
            b"---\ndescription: a: b\ntrigger: manual\n---\n",
            '---\ndescription: "a: b"\ntrigger: manual\n---\n',
        ),
        (b"---\ntrigger: glob\nglobs: ['*.c', '*.h']\n---\n", '---\ntrigger: glob\nglobs: "*.c,*.h"\n---\n'),
        (b"---\ntrigger: glob\nglobs: '*.{c,h}'\n---\n", '---\ntrigger: glob\nglobs: "*.c,*.h"\n---\n'),
        (b"No header.\n", "---\ntrigger: manual\n---\nNo header.\n"),
        (b"---\ndescription: D\n---\n", "---\ndescription: D\ntrigger: manual\n---\n"),
    ],
)
def test_antigravitys_own_rule_is_repaired_where_it_would_not_be_applied(source: bytes, written: str):
    assert staged("rule", source, "antigravity") == (written, [])


def test_an_unknown_trigger_would_not_be_applied():
    assert rule("trigger: Always_On\n", "antigravity") == (
        "trigger: manual\n",
        ["warning: value-dropped: 2: 'Always_On' is no 'trigger' there; 'manual' is written"],
    )


@pytest.mark.parametrize(
    ("pattern", "written"),
    [("src/**", "**/src/**"), ("/docs/*.md", "**/docs/*.md"), ("./a.c", "a.c"), ("lib/", "**/lib/**")],
)
def test_a_pattern_that_starts_with_a_folder_would_match_nothing(pattern: str, written: str):
    said = f"scope '{pattern}' cannot be said there; '{written}' matches in deeper folders too"
    header, lines = rule(f"paths: ['**/*.py', {pattern}]\n")
    assert header == f'trigger: glob\nglobs: "**/*.py,{written}"\n'
    assert lines == [f"warning: scope-changed: 2: {said}"]


def test_a_name_alone_matches_everywhere_which_is_told_where_it_did_not_at_home():
    _, lines = rule("paths: '*.md'\n")
    assert lines == [
        "warning: scope-changed: 2: scope '*.md' cannot be said there; '*.md' matches in deeper folders too"
    ]
    assert rule("globs: '*.md'\n", "cursor")[1] == []


def test_patterns_beside_another_scope_say_nothing():
    assert rule("globs: src/**\nalwaysApply: true\n", "cursor") == (
        'trigger: always_on\nglobs: "**/src/**"\n',
        [],
    )


def test_a_rule_is_read_up_to_24000_bytes():
    assert rule("trigger: always_on\n", "antigravity", "b" * RULE_BYTES)[1] == []
    assert rule("trigger: always_on\n", "antigravity", "b" * (RULE_BYTES + 1))[1] == [
        "warning: body-cut: has 24001 bytes; only the first 24000 are read there"
    ]


# --- patterns


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.{ts,tsx}", ["*.ts", "*.tsx"]),
        ("**/{a,b}/*.{c,h}", ["**/a/*.c", "**/a/*.h", "**/b/*.c", "**/b/*.h"]),
        ("{a,{b,c}}", ["a", "b", "c"]),
        ("*.{ts}", ["*.{ts}"]),
        ("**/*", ["**/*"]),
        ("[ab].py", ["[ab].py"]),
    ],
)
def test_braces_are_written_out_since_a_list_is_cut_at_every_comma(pattern: str, found: list[str]):
    assert list(patterns.written([pattern], rooted=False)) == found


def test_braces_that_stand_for_too_many_are_left_out():
    (finding,) = patterns.written(["{a,b}" * 30], rooted=False)
    assert isinstance(finding, Finding)
    assert (
        finding.message
        == f"scope '{'{a,b}' * 30}' cannot be said there; it stands for more than 256; left out"
    )


def test_a_pattern_that_leaves_files_out_is_left_out():
    kept, finding = patterns.written(["*.py", "!test_*.py"], rooted=False)
    assert kept == "*.py"
    assert isinstance(finding, Finding)
    assert render(finding) == (
        "warning: scope-changed: scope '!test_*.py' cannot be said there; "
        "no pattern leaves files out there; it is left out"
    )


# --- skills


def test_a_skill_is_copied_with_its_files():
    source = b"\xef\xbb\xbf---\r\nname: 12\r\ndescription: 5\r\nmetadata: {a: [1]}\r\n---\r\nBody"
    made = artifact("skill", source, name="lint", files={"bin/run.sh": "#!/bin/sh\n"})
    assert write("antigravity", made) == (
        {"skills/lint/SKILL.md": source, "skills/lint/bin/run.sh": b"#!/bin/sh\n"},
        [],
    )


@pytest.mark.parametrize(
    ("header", "written"),
    [
        ("description: D", "description: D"),
        ("description: Use: this", 'description: "Use: this"'),
        ("description: [a, b]", 'description: "[a, b]"'),
        ("description: D\ndescription: E", "description: E"),
        ("argument-hint: [a] [b]", "description: Body."),
        ('disable-model-invocation: "true"', "description: Body.\ndisable-model-invocation: true"),
        ("disable-model-invocation: 0", "description: Body.\ndisable-model-invocation: false"),
    ],
)
def test_a_header_that_would_drop_the_skill_is_written_anew(header: str, written: str):
    text, _ = staged("skill", f"---\n{header}\n---\nBody.\n")
    assert text == f"---\nname: sample\n{written}\n---\nBody.\n"


@pytest.mark.parametrize("value", ["foo", "[a]", '""'])
def test_metadata_that_is_no_map_would_drop_the_skill(value: str):
    text, lines = staged("skill", f"---\nname: sample\ndescription: D\nmetadata: {value}\n---\n")
    assert text == "---\nname: sample\ndescription: D\n---\n"
    value = value.strip('"')
    assert lines == [f"warning: value-dropped: 4: '{value}' is no 'metadata' there; left out"]


def test_a_skill_that_users_may_not_call_says_so_in_antigravitys_words():
    text, lines = staged("skill", "---\nname: sample\ndescription: D\nuser-invocable: false\n---\n")
    assert text == "---\nname: sample\ndescription: D\ndisable-slash-command: true\n---\n"
    assert lines == []


def test_what_a_skill_cannot_say_is_told_and_stays_in_a_file_that_is_copied():
    source = "---\nname: sample\ndescription: D\nallowed-tools: Read\ndisallowed-tools: Bash\n---\nBody.\n"
    assert staged("skill", source)[0] == source
    text, lines = staged("skill", source.replace("Body.", "$ARGUMENTS"))
    assert text.startswith("---\nname: sample\ndescription: D\n---\n> ")
    assert text.endswith("\n\n$ARGUMENTS\n")
    assert lines == [
        "warning: field-dropped: 4: 'allowed-tools' has no effect there",
        "warning: guard-lost: 5: 'disallowed-tools' (Bash) restricts nothing there",
        "warning: placeholder-kept: 7: '$ARGUMENTS' is not replaced there; kept, with a note in the text",
    ]


# --- commands: workflows (the product alone reads them)


def test_a_command_becomes_a_workflow_with_a_description():
    assert write("antigravity", artifact("command", "# Run it\n", name="git/go")) == (
        {"workflows/git-go.md": b"---\ndescription: Run it\n---\n# Run it\n"},
        [],
    )


def test_a_workflow_is_known_by_its_file():
    source = "---\nname: other\ndescription: D\nmodel: opus\n---\nRun.\n"
    assert staged("command", source) == (
        "---\ndescription: D\n---\nRun.\n",
        ["warning: model-dropped: 4: model 'opus' is not known there; the session's model is used"],
    )
    assert staged("command", "---\nname: x\ndescription: D\n---\n", "antigravity")[1] == []


def test_skills_and_workflows_share_the_slash_menu():
    pools = {slot.path: slot.pool for slot in FACTS.slots}
    assert pools["skills/{name}/SKILL.md"] == pools["workflows/{name}.md"]


# --- agents (the product alone reads them)


def agent(fields: str, by: str = "claude") -> tuple[str, list[str]]:
    text, lines = staged("agent", f"---\nname: rev\ndescription: D\n{fields}---\nBody.\n", by)
    assert text.startswith("---\nname: rev\ndescription: D\n")
    return text.removeprefix("---\nname: rev\ndescription: D\n").removesuffix("---\nBody.\n"), lines


def test_an_agents_tools_are_called_by_antigravitys_names():
    assert agent("tools: Read, Edit, Task, mcp__docs__find, TodoWrite\n") == (
        "tools: [view_file, replace_file_content, invoke_subagent]\n",
        [
            "warning: tool-dropped: 4: tool 'mcp__docs__find' of 'tools' does not exist there; left out",
            "warning: tool-dropped: 4: tool 'TodoWrite' of 'tools' does not exist there; left out",
        ],
    )


def test_a_tool_allowed_for_some_commands_is_allowed_for_all_and_that_is_told():
    assert agent("tools: Bash(git *), Bash(gh *)\n") == (
        "tools: [run_command]\n",
        [
            "warning: guard-lost: 4: 'tools' (Bash(git *)) restricts nothing there",
            "warning: guard-lost: 4: 'tools' (Bash(gh *)) restricts nothing there",
        ],
    )


def test_a_list_of_nothing_it_knows_would_allow_everything():
    assert agent("tools: TodoWrite\n") == (
        "",
        [
            "warning: tool-dropped: 4: tool 'TodoWrite' of 'tools' does not exist there; left out",
            "warning: guard-lost: 4: 'tools' (TodoWrite) restricts nothing there",
        ],
    )
    assert agent("tools: '*'\n") == ("", [])


def test_what_is_denied_is_taken_off_the_allow_list():
    assert agent("tools: Read, Edit\ndisallowedTools: Edit\n") == ("tools: [view_file]\n", [])
    assert agent("tools: [Read, mcp__a__b]\ndisallowedTools: mcp__a__b\n")[0] == "tools: [view_file]\n"


ALL_BUT_EDITING = (
    "tools: [ask_question, call_mcp_tool, define_subagent, find_by_name, generate_image, grep_search, "
    "invoke_subagent, list_dir, list_resources, manage_subagents, manage_task, read_resource, "
    "read_url_content, run_command, run_workflow, schedule, search_web, send_message, view_file, "
    "write_to_file]\n"
)


def test_denied_tools_are_said_by_listing_all_others():
    assert agent("disallowedTools: Edit, mcp__docs__drop\n") == (
        ALL_BUT_EDITING,
        [
            "warning: guard-lost: 4: 'disallowedTools' (mcp__docs__drop) restricts nothing there",
            "warning: field-dropped: 4: 'disallowedTools' has no effect there; all other tools are listed",
        ],
    )


def test_an_agent_that_only_reads_has_no_tool_that_writes_or_runs():
    only_reads = ALL_BUT_EDITING.replace("run_command, ", "").replace(", write_to_file", "")
    assert agent("readonly: true\n", "cursor") == (
        only_reads,
        [
            "warning: field-dropped: 4: 'readonly' has no effect there; "
            "tools that write or run are denied instead"
        ],
    )
    assert agent("readonly: true\ntools: [Read, Shell]\n", "cursor")[0] == "tools: [view_file]\n"


def test_no_tool_at_all_cannot_be_said():
    assert agent("tools:\n") == ("", ["warning: guard-lost: 4: 'tools' (none) restricts nothing there"])


def test_a_misspelt_tool_of_its_own_would_hang_the_agent():
    same = "tools: [view_file, call_mcp_tool]\nmodel: gemini-9\nskills: [lint]\nhooks: [a]\n"
    assert agent(same, "antigravity") == (same, [])
    assert agent("tools: [view_file, Read, viewfile]\n", "antigravity") == (
        "tools: [view_file]\n",
        ["warning: tool-dropped: 4: tool 'viewfile' of 'tools' does not exist there; left out"],
    )


def test_fields_of_another_agent_are_told():
    assert agent("model: opus\nskills: lint, fmt\npermissionMode: auto\nmcpServers: [docs]\nhooks: {}\n") == (
        "preloadSkills: [lint, fmt]\n",
        [
            "warning: model-dropped: 4: model 'opus' is not known there; the session's model is used",
            "warning: guard-lost: 6: 'permissionMode' (auto) restricts nothing there",
            "warning: field-dropped: 7: 'mcpServers' has no effect there",
            "warning: guard-lost: 8: 'hooks' ({}) restricts nothing there",
        ],
    )
    assert agent("model: inherit\n") == ("model: inherit\n", [])


def test_an_agent_says_its_name_and_description():
    assert (
        staged("agent", "\ufeff# Reviews\n")[0] == "---\nname: sample\ndescription: Reviews\n---\n# Reviews\n"
    )


def test_built_in_names_are_taken():
    assert {"research", "self"} <= FACTS.taken["agents"]
    assert harnesses.get("antigravity").facts is FACTS
