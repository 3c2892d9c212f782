"""Antigravity in tables.

Sources: M = measured on the harness of its SDK 0.1.22, which reads rules and skills; G = guides and
struct tags inside that harness; D = its documentation and release notes in 2026. Agents and workflows
are read by the product alone, so what is said of them here is unverified.
"""

from __future__ import annotations

from tackroom.harnesses.contract import (
    Facts,
    FieldFact,
    Form,
    HeaderFact,
    Shape,
    Slot,
    When,
)
from tackroom.packages.model import Kind

# M: a rule's body is cut there, with a note. The documentation's 12 000 characters a file are what the
# editor lets one type; no reader was seen to cut at them.
RULE_BYTES = 24_000

_SKILL_FIELDS = (
    FieldFact("name", required=True),  # M: without one the skill is called SKILL
    FieldFact("description", required=True),  # G
    FieldFact("disable-model-invocation", Form.BOOLEAN, default="false", guard=True),
    FieldFact("disable-slash-command", Form.BOOLEAN, default="false"),  # G
    FieldFact("metadata", Form.MAP, inert=True),  # M: a list or a text in its place drops the skill
    # no effect seen
    FieldFact("license", Form.ANY, inert=True),
    FieldFact("compatibility", Form.ANY, inert=True),
)

# G: the names and, for lists, the struct's plural; D: which are required, the models
_AGENT_FIELDS = (
    FieldFact("name", required=True),
    FieldFact("description", required=True),
    FieldFact("model", values=frozenset({"inherit", "flash", "pro"}), default="inherit"),
    FieldFact("tools", Form.LIST, guard=True),
    FieldFact("preloadSkills", Form.LIST, means="skills"),
    FieldFact("skills", Form.LIST, means="offered skills"),
    FieldFact("agents", Form.LIST, guard=True),
    FieldFact("rules", Form.LIST),
    FieldFact("plugins", Form.LIST),
    FieldFact("mcpServers", Form.ANY),
    FieldFact("inheritMcp", Form.BOOLEAN),
    FieldFact("inheritCustomizations", Form.BOOLEAN),
    FieldFact("hooks", Form.ANY, guard=True),
    FieldFact("commandExecutionPolicy", guard=True),
    FieldFact("mainAgent", Form.BOOLEAN),
    FieldFact("subagent", Form.BOOLEAN),
    FieldFact("hidden", Form.BOOLEAN, default="false"),
    FieldFact("disabled", Form.BOOLEAN, default="false"),
)

# M: a list of patterns never matches, so they stand in one text
_RULE_FIELDS = (
    FieldFact("description"),
    FieldFact("trigger", values=frozenset({"always_on", "glob", "model_decision", "manual"})),
    FieldFact("globs", Form.COMMAS, means="paths"),
    FieldFact("glob", Form.COMMAS, means="paths"),
)

FACTS = Facts(
    id="antigravity",
    title="Antigravity",
    shape=Shape.TREE,
    root=".agents",
    vendor=".agents",
    slots=(
        # M: one level; of two with one header name one is listed
        Slot(Kind.SKILL, Kind.SKILL, "skills/{name}/SKILL.md", "slash", by_header=True),
        # G: a skill is called by /NAME too
        Slot(Kind.COMMAND, Kind.COMMAND, "workflows/{name}.md", "slash"),
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", by_header=True),
        # M: no sub-folders, no .mdc
        Slot(Kind.RULE, Kind.RULE, "rules/{name}.md", "rules"),
    ),
    headers={
        Kind.SKILL: HeaderFact(_SKILL_FIELDS),
        Kind.COMMAND: HeaderFact((FieldFact("description", required=True),), bom=False),  # G
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, bom=False),
        # M: neither a byte order mark nor CR alone
        Kind.RULE: HeaderFact(_RULE_FIELDS, bom=False, loose=False),
    },
    taken={
        # G: built-in skills, which one of a workspace would replace
        "slash": frozenset(
            {"agy-customizations", "antigravity-guide", "automation", "migrate-workflows", "run-workflow"}
        ),
        "agents": frozenset({"research", "self"}),  # M: built-in ones
    },
    # D, M. A name that is none of them is said to hang an agent
    tools={
        "Read": ("view_file",),
        "Write": ("write_to_file",),
        "Edit": ("replace_file_content",),
        "MultiEdit": ("multi_replace_file_content",),
        "Bash": ("run_command",),
        "Grep": ("grep_search",),
        "Glob": ("find_by_name",),
        "LS": ("list_dir",),
        "WebSearch": ("search_web",),
        "WebFetch": ("read_url_content",),
        "Task": ("invoke_subagent",),
        "Agent": ("invoke_subagent",),
        "AskUserQuestion": ("ask_question",),
        "TodoWrite": (),
        "Skill": (),
        "NotebookEdit": (),
    },
    empty_allows=True,
    true=frozenset({"true", "yes", "on"}),  # M: in quotes they drop the skill
    # M: a rule without a trigger is not applied, whatever else it says
    unscoped=When.MANUAL,
    described=When.MANUAL,
    certified=">=0.1.22,<0.2",  # of the SDK, whose harness the clients share
)

# M, D: the ones that have no counterpart
MORE_TOOLS = frozenset(
    {
        "call_mcp_tool",
        "define_subagent",
        "generate_image",
        "list_resources",
        "manage_subagents",
        "manage_task",
        "read_resource",
        "run_workflow",
        "schedule",
        "send_message",
    }
)
