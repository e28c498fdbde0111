"""What a false-sharing run left: the shards of its processes, read with suspicion. The layout is defined in
runtime/sharing/shard_format.h; how the figures come about, in docs/false-sharing-runs.md."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

from stridewise.runs.mpi.trace import Frame, Module

MAGIC = 0x3152414853575253
VERSION = 2
_HEADER = struct.Struct("<QIIQIIii6Q64s256s")
_SECTION = struct.Struct("<IIQQ")
_REGION = struct.Struct("<6Q10Q")
_OBJECT = struct.Struct("<II2Q6Q")
_SITE = struct.Struct("<Qd")
_SEEN = struct.Struct("<QIIQd")
_MODULE = struct.Struct("<3Q48s256s")
_CRC_AT = 24
_STORE = 1 << 63
_MOST = 1 << 20
_PLACES = ("memory", "heap", "static", "stack")


class ShardError(Exception):
    """The file is no shard, or is damaged."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the program; `frames` innermost first, empty until it is symbolised."""

    pc: int
    store: bool = False
    frames: tuple[Frame, ...] = ()

    @property
    def frame(self) -> Frame | None:
        """The innermost line of the user's own code; without lines, where in the binary it is."""
        known = [frame for frame in self.frames if frame.known]
        return next((frame for frame in known if frame.user), next(iter([*known, *self.frames]), None))


@dataclass(frozen=True, slots=True)
class Region:
    """A parallel region: how often it ran, how often it was watched, its threads and seconds in those executions."""

    site: Site
    executions: int
    watched: int
    threads: float
    seconds: float
    by_threads: bool = False  # threads that the program started itself: `site` is the start of the first
    starters: tuple[Site, ...] = ()  # the calls by which it was started, innermost first

    @property
    def scale(self) -> float:
        return self.executions / self.watched if self.watched else 0.0


