"""What Gemini gets. Each measured refusal of the client is a test here."""

import json
import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tackroom.harnesses.contract import Bundle
from tackroom.packages import discovery
from tackroom.packages.findings import Finding, render
from tackroom.packages.model import Kind
from tackroom.packages.package import Source

from making import artifact, tree, write
from tackroom import harnesses

SLUG = harnesses.get("gemini").facts.slots_for(Kind.AGENT)[0].names


def agent(header: str, body: str = "You review.\n", **more: object) -> tuple[str, list[str]]:
    staged, lines = write("gemini", artifact("agent", f"---\nname: sample\n{header}\n---\n{body}", **more))
    return staged.popitem()[1].decode(), lines


def command(body: str, header: str = "description: Reviews.") -> tuple[dict[str, str], list[str]]:
    staged, lines = write("gemini", artifact("command", f"---\n{header}\n---\n{body}"))
    return tomllib.loads(staged["commands/sample.toml"].decode()), lines


def toml(raw: str | bytes, **more: object) -> tuple[dict[str, bytes], list[str]]:
    return write("gemini", artifact("command", raw, path="commands/sample.toml", format="gemini"), **more)


def staged(files: dict[str, str], name: str = "kit") -> tuple[dict[str, str], list[str]]:
    """Return what a package has once: path -> text, and the lines of the findings."""
    found = harnesses.get("gemini")
    package = discovery.read(Source(name, tree(files)))
    made = list(found.package(Bundle(package, name, found.facts)))
    texts = {
        each.path: (each.content if isinstance(each.content, bytes) else each.content.load()).decode()
        for each in made
        if not isinstance(each, Finding)
    }
    return texts, [render(each) for each in made if isinstance(each, Finding)]


# --- commands


def test_a_command_becomes_toml_at_the_same_place() -> None:
    made = artifact(
        "command", "---\ndescription: Commits.\n---\nCommit:\n\n\t$ARGUMENTS\n", name="git/commit"
    )
    assert write("gemini", made) == (
        {"commands/git/commit.toml": b'description = "Commits."\nprompt = """\nCommit:\n\n\t{{args}}\n"""\n'},
        [],
    )


def test_a_command_without_a_description_has_none() -> None:
    assert command("Do it.", "license: MIT") == (
        {"prompt": "Do it."},
        ["warning: field-dropped: 2: 'license' has no effect there"],
    )


def test_commands_and_files_are_injected_in_its_words() -> None:
    assert command("Status: !`git status`, see @docs/a.md") == (
        {"description": "Reviews.", "prompt": "Status: !{git status}, see @{docs/a.md}"},
        [],
    )


def test_positions_are_kept_with_a_note() -> None:
    found, lines = command("Compare $1 with $2.\n")
    assert found["prompt"] == (
        "> The arguments are: {{args}}\n> `$1` stands for the first, `$2` for the second.\n\n"
        "Compare $1 with $2.\n"
    )
    assert [line.partition(";")[0] for line in lines] == [
        "warning: placeholder-kept: 4: '$1' is not replaced there",
        "warning: placeholder-kept: 4: '$2' is not replaced there",
    ]


def test_text_that_would_be_run_or_cost_the_command_is_parted() -> None:
    found, lines = command("assert!{a}\nto @{open")
    assert found["prompt"] == "assert! {a}\nto @ {open"
    assert lines == [
        f"warning: text-reread: {line}: '{text}' in the body is a placeholder there, "
        f"and none in its own format; written as '{written}'"
        for line, text, written in ((4, "!{", "! {"), (5, "@{", "@ {"))
    ]


def test_a_command_that_holds_a_files_form_is_not_injected() -> None:
    found, lines = command("!`git log @{u}..`")
    assert found["prompt"].endswith("\n\n!`git log @{u}..`")
    assert (
        lines[0]
        == "warning: placeholder-kept: 4: '!`...`' is not replaced there; kept, with a note in the text"
    )


def test_what_a_command_cannot_say_is_a_finding_but_not_that_no_model_may_call_it() -> None:
    header = "model: opus\nargument-hint: <file>\nuser-invocable: false\ndisable-model-invocation: true"
    assert command("Do it.", header)[1] == [
        "warning: model-dropped: 2: model 'opus' is not known there; the session's model is used",
        "warning: field-dropped: 3: 'argument-hint' has no effect there",
        "warning: field-dropped: 4: 'user-invocable' has no effect there",
    ]


