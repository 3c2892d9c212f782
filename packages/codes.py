"""Every finding, one class a code. ``about`` is its line in the generated page of findings."""

from __future__ import annotations

from dataclasses import dataclass

from tackroom.packages.findings import Finding, Severity, quoted, visible

# --- names and places -------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class NameTaken(Finding):
    code = "name-taken"
    about = "another artifact has the name already; this one is staged under another name"

    taken_by: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"{self.taken_by} exists; staged as {quoted(self.staged_as)}"


@dataclass(frozen=True, kw_only=True)
class NameChanged(Finding):
    code = "name-changed"
    about = "the name is not legal in that harness or on every system; staged under one that is"

    name: str
    staged_as: str
    why: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} {self.why}; staged as {quoted(self.staged_as)}"


@dataclass(frozen=True, kw_only=True)
class Shadowed(Finding):
    code = "shadowed"
    about = "the same skill or artifact comes from a better place; this copy is not staged"

    name: str
    winner: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is left out; {self.winner} is staged"


@dataclass(frozen=True, kw_only=True)
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


# --- reading a package ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class PathMissing(Finding):
    code = "path-missing"
    about = "a path that a manifest declares does not exist"

    declared: str

    @property
    def message(self) -> str:
        return f"{quoted(self.declared)} does not exist in the package; skipped"


@dataclass(frozen=True, kw_only=True)
class PathOutside(Finding):
    code = "path-outside"
    about = "a path that a manifest declares leaves the package"

    declared: str

    @property
    def message(self) -> str:
        return f"{quoted(self.declared)} leaves the package; skipped"


@dataclass(frozen=True, kw_only=True)
class LinkOutside(Finding):
    code = "link-outside"
    about = "a symbolic link leaves the package"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} leaves the package; skipped"


@dataclass(frozen=True, kw_only=True)
class LinkLoop(Finding):
    code = "link-loop"
    about = "a symbolic link leads back to itself"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} loops; skipped"


@dataclass(frozen=True, kw_only=True)
class LinkBroken(Finding):
    code = "link-broken"
    about = "a symbolic link points to nothing"

    target: str

    @property
    def message(self) -> str:
        return f"link to {quoted(self.target)} points to nothing; skipped"


@dataclass(frozen=True, kw_only=True)
class TooManyFiles(Finding):
    code = "too-many-files"
    about = "links in a folder lead to more files than a package may have; the rest is left out"

    limit: int

    @property
    def message(self) -> str:
        return f"holds or links to more than {self.limit} files and folders; the rest is left out"


@dataclass(frozen=True, kw_only=True)
class InlineComponent(Finding):
    code = "inline-component"
    about = "a manifest holds an artifact inline instead of naming a file"

    field: str
    name: str

    @property
    def message(self) -> str:
        what = f"{quoted(self.name)} in {quoted(self.field)}" if self.name else quoted(self.field)
        return f"{what} is written inline in the manifest; skipped, move it to a file"


@dataclass(frozen=True, kw_only=True)
class ManifestUnreadable(Finding):
    code = "manifest-unreadable"
    about = "a manifest or catalogue does not parse, or a field of it has the wrong form"

    problem: str

    @property
    def message(self) -> str:
        return f"{self.problem}; that part is not used"


@dataclass(frozen=True, kw_only=True)
class EntrySkipped(Finding):
    code = "entry-skipped"
    about = "an entry of a catalogue, all of which were asked for, cannot be had"

    name: str
    why: str

    @property
    def message(self) -> str:
        return f"plugin {quoted(self.name)}: {self.why}; skipped"


@dataclass(frozen=True, kw_only=True)
class VendorFolder(Finding):
    code = "vendor-folder"
    severity = Severity.INFO
    about = "a package with a manifest has an artifact only under one agent's folder; it is staged"

    folder: str
    name: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is only under {quoted(self.folder)}; staged for every harness"


@dataclass(frozen=True, kw_only=True)
class NotAnArtifact(Finding):
    code = "not-an-artifact"
    about = "a file in a component folder has a form that is not read"

    why: str

    @property
    def message(self) -> str:
        return f"{self.why}; not staged"


