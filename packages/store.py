"""Packages at commits of git repositories, kept in a cache that all workspaces of a user share.

Takes urls, revisions and commits that ``pin`` has checked, gives commits and trees. Each remote has
one bare repository in the cache; a commit counts as held once its ref ``refs/tackroom/COMMIT`` is
there, which is made last. This is the only module that runs git.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import IO, NamedTuple

from tackroom.packages import git, near, pin
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.packages.model import File, Link, Node, Submodule
from tackroom.packages.tree import Tree
from xxhash import xxh3_64_hexdigest

README = """\
This folder is tackroom's cache of git repositories. All of it can be fetched again:
delete it whenever no tackroom or scons is running. TACKROOM_CACHE moves it.
"""

SHA1_DIGITS = 40
FULL = 0x7FFFFFFF  # the depth that git takes for all of the history
EVERYTHING = ("+refs/heads/*:refs/remote/heads/*", "+refs/tags/*:refs/remote/tags/*")


class GitFailed(TackroomError):
    """A git command that failed; ``reason`` is what git said."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(f"{_name(url)} cannot be read: {reason}")
        self.reason = reason


class Store:
    """The cache, and the commits and trees that are had from it."""

    def __init__(self, root: Path | None = None, *, offline: str = "") -> None:
        """``offline``: what forbids the network, as the user knows it (``OFFLINE=1``); empty: nothing."""
        self._root = root
        self._offline = offline
        self._commits: dict[tuple[str, str], str] = {}
        self._trees: dict[tuple[str, str], Tree] = {}
        self._readers: dict[Path, _Reader] = {}

    @cached_property
    def root(self) -> Path:
        """The folder of the cache."""
        return (self._root or default_root()).absolute()

    def resolve(self, url: str, rev: str) -> str:
        """Return the commit that a branch, a tag or, for an empty ``rev``, the default branch is at.

        A branch wins over a tag of the same name. A whole commit is returned as it is, without
        asking the remote. What was resolved once stays the same for the life of the store.
        """
        pin.check_rev(rev)
        if pin.is_commit(rev):
            return rev.lower()
        if (url, rev) not in self._commits:
            self._online(f"{_name(url)}: {quoted(rev or 'HEAD')} has to be looked up")
            self._commits[url, rev] = self._look_up(url, rev)
        return self._commits[url, rev]

    def _look_up(self, url: str, rev: str) -> str:
        names = _full_names(rev)
        known = self._remote_refs(url, names)
        if found := [known[name] for name in names if name in known]:
            return found[0]
        if rev in ("", "HEAD"):
            raise TackroomError(f"{_name(url)} has no default branch; name a branch, tag or commit with rev:")
        unknown = f"no branch or tag {quoted(rev)} in {_name(url)}"
        if re.fullmatch("[0-9a-fA-F]{4,39}", rev):
            raise TackroomError(f"{unknown}; a commit needs all its 40 digits")
        every = self._remote_refs(url, ["refs/heads/*", "refs/tags/*"])
        short = (name.split("/", 2)[2] for name in every if not name.endswith("^{}"))
        raise TackroomError(unknown + near.hint(rev, short))

    def _remote_refs(self, url: str, patterns: list[str]) -> dict[str, str]:
        self._prepare_root()
        # outside of any repository: the one the user stands in may say other things about urls
        alone = {"GIT_CEILING_DIRECTORIES": str(self.root)}
        place = str(self.root / "git")
        listing = _git(None, url, "-C", place, "ls-remote", "--", url, *patterns, **alone)
        lines = listing.decode(errors="surrogateescape").split("\n")
        rows = (line.partition("\t") for line in lines if line)
        return {name: commit for commit, _, name in rows}

    def has(self, url: str, commit: str) -> bool:
        """Tell whether a commit is in the cache; neither network nor git are used."""
        return self._repository(url, commit).has(commit)

    def fetch(self, url: str, commit: str, rev: str = "") -> None:
        """Bring a commit into the cache unless it is there; ``rev`` is where it was found, if known."""
        repository = self._repository(url, commit)
        if repository.has(commit):
            return
        self._online(f"{_name(url)} at {commit[:7]} is not in the cache")
        with self._locked(repository):
            if not repository.has(commit):
                repository.prepare()
                self._download(repository, commit, rev)
                repository.keep(commit)

    def _download(self, repository: _Repository, commit: str, rev: str) -> None:
        """Fetch a commit by its id; where a server gives none out so, by its name, or everything."""
        try:
            repository.fetch(commit, depth=1)
        except GitFailed as refused:
            if self._arrived(repository, commit, rev):
                return
            if "not our ref" not in refused.reason:  # that: there is none; else: none is given out by its id
                repository.fetch_everything()

    def _arrived(self, repository: _Repository, commit: str, rev: str) -> bool:
        """Fetch what a revision is at now; tell whether that brought the commit."""
        names = _full_names("" if pin.is_commit(rev) else rev)
        known = self._remote_refs(repository.url, names)  # fails where the remote is out of reach
        ref = next((name.removesuffix("^{}") for name in names if name in known), "")
        with suppress(GitFailed):
            repository.fetch(ref or "HEAD", depth=1)
            return bool(repository.kind(commit))
        return False

    def tree(self, url: str, commit: str) -> Tree:
        """Return the tree of a commit that is in the cache; files are read when they are asked for."""
        if (url, commit) not in self._trees:
            reader = self._reader(url, commit)
            listing = self._repository(url, commit).git("ls-tree", "-r", "-l", "-z", "--full-tree", commit)
            nodes = (_node(row, reader) for row in listing.split(b"\0") if row)
            self._trees[url, commit] = Tree(dict(nodes), id=self.tree_id(url, commit, ""))
        return self._trees[url, commit]

    def tree_id(self, url: str, commit: str, subdir: str) -> str:
        """Return git's id of a folder of a commit that is in the cache."""
        folder = pin.folder(subdir)
        kind, id_, _ = self._reader(url, commit).read(f"{commit}:{folder}")
        if kind == "tree":
            return id_
        where = f"{_name(url)} at {commit[:7]}"
        if kind:
            raise TackroomError(f"{quoted(folder)} is not a folder in {where}")
        folders = self.tree(url, commit).folders()
        raise TackroomError(f"there is no folder {quoted(folder)} in {where}{near.hint(folder, folders)}")

    def _reader(self, url: str, commit: str) -> _Reader:
        repository = self._repository(url, commit)
        if not repository.has(commit):
            raise TackroomError(f"{_name(url)} at {commit[:7]} is not in the cache; run 'tackroom lock'")
        return self._readers.setdefault(repository.path, _Reader(repository.path))

    def _online(self, what: str) -> None:
        if self._offline:
            advice = "run 'tackroom lock' once without it"
            raise TackroomError(f"{what} and {self._offline} forbids the network; {advice}")

    def _repository(self, url: str, commit: str) -> _Repository:
        slug = re.sub("[^a-z0-9]+", "-", pin.identity(url).lower())[-60:].strip("-")
        kind = "sha1" if len(commit) == SHA1_DIGITS else "sha256"
        return _Repository(url, self.root / "git" / f"{slug}-{xxh3_64_hexdigest(url.encode())}-{kind}", kind)

    @contextmanager
    def _locked(self, repository: _Repository) -> Iterator[None]:
        """Hold a repository of the cache alone, among all processes."""
        from filelock import FileLock

        self._prepare_root()
        try:
            with FileLock(f"{repository.path}.lock"):
                yield
        except (OSError, NotImplementedError) as error:
            raise self._unusable(error) from None

    def _prepare_root(self) -> None:
        readme = self.root / "README"
        try:
            (self.root / "git").mkdir(parents=True, exist_ok=True)
            if not readme.exists():
                readme.write_text(README, encoding="utf-8", newline="\n")
        except OSError as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> TackroomError:
        where = quoted(str(self.root))
        return TackroomError(f"the cache {where} cannot be used: {error}; TACKROOM_CACHE names another place")


