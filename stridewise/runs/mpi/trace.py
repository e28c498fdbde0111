"""The trace that stridewise-merge writes, as typed values. See docs/architecture.md and runtime/merge/Write.cpp.

Ranks in sequences named `rank_*` are those of `Trace.ranks`, in its order: ascending world ranks of the shards read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Module:
    """A program or library that was mapped while the program ran."""

    path: str
    build_id: str


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its module's own space, inside the calling instruction; a raw one if module is None."""

    as_array: ClassVar[bool] = True
    module: int | None
    value: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in the source. Unknown file: the module's path and line 0; unknown function: module+0xoffset."""

    function: str
    file: str
    line: int
    column: int = 0
    user: bool = True  # not a system header, not a library without source
    via_tail_call: bool = False  # left no return address: the jump that stands for the call was found in the code
    wrapper: bool = False  # in a function that only passes its arguments on to MPI (collect/wrappers.py)

    @property
    def known(self) -> bool:
        return self.line > 0


@dataclass(frozen=True, slots=True)
class CallPath:
    """Innermost first. `frames` is empty until the trace is symbolised; then inlined and tail callers have frames."""

    addresses: tuple[Address, ...] = field(metadata={"json": "frames"})
    frames: tuple[Frame, ...] = field(default=(), metadata={"json": ""})
    cut: bool = False
    fortran: bool = False
    phase: int | None = None  # index into the trace's phases

    @property
    def site(self) -> Frame | None:
        """The user's own call of MPI: the innermost frame of the user's code that decides anything."""
        known = [frame for frame in self.frames if frame.known]
        of_user = [frame for frame in known if frame.user]
        deciding = [frame for frame in of_user if not frame.wrapper]
        return next(iter(deciding or of_user or known or self.frames), None)

    @property
    def callers(self) -> tuple[Frame, ...]:
        """The user's frames outside the site."""
        site = self.site
        if site is None:
            return ()
        return tuple(f for f in self.frames[self.frames.index(site) + 1 :] if f.user and f.known)


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    flavour: str
    mpi: str
    executable: str
    command: str
    directory: str
    begin_realtime_ns: int
    world_size: int
    missing_ranks: tuple[int, ...]
    reduced_ranks: int = 0  # known by a summary only: no events, no partners


@dataclass(frozen=True, slots=True)
class Summary:
    """Of the whole run; the ratios follow the POP model (parallel = load balance × communication), None if unknown.
    The two parts of the communication efficiency come from what was analysed event by event."""

    wall_seconds: float
    mpi_seconds: float  # of the initial thread of the rank with the most
    parallel_efficiency: float | None
    load_balance: float | None
    communication_efficiency: float | None
    serialisation_efficiency: float | None = None  # communication = serialisation × transfer
    transfer_efficiency: float | None = None


@dataclass(frozen=True, slots=True)
class Rank:
    rank: int
    shard: str
    host: str
    pid: int
    state: str
    wall_seconds: float
    mpi_seconds: float
    clock_error_seconds: float
    calls: int
    events: int
    dropped_calls: int
    queue_seconds: float = 0.0  # ready to run while other processes had the processors; 0 if unknown
    thread_level: int = 0  # 0 to 3: single, funneled, serialized, multiple
    sleep_seconds: float = 0.0  # outside MPI, as far as it was watched
    helper_mpi_seconds: float = 0.0  # in MPI of all threads but the first, no part of `mpi_seconds`
    processors: int = 0  # of its node, that it was allowed; 0 if unknown
    first_processor: int = 0  # the lowest of them: ranks that are bound apart differ in it
    peak_bytes: int = 0  # largest resident memory; 0 if unknown


@dataclass(frozen=True, slots=True)
class Largest:
    """Of one rank, where only summaries tell of all; each may be of another rank."""

    count: int
    bytes: int
    ranks: int  # that made such calls