@dataclass(frozen=True, kw_only=True)
class DocumentationFile(Finding):
    code = "documentation-file"
    severity = Severity.INFO
    about = "a file in capitals (README.md, TEMPLATE.md) documents its folder and is no artifact"

    @property
    def message(self) -> str:
        return "documents its folder; not staged, a name in lower case would be"


@dataclass(frozen=True, kw_only=True)
class NotStaged(Finding):
    code = "not-staged"
    about = "the package declares a kind of artifact that this version does not stage yet"

    kind: str

    @property
    def message(self) -> str:
        return f"{self.kind} declared here; this version does not stage that kind yet"


@dataclass(frozen=True, kw_only=True)
class InstructionsNotStaged(Finding):
    code = "instructions-not-staged"
    severity = Severity.INFO
    about = "a package's own AGENTS.md, CLAUDE.md or GEMINI.md speaks of that repository; it is not staged"

    @property
    def message(self) -> str:
        return "speaks of the package's own repository; not staged"


@dataclass(frozen=True, kw_only=True)
class LfsPointer(Finding):
    code = "lfs-pointer"
    about = "the repository holds a Git LFS pointer instead of the file"

    @property
    def message(self) -> str:
        return "is a Git LFS pointer; the file itself is not in the repository"


@dataclass(frozen=True, kw_only=True)
class SubmoduleFound(Finding):
    code = "submodule"
    about = "a folder of the package is a submodule; its files are not in the repository"

    commit_of: str

    @property
    def message(self) -> str:
        return f"is a submodule at {self.commit_of[:7]}; its files are not in the repository"


@dataclass(frozen=True, kw_only=True)
class FrontmatterRepaired(Finding):
    code = "frontmatter-repaired"
    about = "the frontmatter is not valid for its reader; it is read key by key and written anew"

    problem: str

    @property
    def message(self) -> str:
        return self.problem


@dataclass(frozen=True, kw_only=True)
class BodyNotText(Finding):
    code = "body-not-text"
    about = "the file is not UTF-8; it is copied into Markdown and left out of TOML and JSON"

    @property
    def message(self) -> str:
        return "is not UTF-8 text; copied as it is where the target is Markdown, else left out"


# --- what a harness cannot say ----------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class FieldDropped(Finding):
    code = "field-dropped"
    about = "the harness has nothing that does what the field does"

    field: str
    note: str = ""

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} has no effect there" + (f"; {self.note}" if self.note else "")


@dataclass(frozen=True, kw_only=True)
class ValueDropped(Finding):
    code = "value-dropped"
    about = "the harness has the field but not that value"

    field: str
    value: str
    note: str = "left out"

    @property
    def message(self) -> str:
        return f"{quoted(self.value)} is no {quoted(self.field)} there; {self.note}"


@dataclass(frozen=True, kw_only=True)
class FieldCut(Finding):
    code = "field-cut"
    about = "the harness reads only the first part of a field as long as this one"

    field: str
    size: int
    limit: int

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} has {self.size} characters; only the first {self.limit} are read there"


@dataclass(frozen=True, kw_only=True)
class ToolAdded(Finding):
    code = "tool-added"
    about = "the harness would not start an agent, or would not limit it, unless a tool more is listed"

    field: str
    tool: str
    why: str

    @property
    def message(self) -> str:
        return f"tool {quoted(self.tool)} is added to {quoted(self.field)}; {self.why}"


@dataclass(frozen=True, kw_only=True)
class ToolDropped(Finding):
    code = "tool-dropped"
    about = "the harness has no such tool; it is left out of the list"

    field: str
    tool: str
    note: str = "left out"

    @property
    def message(self) -> str:
        return f"tool {quoted(self.tool)} of {quoted(self.field)} does not exist there; {self.note}"


@dataclass(frozen=True, kw_only=True)
class ToolJoined(Finding):
    code = "tool-joined"
    about = "the harness cannot tell two tools apart; what is said of one holds for both"

    field: str
    tool: str
    other: str
    both: str

    @property
    def message(self) -> str:
        pair = f"tool {quoted(self.tool)} of {quoted(self.field)} and {quoted(self.other)}"
        return f"{pair} are one there; both are {self.both}"


