"""SCons' shell builds again and again what it read at its start."""

import subprocess
import sys
from pathlib import Path

from building import COMMAND, SITE, Workspace

OUT = ".tackroom/stage/claude/kit/commands/review.md"
OVER = "tackroom: this is staged; what changed since SCons was started needs a new run"


def test_what_was_staged_is_not_staged_again_by_the_same_process(tmp_path: Path) -> None:
    """It would take what another run staged since for an edit."""
    workspace = Workspace(tmp_path / "ws")
    command = [sys.executable, "-m", "SCons", "-Q", "--interactive"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=workspace.folder, env={"PYTHONPATH": str(SITE)}, stdin=pipe, stdout=pipe, text=True
    ) as shell:
        assert shell.stdin
        assert shell.stdout
        print("build stage", file=shell.stdin, flush=True)
        while not shell.stdout.readline().startswith("claude: 2 staged"):
            pass
        print("shell echo done", file=shell.stdin, flush=True)
        while not shell.stdout.readline().endswith("done\n"):
            pass
        workspace.write({"kit/commands/review.md": "New.\n"})
        assert workspace.scons().status == 0
        said, _ = shell.communicate("build stage\nexit\n", timeout=60)
    assert OVER in said
    assert workspace.read(OUT) == "New.\n"
    workspace.write({"kit/commands/review.md": COMMAND})
    assert workspace.scons().status == 0
    assert workspace.read(OUT) == COMMAND
