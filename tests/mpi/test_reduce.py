"""Summaries in place of shards."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import BUILD, Mpi

from stridewise.runs import run_folder
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import load


def merged(folder: Path) -> Trace:
    done = subprocess.run(
        [BUILD / "bin" / "stridewise-merge", folder / "mpi"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return load(folder / "mpi" / "trace.json")


def files(folder: Path) -> tuple[list[int], list[int]]:
    """First ranks of the groups with a summary; ranks with a shard of their own. Nothing else is left."""
    names = [re.fullmatch(r"shard\.[0-9a-f]{16}\.(group)?(\d+)\.swshard", p.name) for p in (folder / "mpi").iterdir()]
    assert all(names)
    return tuple(sorted(int(m[2]) for m in names if m and bool(m[1]) == group) for group in (True, False))  # type: ignore[return-value]


def totals(trace: Trace) -> dict[tuple[str, int], tuple[int, int, int]]:
    """By call and place (offset of the innermost caller): count, bytes, count of those to nobody."""
    place = {i: path.addresses[0].value for i, path in enumerate(trace.paths) if path.addresses}
    return {(c.call, place.get(c.path or 0, 0)): (c.count, c.bytes, c.nowhere) for c in trace.calls}


def largest(trace: Trace) -> dict[tuple[str, int], tuple[int, int, int, int]]:
    """By call and place: count and bytes of the rank with the most, its partners, and how many ranks call there."""
    place = {i: path.addresses[0].value for i, path in enumerate(trace.paths) if path.addresses}
    found = {}
    for call in trace.calls:
        own = (max(call.rank_counts, default=0), max(call.rank_bytes, default=0), sum(c > 0 for c in call.rank_counts))
        of = call.largest
        most = (max(own[0], of.count), max(own[1], of.bytes), max(own[2], of.ranks)) if of else own
        found[call.call, place.get(call.path or 0, 0)] = (*most[:2], call.partners, most[2])
    return found


@pytest.mark.parametrize(
    ("flavour", "ranks", "group", "groups"),
    [("openmpi", 8, 1, [0]), ("openmpi", 7, 3, [0, 3]), ("openmpi", 5, 4, [0]), ("mpich", 2, 2, [0])],
)
def test_a_summary_has_the_totals_of_all(
    flavour: str, ranks: int, group: int, groups: list[int], built: Callable[[str], Mpi], tmp_path: Path
) -> None:
    mpi = built(flavour)
    program = mpi.compile("unequal.c")
    full, reduced = tmp_path / "full", tmp_path / "reduced"
    plain = mpi.run([program], full, ranks)
    done = mpi.run([program], reduced, ranks, STRIDEWISE_MPI_REDUCE=str(group))
    assert (done.returncode, done.stdout) == (plain.returncode, plain.stdout)
    assert done.returncode == 0, done.stderr
    assert "the summaries of" in done.stderr
    summaries, shards = files(reduced)
    assert summaries == groups
    alone = [first for first in range(0, ranks, group if group > 1 else 1024) if first not in groups]
    assert 0 in shards
    assert len(shards) <= 3 * len(groups) + len(alone)
    all_of, few_of = merged(full), merged(reduced)
    assert all_of.job.reduced_ranks == 0
    assert few_of.job.reduced_ranks == ranks - len(shards)
    assert few_of.job.missing_ranks == ()
    assert [r.rank for r in few_of.ranks] == list(range(ranks))
    assert [r.calls for r in few_of.ranks] == [r.calls for r in all_of.ranks]
    assert totals(few_of) == totals(all_of)
    assert len({ranks for *_, ranks in largest(all_of).values()}) > 1  # not all ranks call everything
    if not alone:
        assert largest(few_of) == largest(all_of)
        assert max(few_of.ranks, key=lambda r: r.rank).peak_bytes > 0
    assert run_folder.missing_ranks(reduced) == 0
    if few_of.job.reduced_ranks:
        assert any("known by" in note for note in few_of.notes)
        assert (few_of.windows, few_of.waits, few_of.barriers) == ((), (), ())
        assert few_of.summary.load_balance is not None


def test_bursts_are_known_from_a_summary(built: Callable[[str], Mpi], tmp_path: Path) -> None:
    mpi = built("openmpi")
    assert mpi.run([mpi.compile("unequal.c")], tmp_path, 6, STRIDEWISE_MPI_REDUCE="1").returncode == 0
    trace = merged(tmp_path)
    # Each round of a rank is one burst of three; what one message less is saved in each counts for its rank.
    assert [(b.messages % 3, b.longest) for b in trace.bursts] == [(0, 3)]
    assert trace.bursts[0].messages <= 3 * sum(rank + 1 for rank in range(1, 6))


def test_a_killed_rank_means_no_reduction(mpi: Mpi, tmp_path: Path) -> None:
    ranks = 4 if mpi.flavour == "openmpi" else 2
    done = mpi.run([mpi.compile("unequal.c"), "kill"], tmp_path, ranks, STRIDEWISE_MPI_REDUCE="1")
    assert done.returncode != 0
    assert files(tmp_path) == ([], list(range(ranks)))


def test_who_waits_too_long_keeps_its_shard(mpi: Mpi, tmp_path: Path) -> None:
    ranks = 4 if mpi.flavour == "openmpi" else 2
    done = mpi.run(
        [mpi.compile("unequal.c"), "late"],
        tmp_path,
        ranks,
        STRIDEWISE_MPI_REDUCE="1",
        STRIDEWISE_MPI_REDUCE_SECONDS="0.5",
    )
    assert done.returncode == 0, done.stderr
    assert files(tmp_path) == ([], list(range(ranks)))
    trace = merged(tmp_path)
    assert (trace.job.reduced_ranks, {rank.state for rank in trace.ranks}) == (0, {"closed"})


@pytest.mark.parametrize("wish", ["0", "", "many"])
def test_small_jobs_are_not_reduced_by_themselves(wish: str, built: Callable[[str], Mpi], tmp_path: Path) -> None:
    mpi = built("openmpi")
    assert mpi.run([mpi.compile("unequal.c")], tmp_path, 2, STRIDEWISE_MPI_REDUCE=wish).returncode == 0
    assert files(tmp_path) == ([], [0, 1])


def test_a_damaged_summary_is_named(built: Callable[[str], Mpi], tmp_path: Path) -> None:
    mpi = built("openmpi")
    assert mpi.run([mpi.compile("unequal.c")], tmp_path, 6, STRIDEWISE_MPI_REDUCE="1").returncode == 0
    (summary,) = (tmp_path / "mpi").glob("*.group0.swshard")
    data = bytearray(summary.read_bytes())
    data[len(data) // 2] ^= 1
    summary.write_bytes(data)
    done = subprocess.run(
        [BUILD / "bin" / "stridewise-merge", tmp_path / "mpi"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "group0.swshard: at byte 24: checksum differs" in done.stderr
