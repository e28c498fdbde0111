"""The learnt check, and what rounds of timings say."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest

from stridewise.errors import Failure
from stridewise.improve import inputs, loop, outcome, timing, witness
from stridewise.improve.settings import Settings
from stridewise.improve.tree import Trees


def ran(text: str | bytes, status: int = 0, seconds: float = 1.0, cpu: float = 1.0, **files: bytes) -> outcome.Outcome:
    data = text.encode() if isinstance(text, str) else text
    return outcome.Outcome(status, seconds, cpu, {outcome.STDOUT: data, **files})


def learnt(*texts: str, tolerance: float = 1e-9) -> outcome.Check:
    return outcome.learn([ran(text) for text in texts], tolerance)


def test_what_differs_between_runs_is_no_result() -> None:
    check = learnt("residual 1.5e-3 time 0.31 s\n", "residual 1.5e-3 time 0.29 s\n")
    assert check.numbers == 1
    assert not outcome.compare(check, ran("residual 1.5e-3 time 7.11 s\n"))
    assert "says 1.6e-3 where it said 1.5e-3" in outcome.compare(check, ran("residual 1.6e-3 time 0.31 s\n"))
    assert "another form" in outcome.compare(check, ran("residual 1.5e-3\n"))
    assert "says errors" in outcome.compare(check, ran("errors 1.5e-3 time 0.31 s\n"))


@pytest.mark.parametrize(
    ("before", "after", "tolerance", "same"),
    [
        ("1.0", "1.00000000001", 1e-9, True),
        ("1.0", "1.00001", 1e-9, False),
        ("1.0", "1.00001", 1e-4, True),
        ("1", "-1", 1e-9, False),
        ("1.0", "nan", 1e9, False),
        ("nan", "nan", 1e-9, True),
        ("1.0", "inf", 1e9, False),
        ("1.0D+00", "1.0E+00", 1e-9, True),
        ("word", "words", 1.0, False),
        ("0.0", "-0.0", 1e-9, True),
    ],
)
def test_tokens(before: str, after: str, tolerance: float, same: bool) -> None:
    check = learnt(f"a {before}", f"a {before}", tolerance=tolerance)
    assert (not outcome.compare(check, ran(f"a {after}"))) is same


def test_files_count() -> None:
    check = outcome.learn([ran("done", field=b"\0\1"), ran("done", field=b"\0\1")], 1e-9)
    assert check.numbers == 1
    assert not outcome.compare(check, ran("done", field=b"\0\1"))
    assert "other bytes" in outcome.compare(check, ran("done", field=b"\0\2"))
    assert "was not written" in outcome.compare(check, ran("done"))
    volatile = outcome.learn([ran("done", log=b"\0\1"), ran("done", log=b"\0\2")], 1e-9)
    assert volatile.ignored == ("log",)
    assert volatile.numbers == 0


def test_a_crash_is_no_result() -> None:
    check = learnt("1.0", "1.0")
    assert "exit status 139" in outcome.compare(check, ran("1.0", status=139))


def test_ratio_is_that_of_the_rounds() -> None:
    exact = timing.ratio([(2.0, 1.0)] * 4)
    assert (exact.mean, exact.low, exact.high) == (0.5, 0.5, 0.5)
    assert exact.is_faster
    assert not timing.ratio([(2.0, 1.0)]).is_faster  # one round tells nothing
    assert not timing.ratio([(1.0, 1.3), (1.0, 0.6), (1.0, 0.9)]).is_faster


def test_intervals_hold_the_truth() -> None:
    """95 of 100 intervals of a ratio of 0.8 under noise hold it."""
    chance = random.Random(1)
    inside = 0
    for _ in range(400):
        pairs = [(chance.lognormvariate(0, 0.1), 0.8 * chance.lognormvariate(0, 0.1)) for _ in range(6)]
        found = timing.ratio(pairs)
        inside += found.low <= 0.8 <= found.high
    assert 0.92 < inside / 400 < 0.98


def test_rounds_end_when_the_ratio_is_known() -> None:
    clear = timing.measure(lambda: ran("", seconds=2.0), lambda: ran("", seconds=1.0), 1000)
    assert clear.rounds == 3
    chance = random.Random(2)
    short = timing.measure(lambda: ran("", seconds=0.2), lambda: ran("", seconds=0.1), 1000)
    assert short.rounds == 9  # of runs as short as that three rounds are luck
    noisy = timing.measure(
        lambda: ran("", seconds=chance.lognormvariate(0, 0.2)),
        lambda: ran("", seconds=chance.lognormvariate(0, 0.2)),
        1000,
    )
    assert noisy.rounds == 15
    assert noisy.before == pytest.approx(1.0, rel=0.3)


def test_what_noise_may_hide_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def one(seconds: float) -> outcome.Outcome:
        clock[0] += seconds
        return ran("", seconds=seconds)

    monkeypatch.setattr("stridewise.improve.timing.time.monotonic", lambda: clock[0])
    after = [0.4, 1.9, 0.5, 0.6, 0.5, 0.6, 0.5, 0.6]
    found = timing.measure(lambda: one(1.0), lambda: one(after.pop(0)), 1.0)
    assert found.rounds == 3
    clock[0], after = 0.0, [0.4, 1.1, 0.5, 0.6, 0.5, 0.6, 0.5, 0.6]
    found = timing.measure(lambda: one(1.0), lambda: one(after.pop(0)), 2.0)
    assert found.rounds == 4


def timed(wall: list[tuple[float, float]], cpu: list[tuple[float, float]]) -> timing.Timing:
    return timing.Timing(
        len(wall), statistics.median(b for b, _ in wall), statistics.median(a for _, a in wall),
        statistics.median(b for b, _ in cpu), statistics.median(a for _, a in cpu),
        timing.ratio(wall), timing.ratio(cpu),
    )  # fmt: skip


EQUAL = [(1.0, 1.01), (1.0, 0.99), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("wall", "cpu", "kept", "why"),
    [
        ([(1.0, 0.5)] * 3, EQUAL, True, "faster 2.00 times"),
        ([(1.0, 1.5)] * 3, [(1.0, 0.5)] * 3, False, "slower"),
        (EQUAL, [(1.0, 0.8)] * 3, True, "processor time is less (1.25 times)"),
        (EQUAL, EQUAL, False, "no gain that these runs can tell"),
        ([(1.0, 0.995)] * 3, EQUAL, False, "no gain"),  # certain, and nothing to anybody
    ],
)
def test_verdicts(wall: list[tuple[float, float]], cpu: list[tuple[float, float]], kept: bool, why: str) -> None:
    found, said, _ = loop.verdict(timed(wall, cpu))
    assert found is kept
    assert why in said


@pytest.mark.parametrize("text", ["make && ./app", "./app > out", "a | b", "make; make"])
def test_shells_are_not_used(text: str) -> None:
    with pytest.raises(Failure, match="without a shell"):
        inputs.words(text.replace("make;", "make ;"), "--build")


def test_words() -> None:
    assert inputs.words("make -C 'a b' X=1", "--build") == ("make", "-C", "a b", "X=1")
    for bad, why in (("", "empty"), ("a 'b", "quotation")):
        with pytest.raises(Failure, match=why):
            inputs.words(bad, "--run")


def test_a_date_that_changes_later_is_no_result() -> None:
    check = learnt("at 21:55:01 sum 3.5", "at 21:55:03 sum 3.5")
    late = ran("at 22:01:03 sum 3.5")
    assert outcome.compare(check, late)
    check = outcome.refined(check, late)
    assert not outcome.compare(check, ran("at 23:09:44 sum 3.5"))
    assert outcome.compare(check, ran("at 23:09:44 sum 3.6"))
    assert outcome.refined(check, ran("other form")).numbers == 0


def test_standard_error_counts_where_nothing_else_has_numbers() -> None:
    def both(text: str, errors: str) -> outcome.Outcome:
        return outcome.Outcome(0, 1.0, 1.0, {outcome.STDOUT: text.encode(), outcome.STDERR: errors.encode()})

    check = outcome.learn([both("sum 1", "4 warnings"), both("sum 1", "4 warnings")], 1e-9)
    assert not outcome.compare(check, both("sum 1", "5 warnings"))
    check = outcome.learn([both("done", "x 4"), both("done", "x 4")], 1e-9)
    assert "standard error says 5" in outcome.compare(check, both("done", "x 5"))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("step 1 of 3.5\n[1] 2.25\n[0] 1.5\n", ""),
        ("step 1 of 3.5\n[0] 1.5000000000001\n[1] 2.25\n", ""),
        ("step 1 of 3.5\n[1] 1.5\n[0] 2.25\n", "says 1 where it said 0"),
        ("[0] 1.5\n[0] 1.5\nstep 1 of 3.5\n", "where it said"),
        ("[0] 1.5\n[1] 2.25\n", "has another form"),
    ],
)
def test_lines_of_several_ranks_come_in_any_order(said: str, problem: str) -> None:
    def of(text: str) -> outcome.Outcome:
        return outcome.Outcome(0, 1.0, 1.0, {outcome.STDOUT: text.encode()})

    first, other = "step 1 of 3.5\n[0] 1.5\n[1] 2.25\n", "[1] 2.25\nstep 1 of 3.5\n[0] 1.5\n"
    check = outcome.learn([of(first), of(other), of(first)], 1e-9, ranks=True)
    assert check.numbers == 6
    found = outcome.compare(check, of(said))
    assert problem in found and bool(problem) == bool(found)
    alone = outcome.learn([of(first), of(first)], 1e-9)
    assert outcome.compare(alone, of(other))


@pytest.mark.parametrize(
    ("command", "several"),
    [
        ("mpirun -n 4 ./app", True),
        ("mpirun -n 1 ./app", False),
        ("srun --ntasks=1 ./app", False),
        ("mpirun ./app", True),
        ("./app -n 4", False),
    ],
)
def test_who_prints(command: str, several: bool) -> None:
    assert inputs.prints_by_ranks(tuple(command.split())) is several


def test_datatypes_are_no_messages(tmp_path: Path) -> None:
    calls = [{"call": name, "count": 3} for name in ("MPI_Send", "MPI_Type_free", "sleep", "write")]
    (tmp_path / "mpi").mkdir()
    chains = [{"rendezvous_length": 3, "instances": 10}, {"rendezvous_length": 4, "instances": 3}]
    trace = {"traffic": [[0, 1, 3, 24]], "calls": calls, "chains": chains}
    (tmp_path / "mpi" / "trace.json").write_text(json.dumps(trace))
    assert witness.counted(tmp_path, "mpi") == {
        witness.BYTES: 24,
        witness.IN_CHAINS: 42,
        "MPI_Send": 3,
        "sleep": 3,
    }


@pytest.mark.parametrize(
    ("rule", "was", "now", "kept"),
    [
        ("mpi-tiny-messages", {"MPI_Send": 300, "bytes sent": 8}, {"MPI_Send": 3, "bytes sent": 8}, True),
        ("mpi-tiny-messages", {"MPI_Send": 300}, {"MPI_Sendrecv": 3}, False),  # it has calls that it had not
        ("mpi-tiny-messages", {"MPI_Send": 300, "bytes sent": 8}, {"MPI_Send": 3, "bytes sent": 9}, False),
        ("mpi-tiny-messages", {"MPI_Send": 300}, {"MPI_Send": 299}, False),
        ("mpi-tiny-messages", {}, {"MPI_Send": 299}, False),
        ("mpi-send-recv-chain", {witness.IN_CHAINS: 90, "MPI_Send": 9}, {"MPI_Sendrecv": 9}, True),
        ("mpi-send-recv-chain", {witness.IN_CHAINS: 90}, {witness.IN_CHAINS: 90, "MPI_Sendrecv": 9}, False),
        ("mpi-send-recv-chain", {witness.IN_CHAINS: 90, witness.BYTES: 8}, {witness.BYTES: 9}, False),
        ("omp-critical-section", {witness.ENTRIES: 90, witness.BARRIERS: 2}, {witness.BARRIERS: 3}, True),
        ("omp-barrier-in-loop", {witness.ENTRIES: 90, witness.BARRIERS: 2}, {witness.BARRIERS: 2}, False),
        ("omp-serial-loop", {witness.BARRIERS: 2}, {witness.BARRIERS: 1}, False),  # what it is about nothing counts
        ("mem-strided-inner-loop", {witness.FIRST: 1000}, {witness.FIRST: 970}, True),
        ("mem-strided-inner-loop", {witness.FIRST: 1000}, {witness.FIRST: 985}, False),  # they are so far apart anyway
        ("mem-strided-inner-loop", {witness.FIRST: 9, witness.LAST: 9}, {witness.FIRST: 1, witness.LAST: 10}, False),
        ("mem-strided-inner-loop", {witness.INSTRUCTIONS: 90}, {witness.INSTRUCTIONS: 80}, False),
    ],
)
def test_what_is_counted_decides_where_time_does_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: str,
    was: dict[str, float],
    now: dict[str, float],
    kept: bool,
) -> None:
    monkeypatch.setattr(witness, "counted", lambda *_all: was)
    monkeypatch.setattr(witness, "counts", lambda _settings, _trees, tree, *_all: was if tree.name == "first" else now)
    improvement = loop.Improvement(Settings(tmp_path, Path(), (), ("./app",), tmp_path / "out"))
    found, why, seen = improvement._counted("undecided", rule)
    assert found is kept
    assert why == "undecided" or seen


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("CFLAGS -O2 -g", "CFLAGS -g"),
        ("CFLAGS -g -Ofast -march=x86-64-v3 -fassociative-math", "CFLAGS -g "),
        ("error -O.5 of x-O2 and -Other", "error -O.5 of x-O2 and -Other"),
        ("sum -2 -fast", "sum -2 -fast"),
    ],
)
def test_how_it_was_compiled_is_no_result(tmp_path: Path, line: str, kept: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    trees = Trees(tmp_path / "out")
    trees.create(project)
    ready = Settings(project, Path(), (), ("sh", "-c", 'printf %s "$0" | tee log', line), tmp_path / "out")
    one = outcome.run(ready, trees, trees.accepted)
    assert one.results[outcome.STDOUT].decode() == one.results["log"].decode() == kept


@pytest.mark.parametrize(
    ("said", "rights", "problem"),
    [
        ("rank 0 sum 3", ["rank 1 sum 3", "rank 1 sum 3", "rank 0 sum 3"], ""),  # two of two ranks, by chance
        ("rank 0 sum 4", ["rank 1 sum 3", "rank 0 sum 3", "rank 0 sum 3"], "says 4 where it said 3"),
        ("rank 0 sum 3", ["rank 1 sum 3"] * 3, "says 0 where it said 1"),
        ("rank 1 sum 3", [], ""),
    ],
)
def test_what_seems_wrong_is_looked_at_more_than_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, rights: list[str], problem: str
) -> None:
    left = [ran(text) for text in rights]
    monkeypatch.setattr(outcome, "run", lambda *_all: left.pop(0))
    improvement = loop.Improvement(Settings(tmp_path, Path(), (), ("./app",), tmp_path / "out"))
    found, check = improvement._compared(ran(said), learnt("rank 1 sum 3", "rank 1 sum 3"), None)
    assert problem in found and bool(problem) == bool(found)
    assert not left
    assert check.numbers == 2 - ("rank 0 sum 3" in rights)
