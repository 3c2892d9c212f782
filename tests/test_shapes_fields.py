"""Odd shapes of header fields that real packages have, in every harness: tools, models, colours, names."""

import tomllib

import pytest
import yaml
from tackroom.packages import discovery, frontmatter
from tackroom.packages.findings import Finding, render
from tackroom.packages.package import Source

from making import artifact, tree, write
from tackroom import harnesses, plan

ALL = harnesses.ids()
BODY = "Body.\n"


def agent(field: str, format: str = "claude") -> str:
    return f"---\nname: sample\ndescription: Does.\n{field}\n---\n{BODY}"


def header(harness: str, kind: str, content: str, format: str = "claude") -> dict[str, object]:
    """Return the fields of the first file that a harness gets, as its own format types them."""
    (path, raw), *_ = write(harness, artifact(kind, content, format=format))[0].items()
    if path.endswith(".toml"):
        return tomllib.loads(raw.decode())
    return yaml.safe_load(raw.decode().split("\n---\n", maxsplit=1)[0]) if raw.startswith(b"---") else {}


def said(kind: str, field: str, format: str = "claude") -> dict[str, list[str]]:
    """Return what each harness says of a field on the fourth line, without what it says of the others."""
    made = artifact(kind, agent(field), format=format)
    found = {harness: [line for line in write(harness, made)[1] if ": 4: " in line] for harness in ALL}
    return {harness: lines for harness, lines in found.items() if lines}


# --- tool lists

LISTS = [
    "Read, Grep, Bash",
    "Read,Grep,Bash",
    "[Read, Grep, Bash]",
    '["Read", "Grep", "Bash"]',
    "Read Grep Bash",
    "'Read, Grep, Bash'",
    "\n  - Read\n  - Grep\n  - Bash",
]
OWN_NAMES = {
    "antigravity": ["view_file", "grep_search", "run_command"],
    "gemini": ["read_file", "read_many_files", "grep_search", "run_shell_command"],
    "opencode": ["bash", "grep", "read"],
    "grok": ["Read", "Grep", "Bash"],
    "claude": ["Read", "Grep", "Bash"],
}


def tools_of(harness: str, content: str) -> list[str]:
    found = header(harness, "agent", content)["tools"]
    if isinstance(found, dict):
        return sorted(name for name, on in found.items() if on)
    return found if isinstance(found, list) else str(found).replace(",", " ").split()


@pytest.mark.parametrize("harness", OWN_NAMES)
@pytest.mark.parametrize("written", LISTS)
def test_an_allow_list_means_the_same_in_whatever_form(harness: str, written: str) -> None:
    assert tools_of(harness, agent(f"tools: {written}")) == OWN_NAMES[harness]


@pytest.mark.parametrize("written", ["Bash(git *), Read", "Bash(git *) Read", "[Bash(git *), Read]"])
def test_blanks_within_brackets_part_no_tool(written: str) -> None:
    assert header("opencode", "agent", agent(f"tools: {written}"))["permission"] == {
        "*": "deny",
        "bash": {"*": "deny", "git *": "allow"},
        "read": "allow",
    }
    guard = "warning: guard-lost: 4: 'tools' (Bash(git *)) restricts nothing there"
    assert {harness: said("agent", f"tools: {written}")[harness] for harness in ("gemini", "grok")} == {
        "gemini": [guard],
        "grok": [guard],
    }


@pytest.mark.parametrize("written", ["*", "'*'"])
@pytest.mark.parametrize("harness", ["antigravity", "codex", "cursor", "gemini", "opencode"])
def test_a_star_allows_every_tool(harness: str, written: str) -> None:
    found = header(harness, "agent", agent(f"tools: {written}"))
    assert not {"tools", "permission", "permissionMode", "sandbox_mode"} & found.keys()
    assert said("agent", f"tools: {written}") == {}


@pytest.mark.parametrize("written", ["Write, Edit", "[Write, Edit]", "Write Edit"])
def test_a_deny_list_means_the_same_in_whatever_form(written: str) -> None:
    content = agent(f"disallowedTools: {written}")
    assert header("opencode", "agent", content)["tools"] == {"write": False, "edit": False}
    assert header("grok", "agent", content)["disallowedTools"] == "write, search_replace"
    denied = {"write_file", "replace"}
    assert not denied & set(tools_of("gemini", content))


