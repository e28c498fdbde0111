"""The file that `stridewise calibrate` keeps for each machine: what its constructs, caches and messages cost.

`machines/<host>.json` below `$XDG_CONFIG_HOME/stridewise` (default `~/.config`), or what STRIDEWISE_MACHINE names. The
members are those of `MachineFile`; docs/calibrate.md describes them. A file written by hand may hold any of them.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

from stridewise.errors import Failure

VERSION = 1
# What a hand-written file gives for messages of any MPI, as members of the file itself.
MESSAGE_MEMBERS = ("latency_seconds", "send_seconds", "bytes_per_second", "barrier_seconds")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CacheLevel:
    level: int
    bytes: int
    line_bytes: int
    shared_by: int  # logical processors that share one


@dataclass(frozen=True, slots=True)
class Topology:
    """Processors as this process may use them."""

    model: str = ""
    logical: int = 0
    cores: int = 0
    sockets: int = 0
    nodes: int = 0
    caches: tuple[CacheLevel, ...] = ()


@dataclass(frozen=True, slots=True)
class Team:
    """Seconds of each construct with that many threads; `spread` is the relative distance of the quartiles, or of
    the processes that measured it, whichever is larger."""

    threads: int
    seconds: Mapping[str, float]
    spread: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OmpRuntime:
    runtime: str  # libomp, libgomp
    compiler: str
    teams: tuple[Team, ...]


@dataclass(frozen=True, slots=True)
class MemoryLevel:
    """One cache level or the main memory: a chain of dependent loads, and a sum, over a working set that it holds."""

    name: str  # L1, L2, L3, memory
    working_set_bytes: int
    latency_seconds: float
    bytes_per_second: float  # of one core
    bytes_per_second_all: float  # of all cores together


@dataclass(frozen=True, slots=True)
class ArithmeticRate:
    """Floating-point operations of one core: multiplications and additions of independent values of `bits` bits."""

    name: str  # scalar (double, not fused), double vector, float vector
    bits: int
    flops_per_second: float


@dataclass(frozen=True, slots=True)
class Message:
    bytes: int
    seconds: float  # half a round trip
    send_seconds: float  # that the blocking send takes its sender


@dataclass(frozen=True, slots=True)
class Collective:
    call: str
    ranks: int
    bytes: int  # of each rank's buffer
    seconds: float


@dataclass(frozen=True, slots=True)
class MpiCosts:
    flavour: str  # openmpi, mpich
    version: str
    ranks: int  # the most ranks that were measured
    latency_seconds: float
    send_seconds: float
    bytes_per_second: float
    messages: tuple[Message, ...] = ()
    collectives: tuple[Collective, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineFile:
    """`given` are costs of messages written by hand. Everything else is empty where it was not measured."""

    host: str = ""
    date: str = ""
    tool_version: str = ""
    quick: bool = False
    seconds: float = 0.0  # that the measurement took
    disturbed_share: float = 0.0  # of its rounds, in which the processors got in each other's way
    topology: Topology = Topology()
    omp: tuple[OmpRuntime, ...] = ()
    memory: tuple[MemoryLevel, ...] = ()
    arithmetic: tuple[ArithmeticRate, ...] = ()
    mpi: tuple[MpiCosts, ...] = ()
    notes: tuple[str, ...] = ()
    given: Mapping[str, float] = field(default_factory=dict)

    def runtime(self, name: str) -> OmpRuntime | None:
        return next((r for r in self.omp if r.runtime == name), None)

    def flavour(self, name: str) -> MpiCosts | None:
        return next((m for m in self.mpi if m.flavour == name), None)

    def to_json(self) -> dict[str, Any]:
        value = asdict(self)
        given = value.pop("given")
        return {"version": VERSION, **value, **given}


def default_path(host: str) -> Path:
    """Where `calibrate` keeps a machine's file."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "stridewise" / "machines" / f"{safe_name(host)}.json"


def safe_name(host: str) -> str:
    """A host name (which a trace may hold, from anywhere) as the name of a file."""
    return re.sub(r"[^\w.-]", "_", host).lstrip(".") or "unnamed"


def find(host: str) -> Path | None:
    """The file with the costs of a machine, if there is one."""
    if named := os.environ.get("STRIDEWISE_MACHINE"):
        return Path(named)
    path = default_path(host)
    return path if path.is_file() else None


