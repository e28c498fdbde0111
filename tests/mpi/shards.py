"""Reads a shard by itself, so that the tests do not depend on the merge tool."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
HEADER = struct.Struct("<Q2I Q2I Q2i2I Q 3Q 3Q q 9Q 64s128s512s1024s512s".replace(" ", ""))
SECTION = struct.Struct("<2I3Q")
EVENT = struct.Struct("<2QI2H2I2i2I3Q")
STATS = struct.Struct("<4Q2H2Ii2Q6Q")
PATH = struct.Struct("<2I8Q")
COMM = struct.Struct("<QIi2Q")
MODULE = struct.Struct("<3Q20sI232s")
MAGIC = 0x3144485344495254
NO_SEQ = NO_PATH = NO_COMM = 0xFFFFFFFF


def _flags() -> dict[str, int]:
    text = (REPOSITORY / "pmpi_wrappers" / "shard_format.h").read_text(encoding="utf-8")
    return {name: 1 << int(bit) for name, bit in re.findall(r"SW_EV_(\w+) =\s*1u << (\d+)", text)}


FLAGS = _flags()
PEER_NONE, PEER_ANY, PEER_NULL, PEER_OTHER = -1, -2, -3, -4


@dataclass(frozen=True)
class Event:
    """One event; `kinds` are the names of its flags."""

    begin: int
    end: int
    kinds: frozenset[str]
    call: str
    thread: int
    path: int
    comm: int
    peer: int
    tag: int
    seq: int
    bytes: int
    request: int
    address: int
    hash: int
    repeat: int  # messages; above 1 for runs only
    run_ticks: int  # runs: time in the calls


@dataclass(frozen=True)
class Stats:
    """Totals of one (call, path, communicator, peer, size bucket)."""

    count: int
    ticks: int
    ticks_max: int
    bytes: int
    call: str
    size_bucket: int
    path: int
    comm: int
    peer: int
    first_ticks: int
    last_ticks: int
    bursts: int
    burst_max: int
    burst_ticks: int
    burst_count: int
    pieces: int
    span: int


@dataclass(frozen=True)
class Module:
    """One loaded object."""

    begin: int
    end: int
    bias: int
    build_id: str
    path: str


class Shard:
    """One rank's file; raises ValueError when it is no shard."""

    def __init__(self, path: Path, names: list[str]) -> None:
        self.data = path.read_bytes()
        fields = HEADER.unpack_from(self.data)
        magic, self.version, header_bytes, self.file_bytes, crc, self.state = fields[:6]
        self.job, self.rank, self.size = fields[6:9]
        if magic != MAGIC or self.version not in (2, 3):
            raise ValueError(f"{path} is no shard")
        self.flavour, self.thread_level = fields[9:11]
        self.begin, self.end = fields[12:15], fields[15:18]
        self.clock_offset, self.clock_error, self.mpi_ticks = fields[18:21]
        self.calls, self.event_count, self.event_head = fields[21:24]
        self.dropped = dict(zip(("calls", "paths", "requests", "comms"), fields[24:28], strict=True))
        self.host, self.mpi, self.executable, self.command, self.directory = (
            text.split(b"\0")[0].decode() for text in fields[28:33]
        )
        without_crc = self.data[:24] + b"\0\0\0\0" + self.data[28:]
        self.crc_right = zlib.crc32(without_crc) == crc
        self.sections: dict[int, tuple[int, int, int, int]] = {}
        for i in range(16):
            kind, entry, offset, capacity, used = SECTION.unpack_from(self.data, header_bytes - (16 - i) * SECTION.size)
            if kind:
                self.sections[kind] = (entry, offset, capacity, used)
        self.names = {**dict(enumerate(names)), 0xFFF0: "sleep", 0xFFF1: "write", 0xFFF2: "print"}
        self.events = list(self._events())
        self.stats = [
            Stats(row[0], row[1], row[2], row[3], self.names[row[4]], *row[5:])
            for row in (STATS.unpack_from(self.data, at) for at in self._entries(2, whole=True))
            if row[0]
        ]
        rows = [PATH.unpack_from(self.data, at) for at in self._entries(3)]
        self.paths = [list(row[2 : 2 + row[0]]) for row in rows]
        self.path_flags = [row[1] for row in rows]
        self.comms = [COMM.unpack_from(self.data, at) for at in self._entries(4)]
        self.members = [struct.unpack_from("<i", self.data, at)[0] for at in self._entries(5)]
        self.modules = [
            Module(b, e, bias, build[:length].hex(), name.split(b"\0")[0].decode())
            for b, e, bias, build, length, name in (MODULE.unpack_from(self.data, at) for at in self._entries(6))
        ]

    def _entries(self, kind: int, whole: bool = False) -> Iterator[int]:
        entry, offset, capacity, used = self.sections[kind]
        return iter(range(offset, offset + entry * (capacity if whole else used), entry))

    def _events(self) -> Iterator[Event]:
        entry, offset, capacity, _ = self.sections[1]
        count, head = self.event_count, self.event_head
        order = list(range(min(count, head)))
        if count > head:
            ring = capacity - head
            order += [head + (e - head) % ring for e in range(max(head, count - ring), count)]
        for slot in order:
            row = EVENT.unpack_from(self.data, offset + slot * entry)
            if row[0] == 0:  # nothing is here
                continue
            kinds = frozenset(name for name, bit in FLAGS.items() if row[2] & bit)
            run = "RUN" in kinds
            last = (0, row[12], 0, row[11], row[13]) if run else (*row[11:], 1, 0)
            yield Event(row[0], row[1], kinds, self.names[row[3]], *row[4:11], *last)

    def select(self, *kinds: str, call: str = "") -> list[Event]:
        """Events that have all these flags, of one call if named."""
        return [e for e in self.events if e.kinds >= set(kinds) and (not call or e.call == call)]

    def count(self, call: str) -> int:
        """How often a call was made, from the totals."""
        return sum(row.count for row in self.stats if row.call == call)

    def members_of(self, comm: int) -> list[int]:
        """World ranks of a communicator."""
        _, size, _, first, _ = self.comms[comm]
        return list(range(size)) if first == 0xFFFFFFFFFFFFFFFF else self.members[first : first + size]