@dataclass(frozen=True, kw_only=True)
class ModelDropped(Finding):
    code = "model-dropped"
    about = "the harness would not accept the model; the session's own is used"

    model: str

    @property
    def message(self) -> str:
        return f"model {quoted(self.model)} is not known there; the session's model is used"


@dataclass(frozen=True, kw_only=True)
class GuardLost(Finding):
    code = "guard-lost"
    about = "a field that restricts what an agent or skill may do has no effect there"

    field: str
    value: str

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} ({visible(self.value)}) restricts nothing there"


@dataclass(frozen=True, kw_only=True)
class RuleAsSkill(Finding):
    code = "rule-as-skill"
    about = "the harness has no rules; staged as a skill that names the rule's scope"

    name: str
    staged_as: str
    scope: str

    @property
    def message(self) -> str:
        return f"rule {quoted(self.name)} ({visible(self.scope)}) is staged as skill {quoted(self.staged_as)}"


@dataclass(frozen=True, kw_only=True)
class CommandAsSkill(Finding):
    code = "command-as-skill"
    severity = Severity.INFO
    about = "the harness has no commands; staged as a skill"

    name: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"command {quoted(self.name)} is staged as skill {quoted(self.staged_as)}"


@dataclass(frozen=True, kw_only=True)
class AgentAsSkill(Finding):
    code = "agent-as-skill"
    severity = Severity.INFO
    about = "an agent is staged as a skill too, for versions without custom agents"

    name: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"agent {quoted(self.name)} is staged as skill {quoted(self.staged_as)} too"


@dataclass(frozen=True, kw_only=True)
class InnerSkill(Finding):
    code = "inner-skill"
    about = "a supporting file of a skill is named SKILL.md; the harness reads it as a skill of its own"

    name: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is read as a skill of its own there; rename it if it is none"


@dataclass(frozen=True, kw_only=True)
class ScopeChanged(Finding):
    code = "scope-changed"
    about = "the harness cannot say when a rule applies as exactly as its source does"

    scope: str
    note: str

    @property
    def message(self) -> str:
        return f"scope {quoted(self.scope)} cannot be said there; {self.note}"


@dataclass(frozen=True, kw_only=True)
class PlaceholderKept(Finding):
    code = "placeholder-kept"
    about = "a placeholder in the body has no form there; it stays as it is and a note explains it"

    placeholder: str

    @property
    def message(self) -> str:
        return f"{quoted(self.placeholder)} is not replaced there; kept, with a note in the text"


@dataclass(frozen=True, kw_only=True)
class TextReread(Finding):
    code = "text-reread"
    about = "the body holds text that the harness takes for a placeholder of its own"

    text: str
    written: str = ""

    @property
    def message(self) -> str:
        said = f"{quoted(self.text)} in the body is a placeholder there, and none in its own format"
        return said + (f"; written as {quoted(self.written)}" if self.written else "")


@dataclass(frozen=True, kw_only=True)
class BodyCut(Finding):
    code = "body-cut"
    about = "the harness reads only the first part of a file as long as this one"

    size: int
    limit: int

    @property
    def message(self) -> str:
        return f"has {self.size} bytes; only the first {self.limit} are read there"


# --- staging ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OutputEdited(Finding):
    code = "output-edited"
    severity = Severity.ERROR
    about = "a staged file was edited by hand; it is left as it is"

    output: str

    @property
    def message(self) -> str:
        return f"{quoted(self.output)} was edited by hand; kept, move the edit to the package or use FORCE=1"


@dataclass(frozen=True, kw_only=True)
class OutputInTheWay(Finding):
    code = "output-in-the-way"
    severity = Severity.ERROR
    about = "a file that tackroom did not write stands where an output belongs; it is left as it is"

    output: str

    @property
    def message(self) -> str:
        return f"{quoted(self.output)} is in the way and was not staged by tackroom; move it or use FORCE=1"


@dataclass(frozen=True, kw_only=True)
class OutputFailed(Finding):
    code = "output-failed"
    severity = Severity.ERROR
    about = "a file could not be rendered or written; everything else is staged"

    output: str
    problem: str

    @property
    def message(self) -> str:
        return f"{quoted(self.output)}: {self.problem}"
