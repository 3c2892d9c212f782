"""Argument placeholders, injected commands and inlined files in the words of another harness.

Takes a body and how two harnesses write placeholders; gives the body with those rewritten that the
target has a form for, a note to the model about those it has not, and findings. It changes no other
byte, and asks the two tables, never whose they are. ``positions`` tells what counts as a position,
``forms`` what as an inlined file. In OpenCode the highest position takes all the words that are left;
elsewhere it takes one, and no body is changed for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import cache, partial
from typing import NamedTuple

from tackroom.harnesses.codes import PlaceholderKept, TextReread
from tackroom.harnesses.contract import Count, Placeholders
from tackroom.harnesses.fences import Span, fences
from tackroom.harnesses.forms import FORMS, Wrapped
from tackroom.harnesses.positions import INDEXED, positions
from tackroom.packages.findings import Finding


class Translated(NamedTuple):
    """A body as the target reads it.

    ``note``: a paragraph for the model, to be put before the body; empty where nothing is left to
    say. Lines of the findings count from 1 in the body.
    """

    body: bytes
    note: str = ""
    findings: tuple[Finding, ...] = ()


class _Kind(Enum):
    ALL = auto()
    WORD = auto()
    SHELL = auto()
    BLOCK = auto()
    FILE = auto()


class _Found(NamedTuple):
    """A placeholder of the source. ``word``: which word of the arguments it stands for, from 0."""

    kind: _Kind
    outer: Span
    inner: Span = (0, 0)
    word: int = 0
    named: bool = False


class _Edit(NamedTuple):
    start: int
    end: int
    text: bytes


_UNESCAPED = re.compile(rb"\$(?<!\\\$)[0-9](?![0-9])")
_NUMBER = re.compile(rb"\$[0-9]{1,4}")
_DIGIT = re.compile(rb"\$[0-9](?![0-9])|" + INDEXED.pattern)
# two patterns each, since a search is fast where it starts with a text
_INJECTED = (re.compile(rb"```[ \t]*!"), re.compile(rb"~~~[ \t]*!"))
_RUN = (re.compile(rb"```\s*!"), re.compile(rb"~~~\s*!"))
_DECLARED = re.compile(r"(?!ARGUMENTS)[A-Za-z_][A-Za-z0-9_-]*")  # one that starts so would overlap $ARGUMENTS
_FROM_ZERO = (Count.ZERO, Count.TOLD)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def translate(
    body: bytes,
    source: Placeholders,
    target: Placeholders,
    *,
    declared: Sequence[str] = (),
    arguments_expected: bool = False,
) -> Translated:
    """Return a body of the source as the target has to read it.

    ``declared``: the names in its header's ``arguments``. ``arguments_expected``: the header says
    that there are arguments.
    """
    if source == target or not _may_hold_any(body):
        return Translated(body)
    found = sorted(_find(body, source, declared, expected=arguments_expected), key=lambda each: each.outer)
    made = [(each, _rewritten(each, body, source, target)) for each in found]
    kept = [each for each, edits in made if edits is None]
    edits = [*_escapes(body, source, target), *(edit for _, some in made for edit in some or ())]
    known = {each.outer[0] for each in found if each.kind is _Kind.WORD} | {each.start for each in edits}
    reread = _reread(body, source, target, known)
    findings = [*_kept_findings(body, kept, source), *_reread_findings(body, sorted(reread))]
    return Translated(_edited(body, edits), _note(body, kept, source, target), tuple(findings))


def _may_hold_any(body: bytes) -> bool:
    """Tell whether a placeholder of any harness may stand in a body."""
    if b"$" in body or b"@" in body or b"{{" in body:
        return True
    return b"!" in body and (b"!`" in body or b"!{" in body or any(each.search(body) for each in _INJECTED))


# --- what stands in the source


def _find(body: bytes, source: Placeholders, declared: Sequence[str], *, expected: bool) -> Iterator[_Found]:
    """Yield every placeholder of a body, in no order."""
    if source.all:
        for span in _all_arguments(body, source):
            yield _Found(_Kind.ALL, span)
    if source.count is not Count.NONE:
        yield from _words(body, source, expected=expected)
    if source.declared:
        yield from _names(body, declared)
    for kind, form in ((_Kind.SHELL, source.shell), (_Kind.FILE, source.file)):
        if form:
            yield from (_Found(kind, each.outer, each.inner) for each in FORMS[form].find(body))
    if source.block:
        yield from (_Found(_Kind.BLOCK, each.outer, each.inner) for each in _blocks(body))


def _all_arguments(body: bytes, syntax: Placeholders) -> Iterator[Span]:
    indexed = {each.start() for each in INDEXED.finditer(body)} if syntax.count in _FROM_ZERO else set()
    found = _pattern(syntax.all).finditer(body)
    yield from (each.span() for each in found if each.start() not in indexed)


@cache
def _pattern(all_arguments: str) -> re.Pattern[bytes]:
    text = re.escape(all_arguments.encode())
    if all_arguments.startswith("{"):
        text += rb"(?<![@!]" + text + rb")"  # there the first brace opens an inlined file or a command
    return re.compile(text)


def _words(body: bytes, source: Placeholders, *, expected: bool) -> Iterator[_Found]:
    from_zero = source.count in _FROM_ZERO
    indexed = [*INDEXED.finditer(body)] if from_zero else []
    yield from (_Found(_Kind.WORD, each.span(), word=int(each[1])) for each in indexed)
    plain = positions(body, from_zero=from_zero, expected=expected)
    first = 1 if source.count is Count.ONE else 0
    if source.count is Count.TOLD and not indexed and all(each[1] != b"0" for each in plain):
        first = 1
    yield from (_Found(_Kind.WORD, each.span(), word=int(each[1]) - first) for each in plain)


def _names(body: bytes, declared: Sequence[str]) -> Iterator[_Found]:
    words = {name.encode(): word for word, name in enumerate(declared) if _DECLARED.fullmatch(name)}
    if words:
        either = b"|".join(re.escape(name) for name in sorted(words, key=len, reverse=True))
        for each in re.finditer(rb"\$(?<!\\\$)(" + either + rb")(?![\w\[-])", body):
            yield _Found(_Kind.WORD, each.span(), word=words[each[1]], named=True)


def _blocks(body: bytes) -> Iterator[Wrapped]:
    for fence in fences(body) if any(each.search(body) for each in _RUN) else ():
        if fence.language == b"!":
            yield Wrapped(fence.outer, fence.inner)


# --- what the target makes of it


def _rewritten(each: _Found, body: bytes, source: Placeholders, target: Placeholders) -> list[_Edit] | None:
    """Return the edits that say a placeholder in the target's way, or None where it has none."""
    match each.kind:
        case _Kind.ALL:
            return _all_rewritten(each, body, source, target)
        case _Kind.WORD:
            return _word_rewritten(each, body, target)
        case _Kind.BLOCK:
            return [] if target.block else _wrapped(each, body, target.shell)
        case _Kind.SHELL:
            return [] if target.shell == source.shell else _wrapped(each, body, target.shell)
        case _Kind.FILE:
            return [] if target.file == source.file else _wrapped(each, body, target.file)


