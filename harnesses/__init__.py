"""Writing: one folder a harness, found by listing this one. Tables of facts and small pure functions.

No harness knows another, nothing here touches a disk, and importing one has no effect but itself.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from tackroom.harnesses.contract import Harness


@cache
def ids() -> tuple[str, ...]:
    """Return the ids of all harnesses, sorted, without importing any."""
    return tuple(sorted(each.name for each in pkgutil.iter_modules(__path__) if each.ispkg))


@cache
def get(harness: str) -> Harness:
    """Return one harness by its id; its folder must define HARNESS under that id."""
    found = importlib.import_module(f"{__name__}.{harness}").HARNESS
    if not isinstance(found, Harness) or found.facts.id != harness:
        raise TypeError(f"harnesses/{harness} defines no HARNESS of that id")
    return found