def load(path: Path) -> MachineFile:
    """Reads and checks a file. Raises Failure naming the file and the first wrong member."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {path}: {error}; stridewise calibrate writes it anew") from error
    try:
        return _machine(_Members(value, ""))
    except _WrongError as error:
        raise Failure(f"{path}: {error}; correct it, or let stridewise calibrate write it anew") from error


class _WrongError(ValueError):
    """The text says which member, and what is wrong with it."""


class _Members:
    """Typed access to an object that anybody may have written."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise _WrongError(f"{where.rstrip('.')}: expected an object" if where else "expected an object")
        self.raw: dict[str, Any] = value
        self._where = where

    def name(self, member: str) -> str:
        return f"{self._where}{member}"

    def text(self, member: str, default: str = "") -> str:
        value = self.raw.get(member, default)
        if not isinstance(value, str):
            raise _WrongError(f"{self.name(member)} is no text")
        return value

    def count(self, member: str) -> int:
        value = self.raw.get(member, 0)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise _WrongError(f"{self.name(member)} is no count")
        return value

    def positive(self, member: str) -> float:
        value = self.raw.get(member)
        if not _is_number(value) or not 0 < value < math.inf:
            raise _WrongError(f"{self.name(member)} is no positive number")
        return float(value)

    def seconds(self, member: str) -> float:
        value = self.raw.get(member, 0.0)
        if not _is_number(value) or not 0 <= value < math.inf:
            raise _WrongError(f"{self.name(member)} is no number of seconds")
        return float(value)

    def share(self, member: str) -> float:
        value = self.raw.get(member, 0.0)
        if not _is_number(value) or not 0 <= value <= 1:
            raise _WrongError(f"{self.name(member)} is no share")
        return float(value)

    def costs(self, member: str) -> dict[str, float]:
        inner = _Members(self.raw.get(member, {}), f"{self.name(member)}.")
        return {name: inner.seconds(name) for name in inner.raw}

    def each(self, member: str, make: Callable[[_Members], T]) -> tuple[T, ...]:
        value = self.raw.get(member, [])
        if not isinstance(value, list):
            raise _WrongError(f"{self.name(member)} is no list")
        return tuple(make(_Members(item, f"{self.name(member)}[{i}].")) for i, item in enumerate(value))


def _is_number(value: Any) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _machine(o: _Members) -> MachineFile:
    version = o.raw.get("version", VERSION)
    if version != VERSION:
        raise _WrongError(f"version {version!r} is not known (this is version {VERSION})")
    notes = o.raw.get("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise _WrongError("notes is no list of texts")
    return MachineFile(
        host=o.text("host"),
        date=o.text("date"),
        tool_version=o.text("tool_version"),
        quick=o.raw.get("quick", False) is True,
        seconds=o.seconds("seconds"),
        disturbed_share=o.share("disturbed_share"),
        topology=_topology(_Members(o.raw.get("topology", {}), "topology.")),
        omp=o.each("omp", _runtime),
        memory=o.each("memory", _level),
        arithmetic=o.each(
            "arithmetic", lambda a: ArithmeticRate(a.text("name"), a.count("bits"), a.positive("flops_per_second"))
        ),
        mpi=o.each("mpi", _mpi),
        notes=tuple(notes),
        given={name: o.positive(name) for name in MESSAGE_MEMBERS if name in o.raw},
    )


def _topology(o: _Members) -> Topology:
    return Topology(
        model=o.text("model"),
        logical=o.count("logical"),
        cores=o.count("cores"),
        sockets=o.count("sockets"),
        nodes=o.count("nodes"),
        caches=o.each(
            "caches",
            lambda c: CacheLevel(c.count("level"), c.count("bytes"), c.count("line_bytes"), c.count("shared_by")),
        ),
    )


def _runtime(o: _Members) -> OmpRuntime:
    def team(t: _Members) -> Team:
        if t.count("threads") < 1:
            raise _WrongError(f"{t.name('threads')} is no number of threads")
        return Team(t.count("threads"), t.costs("seconds"), t.costs("spread"))

    teams = sorted(o.each("teams", team), key=lambda t: t.threads)
    return OmpRuntime(o.text("runtime"), o.text("compiler"), tuple(teams))


def _level(o: _Members) -> MemoryLevel:
    return MemoryLevel(
        o.text("name"),
        o.count("working_set_bytes"),
        o.positive("latency_seconds"),
        o.positive("bytes_per_second"),
        o.positive("bytes_per_second_all"),
    )


def _mpi(o: _Members) -> MpiCosts:
    return MpiCosts(
        flavour=o.text("flavour"),
        version=o.text("version"),
        ranks=o.count("ranks"),
        latency_seconds=o.positive("latency_seconds"),
        send_seconds=o.positive("send_seconds"),
        bytes_per_second=o.positive("bytes_per_second"),
        messages=o.each(
            "messages", lambda m: Message(m.count("bytes"), m.seconds("seconds"), m.seconds("send_seconds"))
        ),
        collectives=o.each(
            "collectives",
            lambda c: Collective(c.text("call"), c.count("ranks"), c.count("bytes"), c.seconds("seconds")),
        ),
    )
