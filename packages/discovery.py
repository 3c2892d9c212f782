"""Reading a package: each candidate file becomes one artifact, however many ways lead to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from tackroom.packages import components, formats, frontmatter, mentions, toml_command, unstaged
from tackroom.packages.codes import (
    BodyNotText,
    FrontmatterRepaired,
    LfsPointer,
    NotAnArtifact,
    NothingFound,
    VendorFolder,
)
from tackroom.packages.components import SKILL, Candidate
from tackroom.packages.findings import Finding, Severity
from tackroom.packages.manifest import Manifest, read_json
from tackroom.packages.model import Artifact, Document, File, Kind, Support
from tackroom.packages.package import Package, Source
from tackroom.packages.tree import join, relative

MAX_BYTES = 4 << 20  # of one Markdown file; the longest real one has 378 kB
POINTER_SIZES = range(100, 200)  # bytes: a pointer has a version, an oid and a size line
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"


def read(source: Source) -> Package:
    """Read a package: its manifests, every artifact, and a finding for all that is left out."""
    manifests, findings = _manifests(source)
    artifacts: list[Artifact] = []
    for each in _artifacts(source, manifests):
        if isinstance(each, Finding):
            findings.append(each)
        else:
            artifacts.append(each)
    findings += _only_in_vendor_folders(artifacts) if manifests else []
    extra = mentions.files(source, artifacts)
    context = unstaged.context(source, manifests)
    findings += unstaged.findings(source, manifests, context, artifacts)
    if not artifacts and not context and all(each.severity is Severity.INFO for each in findings):
        findings.append(NothingFound())
    return Package(
        source=source,
        manifests=tuple(manifests),
        artifacts=tuple(artifacts),
        extra=extra,
        context=context,
        findings=tuple(_from_root(each, source) for each in findings),
    )


def _from_root(finding: Finding, source: Source) -> Finding:
    """Let a finding's path count from the package's root, as users know it."""
    path = relative(finding.path, source.root)
    return finding.but(path=path, package=source.id, commit=source.commit)


def _manifests(source: Source) -> tuple[list[Manifest], list[Finding]]:
    """Read the manifests. A catalogue's entry stands in for one that is missing, else adds to it."""
    found: list[Manifest] = []
    findings: list[Finding] = []
    for place, format_id in formats.MANIFESTS.items():
        path = join(source.root, place)
        fields = read_json(source.tree, path)
        if isinstance(fields, Finding):
            findings.append(fields)
        elif fields is not None:
            found.append(Manifest(path, format_id, fields))
    if source.entry:
        found.append(source.entry)
    return found, findings


def _artifacts(source: Source, manifests: Sequence[Manifest]) -> Iterator[Artifact | Finding]:
    found = list(components.candidates(source, manifests))
    declared = _declared(found)
    sole = {each.format for each in manifests}
    taken: set[tuple[Kind, str]] = set()
    for each in dict.fromkeys(found):  # one broken link may be met on several ways
        if isinstance(each, Finding):
            yield each
        elif (each.kind, each.main.real) not in taken:
            taken.add((each.kind, each.main.real))
            yield from _artifact(source, each, _format(source, each, declared, sole))


def _declared(found: Iterable[Candidate | Finding]) -> dict[tuple[Kind, str], str]:
    """Return the format of the first manifest that declares a file, by its kind and real path."""
    formats_of: dict[tuple[Kind, str], str] = {}
    for each in found:
        if isinstance(each, Candidate) and each.format:
            formats_of.setdefault((each.kind, each.main.real), each.format)
    return formats_of


