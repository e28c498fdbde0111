"""What a placement run left: where the pages of big arrays lie, and from which nodes threads use them.

One JSON file for each process, written by runtime/placement/write.c and read here with suspicion. docs/placement.md
says how the figures come about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, TypeGuard, TypeVar

from stridewise.runs.mpi.trace import Address, Frame, Module

VERSION = 1
_MOST_NODES = 1 << 16
_RUNTIMES = re.compile(
    r"lib(omp|gomp|iomp5|stridewise_\w+|mpi\w*|open-(pal|rte)|pmix|uc[pst]|uct_\w+|fabric|psm2?|hwloc)\b"
)

T = TypeVar("T")


class PlacementError(ValueError):
    """A file that is no placement; the text says where."""


@dataclass(frozen=True, slots=True)
class Array:
    """The allocations of one call path, or a static variable (`symbol`).

    `pages` are sampled pages by node, `absent` those that nobody had touched; `uses` are sampled accesses by the node
    of the thread and that of the page.
    """

    symbol: str
    callers: tuple[Address, ...]
    allocations: int
    bytes: int
    largest: int
    pages: tuple[int, ...]
    absent: int
    uses: Mapping[tuple[int, int], int]
    users: int  # threads that were seen to use it
    frames: tuple[Frame, ...] = ()  # innermost first, empty until the run is symbolised
    recycled: bool = False  # mostly memory that was in use before: who writes it first does not place it

    @property
    def site(self) -> Frame | None:
        """The innermost line of the user's code on the call path."""
        return next((f for f in self.frames if f.user and f.known), None)

    @property
    def samples(self) -> int:
        return sum(self.uses.values())

    @property
    def remote_share(self) -> float:
        """Of the sampled accesses, those of a page on another node than the thread's."""
        return sum(n for (thread, page), n in self.uses.items() if thread != page) / max(1, self.samples)

    @property
    def node_shares(self) -> tuple[float, ...]:
        """Of the pages that were touched, how many lie on each node."""
        return tuple(count / max(1, sum(self.pages)) for count in self.pages)

    @property
    def user_shares(self) -> dict[int, float]:
        """Of the sampled accesses, how many were made from each node."""
        shares: dict[int, float] = {}
        for (thread, _), count in self.uses.items():
            shares[thread] = shares.get(thread, 0.0) + count / max(1, self.samples)
        return shares


@dataclass(frozen=True, slots=True)
class Thread:
    tid: int
    samples: int
    switches: int  # samples on another processor than the one before
    cpu: int  # of the last sample, -1 without one
    allowed: int  # processors in its mask
    nodes: tuple[int, ...]  # samples on each node


@dataclass(frozen=True, slots=True)
class Placement:
    """One process."""

    file: str
    pid: int
    rank: int  # -1 without MPI
    host: str
    nodes: int  # memory nodes of the machine
    page_bytes: int
    seconds: float
    samples: int
    balancing: bool  # the kernel moves pages to their users
    operands: bool  # accesses could be read from the code (x86-64)
    lost_allocations: int
    lost_threads: int
    modules: tuple[Module, ...]
    arrays: tuple[Array, ...]
    threads: tuple[Thread, ...]

    @property
    def executable(self) -> str:
        return self.modules[0].path if self.modules else ""

    def runtime(self, array: Array) -> str:
        """The runtime library that allocated it for itself; empty for the program's own arrays."""
        module = array.callers[0].module if array.callers else None
        name = PurePath(self.modules[module].path).name if module is not None else ""
        return name if _RUNTIMES.match(name) else ""

    def with_frames(self, frames: Mapping[Address, Sequence[Frame]]) -> Placement:
        arrays = tuple(replace(a, frames=tuple(f for c in a.callers for f in frames.get(c, ()))) for a in self.arrays)
        return replace(self, arrays=arrays)


