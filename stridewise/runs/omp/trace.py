"""What OpenMP runs left, as typed values, read by stridewise/runs/omp/shards.py (see runtime/ompt/omp_shard.h).

Seconds are those of one thread, added up over its events. Sites, processes and threads are indexes: into `Trace.sites`,
`Trace.processes` and `Process.threads`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from stridewise.runs.mpi.trace import Address, Frame, Module


@dataclass(frozen=True, slots=True)
class Site:
    """A place of the program that called OpenMP. `frames`: innermost first, empty until the trace is symbolised."""

    address: Address
    frames: tuple[Frame, ...] = ()

    @property
    def frame(self) -> Frame | None:
        """The innermost frame of the user's code, else of any."""
        known = [frame for frame in self.frames if frame.known]
        of_user = [frame for frame in known if frame.user]
        return next(iter(of_user or known or self.frames), None)


@dataclass(frozen=True, slots=True)
class Cpu:
    cpu: int
    core: int  # lowest number among the cpus that share the core
    package: int
    node: int


@dataclass(frozen=True, slots=True)
class Thread:
    tid: int
    kind: str  # initial, worker, other, unknown
    number: int  # in its latest region
    seconds: float
    regions: int
    migrations: int  # seen from one region to the next
    voluntary: int  # context switches
    involuntary: int
    cpu_seconds: float
    queue_seconds: float  # ready to run while others had the processors
    dropped: int  # events at places beyond the table
    affinity: frozenset[int]  # cpus where it may run
    cpus_seen: frozenset[int]
    alone_seconds: float = 0.0  # its processor time outside of the regions that it opened


@dataclass(frozen=True, slots=True)
class Process:
    shard: str
    closed: bool  # false: killed, replaced by exec, or still running
    rank: int  # -1 without MPI
    ranks: int
    pid: int
    host: str
    runtime: str
    executable: str
    command: str
    environment: Mapping[str, str]
    seconds: float  # from its first OpenMP construct on
    cpu_seconds: float
    cpu_mask: frozenset[int]
    cpus: tuple[Cpu, ...]
    lost_threads: int
    threads: tuple[Thread, ...]
    before_seconds: float = 0.0  # from its start to the first OpenMP construct; 0 if unknown

    @property
    def elapsed_seconds(self) -> float:
        """From its start, in steps of 10 ms: what it did before its first OpenMP construct is a part of the run."""
        return self.before_seconds + self.seconds


@dataclass(frozen=True, slots=True)
class Region:
    """A parallel region, by the thread that opened its teams."""

    process: int
    thread: int
    site: int
    outer: int | None  # the region around it
    count: int
    seconds: float
    shortest: float
    longest: float
    overhead: float  # region minus the longest span of a thread, added up: fork and join
    typical_overhead: float  # about its lower quartile, which hardly feels what else the machine does
    busy: float  # of all threads together, without their waits
    last: float  # from the begin to the arrival of the last thread
    threads: int  # of all teams, added up
    slower: int  # regions that took longer than one thread would need for all of the work
    excess: float  # by how much, added up
    longest_busy: float  # of each region the busiest thread, added up
    most_threads: int


@dataclass(frozen=True, slots=True)
class Wait:
    """Waits of a thread at one place; of kind `team` its spans in a region, whose end is the meeting."""

    process: int
    thread: int
    kind: str  # team barrier-explicit barrier-implicit barrier-other taskwait taskgroup reduction
    site: int
    region: int | None
    count: int
    seconds: float
    shortest: float
    longest: float
    segment: float  # busy since the meeting before
    cpu: float  # processor time of such segments, where it was sampled, and their length
    sampled: float
    work: int | None  # the last work-share before it
    work_kind: str
    arrival: float = 0.0  # team: from the region's begin to the arrival at its end
    lag: float = 0.0  # team: from the region's begin to the thread's
    busy: float = 0.0  # team: span without waits
    typical: float = 0.0  # about the lower quartile of the waits


