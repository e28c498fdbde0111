"""What one run of a program with threads counted, by construct of OpenMP: teams, rounds, iterations, turns, tasks.

A place's `Count` is of the thread that has most of it and of all threads together. Of which there are two kinds: what
each thread does by the program alone, and what it does because it came first (iterations of dynamic loops, singles,
tasks), of which only the sum over all threads is a count.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stridewise.errors import Failure
from stridewise.finding.sources import Project
from stridewise.runs import run_folder
from stridewise.runs.cache import watcher as cache_watcher
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp import watcher as omp_watcher
from stridewise.runs.omp.trace import Process, Trace
from stridewise.scale import laws, work
from stridewise.scale.counts import CROWDED, THREADS, Count, Counts, Site
from stridewise.scale.laws import Law
from stridewise.scale.row import Row
from stridewise.scale.terms import Of, Term

_THREADS = "OMP_NUM_THREADS"
_TURNS = ("critical", "lock", "ordered", "atomic")
_MEETINGS = ("barrier-explicit", "barrier-other", "taskwait", "taskgroup")
_FIRST_COME = ("loop-dynamic", "loop-guided", "loop-other", "single", "task")  # whose thread is a matter of time
_UNKNOWN = ("work-other",)


@dataclass(frozen=True, slots=True)
class Words:
    """What the laws of a construct are called: of the thread with the most, of all, of `Count.partners`; empty where
    nobody asks for it."""

    most: str = ""
    total: str = ""
    partners: str = ""


_WORDS: Mapping[str, Words] = {
    "parallel": Words(most="teams opened", partners="threads"),
    "single": Words(total="times"),
    "sections": Words(most="times"),
    "task": Words(total="tasks created"),
    **dict.fromkeys(_MEETINGS, Words(most="times")),
    **dict.fromkeys(_TURNS, Words(most="turns of a thread", total="turns of all")),
}
_LOOP = Words(most="a thread's part", total="iterations", partners="times")


def words(construct: str) -> Words:
    return _WORDS.get(construct, _LOOP)


def is_run(folder: Path) -> bool:
    return not run_folder.jobs(folder) and bool(run_folder.files(folder, "omp", omp_watcher.LEAVES[0]))


def read(folder: Path, project: Project) -> Counts:
    """Raises Failure where the folder holds no whole run of a program with threads."""
    record = next((r for r in run_folder.read_records(folder) if r.kind == "omp"), None)
    if record is not None and record.status != 0:
        raise Failure(f"the run in {folder} ended with status {record.status}")
    trace, bad = omp_shards.read(run_folder.files(folder, "omp", omp_watcher.LEAVES[0]))
    if bad:
        raise Failure(f"cannot read the run in {folder}: {bad[0][0].name}: {bad[0][1]}")
    if not trace.processes or not all(process.closed for process in trace.processes):
        raise Failure(f"the run in {folder} did not come to its end")
    trace, _ = omp_watcher.symbolized(trace, folder / "omp")
    return of_trace(trace, folder, project, work.of_folder(folder, project, cache_watcher.THREADS))


def of_trace(trace: Trace, folder: Path, project: Project, own_work: work.Work | None = None) -> Counts:
    """`ranks` are the threads that the environment asks for, else those of the largest team."""
    count = max(_asked(trace.processes), default=0) or max((r.most_threads for r in trace.regions), default=1)
    each = [thread for process in trace.processes for thread in process.threads]
    busy: dict[tuple[int, int], float] = defaultdict(float)
    for wait in trace.waits:
        busy[wait.process, wait.thread] += wait.busy if wait.kind == "team" else 0.0
    queued, there = sum(thread.queue_seconds for thread in each), sum(thread.seconds for thread in each)
    return Counts(
        ranks=count,
        folder=folder,
        sites=_sites(trace, project),
        allocations={},
        work=own_work.functions if own_work else {},
        work_lines=own_work.lines if own_work else {},
        wall_seconds=trace.wall_seconds,
        work_seconds=sum(busy.values()) / max(1, len(busy)) * count,
        most_work_seconds=max(busy.values(), default=0.0),
        crowded=queued > CROWDED * there or any(0 < len(process.cpu_mask) < count for process in trace.processes),
        peak_bytes=0,
        dropped=sum(thread.dropped for thread in each),
        unit=THREADS,
    )


def _asked(processes: Iterable[Process]) -> Iterator[int]:
    for process in processes:
        first = process.environment.get(_THREADS, "").partition(",")[0].strip()
        if first.isdecimal():
            yield int(first)


@dataclass
class _Sum:
    """What the threads of all processes had at one place."""

    own: dict[tuple[int, int], int]
    times: dict[tuple[int, int], int]
    team: int = 0

    def count(self, construct: str) -> Count:
        rounds = max(self.times.values(), default=0)
        partners = self.team if construct == "parallel" else rounds
        ranks = sum(value > 0 for value in self.own.values())
        return Count(max(self.own.values()), sum(self.own.values()), partners=partners, ranks=ranks)


def _sites(trace: Trace, project: Project) -> dict[Site, Count]:
    sums: dict[Site, _Sum] = {}
    for construct, number, thread, own, times, team in _events(trace):
        places = _places(trace.sites[number].frames, project)
        if not places or construct in _UNKNOWN:
            continue
        one = sums.setdefault(Site(construct, places), _Sum(defaultdict(int), defaultdict(int)))
        one.own[thread] += own
        one.times[thread] += times
        one.team = max(one.team, team)
    found = {site: one.count(site.call) for site, one in sums.items()}
    return {site: count for site, count in found.items() if count.total}


def _events(trace: Trace) -> Iterator[tuple[str, int, tuple[int, int], int, int, int]]:
    """Construct, place, thread, what the law is of, times, largest team."""
    for region in trace.regions:
        thread = (region.process, region.thread)
        yield "parallel", region.site, thread, region.count, region.count, region.most_threads
    for share in trace.works:
        own = share.own if share.kind.startswith("loop") else share.count
        yield share.kind, share.site, (share.process, share.thread), own, share.count, 0
    for wait in trace.waits:
        if wait.kind in _MEETINGS:
            yield wait.kind, wait.site, (wait.process, wait.thread), wait.count, wait.count, 0
    for mutex in trace.mutexes:
        yield mutex.kind, mutex.site, (mutex.process, mutex.thread), mutex.count, mutex.count, 0
    for task in trace.tasks:
        yield "task", task.site, (task.process, task.thread), task.created, task.created, 0


def _places(frames: Iterable[Frame], project: Project) -> tuple[tuple[str, int, str], ...]:
    own = [frame for frame in frames if frame.known and frame.user]
    return tuple((project.relative(frame.file), frame.line, frame.function) for frame in own)


# --- Laws -------------------------------------------------------------------------------------------------------------


def row(site: Site, values: Mapping[int, Count]) -> Row:
    said = words(site.call)
    total = laws.find(tuple((n, float(count.total)) for n, count in values.items()), Of.THREADS)
    most = None
    if said.most and site.call not in _FIRST_COME:
        most = laws.find(tuple((n, float(count.most)) for n, count in values.items()), Of.THREADS)
    partners = laws.find(tuple((n, float(count.partners)) for n, count in values.items()), Of.THREADS)
    even = _even(values) if said is _LOOP and most and not most.exact else None
    return Row(site, values, even or (laws.decide(most, total) if most else None), total, None, partners)


def _even(values: Mapping[int, Count]) -> Law | None:
    """The law of the largest of equal parts, which need not be even: of N iterations ⌈N/P⌉ each time."""
    once = {(count.total / count.partners, count.partners) for count in values.values() if count.partners}
    if len(once) != 1 or len(values) < 2 or any(not count.partners for count in values.values()):
        return None
    ((iterations, times),) = once
    part = Term(f"⌈{iterations:,.0f}/P⌉", (-1, 0), "power", 0, lambda n: float(math.ceil(iterations / n)))
    law = Law(0.0, ((float(times), part),), spare=len(values) - 1)
    return law if all(law.at(n) == count.most for n, count in values.items()) else None


def unscalable(row: Row, exponent: float) -> str:
    """Why: turns that all threads take one after the other, or that a thread comes to a construct more often the more
    threads there are."""
    turns = row.site.call in _TURNS
    if turns and row.total and row.total.growth[0] > exponent:
        return f"threads take turns, and all wait for {row.total} of them"
    if row.most and row.most.growth[0] > exponent:
        return f"{words(row.site.call).most} grow with the threads: {row.most}"
    times = row.partners if words(row.site.call) is _LOOP else None
    if times and times.growth[0] > exponent:
        return f"rounds of the loop grow with the threads: {times}"
    return ""