@pytest.mark.parametrize("field", ["allowed-tools: [Read, LS]", "allowed_tools: [Read, LS]", "toolz: Read"])
def test_what_is_no_list_of_an_agent_limits_none(field: str) -> None:
    for harness in ALL:
        found = header(harness, "agent", agent(field))
        assert not {"tools", "permission", "permissionMode", "sandbox_mode"} & found.keys()
    lost = [f"warning: field-dropped: 4: '{field.split(':', maxsplit=1)[0]}' has no effect there"]
    assert said("agent", field) == dict.fromkeys(["codex", "gemini", "opencode"], lost)


@pytest.mark.parametrize(
    "written",
    ["Bash(gh *), Read", "Read Grep", "Read Grep Bash(python:*)", "[Read, Bash]", "Bash(${X}/a.sh:*)"],
)
def test_what_a_skill_may_do_unasked_stays_in_its_file_and_is_said_where_it_does_nothing(
    written: str,
) -> None:
    content = agent(f"allowed-tools: {written}")
    for harness in ALL:
        assert write(harness, artifact("skill", content))[0] == {"skills/sample/SKILL.md": content.encode()}
    lost = ["warning: field-dropped: 4: 'allowed-tools' has no effect there"]
    without = ["antigravity", "codex", "cursor", "gemini", "opencode"]
    assert said("skill", f"allowed-tools: {written}") == dict.fromkeys(without, lost)


def test_a_skills_own_words_for_tools_are_no_tools() -> None:
    content = agent("tools: [claude, cursor, gemini]")
    for harness in ALL:
        assert write(harness, artifact("skill", content))[0] == {"skills/sample/SKILL.md": content.encode()}
    assert said("skill", "tools: [claude, cursor, gemini]") == {}


# --- models

MODELS = ["sonnet", "opus", "haiku", "Claude Sonnet 4.6", "GPT-4.1 | 'gpt-5' | 'Claude Sonnet 4.5'"]


@pytest.mark.parametrize("model", MODELS)
def test_a_model_of_claude_code_is_kept_there_and_said_elsewhere(model: str) -> None:
    assert header("claude", "agent", agent(f"model: {model}"))["model"] == model
    line = f"warning: model-dropped: 4: model '{model}' is not known there; the session's model is used"
    assert said("agent", f"model: {model}") == {harness: [line] for harness in ALL if harness != "claude"}


def test_a_model_of_cursor_is_said_everywhere() -> None:
    line = "warning: model-dropped: 4: model 'fast' is not known there; the session's model is used"
    assert said("agent", "model: fast", "cursor") == {harness: [line] for harness in ALL}


def test_the_sessions_model_is_no_loss_anywhere() -> None:
    assert said("agent", "model: inherit") == {}


# --- colours

COLOURS = {
    "purple": "#9333ea",
    "orange": "#ea580c",
    "blue": "#2563eb",
    "green": "#16a34a",
    "yellow": "#eab308",
    "cyan": "#0891b2",
    '"#4CAF50"': "#4CAF50",
    "'#1565C0'": "#1565C0",
    "Purple": "#9333ea",
}


@pytest.mark.parametrize("written", COLOURS)
def test_a_colour_is_a_hex_value_for_opencode(written: str) -> None:
    assert header("opencode", "agent", agent(f"color: {written}"))["color"] == COLOURS[written]


@pytest.mark.parametrize("written", ["gold", '"#12345"', '"#GGGGGG"', "[red]"])
def test_a_colour_that_opencode_would_refuse_is_left_out(written: str) -> None:
    assert "color" not in header("opencode", "agent", agent(f"color: {written}"))
    shown = written.strip('"')
    assert said("agent", f"color: {written}")["opencode"] == [
        f"warning: value-dropped: 4: '{shown}' is no 'color' there; left out"
    ]


def test_a_hex_value_without_quotes_is_a_comment() -> None:
    assert "color" not in header("opencode", "agent", agent("color: #4CAF50"))
    assert header("claude", "agent", agent("color: #4CAF50"))["color"] is None


@pytest.mark.parametrize("harness", ["claude", "grok"])
@pytest.mark.parametrize("written", [*COLOURS, "gold"])
def test_a_colour_stays_where_any_is_read(harness: str, written: str) -> None:
    content = agent(f"color: {written}")
    assert write(harness, artifact("agent", content))[0] == {"agents/sample.md": content.encode()}


# --- other fields