@dataclass(frozen=True, slots=True)
class Work:
    process: int
    thread: int
    kind: str  # loop-static loop-dynamic loop-guided loop-other sections single work-other
    site: int
    region: int | None
    count: int
    seconds: float
    trips: int  # iterations of all threads
    own: int
    chunks: int
    chunk_seconds: float
    chunk_squares: float  # seconds², added up
    typical_chunk: float
    chunk_size: int  # iterations of the first chunk


@dataclass(frozen=True, slots=True)
class Mutex:
    process: int
    thread: int
    kind: str  # critical lock ordered atomic
    site: int
    region: int | None
    count: int
    seconds: float  # waited
    shortest: float
    longest: float
    hold: float
    contended: int  # waits over a microsecond
    typical: float = 0.0  # about the lower quartile of the waits


@dataclass(frozen=True, slots=True)
class Task:
    """`site` is where the tasks are created; `count` and `seconds` are of those that the thread executed."""

    process: int
    thread: int
    site: int
    created: int
    count: int
    seconds: float
    longest: float = 0.0
    typical: float = 0.0  # about the lower quartile
    used: float = 0.0  # `seconds`, less where the thread was seen to lack a processor


@dataclass(frozen=True, slots=True)
class Meeting:
    """Barriers and ends of regions, by the team's first thread for all: what the threads did before them, tasks
    included.

    `work` is the work-share, or else the barrier or region, before which the thread with most to do came each time.
    Times are those of the processors, wherever a thread was busy so long that it may have lacked one.
    """

    process: int
    thread: int
    work: int
    place: int  # of the barrier, or of the region that ends
    region: int
    kind: str  # of the work-share; empty without one
    count: int
    seconds: float  # elapsed since the meeting before
    longest: float  # of the busiest thread each time
    used: float  # of all threads
    threads: int  # added up
    waited: float  # elapsed, from a thread's arrival to that of the last; mean of the threads
    tasks: float  # of `used` in explicit tasks
    longest_task: float  # of each meeting the longest, added up
    unsure: int  # meetings left out, and what was waited there
    unsure_waited: float
    culprit: int  # number of the thread that most often had most to do, if one had
    votes: int

    @property
    def lost(self) -> float:
        """Elapsed seconds that an even division of the work would save."""
        return max(0.0, self.longest - self.used * self.count / self.threads) if self.threads else 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two regions that one thread opened one after the other, and the time between them."""

    process: int
    thread: int
    first: int
    second: int
    count: int
    seconds: float
    typical: float


@dataclass(frozen=True, slots=True)
class Phase:
    """What the program has marked, in one process. Seconds of regions are elapsed ones, of those that no other region
    is around."""

    process: int
    name: str
    count: int  # stays
    seconds: float
    regions: int
    team_seconds: float
    opening_seconds: float  # of team_seconds, to open and close them
    working_seconds: float  # as if each team had shared its work evenly


@dataclass(frozen=True, slots=True)
class Trace:
    processes: tuple[Process, ...]
    modules: tuple[Module, ...]
    sites: tuple[Site, ...]
    regions: tuple[Region, ...] = ()
    waits: tuple[Wait, ...] = ()
    works: tuple[Work, ...] = ()
    mutexes: tuple[Mutex, ...] = ()
    tasks: tuple[Task, ...] = ()
    pairs: tuple[Pair, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    phases: tuple[Phase, ...] = ()
    site_phases: Mapping[int, frozenset[str]] = field(
        default_factory=dict
    )  # in which events came from a site; "": none

    @property
    def wall_seconds(self) -> float:
        return max((p.elapsed_seconds for p in self.processes), default=0.0)

    def with_frames(self, frames: Mapping[Address, tuple[Frame, ...]]) -> Trace:
        sites = tuple(replace(s, frames=frames.get(s.address, s.frames)) for s in self.sites)
        return replace(self, sites=sites)
