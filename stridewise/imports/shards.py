"""A recording as the shards that our own recorder would have left, and the places of its call paths beside them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from stridewise.imports.recording import Call, RankCalls, Record, Recording
from stridewise.output import write_file
from stridewise.runs import places
from stridewise.runs.mpi import shard_file
from stridewise.runs.mpi.shard_file import ANYBODY, FRAMES, NOBODY, NONE, Event, Flag, Phase, Total, Written
from stridewise.runs.mpi.trace import Frame

_GAP_NS = 5000  # a longer computation between two messages ends their burst (pmpi_wrappers/shard_format.h)
_ADDRESS = 0x1000
_WILD = int(Flag.ANY_SOURCE | Flag.ANY_TAG)


def write(recording: Recording, table: list[tuple[str, int]], folder: Path) -> None:
    """Into a folder that is there and holds no shards. Raises OSError or Failure."""
    frames: dict[Frame, int] = {}
    paths = []
    for known, phase in recording.paths:
        kept = known[:FRAMES]
        addresses = tuple(frames.setdefault(frame, _ADDRESS + len(frames)) for frame in kept)
        paths.append((addresses, len(known) > FRAMES, phase))
    job = zlib.crc32(repr((recording.description, len(recording.ranks))).encode()) | 1 << 32
    for number, rank in enumerate(recording.ranks):
        shard = _Rank(recording, table, number, rank).shard(job, paths)
        shard_file.write(folder / f"shard.{job:016x}.{number}.swshard", shard)
    told = [
        {"at": " ".join(f"{address:x}" for address in addresses), "frames": [asdict(f) for f in known[:FRAMES]]}
        for (addresses, _, _), (known, _) in zip(paths, recording.paths, strict=True)
        if any(frame.known for frame in known)
    ]
    unique = list({one["at"]: one for one in told}.values())
    crc = zlib.crc32(json.dumps(unique, sort_keys=True).encode())
    write_file(folder / places.NAME, json.dumps({"version": 1, "crc32": crc, "places": unique}) + "\n")


class _Rank:
    def __init__(self, recording: Recording, table: list[tuple[str, int]], number: int, rank: RankCalls) -> None:
        self.recording, self.table, self.number, self.rank = recording, table, number, rank
        self.channels: dict[tuple[int, int, int, int], int] = {}  # direction, communicator, peer, tag
        self.collectives: dict[int, int] = {}
        self.serial = 0
        self.totals: dict[tuple[int, ...], Total] = {}
        self.bursts: dict[tuple[int, int], tuple[Total, int, int]] = {}  # by communicator and peer: messages, time
        self.computed = self.last_end = 0
        self.computed_at: dict[tuple[int, int], int] = {}

    def shard(self, job: int, paths: list[tuple[tuple[int, ...], bool, int]]) -> Written:
        rank = self.rank
        rank.calls.sort(key=lambda call: call.end)
        first = rank.calls[0].begin if rank.calls else 0
        begin = rank.begin if rank.begin is not None else first
        end = rank.end if rank.end is not None else max(rank.last, begin)
        kept = [call for call in rank.calls if call.begin >= begin and call.end <= end]
        self.last_end = begin
        self._number(kept)
        events = [event for call in kept for event in self._events(call)]
        for key in list(self.bursts):
            self._close(key)
        mine = [c.end - c.begin for c in kept if c.thread == 0]
        world, comms = len(self.recording.ranks), []
        for index, (stable, known) in enumerate(self.recording.comms):
            members = known or (self.number,)
            own = members.index(self.number) if self.number in members else -1
            kept_members = None if stable == 1 else members
            comms.append((stable, len(members), own, kept_members, self.collectives.get(index, 0)))
        phases = [Phase(name, *rank.phases.get(index, [0, 0])) for index, name in enumerate(self.recording.phases, 1)]
        return Written(
            job, self.number, world, rank.host, begin, end, rank.thread_level, self.recording.creator,
            self.recording.description.split(" ")[0], self.recording.description, min(sum(mine), end - begin),
            len(kept), events, list(self.totals.values()), paths, comms, phases, rank.usage,
        )  # fmt: skip

    def _number(self, calls: list[Call]) -> None:
        """Messages of a channel are matched in the order in which they were posted, also by receives that would have
        taken others: of two receives that both fit, the one posted first gets the earlier message."""
        for call in calls:
            for record in call.records:
                if record.flags & Flag.START:
                    self.serial += 1
                    if record.flags & Flag.RECV and record.flags & _WILD:
                        continue  # numbered when it is matched, as the recorder does it
                    if record.flags & (Flag.SEND | Flag.RECV):
                        record.seq = self._next(record)
                    elif record.flags & Flag.COLLECTIVE and record.comm != NONE:
                        record.seq = self._next_collective(record)
                elif record.flags & Flag.COMPLETE and record.flags & Flag.COLLECTIVE:
                    record.seq = record.start.seq if record.start is not None else NONE
                elif record.flags & Flag.COMPLETE:
                    wild = record.start is None or (record.flags & Flag.RECV and record.start.flags & _WILD)
                    record.seq = self._next(record) if wild else record.start.seq  # type: ignore[union-attr]
                elif record.flags & (Flag.SEND | Flag.RECV):
                    record.seq = self._next(record)
                elif record.flags & Flag.COLLECTIVE:
                    record.seq = self._next_collective(record)

    def _next_collective(self, record: Record) -> int:
        number = self.collectives.get(record.comm, 0)
        self.collectives[record.comm] = number + 1
        return number

    def _next(self, record: Record) -> int:
        if record.comm == NONE or record.peer < 0:
            return NONE
        key = (record.flags & Flag.SEND, record.comm, record.peer, record.tag)
        self.channels[key] = self.channels.get(key, 0) + 1
        return self.channels[key] - 1

    def _events(self, call: Call) -> Iterator[Event]:
        flags = self.table[call.number][1]
        bare = int(call.flags or flags) & ~int(Flag.SEND | Flag.RECV | Flag.COLLECTIVE | Flag.START | Flag.COMPLETE)
        completed = [r for r in call.records if r.flags & Flag.COMPLETE]
        first = call.records[0] if call.records else Record(bare)
        self._add(call, first)
        if flags & Flag.WAIT:
            if completed:
                yield self._event(call, Record(bare | Flag.WAIT))
        elif not call.records and bare & int(Flag.TIMER | Flag.COMM | Flag.RMA | Flag.IO):
            yield self._event(call, Record(bare))
        for record in call.records:
            yield self._event(call, record)

    def _event(self, call: Call, record: Record) -> Event:
        peer, seq = record.peer, record.seq
        if record.flags & Flag.START and record.flags & Flag.RECV and record.flags & _WILD:
            peer, seq = ANYBODY if record.flags & Flag.ANY_SOURCE else peer, NONE
        return Event(
            call.begin, call.end, record.flags, call.number, call.thread, call.path, record.comm, peer, record.tag, seq,
            record.bytes, record.request, record.address, record.payload,
        )  # fmt: skip

    # --- Totals -------------------------------------------------------------------------------------------------------

    def _add(self, call: Call, record: Record) -> None:
        taken = call.end - call.begin
        self.computed += max(0, call.begin - self.last_end)
        self.last_end = max(self.last_end, call.end)
        sends = bool(record.flags & Flag.SEND) and not record.flags & Flag.COMPLETE
        named = record if not record.flags & Flag.COMPLETE else Record(0)
        bucket = named.bytes.bit_length() if named.peer >= 0 or named.flags & Flag.COLLECTIVE else 0
        peer = named.peer if named.peer >= 0 else NOBODY
        key = (call.number, call.path, named.comm, peer, bucket)
        total = self.totals.setdefault(key, Total(*key, first=call.begin))
        total.count += 1
        total.ns += taken
        total.longest = max(total.longest, taken)
        total.size += named.bytes
        total.last = call.end
        for one in call.records:
            if one.flags & Flag.COLLECTIVE:
                for known in list(self.bursts):
                    self._close(known)
            elif one.flags & Flag.RECV and not one.flags & Flag.START:
                self._close_with(one.peer)
        if sends and record.peer >= 0:
            self._follow(total, record, taken)

    def _follow(self, total: Total, record: Record, taken: int) -> None:
        """A burst: messages of one place on one channel from different buffers, without a long computation between."""
        key = (record.comm, record.peer)
        known = self.bursts.get(key)
        long = self.computed - self.computed_at.get(key, 0) > _GAP_NS
        if known is not None and known[0] is total and record.address and not long:
            self.bursts[key] = (total, known[1] + 1, known[2] + taken)
        else:
            self._close(key)
            self.bursts[key] = (total, 1, taken)
        self.computed_at[key] = self.computed

    def _close_with(self, peer: int) -> None:
        for key in [key for key in self.bursts if key[1] == peer]:
            self._close(key)

    def _close(self, key: tuple[int, int]) -> None:
        if key not in self.bursts:
            return
        total, length, taken = self.bursts.pop(key)
        total.bursts += 1
        total.burst_most = max(total.burst_most, length)
        if length > 1:
            total.burst_ns += taken
            total.burst_count += length
