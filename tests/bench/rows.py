"""The rows of the table: each takes a bench and sizes, measures one promise and says how it is kept.

A row's limit is measured in the same rounds as its work, so that both see the same machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from clock import Task, once
from generate import HARNESSES, write
from table import Row, Unmeasured
from workbench import Bench, plus_walk
from workspace import STAGE, Workspace, put_aside, some, written

Rows = Iterator[Row | Unmeasured]

# the default environment looks for compilers when a node first asks for it: that is no cost of staging
GUEST = """\
import tackroom

DefaultEnvironment(tools=[], ENV={{}})
env = Environment(tools=[tackroom.tool], ENV={{}})
staged = env.Stage("tackroom.yaml")
env.Command("{target}", {source}, {action})
"""
OTHER = GUEST.format(target="other.txt", source="[]", action='Touch("$TARGET")')
CONSUMER = GUEST.format(target="consumer.txt", source='staged["codex"]', action='Copy("$TARGET", "$SOURCE")')


def unchanged(bench: Bench, sizes: Sequence[int]) -> Rows:
    """Nothing changed, ``scons stage``: against an empty SConstruct and a bare walk, and nothing written."""
    found = bench.staged(sizes[-1])
    task = bench.scons(found.folder)
    took = bench.rounds(work=task, empty=bench.empty(), walk=bench.walk(found), bare=bench.bare())
    limit = plus_walk(took["empty"], took["walk"], took["bare"])
    yield Row(
        f"nothing changed, {_outputs(found)}, `scons stage`",
        *(took["work"].cpu, limit, 1.3, took["work"].peak, 64),
        problem=_wrote(found, task),
        note=f"walk {took['walk'].cpu - took['bare'].cpu:.3f}, empty SConstruct {took['empty'].cpu:.3f}",
    )


def console(bench: Bench, sizes: Sequence[int]) -> Rows:
    """Nothing changed, ``tackroom stage``: against bare Python and a bare walk."""
    found = bench.staged(sizes[-1])
    task = bench.console(found.folder)
    took = bench.rounds(work=task, walk=bench.walk(found), bare=bench.bare())
    limit = plus_walk(took["bare"], took["walk"], took["bare"])
    work = f"nothing changed, {_outputs(found)}, `tackroom stage`"
    yield Row(work, took["work"].cpu, limit, 1.5, took["work"].peak, problem=_wrote(found, task))


def one_change(bench: Bench, sizes: Sequence[int]) -> Rows:
    """One artifact changed: exactly its outputs are rewritten."""
    found = bench.staged(sizes[-1])
    task = bench.scons(found.folder, prepare=found.change)
    took = bench.rounds(work=task, empty=bench.empty(), walk=bench.walk(found), bare=bench.bare())
    limit = plus_walk(took["empty"], took["walk"], took["bare"])
    problem, note = _rewrote(found, task)
    work = f"one artifact changed, {_outputs(found)}"
    yield Row(work, took["work"].cpu, limit, 2, took["work"].peak, problem=problem, note=note)


def first(bench: Bench, sizes: Sequence[int]) -> Rows:
    """First run: against the plain loop, and the start of SCons."""
    out = bench.scratch / "loop" / "out"
    out.parent.mkdir()
    for size in sizes:
        found = bench.workspace(size)
        loop = bench.loop(found, out, partial(put_aside, out))
        careful = bench.loop(found, out, partial(put_aside, out), "careful")
        task = bench.scons(found.folder, prepare=found.reset)
        took = bench.rounds(loop=loop, careful=careful, empty=bench.empty(), bare=bench.bare(), work=task)
        start = took["empty"].cpu - took["bare"].cpu
        cpu, limit, owed = took["work"].cpu, took["loop"].cpu + start, took["careful"].cpu + start
        problem = _same_files(found.folder / STAGE, out)
        note = f"{cpu / owed:.2f} of a loop that renames, digests, stats and says"
        yield Row(f"first run, {_outputs(found)}", cpu, limit, 1.3, took["work"].peak, 160, problem, note)


def other(bench: Bench, sizes: Sequence[int]) -> Rows:
    """Another target of a build that stages as well is built."""
    yield _guest(bench, sizes[-1], "another target, beside `env.Stage`", OTHER, "other.txt", built=True)


def consumer(bench: Bench, sizes: Sequence[int]) -> Rows:
    """Nothing changed, and a target of the build depends on one harness's tree."""
    yield _guest(bench, sizes[-1], "nothing changed, one consumer of `staged[h]`", CONSUMER, "consumer.txt")


