"""Markdown files with a header: copied where the target reads them as they are, else written anew.

What is written anew keeps its body byte for byte, but for argument placeholders; the header is made
of what the facts of both sides say, and of what the writer adds.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

from tackroom.harnesses import placeholders
from tackroom.harnesses.codes import BodyCut, DanglingMention, FieldCut, FieldDropped, NameChanged
from tackroom.harnesses.contract import FieldFact, HeaderFact, Order, Placeholders, Staged, Written
from tackroom.harnesses.emit import Emitted, header
from tackroom.harnesses.header import (
    FIRST,
    NO_CONVERTERS,
    Carried,
    Converter,
    convert,
    misread,
    names,
    shown,
    target_header,
)
from tackroom.packages import mentions
from tackroom.packages.findings import Finding
from tackroom.packages.formats import COMMAND_TOML
from tackroom.packages.model import Artifact, File, Kind, Text

_NO_PLACEHOLDERS = Placeholders()
MAX_DESCRIPTION = 160  # characters of one that has to be made

_LETTER = re.compile(r"[^\W\d_]")
# underscores within a word and what stands in code are no markup
_MARKUP = re.compile(
    r"^\s*(?:#+|[-*+>|]|[0-9]+[.)])\s+|`+(?P<code>[^`]*)`*"
    r"|(?<!\w)(?P<mark>\*{1,3}|_{1,3}|~~)(?=\S)(?P<text>.+?)(?<=\S)(?P=mark)(?!\w)"
    r"|<[^>]*>|!?\[|\]\([^)]*\)"
)


def write(
    order: Order,
    converters: Mapping[str, Converter] = NO_CONVERTERS,
    *,
    added: Sequence[tuple[str, Emitted]] = (),
    note: str = "",
    named: bool = True,
    text: bytes | None = None,
) -> Written:
    """Yield the file of one artifact, and what it loses.

    ``added`` are fields that the writer puts behind name and description, where the author does not
    say them; ``note`` is Markdown that stands before the body. ``named``: the header may say a name.
    ``text`` stands in place of the author's body.
    """
    carried: list[Carried] = []
    if not named:
        yield from name_left(order)
    for each in convert(order, converters):
        if isinstance(each, Finding):
            yield each
        else:
            carried.append(each)
    body = (yield from translated(order)) if text is None else Body(text, "", changed=True)
    first = tuple(each for each in _first(order) if named or each[0] != "name")
    yield from _too_long(order, first)
    if not (added or note or body.changed) and _reads_as_it_is(order, first, carried, named=named):
        yield from _staged(order, order.artifact.file, order.artifact.file.size)
    else:
        head = yield from _head(order, first, added, carried)
        content = head.encode(errors="surrogatepass") + below(note + body.note, body.text)
        yield from _staged(order, content, len(content))


def _staged(order: Order, content: bytes | File, size: int) -> Written:
    """Yield the file, and a finding where the target reads only its first part."""
    limit = target_header(order).size
    if limit and size > limit:
        yield BodyCut(size=size, limit=limit)
    yield Staged(order.slot.place(order.name), content, order.artifact.file.executable)


# --- header


def _first(order: Order) -> Iterator[tuple[str, str]]:
    """Yield name and description as the target needs them: the source's own, else made ones."""
    facts = target_header(order)
    converted = order.artifact.kind is not order.slot.becomes
    for meaning, made in (("name", order.leaf), ("description", "")):
        fact = facts.by_meaning(meaning)
        own = own_text(order.artifact, meaning)
        renamed = meaning == "name" and order.renamed
        given = renamed or (meaning == "name" and converted)  # what is converted keeps its file's name
        if fact and (own or fact.required or renamed or converted):
            yield fact.name, made if given else own or made or description(order.artifact)


