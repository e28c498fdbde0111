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
from stridewise.imports.recording import Call, RankCalls, Record, Recording
from stridewise.runs.mpi.shard_file import NOBODY, NONE, Flag
from stridewise.runs.mpi.trace import Frame

_FIRST, _LAST = ("MPI_Init", "MPI_Init_thread"), "MPI_Finalize"
_MESSAGE = int(Flag.SEND | Flag.RECV | Flag.COLLECTIVE | Flag.START | Flag.COMPLETE)
_NO_ADDRESSES = "where buffers lay: messages that could be joined into one (mpi-tiny-messages) are not found"
_NO_PAYLOADS = "what messages carried: repeated exchanges (mpi-duplicate-exchange) are not found"
_NO_TYPES = "datatypes: strided halos (mpi-strided-halo) are not found"
_NO_EFFECTS = (
    "sleep and output outside MPI: they count as computing, and no finding is more than medium, since output may need "
    "an order that nothing else shows"
)
_NO_LINES = "lines of calls: places are the functions that call, at their first lines"
_NO_FUNCTIONS = "functions of the program: calls have no places"


def read(path: Path, table: Sequence[tuple[str, int]]) -> Recording:
    """`table`: name and event flags of each call, by number. Raises Failure."""
    otf2 = module()
    if not path.is_file():
        raise Failure(f"no trace {path}; name the anchor file, traces.otf2")
    try:
        with otf2.reader.open(str(path)) as archive:
            return _Reader(otf2, archive, table).read()
    except Failure:
        raise
    except Exception as error:  # otf2 has errors of its own, and those of Python for damaged definitions
        raise Failure(f"cannot read {path}: {error}") from error


class _Thread:
    """One location: its open regions, and the call of MPI that it is in."""

    def __init__(self, rank: int, thread: int) -> None:
        self.rank, self.thread = rank, thread
        self.stack: list[Any] = []
        self.call: Call | None = None
        self.depth = 0  # of the stack below the call
        self.started: dict[int, Record] = {}


