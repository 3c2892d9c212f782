"""What a harness says of itself, as frozen tables, and what its writer is asked for and returns.

A harness is one folder: ``facts.py`` holds one ``Facts``, ``writer.py`` one function a kind, each
``(Order) -> Iterator[Staged | Finding]``. Fields of different harnesses that mean the same carry
the same ``means``: Claude Code's spelling, since it has the largest vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from tackroom.packages.findings import Finding
from tackroom.packages.model import Artifact, File, Kind
from tackroom.packages.package import Package

# meanings of an agent's fields that Claude Code has no field for
SWITCHES = "tool switches"  # a map of tools to true or false
PERMISSION = "permission"  # a map of tools to allow, ask or deny, or to a map of patterns to these


class Form(Enum):
    """The form a field's value has. NAMES is a list of words in whatever form that harness takes."""

    TEXT = "text"
    BOOLEAN = "boolean"
    NUMBER = "number"
    LIST = "list"
    COMMAS = "comma-separated text"
    MAP = "map"
    ANY = "any"


@dataclass(frozen=True)
class FieldFact:
    """One header field that a harness's reader knows.

    ``also``: other forms it accepts. ``values``: the only ones it accepts. ``inert``: it is carried
    and does nothing (a licence, say), so losing it loses nothing; nor does losing a value that is its
    ``default``. ``guard``: it restricts what the agent or skill may do. ``limit``: characters of it
    that are read. ``in_plugin``: false where a plugin's files may not set it.
    """

    name: str
    form: Form = Form.TEXT
    means: str = ""
    also: tuple[Form, ...] = ()
    values: frozenset[str] = frozenset()
    default: str = ""
    limit: int = 0
    required: bool = False
    inert: bool = False
    guard: bool = False
    in_plugin: bool = True

    @cached_property
    def meaning(self) -> str:
        """The name that fields of other harnesses share which do the same."""
        return self.means or self.name


class Unknown(Enum):
    """What a harness does with a field that it does not know."""

    IGNORED = "ignored"
    HARMFUL = "refused or passed on"


@dataclass(frozen=True)
class HeaderFact:
    """How the header of one kind of file is read. ``plain``: there is none, all of the file is body."""

    fields: tuple[FieldFact, ...] = ()
    plain: bool = False
    unknown: Unknown = Unknown.IGNORED
    bom: bool = True  # a byte order mark before the fence is tolerated
    loose: bool = True  # so are blanks behind a fence, and lines that end in CR alone
    lenient: bool = False  # a field of the wrong form costs at most that field
    bare: bool = True  # a number, boolean or date without quotes is read as text where a text belongs
    size: int = 0  # bytes of a whole file that are read; 0: no limit
    head: int = 0  # bytes that a header may have; 0: no limit

    def by_meaning(self, meaning: str) -> FieldFact | None:
        """Return the field that means this, or None."""
        return self._by_meaning.get(meaning)

    def by_name(self, name: str) -> FieldFact | None:
        """Return the field of this name, or None."""
        return self._by_name.get(name)

    @cached_property
    def _by_meaning(self) -> Mapping[str, FieldFact]:
        return {each.meaning: each for each in reversed(self.fields)}  # the first of several counts

    @cached_property
    def _by_name(self) -> Mapping[str, FieldFact]:
        return {each.name: each for each in reversed(self.fields)}


class NameRule(NamedTuple):
    """What a name may look like. ``illegal`` matches each run of characters that becomes ``-``.

    ``alike`` matches what makes no difference between two names there.
    """

    illegal: re.Pattern[str] | None = None
    lower: bool = False
    limit: int = 0  # characters; 0: the file system's
    alike: re.Pattern[str] | None = None

    def why_not(self, name: str) -> str:
        """Say why a name breaks the rule; empty where it does not."""
        if self.lower and name != name.lower():
            return "may not hold capitals there"
        if self.illegal and (found := self.illegal.search(name)):
            return f"may not hold {found[0]!r} there"
        if self.limit and len(name) > self.limit:
            return f"is longer than {self.limit} characters"
        return ""


_ANY_NAME = NameRule()


class Slot(NamedTuple):
    """Where artifacts of a kind land and what the harness takes them for.

    ``path`` counts from the package's folder in a plugin-shaped bundle, else from the tree's root.
    Names in one ``pool`` must differ; ``taken`` are those that this slot alone must avoid. ``nested``:
    sub-folders are part of the name there. ``by_header``: the harness knows the artifact by its
    header's ``name``, not by its file or folder.
    """

    kind: Kind
    becomes: Kind
    path: str
    pool: str
    nested: bool = False
    by_header: bool = False
    names: NameRule = _ANY_NAME
    taken: frozenset[str] = frozenset()

    def place(self, name: str) -> str:
        """Return the path of an artifact staged under a name (``/`` in it: a sub-folder)."""
        return self.path.replace("{name}", name)


