"""Writes the files that the interposer leaves: what a rank recorded, and summaries of reduced ranks."""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

MAGIC = 0x3144485344495254
HEADER = struct.Struct("<QIIQIIQiiIIQ" + "QQQ" * 2 + "qQQQQQQQQQ" + "64s128s512s1024s512s")
SECTION = struct.Struct("<IIQQQ")
EVENT = struct.Struct("<QQIHHIIiiIIQQQ")
STATS = struct.Struct("<QQQQHHIIiQQQQQQQQ")
OLDER_STATS = struct.Struct("<QQQQHHIIiQQQQQQ")  # before the pieces of datatypes were counted
PATH = struct.Struct("<II8Q")
COMM = struct.Struct("<QIiQQ")
MODULE = struct.Struct("<QQQ20sI232s")
RANK_SUMMARY = struct.Struct("<iIq10QII")
OLDER_RANK_SUMMARY = struct.Struct("<iIq9Q")  # before the memory of ranks was known
REDUCED = struct.Struct("<9Q9QiIIHHiI")
MOST = struct.Struct("<QQIHHII")
NO_PEER, ANY, NULL = -1, -2, -3

SEND, RECV, COLLECTIVE, START, COMPLETE, SYNCHRONOUS, READY, BUFFERED = (1 << bit for bit in range(8))
ANY_SOURCE, ANY_TAG, PROBE, BARRIER, FULL_SYNC, RMA, IO, WAIT = (1 << bit for bit in range(8, 16))
TIMER, COMM_CALL, SENDRECV, OTHER_IO, RUN, BURST, PRINT = (1 << bit for bit in range(16, 23))

EVENTS_KIND, TABLE_KIND, PATHS_KIND, COMMS_KIND, MEMBERS_KIND, MODULES_KIND = range(1, 7)
RANKS_KIND, REDUCED_KIND, MOST_KIND = 9, 10, 13
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


class World(Protocol):
    """What a file tells of the program as a whole."""

    @property
    def size(self) -> int: ...
    @property
    def ranks(self) -> Sequence[Rank]: ...
    @property
    def comms(self) -> Sequence[tuple[int, tuple[int, ...]]]: ...  # stable number, members


class Rank(Protocol):
    @property
    def world(self) -> World: ...
    @property
    def number(self) -> int: ...
    @property
    def now(self) -> float: ...
    @property
    def events(self) -> list[Event]: ...
    @property
    def collectives(self) -> dict[int, int]: ...


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


class Totals:
    """The table of totals of a rank, with the bursts of its messages."""

    def __init__(self, begin: int) -> None:
        self.mpi_ticks = self.calls = 0
        self._rows: dict[tuple[str, str, int, int, int], list[int]] = {}
        self._open: dict[tuple[int, int], tuple[str, int, int, int]] = {}  # path, length, ticks, size
        self._last_computed: dict[tuple[int, int], int] = {}
        self._lengths: dict[tuple[str, int, int, int], list[tuple[int, int]]] = defaultdict(list)
        self._seen: set[tuple[int, int, str]] = set()
        self._computed = 0
        self._last_end = begin

    def _close(self, keys: Iterable[tuple[int, int]]) -> None:
        for key in keys:
            if key in self._open:
                path, length, ticks, size = self._open.pop(key)
                self._lengths[path, key[0], key[1], size.bit_length()].append((length, ticks))

    def _follow(self, e: Event) -> None:
        if e.flags & COLLECTIVE:
            self._close(list(self._open))
        if e.flags & RECV and not e.flags & START:
            self._close([key for key in self._open if key[1] == e.peer])
        if e.flags & SEND and not e.flags & COMPLETE and e.peer >= 0:
            key = (e.comm, e.peer)
            old = self._open.get(key)
            long = self._computed - self._last_computed.get(key, 0) > BURST_GAP_TICKS
            if old and (old[0], old[3]) == (e.path, e.size) and e.address and not long:
                self._open[key] = (e.path, old[1] + 1, old[2] + e.end - e.begin, e.size)
            else:
                self._close([key])
                self._open[key] = (e.path, 1, e.end - e.begin, e.size)
            self._last_computed[key] = self._computed

    def add(self, e: Event) -> None:
        self._computed += max(0, e.begin - self._last_end)
        self._last_end = e.end
        self._follow(e)
        if (e.begin, e.end, e.call) in self._seen:
            return
        self._seen.add((e.begin, e.end, e.call))
        self.calls += 1
        self.mpi_ticks += e.end - e.begin
        row = self._rows.setdefault(
            (e.call, e.path, e.comm, e.peer, e.size.bit_length()), [0, 0, 0, 0, e.begin, e.end, 0, 0]
        )
        row[0] += 1
        row[1] += e.end - e.begin
        row[2] = max(row[2], e.end - e.begin)
        row[3] += e.size
        row[5] = e.end
        row[6] += e.pieces
        row[7] += e.span

    def table(self, paths: dict[str, int]) -> bytes:
        self._close(list(self._open))
        table = b""
        for (call, path, comm, peer, bucket), row in self._rows.items():
            lengths = self._lengths.get((path, comm, peer, bucket), []) if "end" in call else []
            longer = [(n, t) for n, t in lengths if n > 1]
            table += STATS.pack(
                row[0], row[1], row[2], row[3], CALLS[call], bucket, paths[path], comm, peer, row[4], row[5],
                len(lengths), max((n for n, _ in lengths), default=0), sum(t for _, t in longer),
                sum(n for n, _ in longer), row[6], row[7],
            )  # fmt: skip
        return table


