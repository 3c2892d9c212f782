"""Header fields from one harness's vocabulary to another's, by the facts of both.

Fields that mean the same carry over, in the form and under the name of the target. What the target
cannot say is yielded as a finding, never dropped without one. A writer overrides single meanings
with converters of its own (``tools`` to a map of booleans, say).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from tackroom.harnesses.codes import FieldDropped, GuardLost, ModelDropped, ValueDropped
from tackroom.harnesses.contract import Facts, FieldFact, Form, HeaderFact, Order, Unknown
from tackroom.harnesses.emit import Emitted, Number, mistaken
from tackroom.packages.findings import Finding, quoted
from tackroom.packages.model import Field, Text, Value


class Carried(NamedTuple):
    """A field as the target says it.

    ``same``: the source's own line says just that. ``idle``: the target does nothing with it, so it
    stays in a file that is copied and goes from one that is written anew.
    """

    name: str
    value: Emitted
    same: bool = False
    idle: bool = False


Converted = Iterator[Carried | Finding]
Converter = Callable[[Order, Field], Converted]

_FALSE = frozenset({"false", "no", "off", "0", ""})
_OPPOSITES = {"true": "false", "yes": "no", "on": "off", "1": "0"}
_BETWEEN_WORDS = re.compile(r"\s+(?![^(]*\))")
_BETWEEN_COMMAS = re.compile(r",(?![^(]*\))")
_COUNT = re.compile("[1-9][0-9]*")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?")
NO_CONVERTERS: Mapping[str, Converter] = {}
FIRST = ("name", "description")  # these open every header and are the caller's to decide


def convert(order: Order, converters: Mapping[str, Converter]) -> Converted:
    """Yield the artifact's fields as the target says them, in their order, and a finding for each loss."""
    for field in order.artifact.document.fields:
        meaning = meaning_of(order, field)
        if meaning in FIRST:
            continue
        by = converters.get(meaning, by_facts)
        for each in by(order, field):
            yield each.at(line=field.line) if isinstance(each, Finding) else each


def nothing(order: Order, field: Field) -> Converted:  # noqa: ARG001 - a converter's signature
    """Convert a field to nothing, without a word: the writer says elsewhere what it means."""
    yield from ()


def meaning_of(order: Order, field: Field) -> str:
    """Return what a field means: in its own format, else in the target, which it may be written for."""
    return _meaning(order, field, source_fact(order, field))


def _meaning(order: Order, field: Field, source: FieldFact | None) -> str:
    fact = source or target_header(order).by_name(field.key)
    return fact.meaning if fact else field.key


def source_fact(order: Order, field: Field) -> FieldFact | None:
    """Return what the source format says of a field."""
    header = order.source.headers.get(order.artifact.kind)
    return header.by_name(field.key) if header else None


def target_fact(order: Order, field: Field, meaning: str) -> FieldFact | None:
    """Return the target's field for what a field means; its very own where the format is the same."""
    header = target_header(order)
    if header.plain:
        return None
    own = header.by_name(field.key) if order.is_own else None
    return own or header.by_meaning(meaning)


def target_header(order: Order) -> HeaderFact:
    """Return how the target reads the header of what the artifact becomes."""
    return order.target.headers[order.slot.becomes]


def by_facts(order: Order, field: Field) -> Converted:
    """Convert a field by the tables of both sides."""
    source = source_fact(order, field)
    meaning = _meaning(order, field, source)
    target = target_fact(order, field, meaning)
    if target is None:
        yield from _without_target(order, field, source)
        return
    if not target.in_plugin and not is_default(order, field, source):
        yield lost(field, target)
    if field.value == "" and misread(field.value, target, target_header(order)):
        return  # nothing stands there, which that reader does not take for an empty text
    value = typed(field.value, target.form if source is None else source.form, order.source)
    written = as_written(field.value) if value is None or isinstance(value, tuple) else value
    if is_at_home(order):
        yield Carried(field.key, written, same=True)
        return
    if is_outdone(order, field, target.name):
        yield FieldDropped(field=field.key, note=f"{quoted(target.name)} says it")
        return
    no_map = target.form is Form.MAP and not isinstance(value, Mapping)
    if value is None or no_map or (target.values and str(value) not in target.values):
        yield bad_value(field, meaning)
        return
    same = (
        target.name == field.key
        and accepts(field.value, target, order.target)
        and not misread(field.value, target, target_header(order))
    )
    idle = not target.in_plugin and not order.is_own
    yield Carried(target.name, written if same else in_form(value, target.form), same, idle)


def is_outdone(order: Order, field: Field, name: str) -> bool:
    """Tell whether another field than this one has the target's own name for what both say."""
    return field.key != name and order.artifact.document.get(name) is not None


def is_at_home(order: Order) -> bool:
    """Tell whether a file goes to the harness it was written for, and that one bears what is wrong in it."""
    return order.is_own and target_header(order).lenient


