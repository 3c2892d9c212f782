"""What the clients are asked about: the staged examples, and a corpus of real packages where there is one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

TOP = Path(__file__).parents[2]
sys.path[:0] = [str(TOP / "site_scons"), str(TOP / "tests")]

from corpus import workspace  # noqa: E402 - found on the path above

_STAGE = "import sys; sys.path[:0] = sys.argv.pop(1).split('|'); from tackroom.cli import main; main()"


@contextmanager
def staged(corpus: Path | None) -> Iterator[dict[str, Path]]:
    """Stage the examples, and the corpus if one is named, into a throw-away folder; yield where, by title."""
    with TemporaryDirectory() as place:
        found = {"examples": Path(place, "examples")}
        _stage(TOP / "examples", found["examples"])
        if corpus:
            folder = Path(place, "workspace")
            folder.mkdir()
            (folder / "tackroom.yaml").write_text(workspace(corpus, folder), encoding="utf-8")
            found["corpus"] = Path(place, "corpus")
            _stage(folder, found["corpus"])
        yield found


def _stage(workspace_folder: Path, out: Path) -> None:
    paths = f"{TOP / 'site_scons'}"
    command = [sys.executable, "-c", _STAGE, paths, "stage", "--quiet", "--out", str(out)]
    done = subprocess.run(command, cwd=workspace_folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"staging {workspace_folder.name} failed:\n{done.stdout}{done.stderr}")
