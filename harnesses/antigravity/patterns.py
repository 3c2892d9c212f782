"""File patterns as Antigravity matches them.

It compares a pattern with a slash in it to the whole absolute path, one without to the file's name, and
a list is cut at every comma. Takes patterns of any format, gives ones that match there, and a finding
for each that then matches more than it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tackroom.harnesses.codes import ScopeChanged
from tackroom.packages.findings import Finding

MAX_PATTERNS = 256  # that braces of one pattern may stand for

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def written(globs: Iterable[str], *, rooted: bool) -> Iterator[str | Finding]:
    """Yield patterns for one comma list. ``rooted``: one without a slash was for the top folder alone."""
    for glob in globs:
        if glob.startswith("!"):
            yield ScopeChanged(scope=glob, note="no pattern leaves files out there; it is left out")
            continue
        found = tuple(anywhere(each) for each in expanded(glob))
        yield from found
        if not found:
            yield ScopeChanged(scope=glob, note=f"it stands for more than {MAX_PATTERNS}; left out")
        elif _is_anchored(glob, rooted=rooted):
            yield ScopeChanged(scope=glob, note=f"'{','.join(found)}' matches in deeper folders too")


def expanded(pattern: str) -> tuple[str, ...]:
    """Return the patterns that the braces of one stand for; none where they are too many."""
    todo, done = [pattern], list[str]()
    while todo and len(todo) + len(done) <= MAX_PATTERNS:
        each = todo.pop(0)
        found = _BRACES.search(each)
        if found:
            todo[:0] = [each[: found.start()] + way + each[found.end() :] for way in found[1].split(",")]
        else:
            done.append(each)
    return () if todo else tuple(dict.fromkeys(done))


def anywhere(pattern: str) -> str:
    """Return a pattern that matches wherever the project lies."""
    bare = pattern.removeprefix("./").lstrip("/")
    bare += "**" if bare.endswith("/") else ""
    return bare if "/" not in bare or bare.startswith("**/") else f"**/{bare}"


def _is_anchored(pattern: str, *, rooted: bool) -> bool:
    """Tell whether a pattern named a place below the top folder, or the top folder itself."""
    return not pattern.lstrip("/").startswith("**") and (rooted or "/" in pattern.rstrip("/"))
