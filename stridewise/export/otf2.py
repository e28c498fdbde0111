"""OTF2, the trace format of Score-P, TAU and Extrae's converters, which Vampir and Scalasca's tools read.

A location is a thread of a rank. Functions on a call path are regions around the calls of MPI, with the file and the
line of the call in them, so that a viewer shows the path and `stridewise import` finds the place again; phases are
regions with that flag. A run of messages alike is written message by message, evenly in its time. What OTF2 has no
record for (where a buffer lay, whether a payload was the one before) goes along as attributes.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.errors import Failure
from stridewise.runs.mpi.shard_file import NONE, Event, Flag, Shard
from stridewise.runs.mpi.trace import CallPath, Frame, Trace
from stridewise.settings import remedies

FLAGS, ADDRESS, PAYLOAD = "stridewise::flags", "stridewise::address", "stridewise::payload"
# Of the rank as a whole, at MPI_Finalize: the level of threads, then struct sw_usage.
USAGE = tuple(
    f"stridewise::{name}"
    for name in ("thread_level", "running_ns", "queueing_ns", "processors", "first_processor", "peak_bytes")
)
_COLLECTIVES = (
    "BARRIER BCAST GATHER GATHERV SCATTER SCATTERV ALLGATHER ALLGATHERV ALLTOALL ALLTOALLV ALLTOALLW ALLREDUCE REDUCE "
    "REDUCE_SCATTER REDUCE_SCATTER_BLOCK SCAN EXSCAN"
).split()
_MARKED = int(Flag.START | Flag.COMPLETE)
OF_THE_CALL = "the line is that of the call"  # the description of a region that has a line


def module() -> Any:
    """OTF2's own Python module. Raises Failure where it is not installed."""
    try:
        return import_module("otf2")
    except ImportError as error:
        ways = ", or ".join(remedies.commands(remedies.OTF2, remedies.system()).values())
        raise Failure(f"OTF2 traces need its Python module ({error}): {ways}") from error


def write(trace: Trace, shards: Sequence[Shard], calls: Sequence[str], output: Path) -> None:
    """Makes the folder `output` with traces.otf2 in it: whole, or not at all. `calls` are names by number. Raises
    Failure or OSError."""
    otf2 = module()
    scratch = Path(tempfile.mkdtemp(prefix=f".{output.name}.", dir=output.parent))
    try:
        with otf2.writer.open(str(scratch / "trace"), timer_resolution=1_000_000_000) as archive:
            archive.creator = f"stridewise {__version__}"
            archive.description = trace.job.command
            _Archive(otf2, archive, trace, shards, calls).write()
        (scratch / "trace").rename(output)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


