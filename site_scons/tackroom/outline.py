"""What the rules need to know of a package, small enough to be remembered in place of reading it.

The rules on shadowing, names and shared files look at all packages of a workspace. An outline holds what
they look at, so that a run reads only the packages in which something changed. Made from a package; kept
as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple

from xxhash import xxh3_128_hexdigest

import tackroom.codes
import tackroom.harnesses.codes
import tackroom.packages.codes  # noqa: F401 - an outline may hold a finding of any floor
from tackroom import harnesses
from tackroom.config import PackageSpec
from tackroom.harnesses.contract import Fragment
from tackroom.naming import Claims, Named
from tackroom.packages.findings import Finding, revive
from tackroom.packages.model import Artifact, Kind

FORMAT = 4
_encode = json.JSONEncoder(separators=(",", ":")).encode


class Known(NamedTuple):
    """An artifact; ``chosen``: neither ``only`` nor ``skip`` leaves it out."""

    kind: str
    name: str
    path: str
    chosen: bool

    @property
    def id(self) -> str:
        """KIND/NAME, as ``only:`` and ``skip:`` spell it."""
        return f"{self.kind}/{self.name}"


class Branch(NamedTuple):
    """A package in one harness.

    ``is_staged``: there is something of it. ``findings``: what of it is left out there before anything is
    written. ``fragments`` are what it adds to shared files under the name ``folder``.
    """

    claims: Claims
    is_staged: bool
    findings: tuple[Finding, ...] = ()
    folder: str = ""
    fragments: tuple[Fragment, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A package in outline.

    ``digest`` stands for all that it is made of. ``names``: what its manifests call it, by their format;
    ``branches`` by harness.
    """

    id: str
    digest: str
    git: str
    asked: str
    commit: str
    subdir: str
    is_plugin: bool
    artifacts: tuple[Known, ...]
    names: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]
    branches: Mapping[str, Branch] = field(default_factory=dict)

    @property
    def chosen(self) -> tuple[Known, ...]:
        """The artifacts that are to be staged."""
        return tuple(each for each in self.artifacts if each.chosen)


def called(names: Iterable[tuple[str, str]], format_id: str) -> str:
    """Return what a package calls itself, first of all in a manifest of that format."""
    ranked = sorted(names, key=lambda each: each[0] != format_id)
    return next((name for _, name in ranked), "")


def is_chosen(artifact: Artifact, spec: PackageSpec | None) -> bool:
    """Tell whether ``only:`` and ``skip:`` let an artifact through; one that they do not takes no name."""

    def matches(globs: Iterable[str]) -> bool:
        return any(fnmatchcase(artifact.id, each) for each in globs)

    return spec is None or ((not spec.only or matches(spec.only)) and not matches(spec.skip))


# --- as JSON


def dump(outline: Outline) -> str:
    """Return an outline but for its digest as JSON.

    The rows of names in detail are one text in it: few runs need them.
    """
    return _encode(
        {
            "about": [
                outline.id,
                outline.git,
                outline.asked,
                outline.commit,
                outline.subdir,
                outline.is_plugin,
            ],
            "artifacts": [[each.kind, each.name, each.path, each.chosen] for each in outline.artifacts],
            "names": outline.names,
            "findings": [each.record() for each in outline.findings],
            "branches": {harness: _dump_branch(each, harness) for harness, each in outline.branches.items()},
        }
    )


def shape(text: str) -> str:
    """Return what stands for all that the rules look at in an outline that was dumped."""
    return xxh3_128_hexdigest(text.encode())


def load(text: str, digest: str) -> Outline:
    """Return what ``dump`` was given."""
    found = json.loads(text)
    id_, git, asked, commit, subdir, is_plugin = found["about"]
    return Outline(
        id_,
        digest,
        git,
        asked,
        commit,
        subdir,
        is_plugin,
        tuple(Known(*row) for row in found["artifacts"]),
        tuple((format_id, name) for format_id, name in found["names"]),
        tuple(map(revive, found["findings"])),
        {harness: _branch(each, harness) for harness, each in found["branches"].items()},
    )


def _dump_branch(branch: Branch, harness: str) -> dict[str, Any]:
    claims = branch.claims
    every = range(len(claims.keys))
    return {
        "keys": claims.keys,
        "wants": claims.wants,
        "rows": _encode([dump_named(claims.row(at), harness) for at in every]),
        "staged": branch.is_staged,
        "findings": [each.record() for each in branch.findings],
        "folder": branch.folder,
        "fragments": [[each.path, each.key, each.value] for each in branch.fragments],
    }


def _branch(found: Mapping[str, Any], harness: str) -> Branch:
    return Branch(
        Claims(
            tuple(map(tuple, found["keys"])), tuple(found["wants"]), _Rows(found["rows"], harness).__getitem__
        ),
        found["staged"],
        tuple(map(revive, found["findings"])),
        found["folder"],
        tuple(Fragment(*row) for row in found["fragments"]),
    )


class _Rows:
    """The rows of names in detail, read when one is asked for."""

    def __init__(self, text: str, harness: str) -> None:
        self._text = text
        self._harness = harness

    def __getitem__(self, at: int) -> Named:
        return load_named(self._read[at], self._harness)

    @cached_property
    def _read(self) -> list[list[Any]]:
        found: list[list[Any]] = json.loads(self._text)
        return found


def dump_named(named: Named, harness: str) -> list[Any]:
    """Return a row of names as plain data."""
    kind, path, header, slot, name, wanted, renamed, findings = named
    said = [each.record() for each in findings]
    return [kind, path, header, _slots(harness).index(slot), name, wanted, renamed, said]


def load_named(found: list[Any], harness: str) -> Named:
    """Return what ``dump_named`` was given."""
    kind, path, header, at, name, wanted, renamed, findings = found
    slot, said = dict(enumerate(_slots(harness)))[at], tuple(map(revive, findings))
    return Named(Kind(kind), path, header, slot, name, wanted, renamed, said)


def _slots(harness: str) -> tuple[Any, ...]:
    return harnesses.get(harness).facts.slots
