"""The words of made artifacts: headers and bodies as real packages have them, the same on every machine.

Takes a seed, gives texts. ``random`` is not used: what it makes of a seed differs between versions of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")

SHORTEST, LONGEST = 500, 6000  # bytes of a body
BLOCKS = 240  # paragraphs that bodies are put together from


def _row(words: str) -> tuple[str, ...]:
    return tuple(words.split())


VERBS = _row("review plan trace migrate audit draft deploy profile triage document release refactor")
NOUNS = _row("schema pipeline changelog service endpoint query cache incident module fixture token form")
WORDS = _row("""
the a each every one change test file branch error log build step user request table index worker job queue
retry limit before after while without first again only never always list read write check compare explain
name keep remove describe measure result reason risk owner deadline smallest failing passing unused
""")
TOOLS = ("Read", "Grep", "Glob", "Bash", "Edit", "Write", "WebFetch")
MODELS = ("sonnet", "opus", "haiku", "inherit")
HINTS = ("[issue]", "[branch] [target]", "<path>", "[file ...]")
GLOBS = ("src/**/*.ts", "**/*.py", "docs/**/*.md", "services/*/api/**", "*.sql")
CODE = (
    "```sh\ngit diff --stat origin/main\ngit log --oneline -20 | awk '{print $1}'\n```",
    "```python\ndef changed(before: dict[str, int], after: dict[str, int]) -> set[str]:\n"
    "    return {name for name in after if before.get(name) != after[name]}\n```",
    '```json\n{"severity": "high", "path": "src/queue.ts", "line": 42, "fix": null}\n```',
    "```ts\nexport const retry = async <T>(call: () => Promise<T>, times = 3): Promise<T> =>\n"
    "  call().catch((error) => (times > 1 ? retry(call, times - 1) : Promise.reject(error)));\n```",
)
SCRIPT = "#!/bin/sh\nset -eu\n# Prints what changed, a line a file.\ngit diff --name-status {name}\n"


@dataclass(frozen=True)
class Text:
    """One artifact before it has a place or a format.

    ``header``: its fields in their order, values as YAML. ``files``: a skill's supporting files by path.
    """

    kind: str
    name: str
    header: Mapping[str, str]
    body: str
    files: Mapping[str, str] = field(default_factory=dict)


class Dice:
    """A small generator of numbers (xorshift, 32 bits) that is seeded and gives the same row everywhere."""

    def __init__(self, seed: int) -> None:
        self._state = seed or 1

    def below(self, limit: int) -> int:
        """Return a number from 0 to ``limit - 1``."""
        state = self._state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        self._state = state
        return state % limit

    def one(self, of: Sequence[T]) -> T:
        """Return one of several."""
        return of[self.below(len(of))]

    def some(self, of: Sequence[T], least: int, most: int) -> list[T]:
        """Return a few neighbours of a row, each once."""
        start, count = self.below(len(of)), least + self.below(most - least + 1)
        return [of[(start + at) % len(of)] for at in range(count)]


class Writer:
    """Writes artifacts; one that starts from the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._dice = Dice(seed)
        self._blocks = [self._block() for _ in range(BLOCKS)]

    def write(self, kind: str, number: int, *, name: str = "", files: int | None = None) -> Text:
        """Return an artifact of a kind whose name holds its number, unless it is to have another.

        ``files``: how many supporting files a skill has; None: none on most, one or two on some.
        """
        name = name or f"{self._dice.one(VERBS)}-{self._dice.one(NOUNS)}-{number}"
        makers: dict[str, Callable[[str], dict[str, str]]] = {
            "command": self._command,
            "agent": self._agent,
            "skill": self._skill,
            "rule": self._rule,
        }
        header = makers[kind](name)
        body = self._body(name, self._arguments() if kind == "command" else "")
        count = max(self._dice.below(16) - 13, 0) if files is None else files
        return Text(kind, name, header, body, self._supporting(name, count) if kind == "skill" else {})

    def _command(self, name: str) -> dict[str, str]:
        header = {"description": self._sentence(9)}
        if self._dice.below(3):
            header["argument-hint"] = f'"{self._dice.one(HINTS)}"'
        if self._dice.below(2):
            header["allowed-tools"] = ", ".join(self._dice.some(TOOLS, 1, 4))
        if not self._dice.below(5):
            header["model"] = self._dice.one(MODELS)
        return header

    def _agent(self, name: str) -> dict[str, str]:
        header = {"name": name, "description": self._sentence(16)}
        if self._dice.below(4):
            header["tools"] = ", ".join(self._dice.some(TOOLS, 2, 5))
        if self._dice.below(2):
            header["model"] = self._dice.one(MODELS)
        return header

    def _skill(self, name: str) -> dict[str, str]:
        header = {"name": name, "description": f"{self._sentence(12)} Use when {self._words(6)}."}
        if not self._dice.below(4):
            header["allowed-tools"] = ", ".join(self._dice.some(TOOLS, 1, 4))
        if not self._dice.below(6):
            header["license"] = "Apache-2.0"
        return header

    def _rule(self, name: str) -> dict[str, str]:
        always = not self._dice.below(4)
        globs = "" if always else ",".join(self._dice.some(GLOBS, 1, 2))
        scope = {"globs": globs} if globs else {}
        return {"description": self._sentence(8), **scope, "alwaysApply": "true" if always else "false"}

    def _arguments(self) -> str:
        if self._dice.below(3):
            return "Work on $ARGUMENTS and on nothing else.\n\n"
        return "Start from $1 and compare it with $2.\n\n"

    def _body(self, name: str, start: str) -> str:
        """Return a body: most are short, few have all of the 6 kB."""
        draw = self._dice.below(1000) / 1000
        size = SHORTEST + (LONGEST - SHORTEST) * draw * draw
        text = f"\n# {name.replace('-', ' ').capitalize()}\n\n{start}"
        while len(text) < size:
            text += self._dice.one(self._blocks) + "\n\n"
        return text[:-1]

    def _block(self) -> str:
        kind = self._dice.below(6)
        if kind == 0:
            return self._dice.one(CODE)
        if kind == 1:
            return "\n".join(f"{at}. {self._sentence(9)}" for at in range(1, 5))
        if kind == 2:
            return "\n".join(f"- `{self._dice.one(GLOBS)}`: {self._words(7)}" for _ in range(4))
        return " ".join(self._sentence(12) for _ in range(3 + self._dice.below(3)))

    def _sentence(self, words: int) -> str:
        return self._words(words).capitalize() + "."

    def _words(self, count: int) -> str:
        return " ".join(self._dice.one(WORDS) for _ in range(count))

    def _supporting(self, name: str, count: int) -> dict[str, str]:
        made = {"references/format.md": self._body(name, ""), "scripts/collect.sh": SCRIPT.format(name=name)}
        return dict(list(made.items())[:count])


def fenced(header: Mapping[str, str], body: str) -> str:
    """Return a Markdown file of a header, whose values are YAML as they stand, and a body."""
    lines = "".join(f"{key}: {value}\n" for key, value in header.items())
    return f"---\n{lines}---\n{body}"