def test_a_body_that_is_no_text_is_left_out() -> None:
    found, lines = write("gemini", artifact("command", b"---\ndescription: x\n---\n\xff"))
    assert (found, lines[0].partition(";")[0]) == ({}, "warning: body-not-text: is not UTF-8 text")


def test_its_own_command_is_copied() -> None:
    raw = b'# mine\nprompt = """Hi {{args}} !{ls} @{a}"""\r\nfoo = 1\n'
    assert toml(raw) == ({"commands/sample.toml": raw}, [])


@pytest.mark.parametrize(
    ("raw", "staged"),
    [
        ('\ufeffprompt = "Hi {{args}}"\n', 'prompt = "Hi {{args}}"\n'),
        ('prompt = "Hi"\ndescription = 5\n', 'description = "5"\nprompt = "Hi"\n'),
    ],
)
def test_its_own_command_is_written_anew_where_the_client_refuses_it(raw: str, staged: str) -> None:
    assert toml(raw)[0] == {"commands/sample.toml": staged.encode()}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60))
@settings(deadline=None)
def test_every_text_reads_back_from_toml(body: str) -> None:
    body = body.replace("{", "").replace("$", "").replace("!", "").replace("@", "")
    assert command("x" + body)[0]["prompt"] == "x" + body


# --- agents: the strict header


def test_an_agent_that_gemini_accepts_is_copied() -> None:
    raw = (
        b"---\nname: scout\ndescription: Scouts.\nkind: local\ntools: [read_file, mcp_docs_*, mcp_a_b, '*']\n"
        b"model: gemini-3-pro\nmax_turns: 5\ntimeout_mins: 2\ntemperature: 0.5\n---\nFor ${query}\r\n"
    )
    assert write("gemini", artifact("agent", raw)) == ({"agents/sample.md": raw}, [])


def test_an_agent_of_claude_code_is_said_in_its_words() -> None:
    header = "description: Reviews.\ntools: Read, Grep\nmodel: sonnet\ncolor: blue\nmaxTurns: 20\nskills: [a]"
    assert agent(header) == (
        """---
name: sample
description: Reviews.
tools: [read_file, read_many_files, grep_search]
max_turns: 20
---
You review.
""",
        [
            "warning: model-dropped: 5: model 'sonnet' is not known there; the session's model is used",
            "warning: field-dropped: 6: 'color' has no effect there",
            "warning: field-dropped: 8: 'skills' has no effect there",
        ],
    )


@pytest.mark.parametrize("key", ["license", "metadata", "mcpServers", "hooks", "effort"])
def test_a_key_that_would_refuse_the_file_is_left_out(key: str) -> None:
    text, lines = agent(f"description: Reviews.\n{key}: x")
    assert text == "---\nname: sample\ndescription: Reviews.\n---\nYou review.\n"
    assert len(lines) == 1
    assert f"'{key}'" in lines[0]


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many"])
def test_a_number_of_turns_that_would_refuse_the_file_is_left_out(value: str) -> None:
    assert agent(f"description: Reviews.\nmaxTurns: {value}") == (
        "---\nname: sample\ndescription: Reviews.\n---\nYou review.\n",
        [f"warning: value-dropped: 4: '{value}' is no 'maxTurns' there; left out"],
    )


def test_a_number_in_quotes_would_refuse_the_file() -> None:
    assert agent('description: Reviews.\nmax_turns: "5"')[0].splitlines()[3] == "max_turns: 5"


@pytest.mark.parametrize("text", ["5", "true", "2026-01-02", "null", "0x1f", "1e3", ".inf", "1_000"])
def test_text_that_yaml_takes_for_something_else_is_quoted(text: str) -> None:
    assert agent(f"description: {text}")[0] == f'---\nname: sample\ndescription: "{text}"\n---\nYou review.\n'


@pytest.mark.parametrize(
    "raw",
    [
        "\ufeff---\nname: sample\ndescription: Reviews.\n---\nYou review.\n",
        "--- \nname: sample\ndescription: Reviews.\n---\nYou review.\n",
        "---\nname: sample\ndescription: Reviews.\n--- \nYou review.\n",
        "---\nname: sample\ndescription: x\ndescription: Reviews.\n---\nYou review.\n",
    ],
    ids=["byte order mark", "blank behind the first fence", "blank behind the second", "a key twice"],
)
def test_a_header_that_would_not_be_read_is_written_anew(raw: str) -> None:
    found, _ = write("gemini", artifact("agent", raw))
    assert found["agents/sample.md"] == b"---\nname: sample\ndescription: Reviews.\n---\nYou review.\n"


