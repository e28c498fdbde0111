"""Reads the file of stridewise-merge: the classes of trace.py are its schema, what they cannot say is here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
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
    """Raises TraceError where a member speaks of what the trace does not have, or a list does not fit."""
    ranks, modules = len(trace.ranks), len(trace.modules)
    for call in trace.calls:
        wanted = ranks if call.ranks is None else len(call.ranks)
        if not len(call.rank_seconds) == len(call.rank_counts) == wanted:
            raise TraceError("a list of another length than the ranks")
    if any(not 0 <= rank < ranks for rank in _named_ranks(trace)):
        raise TraceError("a rank that does not exist")
    if any(path is not None and not 0 <= path < len(trace.paths) for path in _used_paths(trace)):
        raise TraceError("a call path that does not exist")
    if any(len(sequence) != ranks for sequence in _by_rank(trace)):
        raise TraceError("a list of another length than the ranks")
    addresses = (address for path in trace.paths for address in path.addresses)
    if any(a.module is not None and not 0 <= a.module < modules for a in addresses):
        raise TraceError("a module that does not exist")


def _by_rank(trace: Trace) -> Iterator[Sequence[object]]:
    """What has one entry for each rank."""
    for barrier in trace.barriers:
        yield from (barrier.rank_seconds, barrier.rank_counts)
    for burst in trace.bursts:
        yield from (burst.rank_messages, burst.rank_seconds, burst.rank_receives, burst.rank_receive_seconds)
    for chain in trace.chains:
        yield from (chain.rank_seconds, chain.rank_send_seconds)


def _used_paths(trace: Trace) -> Iterator[int | None]:
    yield from (call.path for call in trace.calls)
    yield from (fan.path for fan in trace.fans)
    yield from (halo.path for halo in trace.halos)
    yield from (overlap.path for overlap in trace.overlaps)
    yield from (gather.path for gather in trace.gathers)
    yield from (thread.path for thread in trace.threads)
    for barrier in trace.barriers:
        yield from barrier.paths
        yield from (path for witness in barrier.kept for path in (witness.path_before, witness.path_after))
    for burst in trace.bursts:
        yield from (burst.path, *burst.receive_paths)
    for chain in trace.chains:
        yield from (*chain.send_paths, *chain.receive_paths)
    for duplicate in trace.duplicates:
        yield from (duplicate.path, *duplicate.receive_paths)
    for wait in trace.waits:
        yield from (wait.path, *(path for cause in wait.causes for path in (cause.path_before, cause.path_after)))
    for ending in trace.endings:
        if ending.fate:
            yield ending.fate.path
        if ending.last:
            yield from (ending.last.path, *(pending.path for pending in ending.last.pending))


def _named_ranks(trace: Trace) -> Iterator[int]:
    yield from (rank for call in trace.calls for rank in call.ranks or ())
    yield from (rank for thread in trace.threads for rank in thread.ranks)
    yield from (rank for duplicate in trace.duplicates for rank, _ in duplicate.own)
    yield from (rank for fan in trace.fans for rank in (fan.first_root, *(own for own, _ in fan.own)))
    yield from (rank for halo in trace.halos for rank, _ in halo.own)
    yield from (rank for overlap in trace.overlaps for rank, _ in overlap.own)
    yield from (gather.root for gather in trace.gathers)
    for wait in trace.waits:
        yield from (rank for rank, _ in (*wait.waiting, *wait.culprits))
        yield from (cause.rank for cause in wait.causes)
    yield from (rank for row in trace.traffic for rank in row[:2])
    yield from (ending.rank for ending in trace.endings)
