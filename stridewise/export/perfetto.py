"""Chrome's trace event format ("Trace Event Format", by Google), which ui.perfetto.dev and chrome://tracing open.

A process is a rank, a thread a thread of it that called MPI; a slice is a call, or a run of alike messages; an arrow is
a message, from the call that sent it to the one that received it. Times are microseconds since the first rank left
MPI_Init.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from stridewise import __version__
from stridewise.export._places import Places
from stridewise.runs.mpi.timeline import RankCalls, Timeline
from stridewise.runs.mpi.trace import Trace


def pieces(trace: Trace, timeline: Timeline) -> Iterator[str]:
    places = Places(trace)
    yield '{"traceEvents":[\n'
    first = True
    for event in _events(trace, timeline, places):
        yield ("" if first else ",\n") + json.dumps(event, separators=(",", ":"))
        first = False
    about = {"tool": f"stridewise {__version__}", "command": trace.job.command, "mpi": trace.job.mpi}
    yield '\n],"displayTimeUnit":"ms","otherData":' + json.dumps(about) + "}\n"


def _events(trace: Trace, timeline: Timeline, places: Places) -> Iterator[dict[str, Any]]:
    hosts = {rank.rank: rank.host for rank in trace.ranks}
    for number, rank in enumerate(timeline.ranks):
        named = {"name": f"rank {rank.rank} ({hosts.get(rank.rank, '')})"}
        yield {"ph": "M", "name": "process_name", "pid": rank.rank, "tid": 0, "args": named}
        yield {"ph": "M", "name": "process_sort_index", "pid": rank.rank, "tid": 0, "args": {"sort_index": number}}
        for thread in sorted(set(rank.thread) | {0}):
            name = "main thread" if thread == 0 else f"thread {thread}"
            yield {"ph": "M", "name": "thread_name", "pid": rank.rank, "tid": thread, "args": {"name": name}}
        yield from _slices(rank, timeline, places)
    yield from _arrows(timeline)


def _slices(rank: RankCalls, timeline: Timeline, places: Places) -> Iterator[dict[str, Any]]:
    for index, begin in enumerate(rank.begin):
        args: dict[str, Any] = {"place": places.label(rank.path[index])}
        if rank.bytes[index]:
            args["bytes"] = rank.bytes[index]
        if rank.peer[index] >= 0:
            args["peer"] = rank.peer[index]
        if rank.count[index] > 1:
            args["messages"] = rank.count[index]
        yield {
            "ph": "X",
            "name": timeline.calls[rank.call[index]],
            "cat": places.state(timeline.calls[rank.call[index]]),
            "pid": rank.rank,
            "tid": rank.thread[index],
            "ts": begin / 1000,
            "dur": (rank.end[index] - begin) / 1000,
            "args": args,
        }


def _arrows(timeline: Timeline) -> Iterator[dict[str, Any]]:
    messages = timeline.messages
    for index, begin in enumerate(messages.begin):
        source = timeline.ranks[messages.source[index]].rank
        target = timeline.ranks[messages.target[index]].rank
        same = {"name": "message", "cat": "message", "id": index, "tid": 0}
        args = {"bytes": messages.bytes[index], "messages": messages.count[index]}
        yield {"ph": "s", **same, "pid": source, "ts": begin / 1000, "args": args}
        yield {"ph": "f", "bp": "e", **same, "pid": target, "ts": messages.end[index] / 1000}
