"""The commands that are measured and those that they are measured against, as tasks.

Nothing of the user's is touched: everything is below one scratch folder, tackroom's cache too. The code that
runs is that of this checkout, whatever the interpreter has installed.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from clock import Failed, Figures, Task, once, rounds
from workspace import Workspace

HERE = Path(__file__).resolve().parent
SITE = HERE.parents[1] / "site_scons"
CONSOLE = "from tackroom.cli import main; main()"  # what the console script does
VERSIONS = (
    "import platform, SCons, tackroom; print(platform.python_version(), SCons.__version__, tackroom.__file__)"
)

# they change what tackroom, SCons or Python do
_OURS = re.compile(
    r"CI|SCONSFLAGS|SCONS_LIB_DIR|PYTHON(PATH|HOME|DONTWRITEBYTECODE|PYCACHEPREFIX)|TACKROOM_.*"
)


@dataclass
class Bench:
    """A scratch folder, the interpreter with SCons in it, and how often each command is run."""

    scratch: Path
    python: str
    runs: int
    _workspaces: dict[int, Workspace] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Return the variables of all that is run: the user's, but those that would change the outcome."""
        kept = {name: value for name, value in os.environ.items() if not _OURS.fullmatch(name)}
        return {**kept, "PYTHONPATH": str(SITE), "TACKROOM_CACHE": str(self.scratch / "cache")}

    def versions(self) -> tuple[str, str]:
        """Return the versions of Python and SCons; raise Failed where the checkout cannot be run."""
        command = [self.python, "-c", VERSIONS]
        asked = subprocess.run(
            command, env=self.environment(), cwd=self.scratch, capture_output=True, text=True
        )
        python, scons, code, *_ = [*asked.stdout.split(maxsplit=2), "", "", ""]
        if asked.returncode or Path(code.strip()).parent.parent != SITE:
            raise Failed(f"{self.python} cannot run this checkout: {asked.stderr.strip() or code}")
        return python, scons

    def workspace(self, artifacts: int) -> Workspace:
        """Return the workspace of a size; it is made once."""
        if artifacts not in self._workspaces:
            self._workspaces[artifacts] = Workspace(self._folder(f"w{artifacts}"), artifacts)
        return self._workspaces[artifacts]

    def staged(self, artifacts: int) -> Workspace:
        """Return the workspace of a size with all of it staged."""
        found = self.workspace(artifacts)
        once(self.scons(found.folder))
        return found

    def rounds(self, **tasks: Task) -> dict[str, Figures]:
        """Measure tasks in turns."""
        return rounds(tasks, self.runs)

    # --- what is measured

    def scons(self, folder: Path, *words: str, prepare: Callable[[], object] = lambda: None) -> Task:
        """Return ``scons stage``, or SCons with other words."""
        return self._task(folder, "-m", "SCons", "-Q", *(words or ("stage",)), prepare=prepare)

    def console(self, folder: Path) -> Task:
        """Return ``tackroom stage``."""
        return self._task(folder, "-c", CONSOLE, "stage")

    # --- what it is measured against

    def bare(self) -> Task:
        """Return Python with nothing to do."""
        return self._task(self.scratch, "-c", "pass")

    def empty(self) -> Task:
        """Return SCons with nothing to do: an empty SConstruct in a folder of its own."""
        folder = self._folder("empty")
        (folder / "SConstruct").touch()
        return self._task(folder, "-m", "SCons", "-Q")

    def walk(self, found: Workspace) -> Task:
        """Return the bare walk over the outputs and sources that are there now."""
        paths = self.scratch / f"paths-{found.artifacts}"
        paths.write_text("\n".join([*found.outputs(), *found.sources()]), encoding="utf-8")
        return self._task(found.folder, str(HERE / "walk.py"), str(paths))

    def loop(self, found: Workspace, out: Path, prepare: Callable[[], object], *how: str) -> Task:
        """Return the plain loop over a workspace's packages, or the ``careful`` one."""
        words = (str(HERE / "loop.py"), str(found.folder / "packages"), str(out), *how)
        return self._task(found.folder, *words, prepare=prepare)

    def _task(self, folder: Path, *words: str, prepare: Callable[[], object] = lambda: None) -> Task:
        return Task((self.python, *words), folder, self.environment(), prepare)

    def _folder(self, name: str) -> Path:
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        return folder


def plus_walk(start: Figures, walk: Figures, bare: Figures) -> float:
    """Return the CPU seconds of a start and a walk. The walk's own start of Python is not counted again."""
    return start.cpu + walk.cpu - bare.cpu
