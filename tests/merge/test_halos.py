"""Borders in pieces: which way a domain is cut, as far as a run can tell."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest
import shard_files
from conftest import Merge
from shard_files import NULL
from shards import Call, Program, Rank, Request, World

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Scope, Verdict
from stridewise.patterns import _mpi, mpi_strided_halo
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import load

pytestmark = pytest.mark.usefixtures("all_is_stated")

Steps = Generator[Call, None, None]
Raw = Callable[..., subprocess.CompletedProcess[str]]

STEPS = 50
WIDTH = 1024  # cells in a row of a rank's part
ROWS = 4096
SLOW = 2e-4  # seconds in a call


def column(rows: int = ROWS, width: int = WIDTH) -> dict[str, int]:
    """A border of one cell in each row."""
    return {"size": 8 * rows, "pieces": rows, "span": 8 * width * (rows - 1) + 8}


def one_direction(border: dict[str, int]) -> Program:
    """Blocks side by side; each border goes out along the chain of ranks."""

    def program(rank: Rank) -> Steps:
        left = rank.number - 1 if rank.number else NULL
        right = rank.number + 1 if rank.number + 1 < rank.size else NULL
        for _ in range(STEPS):
            yield rank.compute(1e-3)
            yield rank.sendrecv(right, left, "right", **border)
            yield rank.sendrecv(left, right, "left", tag=1, **border)

    return program


def grid(columns: dict[str, int], row_bytes: int, wide: int) -> Program:
    """A periodic grid of ranks, `wide` of them side by side."""

    def program(rank: Rank) -> Steps:
        x, y, high = rank.number % wide, rank.number // wide, rank.size // wide
        east, west = y * wide + (x + 1) % wide, y * wide + (x - 1) % wide
        north, south = (y + 1) % high * wide + x, (y - 1) % high * wide + x
        for _ in range(STEPS):
            yield rank.compute(1e-3)
            yield rank.sendrecv(east, west, "east", **columns)
            yield rank.sendrecv(west, east, "west", tag=1, **columns)
            yield rank.sendrecv(north, south, "north", tag=2, size=row_bytes)
            yield rank.sendrecv(south, north, "south", tag=3, size=row_bytes)

    return program


def transpose(rank: Rank) -> Steps:
    for _ in range(STEPS):
        yield rank.compute(1e-3)
        for step in range(1, rank.size):
            partner = rank.number ^ step
            yield rank.sendrecv(partner, partner, "transpose", **column())


def slow(size: int) -> World:
    return World(size, overhead=SLOW)


def found(trace: Trace, rules: dict[str, Rule]) -> list[Finding]:
    return list(mpi_strided_halo.detect_mpi(trace, rules["mpi-strided-halo"]))


def test_a_cut_across_the_contiguous_index(merge: Merge, rules: dict[str, Rule]) -> None:
    (finding,) = found(merge(slow(4).run(one_direction(column()))), rules)
    assert finding.confidence is Confidence.HIGH
    assert finding.message == (
        "300 messages of 4,096 pieces of 8 B, 8,192 B apart, 9,830,400 B in all; "
        "no message goes out in another direction"
    )
    metrics = finding.evidence[0].metrics
    assert (metrics["message_count"], metrics["piece_count"], metrics["other_message_count"]) == (300, 300 * 4096, 0)
    assert "to rank +1: 150 messages, -1: 150 messages" in finding.evidence[0].note
    # A rank in the middle makes two exchanges a step, which take as long as the model says.
    assert finding.cost_seconds == pytest.approx(2 * STEPS * SLOW, rel=0.1)
    assert 0 < (finding.gain_seconds or 0) <= (finding.cost_seconds or 0)


def test_a_layer_that_calls_all_of_mpi_from_one_place(merge: Merge, rules: dict[str, Rule]) -> None:
    """The end of a message there is no other message."""

    def program(wait: str) -> Program:
        def body(rank: Rank) -> Steps:
            requests: list[Request] = []
            for _ in range(STEPS):
                yield rank.compute(1e-3)
                peers = [peer for peer in (rank.number - 1, rank.number + 1) if 0 <= peer < rank.size]
                for peer in peers:
                    yield rank.irecv(peer, "receive", requests)
                for peer in peers:
                    yield rank.isend(peer, "call", requests, **column())
                yield rank.waitall(wait, requests)

        return body

    costs = [found(merge(slow(4).run(program(wait))), rules)[0].cost_seconds for wait in ("wait", "call")]
    assert costs[0] == costs[1], costs


@pytest.mark.parametrize(
    "border",
    [
        {"size": 8 * WIDTH},  # no gaps
        column(rows=32),  # few pieces
        {"size": 512 * ROWS, "pieces": ROWS, "span": 8 * WIDTH * ROWS},  # long ones
        {"size": 8 * ROWS, "pieces": ROWS, "span": 16 * ROWS},  # which share their lines
        column(rows=64, width=ROWS),  # a contiguous border would be longer
    ],
)
def test_other_borders(border: dict[str, int], merge: Merge, rules: dict[str, Rule]) -> None:
    assert found(merge(slow(4).run(one_direction(border))), rules) == []


def test_three_ranks_cannot_tell_a_border_from_a_transpose(merge: Merge, rules: dict[str, Rule]) -> None:
    (finding,) = found(merge(slow(3).run(one_direction(column()))), rules)
    assert finding.confidence is Confidence.LOW


def test_what_costs_little_of_the_run(merge: Merge, rules: dict[str, Rule]) -> None:
    assert found(merge(World(4, overhead=5e-7).run(one_direction(column()))), rules) == []


@pytest.mark.parametrize(("row_bytes", "findings"), [(8 * ROWS, 0), (8 * ROWS // 4, 1)])
def test_a_grid_is_cut_both_ways(row_bytes: int, findings: int, merge: Merge, rules: dict[str, Rule]) -> None:
    """One of the borders has to be the gathered one: the smaller."""
    shown = found(merge(slow(16).run(grid(column(), row_bytes, 4))), rules)
    assert len(shown) == findings
    if shown:
        assert shown[0].confidence is Confidence.MEDIUM
        assert shown[0].message.endswith(
            f"the other direction has 1,600 messages, {1600 * row_bytes:,} B, each in one run"
        )
        assert shown[0].evidence[0].metrics["other_total_bytes"] == 1600 * row_bytes


def test_a_transpose_is_no_border(merge: Merge, rules: dict[str, Rule]) -> None:
    assert found(merge(slow(4).run(transpose)), rules) == []


def test_scattered_columns_are_no_border(merge: Merge, rules: dict[str, Rule]) -> None:
    """One rank deals out columns to all others."""

    def deal(rank: Rank) -> Steps:
        for _ in range(STEPS):
            for other in range(1, rank.size):
                if rank.number == 0:
                    yield rank.sendrecv(other, NULL, "deal", **column())
                elif rank.number == other:
                    yield rank.sendrecv(NULL, 0, "deal", size=8 * ROWS)

    assert found(merge(slow(6).run(deal)), rules) == []


def test_older_shards_know_no_pieces(tmp_path: Path, merge_raw: Raw, monkeypatch: pytest.MonkeyPatch) -> None:
    class Older:
        size = shard_files.OLDER_STATS.size

        def pack(self, *values: object) -> bytes:
            return shard_files.OLDER_STATS.pack(*values[:-2])

    monkeypatch.setattr(shard_files, "STATS", Older())
    slow(4).run(one_direction(column())).write(tmp_path)
    assert merge_raw(tmp_path).returncode == 0
    trace = load(tmp_path / "trace.json")
    assert sum(call.count for call in trace.calls) > 0
    assert trace.halos == ()


def test_a_reader_checks_the_rows(tmp_path: Path, merge: Merge) -> None:
    trace = merge(slow(4).run(one_direction(column())))
    assert [halo.partners for halo in trace.halos] == [1, 1]
    (folder,) = tmp_path.iterdir()
    value = json.loads((folder / "trace.json").read_text(encoding="utf-8"))
    value["halos"][0]["offsets"][0] = [1, 2]
    (folder / "trace.json").write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(ValueError, match=r"halos\[0\]\.offsets\[0\]: expected an array of 3"):
        load(folder / "trace.json")


# --- What a run says of the source's finding --------------------------------------------------------------------------


def source_finding(rules: dict[str, Rule], trace: Trace) -> Finding:
    """That of a program which packs, in the function that sends."""
    place = _mpi.place(trace, 0)
    rule = rules["mpi-strided-halo"]
    finding = rule.finding(
        "static",
        replace(place.location, line=10, end_line=10),
        args={"halo": "the halo", "pieces": "pieces of 8 bytes", "pitch": "a row", "how": "copied one by one"},
        confidence=Confidence.MEDIUM,
    )
    return replace(finding, scope=Scope(1, 20))


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [(200_000, Verdict.CONFIRMED), (64, Verdict.REFUTED)],
)
def test_packed_borders_are_judged_by_what_they_carry(
    rows: int, verdict: Verdict, merge: Merge, rules: dict[str, Rule]
) -> None:
    from stridewise.runs.mpi.trace import Frame

    trace = merge(slow(4).run(one_direction({"size": 8 * rows})))
    trace = trace.with_frames({path: (Frame("exchange", "/src/halo.c", 10),) for path in range(len(trace.paths))})
    judgement = mpi_strided_halo.judge_mpi(source_finding(rules, trace), trace, rules["mpi-strided-halo"])
    assert judgement is not None
    assert judgement.verdict is verdict
    assert judgement.evidence.metrics["piece_count"] == 300 * rows
    assert f"300 messages of {rows:,} pieces" in judgement.evidence.note
    judged = judgement.apply(source_finding(rules, trace))
    assert judged.cost_seconds is None  # nobody timed the copies
    assert (judged.gain_seconds is not None) == (verdict is Verdict.CONFIRMED)
