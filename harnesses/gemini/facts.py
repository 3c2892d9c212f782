"""Gemini CLI in tables, as an extension's files are read.

Sources: M = measured on 0.61.0, K = its compiled core and command line, D = the documentation in its package.
"""

from __future__ import annotations

import re

from tackroom.harnesses.contract import (
    Facts,
    FieldFact,
    Form,
    HeaderFact,
    NameRule,
    Placeholders,
    Shape,
    Slot,
    Unknown,
)
from tackroom.packages.model import Kind

# K: what a model may be called; M: any text loads, but one that is not known fails when it is used
MODELS = re.compile(r"inherit|auto|pro|flash|flash-lite|(?:auto-)?(?:gemini|gemma)-[\w.-]+")

# K, M: variables that are filled in in an agent's text; any other one there makes each call of it fail
VARIABLES = frozenset({"query", "today", "cliVersion", "activeModel", "extensionPath", "workspacePath"})
VARIABLES_OF = {
    "CLAUDE_PLUGIN_ROOT": "extensionPath",
    "CURSOR_PLUGIN_ROOT": "extensionPath",
    "CLAUDE_PROJECT_DIR": "workspacePath",
}

# K: a tool that a project's own command tells of is legal too. Server and tool are split at the first
# underscore; a name that is none of these refuses the file (M)
MCP_TOOL = re.compile(r"discovered_tool_\w+|mcp_(?:\*|[A-Za-z0-9.:-]+_(?:\*|(?!_*\Z)[\w.:-]+))", re.ASCII)

# K: other names, and tools that an agent has or lacks whatever its list says
ALIASES = ("search_file_content",)
IMPLIED = ("complete_task", "update_topic", "invoke_agent")

# K: tools without a counterpart in Claude Code
_OWN_TOOLS = (
    "tracker_create_task",
    "tracker_update_task",
    "tracker_get_task",
    "tracker_list_tasks",
    "tracker_add_dependency",
    "tracker_visualize",
    "get_internal_docs",
)

# K, each measured as refused in another form (M)
_AGENT_FIELDS = (
    FieldFact("name", required=True),
    FieldFact("description", required=True),
    FieldFact("kind", values=frozenset({"local", "remote"}), default="local"),
    FieldFact("display_name"),
    FieldFact("tools", Form.LIST, guard=True),
    FieldFact("mcp_servers", Form.MAP),
    FieldFact("model"),
    FieldFact("temperature", Form.NUMBER),
    FieldFact("max_turns", Form.NUMBER, means="maxTurns"),
    FieldFact("timeout_mins", Form.NUMBER),
    FieldFact("agent_card_url"),
    FieldFact("agent_card_json"),
    FieldFact("auth", Form.MAP),
)

# K, M: nothing else is read; dropped without either
_SKILL_FIELDS = (FieldFact("name", required=True), FieldFact("description", required=True))

# K: these become a hyphen there
_SKILL_NAMES = NameRule(illegal=re.compile(r'[:\\/<>*?"|]+'))

FACTS = Facts(
    id="gemini",
    title="Gemini CLI",
    shape=Shape.PLUGINS,
    context=True,
    # K: capitals are read too; D: the name should be lower case
    plugin_name=NameRule(illegal=re.compile(r"[^a-z0-9-]+"), lower=True),
    slots=(
        # M: one level, known by the header's name
        Slot(Kind.SKILL, Kind.SKILL, "skills/{name}/SKILL.md", "skills", by_header=True, names=_SKILL_NAMES),
        # M: sub-folders are part of the name, as ``git:commit``; other characters become an underscore
        # and a part of more than 50 is cut (K). A built-in or another extension's command of the name
        # costs nothing: both stay, as ``EXTENSION:NAME``
        Slot(
            Kind.COMMAND,
            Kind.COMMAND,
            "commands/{name}.toml",
            "commands",
            nested=True,
            names=NameRule(illegal=re.compile(r"[^A-Za-z0-9_.-]+"), limit=50),
        ),
        # M: sub-folders are not searched, nor files that start with an underscore (K)
        Slot(
            Kind.AGENT,
            Kind.AGENT,
            "agents/{name}.md",
            "agents",
            by_header=True,
            names=NameRule(illegal=re.compile(r"\A_+|[^a-z0-9_-]+"), lower=True),
        ),
        Slot(Kind.RULE, Kind.SKILL, "skills/{name}/SKILL.md", "skills", by_header=True, names=_SKILL_NAMES),
    ),
    # M: a byte order mark or a blank behind the first fence refuses the file, one behind the second
    # empties it; js-yaml reads 5, true or a date as such
    headers={
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bom=False, bare=False, loose=False),
        Kind.COMMAND: HeaderFact((FieldFact("description"),), unknown=Unknown.HARMFUL),
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, unknown=Unknown.HARMFUL, bom=False, bare=False, loose=False),
    },
    # D custom-commands
    placeholders={Kind.COMMAND: Placeholders(all="{{args}}", shell="!{{}}", file="@{{}}")},
    # M: a built-in agent stays and ours is ignored; a built-in skill is replaced
    taken={
        "agents": frozenset({"codebase_investigator", "cli_help", "generalist", "browser_agent"}),
        "skills": frozenset({"skill-creator", "antigravity-support"}),
    },
    # M: of two extensions' agents the first counts, of two skills the last
    shared=frozenset({"agents", "skills"}),
    # K; subagents call no subagents
    tools={
        "Read": ("read_file", "read_many_files"),
        "Write": ("write_file",),
        "Edit": ("replace",),
        "MultiEdit": ("replace",),
        "NotebookEdit": (),
        "Bash": ("run_shell_command",),
        "PowerShell": ("run_shell_command",),
        "Glob": ("glob",),
        "Grep": ("grep_search",),
        "LS": ("list_directory",),
        "WebFetch": ("web_fetch",),
        "WebSearch": ("google_web_search",),
        "TodoWrite": ("write_todos",),
        "TaskCreate": ("write_todos",),
        "TaskGet": ("write_todos",),
        "TaskList": ("write_todos",),
        "TaskUpdate": ("write_todos",),
        "Agent": (),
        "Task": (),
        "Skill": ("activate_skill",),
        "AskUserQuestion": ("ask_user",),
        "EnterPlanMode": ("enter_plan_mode",),
        "ExitPlanMode": ("exit_plan_mode",),
        "ListMcpResourcesTool": ("list_mcp_resources",),
        "ReadMcpResourceTool": ("read_mcp_resource",),
        **{name: (name,) for name in _OWN_TOOLS},
    },
    mcp_tool=re.compile(r"mcp_(\*|[^_]+)(?:_(?:\*|(.+)))?"),  # K
    roots=frozenset({"extensionPath"}),
    manifest_guards=frozenset({"excludeTools"}),  # D
    # K: in the text of a skill, not in that of a command
    roots_of={name: own for name, own in VARIABLES_OF.items() if own == "extensionPath"},
    certified=">=0.61,<0.62",
)