@pytest.mark.parametrize("raw", ["You review.\n", "---\nname: sample\ndescription: ''\n---\nYou review.\n"])
def test_an_agent_without_a_description_gets_one(raw: str) -> None:
    found, _ = write("gemini", artifact("agent", raw))
    assert found["agents/sample.md"] == b"---\nname: sample\ndescription: You review.\n---\nYou review.\n"


def test_an_agent_without_a_text_says_its_description() -> None:
    assert (
        agent("description: Reviews.", " \n")[0]
        == "---\nname: sample\ndescription: Reviews.\n---\nReviews.\n"
    )


@pytest.mark.parametrize("name", ["Code Reviewer", "_hidden", "code.reviewer"])
def test_a_name_that_would_refuse_the_file_gives_way_to_the_one_it_is_staged_under(name: str) -> None:
    made = artifact("agent", f"---\nname: {name}\ndescription: Reviews.\n---\nx", name="reviewer")
    assert write("gemini", made)[0]["agents/reviewer.md"].startswith(b"---\nname: reviewer\n")
    assert SLUG.why_not(name)
    assert not SLUG.why_not("code_reviewer-2")


def test_a_model_of_its_own_is_kept() -> None:
    for model in ("gemini-3-pro", "auto-gemini-3", "flash-lite", "inherit"):
        assert agent(f"description: Reviews.\nmodel: {model}")[1] == []
    assert agent("description: Reviews.\nmodel: claude-opus")[1] == [
        "warning: model-dropped: 4: model 'claude-opus' is not known there; the session's model is used"
    ]


# --- agents: variables in the text


def test_a_variable_that_gemini_does_not_know_would_make_every_call_fail() -> None:
    text, lines = agent("description: Reviews.", "Run ${HOME}/x, ${HOME}, ${A}b and ${1+1} or ${C:-d}\n")
    assert text.splitlines()[-1] == "Run $HOME/x, $HOME, ${A:-}b and ${1+1} or ${C:-d}"
    assert lines == [
        f"warning: text-reread: 5: '${{{name}}}' in the body is a placeholder there, "
        f"and none in its own format; written as '{written}'"
        for name, written in (("HOME", "$HOME"), ("A", "${A:-}"))
    ]


def test_the_plugins_and_the_projects_folder_have_a_name_there() -> None:
    assert agent("description: Reviews.", "${CLAUDE_PLUGIN_ROOT}/a ${CLAUDE_PROJECT_DIR} ${today}\n") == (
        "---\nname: sample\ndescription: Reviews.\n---\n${extensionPath}/a ${workspacePath} ${today}\n",
        [],
    )


# --- agents: tools


def tools(line: str, **more: object) -> tuple[str, list[str]]:
    text, lines = agent(f"description: Reviews.\n{line}", **more)
    return text.partition("tools: ")[2].partition("\n")[0], lines


def test_tools_are_called_by_their_names_there() -> None:
    assert tools("tools: Write, Edit, MultiEdit, Bash, LS, WebSearch, Skill")[0] == (
        "[write_file, replace, run_shell_command, list_directory, google_web_search, activate_skill]"
    )


def test_an_mcp_tool_is_named_by_server_and_tool() -> None:
    assert tools("tools: mcp__docs__find, mcp__my_srv__a, mcp__docs, mcp__*") == (
        "[mcp_docs_find, mcp_my_srv_a, mcp_docs_*, mcp_*]",
        [],
    )


@pytest.mark.parametrize(
    "tool", ["mcp__my_srv", "mcp__a b__c", "mcp___x__y", "NotebookEdit", "Task", "Teleport"]
)
def test_a_tool_that_would_refuse_the_file_is_left_out(tool: str) -> None:
    assert tools(f'tools: ["{tool}"]') == (
        "[]",
        [f"warning: tool-dropped: 4: tool '{tool}' of 'tools' does not exist there; left out"],
    )


