"""An MPI run as data for pictures: who was at what when, who sent to whom, how large, who waited where for whom.

Events are joined where there are more than a page can hold: what lies closest together first, so that what is far apart
stays apart. Nothing here decides anything: the figures are those of the trace.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Any

from stridewise.patterns._mpi import place
from stridewise.runs.mpi.timeline import NO_PATH, RankCalls, Timeline
from stridewise.runs.mpi.trace import Trace

STATES = ("computing", "sending", "receiving", "completing", "collective", "barrier", "files", "other MPI")
_INTERVALS = 240_000  # of all rows together
_MATRIX = 256  # ranks in a matrix; more are joined in blocks
_WAIT_PLACES = 12
_NODES, _LEAST_OF_RUN = 400, 0.001  # of the call tree
_COLLECTIVE = re.compile(
    r"MPI_I?(Bcast|Gather|Scatter|Allgather|Alltoall|Reduce|Allreduce|Scan|Exscan|Neighbor|bcast|gather|scatter|"
    r"allgather|alltoall|reduce|allreduce|scan|exscan|neighbor)"
)


def state(call: str) -> int:
    """Index into STATES."""
    name = call.removeprefix("MPI_").lower()
    if name in ("barrier", "ibarrier"):
        return 5
    if name.startswith("file_"):
        return 6
    if _COLLECTIVE.match(call):
        return 4
    if name.startswith(("wait", "test")):
        return 3
    if ("recv" in name and "send" not in name) or "probe" in name:
        return 2
    return 1 if "send" in name or name.startswith("start") else 7


def views(trace: Trace, timeline: Timeline | None) -> dict[str, Any]:
    """Without a timeline the parts that need none."""
    out: dict[str, Any] = {
        "ranks": [rank.rank for rank in trace.ranks],
        "seconds": trace.summary.wall_seconds,
        "traffic": _traffic(trace),
        "waits": _waits(trace),
        "efficiency": _tree(trace),
        "paths": _paths(trace),
    }
    if timeline is not None:
        out["timeline"] = _rows(trace, timeline)
        out["sizes"] = [[bucket, count, size] for bucket, count, size in timeline.sizes]
    return out


def _tree(trace: Trace) -> list[dict[str, Any]]:
    """The POP model: each efficiency with the one that it is a factor of."""
    whole = trace.summary
    known = (
        ("parallel efficiency", "", whole.parallel_efficiency),
        ("load balance", "parallel efficiency", whole.load_balance),
        ("communication", "parallel efficiency", whole.communication_efficiency),
        ("serialisation", "communication", whole.serialisation_efficiency),
        ("transfer", "communication", whole.transfer_efficiency),
    )
    return [{"name": n, "of": parent, "share": share} for n, parent, share in known if share is not None]


def _paths(trace: Trace) -> list[list[Any]]:
    """The call tree of MPI, parents before children: [label, number of the parent or -1, mean nanoseconds of the
    ranks, calls, file, line]. A node has the time of all below it; what takes hardly any of the run is in its parent
    alone."""
    ranks = max(1, len(trace.ranks))
    sums: dict[tuple[tuple[str, str, int], ...], list[int]] = defaultdict(lambda: [0, 0])
    for call in trace.calls:
        if not call.call.startswith("MPI_") or call.path is None:
            continue
        frames = [f for f in trace.paths[call.path].frames if f.user and f.known]
        steps = [(f"{f.function} {PurePath(f.file).name}:{f.line}", f.file, f.line) for f in reversed(frames)]
        phase = trace.phase_of(call.path)
        last = frames[0] if frames else None
        steps = [
            ("MPI", "", 0),
            *([(f"[{phase}]", "", 0)] if phase else []),
            *steps,
            (call.call, last.file if last else "", last.line if last else 0),
        ]
        taken = round(1e9 * sum(call.rank_seconds) / ranks)  # whole numbers: parts add up to the whole
        for depth in range(1, len(steps) + 1):
            known = sums[tuple(steps[:depth])]
            known[0] += taken
            known[1] += call.count
    least = 1e9 * _LEAST_OF_RUN * trace.summary.wall_seconds
    kept = [key for key, (taken, _) in sums.items() if taken >= least or len(key) == 1]
    dearest = sorted(kept, key=lambda key: (-sums[key][0], len(key)))[:_NODES]  # a parent has at least its child's time
    numbers = {key: number for number, key in enumerate(dearest)}
    return [[key[-1][0], numbers.get(key[:-1], -1), *sums[key], key[-1][1], key[-1][2]] for key in dearest]


def _traffic(trace: Trace) -> dict[str, Any]:
    """Messages and bytes by sender and receiver, as a list of cells; `step` ranks are one row."""
    ranks = len(trace.ranks)
    step = -(-ranks // _MATRIX) if ranks else 1
    cells: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
    for source, target, messages, size in trace.traffic:
        cell = cells[source // step, target // step]
        cell[0] += messages
        cell[1] += size
    return {"step": step, "size": -(-ranks // step), "cells": [[s, t, *c] for (s, t), c in sorted(cells.items())]}


def label(trace: Trace, path: int, call: str = "") -> str:
    at = place(trace, path)
    where = f"{PurePath(at.file).name}:{at.line}" if at.line else at.function
    phase = trace.phase_of(path)
    return " ".join(filter(None, (call, where, f"[{phase}]" if phase else "")))


def _waits(trace: Trace) -> dict[str, Any]:
    """Seconds that each rank waited at the dearest places, and for whom."""
    by_place: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    culprits: dict[tuple[str, int], float] = defaultdict(float)
    names = {call.path: call.call for call in trace.calls if call.path is not None and call.call.startswith("MPI_")}
    where: dict[str, dict[str, Any]] = {}
    for wait in trace.waits:
        name = f"{label(trace, wait.path, names.get(wait.path, ''))} ({wait.kind})"
        at = place(trace, wait.path)
        where[name] = {"label": name, "file": at.file, "line": at.line}
        for rank, seconds in wait.waiting:
            by_place[name][rank] += seconds
        for rank, seconds in wait.culprits:
            culprits[name, rank] += seconds
    dearest = sorted(by_place, key=lambda n: -sum(by_place[n].values()))[:_WAIT_PLACES]
    ranks = range(len(trace.ranks))
    blamed = sorted(culprits.items(), key=lambda item: -item[1])[:_WAIT_PLACES]
    return {
        "places": [where[name] for name in dearest],
        "seconds": [[round(by_place[name].get(rank, 0.0), 6) for rank in ranks] for name in dearest],
        "culprits": [
            {"at": name, "rank": trace.ranks[rank].rank, "seconds": round(seconds, 6)}
            for (name, rank), seconds in blamed
        ],
    }


def _rows(trace: Trace, timeline: Timeline) -> dict[str, Any]:
    """A row for each thread of each rank: [gap, duration, busy, code, …] in units, code = place * 8 + state."""
    unit = 100 if trace.summary.wall_seconds < 10 else 1000
    states = [state(name) for name in timeline.calls]
    places: dict[tuple[int, int], int] = {}
    shown: list[dict[str, Any]] = [{"label": "", "file": "", "line": 0}]

    def code(path: int, call: int) -> int:
        key = (path, call)
        if key not in places:
            if path == NO_PATH or path >= len(trace.paths):
                one = {"label": timeline.calls[call], "file": "", "line": 0}
            else:
                at = place(trace, path)
                one = {"label": label(trace, path, timeline.calls[call]), "file": at.file, "line": at.line}
            if one not in shown:
                shown.append(one)
            places[key] = 8 * shown.index(one) + states[call]
        return places[key]

    threads = [(rank, thread) for rank in timeline.ranks for thread in sorted(set(rank.thread) | {0})]
    most = max(64, _INTERVALS // max(1, len(threads)))
    several = len(threads) > len(timeline.ranks)
    rows, joined = [], 0
    for rank, thread in threads:
        intervals = _intervals(rank, thread, several, code)
        kept = _closest_joined(intervals, most)
        joined += len(intervals) - len(kept)
        name = f"rank {rank.rank}" + (f", thread {thread}" if several else "")
        rows.append(
            {
                "label": name,
                "begin": max(0, rank.begin_ns) // unit,
                "end": max(rank.end_ns, kept[-1][1] if kept else 0) // unit,
                "data": _packed(kept, unit),
            }
        )
    return {"unit_ns": unit, "rows": rows, "places": shown, "joined": joined}


def _intervals(rank: RankCalls, thread: int, several: bool, code: Any) -> list[tuple[int, int, int, int]]:
    """Begin, end, nanoseconds in MPI and code of each call, by begin."""
    columns = zip(rank.begin, rank.end, rank.path, rank.call, rank.thread, strict=True)
    found = [(b, e, e - b, code(p, c)) for b, e, p, c, t in columns if not several or t == thread]
    found.sort()
    return found


def _closest_joined(intervals: Sequence[tuple[int, int, int, int]], most: int) -> Sequence[tuple[int, int, int, int]]:
    """At most so many: the smallest gaps are closed. A joined one has the code of its longest part."""
    if len(intervals) <= most:
        return intervals
    gaps = sorted(after[0] - before[1] for before, after in pairwise(intervals))
    limit = gaps[len(intervals) - most - 1]
    out: list[tuple[int, int, int, int]] = []
    begin, end, busy, kind = intervals[0]
    longest = busy
    for first, last, taken, other in intervals[1:]:
        if first - end <= limit:
            end = max(end, last)
            busy += taken
            if taken > longest:
                longest, kind = taken, other
        else:
            out.append((begin, end, busy, kind))
            begin, end, busy, kind, longest = first, last, taken, other, taken
    out.append((begin, end, busy, kind))
    return out


def _packed(intervals: Sequence[tuple[int, int, int, int]], unit: int) -> list[int]:
    packed: list[int] = []
    before = 0
    for begin, end, busy, kind in intervals:
        start = max(begin // unit, before)
        length = max(1, -(-end // unit) - start)
        packed += (start - before, length, min(length, max(1, busy // unit)), kind)
        before = start + length
    return packed
