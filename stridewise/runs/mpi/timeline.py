"""What each rank was at, call by call: reads the file that `stridewise-merge --timeline` writes (Timeline.cpp)."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from stridewise.errors import Failure
from stridewise.settings import toolchain

VERSION = 1
NO_PATH = 0xFFFFFFFF
_CALLS = (("begin", "q"), ("end", "q"), ("bytes", "Q"), ("path", "I"), ("count", "I"), ("peer", "i"), ("call", "H"),
          ("thread", "H"))  # fmt: skip
_MESSAGES = (
    ("begin", "q"),
    ("end", "q"),
    ("bytes", "Q"),
    ("source", "I"),
    ("target", "I"),
    ("count", "I"),
    ("unused", "I"),
)
_MERGE_SECONDS = 3600
_MOST = 1 << 32  # calls or messages: more is no file of ours


class TimelineError(ValueError):
    """A file that is no timeline; the text says why."""


@dataclass(frozen=True, slots=True)
class RankCalls:
    """Columns, one entry for each call of MPI or run of messages; times in nanoseconds."""

    rank: int
    begin_ns: int  # when it left MPI_Init
    end_ns: int  # when it came to MPI_Finalize
    begin: array[int]
    end: array[int]
    bytes: array[int]
    path: array[int]  # index into the trace's paths, or NO_PATH
    count: array[int]
    peer: array[int]  # world rank; negative: none, any
    call: array[int]  # index into Timeline.calls
    thread: array[int]


@dataclass(frozen=True, slots=True)
class Messages:
    """Columns; `source` and `target` are indexes into the ranks, `bytes` is of one message."""

    begin: array[int]
    end: array[int]
    bytes: array[int]
    source: array[int]
    target: array[int]
    count: array[int]


@dataclass(frozen=True, slots=True)
class Timeline:
    """`sizes`: (bucket, messages, bytes); the bucket B holds sizes from 2^(B-1) to 2^B - 1 bytes, 0 none."""

    calls: tuple[str, ...]
    ranks: tuple[RankCalls, ...]
    messages: Messages
    sizes: tuple[tuple[int, int, int], ...] = field(default=())


def load(path: Path) -> Timeline:
    """Reads a timeline file. Raises TimelineError or OSError."""
    with path.open("rb") as file:
        try:
            head = json.loads(file.readline(1 << 26))
            if head["version"] != VERSION:
                raise TimelineError(f"version {head['version']}, this reader knows {VERSION}")
            names = tuple(map(str, head["calls"]))
            ranks = tuple(_rank(file, item, len(names)) for item in head["ranks"])
            columns = dict(_columns(file, _MESSAGES, _size(head["messages"])))
            del columns["unused"]
            sizes = tuple((int(b), int(n), int(s)) for b, n, s in head["sizes"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, TimelineError):
                raise
            raise TimelineError(f"{path}: no timeline: {error}") from error
    if any(not 0 <= r < len(ranks) for name in ("source", "target") for r in columns[name]):
        raise TimelineError(f"{path}: a rank that does not exist")
    return Timeline(names, ranks, Messages(**columns), sizes)


def _rank(file: BinaryIO, item: Any, names: int) -> RankCalls:
    columns = dict(_columns(file, _CALLS, _size(item["calls"])))
    if any(call >= names for call in set(columns["call"])):
        raise TimelineError("a call without a name")
    return RankCalls(int(item["rank"]), int(item["begin_ns"]), int(item["end_ns"]), **columns)


def _size(value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < _MOST:
        raise TimelineError("a number of entries that cannot be")
    return value


def _columns(file: BinaryIO, kinds: Sequence[tuple[str, str]], count: int) -> Iterator[tuple[str, array[int]]]:
    for name, kind in kinds:
        values: array[int] = array(kind)
        data = file.read(count * values.itemsize)
        if len(data) != count * values.itemsize:
            raise TimelineError("it ends early")
        values.frombytes(data)
        if sys.byteorder == "big":
            values.byteswap()
        yield name, values


def of_folder(shards: Path, job: str, end_ns: int) -> Timeline:
    """Of the job whose shards are in the folder. Raises Failure."""
    merger = toolchain.merger()
    with tempfile.TemporaryDirectory(prefix="stridewise-") as scratch:
        target = Path(scratch) / "timeline"
        command = [str(merger), str(shards), "-o", str(Path(scratch) / "trace.json"), "--timeline", str(target)]
        command += [*(["--job", job] if job else []), "--end", str(end_ns)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_MERGE_SECONDS,
                check=False,
            )
            if not target.exists():
                last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
                raise Failure(f"cannot read the events of {shards}: {last}")
            return load(target)
        except (OSError, TimelineError, subprocess.TimeoutExpired) as error:
            raise Failure(f"cannot read the events of {shards}: {error}") from error
