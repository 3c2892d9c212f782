"""Gemini's commands: a TOML file with a ``prompt``, read into the same document as a Markdown file."""

from __future__ import annotations

import tomllib

from tackroom.packages.model import Document, Field, Text


def read(raw: bytes) -> Document | None:
    """Read a command; the prompt becomes the body. None where it is not TOML with a prompt."""
    try:
        found = tomllib.loads(raw.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return None
    prompt = found.pop("prompt", None)
    if not isinstance(prompt, str):
        return None
    fields = tuple(Field(key, Text(value), 0) for key, value in found.items() if isinstance(value, str))
    return Document(fields=fields, body=prompt.encode(errors="surrogatepass"), fenced=True)
