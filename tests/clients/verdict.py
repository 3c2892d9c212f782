"""What a client made of a staged artifact: loaded, refused, or nothing that can be asked from outside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from staged import Artifact

SAME = 60  # characters of a description that must agree: clients cut it, each at another length
LONGEST = 240  # characters of a reason


class State(Enum):
    """The three answers."""

    LOADED = "loaded"
    REFUSED = "refused"
    UNCHECKED = "not checked"


@dataclass(frozen=True)
class Verdict:
    """One artifact's answer, with the reason where it is not loaded."""

    artifact: Artifact
    state: State
    reason: str = ""


def judge(artifact: Artifact, key: str, seen: Mapping[str, str | None], reason: str = "") -> Verdict:
    """Look an artifact up among what a client lists: key to description, None where it tells none.

    A client that cannot read a header may still list the file under a name of its own making, so a
    description that the author gave has to arrive too.
    """
    if key not in seen:
        return refused(artifact, reason or "the client does not list it")
    told, given = seen[key], squeeze(artifact.header.get("description", ""))
    if told is not None and not squeeze(told).startswith(given[:SAME]):
        return refused(artifact, "listed without its description: the header was not read")
    return Verdict(artifact, State.LOADED)


def refused(artifact: Artifact, reason: str) -> Verdict:
    """Return a refusal, its reason on one line."""
    return Verdict(artifact, State.REFUSED, squeeze(reason)[:LONGEST])


def unchecked(artifact: Artifact, reason: str) -> Verdict:
    """Return the answer for what the client cannot be asked."""
    return Verdict(artifact, State.UNCHECKED, reason)


def told_after(mark: str, text: str) -> str:
    """Return what a log says after it names a file, up to its next entry; empty where it does not name it."""
    return re.split(r"\n(?=\[)", text.partition(mark)[2])[0].lstrip(":. \n")


def squeeze(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())
