"""Claude Code in tables.

Sources: D = its documentation at 2.1.240 (plugins-reference, skills, sub-agents, memory pages),
T = the type declarations of its SDK 0.3.332, X = release notes quoted in public, M = measured on 2.1.197.
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

# D skills: all optional; commands take the same fields
_SKILL_FIELDS = (
    FieldFact("name"),
    FieldFact("description"),
    FieldFact("when_to_use"),
    FieldFact("argument-hint", also=(Form.LIST,)),
    FieldFact("arguments", Form.COMMAS, also=_WORDS),
    FieldFact("disable-model-invocation", Form.BOOLEAN, default="false", guard=True),
    FieldFact("user-invocable", Form.BOOLEAN, default="true"),
    FieldFact("background", Form.BOOLEAN, default="false"),
    FieldFact("allowed-tools", Form.COMMAS, also=_WORDS),
    FieldFact("disallowed-tools", Form.COMMAS, means="disallowedTools", also=_WORDS, guard=True),
    FieldFact("model", default="inherit"),
    FieldFact("effort", values=_EFFORT),
    FieldFact("context"),
    FieldFact("agent"),
    FieldFact("hooks", Form.MAP, guard=True),
    FieldFact("paths", Form.COMMAS, also=_WORDS),
    FieldFact("shell"),
    # D skills: accepted, no effect
    FieldFact("metadata", Form.ANY, inert=True),
    FieldFact("license", inert=True),
    FieldFact("compatibility", inert=True),
)

# D sub-agents, T AgentDefinition. D: agents of a plugin ignore hooks, mcpServers and permissionMode;
# X: the initial prompt too
_AGENT_FIELDS = (
    FieldFact("name", required=True),
    FieldFact("description", required=True),
    FieldFact("tools", Form.COMMAS, also=_WORDS, guard=True),  # M: an empty one allows none
    FieldFact("disallowedTools", Form.COMMAS, also=_WORDS, guard=True),
    FieldFact("model", default="inherit"),
    FieldFact("effort", values=_EFFORT),
    FieldFact("permissionMode", default="default", guard=True, in_plugin=False),
    FieldFact("maxTurns", Form.NUMBER),
    FieldFact("background", Form.BOOLEAN, default="false"),
    FieldFact("isolation"),
    FieldFact("memory"),
    FieldFact("color"),
    FieldFact("initialPrompt", in_plugin=False),
    FieldFact("skills", Form.COMMAS, also=_WORDS),
    FieldFact("hooks", Form.MAP, guard=True, in_plugin=False),
    FieldFact("mcpServers", Form.ANY, in_plugin=False),
    FieldFact("omitClaudeMd", Form.BOOLEAN),
)

# D tools-reference, T, M; a name that is none of them allows and denies nothing
_TOOLS = """
Agent AskUserQuestion Bash Edit EnterPlanMode ExitPlanMode Glob Grep LSP ListMcpResourcesTool Monitor
NotebookEdit PowerShell Read ReadMcpResourceTool Skill TaskCreate TaskGet TaskList TaskOutput TaskStop
TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Write
"""

_ARGUMENTS = Placeholders(  # D skills; M for the shell and file forms
    all="$ARGUMENTS",
    count=Count.TOLD,
    declared=True,
    escape=True,
    shell="!`{}`",
    block=True,
    file="@{}",
)

FACTS = Facts(
    id="claude",
    title="Claude Code",
    shape=Shape.PLUGINS,
    vendor=".claude",
    # D plugins-reference; a name with blanks is refused (M)
    plugin_name=NameRule(illegal=re.compile(r"[^a-z0-9-]+"), lower=True),
    slots=(
        # D plugins-reference: sub-folders of commands/ and agents/ are part of the name
        Slot(Kind.SKILL, Kind.SKILL, "skills/{name}/SKILL.md", "skills"),
        # M: a command and a skill of one name both load
        Slot(Kind.COMMAND, Kind.COMMAND, "commands/{name}.md", "commands", nested=True),
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", nested=True, by_header=True),
        Slot(Kind.RULE, Kind.SKILL, "skills/{name}/SKILL.md", "skills"),
    ),
    headers={
        # M: what follows a byte order mark is read as text, its header too
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bom=False, lenient=True),
        Kind.COMMAND: HeaderFact(_SKILL_FIELDS, bom=False, lenient=True),
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, bom=False, lenient=True),
        # D memory: no other field is read from a rule
        Kind.RULE: HeaderFact((FieldFact("paths", Form.LIST, also=_WORDS),)),
    },
    placeholders={Kind.SKILL: _ARGUMENTS, Kind.COMMAND: _ARGUMENTS},
    # M: commands/skill.md, in any case and at any depth, turns its whole folder into one skill
    taken={"commands": frozenset({"skill"})},
    tools={name: (name,) for name in _TOOLS.split()},
    # D: yes, on and 1 since 2.1.218
    true=frozenset({"true", "yes", "on", "1"}),
    quoted_true=True,
    rooted=True,  # D memory: *.md is the Markdown of the project's root
    roots=frozenset({"CLAUDE_PLUGIN_ROOT"}),
    certified=">=2.1.197,<2.2",
)
