"""What `stridewise-merge --timeline` writes: every call of the trace's windows, every message, every size."""

from __future__ import annotations

import json
import subprocess
from array import array
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import ring
from shards import World

from stridewise.runs.mpi import timeline
from stridewise.runs.mpi.trace_file import load


def test_calls_messages_and_sizes(tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    folder = World(4).run(ring(5, order="odd-even")).write(tmp_path / "job")
    target = tmp_path / "timeline"
    assert merge_raw(folder, "--timeline", target).returncode == 0
    trace, found = load(folder / "trace.json"), timeline.load(target)
    assert [rank.rank for rank in found.ranks] == [0, 1, 2, 3]
    totals: Counter[str] = Counter()
    for total in trace.calls:
        if total.call.startswith("MPI_"):
            totals[total.call] += total.count
    counted: Counter[str] = Counter()
    for rank in found.ranks:
        assert all(b <= e for b, e in zip(rank.begin, rank.end, strict=True))
        for call, count in zip(rank.call, rank.count, strict=True):
            counted[found.calls[call]] += count
    assert {name: n for name, n in counted.items() if name in totals} == dict(totals)
    sent = Counter(zip(found.messages.source, found.messages.target, strict=True))
    assert sent == {(source, target): messages for source, target, messages, _ in trace.traffic}
    assert sum(n for _, n, _ in found.sizes) == sum(row[2] for row in trace.traffic)
    assert sum(size for _, _, size in found.sizes) == sum(row[3] for row in trace.traffic)
    assert all(b < e for b, e in zip(found.messages.begin, found.messages.end, strict=True))


def test_a_file_that_cannot_be_written(
    tmp_path: Path, merge_raw: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    folder = World(2).run(ring(2, order="odd-even")).write(tmp_path / "job")
    done = merge_raw(folder, "--timeline", tmp_path / "none" / "timeline")
    assert done.returncode == 2
    assert "No such file" in done.stderr
    with pytest.raises(OSError, match="No such file"):
        timeline.load(tmp_path / "none" / "timeline")


def test_windows_without_any_message(tmp_path: Path) -> None:
    target = tmp_path / "timeline"
    target.write_text(json.dumps({"version": timeline.VERSION, "calls": [], "ranks": [], "messages": 0, "sizes": []}))
    assert timeline.load(target).messages.begin == array("q")
