"""The pieces of a message, from its datatype."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from conftest import Mpi, read_shards


def test_pieces_of_every_kind_of_datatype(mpi: Mpi, tmp_path: Path) -> None:
    done = mpi.run([mpi.compile("datatypes.c")], tmp_path)
    assert done.returncode == 0, done.stderr
    sender = read_shards(tmp_path)[0]
    sends = [e for e in sender.events if "SEND" in e.kinds and "COMPLETE" not in e.kinds]
    assert len(sends) == 21
    # The program says by the tag how many pieces each message has.
    assert sum(s.pieces for s in sender.stats) == sum(e.tag for e in sends)
    # Each path has messages of one datatype only.
    expected: Counter[tuple[int, int]] = Counter()
    for event in sends:
        expected[event.path, event.bytes.bit_length()] += event.tag
    assert {(s.path, s.size_bucket): s.pieces for s in sender.stats if s.pieces} == {
        k: v for k, v in expected.items() if v
    }


def test_the_span_of_a_message(mpi: Mpi, tmp_path: Path) -> None:
    done = mpi.run([mpi.compile("datatypes.c")], tmp_path)
    assert done.returncode == 0, done.stderr
    sender = read_shards(tmp_path)[0]
    (vector,) = [s for s in sender.stats if s.call == "MPI_Isend"]
    assert (vector.count, vector.pieces, vector.span) == (1, 30, 8 * (29 * 9 + 1))
    started = [s for s in sender.stats if s.call == "MPI_Start" and s.pieces]  # of one line, which may be unrolled
    totals = [sum(values) for values in zip(*((s.count, s.pieces, s.span) for s in started), strict=True)]
    assert totals == [2, 60, 2 * 8 * (29 * 9 + 1)]
