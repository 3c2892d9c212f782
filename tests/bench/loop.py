"""The plain loop: read every package and write each artifact as each harness has it, and nothing else.

``python loop.py PACKAGES OUT`` goes through the folders of PACKAGES, one after the other, with the
project's own reader and writers: no SCons, no plan, no names that are compared, no record, no care. Every
package has a folder of its own in every harness, so that no name is in the way.

``python loop.py PACKAGES OUT careful`` does besides what a run owes its user for each file and finding: a
file is written beside its place and renamed, its digest and stat are taken, findings are sorted and said.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tackroom.harnesses.contract import Bundle, Fragment, Harness, Order, Staged
from tackroom.packages import discovery
from tackroom.packages.findings import Finding, render
from tackroom.packages.folder import read_folder
from tackroom.packages.model import Artifact
from tackroom.packages.package import Package, Source

from tackroom import harnesses
from tackroom.atomic import put
from tackroom.files import digest, stamp

Fragments = dict[str, list[Fragment]]


def main() -> None:
    """Write all packages for all harnesses."""
    packages, out = map(Path, sys.argv[1:3])
    write = Careful() if sys.argv[3:] else write_all
    known = [harnesses.get(each) for each in harnesses.ids()]
    shared: dict[str, Fragments] = {each.facts.id: {} for each in known}
    for folder in sorted(packages.iterdir()):
        package = discovery.read(Source(folder.name, read_folder(folder), subdir=f"packages/{folder.name}"))
        places = {each.facts.id: f"{out}/{each.facts.id}/{folder.name}" for each in known}
        for artifact in package.artifacts:
            for each in known:
                write(places[each.facts.id], _artifact(each, artifact))
        for each in known:
            write(places[each.facts.id], _package(each, package, shared[each.facts.id]))
    for each in known:
        write(f"{out}/{each.facts.id}", _shared(each, shared[each.facts.id]))
    if isinstance(write, Careful):
        write.say()


def _artifact(harness: Harness, artifact: Artifact) -> Iterator[Staged | Finding]:
    for slot in harness.facts.slots_for(artifact.kind):
        name = "/".join(artifact.segments) if slot.nested else artifact.name
        source = harnesses.get(artifact.format).facts
        order = Order(artifact, slot, name, False, source, harness.facts)
        yield from harness.write[artifact.kind, slot.becomes](order)


def _package(harness: Harness, package: Package, shared: Fragments) -> Iterator[Staged | Finding]:
    """Yield the files that a package has once, and put its parts of shared files aside."""
    for each in harness.package(Bundle(package, package.id, harness.facts)) if harness.package else ():
        if isinstance(each, Fragment):
            shared.setdefault(each.path, []).append(each)
        else:
            yield each


def _shared(harness: Harness, shared: Fragments) -> Iterator[Staged]:
    for path, parts in shared.items():
        if harness.merge:
            yield harness.merge(path, tuple(parts))


def write_all(folder: str, made: Iterator[Staged | Finding]) -> None:
    """Write files into a folder; what was found goes unsaid."""
    for each in made:
        if isinstance(each, Staged):
            path = f"{folder}/{each.path}"
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - the plainest there is
            with open(path, "wb") as file:  # noqa: PTH123 - likewise
                file.write(each.content if isinstance(each.content, bytes) else each.content.load())


class Careful:
    """Writes files as a run does, and says what was found at the end."""

    def __init__(self) -> None:
        self._files: list[object] = []
        self._found: list[Finding] = []

    def __call__(self, folder: str, made: Iterator[Staged | Finding]) -> None:
        """Write files into a folder, and take note of them and of what was found."""
        for each in made:
            if isinstance(each, Staged):
                content = each.content if isinstance(each.content, bytes) else each.content.load()
                path, _, name = f"{folder}/{each.path}".rpartition("/")
                os.makedirs(path, exist_ok=True)  # noqa: PTH103 - as above
                put(path, name, content, executable=each.executable)
                self._files.append((digest(content), stamp(f"{path}/{name}")))
            else:
                self._found.append(each)

    def say(self) -> None:
        """Say what was found, in the order of the places."""
        found = sorted(self._found, key=lambda each: (each.path, each.line, each.harness, each.message))
        sys.stdout.writelines(f"{render(each)}\n" for each in found)


main()
