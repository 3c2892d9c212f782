"""The neutral model: what a package holds, whatever format it was written in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Self


class Kind(StrEnum):
    """What an artifact is; the words of ``KIND/NAME`` ids."""

    COMMAND = "command"
    AGENT = "agent"
    SKILL = "skill"
    RULE = "rule"
    HOOK = "hook"
    MCP = "mcp"
    LSP = "lsp"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class File:
    """A regular file of a tree; its bytes are read when they are asked for.

    ``key`` names the content: a git blob id, or ``xxh3:`` and a digest for a file of a folder.
    """

    key: str
    executable: bool = False
    size: int = 0
    load: Callable[[], bytes] = field(compare=False, repr=False, default=bytes)


class Link(NamedTuple):
    """A symbolic link, with its target as written."""

    target: str


class Submodule(NamedTuple):
    """A commit of another repository, which this one does not hold."""

    commit: str


Node = File | Link | Submodule


class Text(str):
    """A scalar of a header: the text its author wrote, and whether it stood there without quotes."""

    __slots__ = ("plain",)
    plain: bool

    def __new__(cls, text: str, *, plain: bool = True) -> Self:
        """Make a scalar; ``plain`` is false for a quoted or block one."""
        made = super().__new__(cls, text)
        made.plain = plain
        return made


Value = Text | tuple["Value", ...] | Mapping[str, "Value"]


class Field(NamedTuple):
    """One top-level key of a header. ``line`` counts from 1 in the file."""

    key: str
    value: Value
    line: int


class Repair(NamedTuple):
    """Something in a header that its own format would not have read as it stands."""

    line: int
    problem: str


class Document(NamedTuple):
    """A Markdown file taken apart: header fields and body.

    ``body`` is the exact bytes after the closing fence (the whole file where there is no header).
    ``fenced``: a header block stands there. ``repairs``: why it is not valid YAML as a whole.
    ``bom``: the file starts with a byte order mark, which belongs to neither part. ``loose``: a fence
    has blanks behind it or ends in CR alone, which not every reader takes for one.
    """

    fields: tuple[Field, ...] = ()
    body: bytes = b""
    body_line: int = 1
    fenced: bool = False
    bom: bool = False
    loose: bool = False
    repairs: tuple[Repair, ...] = ()

    def get(self, key: str) -> Value | None:
        """Return the value of a top-level key, or None."""
        for each in self.fields:
            if each.key == key:
                return each.value
        return None

    def line(self, key: str) -> int:
        """Return the line a key stands on, 0 where it is absent."""
        return next((each.line for each in self.fields if each.key == key), 0)


class Support(NamedTuple):
    """A supporting file of a skill: ``path`` from the skill's folder, ``source`` from the package's root."""

    path: str
    source: str
    file: File


class Artifact(NamedTuple):
    """One command, agent, skill or rule.

    ``segments`` is its place below the component folder without the suffix: ``("git", "commit")``
    for ``commands/git/commit.md``; ``name`` joins them with ``-``. ``format`` is the id of the
    format it is written in, ``vendor`` the folder it was found under (``.claude``; empty: the root).
    ``path`` counts from the package's root.
    """

    kind: Kind
    name: str
    segments: tuple[str, ...]
    path: str
    format: str
    vendor: str
    file: File
    document: Document
    files: tuple[Support, ...] = ()

    @property
    def id(self) -> str:
        """KIND/NAME, as ``only:`` and ``skip:`` spell it."""
        return f"{self.kind}/{self.name}"
