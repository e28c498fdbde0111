"""What the ranks of a run that goes on tell through their shards, which they map while they run."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stridewise.runs import run_folder

_MAGIC = 0x3144485344495254
_HEAD = struct.Struct("<QIIQIIQiiIIQ72xQ48x64s")  # struct sw_header up to its host
_CLOSED = 3
_MOST = 4096  # shards looked at


@dataclass(frozen=True, slots=True)
class _Rank:
    world_size: int
    closed: bool
    running: bool
    calls: int


def said(folder: Path) -> str:
    """Of the job with the most ranks; empty while none has a shard here."""
    best: list[_Rank] = []
    try:
        for shards in run_folder.jobs(folder).values():
            ranks = [rank for path in shards[:_MOST] for rank in _rank(path)]
            best = max(best, ranks, key=len)
    except OSError:
        return ""
    if not best:
        return ""
    world = best[0].world_size
    done = sum(rank.closed for rank in best)
    alive = sum(rank.running for rank in best if not rank.closed)
    parts = [f"{alive} of {world} rank{'' if world == 1 else 's'} alive"]
    if done:
        parts.append(f"{done} through MPI_Finalize")
    if calls := sum(rank.calls for rank in best):
        parts.append(f"{_short(calls)} calls of MPI")
    return ", ".join(parts)


def _rank(shard: Path) -> Iterator[_Rank]:
    with shard.open("rb") as file:
        head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return
    magic, _, _, _, _, state, _, _, size, _, _, pid, calls, host = _HEAD.unpack(head)
    if magic == _MAGIC and size > 0:
        here = host.split(b"\0")[0].decode(errors="replace") == socket.gethostname()
        yield _Rank(size, state >= _CLOSED, not here or _runs(pid), calls)


def _runs(pid: int) -> bool:
    """A process that has ended and waits for its parent has no memory any more."""
    try:
        return bool(Path(f"/proc/{pid}/exe").readlink())
    except OSError:
        return False


def _short(count: int) -> str:
    for unit, name in ((1_000_000_000, " billion"), (1_000_000, " million"), (1_000, " thousand")):
        if count >= unit:
            return f"{count / unit:.3g}{name}"
    return str(count)
