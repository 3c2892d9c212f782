"""The findings of reading packages, one class a code. ``about`` is its line in the generated page."""

from __future__ import annotations

from tackroom.packages.findings import Finding, Severity, quoted


class PathUnusable(Finding):
    code = "path-unusable"
    about = (
        "a file whose name some system cannot hold, or that differs from another's in case only, is left out"
    )

    name: str
    why: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} {self.why}; left out, rename it in the package"


class PathMissing(Finding):
    code = "path-missing"
    about = "a path that a manifest declares does not exist"

    declared: str

    @property
    def message(self) -> str:
        return f"{quoted(self.declared)} does not exist in the package; skipped"


class PathOutside(Finding):
    code = "path-outside"
    about = "a path that a manifest declares leaves the package"

    declared: str

    @property
    def message(self) -> str:
        return f"{quoted(self.declared)} leaves the package; skipped"


class LinkOutside(Finding):
    code = "link-outside"
    about = "a symbolic link leaves the package"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} leaves the package; skipped"


class LinkLoop(Finding):
    code = "link-loop"
    about = "a symbolic link leads back to itself"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} loops; skipped"


class LinkBroken(Finding):
    code = "link-broken"
    about = "a symbolic link points to nothing"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} points to nothing; skipped"


class TooManyFiles(Finding):
    code = "too-many-files"
    about = "links in a folder lead to more files than a package may have; the rest is left out"

    limit: int

    @property
    def message(self) -> str:
        return f"holds or links to more than {self.limit} files and folders; the rest is left out"


class InlineComponent(Finding):
    code = "inline-component"
    about = "a manifest holds an artifact inline instead of naming a file"

    field: str
    name: str

    @property
    def message(self) -> str:
        what = f"{quoted(self.name)} in {quoted(self.field)}" if self.name else quoted(self.field)
        return f"{what} is written inline in the manifest; skipped, move it to a file"


class ManifestUnreadable(Finding):
    code = "manifest-unreadable"
    about = "a manifest or catalogue does not parse, or a field of it has the wrong form"

    problem: str

    @property
    def message(self) -> str:
        return f"{self.problem}; that part is not used"


class VendorFolder(Finding):
    code = "vendor-folder"
    severity = Severity.INFO
    about = "a package with a manifest has an artifact only under one agent's folder; it is staged"

    folder: str
    name: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is only under {quoted(self.folder)}; staged for every harness"


class NotAnArtifact(Finding):
    code = "not-an-artifact"
    about = "a file in a component folder has a form that is not read"

    why: str

    @property
    def message(self) -> str:
        return f"{self.why}; not staged"


class NothingFound(Finding):
    code = "nothing-found"
    about = "a package holds nothing that is read; its folder may be another one than was meant"

    @property
    def message(self) -> str:
        return "holds no commands, agents, skills or rules; check its 'subdir' or 'path'"


class DocumentationFile(Finding):
    code = "documentation-file"
    severity = Severity.INFO
    about = "a file in capitals (README.md, TEMPLATE.md) documents its folder and is no artifact"

    @property
    def message(self) -> str:
        return "documents its folder; not staged, a name in lower case would be"


class NotStaged(Finding):
    code = "not-staged"
    about = "the package declares a kind of artifact that this version does not stage yet"

    kind: str

    @property
    def message(self) -> str:
        return f"{self.kind} declared here; this version does not stage that kind yet"


class PlaceNotRead(Finding):
    code = "place-not-read"
    about = "an agent keeps artifacts there that no package format declares; a manifest may name the folder"

    @property
    def message(self) -> str:
        return "is a place of artifacts that is not read; nothing in it is staged, declare it in a manifest"


class InstructionsNotStaged(Finding):
    code = "instructions-not-staged"
    severity = Severity.INFO
    about = "a package's own AGENTS.md, CLAUDE.md or GEMINI.md speaks of that repository; it is not staged"

    @property
    def message(self) -> str:
        return "speaks of the package's own repository; not staged"


class ContextNotStaged(Finding):
    code = "context-not-staged"
    about = "an extension's context file is loaded with it in its own harness; in others it is not staged yet"

    @property
    def message(self) -> str:
        return "is loaded with the extension in its own harness; not staged here"


class LfsPointer(Finding):
    code = "lfs-pointer"
    about = "the repository holds a Git LFS pointer instead of the file"

    @property
    def message(self) -> str:
        return "is a Git LFS pointer; the file itself is not in the repository"


class SubmoduleFound(Finding):
    code = "submodule"
    about = "a folder of the package is a submodule; its files are not in the repository"

    commit_of: str

    @property
    def message(self) -> str:
        return f"is a submodule at {self.commit_of[:7]}; its files are not in the repository"


class FrontmatterRepaired(Finding):
    code = "frontmatter-repaired"
    about = "the frontmatter is not valid for its reader; it is read key by key and written anew"

    problem: str

    @property
    def message(self) -> str:
        return self.problem


class BodyNotText(Finding):
    code = "body-not-text"
    about = "the file is not UTF-8; it is copied into Markdown and left out of TOML and JSON"

    @property
    def message(self) -> str:
        return "is not UTF-8 text; copied as it is where the target is Markdown, else left out"
