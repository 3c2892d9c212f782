"""Text of headers, TOML and JSON: deterministic, and read the same by every reader of the format.

A header value stands on one line, in a form that YAML 1.1, YAML 1.2 and the line-based readers take
for the same text: quoted where one of them would see a number, a boolean, a date or a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache


class Number(str):
    """A number as its author wrote it."""

    __slots__ = ()


Emitted = str | bool | Number | tuple["Emitted", ...] | Mapping[str, "Emitted"]

_JSON = json.JSONEncoder(ensure_ascii=False)

# words that YAML 1.1 or 1.2 take for a boolean or for nothing
_WORDS = frozenset(["true", "false", "yes", "no", "on", "off", "y", "n", "null", "~"])
# what YAML 1.1 or 1.2 takes for a number, a time or a date
_TYPED = re.compile(
    r"[-+.]*[0-9][0-9a-fox_.:]*([e][-+]?[0-9]+)?|[-+]?\.(inf|nan)|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t ].*)?",
    re.IGNORECASE,
)
# what no reader takes for anything but text: starts with a letter, holds no indicator
_PLAIN = re.compile(r"[^\W\d_](?:[\w ./()+@$%^;=!?'<>*&|~-]++|,(?! )|, |:(?=\S))*")
_FLOW = re.compile(r"[^\W\d_][\w./()+@$*-]*")
_CONTROL = re.compile(r"[\x00-\x1f]")
# C1 controls, line separators, the byte order mark and lone surrogates: legal only as escapes
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


def header(fields: Iterable[tuple[str, Emitted]]) -> str:
    """Return a whole header block, fences included, with LF line ends."""
    return "---\n" + "".join(_field(key, value, 0) for key, value in fields) + "---\n"


def _field(key: str, value: Emitted, depth: int) -> str:
    name = "  " * depth + _key(key)
    if not isinstance(value, str) and isinstance(value, Mapping) and value:
        return f"{name}:\n" + "".join(_field(k, v, depth + 1) for k, v in value.items())
    return f"{name}: {_inline(value)}\n"


def _inline(value: Emitted) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_in_flow(k)}: {_in_flow(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(_in_flow(each) for each in value) + "]"


def _in_flow(value: Emitted) -> str:
    if isinstance(value, str) and not isinstance(value, Number):
        bare = _FLOW.fullmatch(value) and value.lower() not in _WORDS
        return value if bare else quote(value)
    return _inline(value)


def scalar(text: str) -> str:
    """Return a text so that it reads as that text: bare where that is safe, else quoted."""
    bare = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    if bare and not text.endswith((" ", ":")) and " #" not in text:
        return text
    return quote(text)


_key = lru_cache(maxsize=256)(scalar)  # the same few keys stand in all headers


def mistaken(text: str) -> bool:
    """Tell whether a reader of YAML may take a text without quotes for something else than text."""
    return not text or text.lower() in _WORDS or bool(_TYPED.fullmatch(text))


def quote(text: str) -> str:
    """Return a text in quotes; single ones where double ones would need an escape inside.

    Line-based readers take the outer quotes off and leave escapes as they stand.
    """
    awkward = _CONTROL.search(text) or _ESCAPED.search(text)
    if ('"' in text or "\\" in text) and "'" not in text and not awkward:
        return f"'{text}'"
    quoted = _JSON.encode(text)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def as_json(value: object) -> bytes:
    """Return JSON with two spaces of indentation and a newline at the end; keys keep their order."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode(errors="surrogatepass")


# --- TOML, as tomli_w writes it, which looks at each character of a body by itself

_TOML_LINE = re.compile(r'[\x00-\x08\x0a-\x1f\x7f"\\]')
_TOML_LINES = re.compile(r'[\x00-\x08\x0b-\x1f\x7f"\\]')
_NO_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TOML_ESCAPES = {"\b": "\\b", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def as_toml(fields: Mapping[str, Emitted]) -> bytes:
    """Return TOML. A text with line breaks becomes a multi-line string where it has LF alone.

    A carriage return or another control character has no place in a multi-line string that reads
    back the same, so such a text is escaped on one line.
    """
    fits = not any(isinstance(each, str) and _NO_LINES.search(each) for each in fields.values())
    return "".join(f"{key} = {_toml(each, lines=fits)}\n" for key, each in fields.items()).encode()


def _toml(value: Emitted, *, lines: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _toml_text(value, lines=lines)
    if isinstance(value, tuple):
        rows = "".join(f"    {_toml(each, lines=lines)},\n" for each in value)
        return f"[\n{rows}]" if rows else "[]"
    raise TypeError(f"no harness has a {type(value).__name__} in TOML")


def _toml_text(text: str, *, lines: bool) -> str:
    if lines and "\n" in text:
        return '"""\n' + _TOML_LINES.sub(_toml_escape, text.replace("\r\n", "\n")) + '"""'
    return '"' + _TOML_LINE.sub(_toml_escape, text) + '"'


def _toml_escape(found: re.Match[str]) -> str:
    return _TOML_ESCAPES.get(found[0]) or f"\\u{ord(found[0]):04x}"
