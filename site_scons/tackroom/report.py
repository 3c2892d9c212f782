"""What a run says: findings and a summary on the screen, and the whole of it as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tackroom.atomic import LEFT, sweep, write
from tackroom.glance import line, packages
from tackroom.packages import pin
from tackroom.packages.errors import TackroomError, reason
from tackroom.packages.findings import Finding, Severity, render, visible
from tackroom.rules import About
from tackroom.staging import Run
from tackroom.unitfile import summed

VERSION = 1


def lines(run: Run, *, every: bool, quiet: bool) -> Iterator[str]:
    """Yield the lines for the screen: findings of what was staged (``every``: all), then the summary."""
    for finding in run.findings() if every else run.fresh_findings():
        if not (quiet and finding.severity is Severity.INFO):
            yield render(finding)
    yield from summary(run)


def printable(line: str) -> str:
    """Return a line as the screen can show it, whatever its encoding and whatever a package put into it."""
    if line.isascii() and line.isprintable():
        return line
    encoding = sys.stdout.encoding or "utf-8"
    return visible(line).encode(encoding, errors="backslashreplace").decode(encoding)


def summary(run: Run) -> Iterator[str]:
    """Yield a line a harness: what is staged, what of it was rendered now, the count of all findings."""
    heads = run.state.heads.all()
    read = {*run.read, *run.pruner.findings}
    for harness in run.plan.harnesses:
        if run.selection.holds(harness, ""):
            units = (each.id for each in run.work.units if each.harness == harness)
            staged, found = summed(heads[each] for each in units if each in heads)
            found += sum(each.harness == harness for each in read)
            yield line(harness, staged, run.writer.rendered[harness], found)
    found = sum(not each.harness for each in read)
    if found:
        yield packages(len(run.plan.packages), found)


def write_json(run: Run, path: Path) -> None:
    """Write the whole report: sorted, no times, no absolute paths."""
    body = {
        "version": VERSION,
        "packages": [_package(each) for each in run.plan.packages],
        "staged": sorted(_staged(run), key=lambda each: (each["harness"], each["path"])),
        "findings": [_finding(each) for each in run.findings()],
    }
    text = json.dumps(body, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    try:
        sweep(path, LEFT)
        write(path, text.encode(errors="backslashreplace"))  # JSON's own escapes, for names that are no text
    except OSError as wrong:
        raise TackroomError(f"JSON={path} cannot be written: {reason(wrong)}") from None


def _package(package: About) -> dict[str, Any]:
    return {
        "id": package.id,
        "git": pin.shown(package.asked),
        "subdir": package.subdir,
        "commit": package.commit,
    }


def _staged(run: Run) -> Iterator[dict[str, Any]]:
    for record in run.records():
        about = record.about
        for path, output in record.outputs.items():
            yield {
                "harness": about["harness"],
                "layout": "bundle",
                "path": run.place.shown(path),
                "kind": about["kind"],
                "name": about["name"],
                "as": {"kind": about["as_kind"], "name": about["as_name"]},
                "package": about["package"],
                "commit": about["commit"],
                "source": about["source"],
                "mode": "0755" if output.executable else "0644",
                "xxh3_128": output.digest,
            }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "harness": finding.harness,
        "package": finding.package,
        "path": finding.path,
        "line": finding.line,
        "message": finding.message,
        "data": finding.data,
    }