def _all_rewritten(
    each: _Found, body: bytes, source: Placeholders, target: Placeholders
) -> list[_Edit] | None:
    start, end = each.outer
    if target.all == source.all:
        return []
    # '@' or '!' before '{{args}}' would open an inlined file or a command
    glued = target.all.startswith("{") and body[max(start - 1, 0) : start] in (b"@", b"!")
    return None if glued or not target.all else [_Edit(start, end, target.all.encode())]


def _word_rewritten(each: _Found, body: bytes, target: Placeholders) -> list[_Edit] | None:
    start, end = each.outer
    if each.named and target.declared:
        return []
    if target.count is Count.NONE:
        return None
    if target.count in _FROM_ZERO and INDEXED.match(body, start):
        return []
    return [_Edit(start, end, b"$%d" % (each.word + (target.count is Count.ONE)))]


def _wrapped(each: _Found, body: bytes, form: str) -> list[_Edit] | None:
    """Return the edits around a command or path; what is inside may hold placeholders of its own."""
    if not form or not FORMS[form].fits(body, Wrapped(each.outer, each.inner)):
        return None
    before, after = form.split("{}", 1)
    inner = body[slice(*each.inner)]
    start = each.inner[0] + len(inner) - len(inner.lstrip())
    end = each.inner[1] - len(inner) + len(inner.rstrip())
    return [_Edit(each.outer[0], start, before.encode()), _Edit(end, each.outer[1], after.encode())]


def _escapes(body: bytes, source: Placeholders, target: Placeholders) -> Iterator[_Edit]:
    """Yield a backslash for each dollar that would become a position, where the target has that escape."""
    if target.escape and source.count is Count.NONE and target.count is not Count.NONE:
        for each in _UNESCAPED.finditer(body):
            yield _Edit(each.start(), each.start(), b"\\")


