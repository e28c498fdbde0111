"""The trace that stridewise-merge writes, as typed values. See docs/architecture.md and runtime/merge/Write.cpp.

Ranks in sequences named `rank_*` are those of `Trace.ranks`, in its order: ascending world ranks of the shards read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

VERSION = 1


class TraceError(ValueError):
    """A file that is no trace; the text says where."""


@dataclass(frozen=True, slots=True)
class Module:
    """A program or library that was mapped while the program ran."""

    path: str
    build_id: str


@dataclass(frozen=True, slots=True)
class Address:
    """An address in its module's own space, inside the calling instruction; a raw one if module is None."""

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

    @property
    def known(self) -> bool:
        return self.line > 0


@dataclass(frozen=True, slots=True)
class CallPath:
    """Innermost first. `frames` is empty until the trace is symbolised; then inlined and tail callers have frames."""

    addresses: tuple[Address, ...]
    frames: tuple[Frame, ...] = ()
    cut: bool = False
    fortran: bool = False

    @property
    def site(self) -> Frame | None:
        """The user's own call of MPI: the innermost frame of the user's code."""
        known = [frame for frame in self.frames if frame.known]
        of_user = [frame for frame in known if frame.user]
        return next(iter(of_user or known or self.frames), None)

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

    kind: str  # cannot-tell, deadlock, unsafe-ring, send-order-chain, pipeline
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
class Problem:
    """A shard that was left out, and the byte that was wrong."""

    shard: str
    offset: int
    text: str


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

    def with_frames(self, frames: Mapping[int, tuple[Frame, ...]]) -> Trace:
        """The trace with the frames of the given paths."""
        paths = tuple(replace(p, frames=frames.get(index, p.frames)) for index, p in enumerate(self.paths))
        return replace(self, paths=paths)

    def calls_of(self, paths: Iterable[int]) -> tuple[Call, ...]:
        wanted = set(paths)
        return tuple(call for call in self.calls if call.path in wanted)


