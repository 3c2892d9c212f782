"""Questions that are asked several times in a row about one artifact, and answered once.

The answer for the last thing asked about is kept, and no other, so that nothing grows with the number
of artifacts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def repeated(answer: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    """Return a pure function that answers at once where it is asked about the very same value again.

    Both are kept in one tuple, so that threads cannot mix up each other's.
    """
    last: tuple[Asked, Answer] | None = None

    @wraps(answer)
    def answered(asked: Asked) -> Answer:
        nonlocal last
        known = last
        if known is None or known[0] is not asked:
            known = last = (asked, answer(asked))
        return known[1]

    return answered
