"""Measured speed-ups: what the documentation says of them, and how they are measured."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import speedups

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "benchmarks"))

import pairs  # noqa: E402

from stridewise import catalogue  # noqa: E402

CLEAR = speedups.Figure("mem-struct-padding", "its sample", "./…", "cpu", 0.6, 0.4)
NOISE = speedups.Figure("mpi-no-overlap", "its sample", "./…", "elapsed", 1.02, 1.0)
COUNTED = speedups.Figure(
    "mpi-tiny-messages", "its sample", "./…", "elapsed", 1.02, 1.0, speedups.Witness("MPI_Send calls", 819200, 1600)
)
UNTIMED = speedups.Figure("omp-tiny-tasks", "its sample", "./…", "elapsed", witness=speedups.Witness("tasks", 9, 1))
ALIKE = speedups.Figure("omp-small-loop", "its sample", "./…", "elapsed", witness=speedups.Witness("teams", 9, 9))
KNOWN = speedups.Speedups("2 cores", 1.05, (CLEAR, NOISE, COUNTED, UNTIMED, ALIKE))


def test_page_tells_noise_from_figures() -> None:
    text = speedups.page(KNOWN)
    rows = [line for line in text.splitlines() if line.startswith("| [")]
    assert len(rows) == 3
    assert rows[0].endswith("| 0.60 s | 0.40 s | **1.5** | processor time |  |")
    # A count has no noise, whatever the seconds are.
    assert rows[1].endswith("| `./…` |  | | |  | MPI_Send calls: 819,200 → 1,600 |")
    assert rows[2].endswith("| `./…` |  | | |  | tasks: 9 → 1 |")
    assert "noise: [mpi-no-overlap](rules/mpi-no-overlap.md), [omp-small-loop](rules/omp-small-loop.md)." in text


def test_rule_pages_have_their_own_figures() -> None:
    text = "why\n\n## How to fix it\n\nso\n"
    said = speedups.with_figures(text, "mem-struct-padding", KNOWN)
    assert "0.60 s with the defect and 0.40 s without it: 1.5 times" in said
    assert said.index("Measured") < said.index("## How to fix it")
    said = speedups.with_figures(text, "mpi-tiny-messages", KNOWN)
    assert "Measured: Its sample, with the defect and without it: MPI_Send calls: 819,200 → 1,600. ([How]" in said
    assert speedups.with_figures(text, "mpi-no-overlap", KNOWN) == text
    assert speedups.with_figures(text, "omp-small-loop", KNOWN) == text
    assert speedups.with_figures(text, "mem-array-of-structs", KNOWN) == text


def test_kept_figures_are_of_rules_and_programs_that_are_measured() -> None:
    known = speedups.Speedups.load(TOP / "docs" / "speedups.json")
    assert known.figures
    assert {figure.rule for figure in known.figures} <= {work.rule for work in pairs.WORK}
    assert {work.rule for work in pairs.WORK} <= set(catalogue.load())


@pytest.mark.parametrize(
    "work", [work for work in pairs.WORK if isinstance(work, pairs.Pair)], ids=lambda work: work.rule
)
def test_sizes_are_in_both_sources(work: pairs.Pair) -> None:
    for name in ("buggy", "fixed"):
        assert pairs.resized(work, name)


def test_a_size_that_is_gone_is_noticed() -> None:
    with pytest.raises(SystemExit, match="is there 0 times"):
        pairs.resized(
            pairs.Pair("mem-struct-padding", sizes=(("count = 1", "count = 2"), ("no such", "text"))), "buggy"
        )


def test_measures_and_keeps_what_others_measured(tmp_path: Path) -> None:
    work = pairs.Pair("mem-struct-padding", sizes=(("step < 8", "step < 9"),))
    figure = pairs.measure(work, repeat=1, are_timed=True)
    assert figure.buggy_seconds and figure.buggy_seconds > 0
    assert figure.fixed_seconds and figure.fixed_seconds > 0
    assert figure.witness is None
    path = tmp_path / "speedups.json"
    pairs.write(path, [figure])
    other = pairs.Figure("run-sleep-in-loop", "its sample", "./…", "elapsed", 2.0, 1.0)
    pairs.write(path, [other])
    assert [f.rule for f in speedups.Speedups.load(path).figures] == ["mem-struct-padding", "run-sleep-in-loop"]
    # Counts alone keep the seconds that are there.
    pairs.write(path, [replace(other, buggy_seconds=None, fixed_seconds=None, witness=pairs.Witness("calls", 5, 2))])
    _, again = speedups.Speedups.load(path).figures
    assert (again.ratio, str(again.witness)) == (2.0, "calls: 5 → 2")


def test_counts_of_both_programs() -> None:
    (work,) = [w for w in pairs.WORK if w.rule == "omp-small-loop"]
    figure = pairs.measure(work, repeat=1, are_timed=False)
    assert figure.buggy_seconds is None
    assert figure.witness
    assert figure.witness.what == "teams opened"
    assert figure.witness.buggy > figure.witness.fixed > 0


def test_teams_and_ranks_wait_for_an_idle_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[str] = []

    def measure(work: pairs.Pair, repeat: int, are_timed: bool) -> pairs.Figure:
        assert are_timed
        measured.append(work.rule)
        return pairs.Figure(work.rule, "its sample", "./…", "elapsed", 2.0, 1.0 * repeat)

    monkeypatch.setattr(pairs, "measure", measure)
    monkeypatch.setattr(pairs, "other_work", lambda: 1.5)
    words = ["pairs.py", "--only", "^(omp-load-imbalance|mem-struct-padding)$", "--repeat", "1"]
    monkeypatch.setattr(sys, "argv", words)
    assert pairs.main() == 0
    assert measured == ["mem-struct-padding"]
    assert "omp-load-imbalance           not timed: others use 150% of a processor" in capsys.readouterr().out
    monkeypatch.setattr(pairs, "other_work", lambda: 0.1)
    assert pairs.main() == 0
    assert measured[1:] == ["mem-struct-padding", "omp-load-imbalance"]


def test_other_work_is_a_number_of_processors() -> None:
    assert 0 <= pairs.other_work(0.05) <= 1.5 * (os.cpu_count() or 1)


def test_programs_that_differ_are_refused() -> None:
    # The sources have the loop in different lines, and so do different numbers of steps.
    work = pairs.Pair("mem-struct-padding", sizes=(("step < 8", "step < __LINE__"),))
    with pytest.raises(SystemExit, match="the programs print"):
        pairs.measure(work, repeat=1, are_timed=True)
