"""Gemini's commands: a TOML file with a ``prompt``, read into the same document as a Markdown file."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping

from tackroom.packages.findings import quoted
from tackroom.packages.model import Document, Field, Repair, Text


def read(raw: bytes) -> Document | None:
    """Read a command; the prompt becomes the body. None where it is not TOML with a prompt."""
    import tomllib

    try:
        found = tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return None
    prompt = found.pop("prompt", None)
    if not isinstance(prompt, str):
        return None
    return Document(
        fields=tuple(Field(key, Text(str(value)), 0) for key, value in found.items()),
        body=prompt.encode(errors="surrogatepass"),
        fenced=True,
        bom=raw.startswith(BOM_UTF8),
        repairs=tuple(_repairs(found)),
    )


def _repairs(found: Mapping[str, object]) -> Iterator[Repair]:
    """Yield what costs the whole file in its own reader."""
    if not isinstance(found.get("description", ""), str):
        yield Repair(0, f"{quoted('description')} is no text; it is taken as one")