@pytest.mark.parametrize(
    ("kind", "field", "without"),
    [
        ("command", "argument-hint: [csv]", ["antigravity", "codex", "cursor", "gemini", "opencode"]),
        ("command", "argument-hint: '[pr | url]'", ["antigravity", "codex", "cursor", "gemini", "opencode"]),
        ("skill", "argument-hint: <a> [b]", ["antigravity", "codex", "cursor", "gemini", "opencode"]),
        ("skill", "context: fork", ["antigravity", "codex", "cursor", "gemini", "grok", "opencode"]),
        ("skill", "user-invocable: false", ["codex", "cursor", "gemini", "opencode"]),
        ("skill", "user-invocable: true", []),
        ("skill", "metadata:\n  origin: x", []),
        ("skill", "license: MIT", []),
        ("skill", "compatibility: claude-code", []),
        ("skill", "version: 2.1.0", []),
        ("skill", "version: 1.0", []),
        ("agent", "maxTurns: 30", ["antigravity", "codex", "cursor"]),
        ("agent", "skills: a, b", ["codex", "cursor", "gemini", "opencode"]),
        ("agent", "skills: [a, b]", ["codex", "cursor", "gemini", "opencode"]),
        ("agent", "context: fork", ["codex", "gemini", "opencode"]),
        ("agent", "created: 2026-02-27", ["codex", "gemini", "opencode"]),
    ],
)
def test_a_field_is_said_where_it_has_no_effect(kind: str, field: str, without: list[str]) -> None:
    line = f"warning: field-dropped: 4: '{field.split(':', maxsplit=1)[0]}' has no effect there"
    assert said(kind, field) == {harness: [line] for harness in without}


@pytest.mark.parametrize(("written", "shown"), [("[csv]", "[csv]"), ("[a | b]", "[a | b]"), ("a b", "a b")])
def test_a_hint_that_yaml_takes_for_a_list_is_shown_by_grok(written: str, shown: str) -> None:
    assert header("grok", "command", agent(f"argument-hint: {written}"))["argument-hint"] == shown


def test_hooks_in_a_header_are_guards_lost_wherever_they_are_not_run() -> None:
    field = "hooks:\n  Stop: [{hooks: [{type: command, command: x}]}]"
    line = (
        "warning: guard-lost: 4: 'hooks' ({Stop: [{hooks: [{type: command, command: x}]}]}) "
        "restricts nothing there"
    )
    assert said("skill", field) == {harness: [line] for harness in ALL if harness != "claude"}
    assert said("agent", field) == {harness: [line] for harness in ALL if harness != "grok"}


def test_a_skill_that_no_model_may_use_says_so_wherever_that_can_be_said() -> None:
    line = "warning: guard-lost: 4: 'disable-model-invocation' (true) restricts nothing there"
    assert said("skill", "disable-model-invocation: true") == {"gemini": [line], "opencode": [line]}


# --- descriptions

DESCRIBED = {
    "one\\ntwo": "one\\ntwo",
    '"one\\ntwo"': "one\ntwo",
    "|\n  one\n  two": "one\ntwo",
    ">-\n  one\n  two": "one two",
    "one\n  two": "one two",
    "Takes <file> [n]": "Takes <file> [n]",
    "<example>hi</example>": "<example>hi</example>",
    "x" * 4015: "x" * 4015,
}


@pytest.mark.parametrize("harness", ALL)
@pytest.mark.parametrize("written", DESCRIBED, ids=lambda text: repr(text[:14]))
def test_an_agents_description_arrives_whole(harness: str, written: str) -> None:
    found = header(harness, "agent", f"---\nname: sample\ndescription: {written}\nmodel: x\n---\n{BODY}")
    assert str(found["description"]).rstrip("\n") == DESCRIBED[written]


@pytest.mark.parametrize(
    "absent", ["", "---\nname: sample\n---\n", '---\nname: sample\ndescription: ""\n---\n']
)
@pytest.mark.parametrize("kind", ["agent", "skill", "rule", "command"])
def test_a_description_that_is_needed_is_made_of_the_first_line(kind: str, absent: str) -> None:
    body = "\n---\n\n## The *first* [line](x.md)\n\nMore.\n"
    wanted = {"codex"} | ({"opencode", "gemini"} if kind != "command" else {"antigravity"})
    made = {harness: header(harness, kind, absent + body).get("description") for harness in wanted}
    assert made == dict.fromkeys(wanted, "The first line")


