"""A rank's shard, read and written as pmpi_wrappers/shard_format.h lays it out.

stridewise-merge is the reader of shards. This one is for what leaves the product event by event (export), and the
writer for what comes into it (import).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from pathlib import Path
from typing import NamedTuple

_MAGIC, _VERSION = 0x3144485344495254, 3
_HEADER = struct.Struct("<QIIQIIQiiIIQ" + "QQQ" * 2 + "qQQQQQQQQQ" + "64s128s512s1024s512s")
_SECTION = struct.Struct("<IIQQQ")
_EVENT = struct.Struct("<QQIHHIIiiIIQQQ")
_STATS = struct.Struct("<QQQQHHIIiQQQQQQQQ")
_PATH = struct.Struct("<II8Q")
_COMM = struct.Struct("<QIiQQ")
_MODULE = struct.Struct("<QQQ20sI232s")
_USAGE = struct.Struct("<QQIIQ")
_PHASE = struct.Struct("<64sQQQII")
_SECTIONS, _CLOSED, _CRC_AT = 16, 3, 24
_EVENTS, _TABLE, _PATHS, _COMMS, _MEMBERS, _MODULES, _USAGES, _PHASES = 1, 2, 3, 4, 5, 6, 7, 14
FRAMES = 8  # of a path
_PHASE_SHIFT = 16
NONE = 0xFFFFFFFF  # no path, no communicator, no number
NOBODY, ANYBODY, NULL, OTHER = -1, -2, -3, -4
_NOT_KEPT = (1 << 64) - 1


class ShardError(ValueError):
    """A file that is no shard, or a damaged one."""


class Flag(IntFlag):
    """enum sw_event_flags"""

    SEND = 1 << 0
    RECV = 1 << 1
    COLLECTIVE = 1 << 2
    START = 1 << 3
    COMPLETE = 1 << 4
    ANY_SOURCE = 1 << 8
    ANY_TAG = 1 << 9
    PROBE = 1 << 10
    BARRIER = 1 << 11
    FULL_SYNC = 1 << 12
    RMA = 1 << 13
    IO = 1 << 14
    WAIT = 1 << 15
    TIMER = 1 << 16
    COMM = 1 << 17
    SENDRECV = 1 << 18
    OTHER_IO = 1 << 19
    RUN = 1 << 20
    BURST = 1 << 21
    PRINT = 1 << 22


class Event(NamedTuple):
    """struct sw_event, with times in nanoseconds on rank 0's clock."""

    begin: int
    end: int
    flags: int
    call: int
    thread: int
    path: int
    comm: int
    peer: int
    tag: int
    seq: int
    bytes: int
    request: int  # of a run: messages
    address: int
    hash: int  # of a run: nanoseconds in the calls


class ShardPath(NamedTuple):
    """Addresses, innermost first, in their modules: (index, address) or (None, address)."""

    frames: tuple[tuple[int | None, int], ...]
    phase: str


@dataclass(frozen=True, slots=True)
class Shard:
    rank: int
    size: int
    host: str
    begin_ns: int  # when it left MPI_Init, on rank 0's clock
    end_ns: int
    thread_level: int
    mpi_version: str
    executable: str
    command: str
    usage: tuple[int, ...]
    modules: tuple[tuple[str, str], ...]  # path, build id
    paths: tuple[ShardPath, ...]
    comms: tuple[tuple[int, int, tuple[int, ...] | None], ...]  # stable number, size, world ranks where they are kept
    lost: int  # events that were overwritten
    events: tuple[Event, ...] = field(repr=False, default=())


def _text(raw: bytes) -> str:
    return raw.split(b"\0")[0].decode("utf-8", "replace")


def read(file: Path) -> Shard:
    """Raises ShardError or OSError."""
    data = file.read_bytes()
    try:
        head = _HEADER.unpack_from(data)
        if head[0] != _MAGIC:
            raise ShardError(f"{file.name}: no shard")
        sections = {}
        for number in range(_SECTIONS):
            kind, entry, offset, capacity, used = _SECTION.unpack_from(data, _HEADER.size + number * _SECTION.size)
            sections[kind] = (entry, offset, capacity, used)
        return _shard(data, head, sections)
    except (struct.error, IndexError, KeyError) as error:
        raise ShardError(f"{file.name}: damaged: {error}") from error


def _shard(data: bytes, head: Sequence[int], sections: dict[int, tuple[int, int, int, int]]) -> Shard:
    def entries(kind: int, layout: struct.Struct) -> Iterator[tuple[int, ...]]:
        if kind in sections:
            entry, offset, _, used = sections[kind]
            for number in range(used):
                raw = data[offset + number * entry : offset + min(number * entry + layout.size, (number + 1) * entry)]
                yield layout.unpack(raw.ljust(layout.size, b"\0"))

    begin, end, offset_ns = head[12:15], head[15:18], head[18]
    tick = (end[1] - begin[1]) / (end[0] - begin[0]) if end[0] > begin[0] and end[1] > begin[1] else 1.0

    def ns(ticks: int) -> int:
        return round(begin[1] + offset_ns + (ticks - begin[0]) * tick)

    modules = list(entries(_MODULES, _MODULE))
    phases = [_text(bytes(phase[0])) for phase in entries(_PHASES, _PHASE)]
    paths = []
    for depth, flags, *frames in entries(_PATHS, _PATH):
        placed = tuple(_placed(modules, address) for address in frames[:depth])
        number = flags >> _PHASE_SHIFT
        paths.append(ShardPath(placed, phases[number - 1] if 0 < number <= len(phases) else ""))
    members = [one for (one,) in entries(_MEMBERS, struct.Struct("<i"))]
    comms = tuple(
        (stable, size, None if first == _NOT_KEPT else tuple(members[first : first + size]))
        for stable, size, _, first, _ in entries(_COMMS, _COMM)
    )
    usage = next(entries(_USAGES, _USAGE), ())
    count, keep = head[22], head[23]
    capacity = sections[_EVENTS][2]
    numbers = range(count) if count <= capacity else [*range(keep), *range(count - (capacity - keep), count)]
    found = []
    for number in numbers:
        slot = number if number < keep or count <= capacity else keep + (number - keep) % (capacity - keep)
        raw = _EVENT.unpack_from(data, sections[_EVENTS][1] + slot * sections[_EVENTS][0])
        if raw[0] == 0 or raw[1] < raw[0]:
            continue
        spent = round(raw[13] * tick) if raw[2] & Flag.RUN else raw[13]
        found.append(Event._make((ns(raw[0]), ns(raw[1]), *raw[2:13], spent)))
    return Shard(
        head[7], head[8], _text(head[28]), ns(begin[0]), ns(end[0]), head[10], _text(head[29]), _text(head[30]),  # type: ignore[arg-type]
        _text(head[31]), usage, tuple((_text(m[5]), m[3][: m[4]].hex()) for m in modules), tuple(paths), comms,  # type: ignore[arg-type,index]
        max(0, count - capacity), tuple(found),
    )  # fmt: skip


