"""Golden cases: one source, what every harness gets of it, and what each loses; readable as prose.

A case is a Markdown file. Blocks fenced with ``~~~`` follow the text:

    ~~~ given PATH            a file of the package
    ~~~ expect HARNESS PATH   what that harness gets; "as given" where the bytes are the source's own
    ~~~ findings HARNESS      the findings there, one a line; without a harness: those of reading

``pytest --accept`` writes the expectations anew.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from tackroom.harnesses.contract import Staged
from tackroom.packages import discovery
from tackroom.packages.findings import Finding, render
from tackroom.packages.package import Source

from making import tree
from tackroom import harnesses, plan

AS_GIVEN = "as given\n"
_BLOCK = re.compile(r"^~~~ (given|expect|findings)(?: ([^\n]*))?\n(.*?)^~~~\n", re.MULTILINE | re.DOTALL)


@dataclass
class Case:
    """A case file taken apart: its prose, the package's files, and the blocks that are expected."""

    prose: str
    given: dict[str, str]
    expected: dict[str, str] = field(default_factory=dict)

    def text(self, expected: dict[str, str]) -> str:
        """Return the case's text with these expectations."""
        given = [f"~~~ given {path}\n{content}~~~\n" for path, content in self.given.items()]
        rows = [f"~~~ {title}\n{content}~~~\n" for title, content in expected.items()]
        return "\n".join([self.prose.rstrip() + "\n", *given, *rows])


def read(path: Path) -> Case:
    """Read a case."""
    text = path.read_text(encoding="utf-8")
    blocks = [(match[1], match[2] or "", match[3]) for match in _BLOCK.finditer(text)]
    prose = _BLOCK.split(text)[0]
    given = {title: content for what, title, content in blocks if what == "given"}
    expected = {f"{what} {title}".strip(): content for what, title, content in blocks if what != "given"}
    return Case(prose, given, expected)


def staged(case: Case) -> dict[str, str]:
    """Return the blocks that the case's package gives now."""
    package = discovery.read(Source("kit", tree(case.given)))
    made = plan.make([package], {}, harnesses.ids())
    found: dict[str, str] = {}
    for harness in harnesses.ids():
        files: dict[str, str] = {}
        said = [each for each in made.findings if each.harness == harness]
        for item in (each for each in made.items if each.harness == harness):
            for each in [*item.findings, *item.render()]:
                if isinstance(each, Finding):
                    said.append(each.at(package=item.package, path=item.source, harness=harness))
                elif item.kind not in ("manifest", "shared"):
                    files["/".join(filter(None, [harness, item.folder, each.path]))] = _content(each, case)
        found |= {f"expect {path}": content for path, content in files.items()}
        if said:
            found[f"findings {harness}"] = "".join(f"{render(each)}\n" for each in dict.fromkeys(said))
    read_findings = [each for each in made.findings if not each.harness]
    if read_findings:
        found["findings"] = "".join(f"{render(each)}\n" for each in read_findings)
    return found


def _content(staged_file: Staged, case: Case) -> str:
    if not isinstance(staged_file.content, bytes):
        raw = staged_file.content.load().decode()
        return AS_GIVEN if raw in case.given.values() else raw
    text = staged_file.content.decode()
    return text if text.endswith("\n") else text + "\n(no newline at the end)\n"