class Count(Enum):
    """Where the positions of a placeholder start. TOLD: 0, but 1 where a body uses $1 and no $0."""

    NONE = "no positions"
    ZERO = "0"
    ONE = "1"
    TOLD = "0 or 1"


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The argument placeholders that a harness replaces in the bodies of one kind.

    ``all`` is its text for all arguments (``$ARGUMENTS``, ``{{args}}``; empty: none). ``shell`` and
    ``file`` are its forms of an injected command's output and of an inlined file, with ``{}`` for
    the command or path (empty: none). ``block``: a code fence opened with ``!`` is run likewise.
    ``declared``: ``$name`` for a name in ``arguments:``. ``escape``: a backslash keeps ``$1`` as it is.
    """

    all: str = ""
    count: Count = Count.NONE
    declared: bool = False
    escape: bool = False
    shell: str = ""
    block: bool = False
    file: str = ""


class When(Enum):
    """What makes a rule apply."""

    ALWAYS = "always"
    GLOBS = "files"
    DESCRIPTION = "by description"
    MANUAL = "by name only"


class Shape(Enum):
    """What a bundle of a harness looks like: a folder a package, or one tree for all of them."""

    PLUGINS = "plugins"
    TREE = "tree"


@dataclass(frozen=True)
class Facts:
    """A harness in tables. Every row's source stands beside it in ``facts.py``.

    ``vendor``: the folder of a package that holds its own originals (``.claude``). ``root``: where
    its files start in a bundle (``.agents`` for one that is launched on a folder). ``taken``: names
    that it reads specially, by pool. ``inner_skills``: a SKILL.md among a skill's supporting files is
    a skill of its own there. ``plugin_name``: what the name of a package's folder may be.
    ``tools``: Claude Code's tool name to its own ones. ``mcp_tool`` matches the name of an MCP server's
    tool, server and tool as groups, where it is not ``mcp__SERVER__TOOL``. ``empty_allows``: an agent's
    list of tools that is empty allows them all. ``true``: the words that switch a boolean on,
    in quotes too where ``quoted_true``. ``unscoped``: when a rule without any scope applies,
    ``described``: one that has a description. ``rooted``: a pattern without a slash matches in the
    top folder alone. ``shared``: pools whose names must differ between all packages, though each has
    a folder of its own. ``context``: a package's context file is staged with it. ``roots``: the
    variables that it replaces, in a text that is staged for it, by the folder of the package; ``roots_of``:
    what others call them, to its own, in a skill. ``manifest_guards``: fields of
    its manifest that take something away from an agent.
    """

    id: str
    title: str
    shape: Shape
    slots: tuple[Slot, ...]
    headers: Mapping[Kind, HeaderFact]
    root: str = ""
    vendor: str = ""
    plugin_name: NameRule = _ANY_NAME
    placeholders: Mapping[Kind, Placeholders] = field(default_factory=dict)
    taken: Mapping[str, frozenset[str]] = field(default_factory=dict)
    shared: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    manifest_guards: frozenset[str] = frozenset()
    roots_of: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mcp_tool: re.Pattern[str] | None = None
    empty_allows: bool = False
    true: frozenset[str] = frozenset({"true"})
    quoted_true: bool = False
    unscoped: When = When.ALWAYS
    described: When = When.ALWAYS
    inner_skills: bool = False
    rooted: bool = False
    context: bool = False
    certified: str = ""

    @cached_property
    def own_tools(self) -> tuple[str, ...]:
        """Its own names of tools, each once."""
        return tuple(dict.fromkeys(each for own in self.tools.values() for each in own))

    @cached_property
    def meant_by(self) -> Mapping[str, str]:
        """Claude Code's name for each of its own tools; the first one where several do the same."""
        rows = reversed([*self.tools.items()])
        return {own: name for name, owns in rows for own in owns}

    def slots_for(self, kind: Kind) -> tuple[Slot, ...]:
        """Return the slots that take artifacts of a kind, the native one first."""
        return tuple(slot for slot in self.slots if slot.kind is kind)


class Staged(NamedTuple):
    """A file to be staged. ``content`` is its bytes, or a file of the package to copy as it is."""

    path: str
    content: bytes | File
    executable: bool = False


class Fragment(NamedTuple):
    """What a package adds to a file that several packages share: merged by the harness's writer."""

    path: str
    key: str
    value: object


class Order(NamedTuple):
    """One artifact to be written into one slot, under the name that the rules gave it there.

    ``name`` may hold ``/`` in a nested slot. ``renamed``: it is not the artifact's own, so the
    header must say the new one. ``source`` are the facts of the format it is written in.
    """

    artifact: Artifact
    slot: Slot
    name: str
    renamed: bool
    source: Facts
    target: Facts

    @property
    def is_own(self) -> bool:
        """Whether the artifact is written in the target's own format."""
        return self.source.id == self.target.id

    @property
    def leaf(self) -> str:
        """The last part of the name, which is what a header says."""
        return self.name.rpartition("/")[2]


Written = Iterator[Staged | Finding]


class Bundle(NamedTuple):
    """A package as a whole in one harness: what its manifest and its shared files are made of.

    ``name`` is that of its folder and plugin.
    """

    package: Package
    name: str
    target: Facts


class Writer(NamedTuple):
    """What writes for a harness.

    ``write`` has one function for each kind and what it becomes. ``package`` makes the files that a
    package has once (a plugin's manifest), and its fragments of shared files; ``merge`` makes a shared
    file of all its fragments, which come in the packages' order.
    """

    write: Mapping[tuple[Kind, Kind], Callable[[Order], Written]]
    package: Callable[[Bundle], Iterator[Staged | Fragment | Finding]] | None = None
    merge: Callable[[str, tuple[Fragment, ...]], Staged] | None = None


@dataclass(frozen=True)
class Harness:
    """A harness: its facts, and its writer, which ``load`` imports when something is to be written."""

    facts: Facts
    load: Callable[[], Writer]

    @cached_property
    def _writer(self) -> Writer:
        return self.load()

    @property
    def write(self) -> Mapping[tuple[Kind, Kind], Callable[[Order], Written]]:
        """Its functions by kind and what that becomes."""
        return self._writer.write

    @property
    def package(self) -> Callable[[Bundle], Iterator[Staged | Fragment | Finding]] | None:
        """Its function for the files that a package has once, if there are any."""
        return self._writer.package

    @property
    def merge(self) -> Callable[[str, tuple[Fragment, ...]], Staged] | None:
        """Its function for files that packages share, if there are any."""
        return self._writer.merge