class _Repository(NamedTuple):
    """The bare repository of one remote in the cache; ``hash`` is the function its ids are made with."""

    url: str
    path: Path
    hash: str

    def git(self, *arguments: str) -> bytes:
        return _git(self.path, self.url, *arguments)

    def has(self, commit: str) -> bool:
        return (self.path / "refs" / "tackroom" / commit).is_file()

    def prepare(self) -> None:
        """Make ready for a fetch. The caller holds the lock, so locks and parts that lie here are stale."""
        if not self.path.exists():
            self._create()
        for pattern in ("*.lock", "refs/tackroom/*.lock", "objects/pack/tmp_*"):
            for stale in self.path.glob(pattern):
                stale.unlink(missing_ok=True)

    def _create(self) -> None:
        new = self.path.with_name(self.path.name + ".new")
        shutil.rmtree(new, ignore_errors=True)
        formats = {"GIT_DEFAULT_HASH": self.hash, "GIT_DEFAULT_REF_FORMAT": "files"}
        _git(None, self.url, "init", "--quiet", "--bare", "--template=", "--", str(new), **formats)
        _git(new, self.url, "config", "gc.packRefs", "false")  # ``has`` looks for files
        new.rename(self.path)

    def fetch(self, *wanted: str, depth: int = 0) -> None:
        options = ["--no-tags", "--no-recurse-submodules"]
        options += [f"--depth={depth}"] if depth else []
        # --progress: a git that outlives us dies at its next line, before it can meet another's locks
        self.git("fetch", "--progress", *options, "--", self.url, *wanted)

    def fetch_everything(self) -> None:
        self.fetch(*EVERYTHING, depth=FULL if (self.path / "shallow").exists() else 0)

    def kind(self, id_: str) -> str:
        """Return the kind of an object; empty where it is not here."""
        with suppress(GitFailed):
            return self.git("cat-file", "-t", id_).decode().strip()
        return ""

    def keep(self, commit: str) -> None:
        """Make the ref of a commit that has come, which says that all of it is here."""
        kind = self.kind(commit)
        if not kind:
            raise TackroomError(
                f"{_name(self.url)} has no commit {quoted(commit)}; if its history was rewritten, "
                "move the pin with 'tackroom lock --update NAME'"
            )
        if kind != "commit":
            raise TackroomError(f"{quoted(commit)} in {_name(self.url)} is a {kind}, not a commit")
        self.git("update-ref", f"refs/tackroom/{commit}", commit)


