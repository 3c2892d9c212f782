"""The folders of outputs: made where they are needed, and never one behind a link.

What becomes of a link or a file where a folder of outputs belongs is for others to decide.
"""

from __future__ import annotations

import os

from tackroom.packages.links import is_folder
from tackroom.packages.names import illegal

FOLDER_MODE = 0o755  # less what the umask takes; with none at all, still nobody else may write


class RealFolders:
    """The folders below OUT that are folders and no links; each is looked at once, for nobody makes links.

    ``standing`` are those that nobody may remove.
    """

    def __init__(self, out: str) -> None:
        self.out = out
        self.standing: frozenset[str] = frozenset()
        self._known: set[str] = set()

    def make(self, folder: str) -> bool:
        """Make a folder unless it is there; tell whether it is one then, and no link."""
        if folder in self._known or not folder:
            return True
        parent, _, name = folder.rpartition("/")
        if illegal(name) or not self.make(parent) or not _is_made(f"{self.out}/{folder}"):
            return False
        self._known.add(folder)
        return True

    def blocked(self, path: str) -> str:
        """Return the first of a path's folders that is a link or a file; empty where none is."""
        return self._blocked(path.rpartition("/")[0])

    def _blocked(self, folder: str) -> str:
        if not folder or folder in self._known:
            return ""
        if found := self.blocked(folder):
            return found
        try:
            if not is_folder(f"{self.out}/{folder}"):
                return folder
        except FileNotFoundError:
            return ""
        except NotADirectoryError:
            return "."
        self._known.add(folder)
        return ""

    def forget(self) -> None:
        """Look at all of them again, since some are about to go."""
        self._known.clear()


def _is_made(folder: str) -> bool:
    """Make a folder in one that is there, or at least may be; tell whether it is one."""
    try:
        os.mkdir(folder, FOLDER_MODE)
    except FileExistsError:
        return is_folder(folder)
    except FileNotFoundError:  # OUT was not made yet
        os.makedirs(folder, exist_ok=True)
    except NotADirectoryError:
        return False
    return True
