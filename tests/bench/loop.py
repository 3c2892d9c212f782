"""The plain loop: read every package and write each artifact as each harness has it, and nothing else.

``python loop.py PACKAGES OUT`` goes through the folders of PACKAGES, one after the other, with the
project's own reader and writers: no SCons, no plan, no names that are compared, no record, no care. Every
package has a folder of its own in every harness, so that no name is in the way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tackroom.harnesses.contract import Bundle, Fragment, Harness, Order, Staged
from tackroom.packages import discovery
from tackroom.packages.folder import read_folder
from tackroom.packages.model import Artifact
from tackroom.packages.package import Package, Source

from tackroom import harnesses

Fragments = dict[str, list[Fragment]]


def main() -> None:
    """Write all packages for all harnesses."""
    packages, out = map(Path, sys.argv[1:])
    known = [harnesses.get(each) for each in harnesses.ids()]
    shared: dict[str, Fragments] = {each.facts.id: {} for each in known}
    for folder in sorted(packages.iterdir()):
        package = discovery.read(Source(folder.name, read_folder(folder), subdir=f"packages/{folder.name}"))
        places = {each.facts.id: f"{out}/{each.facts.id}/{folder.name}" for each in known}
        for artifact in package.artifacts:
            for each in known:
                _write_all(places[each.facts.id], _artifact(each, artifact))
        for each in known:
            _write_all(places[each.facts.id], _package(each, package, shared[each.facts.id]))
    for each in known:
        _write_all(f"{out}/{each.facts.id}", _shared(each, shared[each.facts.id]))


def _artifact(harness: Harness, artifact: Artifact) -> Iterator[Staged]:
    for slot in harness.facts.slots_for(artifact.kind):
        name = "/".join(artifact.segments) if slot.nested else artifact.name
        source = harnesses.get(artifact.format).facts
        order = Order(artifact, slot, name, False, source, harness.facts)
        for each in harness.write[artifact.kind, slot.becomes](order):
            if isinstance(each, Staged):
                yield each


def _package(harness: Harness, package: Package, shared: Fragments) -> Iterator[Staged]:
    """Yield the files that a package has once, and put its parts of shared files aside."""
    for each in harness.package(Bundle(package, package.id, harness.facts)) if harness.package else ():
        if isinstance(each, Staged):
            yield each
        elif isinstance(each, Fragment):
            shared.setdefault(each.path, []).append(each)


def _shared(harness: Harness, shared: Fragments) -> Iterator[Staged]:
    for path, parts in shared.items():
        if harness.merge:
            yield harness.merge(path, tuple(parts))


def _write_all(folder: str, files: Iterator[Staged]) -> None:
    for each in files:
        path = f"{folder}/{each.path}"
        os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - the plainest there is
        with open(path, "wb") as file:  # noqa: PTH123 - likewise
            file.write(each.content if isinstance(each.content, bytes) else each.content.load())


main()
