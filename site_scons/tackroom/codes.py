"""The findings of staging: what is left out or renamed by a rule, and what is in the way."""

from __future__ import annotations

from tackroom.packages.findings import Finding, Severity, quoted


class NameTaken(Finding):
    code = "name-taken"
    about = "another artifact has the name already; this one is staged under another name"

    taken_by: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"{self.taken_by} exists; staged as {quoted(self.staged_as)}"


class Shadowed(Finding):
    code = "shadowed"
    about = "the same skill or artifact comes from a better place; this copy is not staged"

    name: str
    winner: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is left out; {self.winner} is staged"


class EntrySkipped(Finding):
    code = "entry-skipped"
    about = "an entry of a catalogue, all of which were asked for, cannot be had"

    name: str
    why: str

    @property
    def message(self) -> str:
        return f"plugin {quoted(self.name)}: {self.why}; skipped"


class NotRead(Finding):
    code = "not-read"
    about = "a file beside tackroom.yaml is meant for tackroom, and this version does not read it yet"

    @property
    def message(self) -> str:
        return "is not read by this version; what it says has no effect"


class FilterUnmatched(Finding):
    code = "filter-unmatched"
    about = "a glob of `only` or `skip` matches no artifact of its package"

    key: str
    glob: str

    @property
    def message(self) -> str:
        return f"{quoted(self.glob)} in {quoted(self.key)} matches none of its artifacts"


class OutputEdited(Finding):
    code = "output-edited"
    severity = Severity.ERROR
    about = "a staged file was edited by hand; it is left as it is"

    output: str

    @property
    def message(self) -> str:
        return f"{quoted(self.output)} was edited by hand; kept, move the edit to the package or use FORCE=1"


class OutputInTheWay(Finding):
    code = "output-in-the-way"
    severity = Severity.ERROR
    about = "a file that no record knows stands where an output belongs; it is left as it is"

    output: str

    @property
    def message(self) -> str:
        what = "is in the way and no record says that tackroom wrote it"
        return f"{quoted(self.output)} {what}; move it or use FORCE=1"


class OutputFailed(Finding):
    code = "output-failed"
    severity = Severity.ERROR
    about = "a file could not be rendered or written; everything else is staged"

    output: str
    problem: str

    @property
    def message(self) -> str:
        return f"{quoted(self.output)}: {self.problem}"