class _Reader:
    def __init__(self, otf2: Any, archive: Any, table: Sequence[tuple[str, int]]) -> None:
        self.otf2, self.archive = otf2, archive
        self.numbers = {name: number for number, (name, _) in enumerate(table)}
        self.flags = [flags for _, flags in table]
        self.recording = Recording(_held(archive, "GetCreator"), _held(archive, "GetDescription"))
        self.unit = 1e9 / archive.timer_resolution
        self.origin = archive.definitions.clock_properties.global_offset or 0
        self.comms: dict[int, int] = {}
        self.paths: dict[tuple[tuple[int, ...], int], int] = {}
        self.frames: dict[int, Frame | None] = {}
        self.phases: dict[str, int] = {}
        self.entered: dict[tuple[int, int], int] = {}  # by rank and phase
        self.told: set[str] = set()

    def read(self) -> Recording:
        threads = self._threads()
        kinds = self.otf2.events
        by_type: dict[Any, Callable[[_Thread, Any, int], None]] = {
            kinds.Enter: self._enter,
            kinds.Leave: self._leave,
            kinds.MpiSend: self._mpi_send,
            kinds.MpiRecv: self._mpi_recv,
            kinds.MpiIsend: self._mpi_isend,
            kinds.MpiIrecvRequest: self._mpi_irecv_request,
            kinds.MpiIsendComplete: self._mpi_isend_complete,
            kinds.MpiIrecv: self._mpi_irecv,
            kinds.MpiCollectiveEnd: self._mpi_collective_end,
        }
        for location, event in self.archive.events:
            thread = threads.get(location._ref)
            act = by_type.get(type(event))
            if thread is not None and act is not None:
                act(thread, event, round((event.time - self.origin) * self.unit) + 1)
        for (rank, phase), since in self.entered.items():
            self._stay(rank, phase, since, self.recording.ranks[rank].last)
        if not any(rank.calls for rank in self.recording.ranks):
            raise Failure("the trace holds no call of MPI")
        for rank_calls in self.recording.ranks:
            if len({call.thread for call in rank_calls.calls}) > 1:
                rank_calls.thread_level = 3  # calls of its threads may overlap
        self._say()
        return self.recording

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
        rank, region = self.recording.ranks[thread.rank], event.region
        rank.last = max(rank.last, at)
        thread.stack.append(region)
        if thread.call is not None:
            return
        if region.name == _LAST:
            rank.end = at
            told = [self._attribute(event, name) for name in USAGE]
            rank.thread_level, rank.usage = told[0], tuple(told[1:]) if any(told[1:]) else ()
        elif region.name in self.numbers and region.name not in _FIRST:
            thread.call = Call(self.numbers[region.name], at, self._path(thread.stack[:-1]), thread.thread)
            thread.call.flags = self._attribute(event, FLAGS)
            thread.depth = len(thread.stack) - 1
        elif (phase := self._phase(region)) and thread.thread == 0:
            self.entered[thread.rank, phase] = at

    def _leave(self, thread: _Thread, event: Any, at: int) -> None:
        rank = self.recording.ranks[thread.rank]
        rank.last = max(rank.last, at)
        if event.region.name in _FIRST:
            rank.begin = at
        if thread.stack:
            thread.stack.pop()
        if thread.call is not None:
            if len(thread.stack) <= thread.depth:
                thread.call.end = at
                rank.calls.append(thread.call)
                thread.call = None
        elif (phase := self._phase(event.region)) and thread.thread == 0:
            since = self.entered.pop((thread.rank, phase), None)
            if since is not None:
                self._stay(thread.rank, phase, since, at)

    def _stay(self, rank: int, phase: int, since: int, until: int) -> None:
        known = self.recording.ranks[rank].phases.setdefault(phase, [0, 0])
        known[0] += 1
        known[1] += until - since

    def _phase(self, region: Any) -> int:
        """From 1; 0 for a region that is none."""
        if not region.region_flags.value & self.otf2.RegionFlag.PHASE.value:
            return 0
        if region.name not in self.phases:
            self.phases[region.name] = len(self.phases) + 1
            self.recording.phases.append(region.name)
        return self.phases[region.name]

    def _path(self, stack: Sequence[Any]) -> int:
        phase, frames = 0, []
        for region in reversed(stack):
            named = self._phase(region)
            phase = phase or named
            if not named and self._frame(region) is not None:
                frames.append(region._ref)
        key = (tuple(frames), phase)
        if key not in self.paths:
            self.paths[key] = len(self.paths)
            known = tuple(frame for ref in frames if (frame := self.frames[ref]) is not None)
            self.recording.paths.append((known or (Frame("", "", 0),), phase))
        return self.paths[key]

    def _frame(self, region: Any) -> Frame | None:
        """None for what stands in no source of the program: regions of MPI, of a runtime, of the whole program."""
        if region._ref not in self.frames:
            paradigm, roles = self.otf2.Paradigm, self.otf2.RegionRole
            own = region.paradigm in (paradigm.USER, paradigm.COMPILER, paradigm.UNKNOWN, paradigm.SAMPLING)
            line = region.begin_line_number
            line = 0 if line == 0xFFFFFFFF else line
            self.frames[region._ref] = None
            if own:
                self.frames[region._ref] = Frame(
                    region.name, region.source_file or "", line, user=region.region_role != roles.ARTIFICIAL,
                    wrapper=region.region_role == roles.WRAPPER,
                )  # fmt: skip
                self.told |= {"functions", *(["lines"] if region.description == "the line is that of the call" else [])}
        return self.frames[region._ref]

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
        record = Record(own or flags | kind & ~int(Flag.WAIT | Flag.FULL_SYNC | Flag.BARRIER), **more)
        record.address, record.payload = self._attribute(event, ADDRESS), self._attribute(event, PAYLOAD)
        thread.call.records.append(record)
        return record

    def _peer(self, event: Any, local: int) -> int:
        try:
            return self.ranks.get(event.communicator.location(local)._ref, NOBODY)
        except (AttributeError, IndexError, KeyError):
            return NOBODY

    def _comm(self, comm: Any) -> int:
        if comm._ref not in self.comms:
            group, groups = comm.group, self.otf2.GroupType
            members = () if group.group_type == groups.COMM_SELF else tuple(self.ranks[m._ref] for m in group.members)
            world = members == tuple(range(len(self.world))) and "WORLD" in comm.name.upper()
            stable = 1 if world else 2 if not members else 16 + comm._ref
            self.comms[comm._ref] = len(self.recording.comms)
            self.recording.comms.append((stable, members))
        return self.comms[comm._ref]

    def _message(self, thread: _Thread, event: Any, flags: int, peer: int, request: int = 0) -> Record | None:
        tag = event.msg_tag - (1 << 32) if event.msg_tag >= 1 << 31 else event.msg_tag
        return self._add(
            thread, event, flags, comm=self._comm(event.communicator), peer=self._peer(event, peer), tag=tag,
            bytes=event.msg_length, request=request,
        )  # fmt: skip

    def _mpi_send(self, thread: _Thread, event: Any, _at: int) -> None:
        self._message(thread, event, Flag.SEND, event.receiver)

    def _mpi_recv(self, thread: _Thread, event: Any, _at: int) -> None:
        self._message(thread, event, Flag.RECV, event.sender)

    def _mpi_isend(self, thread: _Thread, event: Any, _at: int) -> None:
        record = self._message(thread, event, Flag.SEND | Flag.START, event.receiver, event.request_id)
        if record is not None:
            thread.started[event.request_id] = record

    def _mpi_irecv_request(self, thread: _Thread, event: Any, _at: int) -> None:
        record = self._add(thread, event, Flag.RECV | Flag.START, request=event.request_id)
        if record is not None:
            thread.started[event.request_id] = record

    def _mpi_isend_complete(self, thread: _Thread, event: Any, _at: int) -> None:
        start = thread.started.pop(event.request_id, None)
        record = self._add(thread, event, Flag.SEND | Flag.COMPLETE, request=event.request_id)
        if record is not None and start is not None:
            record.comm, record.peer, record.tag, record.bytes = start.comm, start.peer, start.tag, start.bytes
            record.start = start

    def _mpi_irecv(self, thread: _Thread, event: Any, _at: int) -> None:
        start = thread.started.pop(event.request_id, None)
        record = self._message(thread, event, Flag.RECV | Flag.COMPLETE, event.sender, event.request_id)
        if record is not None and start is not None:
            record.start = start
            start.comm, start.peer, start.tag, start.bytes = record.comm, record.peer, record.tag, record.bytes

    def _mpi_collective_end(self, thread: _Thread, event: Any, _at: int) -> None:
        if thread.call is None or not self.flags[thread.call.number] & Flag.COLLECTIVE:
            return
        kind = self.flags[thread.call.number]
        size = event.size_sent or event.size_received
        flags = kind & int(Flag.COLLECTIVE | Flag.BARRIER | Flag.FULL_SYNC | Flag.COMM)
        if not size and not flags & Flag.BARRIER:
            flags &= ~int(Flag.FULL_SYNC)
        root = event.root if isinstance(event.root, int) else NONE
        self._add(
            thread, event, flags, comm=self._comm(event.communicator), bytes=size,
            peer=self._peer(event, root) if root < len(self.world) else NOBODY,
        )  # fmt: skip
        if thread.call.records:
            thread.call.records[-1].flags |= flags & int(Flag.BARRIER | Flag.FULL_SYNC)

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
