"""Reads the file of stridewise-merge: the classes of trace.py are its schema, what they cannot say is here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from stridewise.runs.mpi.trace import Trace
from stridewise.runs.typed_json import JsonError, decode

VERSION = 1


class TraceError(ValueError):
    """A file that is no trace; the text says where."""


def load(path: Path) -> Trace:
    """Reads a trace file. Raises TraceError or OSError."""
    try:
        return parse(json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise TraceError(f"{path}: {error}") from error


def parse(value: Any) -> Trace:
    """The trace in a decoded JSON value. Raises TraceError naming the first wrong member."""
    version = value.get("version") if isinstance(value, dict) else None
    if version != VERSION:
        raise TraceError(f"version {version}, this reader knows {VERSION}")
    try:
        trace = decode(Trace, value, "trace")
    except JsonError as error:
        raise TraceError(str(error)) from error
    _check_indexes(trace)
    return trace


def _check_indexes(trace: Trace) -> None:
    paths, ranks, modules = len(trace.paths), len(trace.ranks), len(trace.modules)
    used: list[int | None] = [call.path for call in trace.calls]
    sequences: list[tuple[object, ...]] = []
    for call in trace.calls:
        wanted = ranks if call.ranks is None else len(call.ranks)
        if not len(call.rank_seconds) == len(call.rank_counts) == wanted:
            raise TraceError("a list of another length than the ranks")
    for barrier in trace.barriers:
        used += barrier.paths
        used += [p for w in barrier.kept for p in (w.path_before, w.path_after)]
        sequences += [barrier.rank_seconds, barrier.rank_counts]
    for burst in trace.bursts:
        used += [burst.path, *burst.receive_paths]
        sequences += [burst.rank_messages, burst.rank_seconds, burst.rank_receives, burst.rank_receive_seconds]
    for chain in trace.chains:
        used += [*chain.send_paths, *chain.receive_paths]
        sequences += [chain.rank_seconds, chain.rank_send_seconds]
    named: list[int] = [rank for call in trace.calls for rank in call.ranks or ()]
    for wait in trace.waits:
        used += [wait.path, *(p for c in wait.causes for p in (c.path_before, c.path_after))]
        named += [rank for rank, _ in (*wait.waiting, *wait.culprits)] + [c.rank for c in wait.causes]
    sites = [*((d.path, d.own) for d in trace.duplicates), *((f.path, f.own) for f in trace.fans)]
    sites += [(h.path, h.own) for h in trace.halos]
    for path, own in [*sites, *((o.path, o.own) for o in trace.overlaps)]:
        used.append(path)
        named += [rank for rank, _ in own]
    used += [path for d in trace.duplicates for path in d.receive_paths]
    used += [*(g.path for g in trace.gathers), *(t.path for t in trace.threads)]
    named += [g.root for g in trace.gathers] + [f.first_root for f in trace.fans]
    named += [rank for t in trace.threads for rank in t.ranks] + [rank for row in trace.traffic for rank in row[:2]]
    named += [ending.rank for ending in trace.endings]
    for ending in trace.endings:
        used += [ending.fate.path] if ending.fate else []
        used += [ending.last.path, *(p.path for p in ending.last.pending)] if ending.last else []
    if any(not 0 <= rank < ranks for rank in named):
        raise TraceError("a rank that does not exist")
    if any(path is not None and not 0 <= path < paths for path in used):
        raise TraceError("a call path that does not exist")
    if any(len(sequence) != ranks for sequence in sequences):
        raise TraceError("a list of another length than the ranks")
    addresses = (address for path in trace.paths for address in path.addresses)
    if any(a.module is not None and not 0 <= a.module < modules for a in addresses):
        raise TraceError("a module that does not exist")
