"""What pins a package: the address of a git repository, a revision and a folder.

Takes what a user or a lock file says, checks it, and gives the one form that git is handed. Nothing
that is passed on can be read by git or ssh as an option, name a transport that runs a program, or
leave the repository. Pure: nothing is read from a disk.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted

GITHUB = "https://github.com/"
PORTS = {"https": "443", "http": "80", "ssh": "22", "git": "9418", "file": ""}  # the schemes and their ports

_SHORT = re.compile(r"(?!\.+/)[A-Za-z0-9._-]+/(?!\.+$)[A-Za-z0-9._-]+")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_HOST = r"(?P<host>\[[^\]/@]*\]|[^/:@]*)"
_URL = re.compile(
    rf"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:(?P<user>[^/]*)@)?{_HOST}(?::(?P<port>\d*))?(?P<path>/.*)?"
)
_SCP = re.compile(rf"(?:(?P<user>[^/:@]+)@)?{_HOST}:(?P<path>[^:].*)")
# the last form is a password with a slash in it, which no program takes but which is no less secret
_SECRET = re.compile(
    r"(\bssh://[^/\s:@]*:)[^/\s]*@"
    r"|((?!ssh:)\b[A-Za-z][A-Za-z0-9+.-]*://)[^/\s]*@"
    r"|(://[^/\s:]*:)(?!\d*(?:[/\s'\"]|$))\S*@"
)
_COMMIT = re.compile(r"[0-9a-fA-F]{40}|[0-9a-fA-F]{64}")
_NOT_IN_REV = ("..", ":", "^", "~", "?", "*", "[", "\\", "@{")


def remote(git: str, folder: Path) -> str:
    """Return the url or path that git is given for what stands under ``git:`` in a file of ``folder``."""
    _check_text("git", shown(git))
    if git in (".", "..") or git.startswith(("./", "../")):
        return Path(os.path.abspath(folder / git)).as_posix()  # noqa: PTH100 - resolve() would follow links
    if _SHORT.fullmatch(git):
        return GITHUB + git
    if Path(git).is_absolute():
        return git
    if _HELPER.match(git):
        raise TackroomError(f"git: {quoted(shown(git))} names a program to run; use a url or a path")
    return _url(git) or _scp(git)


def _url(git: str) -> str:
    scheme, separator, rest = git.partition("://")
    if not separator:
        return ""
    if scheme.lower() not in PORTS:
        known = ", ".join(sorted(PORTS))
        raise TackroomError(
            f"git: {quoted(shown(git))} is none of the kinds of url that are fetched: {known}"
        )
    if not (parts := _URL.fullmatch(git)):
        raise TackroomError(f"git: {quoted(shown(git))} is not a url")
    _check_host(git, parts)
    return f"{scheme.lower()}://{rest}"


def _scp(git: str) -> str:
    if not (parts := _SCP.fullmatch(git)):
        raise TackroomError(
            f"git: {quoted(git)} is no address of a repository; write owner/repo for GitHub, a url, "
            "or a path that starts with ./"
        )
    _check_host(git, parts)
    return git


def _check_host(git: str, parts: re.Match[str]) -> None:
    """Refuse what ssh would read as an option; git decodes %2D before ssh sees it."""
    for part in (parts["user"], parts["host"], parts["path"]):
        if unquote(part or "").startswith("-"):
            raise TackroomError(f"git: {quoted(shown(git))} holds a part that starts with '-'")


def _check_text(key: str, text: str) -> None:
    if not text.isprintable():
        raise TackroomError(f"{key}: {quoted(text)} holds a character that cannot be printed")
    if text.startswith("-"):
        raise TackroomError(f"{key}: {quoted(text)} starts with '-'")
    if not text or text != text.strip():
        raise TackroomError(f"{key}: {quoted(text)} is empty or starts or ends with a space")


def shown(text: str) -> str:
    """Return a url, or a text that holds some, without user names and passwords (``ssh`` keeps the name)."""
    return _SECRET.sub(lambda found: f"{found[1] or found[2] or found[3]}***@", text)


def is_commit(rev: str) -> bool:
    """Tell whether a revision is the whole id of a commit."""
    return _COMMIT.fullmatch(rev) is not None


def check_rev(rev: str) -> None:
    """Refuse a revision that git could read as anything but a branch, tag or commit; empty: the default."""
    if not rev:
        return
    _check_text("rev", rev)
    wrong = next((each for each in (*_NOT_IN_REV, " ") if each in rev), "")
    if wrong:
        raise TackroomError(f"rev: {quoted(rev)} holds {quoted(wrong)}, which no branch, tag or commit does")
    if rev.startswith("/") or rev.endswith(("/", ".lock", ".")):
        raise TackroomError(f"rev: {quoted(rev)} is no name of a branch, tag or commit")


def folder(subdir: str) -> str:
    """Return the one form of a folder's path in a repository: no ``./``, no ``/`` at the end."""
    if not subdir:
        return ""
    _check_text("subdir", subdir)
    if "\\" in subdir:
        raise TackroomError(f"subdir: {quoted(subdir)} holds a backslash; folders are separated by '/'")
    parts = PurePosixPath(subdir).parts
    if subdir.startswith("/") or ".." in parts or re.match("[A-Za-z]:", subdir):
        raise TackroomError(f"subdir: {quoted(subdir)} leaves the repository; name a folder inside it")
    return "/".join(parts)


def identity(url: str) -> str:
    """Return one name for a repository, however its url is spelt: ``github.com/owner/repo``."""
    if not (parts := _URL.fullmatch(url) or (None if Path(url).is_absolute() else _SCP.fullmatch(url))):
        return _bare(url)
    scheme = parts.groupdict().get("scheme", "ssh").lower()
    if scheme == "file":
        return _bare(unquote(parts["path"] or ""))
    host = parts["host"].lower().rstrip(".").removeprefix("www.")
    port = parts.groupdict().get("port") or ""
    path = re.sub("/+", "/", _bare(unquote(parts["path"] or "")).lstrip("/"))
    if host == "github.com":
        path = path.casefold()
    return f"{host}{':' + port if port not in ('', PORTS[scheme]) else ''}/{path}"


def _bare(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")


def is_local(url: str) -> bool:
    """Tell whether what ``remote`` returned is a repository on this machine."""
    return url.lower().startswith("file:") or Path(url).is_absolute()
