"""What OpenMP constructs cost: measured on a calibrated machine, else the defaults; each price says which."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stridewise.errors import Failure
from stridewise.finding import prices
from stridewise.finding.prices import CONSTRUCTS, Costs
from stridewise.machine import machine_file
from stridewise.machine.machine_file import MachineFile, OmpRuntime, Team

MEASURED = Costs(
    MachineFile(
        host="node7",
        date="2026-01-02T03:04:05+00:00",
        omp=(
            OmpRuntime(
                "libomp",
                "clang 19",
                (
                    Team(2, {"parallel": 1e-6, "for": 5e-7, "chunk_dynamic": 1e-7}),
                    Team(4, {"parallel": 3e-6, "for": 6e-7, "chunk_dynamic": 2e-7}),
                ),
            ),
            OmpRuntime("libgomp", "gcc 12", (Team(2, {"parallel": 9e-6, "task": 1e-7}),)),
        ),
    )
)


def test_defaults_are_ordered_and_say_so() -> None:
    for threads in (2, 3, 4, 16, 64, 128, 1000):
        cost = {name: prices.omp_cost(Costs(), name, threads) for name in CONSTRUCTS}
        assert not any(price.measured for price in cost.values())
        assert all(price.seconds > 0 for price in cost.values())
        assert cost["atomic"].seconds < cost["critical"].seconds
        assert cost["for_nowait"].seconds < cost["barrier"].seconds < cost["parallel"].seconds
        assert cost["for"].seconds < cost["parallel"].seconds < cost["reduction"].seconds
        assert "not calibrated" in cost["parallel"].source


def test_defaults_reproduce_the_study_of_schedules() -> None:
    """The XT4 study: 256 iterations on 2 threads, 512 on 4; microseconds."""
    for threads, iterations, expected in ((2, 256, 34), (4, 512, 315)):
        dynamic = prices.omp_loop_cost(Costs(), "dynamic", 1, iterations, threads)
        assert 1e6 * dynamic.seconds == pytest.approx(expected, rel=0.05)
        assert prices.omp_loop_cost(Costs(), "static", 1, iterations, threads).seconds < dynamic.seconds / 10


def test_measured_costs_are_interpolated_and_extrapolated() -> None:
    parallel = prices.omp_cost(MEASURED, "parallel", 3)
    assert parallel.measured
    assert parallel.seconds == pytest.approx(2e-6)
    assert parallel.source == "measured on node7 2026-01-02 with libomp"
    assert prices.omp_cost(MEASURED, "parallel", 16).seconds == pytest.approx(6e-6)
    assert prices.omp_cost(MEASURED, "parallel", 16).source.endswith("extrapolated from 4 threads")
    assert prices.omp_cost(MEASURED, "parallel", 2, "libgomp").seconds == pytest.approx(9e-6)


def test_a_contended_access_is_the_lectures_where_nothing_was_measured() -> None:
    assert prices.contended_access().seconds == pytest.approx(16.7e-9)
    assert "lecture" in prices.contended_access(MEASURED, 4).source
    team = Team(2, {"shared_line": 5e-9})
    measured = prices.contended_access(Costs(MachineFile(host="n", omp=(OmpRuntime("libomp", "", (team,)),))), 2)
    assert (measured.seconds, measured.measured) == (5e-9, True)


def test_what_one_runtime_lacks_comes_from_the_other_or_the_defaults() -> None:
    assert prices.omp_cost(MEASURED, "task", 2).source.endswith("libgomp")
    assert not prices.omp_cost(MEASURED, "atomic", 2).measured
    mixed = prices.omp_loop_cost(MEASURED, "guided", 1, 100, 2)
    assert not mixed.measured
    assert prices.omp_loop_cost(MEASURED, "dynamic", 4, 100, 2).seconds == pytest.approx(5e-7 + 25e-7)


@pytest.mark.parametrize(
    ("schedule", "chunk", "iterations", "threads", "count"),
    [
        ("static", 0, 100, 4, 4),
        ("static", 0, 3, 4, 3),
        ("static", 1, 100, 4, 100),
        ("dynamic", 0, 100, 4, 100),
        ("dynamic", 16, 100, 4, 7),
        ("dynamic", 16, 0, 4, 0),
        ("guided", 50, 100, 2, 2),
    ],
)
def test_chunks_of_a_loop(schedule: str, chunk: int, iterations: int, threads: int, count: int) -> None:
    assert prices.omp_chunks(schedule, chunk, iterations, threads) == count


def test_guided_takes_few_large_chunks() -> None:
    assert 4 < prices.omp_chunks("guided", 1, 1000, 4) < 40


def test_a_file_is_read_as_it_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MEASURED.file is not None
    monkeypatch.delenv("STRIDEWISE_MACHINE", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert prices.costs("node7") == Costs()
    path = machine_file.default_path("node7")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(MEASURED.file.to_json()), encoding="utf-8")
    assert prices.costs("node7") == MEASURED


def test_a_host_name_stays_within_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert machine_file.default_path("../../etc/passwd").parent == tmp_path / "stridewise" / "machines"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "expected an object"),
        ("{", "cannot read"),
        ('{"version": 2}', "version 2 is not known"),
        ('{"latency_seconds": -1}', "latency_seconds is no positive number"),
        ('{"omp": {}}', "omp is no list"),
        ('{"omp": [{"teams": [{"threads": 0}]}]}', r"omp\[0\].teams\[0\].threads is no number of threads"),
        ('{"disturbed_share": 1.5}', "disturbed_share is no share"),
        ('{"omp": [{"teams": [{"threads": 2, "seconds": {"for": "x"}}]}]}', "seconds.for is no number of seconds"),
        ('{"memory": [{"name": "L1", "latency_seconds": 0}]}', r"memory\[0\].latency_seconds is no positive"),
        ('{"topology": 3}', "topology: expected an object"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "machine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Failure, match=why) as caught:
        machine_file.load(path)
    assert str(path) in str(caught.value)
