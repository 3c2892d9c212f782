"""OpenCode in tables.

Sources: M = measured on 1.18.33, B = read in the official build 1.18.34, D = the customisation text that
build holds.
"""

from __future__ import annotations

from tackroom.harnesses.contract import (
    PERMISSION,
    SWITCHES,
    Count,
    Facts,
    FieldFact,
    Form,
    HeaderFact,
    Placeholders,
    Shape,
    Slot,
    Unknown,
)
from tackroom.packages.model import Kind

# B: colours of the theme, which an agent may name
THEME = frozenset({"primary", "secondary", "accent", "success", "warning", "error", "info"})

# Claude Code's eight colours by the values chosen for them here; M: a name stops the whole client
COLORS = {
    "red": "#dc2626",
    "blue": "#2563eb",
    "green": "#16a34a",
    "yellow": "#eab308",
    "purple": "#9333ea",
    "orange": "#ea580c",
    "pink": "#db2777",
    "cyan": "#0891b2",
}

# D: built-in agents of Claude Code and the ones that do the same here
AGENTS = {"Explore": "explore", "Plan": "plan", "general-purpose": "general"}

# M: what an agent's ``tools`` may switch; write and edit are one permission
TOOLS = (
    "read",
    "write",
    "edit",
    "bash",
    "grep",
    "glob",
    "list",
    "webfetch",
    "websearch",
    "task",
    "todowrite",
    "skill",
)
PERMISSIONS = {"write": "edit"}

# M: permissions that are given as a whole; a map of patterns stops the client
WHOLE = frozenset({"todowrite", "question", "webfetch", "websearch", "doom_loop"})
ACTIONS = frozenset({"allow", "ask", "deny"})

_AGENT_FIELDS = (
    FieldFact("name"),  # M: wins over the path
    FieldFact("description"),
    # a subagent is what an agent is elsewhere, so that word loses nothing
    FieldFact("mode", values=frozenset({"subagent", "primary", "all"}), default="subagent"),
    FieldFact("model"),
    FieldFact("variant"),
    FieldFact("temperature", Form.NUMBER),
    FieldFact("top_p", Form.NUMBER),
    FieldFact("steps", Form.NUMBER, means="maxTurns"),  # M: a whole number above zero
    FieldFact("maxSteps", Form.NUMBER),  # B: the old name
    FieldFact("tools", Form.MAP, means=SWITCHES, guard=True),
    FieldFact("permission", Form.ANY, means=PERMISSION, guard=True),
    FieldFact("color"),
    FieldFact("hidden", Form.BOOLEAN),
    FieldFact("disable", Form.BOOLEAN),
    FieldFact("options", Form.MAP),
)

_COMMAND_FIELDS = (
    FieldFact("name"),  # M: wins over the path
    FieldFact("description"),
    FieldFact("agent"),
    FieldFact("model"),
    FieldFact("variant"),
    FieldFact("subtask", Form.BOOLEAN),
)

_SKILL_FIELDS = (
    FieldFact("name", required=True),  # M: dropped without one
    FieldFact("description", required=True),  # M: hidden from the model without one
    # D: accepted, no effect
    FieldFact("license", inert=True),
    FieldFact("compatibility", inert=True),
    FieldFact("metadata", Form.ANY, inert=True),
)

FACTS = Facts(
    id="opencode",
    title="OpenCode",
    shape=Shape.TREE,
    vendor=".opencode",
    slots=(
        # M: a skill is known by its header's name
        Slot(Kind.SKILL, Kind.SKILL, "skills/{name}/SKILL.md", "skills", by_header=True),
        # M: sub-folders are part of the name
        Slot(Kind.COMMAND, Kind.COMMAND, "commands/{name}.md", "commands", nested=True),
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", nested=True),
        Slot(Kind.RULE, Kind.SKILL, "skills/{name}/SKILL.md", "skills", by_header=True),
    ),
    # M: a number, a date or nothing where text belongs drops a skill and stops the client for the others;
    # lines that end in CR alone are no header
    headers={
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bare=False, loose=False),
        Kind.COMMAND: HeaderFact(_COMMAND_FIELDS, bare=False, loose=False),
        # M: an unknown field is an option for the provider
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, unknown=Unknown.HARMFUL, bare=False, loose=False),
    },
    # B: the highest position takes all words that are left
    placeholders={Kind.COMMAND: Placeholders(all="$ARGUMENTS", count=Count.ONE, shell="!`{}`", file="@{}")},
    # M: one of that name replaces the built-in one
    taken={
        "agents": frozenset({"build", "plan", "general", "explore", "compaction", "summary", "title"}),
        "skills": frozenset({"customize-opencode"}),
    },
    # B: the tool list and its permissions; M: names are case-sensitive
    tools={
        "Read": ("read",),
        "Write": ("write",),
        "Edit": ("edit",),
        "MultiEdit": ("edit",),
        "NotebookEdit": (),
        "Bash": ("bash",),
        "Grep": ("grep",),
        "Glob": ("glob",),
        "LS": ("list",),
        "WebFetch": ("webfetch",),
        "WebSearch": ("websearch",),
        "Agent": ("task",),
        "Task": ("task",),
        "TodoWrite": ("todowrite",),
        "TaskCreate": ("todowrite",),
        "TaskGet": ("todowrite",),
        "TaskList": ("todowrite",),
        "TaskUpdate": ("todowrite",),
        "Skill": ("skill",),
        "AskUserQuestion": ("question",),
        "LSP": ("lsp",),
    },
    empty_allows=True,  # M: a map without a switch
    certified=">=1.18.33,<1.19",
)
