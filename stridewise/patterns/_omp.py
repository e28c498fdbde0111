"""What the OpenMP patterns share: places, regions summed over threads and processes, costs per process.

A place is a source line; code that is inlined several times has several addresses on one. Costs are elapsed seconds of
a process; of several processes (ranks) the largest counts, as for MPI.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.catalogue import limit
from stridewise.finding import Evidence, Finding, Location, Related
from stridewise.finding.correlate import is_construct
from stridewise.finding.prices import costs, omp_cost
from stridewise.runs.omp.trace import Process, Region, Trace, Wait

_DIRECTIVE_LINES = 1  # from a directive to the head of its loop


@dataclass(frozen=True, slots=True)
class Place:
    """A line that calls OpenMP; line 0 and the program's file where the source is unknown."""

    file: str
    line: int
    column: int
    function: str

    @property
    def location(self) -> Location:
        return Location(self.file, self.line, self.column, self.line, self.column)

    @property
    def known(self) -> bool:
        return self.line > 0

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}" if self.known else self.function


def place(trace: Trace, site: int) -> Place:
    frame = trace.sites[site].frame
    if frame is None:
        return Place("", 0, 0, f"0x{trace.sites[site].address.value:x}")
    return Place(frame.file, frame.line, frame.column if frame.known else 0, frame.function)


def loop_place(trace: Trace, work: int, region: int | None) -> Place:
    """Of a work-share; of one that is a directive with its region ("parallel for") the region's, where that begins."""
    where = place(trace, work)
    around = place(trace, region) if region is not None and is_openmp(trace, region) else None
    combined = around is not None and around.file == where.file and 0 < where.line - around.line <= _DIRECTIVE_LINES
    return around if around is not None and combined else where


def callers(trace: Trace, site: int) -> list[Related]:
    """The functions around an inlined place."""
    frames = trace.sites[site].frames
    inner = trace.sites[site].frame
    outside = frames[frames.index(inner) + 1 :] if inner in frames else ()
    return [Related(f.file, f.line, f"called from {f.function}") for f in outside if f.user and f.known]


def is_openmp(trace: Trace, site: int) -> bool:
    """Whether the place is the user's, not the inside of a library."""
    frame = trace.sites[site].frame
    return frame is not None and frame.user


@dataclass(frozen=True, slots=True)
class Teams:
    """The regions of one place, of all processes and opening threads."""

    place: Place
    regions: tuple[Region, ...]
    price: float = float("inf")  # of opening such a team; where threads lacked processors
    worked: float | None = None  # there, what the busiest thread did in each region, by processor time

    @property
    def count(self) -> int:
        return sum(r.count for r in self.regions)

    @property
    def seconds(self) -> float:
        return sum(r.seconds for r in self.regions)

    @property
    def overhead(self) -> float:
        return sum(r.overhead for r in self.regions)

    @property
    def busy(self) -> float:
        return sum(r.busy for r in self.regions)

    @property
    def slower(self) -> int:
        return sum(r.slower for r in self.regions)

    @property
    def threads(self) -> int:
        return max(r.most_threads for r in self.regions)

    @property
    def typical_overhead(self) -> float:
        """About the lower quartile of a region's fork and join, and no more than their price where that counts."""
        return min(self.price, sum(r.typical_overhead * r.count for r in self.regions) / self.count)

    @property
    def settled_overhead(self) -> float:
        """Fork and join without the few that took extremely long, since the processor was given to somebody else."""
        return sum(self._settled(r) for r in self.regions)

    @property
    def rest(self) -> float:
        """The time of the regions besides."""
        return self.seconds - self.overhead if self.worked is None else self.worked

    @property
    def doubt(self) -> str:
        """What makes the figures unsure, in words."""
        if self.price == float("inf"):
            return ""
        return "the threads lacked processors: opening a team counts at the machine's price, its work in processor time"

    def costs(self, trace: Trace) -> list[float]:
        """Settled fork and join per process."""
        return per_process(trace, by_process((r.process, self._settled(r)) for r in self.regions))

    def _settled(self, region: Region) -> float:
        most = settled(region.overhead, region.typical_overhead, region.count)
        return min(most, self.price * region.count)