def test_a_limit_in_brackets_restricts_nothing() -> None:
    assert tools("tools: Bash(git *)") == (
        "[run_shell_command]",
        ["warning: guard-lost: 4: 'tools' (Bash(git *)) restricts nothing there"],
    )


def test_a_text_in_place_of_a_list_would_refuse_the_file() -> None:
    assert tools("tools: read_file")[0] == "[read_file]"


@pytest.mark.parametrize("nothing", ["", "''", "[]", "null"])
def test_an_agent_without_any_tool_has_none_there_either(nothing: str) -> None:
    assert tools(f"tools: {nothing}") == ("[]", [])


def test_every_tool_needs_no_list() -> None:
    assert tools("tools: '*'") == ("", [])


def test_denied_tools_are_said_by_listing_all_others() -> None:
    listed, lines = tools("disallowedTools: Write, Edit, Bash(rm *), mcp__docs__drop")
    assert listed.startswith("[read_file, read_many_files, glob, grep_search, list_directory, web_fetch, ")
    assert listed.endswith(", mcp_*]")
    assert lines == [
        "warning: guard-lost: 4: 'disallowedTools' (mcp__docs__drop) restricts nothing there",
        "warning: field-dropped: 4: 'disallowedTools' has no effect there; all other tools are listed",
    ]


@pytest.mark.parametrize(("line", "by"), [("readonly: true", "cursor"), ("permissionMode: plan", "claude")])
def test_an_agent_that_only_reads_has_no_tool_that_writes_or_runs(line: str, by: str) -> None:
    listed, lines = tools(line, format=by)
    assert listed.startswith("[read_file, read_many_files, glob, grep_search, list_directory, web_fetch, ")
    field = line.partition(":")[0]
    assert lines == [
        f"warning: field-dropped: 4: '{field}' has no effect there; "
        "tools that write or run are denied instead"
    ]


def test_what_is_denied_is_taken_off_the_allow_list() -> None:
    assert tools("tools: [Read, Bash]\ndisallowedTools: [Bash]")[0] == "[read_file, read_many_files]"


def test_switches_of_opencode_become_a_list() -> None:
    allowed = "tools:\n  '*': false\n  read: true\n  edit: true\n  bash: false"
    assert tools(allowed, format="opencode")[0] == "[read_file, read_many_files, write_file, replace]"
    assert "run_shell_command" not in tools("tools:\n  bash: false\n  read: true", format="opencode")[0]


def test_opencode_has_one_switch_for_the_two_tools_that_write() -> None:
    listed = tools("tools:\n  write: true\n  edit: false", format="opencode")[0]
    assert "write_file" not in listed
    assert "replace" not in listed


# --- skills and rules


def test_a_skill_is_copied_with_its_files() -> None:
    raw = b"---\nname: lint\ndescription: Lints.\nallowed-tools: Read\nlicense: MIT\n---\nRun ${X}.\n"
    staged, lines = write("gemini", artifact("skill", raw, name="lint", files={"run.sh": "x"}))
    assert staged == {"skills/lint/SKILL.md": raw, "skills/lint/run.sh": b"x"}
    assert lines == ["warning: field-dropped: 4: 'allowed-tools' has no effect there"]


@pytest.mark.parametrize("head", ["\ufeff---\n{}---\n", "--- \n{}---\n", "---\n{}--- \n"])
def test_a_skill_whose_header_would_not_be_read_is_written_anew(head: str) -> None:
    raw = head.format("name: lint\ndescription: Lints.\n") + "x"
    staged, _ = write("gemini", artifact("skill", raw, name="lint"))
    assert staged["skills/lint/SKILL.md"] == b"---\nname: lint\ndescription: Lints.\n---\nx"


@pytest.mark.parametrize("header", ["name: lint", "description: Lint all.", "license: MIT"])
def test_a_skill_without_name_or_description_would_be_dropped(header: str) -> None:
    staged, _ = write("gemini", artifact("skill", f"---\n{header}\n---\nLint all.\n", name="lint"))
    assert staged["skills/lint/SKILL.md"].startswith(b"---\nname: lint\ndescription: Lint all.\n")


def test_a_rule_becomes_a_skill_that_says_its_scope() -> None:
    staged, lines = write("gemini", artifact("rule", "---\npaths: src/**\n---\nBe nice.\n", name="style"))
    assert staged["skills/style/SKILL.md"] == (
        b"---\nname: style\ndescription: Be nice.\n---\n## When this applies\n\n"
        b"- It applies to files that match `src/**`.\n\nBe nice.\n"
    )
    assert lines == ["warning: rule-as-skill: rule 'style' (for src/**) is staged as skill 'style'"]


