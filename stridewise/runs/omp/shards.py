"""Reads the shards of OpenMP runs, as runtime/ompt/omp_shard.h lays them out, into one stridewise.omp_trace.Trace.

Every number of a file is untrusted: a shard that contradicts itself is left out, with the reason.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stridewise.runs.mpi.trace import Address, Module
from stridewise.runs.omp.trace import (
    Cpu,
    Meeting,
    Mutex,
    Pair,
    Phase,
    Process,
    Region,
    Task,
    Thread,
    Trace,
    Wait,
    Work,
)
from stridewise.runs.omp.trace import Site as Site_

MAGIC, VERSION = 0x31504D4F44525453, 3
_WORDS = 16
_MASK = 128  # bytes of a cpu mask
_SECTION = "QQII"
_TEXTS = "128s64s1024s512s1024s512s"
# By version: the number of sections, and what an entry holds. Version 2 knew no phases.
_SECTIONS = {2: 3, 3: 4}
_HEADERS = {
    version: struct.Struct("<QIIQIIiiQQ" + "QQQ" * 2 + "QQQ" + f"{_MASK}s" + _SECTION * sections + _TEXTS)
    for version, sections in _SECTIONS.items()
}
_ENTRIES = {2: struct.Struct("<QQIIQQQQ12Q"), 3: struct.Struct("<QQIIQQQQQ12Q")}
_THREAD = struct.Struct("<QIIQQQQQQQQQQ" + f"{_MASK}s{_MASK}s" + _SECTION)
_PHASE = struct.Struct("<64s7Q")
_MODULE = struct.Struct("<QQQ20sI232s")
_CPU = struct.Struct("<iiii")
_CRC_AT = 24
_CLOSED = 2
_THREAD_KINDS = {1: "initial", 2: "worker", 3: "other"}
_REGION, _TEAM, _TASK, _REDUCTION, _PAIR, _MEETING = 1, 2, 17, 20, 21, 22
_WORKS = {
    3: "loop-static",
    4: "loop-dynamic",
    5: "loop-guided",
    6: "loop-other",
    7: "sections",
    8: "single",
    9: "work-other",
}
_WAITS = {
    2: "team",
    10: "barrier-explicit",
    11: "barrier-implicit",
    12: "barrier-other",
    18: "taskwait",
    19: "taskgroup",
    20: "reduction",
}
_MUTEXES = {13: "critical", 14: "lock", 15: "ordered", 16: "atomic"}


class ShardError(ValueError):
    """A file that is no shard, or a damaged one; the text says where."""


@dataclass
class _Builder:
    """The trace in the making; modules and sites are shared by the processes of one program."""

    processes: list[Process] = field(default_factory=list)
    modules: dict[tuple[str, str], int] = field(default_factory=dict)
    sites: dict[Address, int] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)
    waits: list[Wait] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)
    mutexes: list[Mutex] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    meetings: list[Meeting] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    site_phases: dict[int, set[str]] = field(default_factory=dict)

    def trace(self) -> Trace:
        return Trace(
            tuple(self.processes),
            tuple(Module(path, build_id) for path, build_id in self.modules),
            tuple(Site_(address) for address in self.sites),
            tuple(self.regions),
            tuple(self.waits),
            tuple(self.works),
            tuple(self.mutexes),
            tuple(self.tasks),
            tuple(self.pairs),
            tuple(self.meetings),
            tuple(self.phases),
            {site: frozenset(names) for site, names in self.site_phases.items()},
        )


def read(paths: Iterable[Path]) -> tuple[Trace, list[tuple[Path, str]]]:
    """The trace of all shards that can be read, and the others with the reason. Processes are in order of rank."""
    builder, bad = _Builder(), []
    shards = []
    for path in paths:
        try:
            data = path.read_bytes()
            shards.append((_Shard(data, path), path))
        except (OSError, ShardError, struct.error) as error:
            bad.append((path, getattr(error, "strerror", None) or str(error)))
    for shard, path in sorted(shards, key=lambda item: (item[0].rank, str(item[1]))):
        try:
            shard.add_to(builder)
        except (ShardError, struct.error) as error:
            bad.append((path, str(error)))
    return builder.trace(), bad


class _Shard:
    def __init__(self, data: bytes, path: Path) -> None:
        self.data, self.path = data, path
        if len(data) < min(layout.size for layout in _HEADERS.values()):
            raise ShardError("too short")
        magic, version, header_bytes = struct.unpack_from("<QII", data)
        if magic != MAGIC:
            raise ShardError("not a shard of an OpenMP run")
        if version not in _HEADERS or header_bytes != _HEADERS[version].size:
            raise ShardError(f"version {version}, this reader knows {VERSION}")
        self.entry = _ENTRIES[version]
        head = _HEADERS[version].unpack_from(data)
        (_magic, _version, _header_bytes, file_bytes, crc, state, self.rank, self.ranks, self.pid, _parent) = head[:10]
        self.begin, self.end = head[10:13], head[13:16]
        self.cpu_ns, self.before_ns, self.lost, mask = head[16:20]
        after = 20 + 4 * _SECTIONS[version]
        self.sections = [head[at : at + 4] for at in range(20, after, 4)]
        self.texts = [_text(raw) for raw in head[after:]]
        self.mask = _cpus(mask)
        self.closed = state == _CLOSED
        if self.closed:
            if file_bytes != len(data):
                raise ShardError(f"{len(data)} bytes, but it was written with {file_bytes}")
            if zlib.crc32(data[_CRC_AT + 4 :], zlib.crc32(b"\0\0\0\0", zlib.crc32(data[:_CRC_AT]))) != crc:
                raise ShardError("its checksum is wrong")
        ticks, nanoseconds = self.end[0] - self.begin[0], self.end[1] - self.begin[1]
        # A process that was killed at once has one reading only: its ticks are taken for nanoseconds.
        self.tick = nanoseconds / ticks * 1e-9 if ticks > 0 and nanoseconds > 0 else 1e-9

    def _rows(self, section: Sequence[int], layout: struct.Struct) -> Iterator[tuple[Any, ...]]:
        offset, used, size, capacity = section
        if size < layout.size or used > capacity or offset > len(self.data):
            raise ShardError("a table lies outside of the file")
        if offset + used * size > len(self.data):
            raise ShardError("a table is cut off")
        return (layout.unpack_from(self.data, offset + index * size) for index in range(used))

    def add_to(self, builder: _Builder) -> None:
        spans = sorted(
            (begin, end, bias, (_text(path), raw[: min(size, len(raw))].hex()))
            for begin, end, bias, raw, size, path in self._rows(self.sections[1], _MODULE)
        )

        def site(address: int) -> int:
            place = Address(None, address)
            for begin, end, bias, module in spans:
                if begin <= address < end and address >= bias:
                    place = Address(builder.modules.setdefault(module, len(builder.modules)), address - bias)
                    break
            return builder.sites.setdefault(place, len(builder.sites))

        process = len(builder.processes)
        threads = []
        found: list[tuple[int, tuple[Any, ...], int]] = []
        for index, row in enumerate(self._rows(self.sections[0], _THREAD)):
            threads.append(self._thread(row))
            found += [(index, entry, mask) for entry, mask in self._entries(row[15:19])]
        cpus = tuple(Cpu(*row) for row in self._rows(self.sections[2], _CPU))
        phases = [self._phase(process, row) for section in self.sections[3:] for row in self._rows(section, _PHASE)]
        for thread, entry, mask in found:
            self._entry(builder, process, thread, entry, site)
            if phases:
                builder.site_phases.setdefault(site(entry[0]), set()).update(_named(mask, phases))
        builder.phases += phases
        runtime, host, environment, executable, command, _directory = self.texts
        pairs = (line.partition("=") for line in environment.splitlines())
        builder.processes.append(
            Process(
                shard=str(self.path),
                closed=self.closed,
                rank=self.rank,
                ranks=self.ranks,
                pid=self.pid,
                host=host,
                runtime=runtime,
                executable=executable,
                command=command,
                environment={name: value for name, _, value in pairs},
                seconds=max(0.0, (self.end[1] - self.begin[1]) * 1e-9),
                cpu_seconds=self.cpu_ns * 1e-9,
                cpu_mask=self.mask,
                cpus=cpus,
                lost_threads=self.lost,
                before_seconds=self.before_ns * 1e-9,
                threads=tuple(threads),
            )
        )

    def _entries(self, section: Sequence[int]) -> Iterator[tuple[tuple[Any, ...], int]]:
        """Those of a thread, as version 2 has them, and the mask of their phases."""
        for row in self._rows(section, self.entry):
            yield (row, 0) if len(self.sections) == _SECTIONS[2] else (row[:4] + row[5:], row[4])

    def _phase(self, process: int, row: tuple[Any, ...]) -> Phase:
        """Of a process that was killed the stay lasts as long as is known: to the last reading of the clock, which may
        be an early one, and no less than the regions in it."""
        name, ticks, begin, count, regions, inside, overhead, working = row
        if begin:
            ticks = max(ticks + max(0, self.end[0] - begin), inside)
        tick = self.tick
        return Phase(process, _text(name), count, ticks * tick, regions, inside * tick, overhead * tick, working * tick)

    def _thread(self, row: tuple[Any, ...]) -> Thread:
        tid, kind, number, begin, end, regions, migrations, voluntary, involuntary, cpu, queue, alone, dropped = row[
            :13
        ]
        return Thread(
            tid=tid,
            kind=_THREAD_KINDS.get(kind, "unknown"),
            number=number,
            seconds=max(0, end - begin) * self.tick,
            regions=regions,
            migrations=migrations,
            voluntary=voluntary,
            involuntary=involuntary,
            cpu_seconds=cpu * 1e-9,
            queue_seconds=queue * 1e-9,
            dropped=dropped,
            affinity=_cpus(row[13]),
            cpus_seen=_cpus(row[14]),
            alone_seconds=alone * 1e-9,
        )

    def _entry(self, builder: _Builder, process: int, thread: int, entry: tuple[Any, ...], site: Any) -> None:
        address, region, kind, _flags, count, ticks, least, most = entry[:8]
        raw = entry[8:]
        here, tick = site(address), self.tick
        value = [tick * v for v in raw]
        around = site(region) if region else None
        if kind == _REGION and count:
            builder.regions.append(
                Region(process, thread, here, around, count, ticks * tick, least * tick, most * tick,
                       value[0], value[1], value[2], value[3], raw[4], raw[5], value[6], value[7], raw[8])
            )  # fmt: skip
        elif kind in _WAITS and count:
            plain = kind == _REDUCTION
            builder.waits.append(
                Wait(process, thread, _WAITS[kind], here, here if kind == _TEAM else around, count, ticks * tick,
                     least * tick, most * tick, value[0], raw[1] * 1e-9, value[2],
                     site(raw[3]) if raw[3] and not plain else None, _WORKS.get(raw[4], ""),
                     value[5], value[6], value[7], value[8])
            )  # fmt: skip
        elif kind in _WORKS and count:
            (squares,) = struct.unpack("<d", struct.pack("<Q", raw[4]))
            builder.works.append(
                Work(process, thread, _WORKS[kind], here, around, count, ticks * tick, raw[0], raw[1], raw[2],
                     value[3], squares * tick * tick, value[5], raw[6])
            )  # fmt: skip
        elif kind in _MUTEXES and count:
            builder.mutexes.append(
                Mutex(process, thread, _MUTEXES[kind], here, around, count, ticks * tick, least * tick, most * tick,
                      value[0], raw[1], value[2])
            )  # fmt: skip
        elif kind == _TASK:
            builder.tasks.append(
                Task(process, thread, here, raw[0], count, ticks * tick, most * tick, value[1], value[2])
            )
        elif kind == _MEETING and (count or raw[8]) and around is not None:
            builder.meetings.append(
                Meeting(process, thread, here, around, site(raw[4]), _WORKS.get(raw[5], ""), count, ticks * tick,
                        value[0], value[1], raw[2], value[3], value[6], value[7], raw[8], value[9], raw[10], raw[11])
            )  # fmt: skip
        elif kind == _PAIR and count and around is not None:
            builder.pairs.append(Pair(process, thread, around, here, count, ticks * tick, value[0]))


def _named(mask: int, phases: Sequence[Phase]) -> set[str]:
    """Bit 0 stands for no phase, bit n for the n-th one, from 1."""
    return {phase.name for number, phase in enumerate(phases, 1) if mask >> number & 1} | ({""} if mask & 1 else set())


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def _cpus(mask: bytes) -> frozenset[int]:
    words = struct.unpack(f"<{_WORDS}Q", mask)
    return frozenset(64 * w + bit for w, word in enumerate(words) if word for bit in range(64) if word >> bit & 1)
