"""What a staged bundle holds, read from the tree alone: each file that a client should take up."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

GLOBS: dict[str, dict[str, str]] = {
    "claude": {
        "plugin": "*/.claude-plugin/plugin.json",
        "command": "*/commands/**/*.md",
        "agent": "*/agents/**/*.md",
        "skill": "*/skills/**/SKILL.md",
    },
    "cursor": {
        "command": "*/commands/**/*.md",
        "agent": "*/agents/**/*.md",
        "skill": "*/skills/**/SKILL.md",
        "rule": "*/rules/**/*.mdc",
    },
    "opencode": {
        "command": "commands/**/*.md",
        "agent": "agents/**/*.md",
        "skill": "skills/**/SKILL.md",
    },
    "codex": {
        "agent": "agents/**/*.toml",
        "skill": "skills/**/SKILL.md",
    },
    "grok": {
        "command": "commands/**/*.md",
        "agent": "agents/**/*.md",
        "skill": "skills/**/SKILL.md",
    },
    "antigravity": {
        "workflow": ".agents/workflows/**/*.md",
        "agent": ".agents/agents/**/*.md",
        "skill": ".agents/skills/**/SKILL.md",
        "rule": ".agents/rules/**/*.md",
    },
    "gemini": {
        "extension": "*/gemini-extension.json",
        "command": "*/commands/**/*.toml",
        "agent": "*/agents/**/*.md",
        "skill": "*/skills/**/SKILL.md",
    },
}


@dataclass(frozen=True, order=True)
class Artifact:
    """One staged file; ``path`` is from the harness's tree, ``header`` what its author says of it."""

    path: str
    kind: str
    header: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def package(self) -> str:
        """The folder of its plugin or extension, where each package has one."""
        return self.path.partition("/")[0]

    @property
    def stem(self) -> str:
        """The file's own name, or the skill's folder's."""
        path = PurePosixPath(self.path)
        return path.parent.name if self.kind == "skill" else path.stem

    def below(self, folder: str) -> str:
        """The path below the last folder of that name on the way, without its suffix."""
        return self.path.partition(f"{folder}/")[2].rpartition(".")[0]


def artifacts(harness: str, tree: Path) -> list[Artifact]:
    """Return what is staged for a harness, by path."""
    found = [
        Artifact(path.relative_to(tree).as_posix(), kind, header(path))
        for kind, glob in GLOBS[harness].items()
        for path in tree.glob(glob)
        if path.is_file()
    ]
    skills = {str(PurePosixPath(each.path).parent) for each in found if each.kind == "skill"}
    return sorted(each for each in found if not (each.kind == "skill" and _inside(each, skills)))


def _inside(artifact: Artifact, skills: set[str]) -> bool:
    """Tell a supporting file that is called SKILL.md from a skill."""
    return any(str(folder) in skills for folder in PurePosixPath(artifact.path).parent.parents)


def header(path: Path) -> dict[str, str]:
    """Return the texts of a TOML file or of a Markdown file's header, be it no proper YAML."""
    text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    if path.suffix == ".toml":
        return _texts(_toml(text))
    match = re.match(r"---\r?\n(.*?\n)??---\s*?(\n|$)", text, re.DOTALL)
    return _texts(_yaml(match[1] or "")) if match else {}


def _toml(text: str) -> object:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def _yaml(text: str) -> object:
    try:
        return yaml.load(text, yaml.BaseLoader)
    except yaml.YAMLError:
        return dict(re.findall(r"^([\w-]+):[ \t]+([^\s>|&*!].*?)\s*$", text, re.MULTILINE))


def _texts(fields: object) -> dict[str, str]:
    if not isinstance(fields, dict):
        return {}
    return {str(key): value for key, value in fields.items() if isinstance(value, str)}
