"""A Markdown file taken apart: the scalars of its header stay text, its body stays bytes.

Takes any bytes and always gives a document. A header that is not valid YAML is read key by key; what
does not parse even so is kept as the text written, with a repair that says so. It must not resolve
types, expand aliases, act on tags or look into a body.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

import yaml
from tackroom.packages.findings import quoted
from tackroom.packages.model import Document, Field, Repair, Text, Value

MAX_SIZE = 1 << 20  # characters parsed as YAML in one go
MAX_VALUES = 10_000
MAX_DEPTH = 32
MAX_PLAIN = 1 << 13  # characters of a header that is read without YAML
MAX_LINES = 5_000  # of a header that is read key by key

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BLANK = " \t"
_FIRST = 2  # the line after the opening fence

_OPENING = re.compile(rb"---[ \t]*+(?:\r\n?|\n)")
_CLOSING = re.compile(rb"[\r\n]---[ \t]*+(?:\r\n?|\n|\Z)")
_LOOSE = re.compile(rb"[ \t]|\r(?!\n)")
_BURIED = re.compile(
    rb"((?:(?!---)[^\r\n]*+(?:\r\n?|\n)){1,5}?)---[ \t]*+(?:\r\n?|\n)[A-Za-z_][\w.-]*+[ \t]*+:[ \t\r\n]"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]+")  # YAML allows none of them
_SURROGATE = re.compile("[\ud800-\udfff]")
_KEY = re.compile(r"""(?:(["'])([^"']*)\1|([A-Za-z_][\w.-]*))[ \t]*:(?=[ \t]|$)""", re.ASCII)
_NO_TEXT = re.compile(r"[|>][-+1-9]{0,2}|#.*")  # after a colon: the mark of a block, or a comment


class _Unread(Exception):
    """YAML that is not taken as it stands; the text says why."""


def read(raw: bytes) -> Document:
    """Take a file apart."""
    start = len(BOM_UTF8) if raw.startswith(BOM_UTF8) else 0
    opening = _OPENING.match(raw, start)
    closing = _CLOSING.search(raw, opening.end() - 1) if opening else None
    if not opening or not closing:
        return Document(body=raw[start:], bom=start > 0, repairs=_buried(raw, start))
    fields, repairs = _header(raw[opening.end() : closing.start() + 1])
    end = closing.end()
    return Document(
        fields,
        raw[end:],
        1 + _breaks(raw[:end]),
        fenced=True,
        bom=start > 0,
        loose=_LOOSE.search(opening[0] + closing[0]) is not None,
        repairs=repairs,
    )


def is_text(raw: bytes) -> bool:
    """Tell whether a file is UTF-8 text."""
    try:
        return "\0" not in raw.decode()
    except UnicodeDecodeError:
        return False


def _buried(raw: bytes, start: int) -> tuple[Repair, ...]:
    found = _BURIED.match(raw, start)
    if not found or not _CLOSING.search(raw, found.end() - 1):
        return ()
    return (Repair(1 + _breaks(found[1]), "text before '---'; the frontmatter is not read"),)


def _breaks(raw: bytes) -> int:
    return raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")


def _header(raw: bytes) -> tuple[tuple[Field, ...], tuple[Repair, ...]]:
    text, repairs = _decoded(raw)
    try:
        fields = _plain_fields(text) or _fields(text, _FIRST)
        more = [] if fields else _keyless(text.split("\n"))
    except _Unread:
        fields, more = _by_key(text)
    fields, doubled = _once(fields)
    return tuple(fields), tuple(sorted(repairs + more + doubled, key=lambda each: each.line))


def _decoded(raw: bytes) -> tuple[str, list[Repair]]:
    repairs = []
    try:
        text = raw.decode()
    except UnicodeDecodeError as wrong:
        line = _FIRST + _breaks(raw[: wrong.start])
        repairs.append(Repair(line, "holds bytes that are not UTF-8; '\ufffd' stands for them"))
        text = raw.decode(errors="replace")
    # YAML would skip a byte order mark too, but not count it
    text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if found := _CONTROL.search(text):
        line = _FIRST + text.count("\n", 0, found.start())
        repairs.append(Repair(line, "holds control characters; they are left out"))
        text = _CONTROL.sub("", text)
    return text, repairs


def _keyless(lines: list[str]) -> list[Repair]:
    for at, line in enumerate(lines, _FIRST):
        if line.strip(_BLANK) and not line.startswith("#"):
            return [Repair(at, "text outside any key; it is not read")]
    return []


def _once(fields: list[Field]) -> tuple[list[Field], list[Repair]]:
    last: dict[str, Field] = {}
    repairs = []
    for each in fields:
        if last.pop(each.key, None):
            repairs.append(Repair(each.line, f"{quoted(each.key)} stands twice; the last one counts"))
        last[each.key] = each
    return list(last.values()), repairs


# --- YAML that is read alike by whoever reads it line by line ---------------------------------

# no tab, no character that YAML takes for a line end or refuses
_UNUSUAL = re.compile("[\0-\t\v-\x1f\x7f-\xa0\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_PLAIN_LINE = re.compile(
    r"""([A-Za-z_][\w-]{0,99}):\ +
    (?: "([^"\\\n]*)" | '([^'\n]*)' | ([\w(/$.<+=][^:#\n]*+(?:(?::(?=\S)|(?<=\S)\#)[^:#\n]*+)*(?<=\S)) )\n""",
    re.VERBOSE,
)


def _plain_fields(text: str) -> list[Field]:
    """Return the fields of a header with nothing but one text a line, as most have; none for any other."""
    if len(text) > MAX_PLAIN or _UNUSUAL.search(text):
        return []
    found: list[Field] = []
    at = 0
    while line := _PLAIN_LINE.match(text, at):
        key, double, single, plain = line.groups()
        value = Text(plain) if plain else Text(single or double or "", plain=False)
        found.append(Field(Text(key), value, _FIRST + len(found)))
        at = line.end()
    return found if at == len(text) else []


# --- valid YAML -------------------------------------------------------------------------------


def _fields(text: str, line: int) -> list[Field]:
    """Return the top-level keys of YAML whose first line is ``line``; none where it is no map."""
    if len(text) > MAX_SIZE:
        raise _Unread("is too long")
    tree = _Tree(text, line)
    try:
        loader = _LOADER(text)
        while event := loader.get_event():
            tree.take(event)
    except yaml.YAMLError as wrong:
        raise _Unread("is not valid YAML") from wrong
    return tree.fields


class _Tree:
    """Builds fields from events, on a stack of its own: no nesting can exhaust Python's."""

    def __init__(self, text: str, line: int) -> None:
        self.fields: list[Field] = []
        self._text, self._line, self._at = text, line, 0
        self._open: list[tuple[bool, list[Value]]] = []  # whether it is a map; its items: key, value, ...
        self._lines: list[int] = []  # of the items of the outermost
        self._left = MAX_VALUES

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent(anchor=None):
                self._add(_scalar(event), event)
            case yaml.CollectionStartEvent(anchor=None):
                self._enter(is_map=isinstance(event, yaml.MappingStartEvent))
            case yaml.CollectionEndEvent():
                self._leave(event)
            case yaml.NodeEvent():
                raise _Unread("holds a YAML anchor or alias")
            case yaml.DocumentStartEvent(explicit=True):
                raise _Unread("holds a YAML document mark")

    def _enter(self, *, is_map: bool) -> None:
        if len(self._open) == MAX_DEPTH:
            raise _Unread("is nested too deeply")
        self._open.append((is_map, []))

    def _leave(self, event: yaml.Event) -> None:
        is_map, items = self._open.pop()
        if not is_map:
            self._add(tuple(items), event)
            return
        keys = [each for each in items[::2] if isinstance(each, Text)]
        if len(keys) * 2 != len(items):
            raise _Unread("has a list or map for a key")
        if self._open:
            self._add(dict[str, Value](zip(keys, items[1::2], strict=True)), event)
        else:
            self.fields = list(map(Field, keys, items[1::2], self._lines[::2]))

    def _add(self, value: Value, event: yaml.Event) -> None:
        self._left -= 1
        if self._left < 0:
            raise _Unread("holds too many values")
        if len(self._open) == 1:
            self._lines.append(self._line_of(event))
        if self._open:
            self._open[-1][1].append(value)

    def _line_of(self, event: yaml.Event) -> int:
        # YAML's own count takes more characters for line ends than the file's readers do
        assert event.start_mark
        self._line += self._text.count("\n", self._at, event.start_mark.index)
        self._at = event.start_mark.index
        return self._line


def _scalar(event: yaml.ScalarEvent) -> Text:
    if _SURROGATE.search(event.value):
        raise _Unread("is not valid YAML")
    if not event.value and not event.style and event.tag and event.tag.startswith("!"):
        raise _Unread("is a bare YAML tag")
    return Text(event.value, plain=not event.style)


# --- anything else ----------------------------------------------------------------------------


def _by_key(text: str) -> tuple[list[Field], list[Repair]]:
    lines = text.split("\n")
    outside, *chunks = _chunks(lines[:MAX_LINES])
    fields, repairs = [], _keyless(outside)
    at = _FIRST + len(outside)
    for chunk in chunks:
        read, problems = _chunk(chunk, at)
        fields += read
        repairs += problems
        at += len(chunk)
    if len(lines) > MAX_LINES:
        repairs.append(Repair(at, f"more than {MAX_LINES} lines; the rest is not read"))
    return fields, repairs


def _chunks(lines: list[str]) -> list[list[str]]:
    """Return the lines before the first top-level key, then each key's own."""
    chunks: list[list[str]] = [[]]
    for line in lines:
        if _KEY.match(line):
            chunks.append([])
        chunks[-1].append(line)
    return chunks


def _chunk(lines: list[str], at: int) -> tuple[list[Field], list[Repair]]:
    found = _KEY.match(lines[0])
    assert found
    try:
        return _fields("\n".join(lines), at), []
    except _Unread as why:
        key = found[3] or found[2]
        value = _kept(lines[0][found.end() :].strip(_BLANK), lines[1:])
        return [Field(key, value, at)], [Repair(at, f"{quoted(key)} {why}; its text is kept")]


def _kept(first: str, below: list[str]) -> Value:
    more = [stripped for line in below if (stripped := line.strip(_BLANK)) and not line.startswith("#")]
    if _NO_TEXT.fullmatch(first):
        first = ""
    if not first and more and all(line[:2] in ("-", "- ") for line in more):
        return tuple(_item(line[1:].strip(_BLANK)) for line in more)
    return Text(" ".join([first, *more]).strip(_BLANK))


def _item(text: str) -> Value:
    """Return one entry of a list, of which another may be the one that does not parse."""
    try:
        (only,) = _fields(f"item: {text}", 0)
    except (_Unread, ValueError):
        return Text(text)
    return only.value
