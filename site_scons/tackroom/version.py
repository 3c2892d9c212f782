"""What stands for tackroom's own code: a signature by stat, and digests of what decides an output's bytes.

The signature only tells whether anything may have changed since a run; it is cheap, and importing this
module costs little. The digests go into keys: one a harness, so that a change in one harness's folder
makes that harness's outputs stale and no other's. A checkout changes without its version, so neither
goes by that.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from xxhash import xxh3_64_hexdigest, xxh3_128

import tackroom

_FLOORS = ("packages", "harnesses")
_LIBRARIES = ("yaml",)  # reads headers
# of our own floor: what decides what a unit consists of, and under which names
_DECIDING = frozenset({"library.py", "naming.py", "outline.py", "plan.py", "rules.py", "shadowing.py"})
_TABLES = "facts.py"  # of one harness, read by the others' writers for what is written in its format


@cache
def signature() -> str:
    """Return what changes with any of our files, by their times and sizes, and with what else decides."""
    found = xxh3_128(_python().encode())
    for path in (*_files(), *_libraries()):
        status = os.stat(path)
        found.update(f"{path}\0{status.st_mtime_ns}\0{status.st_size}\0".encode(errors="surrogatepass"))
    return found.hexdigest()


@cache
def everything() -> str:
    """Return a digest of all our code, for what any line of it may decide."""
    return _digest(_files())


@cache
def renderer(harness: str) -> str:
    """Return a digest of the code and tables that decide what a harness gets."""
    return _digest(path for path in _files() if _decides(path, harness))


def _decides(path: str, harness: str) -> bool:
    folder, name = os.path.split(path)
    parent, last = os.path.split(folder)
    if last in _FLOORS or (last == "tackroom" and name in _DECIDING):
        return True
    return os.path.basename(parent) == "harnesses" and (last == harness or name == _TABLES)


@cache
def _files() -> tuple[str, ...]:
    """Return the paths of all our modules, sorted."""
    return tuple(sorted(path for folder in _folders() for path in _below(folder)))


def _folders() -> Iterator[str]:
    yield from tackroom.__path__[:1]
    for top in tackroom.__path__:
        yield from (place for floor in _FLOORS if os.path.isdir(place := os.path.join(top, floor)))


def _below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.name.endswith(".py"):
                yield entry.path
            elif folder.endswith("harnesses") and entry.is_dir() and entry.name != "__pycache__":
                yield from _below(entry.path)


def _libraries() -> Iterator[str]:
    for name in _LIBRARIES:
        spec = find_spec(name)
        if spec and spec.origin:
            yield spec.origin


def _digest(paths: Iterator[str] | tuple[str, ...]) -> str:
    import yaml

    found = xxh3_128(f"{yaml.__version__} {_python()}".encode())
    for path in paths:
        found.update(_content(path))
    return found.hexdigest()[:16]


@cache
def _content(path: str) -> bytes:
    """Return a module's name and digest; each is read once for all harnesses."""
    with open(path, "rb") as file:
        name = os.path.basename(path)
        return f"{name}\0{xxh3_64_hexdigest(file.read())}\0".encode()


def _python() -> str:
    """Return what of Python decides how names are compared: its Unicode tables."""
    import unicodedata

    return unicodedata.unidata_version
