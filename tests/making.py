"""Small makers for tests: artifacts from text, and what a harness makes of them."""

from __future__ import annotations

from collections.abc import Mapping

from tackroom.harnesses.contract import Order, Slot
from tackroom.packages import discovery, frontmatter, toml_command
from tackroom.packages.findings import Finding, render
from tackroom.packages.model import Artifact, File, Kind, Node, Support
from tackroom.packages.package import Package, Source
from tackroom.packages.tree import Tree

from tackroom import harnesses


def file(content: str | bytes, *, executable: bool = False) -> File:
    raw = content.encode() if isinstance(content, str) else content
    return File(key=f"test:{hash(raw)}", executable=executable, size=len(raw), load=lambda: raw)


def tree(files: Mapping[str, str | bytes | Node]) -> Tree:
    made = {path: file(each) if isinstance(each, str | bytes) else each for path, each in files.items()}
    return Tree(made)


def package(files: Mapping[str, str | bytes | Node], id: str = "kit", **source: object) -> Package:
    return discovery.read(Source(id, tree(files), **source))  # type: ignore[arg-type]


def artifact(
    kind: Kind | str,
    content: str | bytes,
    *,
    name: str = "sample",
    path: str = "",
    format: str = "claude",
    files: Mapping[str, str | bytes] | None = None,
) -> Artifact:
    main = file(content)
    kind = Kind(kind)
    document = toml_command.read(main.load()) if path.endswith(".toml") else None
    default = f"skills/{name}/SKILL.md" if kind is Kind.SKILL else f"{kind}s/{name}.md"
    return Artifact(
        kind=kind,
        name=name.replace("/", "-"),
        segments=tuple(name.split("/")),
        path=path or default,
        format=format,
        vendor="",
        file=main,
        document=document or frontmatter.read(main.load()),
        files=tuple(Support(at, at, file(each)) for at, each in (files or {}).items()),
    )


def order(harness: str, made: Artifact, slot: Slot, name: str = "", *, renamed: bool = False) -> Order:
    name = name or ("/".join(made.segments) if slot.nested else made.name)
    source = harnesses.get(made.format).facts
    return Order(made, slot, name, renamed, source, harnesses.get(harness).facts)


def write(
    harness: str,
    made: Artifact,
    *,
    becomes: Kind | str | None = None,
    name: str = "",
    renamed: bool = False,
) -> tuple[dict[str, bytes], list[str]]:
    """Return path -> bytes of all that a harness makes of an artifact, and the lines of its findings."""
    found = harnesses.get(harness)
    staged: dict[str, bytes] = {}
    lines: list[str] = []
    for slot in found.facts.slots_for(made.kind):
        if becomes and slot.becomes != becomes:
            continue
        for each in found.write[made.kind, slot.becomes](order(harness, made, slot, name, renamed=renamed)):
            if isinstance(each, Finding):
                lines.append(render(each))
            else:
                staged[each.path] = each.content if isinstance(each.content, bytes) else each.content.load()
    return staged, lines
