"""speedscope's file format: of each rank the call paths that led to MPI, in the order of time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from stridewise import __version__
from stridewise.runs.mpi.timeline import NO_PATH, RankCalls, Timeline
from stridewise.runs.mpi.trace import Trace

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class _Frames:
    """Every function and call once, by number."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._numbers: dict[tuple[str, str, int], int] = {}
        self._paths: dict[tuple[int, str], tuple[int, ...]] = {}

    def stack(self, path: int, call: str) -> tuple[int, ...]:
        """Outermost first, the call of MPI last."""
        if (path, call) not in self._paths:
            known = self._trace.paths[path].frames if path != NO_PATH and path < len(self._trace.paths) else ()
            named = [(f.function or "unknown", f.file, f.line) for f in reversed(known) if f.user or f.known]
            self._paths[path, call] = tuple(self._number(one) for one in (*named, (call, "", 0)))
        return self._paths[path, call]

    def _number(self, frame: tuple[str, str, int]) -> int:
        return self._numbers.setdefault(frame, len(self._numbers))

    def listed(self) -> list[dict[str, Any]]:
        return [
            {"name": n, **({"file": f} if f else {}), **({"line": at} if at > 0 else {})} for n, f, at in self._numbers
        ]


def pieces(trace: Trace, timeline: Timeline) -> Iterator[str]:
    frames = _Frames(trace)
    yield '{"$schema":' + json.dumps(_SCHEMA) + ',"exporter":' + json.dumps(f"stridewise {__version__}")
    yield ',"name":' + json.dumps(PurePath(trace.job.executable).name) + ',"profiles":[\n'
    first = True
    for rank in timeline.ranks:
        for thread in sorted(set(rank.thread)):
            yield ("" if first else ",\n") + json.dumps(_profile(rank, thread, timeline, frames), separators=(",", ":"))
            first = False
    yield '\n],"shared":{"frames":' + json.dumps(frames.listed(), separators=(",", ":")) + "}}\n"


def _profile(rank: RankCalls, thread: int, timeline: Timeline, frames: _Frames) -> dict[str, Any]:
    calls = sorted(
        (begin, rank.end[i], rank.path[i], rank.call[i])
        for i, begin in enumerate(rank.begin)
        if rank.thread[i] == thread
    )
    events: list[dict[str, Any]] = []
    before = start = max(0, min(rank.begin_ns, calls[0][0]))
    for begin, end, path, call in calls:
        opened = max(begin, before)
        closed = max(end, opened)
        stack = frames.stack(path, timeline.calls[call])
        events += [{"type": "O", "frame": frame, "at": opened} for frame in stack]
        events += [{"type": "C", "frame": frame, "at": closed} for frame in reversed(stack)]
        before = closed
    return {
        "type": "evented",
        "name": f"rank {rank.rank}" + (f", thread {thread}" if thread else ""),
        "unit": "nanoseconds",
        "startValue": start,
        "endValue": max(before, rank.end_ns),
        "events": events,
    }
