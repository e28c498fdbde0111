"""What the MPI patterns share: from call paths to places, from seconds per rank to costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stridewise.finding import Evidence, Location, Related
from stridewise.runs.mpi.trace import Frame, Trace


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's source that calls MPI."""

    file: str
    line: int
    column: int
    function: str

    @property
    def location(self) -> Location:
        return Location(self.file, self.line, self.column, self.line, self.column)


def place(trace: Trace, path: int) -> Place:
    """Where a call path calls MPI; line 0 and the program's name where the source is unknown."""
    site = trace.paths[path].site
    if site is None:
        address = next(iter(trace.paths[path].addresses), None)
        return Place(trace.job.executable, 0, 0, f"0x{address.value:x}" if address else "")
    return Place(site.file or trace.job.executable, site.line, site.column, site.function)


def callers(trace: Trace, paths: Iterable[int]) -> list[Related]:
    """The callers on these paths, innermost first, each line once."""
    seen: dict[tuple[str, int], Related] = {}
    for path in paths:
        for frame in trace.paths[path].callers:
            seen.setdefault((frame.file, frame.line), Related(frame.file, frame.line, _caller_label(frame)))
    return list(seen.values())


def _caller_label(frame: Frame) -> str:
    return f"called from {frame.function}" if frame.function else "called from here"


def related(trace: Trace, paths: Iterable[int], label: str) -> list[Related]:
    """The known places of other calls, each line once."""
    places = (place(trace, path) for path in paths)
    return list({(p.file, p.line): Related(p.file, p.line, label) for p in places if p.line > 0}.values())


def sums(rows: Sequence[Sequence[float]]) -> list[float]:
    """Rank by rank."""
    return [sum(values) for values in zip(*rows, strict=True)]


def per_rank(trace: Trace, *sparse: Iterable[tuple[int, float]]) -> list[float]:
    """Dense seconds, in the order of the trace's ranks, of rows that name only the ranks that have any."""
    out = [0.0] * len(trace.ranks)
    for pairs in sparse:
        for rank, seconds in pairs:
            out[rank] += seconds
    return out


def by_world_rank(trace: Trace, values: Sequence[float]) -> list[float]:
    """Indexed by world rank; 0 for ranks without a shard."""
    out = [0.0] * trace.job.world_size
    for rank, value in zip(trace.ranks, values, strict=True):
        out[rank.rank] = value
    return out


def evidence(trace: Trace, rank_seconds: Sequence[float], note: str = "", **metrics: object) -> Evidence:
    """Measured seconds per world rank, the rank with the most, and what else was counted."""
    world = by_world_rank(trace, rank_seconds)
    cost_rank = max(range(len(world)), key=world.__getitem__) if world else 0
    return Evidence("mpi", {**metrics, "rank_seconds": world, "cost_rank": cost_rank}, note)


def call_count(trace: Trace, paths: Iterable[int]) -> int:
    return sum(call.count for call in trace.calls_of(paths))


def share(trace: Trace, seconds: float) -> float:
    """Part of the run's wall time."""
    wall = trace.summary.wall_seconds
    return seconds / wall if wall > 0 else 0.0


def duration(seconds: float) -> str:
    """Three significant digits with a unit: 12.4 s, 85 ms, 6.1 µs."""
    for limit, factor, unit in ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "µs")):
        if seconds >= limit:
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:,.0f} {unit}"
    return f"{seconds * 1e9:.0f} ns"
