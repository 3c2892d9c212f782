"""Links of either kind: symbolic ones, and Windows' junctions, which look like the folder they lead to."""

from __future__ import annotations

import os
import stat

_JUNCTION = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT of the Windows SDK


def is_junction(status: os.stat_result) -> bool:
    """Tell whether what ``lstat`` returned is of a junction."""
    return getattr(status, "st_reparse_tag", 0) == _JUNCTION


def is_link(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path leads elsewhere by a link of either kind."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):  # no system holds a name with a NUL in it
        return False
    return stat.S_ISLNK(found.st_mode) or is_junction(found)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a folder, and no link to one. Raise OSError where that cannot be told."""
    found = os.lstat(path)
    return stat.S_ISDIR(found.st_mode) and not is_junction(found)
