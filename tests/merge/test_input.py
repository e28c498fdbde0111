"""Damaged, missing and foreign input: a message with file and byte, the rest merged, exit status 2, never a crash."""

from __future__ import annotations

import functools
import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import barrier_each_step, columns, ring
from shard_files import EVENT, HEADER, SECTION
from shards import Program, World

from stridewise.runs.mpi.trace_file import TraceError, load, parse

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return World(4).run(barrier_each_step(3)).write(tmp_path / "mpi")


def test_output_option(folder: Path, tmp_path: Path, merge_raw: Run) -> None:
    out = tmp_path / "elsewhere.json"
    assert merge_raw(folder, "-o", out).returncode == 0
    assert load(out).job.world_size == 4
    assert parse(json.loads(merge_raw(folder, "-o", "-").stdout)) == load(out)


@pytest.mark.parametrize("program", [barrier_each_step(20), ring(20, order="irecv"), columns(10, 8)])
def test_the_number_of_processors_changes_nothing(program: Program, tool: str, tmp_path: Path) -> None:
    folder = World(12).run(program).write(tmp_path / "mpi")
    outputs = []
    for processors in (sorted(os.sched_getaffinity(0))[:1], os.sched_getaffinity(0)):
        command = [tool, str(folder), "-o", "-", "--timeline", str(tmp_path / "timeline")]
        allowed = functools.partial(os.sched_setaffinity, 0, processors)
        done = subprocess.run(command, capture_output=True, check=True, preexec_fn=allowed)
        outputs.append((done.stdout, (tmp_path / "timeline").read_bytes()))
    assert outputs[0] == outputs[1]


def test_summary(folder: Path, merge_raw: Run) -> None:
    assert merge_raw(folder).returncode == 0
    trace = load(folder / "trace.json")
    assert trace.job.flavour == "openmpi"
    assert [r.rank for r in trace.ranks] == [0, 1, 2, 3]
    assert trace.summary.parallel_efficiency == pytest.approx(
        (trace.summary.load_balance or 0) * (trace.summary.communication_efficiency or 0)
    )
    barrier = next(c for c in trace.calls if c.call == "MPI_Barrier")
    assert barrier.count == 12
    assert barrier.rank_counts == (3, 3, 3, 3)


def test_one_job_is_not_worth_a_word(folder: Path, merge_raw: Run) -> None:
    assert merge_raw(folder).stderr == ""


def test_no_folder_and_no_shards(tmp_path: Path, merge_raw: Run) -> None:
    done = merge_raw(tmp_path / "absent")
    assert done.returncode == 2
    assert "No such file" in done.stderr
    done = merge_raw(tmp_path)
    assert done.returncode == 2
    assert "no shard" in done.stderr


def test_usage(merge_raw: Run) -> None:
    assert merge_raw("--help").returncode == 0
    assert merge_raw().returncode == 2
    assert merge_raw("--unknown").returncode == 2
    assert merge_raw("a", "b").returncode == 2


def test_missing_rank_is_named(folder: Path, merge_raw: Run) -> None:
    (folder / "shard.77.2.swshard").unlink()
    done = merge_raw(folder)
    assert done.returncode == 2
    assert "no shard of rank 2 of 4" in done.stderr
    assert load(folder / "trace.json").job.missing_ranks == (2,)


def test_truncated_shard_is_left_out(folder: Path, merge_raw: Run) -> None:
    path = folder / "shard.77.1.swshard"
    data = path.read_bytes()
    path.write_bytes(data[:5000])
    done = merge_raw(folder)
    assert done.returncode == 2
    assert "shard.77.1.swshard: at byte 5000: truncated" in done.stderr
    trace = load(folder / "trace.json")
    assert trace.job.missing_ranks == (1,)
    assert [(p.shard, p.offset) for p in trace.problems] == [("shard.77.1.swshard", 5000)]


def test_flipped_byte_fails_the_checksum(folder: Path, merge_raw: Run) -> None:
    path = folder / "shard.77.3.swshard"
    data = bytearray(path.read_bytes())
    data[-100] ^= 0x40
    path.write_bytes(data)
    done = merge_raw(folder)
    assert done.returncode == 2
    assert "checksum" in done.stderr


def test_all_shards_bad(folder: Path, merge_raw: Run) -> None:
    for path in folder.glob("*.swshard"):
        path.write_bytes(b"")
    done = merge_raw(folder)
    assert done.returncode == 2
    assert "at byte 0" in done.stderr