def _placed(modules: Sequence[Sequence[int]], address: int) -> tuple[int | None, int]:
    for index, module in enumerate(modules):
        if module[0] <= address < module[1]:
            return index, address - module[2]
    return None, address


# --- Writing ----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Total:
    """struct sw_call_stats; times in nanoseconds."""

    call: int
    path: int
    comm: int
    peer: int
    bucket: int
    first: int
    last: int = 0
    count: int = 0
    ns: int = 0
    longest: int = 0
    size: int = 0  # bytes of all
    bursts: int = 0
    burst_most: int = 0
    burst_ns: int = 0
    burst_count: int = 0

    def pack(self) -> bytes:
        return _STATS.pack(
            self.count, self.ns, self.longest, self.size, self.call, self.bucket, self.path, self.comm, self.peer,
            self.first, self.last, self.bursts, self.burst_most, self.burst_ns, self.burst_count, 0, 0,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Phase:
    name: str
    count: int
    ns: int


@dataclass(frozen=True, slots=True)
class Written:
    """What a shard is made of; clocks agree, and a tick is a nanosecond. A path's phase is an index from 1, or 0."""

    job: int
    rank: int
    size: int
    host: str
    begin_ns: int
    end_ns: int
    thread_level: int
    version: str
    executable: str
    command: str
    mpi_ns: int
    calls: int
    events: Sequence[Event]
    totals: Sequence[Total]
    paths: Sequence[tuple[tuple[int, ...], bool, int]]  # addresses, cut, phase
    comms: Sequence[tuple[int, int, int, tuple[int, ...] | None, int]]  # stable, size, own rank, members, collectives
    phases: Sequence[Phase] = ()
    usage: Sequence[int] = ()


def write(file: Path, shard: Written) -> None:
    """Raises OSError."""
    members: list[int] = []
    comms = b""
    for stable, size, own, group, collectives in shard.comms:
        comms += _COMM.pack(stable, size, own, _NOT_KEPT if group is None else len(members), collectives)
        members += group or ()
    paths = b"".join(
        _PATH.pack(len(frames), cut | phase << _PHASE_SHIFT, *frames, *[0] * (FRAMES - len(frames)))
        for frames, cut, phase in shard.paths
    )
    phases = b"".join(_PHASE.pack(p.name.encode()[:63], p.ns, 0, p.count, 0, 0) for p in shard.phases)
    listed = [
        (_MODULES, _MODULE.size, b""),
        (_COMMS, _COMM.size, comms),
        (_MEMBERS, 4, struct.pack(f"<{len(members)}i", *members)),
        (_PATHS, _PATH.size, paths),
        (_TABLE, _STATS.size, b"".join(total.pack() for total in shard.totals)),
        (_PHASES, _PHASE.size, phases),
        *([(_USAGES, _USAGE.size, _USAGE.pack(*shard.usage))] if shard.usage else []),
        (_EVENTS, _EVENT.size, b"".join(_EVENT.pack(*_saturated(event)) for event in shard.events)),
    ]
    size = _HEADER.size + _SECTIONS * _SECTION.size
    offset, directory, body = -(-size // 64) * 64, b"", b""
    padding = bytes(offset - size)
    for kind, entry, data in listed:
        used = len(data) // entry
        directory += _SECTION.pack(kind, entry, offset, used, used)
        body += data.ljust(-(-len(data) // 64) * 64, b"\0")
        offset += -(-len(data) // 64) * 64
    directory = directory.ljust(_SECTIONS * _SECTION.size, b"\0")
    begin, end = (shard.begin_ns,) * 3, (shard.end_ns,) * 3
    head = _HEADER.pack(
        _MAGIC, _VERSION, size, offset, 0, _CLOSED, shard.job, shard.rank, shard.size, 0, shard.thread_level, 0,
        *begin, *end, 0, 0, shard.mpi_ns, shard.calls, len(shard.events), len(shard.events), 0, 0, 0, 0,
        *(text.encode("utf-8", "replace")[:most] for text, most in (
            (shard.host, 63), (shard.version, 127), (shard.executable, 511), (shard.command, 1023), ("", 0))),
    )  # fmt: skip
    whole = head + directory + padding + body
    crc = zlib.crc32(whole)
    file.write_bytes(whole[:_CRC_AT] + struct.pack("<I", crc) + whole[_CRC_AT + 4 :])


def _saturated(event: Event) -> Event:
    return event._replace(bytes=min(event.bytes, 0xFFFFFFFF), seq=min(event.seq, NONE))
