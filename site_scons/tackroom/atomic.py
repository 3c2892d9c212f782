"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from xxhash import xxh3_64_hexdigest

_SUFFIX = ".tackroom~"
_LONG = 100  # characters of a name to which as many again may be added
MODES = (0o644, 0o755)  # of a file that may be executed: the second
LEFT = 60  # seconds after which no process is still writing a file


def write(path: Path, content: bytes, *, executable: bool = False) -> bool:
    """Put content at a path, and return whether that was needed.

    A file that holds just this already is left untouched, but for its mode.
    """
    with contextlib.suppress(OSError):
        if not path.is_symlink() and path.read_bytes() == content:
            return _set_mode(path, MODES[executable])
    path.parent.mkdir(parents=True, exist_ok=True)
    put(str(path.parent), path.name, content, executable=executable)
    _set_mode(path, MODES[executable])
    return True


def put(folder: str, name: str, content: bytes, *, executable: bool = False) -> None:
    """Put content into a folder under a name, whatever is there: beside it, then renamed over it.

    The umask may take something from its mode. First runs put files by the ten thousand, so this goes without
    pathlib and asks the system for nothing that the caller knows.
    """
    made = _beside(folder, name, os.getpid())
    try:
        _fill(_create(made, MODES[executable]), content)
        os.replace(made, f"{folder}/{name}")
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(made)
        raise


def beside(path: Path, process: int) -> Path:
    """Return where a process writes what is to be put at a path; a killed one may leave it there."""
    return Path(_beside(str(path.parent), path.name, process))


def _beside(folder: str, name: str, process: int) -> str:
    if len(name) > _LONG:  # cut, but no other name's: threads of one process write at once
        name = f"{name[:_LONG]}.{xxh3_64_hexdigest(name.encode(errors='surrogatepass'))}"
    return f"{folder}/.{name}.{process}{_SUFFIX}"


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


def _create(path: str, mode: int) -> int:
    """Return the number of a new file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, mode)
    except FileExistsError:  # a killed process had the number that is ours now
        os.unlink(path)
        return os.open(path, flags, mode)


def _fill(file: int, content: bytes) -> None:
    """Write a new file whole, and close it."""
    try:
        while content:
            content = content[os.write(file, content) :]
    finally:
        os.close(file)


def _set_mode(path: Path, mode: int) -> bool:
    if os.name == "nt" or path.stat().st_mode & 0o7777 == mode:
        return False
    path.chmod(mode)
    return True