def _too_long(order: Order, first: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    for name, text in first:
        fact = target_header(order).by_name(name)
        if fact and fact.limit and len(text) > fact.limit:
            line = order.artifact.document.line(name)
            yield FieldCut(field=name, size=len(text), limit=fact.limit, line=line)


def name_left(order: Order) -> Iterator[Finding]:
    """Yield a finding where the source knows an artifact by its header's name, and the target cannot."""
    own = own_text(order.artifact, "name")
    slots = order.source.slots_for(order.artifact.kind)
    if own not in ("", order.leaf, order.artifact.segments[-1]) and slots and slots[0].by_header:
        line = order.artifact.document.line("name")
        yield NameChanged(name=own, staged_as=order.name, line=line, why="stands in the header alone")


def own_text(artifact: Artifact, key: str) -> str:
    """Return a text field that the author wrote, without blanks around it; empty where there is none."""
    value = artifact.document.get(key)
    return "" if value is None else shown(value).strip()


def description(artifact: Artifact) -> str:
    """Return the author's description, else the first line of the body with letters in it.

    Markup is stripped from a line that has to stand in for one, and it is cut at 160 characters.
    """
    own = own_text(artifact, "description")
    if own:
        return own
    for line in artifact.document.body.decode(errors="replace").splitlines():
        text = " ".join(_plain(line).split())
        if _LETTER.search(text):
            return text[:MAX_DESCRIPTION].rstrip()
    return f"{artifact.kind} {artifact.name}"


def _plain(line: str) -> str:
    """Return a line of Markdown without its markup."""

    def inner(found: re.Match[str]) -> str:
        return found["code"] or _plain(found["text"] or "")

    return _MARKUP.sub(inner, line) if line else ""


def _reads_as_it_is(
    order: Order, first: Sequence[tuple[str, str]], carried: Sequence[Carried], *, named: bool
) -> bool:
    """Tell whether the target reads the author's own file as it should."""
    document, facts = order.artifact.document, target_header(order)
    if order.artifact.path.endswith(COMMAND_TOML):
        return False
    if facts.plain:
        return not document.fenced or (order.is_own and not document.repairs)
    if document.repairs or (document.bom and not facts.bom) or (document.loose and not facts.loose):
        return False
    if facts.head and order.artifact.file.size - len(document.body) > facts.head:
        return False
    if not all(_says(order, name, text) for name, text in first):
        return False
    kept = {each.name for each in carried if each.same} | set(FIRST if named else FIRST[1:])
    return all(field.key in kept for field in document.fields)


def _says(order: Order, name: str, text: str) -> bool:
    """Tell whether the author's own header says a text, in a form that the target reads as that text."""
    facts, value = target_header(order), order.artifact.document.get(name)
    fact = facts.by_name(name)
    if not isinstance(value, Text) or fact is None or misread(value, fact, facts):
        return False
    return own_text(order.artifact, name) == text


def _head(
    order: Order,
    first: Sequence[tuple[str, Emitted]],
    added: Sequence[tuple[str, Emitted]],
    carried: Sequence[Carried],
) -> Generator[Finding, None, str]:
    """Return the header block, without what the target does not know where it would be too long."""
    facts = target_header(order)
    if facts.plain:
        for name in FIRST:
            if own_text(order.artifact, name) not in ("", order.leaf):
                yield FieldDropped(field=name, line=order.artifact.document.line(name))
        return ""
    # one key twice would cost some readers the whole header
    said = {each.name: each.value for each in carried if not each.idle}
    fields = {**dict([*first, *added]), **said}
    return (yield from _fitting(list(fields.items()), facts))


def _fitting(fields: Sequence[tuple[str, Emitted]], facts: HeaderFact) -> Generator[Finding, None, str]:
    """Return a header that the target reads: without what does least there, the longest first."""
    if not facts.head or _size(fields) <= facts.head:
        return header(fields)
    kept = [(name, _cut(value, facts.by_name(name))) for name, value in fields]
    for dropped in sorted(kept, key=lambda each: (_matters(each[0], facts), -_size([each]))):
        if _size(kept) > facts.head and dropped[0] not in FIRST:
            kept.remove(dropped)
            yield FieldDropped(field=dropped[0], note=f"only {facts.head} bytes of a header are read")
    return header(kept)


def _size(fields: Sequence[tuple[str, Emitted]]) -> int:
    return len(header(fields).encode(errors="surrogatepass"))


def _matters(name: str, facts: HeaderFact) -> bool:
    fact = facts.by_name(name)
    return fact is not None and not fact.inert


def _cut(value: Emitted, fact: FieldFact | None) -> Emitted:
    """Return a text without the part that the target does not read anyway."""
    limit = fact.limit if fact else 0
    return value[:limit].rstrip() if limit and isinstance(value, str) else value


# --- body


def below(note: str, text: bytes) -> bytes:
    """Return a text with a note above it, and one empty line between them."""
    if text.startswith((b"\n", b"\r\n")) and note.endswith("\n\n"):
        note = note.removesuffix("\n")
    return note.encode(errors="surrogatepass") + text


class Body(NamedTuple):
    """A body as the target reads it. ``changed``: it is not the source's own, or a note explains it."""

    text: bytes
    note: str
    changed: bool


def translated(order: Order) -> Generator[Finding, None, Body]:
    """Yield what the body loses, and return it with its placeholders as the target writes them."""
    document = order.artifact.document
    declared = document.get("arguments")
    found = placeholders.translate(
        document.body,
        order.source.placeholders.get(order.artifact.kind, _NO_PLACEHOLDERS),
        order.target.placeholders.get(order.slot.becomes, _NO_PLACEHOLDERS),
        declared=names(declared) if declared is not None else (),
        arguments_expected=declared is not None or document.get("argument-hint") is not None,
    )
    roots = order.target.roots_of if order.slot.becomes is Kind.SKILL else {}
    for each in (*found.findings, *_dangling(order, roots)):
        yield each.further_down(document.body_line - 1)
    body = mentions.renamed(found.body, roots)
    return Body(body, found.note, body != document.body or bool(found.note))


def _dangling(order: Order, roots: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a finding for each mention of the package's own files that leads nowhere in the target."""
    body = order.artifact.document.body
    said: set[str] = set()
    for variable, mention, start in mentions.of_root(body):
        known = variable in order.target.roots or variable in roots
        if not known and mention not in said:
            said.add(mention)
            yield DanglingMention(mention=mention, line=body.count(b"\n", 0, start) + 1)
