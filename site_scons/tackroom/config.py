"""Takes a ``tackroom.yaml``, gives a frozen Workspace, or one error with a line for each mistake.

A key with no value (``null``) counts as absent. Where the file asks for other versions of tackroom,
that is the only mistake reported, since its other ones may be keys of those versions. The tables
of keys are what the reader goes by and what the documentation shows. Nothing is fetched or written.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple, TypeVar

from xxhash import xxh3_128_hexdigest

from tackroom import yamlfile
from tackroom.packages import pin
from tackroom.packages.errors import TackroomError, reason
from tackroom.packages.findings import quoted
from tackroom.packages.model import Kind
from tackroom.ranges import allows
from tackroom.yamlfile import Mistakes, Node, gather, hint

LAYOUTS = ("bundle", "project")

Made = TypeVar("Made")

_TAKEN_FOLDERS = (".git", ".tackroom", ".tackroom/state", ".backups")
_KEY = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


class PackageSpec(NamedTuple):
    """What a workspace says of one package: a ``git`` repository, or a folder at ``path``.

    ``git`` is what the file says; ``pin.remote`` makes an address of it. ``path`` counts from the
    workspace's folder. ``rev`` is empty for the default branch, ``subdir`` for the root. ``plugins``
    is None where no catalogue is meant, ``("*",)`` for all of one.
    """

    key: str
    line: int
    git: str = ""
    path: str = ""
    rev: str = ""
    subdir: str = ""
    plugins: tuple[str, ...] | None = None
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """What one ``tackroom.yaml`` says. ``name`` is how errors call it.

    ``harnesses`` is None where the file names none. ``requires`` is the range of its ``tackroom:``
    key. ``layout`` has an entry for every harness. ``out`` counts from ``folder`` where relative.
    ``digest`` is that of the file's bytes as they were read.
    """

    name: str
    folder: Path
    packages: tuple[PackageSpec, ...]
    layout: Mapping[str, str]
    harnesses: tuple[str, ...] | None = None
    requires: str = ""
    out: str = ".tackroom/stage"
    digest: str = field(default="", compare=False)


class _Setting(NamedTuple):
    """What a reader of a key may need to know besides its value."""

    name: str
    folder: Path
    harness_ids: tuple[str, ...]
    version: str
    built: bool


class Key(NamedTuple):
    """A key, what it takes and what it is for; ``read`` is None where that is not built yet."""

    name: str
    takes: str
    about: str
    read: Callable[[_Setting, Node], Any] | None = None


def read(path: Path, *, harness_ids: Sequence[str], version: str, built: bool = False) -> Workspace:
    """Read the workspace at ``path``, which is named in errors as it is given here.

    ``built``: the folders of packages need not be there yet, since the build makes them.
    """
    folder = Path(os.path.normpath(path.absolute())).parent  # as SCons writes it
    setting = _Setting(path.as_posix(), folder, tuple(harness_ids), version, built)
    try:
        content = _bytes(path)
        return replace(_workspace(setting, yamlfile.read(content)), digest=xxh3_128_hexdigest(content))
    except Mistakes as wrong:
        raise TackroomError(wrong.text(path.as_posix())) from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        example = "one with at least 'packages: {NAME: {git: OWNER/REPO}}'"
        folder = quoted(path.parent.as_posix())
        raise TackroomError(f"no {path.name} in {folder}; write {example}") from None
    except OSError as wrong:
        folder = "is a folder; write a file there"
        problem = folder if _is_folder(path) else f"cannot be read: {reason(wrong)}"
        raise TackroomError(problem, where=path.as_posix()) from None


def _workspace(setting: _Setting, root: Node) -> Workspace:
    asked = root.mapping().get("tackroom")
    if asked and asked.value is not None:
        _requires(setting, asked)
    values = _read(setting, WORKSPACE_KEYS, root)
    if "packages" not in values:
        raise root.wrong("has no 'packages'; list at least one, or write 'packages: {}'")
    values.setdefault("layout", dict.fromkeys(setting.harness_ids, LAYOUTS[0]))
    return Workspace(setting.name, setting.folder, requires=values.pop("tackroom", ""), **values)


def _read(setting: _Setting, keys: Sequence[Key], node: Node) -> dict[str, Any]:
    return node.read({key.name: partial(key.read or _unsupported, setting) for key in keys})


def _unsupported(setting: _Setting, node: Node) -> None:
    raise node.wrong(f"is not supported by tackroom {setting.version} yet; remove it")


# --- keys of the workspace --------------------------------------------------------------------


def _requires(setting: _Setting, node: Node) -> str:
    wanted = node.text()
    try:
        allowed = allows(wanted, setting.version)
    except ValueError:
        example = "write one like '~=0.3' or '>=0.3,<0.5'"
        raise node.wrong(f"is {quoted(wanted)}, which is no range of versions; {example}") from None
    if not allowed:
        asks = f"this workspace asks for tackroom {quoted(wanted)}, and this is {setting.version}"
        raise Mistakes((node.line, f"{asks}; install a version in that range"))
    return wanted


def _harnesses(setting: _Setting, node: Node) -> tuple[str, ...]:
    return node.texts(partial(harness_problem, setting.harness_ids))


def harness_problem(harness_ids: Sequence[str], name: str) -> str:
    """Say what is wrong with the name of a harness; empty where nothing is."""
    return "" if name in harness_ids else f"is no harness{hint(name, harness_ids)}"


def _layout(setting: _Setting, node: Node) -> Mapping[str, str]:
    check = partial(layout_problem, setting.version)
    if isinstance(node.value, tuple):
        raise node.wrong("must be text or a map, not a list")
    if isinstance(node.value, str):
        return dict.fromkeys(setting.harness_ids, node.text(check))
    given = node.read(dict.fromkeys(("default", *setting.harness_ids), lambda each: each.text(check)))
    return {each: given.get(each, given.get("default", LAYOUTS[0])) for each in setting.harness_ids}


def layout_problem(version: str, name: str) -> str:
    """Say why a layout cannot be had; empty where it can."""
    if name == "project":
        return f"is not supported by tackroom {version} yet; use 'bundle'"
    return "" if name in LAYOUTS else f"is no layout{hint(name, LAYOUTS)}"


def _out(setting: _Setting, node: Node) -> str:
    return posixpath.normpath(node.text(partial(out_problem, setting.folder)))


def out_problem(folder: Path, out: str) -> str:
    """Say why outputs of the workspace in ``folder`` cannot go to ``out``; empty where they can."""
    if "\\" in out:
        return "holds a backslash; separate folders with '/'"
    real = Path(os.path.realpath(folder))
    if any(real.is_relative_to(os.path.realpath(folder / each)) for each in (out, posixpath.normpath(out))):
        return "holds the workspace itself; choose a folder for outputs alone"
    if os.path.isfile(folder / out):  # noqa: PTH113 - Path.is_file() fails for a name that is too long
        return "is a file; name a folder"
    if posixpath.normpath(out) in _TAKEN_FOLDERS:
        return "is kept for something else; choose a folder for outputs alone"
    return ""


def _packages(setting: _Setting, node: Node) -> tuple[PackageSpec, ...]:
    return tuple(gather(partial(_package, setting), node.mapping().items()))


# --- keys of a package ------------------------------------------------------------------------


def _package(setting: _Setting, item: tuple[str, Node]) -> PackageSpec:
    key, node = item
    if problem := _key_problem(key):
        raise Mistakes((node.line, f"'packages' names {quoted(key)}, which {problem}"))
    made = PackageSpec(key, node.line, **_read(setting, PACKAGE_KEYS, node))
    if made.git and made.path:
        raise node.wrong("has two sources, 'git' and 'path'; keep one")
    if not made.git and not made.path:
        raise node.wrong("has no source; add 'git' or 'path'")
    if made.path and made.rev:
        raise node.mapping()["rev"].wrong("goes with 'git' only; remove it, a folder is taken as it is")
    if made.path and made.subdir:
        raise node.mapping()["subdir"].wrong("goes with 'git' only; put it into 'path'")
    return made


def _key_problem(key: str) -> str:
    if key == "workspace":
        return "stands for the repository's own artifacts; choose another"
    return "" if _KEY.fullmatch(key) else "is no package key; use a-z, 0-9 and, between them, '-'"


def _pinned(node: Node, check: Callable[[str], Made]) -> Made:
    """Return what ``check`` makes of a text; its error becomes a mistake of this key."""
    try:
        return check(node.text())
    except TackroomError as wrong:
        problem = str(wrong).removeprefix(f"{node.keys[-1]}: ")
        raise Mistakes((node.line, f"{node.where}: {problem}")) from None


def _git(setting: _Setting, node: Node) -> str:
    _pinned(node, partial(pin.remote, folder=setting.folder))
    return node.text()


def _rev(_: _Setting, node: Node) -> str:
    _pinned(node, pin.check_rev)
    return node.text()


def _subdir(_: _Setting, node: Node) -> str:
    return _pinned(node, pin.folder)


def _path(setting: _Setting, node: Node) -> str:
    return posixpath.normpath(node.text(partial(_path_problem, setting)))


def _path_problem(setting: _Setting, text: str) -> str:
    if "\\" in text:
        return "holds a backslash; separate folders with '/'"
    if text.startswith("/") or PureWindowsPath(text).drive:
        return "is absolute; write it from the folder of tackroom.yaml"
    return "" if setting.built else _folder_problem(setting.folder / text)


def _folder_problem(place: Path) -> str:
    if _is_folder(place):
        return ""
    return "is a file; name a folder" if os.path.isfile(place) else "does not exist"  # noqa: PTH113


def _is_folder(place: Path) -> bool:
    return os.path.isdir(place)  # noqa: PTH112 - Path.is_dir() fails for a name that is too long


def _plugins(_: _Setting, node: Node) -> tuple[str, ...]:
    if node.value == "*":
        return ("*",)
    names = node.texts()
    if "*" in names and len(names) > 1:
        raise node.wrong("names '*', which takes all; remove the others")
    return names


def _globs(_: _Setting, node: Node) -> tuple[str, ...]:
    return node.texts(_glob_problem)


def _glob_problem(text: str) -> str:
    kind, _, name = text.partition("/")
    if not name:
        return "is not KIND/NAME; write one like 'skill/*'"
    return "" if kind in ("*", *Kind) else f"starts with no kind{hint(kind, Kind)}"


PACKAGE_KEYS = (
    Key("git", "a URL, `OWNER/REPO` on GitHub, or a path that starts with `./`", "the repository", _git),
    Key("path", "a folder, from the one of `tackroom.yaml`", "instead of `git`: a folder at hand", _path),
    Key("rev", "a branch, tag or commit", "what the lock pins; absent: the default branch", _rev),
    Key("subdir", "a path inside the repository", "where the package starts; absent: its root", _subdir),
    Key("plugins", 'a list of names, or `"*"`', "entries of the catalogue found there", _plugins),
    Key("only", "a list of `KIND/NAME` globs", "the artifacts to stage; absent: all", _globs),
    Key("skip", "a list of `KIND/NAME` globs", "artifacts to leave out", _globs),
)

WORKSPACE_KEYS = (
    Key("packages", "a map of package keys", "what is staged; the only key that must be there", _packages),
    Key("harnesses", "a list of harness ids", "what is staged for; absent: all of them", _harnesses),
    Key("tackroom", "a range such as `~=0.3`", "the versions that may stage this workspace", _requires),
    Key("layout", "`bundle`, or a map of harness ids and `default`", "how outputs are laid out", _layout),
    Key("out", "a folder", "where bundles go; absent: `.tackroom/stage`", _out),
    Key("models", "a map of tiers", "what each harness calls a model tier"),
    Key("limits", "a map of harness ids", "settings such as the number of threads"),
    Key("mcp", "a map of servers", "servers of the repository itself"),
    Key("hooks", "a map", "where the hook runner lies"),
    Key("cache", "a map", "the team's cache of packages"),
    Key("accept", "a list of findings", "findings that are agreed to"),
    Key("deny", "a list of conditions", "packages that may not be staged"),
    Key("allow-run", "a map of package keys", "what a package may run"),
    Key("fail-closed", "a boolean", "whether a denied guard blocks"),
    Key("cooldown", "a duration", "how old a commit must be"),
)


def table() -> str:
    """Return the keys as Markdown, for the documentation."""
    rows = ["| key | takes | what it is for |", "|---|---|---|"]
    rows += [_row(key.name, key) for key in WORKSPACE_KEYS]
    rows += [_row(f"packages.NAME.{key.name}", key) for key in PACKAGE_KEYS]
    return "\n".join(rows) + "\n"


def _row(name: str, key: Key) -> str:
    about = key.about if key.read else f"{key.about} (not supported yet)"
    return f"| `{name}` | {key.takes} | {about} |"
