"""The ways to write an injected command or an inlined file: where one stands, and what fits into it.

Takes bytes and a form as ``Placeholders`` spells it (``{}`` is the command or path); gives spans.
A plain ``@path`` is taken for a file only where it surely is one, and never inside code: mails,
mentions, decorators and package names look the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tackroom.harnesses.fences import Span, blanked, fences


class Wrapped(NamedTuple):
    """A command or path, ``inner``, and the form around it, ``outer``."""

    outer: Span
    inner: Span


class Form(NamedTuple):
    """``find`` yields what a harness replaces; ``fits``: a command or path can be written at a place.

    The two spans of ``fits`` are those of ``Wrapped`` in a body that is written in another form.
    ``opening``: what the harness trips over where nothing closes it.
    """

    find: Callable[[bytes], Iterator[Wrapped]]
    fits: Callable[[bytes, Wrapped], bool]
    opening: bytes = b""


# what may not stand before a mark is looked for behind it: a search is fast where it starts with the mark
_TICKED = re.compile(rb"!`(?<!\S!`)([^`\n]+)`")
_EXTENSION = (
    rb"(?:md|mdx|mdc|txt|rst|json|jsonc|yaml|yml|toml|ini|cfg|conf|env|lock|xml|csv|html|css|sql|sh|py|go|rs"
    rb"|tsx?|jsx)"
)
_PATH = (
    rb"(?: (?:\.{1,2}|~)/[\w./-]*\w/? | \.[A-Za-z][\w./-]*[\w/]"
    rb" | /?[\w-][\w.-]*/(?:[\w.-]+/)*[\w.-]*\.[A-Za-z]\w{0,7} | [\w-][\w.-]*\." + _EXTENSION + rb" )"
)
_AT_PATH = re.compile(rb"@ (?<![^\s(]@) (" + _PATH + rb") (?![\w/$@({<*=-])", re.VERBOSE)
_PLAIN = re.compile(rb"[\w.~/-]*[\w/]")
_INLINE_CODE = re.compile(rb"`[^`\n]+`")


def _ticked(body: bytes) -> Iterator[Wrapped]:
    for each in _TICKED.finditer(body):
        yield Wrapped(each.span(), each.span(1))


def _at_paths(body: bytes) -> Iterator[Wrapped]:
    if not _AT_PATH.search(body):
        return
    prose = blanked(body, (fence.outer for fence in fences(body)))
    prose = blanked(prose, (code.span() for code in _INLINE_CODE.finditer(prose)))
    for each in _AT_PATH.finditer(prose):
        yield Wrapped(each.span(), each.span(1))


def _braced(opening: bytes) -> Callable[[bytes], Iterator[Wrapped]]:
    """Return a finder of the outermost ``opening … }`` whose braces balance."""
    marks = re.compile(re.escape(opening) + rb"|[{}]")

    def find(body: bytes) -> Iterator[Wrapped]:
        open_marks: list[re.Match[bytes]] = []
        ours = 0
        for mark in marks.finditer(body):
            if mark[0] != b"}":
                open_marks.append(mark)
                ours += mark[0] == opening
            elif open_marks and (opened := open_marks.pop())[0] == opening:
                ours -= 1
                if not ours:
                    yield Wrapped((opened.start(), mark.end()), (opened.end(), mark.start()))

    return find


def _fits_ticks(body: bytes, each: Wrapped) -> bool:
    command = body[slice(*each.inner)].strip()
    return _stands_free(body, each) and bool(command) and not re.search(rb"[`\n]", command)


def _fits_braces(body: bytes, each: Wrapped) -> bool:
    command = body[slice(*each.inner)].strip()
    if not command or b"\n" in command or re.search(rb"[@!]\{", command):
        return False  # what opens another form inside would be read first
    depth = 0
    for brace in re.finditer(rb"[{}]", command):
        depth += 1 if brace[0] == b"{" else -1
        if depth < 0:
            return False
    return depth == 0


def _fits_at(body: bytes, each: Wrapped) -> bool:
    follower = body[each.outer[1] : each.outer[1] + 2]
    return (
        _stands_free(body, each)
        and _PLAIN.fullmatch(body, *each.inner) is not None
        and not re.match(rb"[\w/$-]|\.\w", follower)
    )


def _stands_free(body: bytes, each: Wrapped) -> bool:
    return not body[max(each.outer[0] - 1, 0) : each.outer[0]].strip()


FORMS: Mapping[str, Form] = {
    "!`{}`": Form(_ticked, _fits_ticks),
    "!{{}}": Form(_braced(b"!{"), _fits_braces, b"!{"),
    "@{}": Form(_at_paths, _fits_at),
    "@{{}}": Form(_braced(b"@{"), _fits_braces, b"@{"),
}
