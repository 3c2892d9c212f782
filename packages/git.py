"""How git is called: which program, with which options and environment, and what its failures say.

Takes the user's environment and gives the parts of a call; ``store`` makes it. The user's own git is
used, so that credentials, proxies and ssh work as they do everywhere else, and nothing of a fetched
repository is ever run: no hook, filter, helper or configuration of it.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from tackroom.packages import pin
from tackroom.packages.errors import TackroomError

PROTOCOLS = ("file", "git", "http", "https", "ssh")

# What a user sets to reach a server or to look into git. The rest of GIT_* tells a git that runs
# us (in a hook, say) about another repository and must not reach ours.
_KEPT = re.compile(
    r"GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|TERMINAL_PROMPT|EXEC_PATH|CURL_VERBOSE"
    r"|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+)|(SSL|HTTP|PROXY|TRACE2?|REDACT)(_.*)?)"
)
_OPTIONS = (
    "core.hooksPath=/dev/null",
    "protocol.ext.allow=never",
    "fetch.recurseSubmodules=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
# git ends most failures of a connection with these, which say less than the line before them
_EMPTY_TALK = ("Please make sure you have", "and the repository exists", "fatal: Could not read from remote")


def command(repository: Path | None) -> list[str]:
    """Return the start of a git command line, for a bare repository or for none."""
    options = [part for option in _OPTIONS for part in ("-c", option)]
    return [_program(), *options, *([f"--git-dir={repository}"] if repository else [])]


def _program() -> str:
    """Return the path of git. Windows would look into the current folder first, where anything may lie."""
    folders = (folder for folder in map(Path, os.get_exec_path()) if folder.is_absolute())
    found = next((path for folder in folders if (path := shutil.which(folder / "git"))), None)
    if found is None:
        raise TackroomError("git is not on PATH; install it to use packages from git repositories")
    return str(found)


def environment(inherited: Mapping[str, str], *, terminal: bool) -> dict[str, str]:
    """Return the environment for git: the user's, without what belongs to another repository.

    ``terminal``: somebody is there who can answer git's question for a password.
    """
    kept = {key: text for key, text in inherited.items() if key[:4] != "GIT_" or _KEPT.fullmatch(key)}
    allowed = inherited.get("GIT_ALLOW_PROTOCOL", ":".join(PROTOCOLS)).split(":")
    ours = {
        "GIT_ALLOW_PROTOCOL": ":".join(each for each in PROTOCOLS if each in allowed),
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
    return kept | ours | ({} if terminal else {"GIT_TERMINAL_PROMPT": "0"})


def reason(talk: bytes) -> str:
    """Return the line of what git said that says most, without passwords and control characters."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", talk.decode(errors="replace"))]
    last = next((line for line in reversed(lines) if line and not line.startswith(_EMPTY_TALK)), "")
    text = "".join(c if c.isprintable() else "?" for c in last)
    return pin.shown(text).removeprefix("fatal: ") or "git failed and did not say why"