def load(path: Path) -> Placement:
    """Raises PlacementError or OSError."""
    try:
        value = json.loads(path.read_bytes())
    except ValueError as error:
        raise PlacementError(f"it is no JSON ({error}); the process was killed while it wrote") from error
    o = _Object(value, "")
    if o.raw.get("version") != VERSION:
        raise PlacementError(f"version {o.raw.get('version')!r} is not known (this is version {VERSION})")
    modules = o.each("modules", lambda m: Module(m.text("path"), m.text("build_id")))
    return Placement(
        file=str(path),
        pid=o.integer("pid"),
        rank=o.integer("rank", -1),
        host=o.text("host"),
        nodes=o.integer("nodes", 1, _MOST_NODES),
        page_bytes=o.integer("page_bytes", 1),
        seconds=o.number("seconds"),
        samples=o.integer("samples"),
        balancing=o.raw.get("balancing") is True,
        operands=o.raw.get("operands") is True,
        lost_allocations=o.integer("lost_allocations"),
        lost_threads=o.integer("lost_threads"),
        modules=modules,
        arrays=o.each("arrays", lambda a: _array(a, len(modules))),
        threads=o.each("threads", _thread),
    )


class _Object:
    """Typed access to an untrusted object."""

    def __init__(self, value: Any, where: str) -> None:
        if not isinstance(value, dict):
            raise PlacementError(f"{where or 'it'} is no object")
        self.raw: dict[str, Any] = value
        self.where = f"{where}." if where else ""

    def wrong(self, name: str, wanted: str) -> PlacementError:
        return PlacementError(f"{self.where}{name} is no {wanted}")

    def text(self, name: str) -> str:
        value = self.raw.get(name, "")
        if not isinstance(value, str):
            raise self.wrong(name, "text")
        return value

    def integer(self, name: str, least: int = 0, most: int = 1 << 64) -> int:
        value = self.raw.get(name)
        if not _is_integer(value) or not least <= value <= most:
            raise self.wrong(name, "number in its range")
        return value

    def number(self, name: str) -> float:
        value = self.raw.get(name)
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < float("inf"):
            raise self.wrong(name, "number of seconds")
        return float(value)

    def counts(self, name: str) -> tuple[int, ...]:
        value = self.raw.get(name)
        if not isinstance(value, list) or not all(_is_integer(v) and v >= 0 for v in value):
            raise self.wrong(name, "list of counts")
        return tuple(value)

    def rows(self, name: str, width: int) -> list[list[int]]:
        value = self.raw.get(name)
        if not isinstance(value, list) or not all(
            isinstance(row, list) and len(row) == width and all(map(_is_integer, row)) for row in value
        ):
            raise self.wrong(name, f"list of {width} numbers each")
        return value

    def each(self, name: str, make: Callable[[_Object], T]) -> tuple[T, ...]:
        value = self.raw.get(name)
        if not isinstance(value, list):
            raise self.wrong(name, "list")
        return tuple(make(_Object(item, f"{self.where}{name}[{i}]")) for i, item in enumerate(value))


def _is_integer(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _array(o: _Object, modules: int) -> Array:
    callers = o.rows("callers", 2)
    if any(not -1 <= module < modules or value < 0 for module, value in callers):
        raise o.wrong("callers", "list of places in the modules")
    uses = o.rows("uses", 3)
    if any(not (0 <= thread < _MOST_NODES and 0 <= page < _MOST_NODES and n >= 0) for thread, page, n in uses):
        raise o.wrong("uses", "list of nodes and counts")
    return Array(
        symbol=o.text("symbol"),
        callers=tuple(Address(None if module < 0 else module, value) for module, value in callers),
        allocations=o.integer("allocations"),
        bytes=o.integer("bytes"),
        largest=o.integer("largest"),
        pages=o.counts("pages"),
        absent=o.integer("pages_absent"),
        uses={(thread, page): n for thread, page, n in uses},
        users=o.integer("users"),
        recycled=2 * o.integer("recycled") > o.integer("checked"),
    )


def _thread(o: _Object) -> Thread:
    return Thread(
        o.integer("tid"),
        o.integer("samples"),
        o.integer("switches"),
        o.integer("cpu", -1),
        o.integer("allowed"),
        o.counts("nodes"),
    )
