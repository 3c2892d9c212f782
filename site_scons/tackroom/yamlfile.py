"""Takes the bytes of one YAML file that a user wrote, gives values that know their line.

Scalars stay the text that stands there; whoever asks for a value says what it must be. Anchors,
aliases and tags are refused, nothing recurses, no object is ever built. A file that is not YAML, or
says a key twice, is one mistake; mistakes in values are collected, so that a user sees all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import yaml

from tackroom.packages import near
from tackroom.packages.findings import quoted

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 16

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_CONTROL = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Check = Callable[[str], str]
Given = TypeVar("Given")
Made = TypeVar("Made")


class Mistakes(Exception):
    """What is wrong in a file, as pairs of line and message."""

    def __init__(self, *found: tuple[int, str]) -> None:
        super().__init__(*found)
        self.found = found

    def text(self, name: str) -> str:
        """Return one line a mistake, in the order of the file called ``name``."""
        return "\n".join(f"{name}:{line}: {message}" for line, message in sorted(self.found))


def hint(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'``, or all of a short list of known words where none is near."""
    return near.hint(word, known) or "; known: " + ", ".join(known)


def gather(read: Callable[[Given], Made], items: Iterable[Given]) -> list[Made]:
    """Read each item; raise the mistakes of all of them together."""
    made: list[Made] = []
    found: list[tuple[int, str]] = []
    for item in items:
        try:
            made.append(read(item))
        except Mistakes as wrong:
            found += wrong.found
    if found:
        raise Mistakes(*found)
    return made


def _fine(_: str) -> str:
    return ""


class Node(NamedTuple):
    """A value: text, a list, a map or null (None).

    ``keys`` lead to it; ``line`` is the line of its key, or its own in a list.
    A ``Check`` takes text and says what is wrong with it, so that it can follow "which"; or nothing.
    """

    keys: tuple[str, ...]
    line: int
    value: str | tuple[Node, ...] | Mapping[str, Node] | None

    @property
    def where(self) -> str:
        """The keys that lead here, for messages."""
        return quoted(".".join(self.keys)) if self.keys else "the file"

    @property
    def form(self) -> str:
        """What the value is, for messages."""
        if self.value is None:
            return "null"
        return {str: "text", tuple: "a list"}.get(type(self.value), "a map")

    def wrong(self, problem: str) -> Mistakes:
        """Return the mistake to raise; ``problem`` follows the name of the key."""
        return Mistakes((self.line, f"{self.where} {problem}"))

    def text(self, check: Check = _fine, *, verb: str = "is") -> str:
        """Return the text."""
        if not isinstance(self.value, str):
            raise self.wrong(f"must be text, not {self.form}")
        if not self.value:
            raise self.wrong("is empty; write a value or remove it")
        if not self.value.isprintable():
            raise self.wrong("holds a line break or a control character; write plain text in one line")
        if problem := check(self.value):
            raise self.wrong(f"{verb} {quoted(self.value)}, which {problem}")
        return self.value

    def texts(self, check: Check = _fine) -> tuple[str, ...]:
        """Return the items of a list of different texts."""
        if not isinstance(self.value, tuple):
            raise self.wrong(f"must be a list, not {self.form}")
        if not self.value:
            raise self.wrong("is an empty list; name something or remove it")
        first: dict[str, Node] = {}

        def read(item: Node) -> str:
            text = item.text(check, verb="names")
            if first.setdefault(text, item) is not item:
                raise item.wrong(f"names {quoted(text)} twice; remove one")
            return text

        return tuple(gather(read, self.value))

    def mapping(self) -> Mapping[str, Node]:
        """Return the values by key, in the order of the file."""
        if not isinstance(self.value, Mapping):
            raise self.wrong(f"must be a map, not {self.form}")
        return self.value

    def read(self, known: Mapping[str, Callable[[Node], Made]]) -> dict[str, Made]:
        """Read the keys of a map, each with its own reader; null is the same as no such key."""
        for_key = self.mapping()

        def one(key: str) -> Made | None:
            if key not in known:
                inside = f" in {self.where}" if self.keys else ""
                raise Mistakes((for_key[key].line, f"unknown key {quoted(key)}{inside}{hint(key, known)}"))
            return None if for_key[key].value is None else known[key](for_key[key])

        values = zip(for_key, gather(one, for_key), strict=True)
        return {key: value for key, value in values if value is not None}


def read(data: bytes) -> Node:
    """Return the value of a YAML file, an empty map where nothing is said; raise Mistakes."""
    root = compose(_events(_decode(data)))
    return Node((), 1, {}) if root is None or root.value is None else root


