"""Writes the shards of programs that never ran: a small model of MPI executes rank functions and records what the
interposer would have recorded.

A rank function is a generator over a `Rank`; it yields each call: `yield rank.send(1, "send")`. The last positional
argument names the call path. Sends are eager (they return at once) unless `synchronous` or the world's `rendezvous`
is set.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from shard_files import (
    ANY,
    ANY_SOURCE,
    ANY_TAG,
    BARRIER,
    COLLECTIVE,
    COMPLETE,
    FULL_SYNC,
    NO_PEER,
    NULL,
    RECV,
    SEND,
    SENDRECV,
    START,
    SYNCHRONOUS,
    TICKS_AT_START,
    TICKS_PER_SECOND,
    WAIT,
    Event,
    shard,
)


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

    def isend(
        self,
        target: int,
        path: str,
        requests: list[Request],
        *,
        tag: int = 0,
        size: int = 8,
        pieces: int = 0,
        span: int = 0,
    ) -> Call:
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
                pieces=pieces,
                span=span,
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
