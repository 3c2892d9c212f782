"""Cursor in tables, as a plugin's files are read; a project's own files have another reader.

Sources: M = measured on the local runtime of its SDK 1.0.32, S = that runtime's code,
D = its documentation in 2026, P = the schema published with its own plugins.
"""

from __future__ import annotations

import re

from tackroom.harnesses.contract import (
    Facts,
    FieldFact,
    Form,
    HeaderFact,
    NameRule,
    Shape,
    Slot,
    When,
)
from tackroom.packages.model import Kind

_LISTS = (Form.COMMAS, Form.LIST)

# S: a comma text keeps its braces together, a list's entries are taken as they are (M)
_GLOBS = FieldFact("globs", Form.COMMAS, means="paths", also=_LISTS)
# S: where the file is loaded at all
_ENVIRONMENTS = (
    FieldFact("environments", Form.COMMAS, also=_LISTS),
    FieldFact("disabled-environments", Form.COMMAS, also=_LISTS),
)

_SKILL_FIELDS = (
    FieldFact("name"),
    FieldFact("description", limit=1536, required=True),  # S; M: without one only the user can call it
    _GLOBS,  # M: a plugin's skill is scoped by globs; paths is read in projects only
    FieldFact("alwaysApply", Form.BOOLEAN),  # M: makes it a rule
    FieldFact("disable-model-invocation", Form.BOOLEAN, guard=True),
    *_ENVIRONMENTS,
    # D: accepted, no effect on what is loaded
    FieldFact("metadata", Form.ANY, inert=True),
    FieldFact("license", inert=True),
    FieldFact("compatibility", inert=True),
    FieldFact("icon", inert=True),
    FieldFact("color", inert=True),
)

# M: a plugin's agent keeps name, description and permissionMode; all else is read in projects only
_AGENT_FIELDS = (
    FieldFact("name"),
    FieldFact("description"),
    FieldFact("permissionMode", guard=True, values=frozenset({"default", "readonly"})),
    FieldFact("model", in_plugin=False),
    FieldFact("tools", Form.COMMAS, also=_LISTS, guard=True, in_plugin=False),
    FieldFact("readonly", Form.BOOLEAN, default="false", guard=True, in_plugin=False),
    FieldFact("is_background", Form.BOOLEAN, means="background", in_plugin=False),
    FieldFact("force-default-model", Form.BOOLEAN, in_plugin=False),
)

_RULE_FIELDS = (
    FieldFact("name"),  # S: a plugin's rule is known by it, by its file where it has none
    FieldFact("description", limit=1536),
    _GLOBS,
    FieldFact("alwaysApply", Form.BOOLEAN),
    *_ENVIRONMENTS,
)

# D: plugin commands; the target is plain Markdown all the same, so only Cursor's own keep them
_COMMAND_FIELDS = (FieldFact("name"), FieldFact("description"), FieldFact("argument-hint", also=(Form.LIST,)))

# M: whatever holds no character of these is dropped without a word, its header's name first
_NAMES = NameRule(illegal=re.compile(r"\A[^A-Za-z0-9.-]+\Z"), alike=re.compile(r"[^a-z0-9.-]+"))

FACTS = Facts(
    id="cursor",
    title="Cursor",
    shape=Shape.PLUGINS,
    vendor=".cursor",
    # P, S: a period is legal in a manifest, but the marketplace reads a hyphen in its place
    plugin_name=NameRule(illegal=re.compile(r"\A[^a-z0-9]+|[^a-z0-9-]+|[^a-z0-9]+\Z"), lower=True),
    slots=(
        # M: one level; SKILL.md in a deeper folder is not found
        Slot(Kind.SKILL, Kind.SKILL, "skills/{name}/SKILL.md", "skills", by_header=True, names=_NAMES),
        # S, M: sub-folders are searched, but they are no part of a name
        Slot(Kind.COMMAND, Kind.COMMAND, "commands/{name}.md", "commands", names=_NAMES),
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.md", "agents", by_header=True, names=_NAMES),
        Slot(Kind.RULE, Kind.RULE, "rules/{name}.mdc", "rules", by_header=True, names=_NAMES),
    ),
    headers={
        # M: a description that YAML reads as 5, true or a date is lost, a file with CR line ends as a whole
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bare=False, loose=False),
        Kind.COMMAND: HeaderFact(_COMMAND_FIELDS, plain=True, bare=False, loose=False),
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, bare=False, loose=False),
        Kind.RULE: HeaderFact(_RULE_FIELDS, bare=False, loose=False),
    },
    taken={"agents": frozenset({"claude-code-tutor"})},  # S: left out by name
    shared=frozenset({"agents"}),  # M: of two plugins' agents of one name the first is loaded
    # D hooks; Glob has no counterpart
    tools={
        "Bash": ("Shell",),
        "Read": ("Read",),
        "Write": ("Write",),
        "Edit": ("Write",),
        "MultiEdit": ("Write",),
        "NotebookEdit": ("Write",),
        "Grep": ("Grep",),
        "Glob": (),
        "LS": ("List",),
        "WebFetch": ("WebFetch",),
        "WebSearch": ("WebSearch",),
        "Task": ("Task",),
        "Agent": ("Task",),
    },
    # D rules
    unscoped=When.MANUAL,
    described=When.DESCRIPTION,
    roots=frozenset({"CLAUDE_PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT"}),
    certified=">=1.0.32,<1.1",  # of the SDK, whose runtime the clients share
)
