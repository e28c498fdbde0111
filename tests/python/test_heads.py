"""What the head of an MPI run says beside its efficiencies: lack of processors, threads, sleep, where the time went."""

from __future__ import annotations

from dataclasses import replace

from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.patterns._waits import ranks_in_words
from stridewise.runs.mpi import efficiency, trace
from stridewise.runs.mpi.watcher import _summary


def run(ranks: int = 4, wall: float = 10.0, mpi: float = 2.0, **of_rank: float) -> trace.Trace:
    """A run whose ranks are alike; `of_rank` are members of Rank."""
    one = trace.Rank(0, "shard", "node", 100, "closed", wall, mpi, 0.0, 50, 50, 0)
    each = tuple(replace(one, rank=r, **of_rank) for r in range(ranks))  # type: ignore[arg-type]
    work = wall - mpi - each[0].sleep_seconds
    known = trace.Summary(wall, mpi, work / wall, 1.0, work / wall)
    job = trace.Job("1", "mpich", "MPICH", "/a", "a", "/", 0, ranks, ())
    path = trace.CallPath((), (trace.Frame("step", "/src/a.c", 7),))
    call = trace.Call(0, "MPI_Allreduce", 50, 400, tuple(mpi for _ in each), tuple(50 for _ in each))
    return trace.Trace(job, known, each, (), (path,), (call,), (), (), (), (), (), ())


def said(of: trace.Trace, *findings: Finding) -> str:
    return "\n".join(efficiency.causes(of, findings))


def finding(gain: float, confidence: Confidence) -> Finding:
    return Finding("mpi-load-imbalance", Severity.WARNING, confidence, "m", Location("a.c", 1), gain_seconds=gain)


def test_a_good_run_needs_no_word() -> None:
    assert said(run(mpi=0.5)) == ""


def test_more_ranks_than_processors() -> None:
    text = said(run(queue_seconds=5.0, processors=2))
    assert "ready to run without a processor for 5 s on average" in text
    assert "4 ranks shared 2 processors" in text
    assert "run it with as many processors as ranks" in text
    # All of the 5 s in computing: 3 s of 5 s were useful, beside 2 s of MPI; all of it in MPI: nothing else was there.
    assert "between 60 % and 100 %" in text


def test_ranks_that_are_bound_apart_share_nothing() -> None:
    bound = run(queue_seconds=5.0, processors=1)
    apart = replace(bound, ranks=tuple(replace(r, first_processor=r.rank) for r in bound.ranks))
    assert "others used the processors" in said(apart)
    assert "4 ranks shared 1 processor;" in said(bound)


def test_a_little_queueing_is_no_cause() -> None:
    assert said(run(mpi=0.5, queue_seconds=0.4, processors=2)) == ""


def test_a_low_efficiency_is_never_left_alone() -> None:
    low = run(mpi=9.0)
    text = said(low)
    assert "MPI_Allreduce at a.c:7 (9 s)" in text
    assert "lost 9 s on average" in text
    assert said(low, finding(6.0, Confidence.HIGH)) == ""  # a finding explains most of it
    assert "1 finding of this run is unsure" in said(low, finding(6.0, Confidence.LOW))
    assert "a longer run would decide" in said(run(wall=0.1, mpi=0.09))


def test_threads_besides_the_first() -> None:
    of = run(mpi=0.0, helper_mpi_seconds=9.9, thread_level=3)
    assert "threads besides the first were in MPI, together for 9.9 s" in said(of)
    assert not any("efficiency" in part for part in _summary(of, None, ()).details)
    assert any("efficiency" in part for part in _summary(run(mpi=0.0), None, ()).details)


def test_sleep_is_named() -> None:
    assert "rank 0 slept for 4 s outside MPI" in said(run(mpi=0.5, sleep_seconds=4.0))


def test_all_ranks_are_called_so() -> None:
    of = run(4)
    assert ranks_in_words(of, {0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0}) == "all ranks"
    assert ranks_in_words(of, {0: 1.0, 2: 1.0}) == "ranks 0, 2"
    assert ranks_in_words(run(8), dict.fromkeys(range(5), 1.0)) == "ranks 0, 1, 2 and 2 others"


def test_a_doubtful_run_makes_nothing_sure() -> None:
    doubted = finding(1.0, Confidence.LOW)
    judgement = Judgement(Verdict.CONFIRMED, Evidence("omp", {}, ""), 1.0, 1.0)
    assert judgement.apply(doubted).confidence is Confidence.HIGH
    assert replace(judgement, doubt="the threads lacked processors").apply(doubted).confidence is Confidence.LOW
