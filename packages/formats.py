"""The source formats: which folders and manifests belong to which, and where each kind lies.

A format's id is the word that packages use for it in their folders. It says how a header is to be
understood; which harness a file is staged for is another question, of which this floor knows nothing.
"""

from __future__ import annotations

import re

from tackroom.packages.model import Kind

DEFAULT = "claude"

# the folders that hold one agent's own originals, the first of them wins between two
VENDORS = {
    ".claude": "claude",
    ".cursor": "cursor",
    ".opencode": "opencode",
    ".agents": "antigravity",
    ".grok": "grok",
}

# where agents keep artifacts, and where none is read
UNREAD = (
    ".opencode/agent",
    ".opencode/command",
    ".opencode/skill",
    ".opencode/mode",
    ".opencode/modes",
    ".agents/workflows",
    ".agent/rules",
    ".agent/skills",
    ".agent/workflows",
    ".codex/agents",
    ".codex/prompts",
    ".codex/skills",
    ".gemini/agents",
    ".gemini/commands",
    ".gemini/skills",
)
# what a Claude Code plugin may hold beside them
UNREAD_IN_PLUGIN = ("bin", "output-styles", "themes", "monitors", "workflows", "settings.json")

EXTENSION = "gemini-extension.json"  # declares no component paths; names the package

# manifests whose component paths are read, by the format of what they declare
MANIFESTS = {
    ".claude-plugin/plugin.json": "claude",
    ".cursor-plugin/plugin.json": "cursor",
    ".codex-plugin/plugin.json": "codex",
    EXTENSION: "gemini",
}

CATALOGUES = {
    ".claude-plugin/marketplace.json": "claude",
    ".cursor-plugin/marketplace.json": "cursor",
    ".agents/plugins/marketplace.json": "codex",
}

# which kinds a format has files of its own for: a manifest of that format alone speaks for those
KINDS = {
    "claude": frozenset({Kind.SKILL, Kind.COMMAND, Kind.AGENT, Kind.RULE}),
    "cursor": frozenset({Kind.SKILL, Kind.COMMAND, Kind.AGENT, Kind.RULE}),
    "codex": frozenset({Kind.SKILL}),
    "gemini": frozenset({Kind.SKILL, Kind.AGENT}),
}

COMPONENTS = {
    Kind.SKILL: "skills",
    Kind.COMMAND: "commands",
    Kind.AGENT: "agents",
    Kind.RULE: "rules",
}

MARKDOWN = (".md", ".mdc", ".markdown")
COMMAND_TOML = ".toml"  # a Gemini extension's commands
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")

# version control and continuous integration: no part of a skill that is a whole repository
NOT_SKILL = re.compile(
    r"\.(git|github|gitlab|circleci|hg|svn)(/|$)"
    r"|\.(gitignore|gitattributes|gitmodules|gitlab-ci\.yml|travis\.yml|pre-commit-config\.yaml)$"
)

_CAPITALS = re.compile(r"[A-Z][A-Z0-9]*([ _-][A-Z0-9]+)*")
_WELL_KNOWN = re.compile(r"(README|CHANGELOG|LICEN[CS]E|CONTRIBUTING|NOTICE)\b")


def is_documentation(name: str) -> bool:
    """Tell whether a Markdown file's name, in capitals, says that it documents its folder.

    ``README.md``, ``TEMPLATE.md``, ``README.fr.md``; not ``changelog.md``, not ``4.1-Beast.md``.
    """
    stem = name.split(".", maxsplit=1)[0]
    return bool(_CAPITALS.fullmatch(stem) and len(stem) > 1) or bool(_WELL_KNOWN.match(stem))


def of_suffix(kind: Kind, name: str) -> str:
    """Return the format that a file's suffix alone decides, or an empty text."""
    if kind is Kind.RULE and name.endswith(".mdc"):
        return "cursor"
    if kind is Kind.COMMAND and name.endswith(COMMAND_TOML):
        return "gemini"
    return ""
