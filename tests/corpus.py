"""A folder of real packages as one workspace: ``python tests/corpus.py CORPUS > tackroom.yaml``.

Every folder that has a manifest is a package, and so is every other one that holds component folders.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tackroom.packages.formats import COMPONENTS, EXTENSION, MANIFESTS, VENDORS


def packages(corpus: Path) -> Iterator[Path]:
    """Yield the folders that are packages, sorted."""
    for folder in sorted(each for each in corpus.rglob("*") if each.is_dir() and not each.is_symlink()):
        if any((folder / each).is_file() for each in (*MANIFESTS, EXTENSION)) or _has_components(folder):
            yield folder


def _has_components(folder: Path) -> bool:
    if any(part in COMPONENTS.values() or part in VENDORS for part in folder.parts):
        return False
    return any((folder / vendor / each).is_dir() for vendor in ("", *VENDORS) for each in COMPONENTS.values())


def workspace(corpus: Path, folder: Path) -> str:
    """Return the tackroom.yaml, to be put into a folder, that stages a whole corpus."""
    lines = ["packages:"]
    taken: set[str] = set()
    for each in packages(corpus):
        key = re.sub(r"[^a-z0-9]+", "-", each.relative_to(corpus).as_posix().lower()).strip("-")
        key = next(k for k in (key, *(f"{key}-{n}" for n in range(2, 99))) if k not in taken)
        taken.add(key)
        path = os.path.relpath(each, folder).replace(os.sep, "/")
        lines.append(f"  {key}: {{path: {json.dumps(path, ensure_ascii=False)}}}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(workspace(Path(sys.argv[1]).resolve(), Path.cwd()))
