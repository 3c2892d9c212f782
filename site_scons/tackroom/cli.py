"""The console script: the targets of a workspace for people without an SConstruct.

It runs SCons in this process with an SConstruct of three lines, and turns its exit status into ours:
0 done, 1 a check failed or ``STRICT``, 2 wrong usage, wrong configuration or a failed build.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tackroom import __version__
from tackroom.targets import COMMANDS, COMMANDS_TO_COME, to_come
from tackroom.variables import VARIABLES, Form


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with its status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given and given[0] in COMMANDS_TO_COME:
        sys.exit(_refuse(to_come(given[0])))
    options = _parser().parse_args(given)
    sys.exit(_scons(_scons_arguments(options)))


def _refuse(message: str) -> int:
    sys.stderr.write(f"tackroom: {message}\n")
    return 2


def _parser() -> argparse.ArgumentParser:
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
    for row in (each for each in VARIABLES if each.supported):
        flag: dict[str, str] = {"nargs": "?", "const": "1"} if row.form is Form.FLAG else {}
        parser.add_argument(f"--{row.name.lower()}", help=row.about, metavar="VALUE", **flag)  # type: ignore[arg-type]
    parser.add_argument("variables", nargs="*", metavar="NAME=VALUE", help="the same, as SCons takes them")
    parser.add_argument("-q", "--quiet", action="store_true", help="leave out information findings")
    parser.add_argument("-n", "--dry-run", action="store_true", help="say what would be staged")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="how many items to stage at once")


def _scons_arguments(options: argparse.Namespace) -> list[str]:
    target = ["-c", "stage"] if options.command == "clean" else [options.command]
    switches = [name for name, on in (("-s", options.quiet), ("-n", options.dry_run)) if on]
    given = ((row.name, getattr(options, row.name.lower(), None)) for row in VARIABLES)
    values = [f"{name}={value}" for name, value in given if value is not None] + options.variables
    bundled = Path(__file__).with_name("workspace.scons")
    return ["-Q", "--no-site-dir", "-f", str(bundled), f"-j{options.jobs}", *switches, *target, *values]


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
