r"""Which ``$1`` of a body stand for words of the arguments, and which are the dollars of something else.

Takes the bytes of a body and gives the matches; changes nothing. A harness replaces every dollar
before a number, whatever the author meant by it. Here one counts only where nothing speaks against it:

- Glue. A backslash, a dollar or a tilde stands before it, or it goes on as a word, a sum or a price:
  ``\$1``, ``$1$2``, ``$5M``, ``$1.50``, ``$1,000``, ``$5-10``, ``$9/month``, ``$1 per call``.
- Another language. It is part of an awk, perl or sed program, of a code fence in anything but shell,
  data or text, or of a shell fence that is a whole script: a shebang, a function, ``shift``, ``$#``,
  ``$@``, ``getopts``, ``Usage: $0``. A script without a fence lasts from its shebang to the end.
- The line. SQL's ``id = $1``, or the replacement that belongs to a regular expression.
- No run. ``$3`` counts only beside ``$1`` and ``$2``: positions run from 0 or 1 without a gap.
- A price after all. One number alone, in a body that names other sums of money and never says
  ``$ARGUMENTS``, while the header expects no arguments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tackroom.harnesses.fences import Span, blanked, fences

Match = re.Match[bytes]

INDEXED = re.compile(rb"\$ARGUMENTS\[([0-9]{1,3})\]")

_UNIT = rb"(?:mo|month|yr|year|hr|hour|min|minute|day|week|user|seat|call|request|token|[KMGT]B|1[KM])s?"
# what may not stand before a dollar is looked for behind it: a search is fast where it starts with it
_POSITION = re.compile(
    rb"\$ (?<![\\$~]\$) (0|[1-9][0-9]?)"
    rb"(?! [\w$%] | [.,][0-9] | -[0-9] | -\$[0-9]{2} | (?:/" + _UNIT + rb")+ (?![\w/.-])"
    rb" | \ (?:per|million|billion|thousand|spent|USD|dollars?)\b )",
    re.VERBOSE,
)
_MONEY = re.compile(
    rb"\$ (?: [0-9]{2} | [0-9] (?: ,[0-9]{3} | \.[0-9]{2}\b | [kKMB]\b | /" + _UNIT + rb"\b ) )", re.VERBOSE
)
_PROGRAM = re.compile(rb"\b(?:[gmn]?awk|perl|sed)\b[^\n]{0,200}?(?:\s'[^']*')+")
_OTHER_LINE = re.compile(
    rb"\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|VALUES|LIMIT|SET)\b .* \$[0-9]"
    rb" | \b(?:replace\w*|sub|match)\( | \breplacement: | \bs/[^/]+/[^/]*\$[0-9]"
    rb" | \( [^()\s]* [*+\\\]] [^()\s]* \)",
    re.VERBOSE,
)
_NEAR = 300  # bytes of a line that are looked at on either side; a hostile line may be the whole file
_NO_PROGRAM = frozenset(
    b"bash sh shell zsh fish console terminal text txt plaintext plain markdown md json jsonc yaml yml xml"
    b" toml ini diff http !".split()
)
_SCRIPT = re.compile(
    rb"^[ \t]*+ (?: \#! | function\s | [\w-]++[ \t]*+\(\)\s*+\{ | shift\b )"
    rb" | \$[#@*] | \bgetopts\b | \bUsage:\ \$0",
    re.VERBOSE | re.MULTILINE,
)
_SHEBANG = re.compile(rb"^#!/", re.MULTILINE)


def positions(body: bytes, *, from_zero: bool, expected: bool) -> list[Match]:
    """Return the matches of positions in the order of the body, each number as group 1.

    ``from_zero``: the format knows ``$0``. ``expected``: the header says that there are arguments.
    """
    if not _POSITION.search(body):
        return []
    prose = blanked(body, _other_languages(body))
    found = [each for each in _POSITION.finditer(prose) if not _on_other_line(body, each.start())]
    found = _run(found, body, from_zero=from_zero)
    lone = len({each[1] for each in found}) == 1
    if lone and not expected and b"$ARGUMENTS" not in body and _MONEY.search(body):
        return []
    return found


def _other_languages(body: bytes) -> Iterator[Span]:
    """Yield the parts whose dollars belong to another language."""
    yield from (each.span() for each in _PROGRAM.finditer(body))
    fenced = [*fences(body)]
    for fence in fenced:
        program = bool(fence.language) and fence.language not in _NO_PROGRAM
        if program or _SCRIPT.search(body, *fence.inner):
            yield fence.inner
    prose = blanked(body, (fence.inner for fence in fenced)) if b"#!/" in body else b""
    if bare := _SHEBANG.search(prose):
        yield bare.start(), len(body)


def _on_other_line(body: bytes, start: int) -> bool:
    """Tell whether the line of a dollar is SQL or replaces a regular expression."""
    line_start = max(body.rfind(b"\n", 0, start) + 1, start - _NEAR)
    line_end = body.find(b"\n", start, start + _NEAR)
    return _OTHER_LINE.search(body, line_start, start + _NEAR if line_end < 0 else line_end) is not None


def _run(found: list[Match], body: bytes, *, from_zero: bool) -> list[Match]:
    """Keep the positions that run from the first one without a gap."""
    numbers = {int(each[1]) for each in [*found, *INDEXED.finditer(body)]}
    first = 0 if from_zero and 0 in numbers else 1
    last = first
    while last in numbers:
        last += 1
    return [each for each in found if first <= int(each[1]) < last]
