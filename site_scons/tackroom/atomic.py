"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

_SUFFIX = ".tackroom~"
LEFT = 60  # seconds after which no process is still writing a file


def write(path: Path, content: bytes, *, executable: bool = False) -> bool:
    """Put content at a path: beside it, then renamed over it. Return whether that was needed.

    The mode is set whatever the umask. A file that holds just this already is left untouched.
    """
    mode = 0o755 if executable else 0o644
    with contextlib.suppress(OSError):
        if not path.is_symlink() and path.read_bytes() == content:
            return _set_mode(path, mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    made = beside(path, os.getpid())
    try:
        with os.fdopen(_create(made, mode), "wb") as out:
            out.write(content)
        _set_mode(made, mode)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise
    return True


def beside(path: Path, process: int) -> Path:
    """Return where a process writes what is to be put at a path; a killed one may leave it there."""
    return path.with_name(f".{path.name[:100]}.{process}{_SUFFIX}")


def is_beside(name: str) -> bool:
    """Tell whether a name is one that ``beside`` gives."""
    return name.startswith(".") and name.endswith(_SUFFIX)


def sweep(path: Path, age: float = 0) -> None:
    """Remove what killed processes left beside a path, if it is ``age`` seconds old.

    Without an age only for a path that nobody but the caller may write now.
    """
    start = beside(path, 0).name.removesuffix(f"0{_SUFFIX}")
    for each in path.parent.iterdir() if path.parent.is_dir() else ():
        is_left = is_beside(each.name) and each.name.startswith(start)
        if is_left and time.time() - each.stat().st_mtime >= age:
            each.unlink(missing_ok=True)


def _create(path: Path, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, mode)
    except FileExistsError:  # a killed process had the number that is ours now
        path.unlink()
        return os.open(path, flags, mode)


def _set_mode(path: Path, mode: int) -> bool:
    if os.name == "nt" or path.stat().st_mode & 0o7777 == mode:
        return False
    path.chmod(mode)
    return True
