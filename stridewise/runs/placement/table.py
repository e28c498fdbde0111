"""The tables of a placement run: each array's pages and users, each thread's processors and nodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from stridewise.finding.quantities import percent
from stridewise.finding.table import Table
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.placement.records import Array, Placement

_MOST_ROWS = 30
_MIB = 1 << 20
_LONGEST_NAME = 48
_ARGUMENTS = re.compile(r"[(<].*", re.DOTALL)


def tables(runs: Sequence[Placement]) -> list[Table]:
    """Both, over all processes; the largest arrays first."""
    return [table for table in (_arrays(runs), _threads(runs)) if table.rows]


def place(array: Array, run: Placement) -> str:
    """The allocation's line and its caller, or what is known instead."""
    path = [frame for frame in array.frames if frame.user and frame.known]
    if own := run.runtime(array):
        return f"{own}'s own" + (f", from {_line(path[0])}" if path else "")
    if path:
        inner = f"{_line(path[0])} in {_plain(path[0].function)}"
        return inner if path[0].function == "main" or len(path) == 1 else f"{inner}, from {_line(path[1])}"
    if array.symbol:
        return f"static {array.symbol}"
    first = next((frame.function for frame in array.frames if frame.user), "")
    return first or Path(run.executable).name


def _line(frame: Frame) -> str:
    return f"{Path(frame.file).name}:{frame.line}"


def _plain(function: str) -> str:
    """Without result, parameters and template arguments."""
    return _ARGUMENTS.sub("", function).rpartition(" ")[2][:_LONGEST_NAME]


def _process(run: Placement) -> str:
    return f"rank {run.rank}" if run.rank >= 0 else f"process {run.pid}"


def _arrays(runs: Sequence[Placement]) -> Table:
    nodes = max((run.nodes for run in runs), default=1)
    every = sorted(((a, run) for run in runs for a in run.arrays), key=lambda pair: pair[0].bytes, reverse=True)
    several = len(runs) > 1
    rows = tuple(
        (
            place(array, run),
            *((_process(run),) if several else ()),
            f"{array.allocations:,}{' reused' if array.recycled else ''}",
            f"{array.largest / _MIB:,.4g}",
            *(_shares(array, node) for node in range(nodes)),
            str(array.users),
            f"{array.samples:,}",
            percent(array.remote_share) if array.samples and nodes > 1 else "–",
        )
        for array, run in every[:_MOST_ROWS]
    )
    columns = (
        "array, by its allocation",
        *(("process",) if several else ()),
        "times",
        "MiB",
        *(f"on node {node}" for node in range(nodes)),
        "threads",
        "samples",
        "remote",
    )
    left = len(every) - len(rows)
    data = [
        {
            "place": place(array, run),
            "process": run.pid,
            "rank": run.rank,
            "allocations": array.allocations,
            "largest_bytes": array.largest,
            "node_shares": list(array.node_shares),
            "untouched_pages": array.absent,
            "reused_memory": array.recycled,
            "threads": array.users,
            "sampled_accesses": array.samples,
            "remote_share": array.remote_share if array.samples else None,
        }
        for array, run in every
    ]
    notes = (f"and {left} smaller ones",) if left > 0 else ()
    return Table("placement_arrays", "Where big arrays lie, and who uses them", columns, rows, notes, {"arrays": data})


def _shares(array: Array, node: int) -> str:
    if not sum(array.pages):
        return "untouched" if array.absent else "–"
    return percent(array.node_shares[node]) if node < len(array.pages) else "0 %"


def _threads(runs: Sequence[Placement]) -> Table:
    seen = [(thread, run) for run in runs for thread in run.threads if thread.samples]
    rows = tuple(
        (
            f"{_process(run)}, thread {thread.tid}",
            str(thread.cpu),
            ", ".join(str(node) for node, count in enumerate(thread.nodes) if count),
            str(thread.allowed),
            f"{thread.switches:,} of {thread.samples:,}",
        )
        for thread, run in seen[:_MOST_ROWS]
    )
    data = [
        {
            "process": run.pid,
            "rank": run.rank,
            "thread": thread.tid,
            "last_cpu": thread.cpu,
            "node_samples": list(thread.nodes),
            "allowed_cpus": thread.allowed,
            "moves": thread.switches,
            "samples": thread.samples,
        }
        for thread, run in seen
    ]
    left = len(seen) - len(rows)
    return Table(
        "placement_threads",
        "Where threads ran",
        ("thread", "last cpu", "nodes", "cpus allowed", "moves by samples"),
        rows,
        (f"and {left} more threads",) if left > 0 else (),
        {"threads": data},
    )