def test_killed_job_is_read(tmp_path: Path, merge_raw: Run) -> None:
    """Shards that were never closed have no checksum; their last event may be half written."""
    world = World(4).run(barrier_each_step(5))
    folder = world.write(tmp_path / "mpi", closed=False)
    path = folder / "shard.77.2.swshard"
    data = bytearray(path.read_bytes())
    last = HEADER.size + 16 * SECTION.size + (len(world.ranks[2].events) - 1) * EVENT.size
    data[last + 8 : last + 16] = bytes(8)
    path.write_bytes(data)
    done = merge_raw(folder)
    assert done.returncode == 0, done.stderr
    assert "rank 0-3 did not come to the end of MPI_Finalize" in done.stderr
    assert load(folder / "trace.json").summary.wall_seconds > 0


def test_newest_of_several_jobs(tmp_path: Path, merge_raw: Run) -> None:
    folder = tmp_path / "mpi"
    World(4).run(barrier_each_step(2)).write(folder)
    for path in list(folder.glob("shard.77.*")):
        path.rename(folder / path.name.replace(".77.", ".old."))
    World(2).run(ring(2, order="sendrecv")).write(folder)
    done = merge_raw(folder)
    assert done.returncode == 0
    assert "2 jobs" in done.stderr
    assert load(folder / "trace.json").job.world_size == 2
    assert merge_raw(folder, "--job", "old").returncode == 0
    assert load(folder / "trace.json").job.world_size == 4
    done = merge_raw(folder, "--job", "none")
    assert done.returncode == 2
    assert "77 old" in done.stderr


def test_the_same_rank_twice(folder: Path, merge_raw: Run) -> None:
    (folder / "shard.77.9.swshard").write_bytes((folder / "shard.77.0.swshard").read_bytes())
    done = merge_raw(folder)
    assert done.returncode == 2
    assert "rank 0 is in shard.77.0.swshard too" in done.stderr


def test_mutations_never_crash(tmp_path: Path, merge_raw: Run) -> None:
    """Bytes changed and files cut at many places, in shards without a checksum, so that all checks are reached."""
    rng = random.Random(20)
    folder = World(4).run(columns(2, 12)).write(tmp_path / "mpi", closed=False, head=10, capacity=40)
    path = folder / "shard.77.1.swshard"
    good = path.read_bytes()
    directory = HEADER.size + 16 * SECTION.size
    places = [*range(8, 160, 3), *range(HEADER.size, HEADER.size + 6 * SECTION.size, 2)]
    places += [rng.randrange(directory, len(good)) for _ in range(120)]
    for place in places:
        data = bytearray(good)
        data[place] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, data[place] ^ (1 << rng.randrange(8))])
        if rng.random() < 0.3:
            data[place : place + 8] = rng.randbytes(min(8, len(data) - place))
        path.write_bytes(data)
        merge_raw(folder, "-o", folder / "trace.json")
        load(folder / "trace.json")
    for _ in range(40):
        path.write_bytes(good[: rng.randrange(len(good))])
        assert merge_raw(folder).returncode == 2


def test_random_events_never_crash(tmp_path: Path, merge_raw: Run) -> None:
    """Events that pass the checks but make no sense: sequence numbers, peers and flags at random."""
    rng = random.Random(7)
    for _ in range(30):
        world = World(4).run(columns(2, 10))
        for rank in world.ranks:
            for event in rng.sample(rank.events, len(rank.events) // 3):
                match rng.randrange(5):
                    case 0:
                        event.flags = rng.getrandbits(20)
                    case 1:
                        event.seq = rng.randrange(20)
                    case 2:
                        event.peer = rng.randrange(-4, 4)
                    case 3:
                        event.request = rng.randrange(5)
                    case 4:
                        event.begin, event.end = sorted((rng.randrange(2_000_000), rng.randrange(2_000_000)))
        folder = world.write(tmp_path / "mpi")
        merge_raw(folder)
        load(folder / "trace.json")


def test_trace_reader_names_what_is_wrong(folder: Path, merge_raw: Run, tmp_path: Path) -> None:
    merge_raw(folder)
    text = (folder / "trace.json").read_text()
    bad = tmp_path / "bad.json"
    for old, new, word in (
        ('"version":1', '"version":9', "version 9"),
        ('"paths":[{', '"paths":[3,{', "expected an object"),
        ('"wall_seconds":', '"wall_seconds":"x","y":', "summary.wall_seconds"),
        ('"instances":3', '"instances":null', "barriers[0].instances"),
    ):
        bad.write_text(text.replace(old, new, 1))
        with pytest.raises(TraceError, match=word.replace("[", r"\[").replace("]", r"\]")):
            load(bad)
    bad.write_text(text[:100])
    with pytest.raises(TraceError):
        load(bad)


def test_sizes_agree_with_the_format() -> None:
    assert (HEADER.size, EVENT.size, SECTION.size) == (2432, 72, 32)
