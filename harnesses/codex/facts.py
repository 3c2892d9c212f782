"""Codex in tables.

Sources: M = measured on codex-cli 0.171.0, F = the code of a fork synced to 0.147.0,
S = the published schema of a skill's metadata file.
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
    Unknown,
)
from tackroom.packages.model import Kind

_SKILL = "skills/{name}/SKILL.md"
# M: 65 characters are refused; a folder whose name starts with a dot is not searched
_SKILL_NAMES = NameRule(illegal=re.compile(r"\A\.+"), limit=64)

# M: one without a description is refused, and so is metadata that is no map; all else is ignored (F)
_SKILL_FIELDS = (
    FieldFact("name"),
    FieldFact("description", required=True),
    FieldFact("metadata", Form.MAP, inert=True),
)

# M: an unknown key refuses the file. Effort is an open string; these are the levels that models have
_AGENT_FIELDS = (
    FieldFact("name", required=True),
    FieldFact("description", required=True),
    FieldFact("developer_instructions", required=True),
    FieldFact("model"),
    FieldFact(
        "model_reasoning_effort",
        means="effort",
        values=frozenset({"low", "medium", "high", "xhigh", "max", "ultra"}),
    ),
    FieldFact(
        "sandbox_mode", guard=True, values=frozenset({"read-only", "workspace-write", "danger-full-access"})
    ),
    FieldFact("nickname_candidates", Form.LIST),
)

FACTS = Facts(
    id="codex",
    title="Codex",
    shape=Shape.TREE,
    slots=(
        # M: the header's name wins; two skills of one name are both listed
        Slot(Kind.SKILL, Kind.SKILL, _SKILL, "skills", by_header=True, names=_SKILL_NAMES),
        Slot(Kind.COMMAND, Kind.SKILL, _SKILL, "skills", names=_SKILL_NAMES),
        # M: sub-folders are searched, but they are no part of the name
        Slot(Kind.AGENT, Kind.AGENT, "agents/{name}.toml", "agents"),
        Slot(Kind.AGENT, Kind.SKILL, _SKILL, "skills", names=_SKILL_NAMES),
        Slot(Kind.RULE, Kind.SKILL, _SKILL, "skills", names=_SKILL_NAMES),
    ),
    headers={
        Kind.SKILL: HeaderFact(_SKILL_FIELDS, bom=False),  # M
        # F: a plugin's commands become skills; of their headers only this is read
        Kind.COMMAND: HeaderFact((FieldFact("description"),)),
        Kind.AGENT: HeaderFact(_AGENT_FIELDS, unknown=Unknown.HARMFUL),
    },
    taken={
        "agents": frozenset({"default", "worker", "explorer"}),  # M: the built-in role would be replaced
        "skills": frozenset(  # M: system skills, listed beside any other of the name
            {
                "create-statusline",
                "imagegen",
                "openai-docs",
                "review-agent",
                "skill-creator",
                "skill-installer",
            }
        ),
    },
    inner_skills=True,  # M
    certified=">=0.171,<0.172",
)
