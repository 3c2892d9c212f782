"""What Gemini gets: commands in TOML, strict agents, skills with two fields; a rule becomes a skill."""

from __future__ import annotations

import re
from collections.abc import Generator

from tackroom.harnesses import markdown, skill
from tackroom.harnesses.codes import TextReread
from tackroom.harnesses.contract import Order, Staged, Written
from tackroom.harnesses.emit import as_toml
from tackroom.harnesses.gemini.allowed import tools
from tackroom.harnesses.gemini.facts import MODELS, VARIABLES, VARIABLES_OF
from tackroom.harnesses.header import Converted, bad_value, by_facts, convert, count, nothing, shown
from tackroom.harnesses.tools import LISTS, READING
from tackroom.packages.codes import BodyNotText
from tackroom.packages.findings import Finding
from tackroom.packages.frontmatter import is_text
from tackroom.packages.model import Document, Field, Kind

# a command's text trips over these: the first runs what follows, the second has to be closed
_TRIGGER = re.compile(rb"!\{|@\{(?![^{}\n]*\})")
_VARIABLE = re.compile(rb"\$\{(\w+)\}(?=(\w?))")

_COMMAND = {"disable-model-invocation": nothing}  # no model calls a command there


def command(order: Order) -> Written:
    """Yield a command as TOML; Gemini's own as it is."""
    document, path = order.artifact.document, order.slot.place(order.name)
    if order.is_own and not (document.bom or document.repairs):
        yield Staged(path, order.artifact.file, order.artifact.file.executable)
    elif is_text(document.body):
        yield from (each for each in convert(order, _COMMAND) if isinstance(each, Finding))
        yield from markdown.name_left(order)
        prompt = yield from _prompt(order)
        description = markdown.own_text(order.artifact, "description")
        fields = {"description": description, "prompt": prompt}
        yield Staged(path, as_toml({key: text for key, text in fields.items() if text or key == "prompt"}))
    else:
        yield BodyNotText()


def _prompt(order: Order) -> Generator[Finding, None, str]:
    if not order.is_own:
        order = yield from _untriggered(order)
    body = yield from markdown.translated(order)
    return markdown.below(body.note, body.text).decode()


def _untriggered(order: Order) -> Generator[Finding, None, Order]:
    """Return the order for a body with a blank wherever it would trip Gemini without meaning to."""
    document = order.artifact.document
    for found in _TRIGGER.finditer(document.body):
        text = found[0].decode()
        yield TextReread(text=text, written=_parted(text), line=_line(document, found))
    body = _TRIGGER.sub(lambda found: _parted(found[0].decode()).encode(), document.body)
    artifact = order.artifact._replace(document=document._replace(body=body))
    return order._replace(artifact=artifact)


def _parted(trigger: str) -> str:
    return f"{trigger[0]} {trigger[1:]}"


def _line(document: Document, found: re.Match[bytes]) -> int:
    return document.body_line + document.body.count(b"\n", 0, found.start())


# --- agents


def agent(order: Order) -> Written:
    """Yield an agent under a name that is legal there, with a text that can be filled in."""
    if order.slot.names.why_not(markdown.own_text(order.artifact, "name")):
        order = order._replace(renamed=True)
    document = order.artifact.document
    body = yield from _filled(document)
    if not body.strip() and not any(field.key.startswith("agent_card") for field in document.fields):
        body = markdown.description(order.artifact).encode() + b"\n"  # one without a text fails
    yield from markdown.write(order, _AGENT, text=None if body == document.body else body)


def _filled(document: Document) -> Generator[Finding, None, bytes]:
    """Return the body with no variable that Gemini does not know: one makes each call of the agent fail."""
    said = {*VARIABLES, *VARIABLES_OF}
    for found in _VARIABLE.finditer(document.body):
        if found[1].decode() not in said:
            said.add(found[1].decode())
            yield TextReread(text=found[0].decode(), written=_variable(found), line=_line(document, found))
    return _VARIABLE.sub(lambda found: _variable(found).encode(), document.body)


def _variable(found: re.Match[bytes]) -> str:
    """Return a variable as Gemini knows it, else in a form that a shell reads alike and Gemini does not."""
    name = found[1].decode()
    if name in VARIABLES or name in VARIABLES_OF:
        return f"${{{VARIABLES_OF.get(name, name)}}}"
    return f"${{{name}:-}}" if found[2] else f"${name}"


def _model(order: Order, field: Field) -> Converted:
    if MODELS.fullmatch(shown(field.value)):
        yield from by_facts(order, field)
    elif field.value:
        yield bad_value(field, "model")


_AGENT = {
    **dict.fromkeys((*LISTS, *READING), tools),
    "model": _model,
    "maxTurns": count,
    "timeout_mins": count,
}

WRITE = {
    (Kind.SKILL, Kind.SKILL): skill.skill,
    (Kind.COMMAND, Kind.COMMAND): command,
    (Kind.AGENT, Kind.AGENT): agent,
    (Kind.RULE, Kind.SKILL): skill.rule_as_skill,
}