@dataclass(frozen=True, slots=True)
class Call:
    """Totals of one MPI function from one call path; `rank_*` are of `ranks` (indexes), of all if that is None."""

    path: int | None
    call: str
    count: int
    bytes: int
    rank_seconds: tuple[float, ...]
    rank_counts: tuple[int, ...]
    ranks: tuple[int, ...] | None = None
    nowhere: int = 0  # of `count`, those to or from MPI_PROC_NULL
    rank_bytes: tuple[int, ...] = ()
    partners: int = 0  # distinct ranks that the calls of one rank name, of the rank with the most
    largest: Largest | None = None  # of ranks that are known by a summary only

    @property
    def seconds(self) -> tuple[tuple[int, float], ...]:
        """Index of each rank that made such calls, and its seconds in them."""
        return tuple(zip(self.ranks or range(len(self.rank_seconds)), self.rank_seconds, strict=True))


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of the run that was analysed event by event."""

    from_start: bool
    to_end: bool
    begin_seconds: float
    end_seconds: float
    events: int
    contradictions: int


@dataclass(frozen=True, slots=True)
class Witness:
    """Why a barrier is needed: the two calls that only it orders."""

    reason: str
    count: int
    path_before: int | None
    path_after: int | None
    rank_before: int
    rank_after: int


@dataclass(frozen=True, slots=True)
class Barrier:
    """The barriers of one place (several paths when ranks take different branches to it)."""

    verdict: str  # redundant, needed, cannot-tell
    paths: tuple[int, ...]
    instances: int
    redundant: int
    undecided: int
    whole_run_instances: int
    kept: tuple[Witness, ...]
    notes: tuple[str, ...]
    rank_seconds: tuple[float, ...]
    rank_counts: tuple[int, ...]
    gain_seconds: float


@dataclass(frozen=True, slots=True)
class Burst:
    """Runs of two or more messages on one channel; `rank_*` speak of the messages behind the first of each run."""

    path: int
    messages: int
    bursts: int
    longest: int
    bytes_per_message: float
    seconds_per_message: float
    receive_seconds_per_message: float
    rank_messages: tuple[int, ...]
    rank_seconds: tuple[float, ...]
    receive_paths: tuple[int, ...]
    rank_receives: tuple[int, ...]
    rank_receive_seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """Messages that wait for one another. Lengths in messages; seconds are spent waiting in these calls."""

    kind: str  # cannot-tell, unsafe-ring, send-order-chain, pipeline
    send_paths: tuple[int, ...]
    receive_paths: tuple[int, ...]
    data_length: int
    rendezvous_length: int
    ranks: int
    instances: int
    whole_run_instances: int
    overlapped: bool
    seconds_per_message: float
    rank_seconds: tuple[float, ...]
    rank_send_seconds: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class WaitCause:
    """What made an awaited rank late, most of it between two of its calls."""

    kind: str  # computation, transfer (in MPI without waiting), start-up
    rank: int  # index into the ranks
    path_before: int | None
    path_after: int | None
    seconds: float
    calls: int
    depth: int  # the longest chain of other wait states between the cause and this one


@dataclass(frozen=True, slots=True)
class Wait:
    """Waiting of one kind at one call path; of culprits and causes only the largest are named."""

    kind: str  # late-sender late-receiver wait-at-barrier wait-at-nxn early-reduce late-contribution late-broadcast
    path: int
    calls: int
    longest_seconds: float
    waiting: tuple[tuple[int, float], ...]  # index into the ranks, seconds
    culprit_count: int
    culprits: tuple[tuple[int, float], ...]
    causes: tuple[WaitCause, ...]

    @property
    def seconds(self) -> float:
        """Of all ranks together."""
        return sum(seconds for _, seconds in self.waiting)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Messages of one call path that repeat the one before on their channel; counts are of the windows."""

    path: int
    messages: int
    compared: int
    whole_run_messages: int
    at_once: int  # with hardly any computation since the message that they repeat
    constant: int  # on channels that never carried anything else
    bytes: int
    sampled: bool  # of large payloads a part was compared
    receive_paths: tuple[int, ...]
    own: tuple[tuple[int, float], ...]  # index into the ranks, seconds in these messages without waiting


@dataclass(frozen=True, slots=True)
class Fan:
    """Rounds in which a rank sends to all others, or receives from all others, one message each."""

    kind: str  # broadcast, scatter, gather, reduce, all-to-all
    path: int
    rounds: int
    whole_run_rounds: int
    partners: int
    bytes: int
    root_count: int
    first_root: int
    seconds_per_message: float
    own: tuple[tuple[int, float], ...]
    even: bool = True  # the messages of a round are equally large


@dataclass(frozen=True, slots=True)
class Overlap:
    """Completions of non-blocking messages at one call path; seconds of all ranks together."""

    path: int
    calls: int
    bytes: int
    seconds: float
    waiting_seconds: float
    before_seconds: float  # computed between the start of the messages and the call
    after_seconds: float  # computed behind it
    hideable_seconds: float  # per call the smaller of its time without waiting and the computation behind it
    own: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Gather:
    """Data of all ranks collected by one, which then works alone."""

    path: int
    root: int
    instances: int
    whole_run_instances: int
    bytes_per_rank: float
    after_seconds: float
    effects: int  # instances behind which the root was seen to act outside MPI