def test_a_long_description_is_said_where_only_its_start_is_read() -> None:
    made = artifact("skill", f"---\nname: sample\ndescription: {'x' * 1600}\n---\n{BODY}")
    lines = {harness: write(harness, made)[1] for harness in ALL}
    cut = "warning: field-cut: 3: 'description' has 1600 characters; only the first {} are read there"
    assert {harness: found for harness, found in lines.items() if found} == {
        "cursor": [cut.format(1536)],
        "grok": [cut.format(1024)],
    }


# --- names


def names(files: dict[str, str], harness: str) -> dict[str, str]:
    """Return each artifact's source and where it lands in a harness."""
    package = discovery.read(Source("kit", tree(files)))
    return {item.source: item.path for item in plan.make([package], {}, [harness]).items if item.source}


def renamed(files: dict[str, str], harness: str) -> list[str]:
    package = discovery.read(Source("kit", tree(files)))
    items = plan.make([package], {}, [harness]).items
    found = [each for item in items for each in [*item.findings, *item.render()] if isinstance(each, Finding)]
    return [render(each) for each in found if each.code in ("name-changed", "name-taken")]


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Content Strategist", "Content Strategist"),
        ("contact-center/android", "contact-center/android"),
        ("UnoCSS", "UnoCSS"),
        ("net-4.8", "net-4.8"),
        ("\n  next_line", "next_line"),
        (">-\n  Folded", "Folded"),
        ("日本", "日本"),
    ],
)
def test_the_header_keeps_a_skills_name_where_the_file_is_copied(written: str, name: str) -> None:
    content = f"---\nname: {written}\ndescription: Does.\n---\n{BODY}"
    assert frontmatter.read(content.encode()).get("name") == name
    found = header("opencode", "skill", content)
    assert found["name"] == name


def test_a_name_that_differs_from_its_file_is_the_one_it_is_known_by() -> None:
    files = {"agents/personas/content.md": f"---\nname: Content Lead\ndescription: Leads.\n---\n{BODY}"}
    package = discovery.read(Source("kit", tree(files)))
    found = {
        harness: next(item.as_name for item in plan.make([package], {}, [harness]).items if item.source)
        for harness in ALL
    }
    assert found == {
        "antigravity": "Content Lead",
        "claude": "Content Lead",
        "codex": "personas-content",
        "cursor": "Content Lead",
        "gemini": "personas-content",
        "grok": "Content Lead",
        "opencode": "personas/content",
    }


def test_a_nested_artifact_below_names_with_blanks_and_no_latin_letters_lands() -> None:
    path = "skills/技能 组/工具 1/lint/SKILL.md"
    files = {path: f"---\nname: lint\ndescription: Lints.\n---\n{BODY}"}
    assert {
        harness: names(files, harness)[path].rpartition("skills/")[2] for harness in ALL
    } == dict.fromkeys(ALL, "lint/SKILL.md")


def test_a_colon_in_a_commands_name_leaves_the_files_own() -> None:
    files = {"commands/search.md": f"---\nname: kit:search\ndescription: Finds.\n---\n{BODY}"}
    assert names(files, "gemini") == {"commands/search.md": "kit/commands/search.toml"}
    assert names(files, "claude") == {"commands/search.md": "kit/commands/search.md"}


def test_dots_and_capitals_change_where_the_client_would_refuse_them() -> None:
    files = {"agents/Net-4.8.md": f"---\nname: Net-4.8\ndescription: Nets.\n---\n{BODY}"}
    assert names(files, "gemini") == {"agents/Net-4.8.md": "kit/agents/net-4-8.md"}
    assert dict.fromkeys(renamed(files, "gemini")).keys() == {
        "warning: name-changed: agents/Net-4.8.md: 'Net-4.8' may not hold capitals there; staged as 'net-4-8'"
    }
    assert names(files, "opencode") == {"agents/Net-4.8.md": "agents/Net-4.8.md"}


def test_without_a_name_the_folder_gives_it() -> None:
    files = {"skills/verify/SKILL.md": f"---\ndescription: Verifies.\n---\n{BODY}"}
    assert names(files, "opencode") == {"skills/verify/SKILL.md": "skills/verify/SKILL.md"}
    made = artifact("skill", files["skills/verify/SKILL.md"], name="verify")
    assert write("opencode", made)[0] == {
        "skills/verify/SKILL.md": b"---\nname: verify\ndescription: Verifies.\n---\nBody.\n"
    }
