"""The gate: a change that adds a message, a barrier, a region or a wrong loop order is named by its line; one that adds
nothing passes, each time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpi_launch import LAUNCH
from stridewise.budget import items
from stridewise.budget.compare import Kind, compare
from stridewise.budget.items import Budget, Item

HERE = Path(__file__).resolve().parent
TIMES = int(os.environ.get("STRIDEWISE_BUDGET_TIMES", "3"))  # docs/budget.md: 20


def stridewise(folder: Path, *words: object, status: Sequence[int] = (0,)) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stridewise", *map(str, words)]
    known = {**os.environ, **LAUNCH, "OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode in status, done.stdout + done.stderr
    return done


def source(folder: Path, name: str, change: str = "") -> Path:
    """The program of that name, as a change leaves it: with lines that were not there before."""
    text = (HERE / f"{name}.c").read_text()
    path = folder / f"{name}.c"
    path.write_text(f"/* A comment\n   that moves\n   all lines. */\n#define {change}\n{text}" if change else text)
    return path


def messages(folder: Path, flavour: str, change: str = "", *options: str) -> Path:
    path = source(folder, "messages", change)
    program = folder / "messages"
    subprocess.run([f"mpicc.{flavour}", "-g", "-O1", path.name, "-o", program], cwd=folder, check=True, timeout=120)
    stridewise(folder, "run", *options, "-o", "run", "--", f"mpirun.{flavour}", "-n", 4, program)
    return folder / "run"


def loops(folder: Path, change: str = "") -> list[object]:
    path = source(folder, "loops", change)
    flags = ["-g", "-O1", "-fopenmp"]
    subprocess.run(["clang-19", *flags, path.name, "-o", "loops"], cwd=folder, check=True, timeout=120)
    stridewise(folder, "run", "--omp", "-o", "run", "--", "./loops")
    stridewise(folder, "run", "--cache", "-o", "run", "--", "./loops")
    linted = stridewise(folder, "lint", "--format", "json", path.name, "--", *flags)
    (folder / "lint.json").write_text(linted.stdout)
    return ["run", "--lint", "lint.json"]


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_messages(flavour: str, tmp_path: Path) -> None:
    run = messages(tmp_path, flavour)
    stridewise(tmp_path, "budget", run)
    assert "MPI_Test" not in (tmp_path / "stridewise-budget.json").read_text()
    for _ in range(TIMES):
        messages(tmp_path, flavour, "NOTHING")
        assert "within the budget" in stridewise(tmp_path, "check", run).stdout

    messages(tmp_path, flavour, "MORE_MESSAGES")
    for _ in range(TIMES):
        told = stridewise(tmp_path, "check", run, status=(1,)).stdout
        line = 4 + next(n for n, t in enumerate((HERE / "messages.c").read_text().splitlines(), 1) if "next, 2" in t)
        assert f"new   messages.c:{line} MPI_Sendrecv in exchange (mpi, 4 ranks): 40 calls" in told
        assert told.count("new ") == 1
        assert "more " not in told

    messages(tmp_path, flavour, "BARRIER")
    told = stridewise(tmp_path, "check", run, status=(1,)).stdout
    assert "MPI_Barrier in main (mpi, 4 ranks): 40 calls, 10 calls of the busiest rank" in told
    assert "found there: mpi-redundant-barrier" in told


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_memory(flavour: str, tmp_path: Path) -> None:
    run = messages(tmp_path, flavour, "", "--memory")
    stridewise(tmp_path, "budget", run)
    for _ in range(TIMES):
        messages(tmp_path, flavour, "NOTHING", "--memory")
        assert "within the budget" in stridewise(tmp_path, "check", run).stdout
    messages(tmp_path, flavour, "MEMORY", "--memory")
    told = stridewise(tmp_path, "check", run, status=(1,)).stdout
    assert "allocate in numbers (memory, 4 ranks): 40 allocations, 960 bytes" in told
    messages(tmp_path, flavour, "NOTHING")  # a run that did not watch it
    told = stridewise(tmp_path, "check", run).stdout
    assert "memory, 4 ranks" in told
    assert "within the budget" in told


def test_regions_loops_and_findings(tmp_path: Path) -> None:
    words = loops(tmp_path)
    stridewise(tmp_path, "budget", *words)
    for _ in range(TIMES):
        loops(tmp_path, "NOTHING")
        assert "within the budget" in stridewise(tmp_path, "check", *words).stdout

    loops(tmp_path, "REGION")
    told = stridewise(tmp_path, "check", *words, status=(1,)).stdout
    assert "parallel in smooth (omp): 5 teams opened, 2 threads of the largest team" in told

    loops(tmp_path, "ORDER")
    told = stridewise(tmp_path, "check", *words, status=(1,)).stdout
    assert "mem-strided-inner-loop in total (lint)" in told
    assert "misses of the first level" in told


def test_a_run_keeps_its_places_when_the_program_is_built_again(tmp_path: Path) -> None:
    """Of MPI and of OpenMP: what a report told right after the run, later ones tell, too."""
    run = messages(tmp_path, "openmpi")
    run.rename(tmp_path / "before")
    messages(tmp_path, "openmpi", "BARRIER")
    told = stridewise(tmp_path, "report", "before", "--all").stdout
    assert "rebuilt since" not in told
    sites = json.loads(stridewise(tmp_path, "report", "before", "--format", "json").stdout)["runs"][0]["profile"][
        "sites"
    ]
    assert {site["file"] for site in sites if site["call"] == "MPI_Sendrecv"} == {"messages.c"}
    kept = tmp_path / "before" / "mpi" / "places.json"
    kept.write_text(kept.read_text().replace("messages.c", "messagez.c"))  # damaged: as if it were not there
    assert "rebuilt since the run" in stridewise(tmp_path, "report", "before").stdout
    assert "names no function of the program" in stridewise(tmp_path, "budget", "before", status=(2,)).stderr

    source(tmp_path, "loops")
    build = ["clang-19", "-g", "-O1", "-fopenmp", "loops.c", "-o", "loops"]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=120)
    stridewise(tmp_path, "run", "--omp", "-o", "threads", "--", "./loops")
    stridewise(tmp_path, "budget", "threads")
    subprocess.run([*build, "-DREGION"], cwd=tmp_path, check=True, timeout=120)
    assert "within the budget" in stridewise(tmp_path, "check", "threads").stdout


def test_formats(tmp_path: Path) -> None:
    run = messages(tmp_path, "openmpi")
    stridewise(tmp_path, "budget", run)
    messages(tmp_path, "openmpi", "BARRIER")
    value = json.loads(stridewise(tmp_path, "check", run, "--format", "json", status=(1,)).stdout)
    assert not value["within"]
    (change,) = value["changes"]
    assert (change["kind"], change["name"], change["values"][0]) == (
        "new", "MPI_Barrier", {"unit": "calls", "before": 0, "after": 40},
    )  # fmt: skip
    sarif = json.loads(stridewise(tmp_path, "check", run, "--format", "sarif", status=(1,)).stdout)
    (result,) = sarif["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "messages.c"
    assert (result["ruleId"], result["level"]) == ("budget", "error")
    assert "| new | messages.c:" in stridewise(tmp_path, "check", run, "--format", "markdown", status=(1,)).stdout


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("budget", "nowhere"), "no run folder nowhere"),
        (("check", "."), "no budget stridewise-budget.json; make one with stridewise budget"),
        (("check", "--budget", "damaged.json", "."), "cannot read the budget damaged.json"),
        (("budget", "."), ". holds no run of MPI, OpenMP or the caches with counts"),
    ],
)
def test_bad_input_says_what_and_ends_with_2(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    (tmp_path / "damaged.json").write_text('{"version": 1, "runs": {}, "items": [{"run": "x"}]}')
    done = stridewise(tmp_path, *words, status=(2,))
    assert why in done.stderr
    assert "Traceback" not in done.stderr


# --- Comparing --------------------------------------------------------------------------------------------------------


def item(line: int, calls: int, name: str = "MPI_Send", function: str = "f", **more: int) -> Item:
    return Item("mpi, 4 ranks", name, (("a.c", function),), line, {"calls": calls, **more})


def budget(*found: Item, runs: Sequence[str] = ("mpi, 4 ranks",)) -> Budget:
    return Budget({run: ["./app"] for run in runs}, found)


def test_lines_that_moved_are_no_change() -> None:
    result = compare(budget(item(10, 5), item(20, 7)), budget(item(13, 5), item(25, 7)))
    assert not result.changes
    assert result.same == 2


def test_a_new_call_between_two_others_is_the_new_one() -> None:
    result = compare(budget(item(10, 5), item(20, 7)), budget(item(10, 5), item(15, 6), item(21, 7)))
    (change,) = result.changes
    assert (change.kind, change.item.line, change.values) == (Kind.NEW, 15, (("calls", 0, 6),))


def test_places_that_all_changed_are_compared_in_the_order_of_their_lines() -> None:
    result = compare(budget(item(10, 5), item(20, 7)), budget(item(25, 8), item(11, 6)))
    assert {(c.item.line, c.values) for c in result.changes} == {(11, (("calls", 5, 6),)), (25, (("calls", 7, 8),))}


def test_a_place_that_moved_behind_another_is_the_same() -> None:
    result = compare(budget(item(10, 5), item(20, 7)), budget(item(10, 7), item(20, 9)))
    (change,) = result.changes
    assert change.values == (("calls", 5, 9),)
    assert result.same == 1


def test_less_does_not_make_up_for_more() -> None:
    result = compare(budget(item(10, 5, bytes=800)), budget(item(10, 6, bytes=400)))
    assert {(c.kind, c.values) for c in result.changes} == {
        (Kind.MORE, (("calls", 5, 6),)),
        (Kind.LESS, (("bytes", 800, 400),)),
    }
    assert len(result.dearer) == 1


def test_what_is_gone_is_told_and_passes() -> None:
    result = compare(budget(item(10, 5), item(20, 7, "MPI_Barrier")), budget(item(10, 5)))
    (change,) = result.changes
    assert change.kind is Kind.GONE
    assert not result.dearer


def test_runs_that_only_one_side_has_are_told_and_not_compared() -> None:
    other = Item("omp", "parallel", (("a.c", "f"),), 3, {"teams": 4})
    result = compare(budget(item(10, 5), other, runs=("mpi, 4 ranks", "omp")), budget(item(10, 5)))
    assert not result.changes
    assert result.unchecked == ("omp",)


def test_simulated_misses_have_a_tolerance_and_counts_have_none() -> None:
    def cache(misses: int) -> Budget:
        one = Item("cache, 1 process", "function", (("a.c", "f"),), 3, {"d1_misses": misses})
        return Budget({"cache, 1 process": ["./app"]}, (one,))

    assert not compare(cache(100_000), cache(101_900)).changes
    assert compare(cache(100_000), cache(102_200)).dearer
    assert not compare(cache(100), cache(1000)).changes
    assert compare(budget(item(1, 100_000)), budget(item(1, 100_001))).dearer


def test_the_file_comes_back_as_it_was_and_has_a_line_for_each_item(tmp_path: Path) -> None:
    kept = budget(item(10, 5, bytes=80), item(20, 7, "MPI_Barrier", 'odd "name"\n'))
    path = tmp_path / "budget.json"
    path.write_text(items.as_text(kept))
    assert compare(kept, items.load(path)).same == 2
    assert not compare(kept, items.load(path)).changes
    assert sum('"name"' in line for line in path.read_text().splitlines()) == 2
