"""A made workspace: N artifacts in packages of 50, folders of one monorepo, the same on every machine.

``python tests/bench/generate.py FOLDER --artifacts 1000`` makes one to look at.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from texts import Dice, Text, Writer, fenced

TOP = Path(__file__).resolve().parents[2]
HARNESSES = tuple(sorted(each.parent.name for each in TOP.glob("harnesses/*/facts.py")))

SEED = 20_260_101
PACKAGE = 50  # artifacts
MIX = {"command": 14, "agent": 8, "skill": 20, "rule": 8}  # of a package
SHARED = 2  # in every second package one name is that of another: one artifact of a hundred
SMALL = {"skill": 200, "command": 100, "agent": 60, "rule": 40}  # 600 files: each of these skills has two

PLACES = {
    "command": "commands/{}.md",
    "agent": "agents/{}.md",
    "skill": "skills/{}/SKILL.md",
    "rule": "rules/{}.mdc",
}
SCONSTRUCT = "import tackroom\ntackroom.workspace()\n"


def workspace(folder: Path, artifacts: int) -> list[str]:
    """Write a workspace; return the paths of those of its commands whose names nobody contests."""
    packages = list(_packages(artifacts))
    count = Counter(each.name for texts in packages for each in texts)
    alone = []
    for number, texts in enumerate(packages):
        place = f"packages/p{number:03}"
        _package(folder / place, f"p{number:03}", texts)
        commands = (each for each in texts if each.kind == "command" and count[each.name] == 1)
        alone += [f"{place}/{PLACES['command'].format(each.name)}" for each in commands]
    _top(folder, (f"p{number:03}" for number in range(len(packages))))
    return alone


def small() -> list[Text]:
    """Return the artifacts of 600 files that the peers are given too."""
    writer = Writer(SEED)
    kinds = [kind for kind, count in SMALL.items() for _ in range(count)]
    return [writer.write(kind, number, files=1) for number, kind in enumerate(kinds)]


def one_package(folder: Path, texts: Iterable[Text]) -> None:
    """Write a workspace of one package."""
    _package(folder / "packages" / "team", "team", texts)
    _top(folder, ["team"])


def write(files: Mapping[Path, str]) -> None:
    """Write texts where they belong; a script may be executed."""
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        path.chmod(0o755 if path.suffix == ".sh" else 0o644)


def _packages(artifacts: int) -> Iterator[list[Text]]:
    writer, kinds = Writer(SEED), _kinds()
    first_command = ""
    for start in range(0, artifacts, PACKAGE):
        texts: list[Text] = []
        shares = start // PACKAGE % SHARED == 1
        for number in range(start, min(start + PACKAGE, artifacts)):
            kind = kinds[number - start]
            first = kind == "command" and not any(each.kind == kind for each in texts)
            texts.append(writer.write(kind, number, name=first_command if first and shares else ""))
            first_command = texts[-1].name if first else first_command
        yield texts


def _kinds() -> list[str]:
    """Return the kinds of a package's artifacts, mixed, so that the beginning of a package is too."""
    row = [kind for kind, count in MIX.items() for _ in range(count)]
    dice = Dice(SEED)
    for at in range(len(row) - 1, 0, -1):
        other = dice.below(at + 1)
        row[at], row[other] = row[other], row[at]
    return row


def _package(folder: Path, name: str, texts: Iterable[Text]) -> None:
    manifest = {
        "name": name,
        "version": "1.4.2",
        "description": f"What the team of {name} does every day",
        "author": {"name": "Made for a benchmark"},
        "license": "Apache-2.0",
        "keywords": ["review", "release", "incidents"],
    }
    write({folder / ".claude-plugin" / "plugin.json": json.dumps(manifest, indent=2) + "\n"})
    for each in texts:
        main = folder / PLACES[each.kind].format(each.name)
        others = {main.parent / path: text for path, text in each.files.items()}
        write({main: fenced(each.header, each.body), **others})


def _top(folder: Path, names: Iterable[str]) -> None:
    rows = "".join(f"  {name}: {{path: packages/{name}}}\n" for name in names)
    yaml = f"harnesses: [{', '.join(HARNESSES)}]\npackages:\n{rows}"
    write({folder / "SConstruct": SCONSTRUCT, folder / "tackroom.yaml": yaml})


def main() -> None:
    """Make a workspace in the folder that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--artifacts", type=int, default=1000)
    options = parser.parse_args()
    workspace(options.folder, options.artifacts)


if __name__ == "__main__":
    main()