@dataclass(frozen=True, slots=True)
class Halo:
    """Messages of one call from one path by datatypes with gaps; or, where there are such, those without gaps that the
    same ranks send to other partners. Who packs by hand sends without gaps."""

    path: int
    call: str
    gaps: bool
    messages: int
    bytes: int
    pieces: int  # contiguous ones, of all messages together
    span: int  # bytes from the first to the last piece of a message, of all messages together
    pairs: int  # of sender and receiver
    partners: int  # that the busiest rank sends to or receives from
    offsets: tuple[tuple[int, int, int], ...]  # the receiver's rank less the sender's, messages, bytes; the largest
    own: tuple[tuple[int, float], ...]  # with gaps: index into the ranks, seconds in these messages without waiting


@dataclass(frozen=True, slots=True)
class Threads:
    """Calls of MPI from threads other than the one that initialised it."""

    path: int
    calls: int
    concurrent: int  # during a call of another thread
    ranks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """What communication costs; 0 where unknown."""

    latency_seconds: float = 0.0  # of a small message
    send_seconds: float = 0.0  # that a small blocking send takes its sender
    bytes_per_second: float = 0.0
    barrier_seconds: float = 0.0
    samples: int = 0  # 0 for given values


@dataclass(frozen=True, slots=True)
class Fate:
    """What ended a rank before the end of MPI_Finalize, as far as it could tell itself (not SIGKILL, not _exit)."""

    kind: str  # signal, abort (MPI_Abort), exit
    signal: int
    code: int  # si_code of a signal, the error code of MPI_Abort
    sender: int  # process that sent the signal; 0: the processor or the kernel raised it
    address: int  # that a fault was about
    library: str  # of the system, in which it happened; empty if it was in the program's own code
    path: int | None  # of a signal: where it struck; else of the call
    seconds: float


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that a rank has started and waits for."""

    call: str
    path: int | None
    receive: bool
    peer: int  # world rank, or negative: none, any
    tag: int


@dataclass(frozen=True, slots=True)
class LastCall:
    call: str
    path: int | None
    in_progress: bool
    seconds: float  # when it began
    end_seconds: float  # when it returned; in progress: when the rank ended
    peer: int | None = None  # world rank of the partner or root, or negative: any, none; None where there is none
    tag: int | None = None
    pending: tuple[Pending, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a rank ended that did not come to the end of MPI_Finalize; times since the first rank left MPI_Init."""

    rank: int  # index into the ranks
    end_seconds: float
    finalizing: bool  # it was in MPI_Finalize
    fate: Fate | None = None
    last: LastCall | None = None


@dataclass(frozen=True, slots=True)
class Stall:
    """A collective in which ranks were when the run ended; world ranks."""

    comm_size: int
    number: int  # of the collective on its communicator
    came: tuple[int, ...]
    absent: tuple[int, ...]  # have not come to it
    passed: tuple[int, ...]  # have been through


@dataclass(frozen=True, slots=True)
class Problem:
    """A shard that was left out, and the byte that was wrong."""

    shard: str
    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Phase:
    """What the program calls a part of its run."""

    name: str
    count: int  # stays of all ranks together
    seconds: tuple[tuple[int, float], ...]  # index into the ranks, time in it


@dataclass(frozen=True, slots=True)
class Trace:
    job: Job
    summary: Summary
    ranks: tuple[Rank, ...]
    modules: tuple[Module, ...]
    paths: tuple[CallPath, ...]
    calls: tuple[Call, ...]
    windows: tuple[Window, ...]
    barriers: tuple[Barrier, ...]
    bursts: tuple[Burst, ...]
    chains: tuple[Chain, ...]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    waits: tuple[Wait, ...] = ()
    duplicates: tuple[Duplicates, ...] = ()
    fans: tuple[Fan, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    gathers: tuple[Gather, ...] = ()
    halos: tuple[Halo, ...] = ()
    threads: tuple[Threads, ...] = ()
    machine: Machine = Machine()
    traffic: tuple[tuple[int, int, int, int], ...] = ()  # source, target (indexes into the ranks), messages, bytes
    endings: tuple[Ending, ...] = ()
    stalls: tuple[Stall, ...] = ()
    phases: tuple[Phase, ...] = ()

    def phase_of(self, path: int | None) -> str:
        """The phase of the calls on a path; empty outside of all."""
        number = None if path is None else self.paths[path].phase
        return "" if number is None else self.phases[number].name

    def with_frames(self, frames: Mapping[int, tuple[Frame, ...]]) -> Trace:
        """The trace with the frames of the given paths."""
        paths = tuple(replace(p, frames=frames.get(index, p.frames)) for index, p in enumerate(self.paths))
        return replace(self, paths=paths)

    def calls_of(self, paths: Iterable[int]) -> tuple[Call, ...]:
        wanted = set(paths)
        return tuple(call for call in self.calls if call.path in wanted)
