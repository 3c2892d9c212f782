"""The code fences of a Markdown body.

Takes bytes and gives spans; it is told nothing of harnesses and changes nothing it was given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

Span = tuple[int, int]

_LINE = re.compile(rb"[ \t>]*+(`{3,}+|~{3,}+)([^`\n]*+)$", re.MULTILINE)
# a search is fast where it starts with a character, and slow where it starts with the begin of a line
_NEXT_LINE = re.compile(rb"\n" + _LINE.pattern, re.MULTILINE)


class Fence(NamedTuple):
    """A code fence: from its first mark to its last, and the content between its two lines.

    ``language`` is the first word after the opening marks, in lower case.
    """

    language: bytes
    outer: Span
    inner: Span


def fences(body: bytes) -> Iterator[Fence]:
    """Yield each code fence; one that is never closed ends with the body."""
    opened: re.Match[bytes] | None = None
    for line in _lines(body):
        if opened is None:
            opened = line
        elif line[1].startswith(opened[1]) and not line[2].strip():
            yield _fence(opened, line.end(1), line.start() + 1)
            opened = None
    if opened is not None:
        yield _fence(opened, len(body), len(body))


def _lines(body: bytes) -> Iterator[re.Match[bytes]]:
    """Yield each line of marks; all but the first line of a body with the line end before it."""
    if b"```" in body or b"~~~" in body:
        if first := _LINE.match(body):
            yield first
        yield from _NEXT_LINE.finditer(body)


def _fence(opened: re.Match[bytes], end: int, inner_end: int) -> Fence:
    words = opened[2].split()
    language = words[0].lower() if words else b""
    return Fence(language, (opened.start(1), end), (opened.end(), inner_end))


def blanked(body: bytes, spans: Iterable[Span]) -> bytes:
    """Return the body with NUL for every byte of those spans, so that offsets stay."""
    made = bytearray(body)
    for start, end in spans:
        made[start:end] = bytes(end - start)
    return bytes(made)