def count(order: Order, field: Field) -> Converted:
    """Convert a number that has to be a whole one above zero there."""
    if _COUNT.fullmatch(shown(field.value)):
        yield from by_facts(order, field)
    elif field.value:
        yield bad_value(field, field.key)


def accepts(value: Value, fact: FieldFact, target: Facts) -> bool:
    """Tell whether the target reads a value as it stands."""
    forms = (fact.form, *fact.also)
    if isinstance(value, tuple):
        words = all(isinstance(each, Text) for each in value)
        return Form.ANY in forms or (words and Form.LIST in forms)
    if isinstance(value, Mapping):
        return Form.MAP in forms or Form.ANY in forms
    if Form.BOOLEAN in forms and is_word(value, target):
        return True
    if Form.NUMBER in forms and value.plain and _NUMBER.fullmatch(value):
        return True
    return any(each in forms for each in (Form.TEXT, Form.COMMAS, Form.ANY))


def is_word(value: Text, target: Facts) -> bool:
    """Tell whether a text is a word for true or false that the target reads as such."""
    word = value.strip().lower()
    known = word in target.true or word in {_OPPOSITES.get(each) for each in target.true}
    return known and (value.plain or target.quoted_true)


def misread(value: Value, fact: FieldFact, header: HeaderFact) -> bool:
    """Tell whether the target sees a number, a boolean or a date in a text without quotes."""
    if header.bare or fact.form is not Form.TEXT:
        return False
    return not isinstance(value, Text) or (value.plain and mistaken(value))


def _without_target(order: Order, field: Field, source: FieldFact | None) -> Converted:
    """Carry a field that the target does not know where that does no harm; say it if it did something."""
    header = target_header(order)
    keeps = header.unknown is Unknown.IGNORED and not header.plain
    inert = source is None or source.inert
    if keeps:
        yield Carried(field.key, as_written(field.value), same=True, idle=not inert)
    if not (keeps and inert) and not is_default(order, field, source):
        yield lost(field, source)


def is_default(order: Order, field: Field, source: FieldFact | None) -> bool:
    """Tell whether a value is what its format takes the field for where it is absent."""
    if source is None or not source.default:
        return False
    value = typed(field.value, source.form, order.source)
    return value is not None and shown_emitted(value) == source.default


def lost(field: Field, fact: FieldFact | None) -> Finding:
    """Return the finding for a field that has no effect in the target."""
    if fact and fact.guard:
        return GuardLost(field=field.key, value=shown(field.value))
    if fact and fact.meaning == "model":
        return ModelDropped(model=shown(field.value))
    return FieldDropped(field=field.key)


def bad_value(field: Field, meaning: str) -> Finding:
    """Return the finding for a value that the target does not have."""
    if meaning == "model":
        return ModelDropped(model=shown(field.value))
    return ValueDropped(field=field.key, value=shown(field.value))


def typed(value: Value, form: Form, source: Facts) -> Emitted | None:
    """Return a value as what its field holds; None where it cannot be that."""
    if form is Form.BOOLEAN:
        return boolean(value, source)
    if form is Form.NUMBER:
        return Number(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None
    if form in (Form.LIST, Form.COMMAS):
        return names(value)
    if form is Form.TEXT:
        return shown(value)
    return as_written(value)


def boolean(value: Value, source: Facts) -> bool | None:
    """Return a boolean as the source harness reads it; None for a word it does not know."""
    if not isinstance(value, Text) or not (value.plain or source.quoted_true):
        return None
    word = value.strip().lower()
    return True if word in source.true else False if word in _FALSE else None


def names(value: Value) -> tuple[str, ...]:
    """Return the words of a list, or of a text with commas or blanks between them; brackets hold together."""
    if isinstance(value, Text):
        parts = (_BETWEEN_COMMAS if "," in value else _BETWEEN_WORDS).split(value)
        return tuple(part.strip() for part in parts if part.strip())
    return () if isinstance(value, Mapping) else tuple(shown(each) for each in value)


def in_form(value: Emitted, form: Form) -> Emitted:
    """Return a value in the form that the target's field takes."""
    if form is Form.COMMAS and isinstance(value, tuple):
        return ", ".join(str(each) for each in value)
    if form is Form.LIST and isinstance(value, str):
        return (value,)
    if form is Form.TEXT and not isinstance(value, str):
        return shown_emitted(value)
    return value


def as_written(value: Value) -> Emitted:
    """Return a value of unknown type: scalars stay text."""
    if isinstance(value, Text):
        return str(value)
    if isinstance(value, Mapping):
        return {key: as_written(each) for key, each in value.items()}
    return tuple(as_written(each) for each in value)


def shown(value: Value) -> str:
    """Return a value as one text; a list in brackets, as it may have been meant (``[pr-number]``)."""
    return str(value) if isinstance(value, Text) else shown_emitted(as_written(value))


def shown_emitted(value: Emitted) -> str:
    """Return an emitted value as one text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {shown_emitted(each)}" for key, each in value.items()) + "}"
    return "[" + ", ".join(shown_emitted(each) for each in value) + "]"
