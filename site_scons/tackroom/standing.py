"""The folders in OUT that were there before anything was staged: they stay when nothing is left in them.

They are looked for once, before the first write, and kept beside the record. Every other folder there that a
deleted file leaves empty is one that staging made.
"""

from __future__ import annotations

import os
from pathlib import Path

from tackroom import checked
from tackroom.atomic import write
from tackroom.state import State

NAME = "standing"
FORMAT = "1"


def note(state: State, out: Path) -> frozenset[str]:
    """Return the folders, by their path from OUT, which is empty for OUT itself; look where nobody did."""
    path = state.folder / NAME
    is_first = not (state.heads.all() or state.kept or state.journal.exists() or path.exists())
    if is_first:
        write(path, checked.text(FORMAT, "\0".join(_below(out)).encode(errors="surrogateescape")))
    return load(state)


def load(state: State) -> frozenset[str]:
    """Return the folders that were noted; none where that cannot be read."""
    try:
        text = checked.body(FORMAT, (state.folder / NAME).read_bytes()).decode(errors="surrogateescape")
    except (OSError, ValueError):
        return frozenset()
    return frozenset(text.split("\0")[1:])


def _below(out: Path) -> list[str]:
    """Return the folders below one and itself, after an empty text: there may be none."""
    found = [Path(folder).relative_to(out).as_posix() for folder, _, _ in os.walk(out)]
    return ["", *("" if each == "." else each for each in found)]
