"""The roofline of a run: what each loop computes and moves, and the least time that takes on this machine.

Williams, Waterman, Patterson: Roofline, CACM 52 (2009). A loop's operational intensity is its floating-point operations
by the bytes that it moves; no loop is quicker than its operations at the peak of a core, or its bytes at the bandwidth
of what they come from. Two traffics are simulated: between the first level and what is behind it (its bandwidth is that
of the second level, which is the most that it can be), and between the last level and the memory (lines fetched and
written back).

`keep` disassembles when the run ends, while the programs are those that ran; reports read what it leaves.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from stridewise.errors import Failure
from stridewise.finding.profile import Look
from stridewise.finding.quantities import seconds
from stridewise.finding.table import Table
from stridewise.machine.machine_file import MachineFile
from stridewise.output import write_file
from stridewise.runs import typed_json
from stridewise.runs.cache import instructions, machine_code
from stridewise.runs.cache.cachegrind import UNKNOWN_FILE, ProfileError, base_name
from stridewise.runs.cache.instructions import Instruction
from stridewise.runs.cache.loops import Loop, loops

KEPT = "loops.json"
_LEAST_SHARE = 0.001  # of the instructions: programs and libraries that ran less are not disassembled
_SHOWN, _SHOWN_SHARE = 20, 0.005  # rows, and their least share of the time or of the operations
_NAME_WIDTH = 48
_DEAREST, _WORTH_A_LOOK = 2, 0.1  # loops that are named first, and their least share of the instructions


@dataclass(frozen=True, slots=True)
class Work:
    """What a loop (or what of a function is in none) did, over all processes: operations by precision, bytes between
    the first level and the next, bytes between the last level and memory."""

    function: str
    file: str
    line: int
    is_loop: bool
    instructions: int
    scalar: tuple[tuple[str, int], ...]
    packed: tuple[tuple[str, int], ...]
    inner_bytes: int
    memory_bytes: int

    @property
    def flops(self) -> int:
        return sum(n for _, n in (*self.scalar, *self.packed))

    @property
    def packed_flops(self) -> int:
        return sum(n for _, n in self.packed)


@dataclass(frozen=True, slots=True)
class Kept:
    """What `keep` leaves: `version` is that of the file; `unread` are programs that could not be disassembled."""

    version: int
    processes: int
    work: tuple[Work, ...]
    unread: tuple[str, ...] = ()


def keep(profiles: Sequence[Path], line_bytes: int, target: Path) -> None:
    """Reads the profiles of all processes, disassembles what ran, and writes what each loop did. Raises Failure."""
    try:
        with ExitStack() as stack:
            streams = [stack.enter_context(p.open(encoding="utf-8", errors="surrogateescape")) for p in profiles]
            found = instructions.read(streams)
    except (OSError, ProfileError) as error:
        raise Failure(f"no roofline: {error}") from error
    whole = sum(one.executed.times for code in found.values() for one in code.values())
    work, unread = list[Work](), list[str]()
    for name, executed in found.items():
        if sum(one.executed.times for one in executed.values()) >= _LEAST_SHARE * whole:
            try:
                work += _work_of(name, executed, line_bytes)
            except Failure as error:
                unread.append(str(error))
    kept = Kept(1, len(profiles), tuple(work), tuple(unread))
    write_file(target, json.dumps(asdict(kept), indent=1) + "\n")


def _work_of(name: str, executed: Mapping[int, Instruction], line_bytes: int) -> list[Work]:
    """Of one program or library. What has no file (the loader's pages) computes nothing that is known."""
    path = Path(name)
    code = machine_code.operations(path, min(executed), max(executed)) if path.is_file() else []
    return [_work(one, line_bytes) for one in loops(code, executed)]


def _work(loop: Loop, line_bytes: int) -> Work:
    done = loop.executed
    return Work(
        function=loop.function,
        file=loop.file,
        line=loop.line,
        is_loop=loop.is_loop,
        instructions=done.times,
        scalar=tuple(sorted(loop.scalar.items())),
        packed=tuple(sorted(loop.packed.items())),
        inner_bytes=done.fetched * line_bytes,
        memory_bytes=(done.from_memory + done.to_memory) * line_bytes,
    )


def read(paths: Iterable[Path]) -> Kept | None:
    """What `keep` left in these files, added up; None if there are none. Raises Failure for one that is damaged."""
    found: list[Kept] = []
    for path in paths:
        try:
            one = typed_json.decode(Kept, json.loads(path.read_text(encoding="utf-8")), "")
            if one.version != 1:
                raise ValueError(f"version {one.version} is not known")
        except (OSError, ValueError) as error:
            raise Failure(f"cannot read {path}: {error}; run the program again") from error
        found.append(one)
    if not found:
        return None
    return Kept(
        1,
        sum(one.processes for one in found),
        tuple(work for one in found for work in one.work),
        tuple(dict.fromkeys(text for one in found for text in one.unread)),
    )


# --- Ceilings ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What one core can do, when as many of them are at work as the run has processes. Bytes and operations a second;
    `behind` names what the first level fetches from."""

    host: str
    memory: float
    inner: float
    behind: str
    scalar: float
    packed: Mapping[str, float]  # by precision

    def peak(self, precision: str) -> float:
        return self.packed.get(precision, self.scalar)


def ceilings(machine: MachineFile | None, processes: int) -> Ceilings | None:
    """Of a machine that was calibrated; None without what a roofline needs."""
    if machine is None or not machine.arithmetic or len(machine.memory) < 2:
        return None
    rates = {rate.name: rate.flops_per_second for rate in machine.arithmetic}
    packed = {name.removesuffix(" vector"): rate for name, rate in rates.items() if name.endswith(" vector")}
    if "scalar" not in rates or not packed:
        return None
    cores = max(1, machine.topology.cores)
    memory, behind = machine.memory[-1], machine.memory[1]
    share = 1 / max(1, min(processes, cores))
    return Ceilings(
        host=machine.host,
        memory=min(memory.bytes_per_second, memory.bytes_per_second_all * share),
        inner=min(behind.bytes_per_second, behind.bytes_per_second_all * share),
        behind=behind.name,
        scalar=rates["scalar"],
        packed=packed,
    )


@dataclass(frozen=True, slots=True)
class Least:
    """The least seconds of each part, of all processes together; the longest bounds the loop. `scalar`: the part of
    the arithmetic that vectors would make shorter, as it is compiled."""

    memory: float
    inner: float
    arithmetic: float
    compiled: float

    @property
    def roof(self) -> float:
        return max(self.memory, self.inner, self.arithmetic)

    @property
    def seconds(self) -> float:
        return max(self.roof, self.compiled)

    def bound(self, behind: str) -> str:
        if self.seconds <= 0:
            return "-"
        if self.compiled > self.roof:
            return "scalar code"
        return {self.memory: "memory", self.inner: behind}.get(self.roof, "arithmetic")


def least(work: Work, roof: Ceilings) -> Least:
    """The time below which the loop cannot come: with vectors, and as it is compiled."""
    flops = dict(work.scalar)
    for precision, count in work.packed:
        flops[precision] = flops.get(precision, 0) + count
    return Least(
        memory=work.memory_bytes / roof.memory,
        inner=work.inner_bytes / roof.inner,
        arithmetic=sum(count / roof.peak(precision) for precision, count in flops.items()),
        compiled=sum(count / roof.scalar for _, count in work.scalar)
        + sum(count / roof.peak(precision) for precision, count in work.packed),
    )


# --- What is shown ----------------------------------------------------------------------------------------------------


def table(kept: Kept, roof: Ceilings | None) -> Table:
    """The loops that take longest at their ceilings, or that compute most where these are not known."""
    rows, data = [("whole run", *_cells(_sum(kept.work), None, kept))], []
    for work in _ordered(kept, roof):
        entry = _figures(work, roof)
        data.append(entry)
        if len(rows) <= _SHOWN and _matters(work, kept, roof):
            rows.append((_name(work), *_cells(work, roof, kept)))
    return Table(
        name="roofline",
        title=_title(kept, roof),
        columns=("", "flops", "of all", "packed", "from memory", "flops/B", "bound by", "at most", "takes ≥", "of all"),
        rows=tuple(rows),
        notes=tuple(_notes(kept, roof, len(rows) == len(data) + 1)),
        data={"processes": kept.processes, "ceilings": asdict(roof) if roof else None, "loops": data},
    )


def dearest(kept: Kept) -> tuple[Look, ...]:
    """The loops of the program in which most of its instructions are."""
    whole, flops = sum(one.instructions for one in kept.work), sum(one.flops for one in kept.work)
    known = [one for one in kept.work if one.is_loop and one.file != UNKNOWN_FILE and one.line]
    first = sorted(known, key=lambda one: (-one.instructions, one.file, one.line))[:_DEAREST]
    return tuple(
        Look(
            f"look at the loop at {_name(one)}, which takes {_percent(one.instructions, whole)} of the instructions",
            _arithmetic(one, flops),
            computing=True,
        )
        for one in first
        if one.instructions >= _WORTH_A_LOOK * whole > 0
    )


def _arithmetic(work: Work, whole: int) -> str:
    if not work.flops:
        return "no floating-point operations"
    packed = _percent(work.packed_flops, work.flops)
    return f"{_percent(work.flops, whole)} of the floating-point operations, {packed} of them in vectors"


def _sum(all_: Sequence[Work]) -> Work:
    def of(kinds: Iterable[tuple[tuple[str, int], ...]]) -> tuple[tuple[str, int], ...]:
        total: dict[str, int] = {}
        for kind in kinds:
            for precision, count in kind:
                total[precision] = total.get(precision, 0) + count
        return tuple(sorted(total.items()))

    return Work(
        function="",
        file="",
        line=0,
        is_loop=False,
        instructions=sum(one.instructions for one in all_),
        scalar=of(one.scalar for one in all_),
        packed=of(one.packed for one in all_),
        inner_bytes=sum(one.inner_bytes for one in all_),
        memory_bytes=sum(one.memory_bytes for one in all_),
    )


def _ordered(kept: Kept, roof: Ceilings | None) -> list[Work]:
    def key(work: Work) -> tuple[float, int, str, int]:
        return (-least(work, roof).seconds if roof else 0.0, -work.flops, work.file, work.line)

    return sorted((one for one in kept.work if one.flops or one.memory_bytes or one.inner_bytes), key=key)


def _matters(work: Work, kept: Kept, roof: Ceilings | None) -> bool:
    if roof:
        return least(work, roof).seconds >= _SHOWN_SHARE * _whole_seconds(kept, roof) > 0
    return work.flops >= _SHOWN_SHARE * sum(one.flops for one in kept.work) > 0


def _whole_seconds(kept: Kept, roof: Ceilings) -> float:
    return sum(least(one, roof).seconds for one in kept.work)


def _figures(work: Work, roof: Ceilings | None) -> dict[str, Any]:
    """Of a loop, as data."""
    found: dict[str, Any] = {
        "function": work.function,
        "file": work.file,
        "line": work.line,
        "loop": work.is_loop,
        "flops": work.flops,
        "packed_flops": work.packed_flops,
        "scalar": dict(work.scalar),
        "packed": dict(work.packed),
        "memory_bytes": work.memory_bytes,
        "inner_bytes": work.inner_bytes,
        "flops_per_memory_byte": work.flops / work.memory_bytes if work.memory_bytes else None,
        "flops_per_inner_byte": work.flops / work.inner_bytes if work.inner_bytes else None,
    }
    if roof:
        limit = least(work, roof)
        found |= {
            "bound": limit.bound(roof.behind),
            "least_seconds": limit.seconds,
            "roof_seconds": limit.roof,
            "flops_per_second": work.flops / limit.roof if limit.roof and work.flops else None,
        }
    return found


def _cells(work: Work, roof: Ceilings | None, kept: Kept) -> tuple[str, ...]:
    flops = sum(one.flops for one in kept.work)
    cells = (
        _amount(work.flops),
        _percent(work.flops, flops),
        _percent(work.packed_flops, work.flops),
        f"{_amount(work.memory_bytes)}B",
        _intensity(work.flops / work.memory_bytes) if work.memory_bytes and work.flops else "-",
    )
    if roof is None:
        return (*cells, "", "", "", "")
    limit = least(work, roof)
    speed = f"{_amount(work.flops / limit.roof)}flop/s" if limit.roof and work.flops else "-"
    share = _percent(limit.seconds, _whole_seconds(kept, roof))
    return (*cells, limit.bound(roof.behind), speed, seconds(limit.seconds), share)


def _name(work: Work) -> str:
    where = f"{PurePosixPath(work.file).name}:{work.line}" if work.file != UNKNOWN_FILE and work.line else ""
    name = base_name(work.function)
    text = f"{where} in {name}" if where and work.is_loop else f"{name}, outside of loops"
    return text if len(text) <= _NAME_WIDTH else text[: _NAME_WIDTH - 1] + "…"


def _title(kept: Kept, roof: Ceilings | None) -> str:
    text = "roofline"
    if roof is None:
        return text
    at_work = f" when {kept.processes} are at work" if kept.processes > 1 else ""
    peaks = ", ".join(f"{name} {_amount(rate)}flop/s" for name, rate in sorted(roof.packed.items()))
    return (
        f"{text}: a core of {roof.host or 'this machine'}{at_work} reads {_amount(roof.memory)}B/s from memory, "
        f"{_amount(roof.inner)}B/s from {roof.behind}; in vectors {peaks}, else {_amount(roof.scalar)}flop/s"
    )


def _notes(kept: Kept, roof: Ceilings | None, is_all: bool) -> Iterable[str]:
    if roof is None:
        yield "the ceilings of this machine are not known: stridewise calibrate measures them, once"
    else:
        yield (
            f"takes ≥: processor time that the run cannot come below, {seconds(_whole_seconds(kept, roof))} in all; at "
            "most: the roof above the loop's intensity; scalar code: vector instructions would lift it"
        )
    yield from kept.unread
    if not is_all:
        yield "all loops: --format json"


def view(kept: Kept, roof: Ceilings | None) -> dict[str, Any]:
    """What the picture of the page shows: ceilings, and of each loop name, intensity, its roof, and its share."""
    if roof is None:
        return {}
    whole = _whole_seconds(kept, roof)
    shown = [one for one in _ordered(kept, roof) if one.flops and one.memory_bytes and _matters(one, kept, roof)]
    points = []
    for work in shown[:_SHOWN]:
        limit = least(work, roof)
        bound = limit.bound(roof.behind)
        points.append(
            [_name(work), work.flops / work.memory_bytes, work.flops / limit.seconds, limit.seconds / whole, bound]
        )
    if not points:
        return {}
    levels = [["memory", roof.memory]]
    peaks = [*([f"{name}, vectors", rate] for name, rate in sorted(roof.packed.items())), ["scalar", roof.scalar]]
    return {"roofline": {"points": points, "levels": levels, "peaks": peaks}}


def _amount(value: float) -> str:
    """With a decimal prefix, as bandwidths and operations are given."""
    for factor, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value:.0f} "


def _intensity(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
