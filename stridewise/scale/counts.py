"""What one run counted: calls, bytes, partners and allocations of each call path, instructions of each function, memory
of each rank, and how the time went."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stridewise.errors import Failure
from stridewise.finding.sources import Project
from stridewise.machine import message_models
from stridewise.runs import run_folder
from stridewise.runs.mpi import watcher
from stridewise.runs.mpi.trace import Call, CallPath, Frame, Rank, Trace
from stridewise.runs.mpi.trace_file import TraceError

ALLOCATE = "allocate"  # as the recorder names memory that the program asks for
WORK = "work"  # a function of the program, with the instructions that Cachegrind counts
RANKS, THREADS = "ranks", "threads"  # what a study counts by
CROWDED = 0.05  # share of the ranks' time that they waited for a processor, from which on times tell nothing


Function = tuple[str, str]  # file, name


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """One MPI function called along one path of calls in the user's sources, innermost first; or ALLOCATE, or WORK."""

    call: str
    places: tuple[tuple[str, int, str], ...]  # file, line, function

    @property
    def file(self) -> str:
        return self.places[0][0] if self.places else ""

    @property
    def line(self) -> int:
        return self.places[0][1] if self.places else 0

    @property
    def function(self) -> str:
        return self.places[0][2] if self.places else ""

    @property
    def timed(self) -> bool:
        """Whether the number of calls depends on time."""
        return self.call in message_models.load().timing


@dataclass(frozen=True, slots=True)
class Count:
    """Of one site: of the rank with the most, and of all ranks together. Bytes are what a rank gives to the call, or
    asks for; of WORK, counts are instructions."""

    most: int = 0
    total: int = 0
    most_bytes: int = 0
    total_bytes: int = 0
    partners: int = 0  # distinct ranks that the calls of one rank name
    ranks: int = 0  # that make such calls

    @property
    def each_bytes(self) -> float:
        """Of one call, as the rank with the most makes them."""
        return self.most_bytes / self.most if self.most else 0.0

    def excess(self, ranks: int) -> float:
        """How many times the mean of all ranks the one with the most has."""
        return self.most * ranks / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True)
class Counts:
    """One run. Seconds are of its ranks; `work_seconds` of all together, outside MPI and with a processor."""

    ranks: int
    folder: Path
    sites: Mapping[Site, Count]
    allocations: Mapping[Site, Count]  # empty where they were not watched
    work: Mapping[Site, Count]  # empty where Cachegrind has not counted
    wall_seconds: float
    work_seconds: float
    most_work_seconds: float
    crowded: bool  # ranks waited for processors: its times tell nothing
    peak_bytes: int  # of the rank with the most, 0 if unknown
    dropped: int  # calls that found no room in the tables, and are in no count
    work_lines: Mapping[Function, Mapping[int, Count]] = field(default_factory=dict)  # of `work`
    unit: str = RANKS  # THREADS: `ranks` are threads, and sites constructs of OpenMP

    @property
    def load_balance(self) -> float:
        return self.work_seconds / self.ranks / self.most_work_seconds if self.most_work_seconds > 0 else 1.0


def read(folder: Path, project: Project) -> Counts:
    """Raises Failure where the folder holds no whole run of an MPI program."""
    record = next((r for r in run_folder.read_records(folder) if r.kind == "mpi"), None)
    if not run_folder.jobs(folder):
        raise Failure(f"{folder} holds no run of an MPI program")
    if record is not None and record.status != 0:
        raise Failure(f"the run in {folder} ended with status {record.status}")
    try:
        trace, _ = watcher.trace_of(folder, record)
    except (TraceError, OSError) as error:
        raise Failure(f"cannot read the run in {folder}: {error}") from error
    if trace.job.missing_ranks or any(rank.state != "closed" for rank in trace.ranks):
        raise Failure(f"the run in {folder} did not come to its end on all ranks")
    return of_trace(trace, folder, project)


def of_trace(trace: Trace, folder: Path, project: Project) -> Counts:
    per_rank: dict[Site, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    bytes_of: dict[Site, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    calls: dict[Site, list[Call]] = defaultdict(list)
    for call in trace.calls:
        path = trace.paths[call.path] if call.path is not None else None
        site = Site(call.call, _places(path, project))
        ranks = call.ranks if call.ranks is not None else range(len(call.rank_counts))
        for position, rank in enumerate(ranks):
            per_rank[site][rank] += call.rank_counts[position]
            bytes_of[site][rank] += call.rank_bytes[position] if call.rank_bytes else 0
        calls[site].append(call)
    counted = {site: _count(of, per_rank[site], bytes_of[site]) for site, of in calls.items()}
    work = [_work_seconds(rank) for rank in trace.ranks]
    wall = max((r.wall_seconds for r in trace.ranks), default=0.0)
    queued = sum(r.queue_seconds for r in trace.ranks)
    allowed = [r.processors for r in trace.ranks]
    hosts = {r.host for r in trace.ranks}
    crowded = queued > CROWDED * sum(r.wall_seconds for r in trace.ranks) or (
        len(hosts) == 1 and 0 < max(allowed, default=0) < len(trace.ranks)
    )
    return Counts(
        ranks=trace.job.world_size,
        folder=folder,
        sites={site: count for site, count in counted.items() if site.call != ALLOCATE},
        allocations={site: count for site, count in counted.items() if site.call == ALLOCATE},
        work={},
        wall_seconds=wall,
        work_seconds=sum(work),
        most_work_seconds=max(work, default=0.0),
        crowded=crowded,
        peak_bytes=max((r.peak_bytes for r in trace.ranks), default=0),
        dropped=sum(r.dropped_calls for r in trace.ranks),
    )


def _count(calls: Sequence[Call], counts: Mapping[int, int], sizes: Mapping[int, int]) -> Count:
    """Of all call paths of one site; by rank where the run tells it, else as its summaries do: the largest of each
    path, which add up to more than the largest rank where the paths of one site are those of different ranks."""
    known = [call.largest for call in calls if call.largest]
    return Count(
        most=max([*counts.values(), sum(one.count for one in known)]),
        total=sum(call.count for call in calls),
        most_bytes=max([*sizes.values(), sum(one.bytes for one in known)]),
        total_bytes=sum(call.bytes for call in calls),
        partners=max(call.partners for call in calls),
        ranks=max([sum(count > 0 for count in counts.values()), *(one.ranks for one in known)]),
    )


def _work_seconds(rank: Rank) -> float:
    """What the rank computed. While it waits for a processor it does so in and outside MPI alike, as far as anybody can
    tell: of its time outside MPI the share counts that it had one."""
    outside = max(0.0, rank.wall_seconds - rank.mpi_seconds - rank.sleep_seconds)
    share = 1 - rank.queue_seconds / rank.wall_seconds if rank.wall_seconds > 0 else 0.0
    return outside * max(0.0, share)


def _places(path: CallPath | None, project: Project) -> tuple[tuple[str, int, str], ...]:
    if path is None:
        return ()
    frames = [frame for frame in path.frames if frame.known and frame.user] or [*path.frames[:1]]
    # The wrapper that the program's calls of MPI share comes after the place that a user can act on.
    site = path.site
    if site in frames:
        frames = frames[frames.index(site) :]
    return tuple((_file(frame, project), frame.line, frame.function) for frame in frames)


def _file(frame: Frame, project: Project) -> str:
    return project.relative(frame.file)
