"""What the last plan was made of and what it came to: enough to know that nothing is to be done.

One file a workspace file and OUT, in ``.tackroom/state``. It says what should be; what is there is said
by the files of the units. One that cannot be read, or of another version, counts as empty. This module
imports little: it is read in every run.
"""

from __future__ import annotations

import json
import os

from xxhash import xxh3_64_hexdigest, xxh3_128_hexdigest

from tackroom import checked

FORMAT = "3"
STATE = ".tackroom/state"
LOCK = "tackroom.lock"
NOT_READ = (".team/config.json", ".agents/project.yaml")  # of the contract, and still to come
OWN_FOLDER = ".agents"
OWN_PARTS = ("agents", "commands", "rules", "skills")

Units = dict[str, str]


class Memory:
    """What is remembered.

    ``inputs`` are the digests of the files that a plan is made of; ``folder`` the name of the folder that
    holds the record; ``out`` where outputs go. ``listed`` are the folders of packages that were looked at:
    their path, where that really is, and the folder in it that is no part of them. ``units``: each unit's
    key as it should be. ``said`` are the findings of reading that were said, ``counts`` how many there are
    by harness and severity; ``packages`` how many were read. A run that was narrowed leaves no ``inputs``:
    the next one looks again.
    """

    __slots__ = ("counts", "folder", "inputs", "listed", "out", "packages", "said", "units")

    def __init__(
        self,
        *,
        inputs: dict[str, str] | None = None,
        folder: str = "",
        out: str = "",
        listed: list[list[str]] | None = None,
        units: Units | None = None,
        said: list[dict[str, object]] | None = None,
        counts: dict[str, dict[str, int]] | None = None,
        packages: int = 0,
    ) -> None:
        self.inputs = inputs or {}
        self.folder = folder
        self.out = out
        self.listed = listed or []
        self.units = units or {}
        self.said = said or []
        self.counts = counts or {}
        self.packages = packages

    def text(self) -> bytes:
        """Return the bytes of the file."""
        body = {name: getattr(self, name) for name in self.__slots__}
        return checked.text(FORMAT, json.dumps(body, separators=(",", ":")).encode())


def place(folder: str, name: str, out: str) -> str:
    """Return where the memory of a workspace file and an ``OUT=`` is kept."""
    key = xxh3_64_hexdigest(os.fsencode(f"{name}\0{out}"))
    return f"{folder}/{STATE}/{key}.json"


def load(path: str) -> Memory | None:
    """Read a memory; an empty one where there is none, None where it cannot be used."""
    try:
        with open(path, "rb") as file:
            return Memory(**json.loads(checked.body(FORMAT, file.read())))
    except FileNotFoundError:
        return Memory()
    except (OSError, ValueError):
        return None


def inputs(folder: str, name: str) -> dict[str, str]:
    """Return the digests of what a plan is made of, besides the packages: the workspace and our own code."""
    from tackroom.version import signature

    there = [each for each in NOT_READ if os.path.isfile(f"{folder}/{each}")]
    there += [part for part in OWN_PARTS if os.path.isdir(f"{folder}/{OWN_FOLDER}/{part}")]
    found = {"code": signature(), "workspace": _digest(f"{folder}/{name}"), "places": " ".join(there)}
    return found | lock_input(folder)


def lock_input(folder: str) -> dict[str, str]:
    """Return the part of the inputs that the lock is."""
    return {"lock": _digest(f"{folder}/{LOCK}")}


def _digest(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return xxh3_128_hexdigest(file.read())
    except OSError:
        return ""