class _Archive:
    def __init__(self, otf2: Any, archive: Any, trace: Trace, shards: Sequence[Shard], calls: Sequence[str]) -> None:
        self.otf2, self.archive, self.trace, self.shards, self.calls = otf2, archive, trace, shards, calls
        self.definitions = archive.definitions
        self.origin = min(shard.begin_ns for shard in shards) - 1_000_000
        self.regions: dict[tuple[str, str, int, str], Any] = {}
        self.numbers = {_key(trace, path): number for number, path in enumerate(trace.paths)}
        make = self.definitions.attribute
        kind = otf2.Type.UINT64
        self.attributes = {
            name: make(name, name.rpartition(":")[2], kind) for name in (FLAGS, ADDRESS, PAYLOAD, *USAGE)
        }

    def write(self) -> None:
        kinds = self.otf2.LocationGroupType
        machine = self.definitions.system_tree_node("machine", "machine")
        nodes = {host: self.definitions.system_tree_node(host, "node", parent=machine)
                 for host in dict.fromkeys(s.host for s in self.shards)}  # fmt: skip
        mains, others = [], {}
        for shard in self.shards:
            group = self.definitions.location_group(
                f"MPI Rank {shard.rank}", location_group_type=kinds.PROCESS, system_tree_parent=nodes[shard.host]
            )
            main = self.definitions.location("Master thread", group=group)
            mains.append(main)
            for thread in sorted({event.thread for event in shard.events} - {0}):
                others[shard.rank, thread] = self.definitions.location(f"Thread {thread}", group=group)
        groups, paradigm = self.otf2.GroupType, self.otf2.Paradigm.MPI
        self.definitions.group("", groups.COMM_LOCATIONS, paradigm, members=mains)
        self.by_rank = {shard.rank: main for shard, main in zip(self.shards, mains, strict=True)}
        self.comms: dict[tuple[int, tuple[int, ...]], Any] = {}
        for shard, main in zip(self.shards, mains, strict=True):
            by_thread: dict[int, list[Event]] = {0: []}
            for event in shard.events:
                by_thread.setdefault(event.thread, []).append(event)
            for thread, events in by_thread.items():
                location = main if thread == 0 else others[shard.rank, thread]
                _Location(self, shard, self.archive.event_writer_from_location(location), thread).write(events)

    def comm(self, shard: Shard, number: int) -> tuple[Any, tuple[int, ...]] | None:
        """The definition of a shard's communicator and its world ranks; None where its members are not known."""
        if number == NONE:
            return None
        stable, size, members = shard.comms[number]
        if members is None:
            if size != shard.size:
                return None
            members = tuple(range(size))
        if any(rank not in self.by_rank for rank in members):
            return None
        key = (stable, members)
        if key not in self.comms:
            group = self.definitions.group(
                f"communicator {stable} {members[0]}", self.otf2.GroupType.COMM_GROUP, self.otf2.Paradigm.MPI,
                members=[self.by_rank[rank] for rank in members],
            )  # fmt: skip
            name = "MPI_COMM_WORLD" if stable == 1 else "MPI_COMM_SELF" if stable == 2 else f"communicator {stable}"
            self.comms[key] = self.definitions.comm(name, group=group)
        return self.comms[key], members

    def stack(self, shard: Shard, path: int) -> tuple[Any, ...]:
        """Regions of a call path, outermost first."""
        if path == NONE:
            return ()
        known = shard.paths[path]
        modules = {(m.path, m.build_id): m for m in self.trace.modules}
        frames = tuple((None if m is None else modules.get(shard.modules[m]), address) for m, address in known.frames)
        number = self.numbers.get((frames, known.phase))
        shown = self.trace.paths[number].frames if number is not None else ()
        named = [self._function(frame) for frame in reversed(shown) if frame.known or frame.user]
        roles = self.otf2.RegionRole
        return (self._region((known.phase, "", 0, "phase"), roles.CODE), *named) if known.phase else tuple(named)

    def _function(self, frame: Frame) -> Any:
        roles = self.otf2.RegionRole
        kind = "wrapper" if frame.wrapper else "function" if frame.user else "library"
        role = roles.WRAPPER if frame.wrapper else roles.FUNCTION if frame.user else roles.ARTIFICIAL
        return self._region((frame.function or "unknown", frame.file, max(0, frame.line), kind), role)

    def call(self, name: str) -> Any:
        return self._region((name, "", 0, "MPI"), self.otf2.RegionRole.FUNCTION)

    def _region(self, key: tuple[str, str, int, str], role: Any) -> Any:
        if key not in self.regions:
            name, file, line, kind = key
            paradigm = self.otf2.Paradigm
            self.regions[key] = self.definitions.region(
                name, description=OF_THE_CALL if line else "", region_role=role, source_file=file,
                region_flags=self.otf2.RegionFlag.PHASE if kind == "phase" else self.otf2.RegionFlag.NONE,
                paradigm=paradigm.MPI if kind == "MPI" else paradigm.USER, begin_line_number=line,
                end_line_number=line,
            )  # fmt: skip
        return self.regions[key]


def _key(trace: Trace, path: CallPath) -> tuple[object, str]:
    frames = tuple((None if a.module is None else trace.modules[a.module], a.value) for a in path.addresses)
    return frames, "" if path.phase is None else trace.phases[path.phase].name