def growth(bench: Bench, sizes: Sequence[int]) -> Rows:
    """Nothing changed at two sizes: what one more output costs, against one more ``os.stat``."""
    work = "growth of a run that changes nothing, for each output"
    if len(sizes) < 2:
        yield Unmeasured(work, "needs two sizes", is_failure=False)
        return
    few, many = bench.staged(sizes[0]), bench.staged(sizes[-1])
    took = bench.rounds(
        few=bench.scons(few.folder),
        many=bench.scons(many.folder),
        walk_few=bench.walk(few),
        walk_many=bench.walk(many),
    )
    count = len(many.outputs()) - len(few.outputs())
    cpu = (took["many"].cpu - took["few"].cpu) / count
    limit = (took["walk_many"].cpu - took["walk_few"].cpu) / count
    yield Row(work, cpu, limit, 1.5, note=f"from {_outputs(few)} to {_outputs(many)}")


def hook(bench: Bench, sizes: Sequence[int]) -> Rows:
    """What a staged hook costs beside the hook itself."""
    yield Unmeasured("a staged hook's overhead", "not there yet", is_failure=False)


def _guest(bench: Bench, size: int, work: str, text: str, target: str, *, built: bool = False) -> Row:
    """Measure a build that stages as a guest, against the same workspace's own run without changes."""
    found = bench.staged(size)
    script, made = found.folder / f"{target}.scons", found.folder / target
    write({script: text})
    prepare = (lambda: made.unlink(missing_ok=True)) if built else (lambda: None)
    task = bench.scons(found.folder, "-f", script.name, target, prepare=prepare)
    took = bench.rounds(work=task, unchanged=bench.scons(found.folder))
    problem = "" if made.exists() else f"{target} was not built"
    for each in (script, made, *found.folder.glob(".sconsign*")):
        each.unlink(missing_ok=True)
    return Row(f"{work}, {_outputs(found)}", took["work"].cpu, took["unchanged"].cpu, 1.3, problem=problem)


def _wrote(found: Workspace, task: Task) -> str:
    """Run a task that changes nothing once more; say what it wrote."""
    before = found.stamps()
    once(task)
    paths = written(before, found.stamps())
    return f"wrote {some(paths)}" if paths else ""


def _rewrote(found: Workspace, task: Task) -> tuple[str, str]:
    """Change an artifact once more; say which outputs were rewritten and should not be, or the other way."""
    before = found.stamps()
    once(task)
    paths = written(before, found.stamps())
    outputs, expected = set(found.outputs()), found.expected()
    rewritten, kept = paths & outputs - expected, expected - paths
    without = [each for each in HARNESSES if not any(f"/{each}/" in path for path in expected)]
    said = (("rewrote also", rewritten), ("did not rewrite", kept), ("found no output in", without))
    records = [found.folder / each for each in paths - outputs if (found.folder / each).is_file()]
    size = sum(each.stat().st_size for each in records if each != found.changing) / 1024
    problem = "; ".join(f"{words} {some(which)}" for words, which in said if which)
    return problem, f"{len(paths & expected)} outputs rewritten, and {size:.0f} KiB of other files"


def _same_files(staged: Path, looped: Path) -> str:
    """Compare how many files are staged and were written by the loop, and the bytes of those at one path.

    Harnesses whose packages share a tree have other paths in the loop.
    """
    counts = ((each, _count(staged / each), _count(looped / each)) for each in HARNESSES)
    wrong = [f"{each} {ours} staged, {plain} in the loop" for each, ours, plain in counts if ours != plain]
    files = (each for each in looped.rglob("*") if each.is_file())
    pairs = ((each, staged / each.relative_to(looped)) for each in files)
    same = [ours.read_bytes() == each.read_bytes() for each, ours in pairs if ours.is_file()]
    if not all(same) or not same:
        wrong.append(f"{same.count(False)} of {len(same)} files at the same path differ")
    return "; ".join(wrong)


def _count(folder: Path) -> int:
    return sum(each.is_file() for each in folder.rglob("*"))


def _outputs(found: Workspace) -> str:
    return f"{len(found.outputs()):,} outputs"