def teams(trace: Trace, *, inner: bool = True) -> list[Teams]:
    """The regions by place, those of one thread left out: they open no team."""
    found: dict[Place, list[Region]] = defaultdict(list)
    for region in trace.regions:
        if region.most_threads > 1 and is_openmp(trace, region.site) and (inner or region.outer is None):
            found[place(trace, region.site)].append(region)
    if not crowded(trace):
        return [Teams(where, tuple(regions)) for where, regions in found.items()]
    return [_alone(trace, where, regions) for where, regions in found.items()]


def _alone(trace: Trace, where: Place, regions: Sequence[Region]) -> Teams:
    """Regions where threads lacked processors: to begin and to end one takes a time slice of somebody else's then."""
    machine = costs(trace.processes[regions[0].process].host)
    price = omp_cost(machine, "parallel_for", max(r.most_threads for r in regions)).seconds
    sites = {(r.process, r.site) for r in regions}
    met = [m for m in trace.meetings if (m.process, m.region) in sites]
    return Teams(where, tuple(regions), price, sum(m.longest for m in met) if met else None)


def spans(trace: Trace, regions: Iterable[Region]) -> list[Wait]:
    """What the threads did in these regions: their `team` entries."""
    wanted = {(r.process, r.site) for r in regions}
    return [w for w in trace.waits if w.kind == "team" and (w.process, w.site) in wanted]


def per_process(trace: Trace, seconds: Mapping[int, float]) -> list[float]:
    """Dense seconds, in the order of the trace's processes."""
    return [seconds.get(index, 0.0) for index in range(len(trace.processes))]


def by_process(entries: Iterable[tuple[int, float]]) -> dict[int, float]:
    out: dict[int, float] = defaultdict(float)
    for process, seconds in entries:
        out[process] += seconds
    return out


def evidence(seconds: Sequence[float], note: str = "", **metrics: object) -> Evidence:
    """Elapsed seconds per process, as `rank_seconds`, and what else was counted."""
    cost_rank = max(range(len(seconds)), key=seconds.__getitem__) if seconds else 0
    return Evidence("omp", {**metrics, "rank_seconds": list(seconds), "cost_rank": cost_rank}, note)


def crowded(trace: Trace) -> bool:
    """Whether the threads often waited for a processor that others had: times then say little about the program."""
    threads = [thread for process in trace.processes for thread in process.threads]
    waited = sum(thread.queue_seconds for thread in threads)
    ran = sum(thread.cpu_seconds for thread in threads)
    return waited > limit("patterns", "queue_share") * (waited + ran)


def share(trace: Trace, seconds: float) -> float:
    """Part of the run's elapsed time."""
    wall = max((_own_seconds(process) for process in trace.processes), default=0.0)
    return seconds / wall if wall > 0 else 0.0


def _own_seconds(process: Process) -> float:
    """Elapsed, less what the first thread waited for a processor that others had: as long as the run would be alone."""
    first = min(process.threads, key=lambda t: (t.kind != "initial", t.number), default=None)
    waited = first.queue_seconds if first else 0.0
    busy = process.cpu_seconds / max(1, len(process.threads))
    return max(process.elapsed_seconds - waited, busy, 0.01 * process.elapsed_seconds)


def at(finding: Finding, where: Place) -> bool:
    """Whether a finding of the source speaks of this place."""
    return where.known and is_construct(finding, where.file, where.line)


def doubt(trace: Trace, *, bounded: bool = False) -> str:
    """What makes the times of a run unsure, in words. `bounded`: they count by their quartiles and by prices."""
    if not crowded(trace):
        return ""
    if bounded:
        return "the threads lacked processors: no wait counts for more than its lower quartile or the machine's price"
    return "the threads lacked processors: other programs, or more threads than processors, were on the machine"


def hoisted_share(trace: Trace, team: Teams) -> float:
    """Of fork and join, what is saved where the team stays: a shared loop with its barrier remains."""
    machine = costs(trace.processes[team.regions[0].process].host)
    region = omp_cost(machine, "parallel_for", team.threads).seconds
    return max(0.0, 1.0 - omp_cost(machine, "for", team.threads).seconds / region) if region > 0 else 0.0


def settled(seconds: float, each: float, count: int) -> float:
    """A sum without the few of its parts that took extremely long, since the processor was given to somebody else."""
    return min(seconds, 2.0 * each * count)
