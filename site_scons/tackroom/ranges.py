"""Ranges of versions as PEP 440 writes them, on dotted numbers: ``~=0.3``, ``>=0.3,<0.5``, ``==0.3.*``.

A suffix of the running version (``rc1``, ``.dev0``) is left aside: it counts as its release.
"""

from __future__ import annotations

import operator
import re

_CLAUSE = re.compile(r"(~=|==|!=|<=|>=|<|>) *([0-9]+(?:\.[0-9]+)*)(\.\*)?")
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
Release = tuple[int, ...]


def allows(wanted: str, version: str) -> bool:
    """Tell whether a version lies in a range; ValueError where ``wanted`` is none."""
    release = _release(re.split("[^0-9.]", version)[0].rstrip("."))
    held = [_holds(clause.strip(), release) for clause in wanted.split(",")]
    return all(held)


def _holds(clause: str, version: Release) -> bool:
    match = _CLAUSE.fullmatch(clause)
    if not match:
        raise ValueError(f"not a range: {clause!r}")
    sign, wanted, series = match[1], _release(match[2]), match[3]
    if sign == "~=" and len(wanted) > 1 and not series:
        return _plain(version) >= _plain(wanted) and _within(version, wanted[:-1])
    if series and sign in ("==", "!="):
        return _within(version, wanted) is (sign == "==")
    if series or sign == "~=":
        raise ValueError(f"not a range: {clause!r}")
    return bool(_COMPARE[sign](_plain(version), _plain(wanted)))


def _within(version: Release, series: Release) -> bool:
    padded = version + (0,) * len(series)
    return padded[: len(series)] == series


def _release(text: str) -> Release:
    return tuple(int(number) for number in text.split("."))


def _plain(release: Release) -> Release:
    """Drop zeros at the end: 0.3 and 0.3.0 are one version."""
    while release and not release[-1]:
        release = release[:-1]
    return release
