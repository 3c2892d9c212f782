"""Ask the real clients what they load of what is staged.

Stages the examples and, with ``--corpus FOLDER``, a folder of real packages, starts each harness's own
client on its tree in a throw-away home without a network, and prints what was staged, loaded and refused.
With ``--bundles OUT`` it looks at ``OUT/HARNESS`` instead. Clients are looked for in ``--clients`` (one npm
prefix each: claude, codex, opencode, gemini, grok, cursor; and ag, a virtual environment), else on PATH.
Exit status: 0 all that can be asked is loaded, 1 something is not, 2 no client could be asked.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import antigravity_sdk
import claude
import codex
import cursor_sdk
import gemini
import grok
import opencode
from bundles import staged
from room import ClientFailed, Clients
from staged import artifacts
from verdict import State, Verdict, refused

ASKED: tuple[ModuleType, ...] = (claude, cursor_sdk, opencode, codex, grok, antigravity_sdk, gemini)
ROW = "{:<12} {:>7} {:>7} {:>8} {:>12}"


def main(words: list[str] | None = None) -> int:
    """Ask each client and print the table."""
    options = _options(words)
    if options.bundles:
        return _ask_about("bundles", options.bundles, options)
    with staged(options.corpus) as folders:
        return max(_ask_about(title, folder, options) for title, folder in folders.items())


def _ask_about(title: str, bundles: Path, options: argparse.Namespace) -> int:
    """Ask each client about one folder of bundles, print the table, and return the exit status."""
    _say(ROW.format(title, "staged", "loaded", "refused", "not checked"))
    verdicts = dict(_answers(bundles, options))
    for line in _reasons(verdicts):
        _say(line)
    if not verdicts:
        _say(f"nobody could be asked about '{bundles}'")
        return 2
    return int(any(each.state is State.REFUSED for found in verdicts.values() for each in found))


def _options(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bundles", type=_folder, help="a folder with one staged tree a harness")
    parser.add_argument("--corpus", type=_folder, help="a folder of real packages to stage and ask about too")
    parser.add_argument(
        "--clients", type=_folder, default=os.environ.get("TACKROOM_CLIENTS"), help="or $TACKROOM_CLIENTS"
    )
    parser.add_argument(
        "--drivers",
        type=_folder,
        default=os.environ.get("TACKROOM_CLIENT_DRIVERS"),
        help="or $TACKROOM_CLIENT_DRIVERS: folder with cursor_run.mjs, antigravity_run.py, fake_model.py",
    )
    parser.add_argument("--strict", action="store_true", help="a validator's warning counts as a refusal")
    return parser.parse_args(words)


def _folder(text: str) -> Path:
    return Path(text).resolve()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _answers(bundles: Path, options: argparse.Namespace) -> Iterator[tuple[str, list[Verdict]]]:
    """Return the verdicts of each client that is there and has something staged; print its row."""
    clients = Clients(options.clients, options.drivers)
    for asked in ASKED:
        tree = bundles / asked.HARNESS
        if not tree.is_dir():
            continue
        if absent := asked.missing(clients):
            _say(f"{asked.HARNESS:<12} {absent}")
            continue
        found = _asked(asked, tree, clients, strict=options.strict)
        _say(_row(asked.HARNESS, found))
        yield asked.HARNESS, found


def _asked(asked: ModuleType, tree: Path, clients: Clients, *, strict: bool) -> list[Verdict]:
    """Return one client's verdicts; one that stops loads nothing."""
    staged = artifacts(asked.HARNESS, tree)
    try:
        return list(asked.ask(tree, staged, clients, strict=strict))
    except ClientFailed as failed:
        return [refused(each, f"the client stopped: {failed}") for each in staged]


def _row(harness: str, verdicts: list[Verdict]) -> str:
    count = Counter(each.state for each in verdicts)
    return ROW.format(harness, len(verdicts), *(count[state] for state in State))


def _reasons(verdicts: dict[str, list[Verdict]]) -> Iterator[str]:
    """Return a line for each refusal, and one for each kind that could not be asked about."""
    for harness, found in verdicts.items():
        for each in found:
            if each.state is State.REFUSED:
                yield f"{harness}: {each.artifact.kind} '{each.artifact.path}': {each.reason}"
        silent = Counter(each.reason for each in found if each.state is State.UNCHECKED)
        yield from (f"{harness}: {count} not checked: {reason}" for reason, count in silent.items())


if __name__ == "__main__":
    sys.exit(main())