class _Location:
    """One thread of a rank, in the order of time."""

    def __init__(self, whole: _Archive, shard: Shard, writer: Any, thread: int) -> None:
        self.whole, self.shard, self.writer, self.thread = whole, shard, writer, thread
        self.now = 0
        self.open: list[Any] = []
        self.begun: dict[int, int] = {}  # collectives by request: the call
        self.stacks: dict[int, tuple[Any, ...]] = {}

    def at(self, ns: int) -> int:
        self.now = max(self.now, ns - self.whole.origin)
        return self.now

    def write(self, events: Sequence[Event]) -> None:
        begin, end = self.shard.begin_ns, self.shard.end_ns
        if self.thread == 0:
            start = self.whole.call("MPI_Init")
            self.writer.enter(self.at(begin - 1000), start)
            self.writer.leave(self.at(begin), start)
        ordered = sorted(events, key=lambda e: (e.end, e.begin))  # stable: what one call left stays as it was
        for _, call in groupby(_singly(ordered), key=lambda e: (e.begin, e.end, e.call)):
            self._call(list(call))
        for region in reversed(self.open):
            self.writer.leave(self.at(end), region)
        if self.thread == 0:
            last = self.whole.call("MPI_Finalize")
            values = (self.shard.thread_level, *self.shard.usage)
            told = {self.whole.attributes[name]: value for name, value in zip(USAGE, values, strict=False)}
            self.writer.enter(self.at(end), last, attributes=told)
            self.writer.leave(self.at(end + 1000), last)

    def _call(self, events: list[Event]) -> None:
        first = events[0]
        if first.path not in self.stacks:
            self.stacks[first.path] = self.whole.stack(self.shard, first.path)
        wanted = self.stacks[first.path]
        same = 0
        while same < min(len(wanted), len(self.open)) and wanted[same] is self.open[same]:
            same += 1
        begin = self.at(first.begin)
        while len(self.open) > same:
            self.writer.leave(begin, self.open.pop())
        for region in wanted[same:]:
            self.writer.enter(begin, region)
            self.open.append(region)
        region = self.whole.call(self.whole.calls[first.call])
        told = {self.whole.attributes[FLAGS]: first.flags & ~int(Flag.RUN | Flag.BURST)}
        self.writer.enter(begin, region, attributes=told)
        for event in events:
            self._record(event)
        self.writer.leave(self.at(first.end), region)

    def _record(self, event: Event) -> None:
        flags, names = event.flags, self.whole.attributes
        known = self.whole.comm(self.shard, event.comm)
        if known is None:
            return
        comm, members = known
        told = {names[FLAGS]: flags & ~int(Flag.RUN | Flag.BURST)}
        if event.address:
            told[names[ADDRESS]] = event.address
        if event.hash and not flags & Flag.RUN:
            told[names[PAYLOAD]] = event.hash
        if flags & Flag.COLLECTIVE and not flags & _MARKED:
            self.writer.mpi_collective_begin(self.at(event.begin))
            self.writer.mpi_collective_end(self.at(event.end), *self._collective(event, comm, members), attributes=told)
        elif flags & Flag.COLLECTIVE:
            self._nonblocking(event, comm, members, told)
        elif flags & Flag.SEND and flags & Flag.COMPLETE:
            self.writer.mpi_isend_complete(self.at(event.end), event.request, attributes=told)
        elif flags & Flag.RECV and flags & Flag.START:
            self.writer.mpi_irecv_request(self.at(event.begin), event.request, attributes=told)
        elif flags & (Flag.SEND | Flag.RECV) and event.peer in members:
            peer, tag = members.index(event.peer), event.tag & 0xFFFFFFFF
            if flags & Flag.START:
                self.writer.mpi_isend(
                    self.at(event.begin), peer, comm, tag, event.bytes, event.request, attributes=told
                )
            elif flags & Flag.SEND:
                self.writer.mpi_send(self.at(event.begin), peer, comm, tag, event.bytes, attributes=told)
            elif flags & Flag.COMPLETE:
                self.writer.mpi_irecv(self.at(event.end), peer, comm, tag, event.bytes, event.request, attributes=told)
            else:
                self.writer.mpi_recv(self.at(event.end), peer, comm, tag, event.bytes, attributes=told)

    def _collective(self, event: Event, comm: Any, members: tuple[int, ...]) -> tuple[Any, Any, Any, int, int]:
        name = self.whole.calls[event.call].removeprefix("MPI_").upper()
        name = name.removeprefix("I") if event.flags & _MARKED else name
        kinds = self.whole.otf2.CollectiveOp
        kind = getattr(kinds, name if name in _COLLECTIVES else "BARRIER")
        root = members.index(event.peer) if event.peer in members else self.whole.otf2.CollectiveRoot.NONE
        return kind, comm, root, event.bytes, 0

    def _nonblocking(self, event: Event, comm: Any, members: tuple[int, ...], told: dict[Any, int]) -> None:
        """From version 3 of OTF2 on. Which collective a completion is of, its beginning tells."""
        if not hasattr(self.writer, "non_blocking_collective_request"):
            return
        if event.flags & Flag.START:
            self.begun[event.request] = event.call
            self.writer.non_blocking_collective_request(self.at(event.begin), event.request, attributes=told)
        elif event.request in self.begun:
            what = self._collective(event._replace(call=self.begun.pop(event.request)), comm, members)
            self.writer.non_blocking_collective_complete(self.at(event.end), *what, event.request, attributes=told)


def _singly(events: Sequence[Event]) -> Iterator[Event]:
    """Runs message by message."""
    for event in events:
        count = event.request
        if not event.flags & Flag.RUN or count < 1:
            yield event
            continue
        each = max(0, min(event.hash, event.end - event.begin) // count)
        step = (event.end - event.begin - each) / max(1, count - 1)
        apart = max(event.bytes, 1) if event.flags & Flag.BURST else 0
        for number in range(count):
            begin = event.begin + round(number * step)
            yield event._replace(
                begin=begin, end=begin + each, seq=event.seq + number, request=0, hash=0,
                address=max(1, event.address - (count - 1 - number) * apart) if event.address else 0,
                flags=event.flags & ~int(Flag.RUN | Flag.BURST),
            )  # fmt: skip