class _Reader:
    """Objects of one repository, read through one git process that threads may share."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._pipes: tuple[IO[bytes], IO[bytes]] | None = None

    def blob(self, id_: str) -> bytes:
        """Return the bytes of a file."""
        kind, found, content = self.read(id_)
        if kind != "blob" or found != id_:
            raise self._lost(id_)
        return content

    def read(self, name: str) -> tuple[str, str, bytes]:
        """Return kind, id and content of an object; all empty where there is none."""
        with self._lock:
            asked, answers = self._pipes = self._pipes or self._start()
            try:
                asked.write(name.encode(errors="surrogateescape") + b"\n")
                asked.flush()
                return self._answer(name, answers)
            except (OSError, ValueError):
                raise self._lost(name) from None

    def _answer(self, name: str, answers: IO[bytes]) -> tuple[str, str, bytes]:
        header = answers.readline().split()
        if header[-1:] in ([b"missing"], [b"submodule"]):
            return "", "", b""
        id_, kind, size = header
        content = answers.read(int(size) + 1)
        if len(content) <= int(size):
            raise self._lost(name)
        return kind.decode(), id_.decode(), content[:-1]

    def _start(self) -> tuple[IO[bytes], IO[bytes]]:
        process = subprocess.Popen(  # noqa: S603 - the ids and paths it is given are data on a pipe
            [*git.command(self._path), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git.environment(os.environ, terminal=False),
        )
        weakref.finalize(self, _stop, process)  # also when Python exits
        assert process.stdin
        assert process.stdout
        return process.stdin, process.stdout

    def _lost(self, name: str) -> TackroomError:
        where = quoted(str(self._path))
        return TackroomError(f"{quoted(name)} did not arrive from the cache; delete {where} and run again")


def _stop(process: subprocess.Popen[bytes]) -> None:
    for pipe in filter(None, (process.stdin, process.stdout)):
        with suppress(OSError):
            pipe.close()
    process.wait()


def default_root() -> Path:
    """Return the cache's folder: ``TACKROOM_CACHE``, or the system's place for caches."""
    from platformdirs import user_cache_path

    return Path(os.environ.get("TACKROOM_CACHE") or user_cache_path("tackroom", appauthor=False))


def _name(url: str) -> str:
    return quoted(pin.shown(url))


def _full_names(rev: str) -> list[str]:
    """Return the names a revision may have in a remote, the best first. ``^{}``: what a tag points to."""
    if rev in ("", "HEAD"):
        return ["HEAD"]
    full = [f"{rev}^{{}}", rev] if rev.startswith("refs/") else []
    return [f"refs/heads/{rev}", f"refs/tags/{rev}^{{}}", f"refs/tags/{rev}", *full]


def _node(row: bytes, reader: _Reader) -> tuple[str, Node]:
    """Make a node of a row of ``ls-tree``: mode, kind, id and size, a tab, the path."""
    facts, _, raw = row.partition(b"\t")
    mode, _, id_, size = facts.decode().split()
    path = raw.decode(errors="surrogateescape")
    if mode == "160000":
        return path, Submodule(id_)
    if mode == "120000":
        return path, Link(reader.blob(id_).decode(errors="surrogateescape"))
    return path, File(id_, executable=mode == "100755", size=int(size), load=partial(reader.blob, id_))


def _git(repository: Path | None, url: str, *arguments: str, **extra: str) -> bytes:
    """Run git in a repository of the cache or outside of any; ``extra`` is put into its environment."""
    done = subprocess.run(  # noqa: S603 - no part of a command can be read as another; see ``pin``
        [*git.command(repository), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=git.environment(os.environ, terminal=os.isatty(0)) | extra,
    )
    if done.returncode:
        raise GitFailed(url, git.reason(done.stderr))
    return done.stdout
