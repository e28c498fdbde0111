"""Reads an OTF2 trace: Score-P's, TAU's, that of Extrae's converter, or our own.

Calls of MPI are regions of the names that the standard gives them; the regions around them are the call path. What OTF2
has no record for is known of our own exports only, by attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.export.otf2 import ADDRESS, FLAGS, PAYLOAD, USAGE, module
from stridewise.finding.quantities import seconds
from stridewise.imports.otf2_regions import Regions
from stridewise.imports.recording import Call, RankCalls, Record, Recording
from stridewise.runs.mpi.shard_file import NOBODY, NONE, Flag
from stridewise.runs.mpi.trace import Frame

_FIRST, _LAST = ("MPI_Init", "MPI_Init_thread"), "MPI_Finalize"
# As numbers: an operation on the flags themselves takes some twenty times as long, and each event has several.
_SEND, _RECV, _COLLECTIVE, _WAIT = int(Flag.SEND), int(Flag.RECV), int(Flag.COLLECTIVE), int(Flag.WAIT)
_START, _COMPLETE, _FULL_SYNC = int(Flag.START), int(Flag.COMPLETE), int(Flag.FULL_SYNC)
_ALL_MEET = int(Flag.BARRIER) | _FULL_SYNC
_GROUPS = _COLLECTIVE | _ALL_MEET | int(Flag.COMM)
_MESSAGE = _SEND | _RECV | _COLLECTIVE | _START | _COMPLETE
_OF_THE_CALL = ~(_WAIT | _ALL_MEET)  # what a record has of its call
_NO_ADDRESSES = "where buffers lay: messages that could be joined into one (mpi-tiny-messages) are not found"
_NO_PAYLOADS = "what messages carried: repeated exchanges (mpi-duplicate-exchange) are not found"
_NO_TYPES = "datatypes: strided halos (mpi-strided-halo) are not found"
_NO_EFFECTS = (
    "sleep and output outside MPI: they count as computing, and no finding is more than medium, since output may need "
    "an order that nothing else shows"
)
_NO_LINES = "lines of calls: places are the functions that call, at their first lines"
_NO_FUNCTIONS = "functions of the program: calls have no places"
_NO_REQUESTS = (
    "which call completes what a non-blocking one began: exchanges that wait at once (mpi-no-overlap) are not found"
)
_NO_TEAMS = "where its teams of OpenMP lose time, to this reader: stridewise run --omp watches them"


def read(path: Path, table: Sequence[tuple[str, int]]) -> Recording:
    """`table`: name and event flags of each call, by number. Raises Failure."""
    otf2 = module()
    if not path.is_file():
        raise Failure(f"no trace {path}; name the anchor file, traces.otf2")
    mend(otf2)
    try:
        with otf2.reader.open(str(path)) as archive:
            return _Reader(otf2, archive, table).read()
    except Failure:
        raise
    except Exception as error:  # otf2 has errors of its own, and those of Python for damaged definitions
        raise Failure(f"cannot read {path}: {error}") from error


def mend(otf2: Any) -> None:
    """OTF2's class of communicators between two groups has the fields of others before its own, with which no trace
    that defines one can be read or written."""
    kind = otf2.definitions.InterComm
    fields = {field.name: field for field in kind._fields}
    if len(fields) < len(kind._fields):
        kind._fields = tuple(fields[name] for name in ("name", "groupA", "groupB", "parent", "flags"))


class _Thread:
    """One location: its open regions, and the call of MPI that it is in."""

    def __init__(self, rank: int, thread: int) -> None:
        self.rank, self.thread = rank, thread
        self.stack: list[tuple[Any, Any]] = []  # regions, each with the place of the call in it, where that is known
        self.call: Call | None = None
        self.depth = 0  # of the stack below the call


class _Reader:
    def __init__(self, otf2: Any, archive: Any, table: Sequence[tuple[str, int]]) -> None:
        self.otf2, self.archive = otf2, archive
        self.numbers = {name: number for number, (name, _) in enumerate(table)}
        self.flags = [flags for _, flags in table]
        self.recording = Recording(_held(archive, "GetCreator"), _held(archive, "GetDescription"))
        self.unit = 1e9 / archive.timer_resolution
        self.origin = archive.definitions.clock_properties.global_offset or 0
        self.comms: dict[int, int] = {}
        self.groups: dict[tuple[int, int], tuple[tuple[int, ...], tuple[int, ...]]] = {}  # by communicator and rank
        self.paths: dict[tuple[tuple[Frame, ...], int], int] = {}
        self.started: dict[tuple[int, int], Record] = {}  # by rank and request, which another thread may complete
        self.probed: dict[tuple[int, int], Record] = {}  # by rank and message
        self.entered: dict[tuple[int, int], int] = {}  # by rank and phase
        self.flushed: dict[int, int] = {}  # by rank: nanoseconds
        self.told: set[str] = set()
        self.regions = Regions(otf2, self.numbers, self.told)

    def read(self) -> Recording:
        threads = self._threads()
        kinds = self.otf2.events
        by_name: dict[str, Callable[[_Thread, Any, int], None]] = {
            "Enter": self._enter,
            "Leave": self._leave,
            "CallingContextEnter": self._context_enter,
            "CallingContextLeave": self._context_leave,
            "ProgramBegin": self._program,
            "BufferFlush": self._flush,
            "MpiSend": self._mpi_send,
            "MpiRecv": self._mpi_recv,
            "MpiIsend": self._mpi_isend,
            "MpiIrecvRequest": self._mpi_irecv_request,
            "MpiIsendComplete": self._mpi_isend_complete,
            "MpiIrecv": self._mpi_irecv,
            "MpiRequestCancelled": self._mpi_cancelled,
            "MpiProbe": self._mpi_probe,
            "MpiMrecv": self._mpi_mrecv,
            "MpiImrecvRequest": self._mpi_imrecv_request,
            "MpiImrecv": self._mpi_imrecv,
            "MpiCollectiveEnd": self._mpi_collective_end,
            "NonBlockingCollectiveRequest": self._collective_request,
            "NonBlockingCollectiveComplete": self._collective_complete,
        }
        # Those that this version of OTF2 knows.
        by_type = {getattr(kinds, name): act for name, act in by_name.items() if hasattr(kinds, name)}
        for location, event in self.archive.events:
            thread = threads.get(location._ref)
            act = by_type.get(type(event))
            if thread is not None and act is not None:
                act(thread, event, self._time(event.time))
        for (rank, phase), since in self.entered.items():
            self._stay(rank, phase, since, self.recording.ranks[rank].last)
        self.recording.phases = list(self.regions.phases)
        if not any(rank.calls for rank in self.recording.ranks):
            raise Failure("the trace holds no call of MPI")
        for rank_calls in self.recording.ranks:
            if len({call.thread for call in rank_calls.calls}) > 1:
                rank_calls.thread_level = 3  # calls of its threads may overlap
        self._say()
        return self.recording

    def _time(self, ticks: int) -> int:
        return int((ticks - self.origin) * self.unit + 1.5)

    def _threads(self) -> dict[int, _Thread]:
        definitions, groups = self.archive.definitions, self.otf2.GroupType
        mpi = [
            g for g in definitions.groups
            if g.group_type == groups.COMM_LOCATIONS and g.paradigm == self.otf2.Paradigm.MPI
        ]  # fmt: skip
        if not mpi:
            raise Failure("the trace has no ranks of MPI")
        self.world = list(mpi[0].members)
        self.ranks = {location._ref: rank for rank, location in enumerate(self.world)}
        threads = {location._ref: _Thread(rank, 0) for rank, location in enumerate(self.world)}
        by_group = {location.group._ref: rank for rank, location in enumerate(self.world)}
        self.recording.ranks = [RankCalls(_host(location)) for location in self.world]
        count: dict[int, int] = {}
        for location in definitions.locations:
            rank = by_group.get(location.group._ref) if location.group is not None else None
            if location._ref not in threads and rank is not None and location.type == self.otf2.LocationType.CPU_THREAD:
                count[rank] = count.get(rank, 0) + 1
                threads[location._ref] = _Thread(rank, count[rank])
        return threads

    # --- Regions ------------------------------------------------------------------------------------------------------

    def _enter(self, thread: _Thread, event: Any, at: int) -> None:
        self._into(thread, event, event.region, [*thread.stack, (event.region, None)], at)

    def _context_enter(self, thread: _Thread, event: Any, at: int) -> None:
        """With unwinding: the event names the whole call path, with the place of the call in each of its functions."""
        self._into(thread, event, event.calling_context.region, _chain(event.calling_context), at)

    def _context_leave(self, thread: _Thread, event: Any, at: int) -> None:
        thread.stack = _chain(event.calling_context)  # there may have been functions below that no event names
        self._leave(thread, event, at)

    def _into(self, thread: _Thread, event: Any, region: Any, stack: list[tuple[Any, Any]], at: int) -> None:
        rank, name = self.recording.ranks[thread.rank], self.regions.call(region)
        rank.last = max(rank.last, at)
        if thread.call is None and name and name != _LAST and name not in _FIRST:
            thread.call = Call(self.numbers[name], at, self._path(stack[:-1]), thread.thread)
            thread.call.flags = self._attribute(event, FLAGS)
            thread.depth = len(stack) - 1
        elif thread.call is None and name == _LAST:
            rank.end = at
            told = [self._attribute(event, name) for name in USAGE]
            rank.thread_level, rank.usage = told[0], tuple(told[1:]) if any(told[1:]) else ()
        elif thread.call is None and thread.thread == 0 and (phase := self.regions.phase(region)):
            self.entered[thread.rank, phase] = at
        thread.stack = stack

    def _leave(self, thread: _Thread, _event: Any, at: int) -> None:
        rank = self.recording.ranks[thread.rank]
        rank.last = max(rank.last, at)
        if not thread.stack:
            return
        region, _ = thread.stack.pop()
        if self.regions.call(region) in _FIRST:
            rank.begin = at
        if thread.call is not None:
            if len(thread.stack) <= thread.depth:
                thread.call.end = at
                rank.calls.append(thread.call)
                thread.call = None
        elif thread.thread == 0 and (phase := self.regions.phase(region)):
            since = self.entered.pop((thread.rank, phase), None)
            if since is not None:
                self._stay(thread.rank, phase, since, at)

    def _stay(self, rank: int, phase: int, since: int, until: int) -> None:
        known = self.recording.ranks[rank].phases.setdefault(phase, [0, 0])
        known[0] += 1
        known[1] += until - since

    def _program(self, _thread: _Thread, event: Any, _at: int) -> None:
        if not self.recording.description:
            words = [event.program_name, *(event.program_arguments or ())]
            self.recording.description = " ".join(str(word) for word in words if word)

    def _flush(self, thread: _Thread, event: Any, at: int) -> None:
        taken = max(0, self._time(event.stop_time) - at)
        self.flushed[thread.rank] = self.flushed.get(thread.rank, 0) + taken

    def _path(self, stack: Sequence[tuple[Any, Any]]) -> int:
        frames, phase = self.regions.path(stack)
        key = (frames, phase)
        if key not in self.paths:
            self.paths[key] = len(self.paths)
            self.recording.paths.append((frames or (Frame("", "", 0),), phase))
        return self.paths[key]

    # --- Messages -----------------------------------------------------------------------------------------------------

    def _attribute(self, event: Any, name: str) -> int:
        for attribute, value in (event.attributes or {}).items():
            if attribute.name == name:
                self.told.add(name)
                return int(value)
        return 0

    def _add(self, thread: _Thread, event: Any, flags: int, **more: Any) -> Record | None:
        """The record, with what our own exports say beyond OTF2; None outside of calls."""
        if thread.call is None:
            return None
        own = self._attribute(event, FLAGS)
        kind = self.flags[thread.call.number] & ~_MESSAGE
        record = Record(own or flags | kind & _OF_THE_CALL, **more)
        record.address, record.payload = self._attribute(event, ADDRESS), self._attribute(event, PAYLOAD)
        thread.call.records.append(record)
        return record

    def _members(self, comm: Any, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        if (comm._ref, rank) not in self.groups:
            self.groups[comm._ref, rank] = self._grouped(comm, rank)
        return self.groups[comm._ref, rank]

    def _grouped(self, comm: Any, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """World ranks of a communicator: all of them, and those that numbers of peers are of."""
        if hasattr(comm, "groupA"):  # between two groups: partners are those of the other one
            groups = [tuple(self.ranks[m._ref] for m in group.members) for group in (comm.groupA, comm.groupB)]
            return tuple(sorted({*groups[0], *groups[1]})), groups[1] if rank in groups[0] else groups[0]
        if comm.group.group_type == self.otf2.GroupType.COMM_SELF:
            return (), (rank,)
        members = tuple(self.ranks[m._ref] for m in comm.group.members)
        return members, members

    def _peer(self, comm: Any, rank: int, local: int) -> int:
        partners = self._members(comm, rank)[1]
        return partners[local] if 0 <= local < len(partners) else NOBODY

    def _comm(self, comm: Any, rank: int) -> int:
        if comm._ref not in self.comms:
            members = self._members(comm, rank)[0]
            world = members == tuple(range(len(self.world))) and "WORLD" in (comm.name or "").upper()
            stable = 1 if world else 2 if not members else 16 + comm._ref
            self.comms[comm._ref] = len(self.recording.comms)
            self.recording.comms.append((stable, members))
        return self.comms[comm._ref]

    def _message(
        self, thread: _Thread, event: Any, flags: int, peer: int, size: int, request: int = 0
    ) -> Record | None:
        return self._add(
            thread, event, flags, comm=self._comm(event.communicator, thread.rank),
            peer=self._peer(event.communicator, thread.rank, peer), tag=_tag(event.msg_tag), bytes=size,
            request=request,
        )  # fmt: skip

    def _starts(self, thread: _Thread) -> bool:
        """The thread is in a call that does not wait for the message. Where the trace has no requests (TAU's), what
        such a call sends is written as if it blocked."""
        return thread.call is not None and bool(self.flags[thread.call.number] & _START)

    def _mpi_send(self, thread: _Thread, event: Any, _at: int) -> None:
        started = self._starts(thread)
        if started:
            self.told.add("no requests")
        self._message(thread, event, _SEND | (_START if started else 0), event.receiver, event.msg_length)

    def _mpi_recv(self, thread: _Thread, event: Any, _at: int) -> None:
        waits = thread.call is not None and bool(self.flags[thread.call.number] & _WAIT)
        if waits:
            self.told.add("no requests")
        self._message(thread, event, _RECV | (_COMPLETE if waits else 0), event.sender, event.msg_length)

    def _begin(self, thread: _Thread, request: int, record: Record | None) -> None:
        if record is not None:
            self.started[thread.rank, request] = record

    def _mpi_isend(self, thread: _Thread, event: Any, _at: int) -> None:
        flags = _SEND | _START
        record = self._message(thread, event, flags, event.receiver, event.msg_length, event.request_id)
        self._begin(thread, event.request_id, record)

    def _mpi_irecv_request(self, thread: _Thread, event: Any, _at: int) -> None:
        record = self._add(thread, event, _RECV | _START, request=event.request_id)
        self._begin(thread, event.request_id, record)

    def _mpi_isend_complete(self, thread: _Thread, event: Any, _at: int) -> None:
        start = self.started.pop((thread.rank, event.request_id), None)
        record = self._add(thread, event, _SEND | _COMPLETE, request=event.request_id)
        if record is not None and start is not None:
            record.comm, record.peer, record.tag, record.bytes = start.comm, start.peer, start.tag, start.bytes
            record.start = start

    def _mpi_irecv(self, thread: _Thread, event: Any, _at: int) -> None:
        flags = _RECV | _COMPLETE
        record = self._message(thread, event, flags, event.sender, event.msg_length, event.request_id)
        self._received(thread, event.request_id, record)

    def _received(self, thread: _Thread, request: int, record: Record | None) -> None:
        start = self.started.pop((thread.rank, request), None)
        if record is not None and start is not None:
            record.start = start
            start.comm, start.peer, start.tag, start.bytes = record.comm, record.peer, record.tag, record.bytes

    def _mpi_cancelled(self, thread: _Thread, event: Any, _at: int) -> None:
        self.started.pop((thread.rank, event.request_id), None)

    # Messages that a probe has matched: what they are is told by the probe alone.

    def _mpi_probe(self, thread: _Thread, event: Any, _at: int) -> None:
        comm, rank = event.communicator, thread.rank
        self.probed[rank, event.message_id] = Record(
            0, comm=self._comm(comm, rank), peer=self._peer(comm, rank, event.sender), tag=_tag(event.tag)
        )

    def _matched(self, thread: _Thread, event: Any, flags: int, found: Record, request: int) -> Record | None:
        return self._add(
            thread, event, flags, comm=found.comm, peer=found.peer, tag=found.tag, bytes=event.msg_length,
            request=request,
        )  # fmt: skip

    def _mpi_mrecv(self, thread: _Thread, event: Any, _at: int) -> None:
        found = self.probed.pop((thread.rank, event.message_id), None)
        if found is not None:
            self._matched(thread, event, _RECV, found, 0)

    def _mpi_imrecv_request(self, thread: _Thread, event: Any, _at: int) -> None:
        record = self._add(thread, event, _RECV | _START, request=event.request_id)
        found = self.probed.pop((thread.rank, event.message_id), None)
        if record is not None and found is not None:
            record.comm, record.peer, record.tag = found.comm, found.peer, found.tag
        self._begin(thread, event.request_id, record)

    def _mpi_imrecv(self, thread: _Thread, event: Any, _at: int) -> None:
        start = self.started.get((thread.rank, event.request_id))
        if start is not None:
            flags = _RECV | _COMPLETE
            self._received(thread, event.request_id, self._matched(thread, event, flags, start, event.request_id))

    # --- Collectives --------------------------------------------------------------------------------------------------

    def _mpi_collective_end(self, thread: _Thread, event: Any, _at: int) -> None:
        if thread.call is None or not self.flags[thread.call.number] & _COLLECTIVE:
            return
        flags, more = self._collective(thread, event, self.flags[thread.call.number])
        record = self._add(thread, event, flags, **more)
        if record is not None:
            record.flags |= flags & _ALL_MEET

    def _collective(self, thread: _Thread, event: Any, kind: int) -> tuple[int, dict[str, Any]]:
        comm, rank = event.communicator, thread.rank
        size = _contributed(event, len(self._members(comm, rank)[1]))
        flags = kind & _GROUPS
        if not size and not flags & Flag.BARRIER:
            flags &= ~_FULL_SYNC
        root = event.root if isinstance(event.root, int) else NONE
        return flags, {"comm": self._comm(comm, rank), "bytes": size, "peer": self._peer(comm, rank, root)}

    def _collective_request(self, thread: _Thread, event: Any, _at: int) -> None:
        """What it is of is told by its completion."""
        record = self._add(thread, event, _COLLECTIVE | _START, request=event.request_id)
        if record is not None and thread.call is not None:
            record.flags |= self.flags[thread.call.number] & _ALL_MEET
        self._begin(thread, event.request_id, record)

    def _collective_complete(self, thread: _Thread, event: Any, _at: int) -> None:
        start = self.started.pop((thread.rank, event.request_id), None)
        kind = start.flags if start is not None else _COLLECTIVE
        flags, more = self._collective(thread, event, kind)
        record = self._add(thread, event, flags | _COMPLETE, request=event.request_id, **more)
        if record is not None and start is not None:
            record.start, record.flags = start, record.flags | flags & _ALL_MEET
            start.flags &= flags | ~_FULL_SYNC
            start.comm, start.bytes, start.peer = record.comm, record.bytes, record.peer

    def _say(self) -> None:
        self.recording.effects = FLAGS in self.told
        self.recording.missing.append(_NO_TYPES)
        if not self.recording.effects:
            self.recording.missing += [_NO_ADDRESSES, _NO_PAYLOADS, _NO_EFFECTS]
        if "functions" not in self.told:
            self.recording.missing.append(_NO_FUNCTIONS)
        elif "lines" not in self.told:
            self.recording.missing.append(_NO_LINES)
        if self.recording.effects:
            self.recording.missing.append("sleep outside MPI: it counts as computing")
        if "no requests" in self.told:
            self.recording.missing.append(_NO_REQUESTS)
        if "OpenMP" in self.told:
            self.recording.missing.append(_NO_TEAMS)
        if self.flushed:
            rank, longest = max(self.flushed.items(), key=lambda item: item[1])
            self.recording.missing.append(
                "what the program did while its recording was written out, for up to "
                f"{seconds(longest / 1e9)} (rank {rank}): that counts as computing"
            )


def _chain(context: Any) -> list[tuple[Any, Any]]:
    """The functions of a calling context with the places of the calls in them, outermost first."""
    stack = []
    while context is not None:
        stack.append((context.region, context.source_code_location))
        context = context.parent
    return stack[::-1]


def _tag(number: int) -> int:
    return number - (1 << 32) if number >= 1 << 31 else number


def _contributed(event: Any, ranks: int) -> int:
    """Bytes that the rank itself brings, as our recorder counts them. What Score-P calls sent is on the root of a
    broadcast or of a scatter what goes to all ranks, and of an allgather as often as there are ranks."""
    kind = str(getattr(event.collective_op, "name", event.collective_op)).rpartition(".")[2]
    sent, received = int(event.size_sent), int(event.size_received)
    if kind in ("BCAST", "SCATTER", "SCATTERV"):
        return received or sent
    if kind == "ALLGATHER" and received:
        return received // max(ranks, 1)
    return sent or received


def _held(archive: Any, name: str) -> str:
    """A text of the archive, which its class of readers does not give."""
    try:
        found = getattr(import_module("_otf2"), f"Reader_{name}")(archive.handle)
    except Exception:  # of the library's own kinds
        return ""
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found or "")


def _host(location: Any) -> str:
    node = getattr(location.group, "system_tree_parent", None)
    return str(node.name) if node is not None else ""