# --- the extension


def test_a_package_without_a_manifest_gets_one() -> None:
    assert staged({"commands/a.md": "x"}) == (
        {
            "gemini-extension.json": '{\n  "name": "kit",\n  "version": "0.0.0",\n'
            '  "description": "The artifacts of the package \'kit\'"\n}\n'
        },
        [],
    )


def test_another_harness_manifest_says_version_and_description() -> None:
    manifest = '{"name": "Kit", "version": "1.2.3", "description": "Does.", "author": {"name": "A"}}'
    assert json.loads(staged({".claude-plugin/plugin.json": manifest})[0]["gemini-extension.json"]) == {
        "name": "kit",
        "version": "1.2.3",
        "description": "Does.",
    }


def test_its_own_manifest_is_copied_with_the_context_file() -> None:
    manifest = '{"version":"1.0.0","name":"kit","contextFileName":"docs${/}KIT.md","excludeTools":["a"]}'
    assert staged({"gemini-extension.json": manifest, "docs/KIT.md": "Hi.", "GEMINI.md": "Dev."}) == (
        {"gemini-extension.json": manifest, "docs/KIT.md": "Hi."},
        [],
    )
    plain = '{"version":"1.0.0","name":"kit"}'
    assert staged({"gemini-extension.json": plain, "GEMINI.md": "Hi."})[0]["GEMINI.md"] == "Hi."


def test_servers_are_still_to_come_and_a_missing_context_file_is_said() -> None:
    manifest = '{"name": "Kit", "contextFileName": "K.md", "mcpServers": {"a": {}}, "settings": []}'
    assert staged({"gemini-extension.json": manifest}) == (
        {"gemini-extension.json": '{\n  "name": "kit",\n  "settings": [],\n  "version": "0.0.0"\n}\n'},
        ["warning: path-missing: gemini-extension.json: 'K.md' does not exist in the package; skipped"],
    )


def test_of_several_context_files_the_first_is_staged() -> None:
    manifest = '{"name": "kit", "version": "1", "contextFileName": ["A.md", "B.md"]}'
    assert staged({"gemini-extension.json": manifest, "A.md": "a", "B.md": "b"}) == (
        {"gemini-extension.json": manifest, "A.md": "a"},
        ["warning: value-dropped: gemini-extension.json: 'B.md' is no 'contextFileName' there; left out"],
    )


@pytest.mark.parametrize("path", ["../GEMINI.md", "/etc/passwd", "hooks/hooks.json", "policies/all.toml"])
def test_a_context_file_is_no_way_to_stage_something_else(path: str) -> None:
    manifest = json.dumps({"name": "kit", "version": "1", "contextFileName": path})
    files = {"gemini-extension.json": manifest, "hooks/hooks.json": "{}", "policies/all.toml": ""}
    assert set(staged(files)[0]) == {"gemini-extension.json"}


def test_policies_are_said_because_they_would_be_lost_in_silence() -> None:
    files = {"gemini-extension.json": '{"name": "kit", "version": "1"}', "policies/a.toml": ""}
    assert staged(files)[1] == [
        "warning: not-staged: policies: policy declared here; this version does not stage that kind yet"
    ]


def test_files_that_texts_refer_to_are_staged_but_nothing_that_is_loaded_by_its_place() -> None:
    body = " ".join(
        f"${{CLAUDE_PLUGIN_ROOT}}/{each}" for each in ("bin/run.sh", "hooks/hooks.json", "GEMINI.md")
    )
    files = {"skills/a/SKILL.md": body, "bin/run.sh": "x", "hooks/hooks.json": "{}", "GEMINI.md": "x"}
    assert set(staged(files)[0]) == {"gemini-extension.json", "bin/run.sh"}


def test_a_tool_that_the_project_tells_of_is_kept() -> None:
    raw = "---\nname: sample\ndescription: d\ntools: [read_file, discovered_tool_x]\n---\nx\n"
    staged, lines = write("gemini", artifact("agent", raw, format="gemini"))
    assert (staged.popitem()[1].decode(), lines) == (raw, [])
