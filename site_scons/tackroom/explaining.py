"""Why an artifact is where it is, under which name, what it lost, and why it was or was not rebuilt.

Told from what is recorded and planned: nothing is rendered, and only the units in question are opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tackroom.outline import Known
from tackroom.packages.errors import TackroomError
from tackroom.packages.findings import Finding, quoted, render
from tackroom.packages.near import hint
from tackroom.plan import Unit
from tackroom.records import OWN_FILES, Record
from tackroom.rules import About
from tackroom.staging import Run
from tackroom.work import NEW

NOTHING = "nothing that it depends on changed since"


def explain(run: Run, what: str) -> list[str]:
    """Return the lines about an artifact, ``KIND/NAME``; it may be in several packages.

    TackroomError where there is no such.
    """
    known = run.plan.artifacts()
    found = [(package, each) for package, each in known if each.id == what]
    if not found:
        raise TackroomError(f"WHAT is {quoted(what)}, which no package has{_near(what, known)}")
    packages = {each.id: each for each in run.plan.packages}
    lines: list[str] = []
    for package, each in found:
        lines += _artifact(run, what, packages[package], each)
    return lines


def _near(what: str, known: Sequence[tuple[str, Known]]) -> str:
    """Return a hint at an artifact of that name, or of nearly that id."""
    named = sorted({each.id for _, each in known if each.name == what})
    return f"; did you mean {quoted(named[0])}" if named else hint(what, {each.id for _, each in known})


def _artifact(run: Run, what: str, package: About, artifact: Known) -> Iterator[str]:
    path = artifact.path
    commit = f" at {package.commit[:7]}" if package.commit else ""
    yield f"{what}: {quoted(path)} of package '{package.id}'{commit}, from {_origin(package)}"
    for finding in run.plan.findings:
        if finding.package == package.id and finding.path == path and not finding.harness:
            yield f"  {render(finding)}"
    if not artifact.chosen:
        yield "  left out by 'only' or 'skip' of its package"
        return
    units = [each for each in run.work.units if each.package == package.id]
    for unit in units:
        yield from _in_harness(run, unit, path, what)
    for harness in run.plan.harnesses:
        if run.selection.holds(harness, package.id) and harness not in {each.harness for each in units}:
            yield f"  {harness}: nothing of the package is staged there"


def _origin(package: About) -> str:
    if not package.git:
        return quoted(package.subdir or ".")
    return quoted(package.asked) + (f", folder {quoted(package.subdir)}" if package.subdir else "")


def _in_harness(run: Run, unit: Unit, path: str, what: str) -> Iterator[str]:
    """Yield what became of an artifact in a harness; a kind may be staged as several there."""
    records = [each for each in run.state.records(unit.id).values() if _is_of(each, path, what)]
    stale = _stale(run, unit, path)
    if not records:
        because = "" if stale == NEW else f": {stale}"
        yield f"  {unit.harness}: " + (f"not staged yet{because}" if stale else "left out")
        yield from (f"    {render(each)}" for each in _read(run, unit, path))
    for record in records:
        yield from _record(run, unit, record, stale)
        yield from (f"    {render(each)}" for each in (*_read(run, unit, path), *record.findings))


def _is_of(record: Record, path: str, what: str) -> bool:
    about = record.about
    return about["source"] == path and f"{about['kind']}/{about['name']}" == what


def _record(run: Run, unit: Unit, record: Record, stale: str) -> Iterator[str]:
    about = record.about
    more = f" and {len(record.outputs) - 1} more" if len(record.outputs) > 1 else ""
    first = quoted(run.place.shown(next(iter(record.outputs)))) if record.outputs else "no file"
    yield f"  {unit.harness}: {about['as_kind']} {quoted(about['as_name'])}: {first}{more}"
    yield f"    rendered last because {record.why}; " + (
        f"to be rendered again because {stale}" if stale else NOTHING
    )


def _stale(run: Run, unit: Unit, path: str) -> str:
    """Return why an artifact is to be rendered; empty where it is not."""
    if unit.id in run.work.whole:
        return run.work.why_whole(unit)
    task = run.work.tasks.get(unit.id)
    items = (
        (item for item in task.items if item.source == path and item.kind not in OWN_FILES) if task else ()
    )
    return next((task.stale[item.id] for item in items if item.id in task.stale), "") if task else ""


def _read(run: Run, unit: Unit, path: str) -> Iterator[Finding]:
    """Yield what was found about an artifact in a harness before anything was rendered."""
    for finding in run.plan.findings:
        if (finding.harness, finding.package, finding.path) == (unit.harness, unit.package, path):
            yield finding
