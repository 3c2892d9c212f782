"""How fast tackroom is, as ratios to what cannot be faster, measured on this machine in one go.

    python tests/bench/measure.py [--artifacts 1000,10000] [--runs 5] [--only change,first] [--peers FOLDER]

Every artifact is staged for all seven harnesses: 10,000 of them make 70,000 outputs, and a tenth more for the
files of skills, for manifests, and for agents that one harness takes as skills too. Times are CPU seconds
(user and system) of a command and its children, the median of ``--runs`` runs. Work is measured in turns with
what limits it, and the ratio is what counts: no time is promised. All but ``first`` and ``growth`` are
measured at the largest size.

========= =============================================== ==========================================
row       work                                            limit
========= =============================================== ==========================================
unchanged scons stage, nothing changed, nothing written   an empty SConstruct + the bare walk
console   tackroom stage, likewise                        bare Python + the bare walk
change    one artifact changed, its outputs rewritten     an empty SConstruct + the bare walk
first     never staged before                             the plain loop + an empty SConstruct
other     another target of a build that stages as well   scons stage, nothing changed
consumer  nothing changed, a target depends on a tree     scons stage, nothing changed
growth    what one more output costs, nothing changed     what one more costs the bare walk
peers     600 source files: first run, nothing changed    rulesync, ruler and apm on the same files
hook      what a staged hook costs                        (no hooks are staged yet)
========= =============================================== ==========================================

The bare walk is os.stat in Python of all outputs and of all files of the packages, by a list of their paths;
reading that list is a part of it. The plain loop (loop.py) reads the same packages with the same reader and
writes what the same writers make of them: no SCons, no plan, no record. Both are processes of their own, and
what bare Python costs is taken off, since each limit has a start of its own in it. Each command is run once
before the clock runs, so byte code is compiled and files are in the system's cache. What a first run made is
put aside until all is measured, which takes some gigabytes: where much was deleted in the last minutes, new
files are dearer.

The peers are installed by whoever wants the comparison, outside of the project (and not from within FOLDER:
npm would take its folder 'rulesync' for the package):

    npm install --prefix FOLDER/rulesync rulesync@17    (on Node.js 22: on 20, npm takes an old one)
    npm install --prefix FOLDER/ruler @intellectronica/ruler
    python3 -m venv FOLDER/apm && FOLDER/apm/bin/python -m pip install apm-cli

Exit status: 0 all bars are met, 1 one is missed, 2 something could not be measured.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import peers
import rows
from clock import Failed
from table import HEAD, Row, Unmeasured, line, status
from workbench import Bench

ROWS: dict[str, Callable[[Bench, Sequence[int]], rows.Rows]] = {
    "unchanged": rows.unchanged,
    "console": rows.console,
    "change": rows.one_change,
    "first": rows.first,
    "other": rows.other,
    "consumer": rows.consumer,
    "growth": rows.growth,
    "hook": rows.hook,
}


def main(words: list[str] | None = None) -> int:
    """Print the table row by row and return the exit status."""
    options = _options(words)
    if not hasattr(os, "wait4"):
        _say("the CPU time of a process is not to be had on this system")
        return 2
    with TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as scratch:
        bench = Bench(Path(scratch).resolve(), options.scons_python, options.runs)
        try:
            python, scons = bench.versions()
        except Failed as failed:
            _say(str(failed))
            return 2
        _say(f"{_machine()}, Python {python}, SCons {scons}; CPU, median of {options.runs}\n\n{HEAD}")
        return status(_measured(bench, options))


def _measured(bench: Bench, options: argparse.Namespace) -> Iterator[Row | Unmeasured]:
    """Yield the rows that are asked for, each printed as soon as it is there."""
    asked = dict(ROWS)
    if options.peers:
        asked["peers"] = partial(peers.rows, folder=options.peers)
    for name, measure in asked.items():
        if options.only and name not in options.only:
            continue
        try:
            for row in measure(bench, options.artifacts):
                _say(line(row))
                yield row
        except Failed as failed:
            row = Unmeasured(name, str(failed))
            _say(line(row))
            yield row


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--artifacts", type=_sizes, default=(1000, 10_000), help="how many, with commas")
    parser.add_argument("--runs", type=int, default=5, help="of each command")
    parser.add_argument("--only", type=_names, help="these rows, with commas")
    parser.add_argument(
        "--peers", type=lambda text: Path(text).resolve(), help="where the peers are installed"
    )
    parser.add_argument(
        "--scons-python", type=_command, default=sys.executable, help="the interpreter with SCons in it"
    )
    options = parser.parse_args(words)
    if options.only and "peers" in options.only and not options.peers:
        parser.error("the row 'peers' needs --peers FOLDER")
    return options


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted(int(each) for each in text.split(",")))


def _command(text: str) -> str:
    if not (found := shutil.which(text)):
        raise argparse.ArgumentTypeError(f"no such command: {text}")
    return str(Path(found).absolute())  # as it is called: a link into a virtual environment stays one


def _names(text: str) -> frozenset[str]:
    names = frozenset(text.split(","))
    if unknown := names - ROWS.keys() - {"peers"}:
        raise argparse.ArgumentTypeError(f"no such row: {', '.join(sorted(unknown))}")
    return names


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