def _format(
    source: Source, found: Candidate, declared: Mapping[tuple[Kind, str], str], sole: AbstractSet[str]
) -> str:
    """Return the format that a file is written in.

    Its suffix or its agent's folder says it, else the manifest that declares it, else the only
    manifest there is, else it is Claude Code's.
    """
    own = formats.of_suffix(found.kind, found.main.path) or formats.VENDORS.get(_vendor_of(source, found))
    spoken = next(iter(sole)) if len(sole) == 1 else formats.DEFAULT
    speaks = found.kind in formats.KINDS.get(spoken, ())
    return own or declared.get((found.kind, found.main.real)) or (spoken if speaks else formats.DEFAULT)


def _artifact(source: Source, found: Candidate, format_id: str) -> Iterator[Artifact | Finding]:
    raw = b"" if found.main.file.size > MAX_BYTES else found.main.file.load()
    problem = _unusable(found.main.file, raw)
    if problem:
        yield problem.but(path=found.main.path)
        return
    document = _document(found, raw)
    if document is None:
        yield NotAnArtifact(path=found.main.path, why="is not TOML with a 'prompt'")
        return
    yield from _said_of(found, document)
    files = []
    for each in _supporting(source, found) if found.kind is Kind.SKILL else ():
        if isinstance(each, Finding):
            yield each
        else:
            files.append(each)
    yield _made(source, found, document, tuple(files), format_id)


def _unusable(file: File, raw: bytes) -> Finding | None:
    if file.size > MAX_BYTES:
        return NotAnArtifact(why=f"is larger than {MAX_BYTES >> 20} MiB")
    if raw.startswith(LFS_POINTER):
        return LfsPointer()
    return None


def _document(found: Candidate, raw: bytes) -> Document | None:
    if found.main.path.endswith(formats.COMMAND_TOML):
        return toml_command.read(raw)
    return frontmatter.read(raw)


def _said_of(found: Candidate, document: Document) -> Iterator[Finding]:
    path = found.main.path
    for repair in document.repairs:
        yield FrontmatterRepaired(path=path, line=repair.line, problem=repair.problem)
    if not frontmatter.is_text(document.body):
        yield BodyNotText(path=path)


def _made(
    source: Source, found: Candidate, document: Document, files: tuple[Support, ...], format_id: str
) -> Artifact:
    segments = found.segments
    if found.folder == source.root and found.kind is Kind.SKILL:
        name = document.get("name")
        segments = (name,) if isinstance(name, str) and name.strip() else segments
    return Artifact(
        kind=found.kind,
        name="-".join(segments),
        segments=segments,
        path=relative(found.main.path, source.root),
        format=format_id,
        vendor=_vendor_of(source, found),
        file=found.main.file,
        document=document,
        files=files,
    )


def _vendor_of(source: Source, found: Candidate) -> str:
    """Return the agent's folder that a file lies in, or is reached through; empty where there is none."""
    return _vendor(source, found.main.real) or _vendor(source, found.main.path)


def _vendor(source: Source, path: str) -> str:
    """Return the agent's folder that a path lies under, or an empty text."""
    top = relative(path, source.root).split("/")[0]
    return top if top in formats.VENDORS else ""


def _supporting(source: Source, skill: Candidate) -> Iterator[Support | Finding]:
    """Yield every other file of a skill's folder, as it will lie beside the SKILL.md."""
    whole = skill.folder == source.root
    for each in source.tree.walk(skill.folder):
        if isinstance(each, Finding):
            yield each
            continue
        path = relative(each.path, skill.folder)
        if path == SKILL or (whole and formats.NOT_SKILL.match(path)):
            continue
        if each.file.size in POINTER_SIZES and each.file.load().startswith(LFS_POINTER):
            yield LfsPointer(path=each.path)
        yield Support(path, relative(each.real, source.root), each.file)


def _only_in_vendor_folders(artifacts: Sequence[Artifact]) -> list[Finding]:
    """Say of each artifact of a plugin that it is only in one agent's folder; another may not expect it."""
    at_root = {each.id for each in artifacts if not each.vendor}
    return [
        VendorFolder(path=each.path, folder=each.vendor, name=each.name)
        for each in artifacts
        if each.vendor and each.id not in at_root
    ]
