"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write(path: Path, content: bytes, *, executable: bool = False) -> bool:
    """Put content at a path: beside it, then renamed over it. Return whether that was needed.

    The mode is set whatever the umask. A file that holds just this already is left untouched.
    """
    mode = 0o755 if executable else 0o644
    with contextlib.suppress(OSError):
        if not path.is_symlink() and path.read_bytes() == content:
            return _set_mode(path, mode)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name[:100]}.{os.getpid()}.tackroom~")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
        _set_mode(beside, mode)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return True


def _set_mode(path: Path, mode: int) -> bool:
    if os.name == "nt" or path.stat().st_mode & 0o7777 == mode:
        return False
    path.chmod(mode)
    return True
