"""What a run says: findings and a summary on the screen, and the whole of it as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tackroom.atomic import write
from tackroom.packages import pin
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, Severity, render, visible
from tackroom.packages.package import Package
from tackroom.staging import Run
from tackroom.state import Record

VERSION = 1
_OWN = ("manifest", "shared")  # items that are no artifact of a package


def lines(run: Run, *, every: bool, quiet: bool) -> Iterator[str]:
    """Yield the lines for the screen: findings of what was staged (``every``: all), then the summary."""
    for finding in run.findings() if every else run.fresh_findings():
        if not (quiet and finding.severity is Severity.INFO):
            yield render(finding)
    yield from summary(run)


def printable(line: str) -> str:
    """Return a line as the screen can show it, whatever its encoding and whatever a package put into it."""
    encoding = sys.stdout.encoding or "utf-8"
    return visible(line).encode(encoding, errors="backslashreplace").decode(encoding)


def summary(run: Run) -> Iterator[str]:
    """Yield a line a harness: what is staged, what of it was rendered now, the count of all findings."""
    findings = run.findings()
    records = run.records()
    for harness in run.plan.harnesses:
        if not run.selection.holds(harness, ""):
            continue
        staged = [key for key, each in records.items() if each.outputs and _is_artifact(each, harness)]
        rendered = sum(key in run.done for key in staged)
        found = sum(each.harness == harness for each in findings)
        yield f"{harness}: {len(staged)} staged, {rendered} rendered, {_count(found)}"
    read = sum(not each.harness for each in findings)
    if read:
        yield f"packages: {len(run.plan.packages)} read, {_count(read)}"


def _is_artifact(record: Record, harness: str) -> bool:
    return record.about["harness"] == harness and record.about["kind"] not in _OWN


def _count(findings: int) -> str:
    return f"{findings} finding" + ("" if findings == 1 else "s")


def has_failed(findings: Iterable[Finding], *, strict: bool) -> bool:
    """Tell whether findings fail a run: errors always, warnings where the run is strict."""
    bad = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    return any(each.severity in bad for each in findings)


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
        write(path, text.encode(errors="backslashreplace"))  # JSON's own escapes, for names that are no text
    except OSError as wrong:
        raise TackroomError(
            f"JSON={path} cannot be written: {(wrong.strerror or str(wrong)).lower()}"
        ) from None


def _package(package: Package) -> dict[str, Any]:
    source = package.source
    return {
        "id": package.id,
        "git": pin.shown(source.asked),
        "subdir": source.subdir,
        "commit": source.commit,
    }


def _staged(run: Run) -> Iterator[dict[str, Any]]:
    for record in run.records().values():
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