def _decode(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise Mistakes((line, "not UTF-8; save the file as UTF-8")) from None
    if found := _CONTROL.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise Mistakes((line, f"control character U+{ord(found[0]):04X}; remove it"))
    return text


def _events(text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=LOADER)
    except yaml.MarkedYAMLError as wrong:
        raise Mistakes((_line(wrong.problem_mark), f"not YAML: {_problem(wrong)}")) from None
    except (ValueError, OverflowError):  # an escape or a version that Python's own scanner cannot hold
        raise Mistakes((1, "not YAML: a number in an escape or directive is too large")) from None


def _line(mark: Any) -> int:  # noqa: ANN401 - PyYAML's two parsers have a class of marks each
    return mark.line + 1 if mark else 1


def _problem(wrong: yaml.MarkedYAMLError) -> str:
    parts = [wrong.problem or "cannot be parsed"]
    if wrong.context and wrong.context_mark:
        parts.append(f"{wrong.context} that starts in line {_line(wrong.context_mark)}")
    if wrong.context == "while scanning an alias":
        parts[-1] = "a value that starts with '*' needs quotes"
    return "; ".join(parts)


@dataclass(slots=True)
class _Open:
    """A list or map whose end has not been seen. ``key`` is the one that waits for its value."""

    keys: tuple[str, ...]
    line: int
    entries: dict[str, Node] | None = None
    items: list[Node] = field(default_factory=list)
    key: tuple[str, int] | None = None

    @property
    def wants_key(self) -> bool:
        return self.entries is not None and not self.key

    def place(self, line: int) -> tuple[tuple[str, ...], int]:
        """Return the keys that lead to the next value, and the line it is known by."""
        return ((*self.keys, self.key[0]), self.key[1]) if self.key else (self.keys, line)

    def enter(self, key: str, line: int) -> None:
        """Take a key."""
        if self.entries and key in self.entries:
            first = self.entries[key]
            raise Mistakes((line, f"{first.where} stands in line {first.line} already; keep one"))
        self.key = (key, line)

    def add(self, node: Node) -> None:
        """Take a value."""
        if self.entries is None:
            self.items.append(node)
        elif self.key:
            self.entries[self.key[0]] = node
            self.key = None

    def closed(self) -> Node:
        return Node(self.keys, self.line, tuple(self.items) if self.entries is None else self.entries)


def compose(events: Iterable[yaml.Event]) -> Node | None:
    """Build the one value that events describe; None where they describe none."""
    documents = _Open((), 1)
    stack = [documents]
    for event in events:
        line = _line(event.start_mark)
        if isinstance(event, yaml.NodeEvent):
            _refuse(event, line)
        if isinstance(event, yaml.ScalarEvent):
            _scalar(stack[-1], event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            stack.append(_start(stack, event, line))
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = stack.pop().closed()
            stack[-1].add(closed)
        elif isinstance(event, yaml.DocumentStartEvent) and documents.items:
            raise Mistakes((line, "a second document starts here; keep one"))
    return documents.items[0] if documents.items else None


def _scalar(within: _Open, event: yaml.ScalarEvent, line: int) -> None:
    if within.wants_key:
        within.enter(event.value, line)
    else:
        null = not event.style and event.value in _NULLS
        within.add(Node(*within.place(line), None if null else event.value))


def _start(stack: list[_Open], event: yaml.CollectionStartEvent, line: int) -> _Open:
    if stack[-1].wants_key:
        raise Mistakes((line, "a key must be text"))
    if len(stack) > MAX_DEPTH:
        raise Mistakes((line, f"nested deeper than {MAX_DEPTH} levels"))
    return _Open(*stack[-1].place(line), {} if isinstance(event, yaml.MappingStartEvent) else None)


def _refuse(event: yaml.NodeEvent, line: int) -> None:
    """Refuse what could make a value large, or anything but text, lists and maps."""
    if isinstance(event, yaml.AliasEvent):
        raise Mistakes(
            (line, f"alias {quoted(f'*{event.anchor}')}; write the value, in quotes if it is text")
        )
    if event.anchor:
        raise Mistakes((line, f"anchor {quoted(f'&{event.anchor}')}; remove it, aliases are not supported"))
    if tag := getattr(event, "tag", None):
        shown = tag.replace("tag:yaml.org,2002:", "!!", 1)
        raise Mistakes((line, f"tag {quoted(shown)}; remove it, tags are not supported"))
