"""The findings of writing for a harness: what it cannot say, and what is done about it."""

from __future__ import annotations

from tackroom.packages.findings import Finding, Severity, quoted, visible


class NameChanged(Finding):
    code = "name-changed"
    about = "the name is not legal in that harness or on every system; staged under one that is"

    name: str
    staged_as: str
    why: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} {self.why}; staged as {quoted(self.staged_as)}"


class FieldDropped(Finding):
    code = "field-dropped"
    about = "the harness has nothing that does what the field does"

    field: str
    note: str = ""

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} has no effect there" + (f"; {self.note}" if self.note else "")


class ValueDropped(Finding):
    code = "value-dropped"
    about = "the harness has the field but not that value"

    field: str
    value: str
    note: str = "left out"

    @property
    def message(self) -> str:
        return f"{quoted(self.value)} is no {quoted(self.field)} there; {self.note}"


class FieldCut(Finding):
    code = "field-cut"
    about = "the harness reads only the first part of a field as long as this one"

    field: str
    size: int
    limit: int

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} has {self.size} characters; only the first {self.limit} are read there"


class ToolAdded(Finding):
    code = "tool-added"
    about = "the harness would not start an agent, or would not limit it, unless a tool more is listed"

    field: str
    tool: str
    why: str

    @property
    def message(self) -> str:
        return f"tool {quoted(self.tool)} is added to {quoted(self.field)}; {self.why}"


class ToolDropped(Finding):
    code = "tool-dropped"
    about = "the harness has no such tool; it is left out of the list"

    field: str
    tool: str
    note: str = "left out"

    @property
    def message(self) -> str:
        return f"tool {quoted(self.tool)} of {quoted(self.field)} does not exist there; {self.note}"


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


class ModelDropped(Finding):
    code = "model-dropped"
    about = "the harness would not accept the model; the session's own is used"

    model: str

    @property
    def message(self) -> str:
        return f"model {quoted(self.model)} is not known there; the session's model is used"


class GuardLost(Finding):
    code = "guard-lost"
    about = "a field that restricts what an agent or skill may do has no effect there"

    field: str
    value: str

    @property
    def message(self) -> str:
        return f"{quoted(self.field)} ({visible(self.value)}) restricts nothing there"


class RuleAsSkill(Finding):
    code = "rule-as-skill"
    about = "the harness has no rules; staged as a skill that names the rule's scope"

    name: str
    staged_as: str
    scope: str

    @property
    def message(self) -> str:
        return f"rule {quoted(self.name)} ({visible(self.scope)}) is staged as skill {quoted(self.staged_as)}"


class CommandAsSkill(Finding):
    code = "command-as-skill"
    severity = Severity.INFO
    about = "the harness has no commands; staged as a skill"

    name: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"command {quoted(self.name)} is staged as skill {quoted(self.staged_as)}"


class AgentAsSkill(Finding):
    code = "agent-as-skill"
    severity = Severity.INFO
    about = "an agent is staged as a skill too, for versions without custom agents"

    name: str
    staged_as: str

    @property
    def message(self) -> str:
        return f"agent {quoted(self.name)} is staged as skill {quoted(self.staged_as)} too"


class InnerSkill(Finding):
    code = "inner-skill"
    about = "a supporting file of a skill is named SKILL.md; the harness reads it as a skill of its own"

    name: str

    @property
    def message(self) -> str:
        return f"{quoted(self.name)} is read as a skill of its own there; rename it if it is none"


class ScopeChanged(Finding):
    code = "scope-changed"
    about = "the harness cannot say when a rule applies as exactly as its source does"

    scope: str
    note: str

    @property
    def message(self) -> str:
        return f"scope {quoted(self.scope)} cannot be said there; {self.note}"


class PlaceholderKept(Finding):
    code = "placeholder-kept"
    about = "a placeholder in the body has no form there; it stays as it is and a note explains it"

    placeholder: str

    @property
    def message(self) -> str:
        return f"{quoted(self.placeholder)} is not replaced there; kept, with a note in the text"


class TextReread(Finding):
    code = "text-reread"
    about = "the body holds text that the harness takes for a placeholder of its own"

    text: str
    written: str = ""

    @property
    def message(self) -> str:
        said = f"{quoted(self.text)} in the body is a placeholder there, and none in its own format"
        return said + (f"; written as {quoted(self.written)}" if self.written else "")


class BodyCut(Finding):
    code = "body-cut"
    about = "the harness reads only the first part of a file as long as this one"

    size: int
    limit: int

    @property
    def message(self) -> str:
        return f"has {self.size} bytes; only the first {self.limit} are read there"


class DanglingMention(Finding):
    code = "dangling-mention"
    about = "a text names a file of its plugin by a variable that the harness does not replace"

    mention: str

    @property
    def message(self) -> str:
        return f"{quoted(self.mention)} leads nowhere there; no variable stands for the package's folder"
