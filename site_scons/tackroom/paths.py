"""Paths as users and reports know them: relative, with ``/`` on every system."""

from __future__ import annotations

import os
from pathlib import Path


def relative(path: Path, folder: Path) -> str:
    """Return a path as it counts from a folder; empty for the folder itself.

    On Windows there is no way from one drive to another: such a path stays whole.
    """
    try:
        found = os.path.relpath(path, folder)
    except ValueError:
        found = str(path)
    return "" if found == os.curdir else found.replace(os.sep, "/")
