"""The same 600 source files staged by tackroom and by its peers, each from where it looks for them.

200 skills of two files, 100 commands, 60 agents and 40 rules, for as many of the seven harnesses as a peer
knows. What a peer does not take is left out for it (ruler: commands), and so are its options that cost more:
backups, deleting, MCP. Each runs as its users run it, with a home of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import generate
from clock import Failed, Figures, Task, once
from generate import write
from table import Row, Unmeasured
from texts import Text, fenced
from workbench import Bench
from workspace import put_aside, reset

FASTER = 0.1  # of the fastest peer's time, when nothing changed
FIRST, AGAIN = (
    "600 source files, first run, against",
    "600 source files, nothing changed, against the fastest,",
)

Places = Iterator[tuple[str, str]]


@dataclass(frozen=True)
class Peer:
    """A program that stages as well: where it is installed, what is typed, and where it wants its sources.

    ``tops`` are its files that belong to no artifact.
    """

    command: str
    words: Sequence[str]
    place: Callable[[Text], Places]
    tops: Mapping[str, str]

    def lay_out(self, folder: Path, texts: Sequence[Text]) -> None:
        """Make a folder with its sources and nothing else."""
        put_aside(folder)
        files = {folder / path: text for each in texts for path, text in self.place(each)}
        write({**files, **{folder / path: text for path, text in self.tops.items()}})


def _quoted(text: str) -> str:
    return f'"{text}"'


def _list(text: str) -> str:
    """Return names with commas as a YAML list."""
    return "[" + ", ".join(_quoted(each.strip()) for each in text.split(",")) + "]"


def _skill(top: str, text: Text, header: Mapping[str, str]) -> Places:
    yield f"{top}/{text.name}/SKILL.md", fenced(header, text.body)
    yield from ((f"{top}/{text.name}/{path}", each) for path, each in text.files.items())


def _rulesync(text: Text) -> Places:
    header = {**text.header, "targets": '["*"]'}
    if text.kind == "skill":
        yield from _skill(".rulesync/skills", text, header)
    elif text.kind == "rule":
        globs = _list(text.header.get("globs", "**/*"))
        rule = {
            "root": "false",
            "targets": '["*"]',
            "description": text.header["description"],
            "globs": globs,
        }
        yield f".rulesync/rules/{text.name}.md", fenced(rule, text.body)
    else:
        folder = {"command": "commands", "agent": "subagents"}[text.kind]
        yield f".rulesync/{folder}/{text.name}.md", fenced(header, text.body)


def _ruler(text: Text) -> Places:
    if text.kind == "skill":
        yield from _skill(".ruler/skills", text, text.header)
    elif text.kind == "rule":
        yield f".ruler/{text.name}.md", text.body
    elif text.kind == "agent":
        tools = {"tools": _list(text.header["tools"])} if "tools" in text.header else {}
        yield f".ruler/agents/{text.name}.md", fenced({**text.header, **tools}, text.body)


def _apm(text: Text) -> Places:
    if text.kind == "skill":
        yield from _skill(".apm/skills", text, text.header)
    elif text.kind == "rule":
        globs = _quoted(text.header.get("globs", "**"))
        rule = {"description": text.header["description"], "applyTo": globs}
        yield f".apm/instructions/{text.name}.instructions.md", fenced(rule, text.body)
    else:
        folder, suffix = {"command": ("prompts", "prompt"), "agent": ("agents", "agent")}[text.kind]
        yield f".apm/{folder}/{text.name}.{suffix}.md", fenced(text.header, text.body)


APM_YML = """\
name: team
version: 1.0.0
description: A team
dependencies:
  apm: []
includes: auto
"""

PEERS = {
    "rulesync": Peer(
        "rulesync/node_modules/.bin/rulesync",
        (
            *("generate", "--silent", "--features", "rules,commands,subagents,skills"),
            *("--targets", "claudecode,cursor,opencode,codexcli,grokcli,antigravity-cli"),
        ),
        _rulesync,
        {},
    ),
    "ruler": Peer(
        "ruler/node_modules/.bin/ruler",
        (
            *("apply", "--local-only", "--no-mcp", "--no-gitignore", "--no-backup", "--subagents"),
            *("--agents", "claude,cursor,opencode,codex,antigravity,gemini-cli"),
        ),
        _ruler,
        {},
    ),
    "apm": Peer(
        "apm/bin/apm",
        ("install", "--target", "claude,cursor,opencode,codex,grok-build,antigravity,gemini"),
        _apm,
        {"apm.yml": APM_YML},
    ),
}


def rows(bench: Bench, sizes: Sequence[int], folder: Path) -> Iterator[Row | Unmeasured]:
    """Measure tackroom and each peer that is installed: a first run, and one that changes nothing."""
    texts = generate.small()
    ours = bench.scratch / "team"
    generate.one_package(ours, texts)
    tasks = {"tackroom": (bench.scons(ours, prepare=partial(reset, ours)), bench.scons(ours))}
    tasks |= {name: _tasks(bench, name, peer, folder, texts) for name, peer in PEERS.items()}
    files: dict[str, int] = {}
    for name, (first, _) in tasks.items():
        try:
            files[name] = _outputs(first)
        except Failed as failed:
            if name == "tackroom":
                raise
            yield Unmeasured(f"{FIRST} {name}", str(failed))
    if len(files) > 1:
        cold = bench.rounds(**{name: tasks[name][0] for name in files})
        warm = bench.rounds(**{name: tasks[name][1] for name in files})
        yield from _compared(cold, warm, files)


def _outputs(task: Task) -> int:
    """Return how many files a first run makes."""
    task.prepare()
    before = _count(task.folder)
    once(task)
    return _count(task.folder) - before


def _count(folder: Path) -> int:
    return sum(each.is_file() for each in folder.rglob("*"))


def _tasks(bench: Bench, name: str, peer: Peer, folder: Path, texts: Sequence[Text]) -> tuple[Task, Task]:
    """Return a peer's first run and its run without changes."""
    place, home = bench.scratch / name, bench.scratch / f"home-{name}"
    home.mkdir(exist_ok=True)
    command = (str(folder / peer.command), *peer.words)
    own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "NO_COLOR": "1", "APM_NON_INTERACTIVE": "1"}
    environment = {**bench.environment(), **own}
    environment.pop("PYTHONPATH")
    peer.lay_out(place, texts)
    first = Task(command, place, environment, lambda: peer.lay_out(place, texts))
    return first, Task(command, place, environment)


def _compared(
    first: Mapping[str, Figures], again: Mapping[str, Figures], files: Mapping[str, int]
) -> Iterator[Row]:
    """Yield a row for each peer's first run, and one for the fastest of their runs without changes."""
    others = [name for name in first if name != "tackroom"]
    for name in others:
        ours = first["tackroom"]
        note = f"{files[name]:,} files written, by tackroom {files['tackroom']:,}"
        yield Row(f"{FIRST} {name}", ours.cpu, first[name].cpu, 1, ours.peak, note=note)
    fastest = min(others, key=lambda name: again[name].cpu)
    note = ", ".join(f"{name} {again[name].cpu:.3f}" for name in others)
    ours = again["tackroom"]
    yield Row(f"{AGAIN} {fastest}", ours.cpu, again[fastest].cpu, FASTER, ours.peak, note=note)
