"""The nearest known word, for messages about one that is not known."""

from __future__ import annotations

from collections.abc import Iterable

from tackroom.packages.findings import quoted


def hint(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'x'`` for the word nearest to this one; empty where none is near."""
    from difflib import get_close_matches

    found = get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {quoted(found[0])}" if found else ""
