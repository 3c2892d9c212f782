"""The console script: the targets of a workspace for people without an SConstruct.

It runs SCons in this process with an SConstruct of three lines, and turns its exit status into ours:
0 done, 1 a check failed or ``STRICT``, 2 wrong usage, wrong configuration or a failed build. Where there
is nothing to be staged it says so at once, and imports neither SCons nor what reads a command line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from tackroom.glance import at, nothing_to_do

TYPE_CHECKING = False  # as type checkers know it
if TYPE_CHECKING:
    import argparse


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if _is_done(given):
        return
    from tackroom.targets import COMMANDS_TO_COME, to_come

    if given and given[0] in COMMANDS_TO_COME:
        sys.exit(_refuse(to_come(given[0])))
    options = _parser().parse_args(given)
    sys.exit(_scons(_scons_arguments(options)))


def _is_done(given: Sequence[str]) -> bool:
    """Tell whether it is asked for staging, plainly, and there is nothing to do; then say so."""
    variables = _plain(given[1:]) if given[:1] == ["stage"] else None
    if variables is None:
        return False
    lines = nothing_to_do(at(os.path.abspath("tackroom.yaml"), variables), variables)
    sys.stdout.writelines(f"{line}\n" for line in lines or ())
    return lines is not None


def _plain(given: Sequence[str]) -> dict[str, str] | None:
    """Return the variables among words that need no parser: switches, ``NAME=VALUE`` and ``--name=value``."""
    found = {}
    for word in given:
        name, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and name == name.lower() and name != "quiet":
            found[name.upper()] = value if equals else "1"
        elif equals and not word.startswith("-"):
            found[name] = value
        elif word not in ("-q", "--quiet"):
            return None
    return found


def _refuse(message: str) -> int:
    sys.stderr.write(f"tackroom: {message}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
    import argparse

    from tackroom import __version__
    from tackroom.targets import COMMANDS

    parser = argparse.ArgumentParser(
        prog="tackroom", description="Stage packages for coding agents.", allow_abbrev=False
    )
    parser.add_argument("--version", action="version", version=f"tackroom {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, about in COMMANDS.items():
        _add_options(commands.add_parser(name, help=about, description=about, allow_abbrev=False))
    return parser


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Give a command the variables as options, and those of SCons' own that make sense without it."""
    from tackroom.variables import VARIABLES, Form

    for row in (each for each in VARIABLES if each.supported):
        flag: dict[str, str] = {"nargs": "?", "const": "1"} if row.form is Form.FLAG else {}
        parser.add_argument(f"--{row.name.lower()}", help=row.about, metavar="VALUE", **flag)  # type: ignore[arg-type]
    parser.add_argument("variables", nargs="*", metavar="NAME=VALUE", help="the same, as SCons takes them")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave out information findings")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would be staged")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many items to stage at once")


def _scons_arguments(options: argparse.Namespace) -> list[str]:
    from pathlib import Path

    from tackroom.variables import VARIABLES

    target = ["-c", "stage"] if options.command == "clean" else [options.command]
    switches = [name for name, on in (("-s", options.quiet), ("-n", options.dry_run)) if on]
    given = ((row.name, getattr(options, row.name.lower(), None)) for row in VARIABLES)
    words = [f"WHAT={word}" if _is_artifact(options.command, word) else word for word in options.variables]
    values = [*(f"{name}={value}" for name, value in given if value is not None), *words]
    bundled = Path(__file__).with_name("workspace.scons")
    return ["-Q", "--no-site-dir", "-f", str(bundled), f"-j{options.jobs}", *switches, *target, *values]


def _is_artifact(command: str, word: str) -> bool:
    """Tell whether a word says which artifact to explain."""
    return command == "explain" and "=" not in word


def _scons(arguments: Sequence[str]) -> int:
    """Run SCons; a failure that is only a matter of strictness is told apart from a failed build."""
    import SCons.Script

    from tackroom.graph import STRICT_FAILURE

    os.environ.pop("SCONSFLAGS", None)  # meant for builds of the user's own
    sys.argv = ["scons", *arguments]
    try:
        SCons.Script.main()
    except SystemExit as done:
        status = done.code if isinstance(done.code, int) else 2
        reasons = {each.errstr for each in SCons.Script.GetBuildFailures()}
        return 1 if reasons == {STRICT_FAILURE} else status
    return 0
