"""Takes the variables of a command line (``HARNESS=codex``), gives frozen Options, or one error.

The table is what the reader goes by and what the documentation shows. A variable without a value
(``HARNESS=``) counts as not given; only ``LOCKED=`` says something, that it is off where ``CI`` is set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from tackroom import __version__
from tackroom.config import harness_problem, layout_problem
from tackroom.glance import OFF, ON
from tackroom.packages import near
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted

TYPO = 0.8  # how near an unknown variable must be to one of ours before it is taken for a slip


class Form(Enum):
    """What a variable takes."""

    FLAG = "`1` or `0`"
    TEXT = "text"
    LIST = "names, with commas"


class Variable(NamedTuple):
    """One variable; not ``supported``: an error says so."""

    name: str
    form: Form
    about: str
    supported: bool = True


VARIABLES = (
    Variable("HARNESS", Form.LIST, "stage for these harnesses only"),
    Variable("PACKAGE", Form.LIST, "stage these packages only: `KEY`, or `KEY.ENTRY` of a catalogue"),
    Variable("LAYOUT", Form.TEXT, "stage this layout only: `bundle`"),
    Variable("OUT", Form.TEXT, "the folder for bundles, instead of `out:`"),
    Variable("LOCKED", Form.FLAG, "resolve nothing; the lock must be complete. On where `CI` is set"),
    Variable("OFFLINE", Form.FLAG, "use no network"),
    Variable("FROZEN", Form.FLAG, "both `LOCKED` and `OFFLINE`"),
    Variable("STRICT", Form.FLAG, "fail on warnings"),
    Variable("VERIFY", Form.FLAG, "hash everything, whatever the times of files say"),
    Variable("UNFOLD", Form.FLAG, "make every artifact a node and stage it"),
    Variable("FORCE", Form.FLAG, "move edited outputs to `.backups` and stage again"),
    Variable("FINDINGS", Form.TEXT, "`all`: print the findings of earlier runs too"),
    Variable("JSON", Form.TEXT, "the file to write the report to"),
    Variable("UPDATE", Form.LIST, "packages whose pins `lock` moves"),
    Variable("FILE", Form.TEXT, "where `report` writes its page", supported=False),
    Variable("WHAT", Form.TEXT, "the artifact that `explain` is about: `KIND/NAME`"),
)


HELP = """\
scons stage              render what changed (the default)
scons lock [UPDATE=a,b]  resolve revisions to commits; UPDATE moves those pins
scons explain WHAT=a/b   say where an artifact comes from, where it lands and why
scons -c                 remove what was staged and nobody edited

""" + "".join(f"{row.name:<10}{row.about}\n" for row in VARIABLES if row.supported)


@dataclass(frozen=True, slots=True)
class Options:
    """What a command line asks for; None where it does not narrow the run."""

    harnesses: tuple[str, ...] | None = None
    packages: tuple[str, ...] | None = None
    layout: str | None = None
    out: str | None = None
    locked: bool = False
    offline: bool = False
    strict: bool = False
    force: bool = False
    verify: bool = False
    unfold: bool = False
    findings_all: bool = False
    json: str | None = None
    update: tuple[str, ...] = ()
    what: str | None = None


def read(
    arguments: Mapping[str, str],
    environ: Mapping[str, str],
    *,
    harness_ids: Sequence[str],
    package_keys: Sequence[str],
) -> Options:
    """Read the variables; one that looks like a slip for one of ours is refused."""
    _refuse_slips(arguments)
    given = {row.name: _value(row, arguments.get(row.name)) for row in VARIABLES}
    in_ci = environ.get("CI", "").lower() not in OFF
    package = partial(_package_problem, package_keys)
    return Options(
        harnesses=_checked("HARNESS", given, partial(harness_problem, harness_ids)),
        packages=_checked("PACKAGE", given, package),
        layout=_checked("LAYOUT", given, partial(layout_problem, __version__)),
        out=given["OUT"],
        locked=given["FROZEN"] or (given["LOCKED"] if "LOCKED" in arguments else in_ci),
        offline=given["FROZEN"] or given["OFFLINE"],
        strict=given["STRICT"],
        force=given["FORCE"],
        verify=given["VERIFY"],
        unfold=given["UNFOLD"],
        findings_all=bool(_checked("FINDINGS", given, _findings_problem)),
        json=given["JSON"],
        what=given["WHAT"],
        update=_checked("UPDATE", given, package) or (),
    )


def _value(row: Variable, text: str | None) -> Any:  # noqa: ANN401 - what the row's form says
    if text is not None and not row.supported:
        raise TackroomError(f"{row.name} is not supported by tackroom {__version__} yet; remove it")
    text = text or ""
    if row.form is Form.FLAG:
        return _flag(row.name, text)
    if row.form is Form.LIST:
        return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip())) or None
    return text or None


def _flag(name: str, text: str) -> bool:
    if text.lower() not in ON | OFF:
        raise TackroomError(f"{name} is {quoted(text)}, which is neither on nor off; use 1 or 0")
    return text.lower() in ON


def _checked(name: str, given: Mapping[str, Any], check: Callable[[str], str]) -> Any:  # noqa: ANN401 - likewise
    """Return a value whose texts say nothing wrong."""
    value = given[name]
    for text in [value] if isinstance(value, str) else value or ():
        if problem := check(text):
            verb = "is" if isinstance(value, str) else "names"
            raise TackroomError(f"{name} {verb} {quoted(text)}, which {problem}")
    return value


def _package_problem(keys: Sequence[str], name: str) -> str:
    key, dot, entry = name.partition(".")
    known = key in keys and bool(entry) == bool(dot)
    return "" if known else f"is no package of the workspace{near.hint(key, keys)}"


def _findings_problem(text: str) -> str:
    return "" if text == "all" else "is no choice; use 'all'"


def _refuse_slips(arguments: Mapping[str, str]) -> None:
    names = [row.name for row in VARIABLES]
    for given in sorted(set(arguments) - set(names)):
        from difflib import get_close_matches

        if near := get_close_matches(given.upper(), names, n=1, cutoff=TYPO):
            raise TackroomError(f"unknown variable {quoted(given)}; did you mean {quoted(near[0])}")


def table() -> str:
    """Return the variables as Markdown, for the documentation."""
    rows = ["| variable | takes | what it does |", "|---|---|---|"]
    rows += [f"| `{row.name}` | {row.form.value} | {_about(row)} |" for row in VARIABLES]
    return "\n".join(rows) + "\n"


def _about(row: Variable) -> str:
    return row.about if row.supported else f"{row.about} (not supported yet)"