@dataclass(frozen=True, slots=True)
class Thing:
    """What lies at an address. `callers`: of the allocation; `name`, `declared`: of a static variable."""

    place: str
    begin: int
    size: int
    callers: tuple[Site, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class Party:
    """One thread of a conflict: where its bytes begin in the line, how far they reach, and what they are part of."""

    thread: int
    address: int
    bytes: int
    thing: Thing
    reads: bool = False  # and writes none of them


@dataclass(frozen=True, slots=True)
class Conflict:
    """Lines that threads lose to each other, in the watched executions of a region.

    `transfers`: how often such a line moves. `accesses`, `writes`: all accesses to these lines. `epochs`: in how many
    spans between two barriers it was seen.
    """

    region: Region
    members: int
    line: int
    parties: tuple[Party, Party]
    transfers: float
    accesses: float
    writes: float
    lines: float
    epochs: int
    sites: tuple[tuple[Site, float], ...]  # with their transfers, most first


@dataclass(frozen=True, slots=True)
class Visit:
    """A place that accessed memory in a watched region, in conflict or not."""

    site: Site
    region: Region
    members: int
    accesses: int
    transfers: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """One process."""

    path: Path
    executable: str
    host: str
    rank: int
    line_bytes: int
    lost: dict[str, int]
    regions: tuple[Region, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    visits: tuple[Visit, ...] = ()
    modules: tuple[tuple[int, int, int, Module], ...] = ()  # first byte, behind the last byte, load address
    only: frozenset[tuple[str, int]] | None = None  # lines of the source that the run was limited to; None: it was not


def load(path: Path) -> Sharing:
    """Raises ShardError or OSError."""
    data = path.read_bytes()
    try:
        return _parse(path, data)
    except (struct.error, IndexError, ValueError, UnicodeDecodeError) as error:
        raise ShardError(f"it is damaged: {error}") from error


def _parse(path: Path, data: bytes) -> Sharing:
    if len(data) < _HEADER.size:
        raise ShardError("it is too short")
    magic, version, size, total, crc, line_bytes, _pid, rank, *rest = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise ShardError("it is no shard of a false-sharing run")
    if version != VERSION:
        raise ShardError(f"its version is {version}, and this tool reads {VERSION}; use the version that made it")
    if total != len(data):
        raise ShardError(f"it has {len(data)} bytes and should have {total}")
    if zlib.crc32(data[:_CRC_AT] + bytes(4) + data[_CRC_AT + 4 :]) != crc:
        raise ShardError("its checksum is wrong")
    names = ("teams", "records", "groups", "blocks", "places", "regions")
    lost = {name: int(count) for name, count in zip(names, rest[:6], strict=True) if count}
    sections = {}
    for at in range(_HEADER.size, size - _SECTION.size + 1, _SECTION.size):
        kind, entry, offset, count = _SECTION.unpack_from(data, at)
        if count > _MOST or offset + entry * count > len(data):
            raise ShardError("a section lies outside of it")
        sections[kind] = [offset + entry * n for n in range(count)]
    regions = [_region(data, at) for at in sections.get(1, ())]
    return Sharing(
        path=path,
        executable=_text(rest[7]),
        host=_text(rest[6]),
        rank=rank,
        line_bytes=line_bytes,
        lost=lost,
        regions=tuple(region for region in regions if region.site.pc),
        conflicts=tuple(_conflict(data, at, regions) for at in sections.get(2, ())),
        visits=tuple(_visit(data, at, regions) for at in sections.get(3, ())),
        modules=tuple(_module(data, at) for at in sections.get(4, ())),
    )


def _text(raw: bytes) -> str:
    return raw.split(b"\0", 1)[0].decode("utf-8", "replace")


def _region(data: bytes, at: int) -> Region:
    pc, executions, watched, threads, nanoseconds, by_threads, *callers = _REGION.unpack_from(data, at)
    starters = tuple(Site(caller) for caller in callers if caller) if by_threads else ()
    each = threads / watched if watched else 0.0
    return Region(Site(pc), executions, watched, each, nanoseconds * 1e-9, bool(by_threads), starters)


def _thing(data: bytes, at: int) -> Thing:
    place, _, begin, size, *callers = _OBJECT.unpack_from(data, at)
    return Thing(_PLACES[place], begin, size, tuple(Site(pc) for pc in callers if pc))


def _site(data: bytes, at: int) -> tuple[Site, float]:
    pc, transfers = _SITE.unpack_from(data, at)
    return Site(pc & ~_STORE, bool(pc & _STORE)), _number(transfers)


def _number(value: float) -> float:
    if not math.isfinite(value) or value < 0.0:
        raise ValueError("a figure is no number")
    return value


def _conflict(data: bytes, at: int, regions: list[Region]) -> Conflict:
    index, members = struct.unpack_from("<II", data, at)
    things = [_thing(data, at + 8 + n * _OBJECT.size) for n in range(2)]
    at += 8 + 2 * _OBJECT.size
    line, *rest = struct.unpack_from("<Q6I5d2Q", data, at)
    threads, offsets, sizes = rest[0:2], rest[2:4], rest[4:6]
    transfers, sampled, accesses, writes, lines, sampled_lines, epochs = rest[6:13]
    at += struct.calcsize("<Q6I5d2Q")
    sites = [_site(data, at + n * _SITE.size) for n in range(8)]
    parties = [
        Party(thread, line + offset, size & ~_ONLY_READS, thing, bool(size & _ONLY_READS))
        for thread, offset, size, thing in zip(threads, offsets, sizes, things, strict=True)
    ]
    # Lines that were watched all the time are one in 64. Where there are many, they say more on elements that are
    # handed out late than windows at the beginning do. A single line that is met again and again stands for itself.
    if sampled_lines >= _ENOUGH_LINES * epochs:
        transfers = max(transfers, sampled * _THINNED)
    return Conflict(
        region=regions[index],
        members=members,
        line=line,
        parties=(parties[0], parties[1]),
        transfers=_number(transfers),
        accesses=_number(accesses),
        writes=_number(writes),
        lines=_number(lines),
        epochs=epochs,
        sites=tuple(sorted((s for s in sites if s[0].pc), key=lambda s: -s[1])),
    )


_ONLY_READS = 1 << 31
_ENOUGH_LINES = 8
_THINNED = 64


def _visit(data: bytes, at: int, regions: list[Region]) -> Visit:
    pc, region, members, accesses, transfers = _SEEN.unpack_from(data, at)
    return Visit(Site(pc & ~_STORE, bool(pc & _STORE)), regions[region], members, accesses, _number(transfers))


def _module(data: bytes, at: int) -> tuple[int, int, int, Module]:
    base, low, high, build_id, path = _MODULE.unpack_from(data, at)
    return low, high, base, Module(_text(path), _text(build_id))


def with_sites(run: Sharing, frames: dict[int, tuple[Frame, ...]], names: dict[int, str]) -> Sharing:
    """The same with frames at its places in the program, by address, and with names of static variables."""

    def site(one: Site) -> Site:
        return replace(one, frames=frames.get(one.pc, ()))

    def thing(one: Thing) -> Thing:
        name = names.get(one.begin, "")
        place = "static" if name else one.place
        return replace(one, callers=tuple(site(s) for s in one.callers), name=name, place=place)

    def begin(one: Region) -> Site:
        """Of threads the program's own call, not that of a header which it starts them through."""
        starters = [site(s) for s in one.starters]
        return next((s for s in starters if s.frame and s.frame.user and s.frame.known), site(one.site))

    regions = {id(region): replace(region, site=begin(region)) for region in run.regions}

    def region(one: Region) -> Region:
        return regions.get(id(one), one)

    return replace(
        run,
        regions=tuple(regions.values()),
        conflicts=tuple(
            replace(
                c,
                region=region(c.region),
                parties=(
                    replace(c.parties[0], thing=thing(c.parties[0].thing)),
                    replace(c.parties[1], thing=thing(c.parties[1].thing)),
                ),
                sites=tuple((site(s), weight) for s, weight in c.sites),
            )
            for c in run.conflicts
        ),
        visits=tuple(replace(v, site=site(v.site), region=region(v.region)) for v in run.visits),
    )
