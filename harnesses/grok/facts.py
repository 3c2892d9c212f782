"""Grok Build in tables.

Sources: M = measured on 1.0.41, C = its code at 1.0.6, G = the user guide that 1.0.41 ships.
"""

from __future__ import annotations

import re

from tackroom.harnesses.contract import (
    Count,
    Facts,
    FieldFact,
    Form,
    HeaderFact,
    NameRule,
    Placeholders,
    Shape,
    Slot,
)
from tackroom.packages.model import Kind

_WORDS = (Form.COMMAS, Form.LIST)
_EFFORT = frozenset({"low", "medium", "high", "xhigh", "max"})
_SKILL = "skills/{name}/SKILL.md"

# M: names are made into these; one of which nothing is left, or a longer one, is not loaded
_SLUG = NameRule(
    illegal=re.compile(r"[^a-z0-9]*[^a-z0-9-][^a-z0-9]*|--+|\A-|-\Z"),
    lower=True,
    limit=64,
)

# G skills, C; commands take the same fields
_SKILL_FIELDS = (
    FieldFact("name"),
    FieldFact("description", limit=1024),  # M
    FieldFact("when_to_use"),
    FieldFact("when-to-use", means="when_to_use"),
    FieldFact("argument-hint"),  # M: a list is not shown
    FieldFact("user-invocable", Form.BOOLEAN, default="true"),
    FieldFact("disable-model-invocation", Form.BOOLEAN, default="false", guard=True),
    FieldFact("allowed-tools", Form.COMMAS, also=_WORDS),
    FieldFact("paths", Form.LIST, also=_WORDS),
    FieldFact("model", default="inherit"),
    FieldFact("effort", values=_EFFORT),
    # G: shown, no effect on what the skill does
    FieldFact("license", inert=True),
    FieldFact("compatibility", inert=True),
    FieldFact("metadata", Form.ANY, inert=True),
)

# M: a value of another form, or outside these, drops the whole file
_AGENT_FIELDS = (
    FieldFact("name", required=True),
    FieldFact("description", required=True),
    FieldFact("tools", Form.COMMAS, also=_WORDS, guard=True),
    FieldFact("disallowedTools", Form.COMMAS, also=_WORDS, guard=True),
    FieldFact("model", default="inherit"),
    FieldFact("effort", values=_EFFORT),
    FieldFact(
        "permissionMode",
        default="default",
        guard=True,
        values=frozenset({"default", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "plan"}),
    ),
    FieldFact("maxTurns", Form.NUMBER),
    FieldFact("background", Form.BOOLEAN, default="false"),
    FieldFact("isolation", values=frozenset({"none", "worktree"}), default="none"),
    FieldFact("memory", values=frozenset({"user", "project", "local"})),
    FieldFact("color", Form.ANY),
    FieldFact("initialPrompt"),
    FieldFact("skills", Form.LIST),
    FieldFact("hooks", Form.MAP, guard=True),
    FieldFact("mcpServers", Form.LIST, also=(Form.ANY,)),
    # C: Grok's own
    FieldFact("capabilityMode", guard=True),
    FieldFact("promptMode"),
    FieldFact("mcpInheritance", Form.ANY, guard=True),
    FieldFact("discoverSkills", Form.BOOLEAN),
    FieldFact("inheritSkills", Form.BOOLEAN),
    FieldFact("agentsMd", Form.BOOLEAN),
    FieldFact("injectDefaultTools", Form.BOOLEAN),
    FieldFact("completionRequirement", Form.ANY),
)

# M: words are split at blanks, nothing escapes; commands are not run and files not read
_ARGUMENTS = Placeholders(all="$ARGUMENTS", count=Count.ZERO)

# M: a command of such a name loads, but what the user types is the built-in one
_BUILT_IN = """
agents agents-dashboard always-approve auto btw cd changelog clear compact compact-mode config
config-agents context copy cost dashboard debug delete docs doctor dream edit-prompt effort exit expand
export feedback find flush fork full fullscreen guides help history home hooks hooks-add hooks-list
hooks-remove hooks-trust hooks-untrust howto imagine imagine-video import-claude info jump log login
logout loop m marketplace mcps mem memory minimal ml model multiline new onboarding personas plan
plan-view plugin plugins preferences prefs privacy quit release-notes remember rename resume rewind
session-info sessions settings share show-plan skills status summarize t tasks terminal-check
terminal-info terminal-setup theme timeline timestamps title tour tutorial undo usage view-plan vim-mode
voice welcome workflow workflows
"""

FACTS = Facts(
    id="grok",
    title="Grok Build",
    shape=Shape.TREE,
    vendor=".grok",
    slots=(
        # M: the header's name wins over file and folder
        Slot(Kind.SKILL, Kind.SKILL, _SKILL, "skills", by_header=True, names=_SLUG),
        # M: a skill of the same name hides the command. Sub-folders are not searched. Built-in names
        # are kept from commands alone: a skill is for the model, which never types its name
        Slot(
            Kind.COMMAND,
            Kind.COMMAND,
            "commands/{name}.md",
            "skills",
            by_header=True,
            names=_SLUG,
            taken=frozenset(_BUILT_IN.split()),
        ),
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", by_header=True),  # M
        Slot(Kind.RULE, Kind.SKILL, _SKILL, "skills", names=_SLUG),
    ),
    headers={
        # M: a byte order mark, or a header that ends behind the first 4096 bytes, and it is not read
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bom=False, head=4096),
        Kind.COMMAND: HeaderFact(_SKILL_FIELDS, bom=False, head=4096),
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, bom=False),  # M
        Kind.RULE: HeaderFact(),  # C: stripped unread, every rule applies
    },
    placeholders={Kind.SKILL: _ARGUMENTS, Kind.COMMAND: _ARGUMENTS},
    taken={"agents": frozenset({"explore", "general-purpose", "plan"})},  # M: the built-in one stays
    # M: these names of Claude Code's are known in allow lists, and these ids
    tools={
        "Read": ("read_file",),
        "Write": ("write",),
        "Edit": ("search_replace",),
        "MultiEdit": ("search_replace",),
        "NotebookEdit": ("search_replace",),
        "Bash": ("run_terminal_cmd",),
        "PowerShell": ("run_terminal_cmd",),
        "Grep": ("grep",),
        "Glob": ("list_dir",),
        "LS": ("list_dir",),
        "WebFetch": ("web_fetch",),
        "WebSearch": ("web_search",),
        "TodoWrite": ("todo_write",),
        "AskUserQuestion": ("ask_user_question",),
        "Task": ("task",),
        "Agent": ("task",),
        "TaskOutput": ("get_task_output",),
        "AgentOutputTool": ("get_task_output",),
        "BashOutput": ("get_task_output",),
        "KillShell": ("kill_task",),
        "TaskStop": ("kill_task",),
        "LSP": ("lsp",),
        "ToolSearch": ("search_tool",),
        "Skill": ("skill",),
        "Monitor": ("monitor",),  # M: by its id alone
    },
    empty_allows=True,  # M
    quoted_true=True,  # M: in skills; agents take bare words alone
    inner_skills=True,  # M
    certified=">=1.0.41,<1.1",
)
