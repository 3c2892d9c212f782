"""How units and items are called: ``HARNESS/PACKAGE``, or ``HARNESS//PATH`` for a file that several share."""

from __future__ import annotations


def unit(harness: str, name: str) -> str:
    """Return the id of a unit; ``name`` is its package, or ``/`` and the path of a shared file."""
    return f"{harness}/{name}"


def harness(unit: str) -> str:
    """Return the harness of a unit."""
    return unit.partition("/")[0]


def package(unit: str) -> str:
    """Return the package of a unit; empty for a file that several share."""
    name = unit.partition("/")[2]
    return "" if name.startswith("/") else name


def split(unit: str) -> tuple[str, str]:
    """Return the harness and the package of a unit."""
    return harness(unit), package(unit)


def item(harness: str, package: str, kind: str, as_kind: str, source: str) -> str:
    """Return the id of an item; no two of a plan share it."""
    return f"{harness}/{package}/{kind}/{as_kind}/{source}"