def _edited(body: bytes, edits: list[_Edit]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for edit in sorted(edits, key=lambda each: (each.start, each.end)):
        parts += (body[at : edit.start], edit.text)
        at = edit.end
    return b"".join([*parts, body[at:]])


# --- what the target takes for its own


def _reread(
    body: bytes, source: Placeholders, target: Placeholders, known: set[int]
) -> Iterator[tuple[int, bytes]]:
    """Yield text that is none of the source's placeholders and one of the target's, and where it stands."""
    if target.all and target.all != source.all:
        yield from ((span[0], body[slice(*span)]) for span in _all_arguments(body, target))
    if target.count is not Count.NONE:
        yield from ((at, text) for at, text in _dollars(body, source, target) if at not in known)
    for mine, other in ((target.shell, source.shell), (target.file, source.file)):
        if mine and mine != other:
            yield from _trips(body, mine)
    if target.block and not source.block:
        yield from ((each.outer[0], b"```!") for each in _blocks(body))


def _dollars(body: bytes, source: Placeholders, target: Placeholders) -> Iterator[tuple[int, bytes]]:
    """Yield the dollars that the target reads and the source reads otherwise, or not at all.

    Where positions start at 1 a missing one is emptied, so that even ``$20`` is lost; elsewhere it stays.
    """
    if source.count is Count.NONE or (source.count is Count.ONE) != (target.count is Count.ONE):
        number = _NUMBER if target.count is Count.ONE else _DIGIT
        yield from ((each.start(), each[0]) for each in number.finditer(body))


def _trips(body: bytes, form: str) -> Iterator[tuple[int, bytes]]:
    opening = FORMS[form].opening
    if opening:
        for each in re.finditer(re.escape(opening) + rb"(?:[^{}\n]{0,80}\})?", body):
            yield each.start(), each[0]
    else:
        yield from ((each.outer[0], body[slice(*each.outer)]) for each in FORMS[form].find(body))


# --- what is said of it


def _shown(form: str) -> str:
    return form.replace("{}", "path" if form.startswith("@") else "...", 1)


def _name(body: bytes, each: _Found, source: Placeholders) -> str:
    """Return how a placeholder is called; commands and files share one name each."""
    match each.kind:
        case _Kind.SHELL:
            return _shown(source.shell)
        case _Kind.FILE:
            return _shown(source.file)
        case _Kind.BLOCK:
            return "```!"
        case _:
            return body[slice(*each.outer)].decode()


def _kept_findings(body: bytes, kept: Iterable[_Found], source: Placeholders) -> Iterator[Finding]:
    named = ((each.outer[0], _name(body, each, source)) for each in kept)
    for name, line in _first_lines(body, named).items():
        yield PlaceholderKept(placeholder=name, line=line)


def _reread_findings(body: bytes, reread: Iterable[tuple[int, bytes]]) -> Iterator[Finding]:
    decoded = ((start, text.decode(errors="replace")) for start, text in reread)
    for text, line in _first_lines(body, decoded).items():
        yield TextReread(text=text, line=line)


def _first_lines(body: bytes, places: Iterable[tuple[int, str]]) -> dict[str, int]:
    """Return the line on which each text stands first; the places are in order."""
    lines: dict[str, int] = {}
    line, at = 1, 0
    for start, text in places:
        line += body.count(b"\n", at, start)
        at = start
        lines.setdefault(text, line)
    return lines


def _note(body: bytes, kept: Sequence[_Found], source: Placeholders, target: Placeholders) -> str:
    """Say in a quoted paragraph what the placeholders that are kept stand for."""
    name = partial(_name, body, source=source)
    kinds = {each.kind: name(each) for each in kept}
    said = []
    if form := kinds.get(_Kind.SHELL):
        said.append(f"Run each command written as {form} first and use its output in its place.")
    if form := kinds.get(_Kind.BLOCK):
        said.append(f"Run each code block opened with {form} first and use its output in its place.")
    if form := kinds.get(_Kind.FILE):
        said.append(f"Where {form} stands, read that file first.")
    words = sorted((each for each in kept if each.kind is _Kind.WORD), key=lambda each: each.word)
    meant = {name(each): _which(each.word) for each in words}
    if form := kinds.get(_Kind.ALL):
        meant = {form: "all of them", **meant}
    if meant:
        said += _arguments(meant, target)
    return "".join(f"> {sentence}\n" for sentence in said) + "\n" if said else ""


def _arguments(meant: dict[str, str], target: Placeholders) -> Iterator[str]:
    if target.all:
        yield f"The arguments are: {target.all}"
    else:
        yield "The arguments are the words that the user gave after the name of this command or skill."
    listed = ", ".join(f"`{name}` for {what}" for name, what in meant.items())
    yield listed.replace("` for ", "` stands for ", 1) + "."


def _which(word: int) -> str:
    return f"the {_ORDINALS[word]}" if word < len(_ORDINALS) else f"number {word + 1}"
