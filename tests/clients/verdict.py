"""What a client made of a staged artifact: loaded, refused, or nothing that can be asked from outside."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from staged import Artifact

Listed = dict[str, str | None]  # a client's key for an artifact to its description, None where it tells none

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


def claim(artifact: Artifact, key: str, listed: Listed, reason: str = "") -> Verdict:
    """Take an artifact's entry out of what a client lists; one entry vouches for one artifact.

    A client that cannot read a header may still list the file under a name of its own making, so a
    description that the author gave has to arrive too.
    """
    if key not in listed:
        return refused(artifact, reason or "the client does not list it")
    told, given = listed.pop(key), squeeze(artifact.header.get("description", ""))
    if told is not None and not squeeze(told).startswith(given[:SAME]):
        return refused(
            artifact, "listed with another description: its header was not read, or its name is taken"
        )
    return Verdict(artifact, State.LOADED)


def refused(artifact: Artifact, reason: str) -> Verdict:
    """Return a refusal, its reason on one line."""
    return Verdict(artifact, State.REFUSED, squeeze(reason)[:LONGEST])


def unchecked(artifact: Artifact, reason: str) -> Verdict:
    """Return the answer for what the client cannot be asked."""
    return Verdict(artifact, State.UNCHECKED, reason)


def told_of(path: str, entries: list[str]) -> str:
    """Return what a log says of a file: after its name, else before it; empty where no entry names it."""
    for entry in entries:
        before, found, after = entry.partition(path)
        said = after.strip(' :."\n')
        if found:
            return said if " " in said else before
    return ""


def squeeze(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())