def load(path: Path) -> Trace:
    """Reads a trace file. Raises TraceError or OSError."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TraceError(f"{path}: {error}") from error
    try:
        return parse(value)
    except TraceError as error:
        raise TraceError(f"{path}: {error}") from error


def parse(value: Any) -> Trace:
    """The trace in a decoded JSON value. Raises TraceError naming the first wrong member."""
    top = _Object(value, "trace")
    if top.integer("version") != VERSION:
        raise TraceError(f"version {top.integer('version')}, this reader knows {VERSION}")
    job, summary = top.child("job"), top.child("summary")
    trace = Trace(
        job=Job(
            id=job.text("id"),
            flavour=job.text("flavour"),
            mpi=job.text("mpi"),
            executable=job.text("executable"),
            command=job.text("command"),
            directory=job.text("directory"),
            begin_realtime_ns=job.integer("begin_realtime_ns"),
            world_size=job.integer("world_size"),
            missing_ranks=job.integers("missing_ranks"),
            reduced_ranks=job.optional_integer("reduced_ranks") or 0,
        ),
        summary=Summary(
            wall_seconds=summary.number("wall_seconds"),
            mpi_seconds=summary.number("mpi_seconds"),
            parallel_efficiency=summary.optional_number("parallel_efficiency"),
            load_balance=summary.optional_number("load_balance"),
            communication_efficiency=summary.optional_number("communication_efficiency"),
            serialisation_efficiency=summary.optional_number("serialisation_efficiency"),
            transfer_efficiency=summary.optional_number("transfer_efficiency"),
        ),
        ranks=tuple(_rank(o) for o in top.children("ranks")),
        modules=tuple(Module(o.text("path"), o.text("build_id")) for o in top.children("modules")),
        paths=tuple(_path(o) for o in top.children("paths")),
        calls=tuple(_call(o) for o in top.children("calls")),
        windows=tuple(_window(o) for o in top.children("windows")),
        barriers=tuple(_barrier(o) for o in top.children("barriers")),
        bursts=tuple(_burst(o) for o in top.children("bursts")),
        chains=tuple(_chain(o) for o in top.children("chains")),
        problems=tuple(Problem(o.text("shard"), o.integer("offset"), o.text("text")) for o in top.children("problems")),
        notes=top.texts("notes"),
        waits=tuple(_wait(o) for o in top.optional_children("waits")),
        duplicates=tuple(_duplicates(o) for o in top.optional_children("duplicates")),
        fans=tuple(_fan(o) for o in top.optional_children("fans")),
        overlaps=tuple(_overlap(o) for o in top.optional_children("overlaps")),
        gathers=tuple(_gather(o) for o in top.optional_children("gathers")),
        halos=tuple(_halo(o) for o in top.optional_children("halos")),
        threads=tuple(
            Threads(o.integer("path"), o.integer("calls"), o.integer("concurrent"), o.integers("ranks"))
            for o in top.optional_children("threads")
        ),
        machine=_machine(top.child("machine")) if "machine" in top.raw else Machine(),
        traffic=_traffic(top),
    )
    _check_indexes(trace)
    return trace


def _rank(o: _Object) -> Rank:
    return Rank(
        rank=o.integer("rank"),
        shard=o.text("shard"),
        host=o.text("host"),
        pid=o.integer("pid"),
        state=o.text("state"),
        wall_seconds=o.number("wall_seconds"),
        mpi_seconds=o.number("mpi_seconds"),
        clock_error_seconds=o.number("clock_error_seconds"),
        calls=o.integer("calls"),
        events=o.integer("events"),
        dropped_calls=o.integer("dropped_calls"),
        queue_seconds=o.optional_number("queue_seconds") or 0.0,
        thread_level=o.optional_integer("thread_level") or 0,
    )


def _path(o: _Object) -> CallPath:
    addresses = []
    for item in o.sequence("frames"):
        if not (isinstance(item, list) and len(item) == 2 and isinstance(item[1], int)):
            raise o.wrong("frames", "pairs of module and address")
        if item[0] is not None and not isinstance(item[0], int):
            raise o.wrong("frames", "a module index or null")
        addresses.append(Address(item[0], item[1]))
    return CallPath(tuple(addresses), cut=o.flag("cut"), fortran=o.flag("fortran"))


def _call(o: _Object) -> Call:
    return Call(
        path=o.optional_integer("path"),
        call=o.text("call"),
        count=o.integer("count"),
        bytes=o.integer("bytes"),
        rank_seconds=o.numbers("rank_seconds"),
        rank_counts=o.integers("rank_counts"),
        ranks=o.integers("ranks") if "ranks" in o.raw else None,
        nowhere=o.optional_integer("nowhere") or 0,
    )


def _window(o: _Object) -> Window:
    return Window(
        from_start=o.flag("from_start"),
        to_end=o.flag("to_end"),
        begin_seconds=o.number("begin_seconds"),
        end_seconds=o.number("end_seconds"),
        events=o.integer("events"),
        contradictions=o.integer("contradictions"),
    )


def _barrier(o: _Object) -> Barrier:
    kept = tuple(
        Witness(
            reason=w.text("reason"),
            count=w.integer("count"),
            path_before=w.optional_integer("path_before"),
            path_after=w.optional_integer("path_after"),
            rank_before=w.integer("rank_before"),
            rank_after=w.integer("rank_after"),
        )
        for w in o.children("kept")
    )
    return Barrier(
        verdict=o.text("verdict"),
        paths=o.integers("paths"),
        instances=o.integer("instances"),
        redundant=o.integer("redundant"),
        undecided=o.integer("undecided"),
        whole_run_instances=o.integer("whole_run_instances"),
        kept=kept,
        notes=o.texts("notes"),
        rank_seconds=o.numbers("rank_seconds"),
        rank_counts=o.integers("rank_counts"),
        gain_seconds=o.number("gain_seconds"),
    )


def _burst(o: _Object) -> Burst:
    return Burst(
        path=o.integer("path"),
        messages=o.integer("messages"),
        bursts=o.integer("bursts"),
        longest=o.integer("longest"),
        bytes_per_message=o.number("bytes_per_message"),
        seconds_per_message=o.number("seconds_per_message"),
        receive_seconds_per_message=o.number("receive_seconds_per_message"),
        rank_messages=o.integers("rank_messages"),
        rank_seconds=o.numbers("rank_seconds"),
        receive_paths=o.integers("receive_paths"),
        rank_receives=o.integers("rank_receives"),
        rank_receive_seconds=o.numbers("rank_receive_seconds"),
    )


def _chain(o: _Object) -> Chain:
    return Chain(
        kind=o.text("kind"),
        send_paths=o.integers("send_paths"),
        receive_paths=o.integers("receive_paths"),
        data_length=o.integer("data_length"),
        rendezvous_length=o.integer("rendezvous_length"),
        ranks=o.integer("ranks"),
        instances=o.integer("instances"),
        whole_run_instances=o.integer("whole_run_instances"),
        overlapped=o.flag("overlapped"),
        seconds_per_message=o.number("seconds_per_message"),
        rank_seconds=o.numbers("rank_seconds"),
        rank_send_seconds=o.numbers("rank_send_seconds"),
    )


def _wait(o: _Object) -> Wait:
    causes = tuple(
        WaitCause(
            kind=c.text("kind"),
            rank=c.integer("rank"),
            path_before=c.optional_integer("path_before"),
            path_after=c.optional_integer("path_after"),
            seconds=c.number("seconds"),
            calls=c.integer("calls"),
            depth=c.integer("depth"),
        )
        for c in o.children("causes")
    )
    return Wait(
        kind=o.text("kind"),
        path=o.integer("path"),
        calls=o.integer("calls"),
        longest_seconds=o.number("longest_seconds"),
        waiting=o.pairs("waiting"),
        culprit_count=o.integer("culprit_count"),
        culprits=o.pairs("culprits"),
        causes=causes,
    )


def _duplicates(o: _Object) -> Duplicates:
    return Duplicates(
        path=o.integer("path"),
        messages=o.integer("messages"),
        compared=o.integer("compared"),
        whole_run_messages=o.integer("whole_run_messages"),
        at_once=o.integer("at_once"),
        constant=o.integer("constant"),
        bytes=o.integer("bytes"),
        sampled=o.flag("sampled"),
        receive_paths=o.integers("receive_paths"),
        own=o.pairs("own"),
    )


def _fan(o: _Object) -> Fan:
    return Fan(
        kind=o.text("kind"),
        path=o.integer("path"),
        rounds=o.integer("rounds"),
        whole_run_rounds=o.integer("whole_run_rounds"),
        partners=o.integer("partners"),
        bytes=o.integer("bytes"),
        root_count=o.integer("root_count"),
        first_root=o.integer("first_root"),
        seconds_per_message=o.number("seconds_per_message"),
        own=o.pairs("own"),
        even=o.flag("even") if "even" in o.raw else True,
    )


def _overlap(o: _Object) -> Overlap:
    return Overlap(
        path=o.integer("path"),
        calls=o.integer("calls"),
        bytes=o.integer("bytes"),
        seconds=o.number("seconds"),
        waiting_seconds=o.number("waiting_seconds"),
        before_seconds=o.number("before_seconds"),
        after_seconds=o.number("after_seconds"),
        hideable_seconds=o.number("hideable_seconds"),
        own=o.pairs("own"),
    )


def _gather(o: _Object) -> Gather:
    return Gather(
        path=o.integer("path"),
        root=o.integer("root"),
        instances=o.integer("instances"),
        whole_run_instances=o.integer("whole_run_instances"),
        bytes_per_rank=o.number("bytes_per_rank"),
        after_seconds=o.number("after_seconds"),
        effects=o.integer("effects"),
    )


def _halo(o: _Object) -> Halo:
    return Halo(
        path=o.integer("path"),
        call=o.text("call"),
        gaps=o.flag("gaps"),
        messages=o.integer("messages"),
        bytes=o.integer("bytes"),
        pieces=o.integer("pieces"),
        span=o.integer("span"),
        pairs=o.integer("pairs"),
        partners=o.integer("partners"),
        offsets=tuple((row[0], row[1], row[2]) for row in o.rows("offsets", 3)),
        own=o.pairs("own"),
    )


def _machine(o: _Object) -> Machine:
    return Machine(
        latency_seconds=o.number("latency_seconds"),
        send_seconds=o.number("send_seconds"),
        bytes_per_second=o.number("bytes_per_second"),
        barrier_seconds=o.number("barrier_seconds"),
        samples=o.integer("samples"),
    )


def _traffic(o: _Object) -> tuple[tuple[int, int, int, int], ...]:
    rows = o.rows("traffic", 4) if "traffic" in o.raw else ()
    return tuple((row[0], row[1], row[2], row[3]) for row in rows)


def _check_indexes(trace: Trace) -> None:
    paths, ranks, modules = len(trace.paths), len(trace.ranks), len(trace.modules)
    used: list[int | None] = [call.path for call in trace.calls]
    sequences: list[tuple[object, ...]] = []
    for call in trace.calls:
        wanted = ranks if call.ranks is None else len(call.ranks)
        if not len(call.rank_seconds) == len(call.rank_counts) == wanted:
            raise TraceError("a list of another length than the ranks")
    for barrier in trace.barriers:
        used += barrier.paths
        used += [p for w in barrier.kept for p in (w.path_before, w.path_after)]
        sequences += [barrier.rank_seconds, barrier.rank_counts]
    for burst in trace.bursts:
        used += [burst.path, *burst.receive_paths]
        sequences += [burst.rank_messages, burst.rank_seconds, burst.rank_receives, burst.rank_receive_seconds]
    for chain in trace.chains:
        used += [*chain.send_paths, *chain.receive_paths]
        sequences += [chain.rank_seconds, chain.rank_send_seconds]
    named: list[int] = [rank for call in trace.calls for rank in call.ranks or ()]
    for wait in trace.waits:
        used += [wait.path, *(p for c in wait.causes for p in (c.path_before, c.path_after))]
        named += [rank for rank, _ in (*wait.waiting, *wait.culprits)] + [c.rank for c in wait.causes]
    sites = [*((d.path, d.own) for d in trace.duplicates), *((f.path, f.own) for f in trace.fans)]
    sites += [(h.path, h.own) for h in trace.halos]
    for path, own in [*sites, *((o.path, o.own) for o in trace.overlaps)]:
        used.append(path)
        named += [rank for rank, _ in own]
    used += [path for d in trace.duplicates for path in d.receive_paths]
    used += [*(g.path for g in trace.gathers), *(t.path for t in trace.threads)]
    named += [g.root for g in trace.gathers] + [f.first_root for f in trace.fans]
    named += [rank for t in trace.threads for rank in t.ranks] + [rank for row in trace.traffic for rank in row[:2]]
    if any(not 0 <= rank < ranks for rank in named):
        raise TraceError("a rank that does not exist")
    if any(path is not None and not 0 <= path < paths for path in used):
        raise TraceError("a call path that does not exist")
    if any(len(sequence) != ranks for sequence in sequences):
        raise TraceError("a list of another length than the ranks")
    addresses = (address for path in trace.paths for address in path.addresses)
    if any(a.module is not None and not 0 <= a.module < modules for a in addresses):
        raise TraceError("a module that does not exist")


class _Object:
    """Typed access to an untrusted JSON object."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise TraceError(f"{where}: expected an object")
        self.raw: dict[str, Any] = value
        self.where = where

    def wrong(self, name: str, wanted: str) -> TraceError:
        return TraceError(f"{self.where}.{name}: expected {wanted}")

    def text(self, name: str) -> str:
        value = self.raw.get(name)
        if not isinstance(value, str):
            raise self.wrong(name, "a string")
        return value

    def integer(self, name: str) -> int:
        value = self.optional_integer(name)
        if value is None:
            raise self.wrong(name, "an integer")
        return value

    def optional_integer(self, name: str) -> int | None:
        value = self.raw.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self.wrong(name, "an integer or null")
        return value

    def number(self, name: str) -> float:
        value = self.optional_number(name)
        if value is None:
            raise self.wrong(name, "a number")
        return value

    def optional_number(self, name: str) -> float | None:
        value = self.raw.get(name)
        if value is None:
            return None
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self.wrong(name, "a number or null")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self.raw.get(name)
        if not isinstance(value, bool):
            raise self.wrong(name, "true or false")
        return value

    def sequence(self, name: str) -> list[Any]:
        value = self.raw.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "an array")
        return value

    def integers(self, name: str) -> tuple[int, ...]:
        values = self.sequence(name)
        if not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            raise self.wrong(name, "integers")
        return tuple(values)

    def numbers(self, name: str) -> tuple[float, ...]:
        values = self.sequence(name)
        if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
            raise self.wrong(name, "numbers")
        return tuple(float(v) for v in values)

    def pairs(self, name: str) -> tuple[tuple[int, float], ...]:
        """Of an index and a number each."""
        values = self.sequence(name)
        for v in values:
            if not (isinstance(v, list) and len(v) == 2 and isinstance(v[0], int) and isinstance(v[1], int | float)):
                raise self.wrong(name, "pairs of an index and a number")
        return tuple((v[0], float(v[1])) for v in values)

    def rows(self, name: str, width: int) -> tuple[tuple[int, ...], ...]:
        values = self.sequence(name)
        if not all(isinstance(row, list) and len(row) == width and all(type(v) is int for v in row) for row in values):
            raise self.wrong(name, f"rows of {width} integers")
        return tuple(tuple(row) for row in values)

    def texts(self, name: str) -> tuple[str, ...]:
        values = self.sequence(name)
        if not all(isinstance(v, str) for v in values):
            raise self.wrong(name, "strings")
        return tuple(values)

    def child(self, name: str) -> _Object:
        return _Object(self.raw.get(name), f"{self.where}.{name}")

    def children(self, name: str) -> list[_Object]:
        return [_Object(item, f"{self.where}.{name}[{index}]") for index, item in enumerate(self.sequence(name))]

    def optional_children(self, name: str) -> list[_Object]:
        """None where a former version did not write them."""
        return self.children(name) if name in self.raw else []
