"""`stridewise scale` on threads alone: a program without MPI whose laws are known, by both OpenMP libraries."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, scale

from stridewise.scale import teams
from stridewise.scale.counts import Count, Site

SOURCE = HERE / "threads.c"
THREADS = "1,2,3,4,6,8"


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if text in line)


def built(folder: Path, compiler: str) -> Path:
    shutil.copy(SOURCE, folder)
    build = [compiler, "-g", "-O1", "-fopenmp", SOURCE.name, "-o", "threads"]
    subprocess.run(build, cwd=folder, check=True, timeout=120)
    return folder / "threads"


def sites(study: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(site["call"], site["line"]): site for site in study["sites"]}


def test_each_construct_has_its_law(tmp_path: Path) -> None:
    """As `--threads` says, whatever the caller's environment has; one thread is of its time alone."""
    words = [
        "--threads",
        "-n",
        THREADS,
        "--target",
        64,
        "--work",
        "--format",
        "json",
        "--",
        built(tmp_path, "clang-19"),
    ]
    done = scale(tmp_path, *words, OMP_NUM_THREADS="3")
    assert done.returncode == 0, done.stderr
    study = json.loads(done.stdout)
    assert (study["unit"], study["ranks"]) == ("threads", [2, 3, 4, 6, 8])
    assert [run["ranks"] for run in study["runs"]] == [1, 2, 3, 4, 6, 8]
    found = sites(study)
    region = found["parallel", line_of("omp parallel")]
    assert (region["calls_most"]["law"], region["partners"]["law"]) == ("5", "P")
    even = found["loop-static", line_of("omp for") + 0]
    assert even["calls_most"]["law"] == "5·⌈4,096/P⌉"
    assert even["calls_most"]["foretold"] == 5 * 64
    assert even["calls"]["law"] == "20,480"
    dynamic = found["loop-dynamic", line_of("schedule(dynamic")]
    assert (dynamic["calls_most"]["law"], dynamic["calls"]["law"]) == (None, "20,480")  # who came first is chance
    assert found["barrier-explicit", line_of("omp barrier")]["calls_most"]["law"] == "5"
    assert found["single", line_of("omp single")]["calls"]["law"] == "5"
    critical = found["critical", line_of("omp critical")]
    assert (critical["calls_most"]["law"], critical["calls"]["law"]) == ("5", "5·P")
    assert critical["unscalable"] == "threads take turns, and all wait for 5·P of them"
    assert not any(site["unscalable"] for site in found.values() if site is not critical)

    work = {one["function"]: one for one in study["work"]}
    serial = work["set_up"]
    assert serial["instructions_most"]["confidence"] == "high"
    assert "are not divided (one thread alone runs it)" in serial["unscalable"]
    assert "most at line" in serial["unscalable"]
    (shared,) = [one for one in study["work"] if "outlined" in one["function"]]
    assert not shared["unscalable"]
    grows = {line["line"] for line in shared["lines"] if (line["instructions_most"].get("growth") or [0])[0] == 1}
    assert grows == {line_of("/* parts */") - 1, line_of("/* parts */")}


@pytest.mark.parametrize("words", [("--threads",), ("--env", "OMP_NUM_THREADS={n}")])
def test_a_program_of_gcc(words: tuple[str, ...], tmp_path: Path) -> None:
    """GCC's code computes its static shares itself: nobody sees these."""
    done = scale(tmp_path, *words, "-n", THREADS, "--target", 64, "--", built(tmp_path, "gcc"))
    assert done.returncode == 0, done.stderr
    assert f"threads.c:{line_of('omp critical')} critical in step" in done.stdout
    assert "turns of all      5·P; at 64: 320" in done.stdout
    assert "strong scaling over 2, 3, 4, 6, 8 threads" in done.stdout
    assert "prices:" not in done.stdout
    assert " rank" not in done.stdout
    folders = sorted((tmp_path / "stridewise-scale").glob("threads-*"))
    assert len(folders) == 6
    again = scale(tmp_path, "--target", 64, "--from", *folders)
    assert again.stdout == done.stdout
    page = (tmp_path / "stridewise-scale" / "scale.html").read_text()
    assert "Times of the busiest thread" in page
    assert "Seconds of a rank" not in page
    told = scale(tmp_path, "--format", "sarif", "--from", *folders)
    assert told.returncode == 2
    assert "no finding of a rule" in told.stderr


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two processors")
def test_more_threads_than_processors_have_no_times(tmp_path: Path) -> None:
    done = scale(tmp_path, "--threads", "-n", "1,2,64,65,66", "--", built(tmp_path, "clang-19"))
    if len(os.sched_getaffinity(0)) < 64:
        assert "64, 65, 66 threads: their counts are exact, their times tell nothing" in done.stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--threads", "--reduce", "--", "./app"), "--reduce is of ranks"),
        (("--threads", "--machine", "x.json", "--", "./app"), "--machine is of ranks"),
        (("--threads", "--launcher", "slurm", "--", "./app"), "writes jobs of ranks"),
        (("--", "./app"), "for threads of a program without MPI say --threads"),
        (("--threads", "-n", "1,2,3", "--", "true"), "a law needs runs at 3 numbers of ranks at least"),
    ],
)
def test_bad_input_says_what_and_ends_with_2(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = scale(tmp_path, *words)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


# --- Laws -------------------------------------------------------------------------------------------------------------


def law(construct: str, **counts: list[int]) -> str:
    values = {n: Count(**{name: of[at] for name, of in counts.items()}) for at, n in enumerate((2, 3, 4, 6, 8))}
    return teams.unscalable(teams.row(Site(construct, (("a.c", 1, "f"),)), values), 0.4)


def test_what_grows_with_the_threads() -> None:
    growing, still = [10, 15, 20, 30, 40], [5] * 5
    assert law("barrier-explicit", most=growing, total=growing) == "times grow with the threads: 5·P"
    assert law("parallel", most=growing, total=growing, partners=still) == "teams opened grow with the threads: 5·P"
    assert law("loop-dynamic", total=growing, partners=growing) == "rounds of the loop grow with the threads: 5·P"
    assert law("critical", most=still, total=growing).startswith("threads take turns")
    assert law("critical", most=[60, 40, 30, 20, 15], total=[120] * 5) == ""
    assert law("barrier-explicit", most=still, total=growing) == ""
    assert law("parallel", most=still, total=still, partners=[2, 3, 4, 6, 8]) == ""
    assert law("loop-static", most=still, total=growing, partners=still) == ""  # one for each thread