def ring(recorded: Sequence[Event], paths: dict[str, int], head: int, capacity: int) -> bytes:
    slots: list[bytes] = [bytes(EVENT.size)] * capacity
    for number, e in enumerate(recorded):
        slot = number if number < head else head + (number - head) % max(1, capacity - head)
        if number < head or capacity > head:
            slots[slot] = EVENT.pack(
                e.begin, e.end, e.flags, CALLS[e.call], e.thread, paths[e.path], e.comm, e.peer, e.tag, e.seq, e.size,
                e.request, e.address, e.run_ticks or e.payload,
            )  # fmt: skip
    return b"".join(slots)


def communicators(rank: Rank) -> tuple[bytes, list[int]]:
    """Their entries, and the members of those that are not the world."""
    members: list[int] = []
    entries = b""
    for index, (stable, group) in enumerate(rank.world.comms):
        first = (1 << 64) - 1 if index == 0 else len(members)
        if index:
            members += group
        local = group.index(rank.number) if rank.number in group else -1
        entries += COMM.pack(stable, len(group), local, first, rank.collectives.get(index, 0))
    return entries, members


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
    totals = Totals(TICKS_AT_START)
    for event in rank.events:
        totals.add(event)
    table = totals.table(paths) + bytes(STATS.size) * 3
    path_bytes = b"".join(
        PATH.pack(2, 0, (addresses or {}).get(name, BASE + 0x100 * (index + 1)), BASE + 0x10, 0, 0, 0, 0, 0, 0)
        for name, index in paths.items()
    )
    comm_bytes, members = communicators(rank)
    module_bytes = b"".join(
        MODULE.pack(low, high, bias, build, len(build), path.encode()) for low, high, bias, build, path in modules
    )
    sections = [
        (EVENTS_KIND, EVENT.size, ring(recorded, paths, head, capacity)),
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
        mpi_ticks=totals.mpi_ticks,
        calls=totals.calls,
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
    ranks: Iterable[int],
    entries: Iterable[Reduced],
    paths: int,
    *,
    size: int,
    wall: float,
    mpi: float,
    most: Iterable[tuple[int, int, int, str, int, int]] = (),
    older: bool = False,
) -> bytes:
    """The file that stands for a group of ranks. Path i calls MPI at BASE + 0x100 * (i + 1). `most` has count, bytes,
    path, call, partners and ranks that call, of the largest rank each; `older` files know neither them nor memory."""
    ranks = list(ranks)
    layout = OLDER_RANK_SUMMARY if older else RANK_SUMMARY
    memory = () if older else (64 << 20, 2, 0)
    largest = b"".join(
        MOST.pack(count, b, path, CALLS[call], 0, partners, who) for count, b, path, call, partners, who in most
    )
    wall_ns, mpi_ns = round(1e9 * wall), round(1e9 * mpi)
    sections = [
        (MODULES_KIND, MODULE.size, MODULE.pack(BASE, BASE + 0x1000000, 0, b"\x01" * 20, 20, b"/opt/app/solver")),
        (COMMS_KIND, COMM.size, b""),
        (PATHS_KIND, PATH.size, b"".join(PATH.pack(1, 0, BASE + 0x100 * (i + 1), *[0] * 7) for i in range(paths))),
        (TABLE_KIND, STATS.size, b""),
        (RANKS_KIND, layout.size, b"".join(
            layout.pack(rank, 0, 0, wall_ns, mpi_ns, 0, 100, 200, 0, 0, 0, 0, *memory) for rank in ranks)),
        *([] if older else [(MOST_KIND, MOST.size, largest)]),
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
