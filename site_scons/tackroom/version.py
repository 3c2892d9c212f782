"""What stands for tackroom's own code in the keys of what it made."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path

import tomli_w
from xxhash import xxh3_128

from tackroom import __version__, harnesses, packages


@cache
def renderer() -> str:
    """Return a digest of the version and of every line of code that decides what a file holds.

    So do the library that writes TOML and the Unicode tables by which names are folded.

    A change of a table or a writer makes everything stale, in a checkout too, where the version stays.
    """
    found = xxh3_128(f"{__version__} {tomli_w.__version__} {unicodedata.unidata_version}".encode())
    for floor in (packages, harnesses):
        for folder in sorted(floor.__path__):
            for path in sorted(Path(folder).rglob("*.py")):
                found.update(path.read_bytes())
    return found.hexdigest()
