"""The canonical archive of a package, whose sha256 stands in the lock.

Takes a tree and a folder of it, gives the tar that every machine and every Python makes of them:
files and links only, sorted by name, with no owners and no times. A link that leaves the folder but
not the tree is stored as what it points to, so the archive stands alone. Nothing is written but to
the stream that is given.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from typing import BinaryIO

from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import quoted
from tackroom.packages.model import File, Link
from tackroom.packages.tree import MAX_DEPTH, Tree, Unreachable, join

MAX_COPIED = 1 << 30  # bytes that links may add to a package; a few nested links can ask for 2**64
VISIT = 4096  # what a visited path counts for, beside its size


def digest(tree: Tree, subdir: str) -> str:
    """Return the sha256 of the canonical archive of a folder."""
    sink = _Digest()
    write(tree, subdir, sink)
    return sink.sha256.hexdigest()


def write(tree: Tree, subdir: str, out: BinaryIO) -> None:
    """Write the canonical archive of a folder."""
    held = contents(tree, subdir)
    with tarfile.open(
        fileobj=out, mode="w|", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape"
    ) as tar:
        for path in sorted(held, key=lambda path: path.encode(errors="surrogateescape")):
            _add(tar, path, held[path])


def contents(tree: Tree, subdir: str) -> dict[str, File | Link]:
    """Return what the archive of a folder holds, by path from there."""
    folder = _folder(tree, subdir)
    prefix = folder + "/" if folder else ""
    copier = _Copier(tree, subdir)
    held: dict[str, File | Link] = {}
    for place, node in tree.nodes.items():
        path = place.removeprefix(prefix)
        if not place.startswith(prefix):
            continue
        if isinstance(node, Link) and _leaves(path, node.target):
            held.update(copier.copies(path, place, tuple(_above(path, folder))))
        elif isinstance(node, File | Link):
            held[path] = node
    return held


def _above(path: str, folder: str) -> Iterator[str]:
    """Yield the folders on the way down to a path that counts from a folder, that one first."""
    names = path.split("/")[:-1]
    yield folder
    yield from (join(folder, "/".join(names[: n + 1])) for n in range(len(names)))


def _folder(tree: Tree, subdir: str) -> str:
    try:
        folder = tree.resolve(subdir)
    except Unreachable:
        raise TackroomError(f"there is no folder {quoted(subdir)} in the repository") from None
    if not tree.is_folder(folder):
        raise TackroomError(f"{quoted(subdir)} is not a folder of the repository")
    return folder


def _leaves(path: str, target: str) -> bool:
    """Tell whether a link climbs out of the folder that its path counts from."""
    depth = path.count("/")
    for part in target.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < 0:
            return True
    return False


class _Copier:
    """Copies what links point to, within a budget."""

    def __init__(self, tree: Tree, subdir: str) -> None:
        self._tree = tree
        self._subdir = subdir
        self._left = MAX_COPIED

    def copies(self, path: str, place: str, above: tuple[str, ...]) -> Iterator[tuple[str, File | Link]]:
        """Yield what is at a place of the tree under its path in the archive.

        ``above`` are the folders on the way down: none is entered a second time.
        """
        self._spend(VISIT)
        link = self._tree.nodes.get(place)
        try:
            real = self._tree.resolve(place)
        except Unreachable:
            real = place
        node = self._tree.nodes.get(real)
        if isinstance(node, File):
            self._spend(node.size)
            yield path, node
        elif self._tree.is_folder(real) and real not in above and len(above) <= MAX_DEPTH:
            for name in self._tree.children(real):
                yield from self.copies(join(path, name), join(real, name), (*above, real))
        elif isinstance(link, Link):
            yield path, link

    def _spend(self, cost: int) -> None:
        self._left -= cost
        if self._left < 0:
            raise TackroomError(f"the links in {quoted(self._subdir or '.')} copy its files again and again")


def _add(tar: tarfile.TarFile, path: str, node: File | Link) -> None:
    member = tarfile.TarInfo(path)
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    if isinstance(node, Link):
        member.type, member.mode, member.linkname = tarfile.SYMTYPE, 0o777, node.target
        tar.addfile(member)
        return
    content = node.load()
    member.mode, member.size = 0o755 if node.executable else 0o644, len(content)
    tar.addfile(member, io.BytesIO(content))


class _Digest(io.BytesIO):
    """A stream that keeps the digest of what is written and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.sha256 = hashlib.sha256()

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self.sha256.update(data)
        return len(data)
