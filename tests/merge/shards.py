"""Writes the shards of programs that never ran: a small model of MPI executes rank functions and records what the
interposer would have recorded.

A rank function is a generator over a `Rank`; it yields each call: `yield rank.send(1, "send")`. The last positional
argument names the call path. Sends are eager (they return at once) unless `synchronous` or the world's `rendezvous`
is set.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

MAGIC = 0x3144485344495254
HEADER = struct.Struct("<QIIQIIQiiIIQ" + "QQQ" * 2 + "qQQQQQQQQQ" + "64s128s512s1024s512s")
SECTION = struct.Struct("<IIQQQ")
EVENT = struct.Struct("<QQIHHIIiiIIQQQ")
STATS = struct.Struct("<QQQQHHIIiQQQQQQQQ")
OLDER_STATS = struct.Struct("<QQQQHHIIiQQQQQQ")  # before the pieces of datatypes were counted
PATH = struct.Struct("<II8Q")
COMM = struct.Struct("<QIiQQ")
MODULE = struct.Struct("<QQQ20sI232s")
RANK_SUMMARY = struct.Struct("<iIq9Q")
REDUCED = struct.Struct("<9Q9QiIIHHiI")
NO_PEER, ANY, NULL = -1, -2, -3

SEND, RECV, COLLECTIVE, START, COMPLETE, SYNCHRONOUS, READY, BUFFERED = (1 << bit for bit in range(8))
ANY_SOURCE, ANY_TAG, PROBE, BARRIER, FULL_SYNC, RMA, IO, WAIT = (1 << bit for bit in range(8, 16))
TIMER, COMM_CALL, SENDRECV, OTHER_IO, RUN, BURST, PRINT = (1 << bit for bit in range(16, 23))

EVENTS_KIND, TABLE_KIND, PATHS_KIND, COMMS_KIND, MEMBERS_KIND, MODULES_KIND = range(1, 7)
RANKS_KIND, REDUCED_KIND = 9, 10
TICKS_AT_START = 1_000_000
TICKS_PER_SECOND = 2_000_000_000
NO_COMM = NO_SEQ = 0xFFFFFFFF
BURST_GAP_TICKS = 10_000  # 5 µs, as in pmpi_wrappers/lifecycle.c
BASE = 0x400000


@dataclass
class Event:
    begin: int
    end: int
    flags: int
    call: str
    path: str
    comm: int = 0
    peer: int = NO_PEER
    tag: int = 0
    seq: int = 0
    size: int = 0
    request: int = 0
    address: int = 0
    thread: int = 0
    run_ticks: int = 0
    payload: int = 0  # its hash
    pieces: int = 0  # of a send by a datatype with gaps, and their span
    span: int = 0


@dataclass
class Message:
    source: int
    target: int
    tag: int
    comm: int
    size: int
    number: int
    begin: float
    arrival: float
    synchronous: bool
    taken: float | None = None


Call = Callable[[], bool]
Program = Callable[["Rank"], Generator[Call, None, None]]


@dataclass
class Request:
    number: int
    event: Event
    receive: bool
    source: int = 0
    tag: int = 0
    comm: int = 0
    message: Message | None = None


class World:
    """Runs one program on all ranks. Times are seconds; `latency` is that of a message, `overhead` that of any call.
    Each blocking message is sent in as many `elements`, one call each."""

    def __init__(
        self,
        size: int,
        *,
        latency: float = 2e-6,
        overhead: float = 5e-7,
        rendezvous: bool = False,
        elements: int = 1,
    ) -> None:
        self.size = size
        self.elements = elements
        self.latency = latency
        self.overhead = overhead
        self.rendezvous = rendezvous
        self.ranks = [Rank(self, number) for number in range(size)]
        self.flying: list[deque[Message]] = [deque() for _ in range(size)]
        self.sent: dict[tuple[int, int, int, int], int] = defaultdict(int)
        self.meetings: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
        self.comms: list[tuple[int, tuple[int, ...]]] = [(1, tuple(range(size)))]

    def comm(self, members: Iterable[int]) -> int:
        """A communicator besides the world, by index."""
        self.comms.append((100 + len(self.comms), tuple(members)))
        return len(self.comms) - 1

    def run(self, program: Program) -> World:
        running = {rank.number: program(rank) for rank in self.ranks}
        waiting: dict[int, Call] = {}
        while running:
            progress = False
            # The rank that is furthest behind goes first, so that wildcards see messages in order of time.
            for number in sorted(running, key=lambda n: self.ranks[n].now):
                if number not in waiting:
                    try:
                        waiting[number] = next(running[number])
                    except StopIteration:
                        del running[number]
                        progress = True
                        break
                if waiting[number]():
                    del waiting[number]
                    progress = True
                    break
            if not progress:
                raise RuntimeError(f"the program hangs at ranks {sorted(running)}")
        return self

    def write(self, folder: Path, **options: object) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for rank in self.ranks:
            (folder / f"shard.77.{rank.number}.swshard").write_bytes(shard(rank, **options))  # type: ignore[arg-type]
        return folder


@dataclass
class Rank:
    world: World
    number: int
    now: float = 0.0
    events: list[Event] = field(default_factory=list)
    requests: int = 0
    collectives: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    received: dict[tuple[int, int, int, int], int] = field(default_factory=lambda: defaultdict(int))
    buffers: int = 0

    @property
    def size(self) -> int:
        return self.world.size

    def compute(self, seconds: float) -> Call:
        def call() -> bool:
            self.now += seconds
            return True

        return call

    def _ticks(self, seconds: float) -> int:
        return TICKS_AT_START + round(seconds * TICKS_PER_SECOND)

    def _record(self, begin: float, flags: int, call: str, path: str, **more: int) -> Event:
        event = Event(self._ticks(begin), self._ticks(self.now), flags, call, path, **more)
        self.events.append(event)
        return event

    def _post(self, target: int, tag: int, comm: int, size: int, synchronous: bool) -> Message:
        channel = (comm, self.number, target, tag)
        number = self.world.sent[channel]
        self.world.sent[channel] += 1
        message = Message(
            self.number, target, tag, comm, size, number, self.now, self.now + self.world.latency, synchronous
        )
        self.world.flying[target].append(message)
        return message

    def _match(self, source: int, tag: int, comm: int, take: bool = True) -> Message | None:
        found: Message | None = None
        seen: set[tuple[int, int, int]] = set()
        for message in self.world.flying[self.number]:
            channel = (message.source, message.tag, message.comm)
            fits = message.comm == comm and source in (ANY, message.source) and tag in (ANY, message.tag)
            if fits and channel not in seen and (found is None or message.arrival < found.arrival):
                found = message
            seen.add(channel)
        if found is not None and take:
            self.world.flying[self.number].remove(found)
            found.taken = self.now
        return found

    def _elements(self, one: Callable[[], Call]) -> Call:
        left = [one() for _ in range(self.world.elements)]

        def call() -> bool:
            while left and left[0]():
                del left[0]
            return not left

        return call

    def send(
        self,
        target: int,
        path: str,
        *,
        tag: int = 0,
        size: int = 8,
        comm: int = 0,
        synchronous: bool = False,
        flags: int = 0,
        address: int | None = None,
        payload: int = 0,
    ) -> Call:
        return self._elements(
            lambda: self._send(
                target,
                path,
                tag=tag,
                size=size,
                comm=comm,
                synchronous=synchronous,
                flags=flags,
                address=address,
                payload=payload,
            )
        )

    def _send(
        self,
        target: int,
        path: str,
        *,
        tag: int,
        size: int,
        comm: int,
        synchronous: bool,
        flags: int,
        address: int | None,
        payload: int,
    ) -> Call:
        state: list[Message] = []
        begin = [0.0]

        def call() -> bool:
            if target < 0:
                begin[0] = self.now
                self.now += self.world.overhead
                self._record(begin[0], SEND, "MPI_Send", path, peer=NULL, tag=tag)
                return True
            if not state:
                begin[0] = self.now
                state.append(self._post(target, tag, comm, size, synchronous or self.world.rendezvous))
            message = state[0]
            if message.synchronous and message.taken is None and not self._receiver_posted(message):
                return False
            self.now = max(self.now, message.taken or 0.0) + self.world.overhead
            self.buffers += size
            self._record(
                begin[0],
                SEND | flags | (SYNCHRONOUS if synchronous else 0),
                "MPI_Ssend" if synchronous else "MPI_Send",
                path,
                comm=comm,
                peer=target,
                tag=tag,
                seq=message.number,
                size=size,
                address=0x1000 + self.buffers if address is None else address,
                payload=payload,
            )
            return True

        return call

    def _receiver_posted(self, message: Message) -> bool:
        for request in self.world.ranks[message.target].posted:
            if request.message is None and (request.source, request.tag, request.comm) == (
                message.source,
                message.tag,
                message.comm,
            ):
                request.message = message
                self.world.flying[message.target].remove(message)
                message.taken = max(message.begin, self.world.ranks[message.target].now)
                return True
        return False

    posted: list[Request] = field(default_factory=list)

    def recv(
        self, source: int, path: str, *, tag: int = 0, comm: int = 0, flags: int = 0, call_name: str = "MPI_Recv"
    ) -> Call:
        return self._elements(lambda: self._recv(source, path, tag=tag, comm=comm, flags=flags, call_name=call_name))

    def _recv(self, source: int, path: str, *, tag: int, comm: int, flags: int, call_name: str) -> Call:
        begin: list[float] = []

        def call() -> bool:
            if not begin:
                begin.append(self.now)
            if source == NULL:
                self.now += self.world.overhead
                self._record(begin[0], RECV, call_name, path, peer=NULL, tag=tag)
                return True
            message = self._match(source, tag, comm)
            if message is None:
                return False
            self.now = max(self.now, message.arrival) + self.world.overhead
            wild = (ANY_SOURCE if source == ANY else 0) | (ANY_TAG if tag == ANY else 0)
            self._record(
                begin[0],
                RECV | wild | flags,
                call_name,
                path,
                comm=comm,
                peer=message.source,
                tag=message.tag,
                seq=message.number,
                size=message.size,
            )
            return True

        return call

    def sendrecv(
        self,
        target: int,
        source: int,
        path: str,
        *,
        tag: int = 0,
        size: int = 8,
        payload: int = 0,
        pieces: int = 0,
        span: int = 0,
    ) -> Call:
        state: list[Message | None] = []
        begin: list[float] = []

        def call() -> bool:
            if not begin:
                begin.append(self.now)
                state.append(self._post(target, tag, 0, size, False) if target >= 0 else None)
            incoming = self._match(source, tag, 0) if source >= 0 else None
            if source >= 0 and incoming is None:
                return False
            self.now = max(self.now, incoming.arrival if incoming else 0.0) + self.world.overhead
            out = state[0]
            for kind, message, peer in ((SEND, out, target), (RECV, incoming, source)):
                self._record(
                    begin[0],
                    kind | SENDRECV,
                    "MPI_Sendrecv",
                    path,
                    peer=peer if message else NULL,
                    tag=tag,
                    seq=message.number if message else 0,
                    size=size,
                    **({"payload": payload, "pieces": pieces, "span": span} if kind == SEND else {}),
                )
            return True

        return call

    def isend(self, target: int, path: str, requests: list[Request], *, tag: int = 0, size: int = 8) -> Call:
        def call() -> bool:
            begin = self.now
            self.now += self.world.overhead
            message = self._post(target, tag, 0, size, False)
            self.requests += 1
            event = self._record(
                begin,
                SEND | START,
                "MPI_Isend",
                path,
                peer=target,
                tag=tag,
                seq=message.number,
                size=size,
                request=self.requests,
            )
            requests.append(Request(self.requests, event, False, message=message))
            return True

        return call

    def irecv(self, source: int, path: str, requests: list[Request], *, tag: int = 0) -> Call:
        def call() -> bool:
            begin = self.now
            self.now += self.world.overhead
            channel = (0, source, self.number, tag)
            number = self.received[channel]
            self.received[channel] += 1
            self.requests += 1
            wild = ANY_SOURCE if source == ANY else 0
            event = self._record(
                begin, RECV | START | wild, "MPI_Irecv", path, peer=source, tag=tag, seq=number, request=self.requests
            )
            request = Request(self.requests, event, True, source, tag, 0)
            requests.append(request)
            self.posted.append(request)
            return True

        return call

    def waitall(self, path: str, requests: list[Request]) -> Call:
        begin: list[float] = []

        def call() -> bool:
            if not begin:
                begin.append(self.now)
            for request in requests:
                if request.receive and request.message is None:
                    request.message = self._match(request.source, request.tag, request.comm)
                    if request.message is None:
                        return False
            arrivals = [r.message.arrival for r in requests if r.receive and r.message]
            self.now = max([self.now, *arrivals]) + self.world.overhead
            for request in requests:
                message = request.message
                assert message is not None
                self._record(
                    begin[0],
                    (RECV if request.receive else SEND) | COMPLETE,
                    "MPI_Waitall",
                    path,
                    peer=message.source if request.receive else message.target,
                    tag=message.tag,
                    seq=message.number,
                    size=message.size,
                    request=request.number,
                )
                if request in self.posted:
                    self.posted.remove(request)
            self._record(begin[0], WAIT, "MPI_Waitall", path)
            requests.clear()
            return True

        return call

    def collective(
        self, call_name: str, path: str, *, comm: int = 0, flags: int = FULL_SYNC, root: int = NO_PEER, size: int = 8
    ) -> Call:
        begin: list[float] = []
        number = [0]

        def call() -> bool:
            if not begin:
                begin.append(self.now)
                number[0] = self.collectives[comm]
                self.collectives[comm] += 1
            met = self.world.meetings[comm, number[0]]
            met.setdefault(self.number, self.now)
            if flags & FULL_SYNC and len(met) < len(self.world.comms[comm][1]):
                return False
            self.now = max(met.values() if flags & FULL_SYNC else [self.now]) + self.world.overhead
            self._record(begin[0], COLLECTIVE | flags, call_name, path, comm=comm, peer=root, seq=number[0], size=size)
            return True

        return call

    def barrier(self, path: str, *, comm: int = 0) -> Call:
        return self.collective("MPI_Barrier", path, comm=comm, flags=BARRIER | FULL_SYNC, size=0)

    def allreduce(self, path: str, *, comm: int = 0) -> Call:
        return self.collective("MPI_Allreduce", path, comm=comm)

    def other(self, call_name: str, path: str, flags: int, seconds: float = 0.0) -> Call:
        """A call that moves nothing between ranks here: MPI_Wtime, MPI_Put, MPI_File_write, sleep."""

        def call() -> bool:
            begin = self.now
            self.now += seconds or self.world.overhead
            self._record(begin, flags, call_name, path)
            return True

        return call


def in_runs(events: Iterable[Event], threshold: int) -> list[Event]:
    """Events as the interposer writes them: messages alike beyond `threshold` in one (0: all one by one)."""
    out: list[Event] = []
    alike = 0
    first = before = 0  # buffers

    def key(e: Event) -> tuple[object, ...]:
        return (e.flags & ~(RUN | BURST), e.call, e.path, e.comm, e.peer, e.tag, e.size, e.thread)

    for event in events:
        plain = event.flags in (SEND, RECV)
        if not (threshold and plain and out and key(out[-1]) == key(event)):
            alike = int(plain)
            first = event.address
            out.append(event)
        elif (alike := alike + 1) <= threshold:
            out.append(event)
        else:
            last = out[-1]
            ticks = event.end - event.begin
            burst = event.flags == SEND and event.address not in (first, before)
            flags = event.flags | RUN | (BURST if burst else 0)
            if last.flags == flags and (event.peer == NULL or event.seq == last.seq + last.request):
                out[-1] = replace(
                    last,
                    end=event.end,
                    request=last.request + 1,
                    address=event.address,
                    run_ticks=last.run_ticks + ticks,
                )
            else:
                out.append(replace(event, flags=flags, request=1, run_ticks=ticks))
        before = event.address
    return [replace(e, seq=NO_SEQ) if e.flags & RUN and e.peer == NULL else e for e in out]


CALLS: dict[str, int] = {}  # numbers of the calls, filled from pmpi_wrappers/mpi_calls.toml


def shard(
    rank: Rank,
    *,
    job: int = 77,
    head: int | None = None,
    capacity: int | None = None,
    closed: bool = True,
    modules: Iterable[tuple[int, int, int, bytes, str]] = (
        (BASE, BASE + 0x100000, 0, b"\x01" * 20, "/opt/app/solver"),
    ),
    addresses: dict[str, int] | None = None,
    executable: str = "/opt/app/solver",
    run: int = 0,
    seconds: float | None = None,
    thread_level: int = 0,
    host: str = "node1",
) -> bytes:
    """The file of one rank. `head` and `capacity` make the ring overflow; `addresses` places call paths; `run` is the
    number of messages alike before a run begins (0: no runs); `seconds` is the time of the second clock reading."""
    world = rank.world
    paths: dict[str, int] = {}
    for event in (e for r in world.ranks for e in r.events):
        paths.setdefault(event.path, len(paths))
    recorded = in_runs(rank.events, run)
    count = len(recorded)
    capacity = capacity if capacity is not None else count + 1
    head = min(head if head is not None else capacity // 2, capacity)
    slots: list[bytes] = [bytes(EVENT.size)] * capacity
    totals: dict[tuple[str, str, int, int, int], list[int]] = {}
    open_bursts: dict[tuple[int, int], tuple[str, int, int, int]] = {}
    burst_lengths: dict[tuple[str, str, int, int, int], list[tuple[int, int]]] = defaultdict(list)

    def close_bursts(keys: list[tuple[int, int]]) -> None:
        for key in keys:
            if key in open_bursts:
                path, length, ticks, size = open_bursts.pop(key)
                burst_lengths[("send", path, key[0], key[1], size.bit_length())].append((length, ticks))

    seen: set[tuple[int, int, str]] = set()
    mpi_ticks = calls = computed = 0
    last_end = rank._ticks(0.0)
    last_computed: dict[tuple[int, int], int] = {}
    for number, e in enumerate(recorded):
        slot = number if number < head else head + (number - head) % max(1, capacity - head)
        if number < head or capacity > head:
            slots[slot] = EVENT.pack(
                e.begin, e.end, e.flags, CALLS[e.call], e.thread, paths[e.path], e.comm, e.peer, e.tag, e.seq, e.size,
                e.request, e.address, e.run_ticks or e.payload,
            )  # fmt: skip
    for e in rank.events:
        computed += max(0, e.begin - last_end)
        last_end = e.end
        if e.flags & COLLECTIVE:
            close_bursts(list(open_bursts))
        if e.flags & RECV and not e.flags & START:
            close_bursts([key for key in open_bursts if key[1] == e.peer])
        if e.flags & SEND and not e.flags & COMPLETE and e.peer >= 0:
            key = (e.comm, e.peer)
            old = open_bursts.get(key)
            long = computed - last_computed.get(key, 0) > BURST_GAP_TICKS
            if old and (old[0], old[3]) == (e.path, e.size) and e.address and not long:
                open_bursts[key] = (e.path, old[1] + 1, old[2] + e.end - e.begin, e.size)
            else:
                close_bursts([key])
                open_bursts[key] = (e.path, 1, e.end - e.begin, e.size)
            last_computed[key] = computed
        if (e.begin, e.end, e.call) in seen:
            continue
        seen.add((e.begin, e.end, e.call))
        calls += 1
        mpi_ticks += e.end - e.begin
        row = totals.setdefault(
            (e.call, e.path, e.comm, e.peer, e.size.bit_length()), [0, 0, 0, 0, e.begin, e.end, 0, 0]
        )
        row[0] += 1
        row[1] += e.end - e.begin
        row[2] = max(row[2], e.end - e.begin)
        row[3] += e.size
        row[5] = e.end
        row[6] += e.pieces
        row[7] += e.span
    close_bursts(list(open_bursts))
    table = b""
    for (call, path, comm, peer, bucket), row in totals.items():
        lengths = burst_lengths.get(("send", path, comm, peer, bucket), []) if "end" in call else []
        longer = [(n, t) for n, t in lengths if n > 1]
        table += STATS.pack(
            row[0], row[1], row[2], row[3], CALLS[call], bucket, paths[path], comm, peer, row[4], row[5],
            len(lengths), max((n for n, _ in lengths), default=0), sum(t for _, t in longer), sum(n for n, _ in longer),
            row[6], row[7],
        )  # fmt: skip
    table += bytes(STATS.size) * 3
    path_bytes = b"".join(
        PATH.pack(2, 0, (addresses or {}).get(name, BASE + 0x100 * (index + 1)), BASE + 0x10, 0, 0, 0, 0, 0, 0)
        for name, index in paths.items()
    )
    members: list[int] = []
    comm_bytes = b""
    for index, (stable, group) in enumerate(world.comms):
        first = (1 << 64) - 1 if index == 0 else len(members)
        if index:
            members += group
        local = group.index(rank.number) if rank.number in group else -1
        comm_bytes += COMM.pack(stable, len(group), local, first, rank.collectives.get(index, 0))
    module_bytes = b"".join(
        MODULE.pack(low, high, bias, build, len(build), path.encode()) for low, high, bias, build, path in modules
    )
    sections = [
        (EVENTS_KIND, EVENT.size, b"".join(slots)),
        (TABLE_KIND, STATS.size, table),
        (PATHS_KIND, PATH.size, path_bytes),
        (COMMS_KIND, COMM.size, comm_bytes),
        (MEMBERS_KIND, 4, struct.pack(f"<{len(members)}i", *members)),
        (MODULES_KIND, MODULE.size, module_bytes),
    ]
    return assemble(
        sections,
        rank=rank.number,
        size=world.size,
        recorded=count,
        head=head,
        seconds=max((r.now for r in world.ranks), default=0.0) + 1e-5 if seconds is None else seconds,
        mpi_ticks=mpi_ticks,
        calls=calls,
        job=job,
        closed=closed,
        executable=executable,
        thread_level=thread_level,
        host=host,
    )


@dataclass(frozen=True)
class Reduced:
    """Totals of a call on a path over the ranks of a summary, `seconds` by rank. Each made `count` calls of `size`
    bytes, `burst` of them in one burst."""

    call: str
    path: int
    seconds: dict[int, float]
    count: int = 10
    size: int = 8
    burst: int = 0
    peer: int = 0

    def pack(self) -> bytes:
        most = max(self.seconds, key=self.seconds.__getitem__)

        def totals(ranks: int, seconds: float) -> tuple[int, ...]:
            ns, burst = round(1e9 * seconds), self.burst * ranks
            in_burst = ns * self.burst // self.count
            bursts = (self.count - self.burst + 1) * ranks if burst else 0
            return self.count * ranks, ns, self.count * self.size * ranks, bursts, self.burst, in_burst, burst, 0, 0

        return REDUCED.pack(
            *totals(len(self.seconds), sum(self.seconds.values())), *totals(1, self.seconds[most]), most,
            len(self.seconds), self.path, CALLS[self.call], self.size.bit_length(), self.peer, 0,
        )  # fmt: skip


def summary(
    ranks: Iterable[int], entries: Iterable[Reduced], paths: int, *, size: int, wall: float, mpi: float
) -> bytes:
    """The file that stands for a group of ranks. Path i calls MPI at BASE + 0x100 * (i + 1)."""
    ranks = list(ranks)
    wall_ns, mpi_ns = round(1e9 * wall), round(1e9 * mpi)
    sections = [
        (MODULES_KIND, MODULE.size, MODULE.pack(BASE, BASE + 0x1000000, 0, b"\x01" * 20, 20, b"/opt/app/solver")),
        (COMMS_KIND, COMM.size, b""),
        (PATHS_KIND, PATH.size, b"".join(PATH.pack(1, 0, BASE + 0x100 * (i + 1), *[0] * 7) for i in range(paths))),
        (TABLE_KIND, STATS.size, b""),
        (RANKS_KIND, RANK_SUMMARY.size, b"".join(
            RANK_SUMMARY.pack(rank, 0, 0, wall_ns, mpi_ns, 0, 100, 200, 0, 0, 0, 0) for rank in ranks)),
        (REDUCED_KIND, REDUCED.size, b"".join(entry.pack() for entry in entries)),
        (EVENTS_KIND, EVENT.size, b""),
    ]  # fmt: skip
    return assemble(sections, rank=ranks[0], size=size, recorded=0, head=0, seconds=wall, mpi_ticks=0)


def assemble(
    sections: Iterable[tuple[int, int, bytes]],
    *,
    rank: int,
    size: int,
    recorded: int,
    head: int,
    seconds: float,
    mpi_ticks: int,
    calls: int = 0,
    job: int = 77,
    closed: bool = True,
    executable: str = "/opt/app/solver",
    thread_level: int = 0,
    host: str = "node1",
) -> bytes:
    """Header, directory and sections (kind, entry size, entries) as one file."""
    header_size = HEADER.size + 16 * SECTION.size
    offset = header_size
    directory = b""
    body = []
    for kind, entry, data in sections:
        padding = -offset % 8
        body += [bytes(padding), data]
        offset += padding
        directory += SECTION.pack(kind, entry, offset, len(data) // entry, len(data) // entry)
        offset += len(data)
    directory += bytes(16 * SECTION.size - len(directory))
    begin_ns = 5_000_000_000
    end_ticks = TICKS_AT_START + round(seconds * TICKS_PER_SECOND)

    def header(crc: int) -> bytes:
        return HEADER.pack(
            MAGIC, 2, header_size, offset, crc, 3 if closed else 1, job, rank, size, 1, thread_level, 1000 + rank,
            TICKS_AT_START, begin_ns, 10**18, end_ticks, begin_ns + round(seconds * 1e9), 10**18 + round(seconds * 1e9),
            0, 0, mpi_ticks, calls, recorded, head, 0, 0, 0, 0,
            host.encode(), b"Model MPI 1.0", executable.encode(), executable.encode() + b" input", b"/home/user",
        )  # fmt: skip

    rest = directory + b"".join(body)
    return header(zlib.crc32(rest, zlib.crc32(header(0))) if closed else 0) + rest
