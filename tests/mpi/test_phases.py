"""Phases that a program marks divide what is told of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, Mpi
from shards import REPOSITORY

HEADER = f"-I{REPOSITORY / 'runtime' / 'phases'}"


def merged(folder: Path) -> dict[str, Any]:
    target = folder / "trace.json"
    merger = BUILD / "bin" / "stridewise-merge"
    subprocess.run([merger, folder / "mpi", "-o", target], check=True)
    trace: dict[str, Any] = json.loads(target.read_text())
    return trace


def sums(trace: dict[str, Any]) -> Counter[str]:
    """Sums of all ranks by phase."""
    found: Counter[str] = Counter()
    for call in trace["calls"]:
        if call["call"] == "MPI_Allreduce":
            phase = trace["paths"][call["path"]].get("phase")
            found["" if phase is None else trace["phases"][phase]["name"]] += call["count"]
    return found


def test_calls_are_of_the_phase_that_they_are_in(mpi: Mpi, tmp_path: Path) -> None:
    program = mpi.compile("phases.c", HEADER)
    assert mpi.run([program], tmp_path).returncode == 0
    trace = merged(tmp_path)
    assert sums(trace) == {"start": 2, "assembly": 80, "solve": 40, "": 80}
    by_name = {phase["name"]: phase for phase in trace["phases"]}
    assert {name: phase["count"] for name, phase in by_name.items()} == {"start": 2, "assembly": 4, "solve": 2}
    seconds = {name: dict(map(tuple, phase["seconds"])) for name, phase in by_name.items()}
    assert 0.4 <= seconds["assembly"][1] < 5
    assert 0.2 <= seconds["solve"][0] < 5


def test_levels_of_pcontrol_are_phases(mpi: Mpi, tmp_path: Path) -> None:
    assert mpi.run([mpi.compile("phases.c", HEADER), "levels"], tmp_path).returncode == 0
    assert sums(merged(tmp_path)) == {"start": 2, "MPI_Pcontrol(0)": 4, "MPI_Pcontrol(7)": 14, "": 10}


def test_a_name_counts_where_both_ends_have_it(mpi: Mpi, tmp_path: Path) -> None:
    assert mpi.run([mpi.compile("phases.c", HEADER), "names"], tmp_path).returncode == 0
    assert sums(merged(tmp_path)) == {"start": 2, "solve": 4, "MPI_Pcontrol(1)": 6, "": 8}


def test_fortran_marks_phases_too(mpi: Mpi, tmp_path: Path) -> None:
    source = tmp_path / "levels.F90"
    source.write_text(
        "program levels\n use mpi\n integer :: e\n double precision :: one, all\n one = 1\n call MPI_Init(e)\n"
        " call MPI_Pcontrol(5)\n"
        " call MPI_Allreduce(one, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)\n"
        " call MPI_Pcontrol(-5)\n call MPI_Finalize(e)\nend program\n"
    )
    compiler, program = f"mpifort.{mpi.flavour}", tmp_path / "levels"
    subprocess.run([compiler, "-w", "-g", "-o", program, source], check=True, cwd=tmp_path)
    assert mpi.run([program], tmp_path).returncode == 0
    trace = merged(tmp_path)
    assert sums(trace) == {"MPI_Pcontrol(5)": 2}
    assert trace["phases"][0]["count"] == 2


def test_unwatched_marks_do_nothing(mpi: Mpi) -> None:
    for how in ("", "levels", "names"):
        assert mpi.run([mpi.compile("phases.c", HEADER), how], None).returncode == 0


@pytest.mark.parametrize("language", ["c", "c++"])
def test_the_header_needs_nothing(language: str, tmp_path: Path) -> None:
    """Without MPI, without warnings, as old as C99 and C++98."""
    source = tmp_path / f"plain.{'c' if language == 'c' else 'cpp'}"
    source.write_text('#include "stridewise.h"\nint main(void) { stridewise_phase("a"); stridewise_phase(0); }\n')
    for standard in ("c99", "gnu17") if language == "c" else ("c++98", "c++20"):
        command = ["gcc" if language == "c" else "g++", f"-std={standard}", "-Wall", "-Wextra", "-Werror", HEADER]
        subprocess.run([*command, source, "-o", tmp_path / "plain"], check=True)
        subprocess.run([tmp_path / "plain"], check=True)


def test_reports_are_divided_by_phase(mpi: Mpi, tmp_path: Path) -> None:
    assert mpi.run([mpi.compile("phases.c", HEADER)], tmp_path).returncode == 0

    def report(*words: str) -> str:
        settings = {**os.environ, "STRIDEWISE_BUILD": str(BUILD), "PYTHONPATH": str(REPOSITORY)}
        command = [sys.executable, "-m", "stridewise", "report", str(tmp_path), "--no-config", *words]
        return subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout

    text = report("--all")
    table = text[text.index("time by phase") :].split("\n\n")[0]
    assert [line.split()[0] for line in table.splitlines()[1:3]] == ["assembly", "solve"]
    assert "[assembly] MPI_Allreduce" in text
    run = json.loads(report("--format", "json"))["runs"][0]
    assembly = next(p for p in run["profile"]["phases"] if p["name"] == "assembly")
    assert 0.1 < assembly["waiting_seconds"] <= assembly["mpi_seconds"] <= assembly["mean_seconds"]
    assert {s["phase"] for s in run["profile"]["sites"] if s["call"] == "MPI_Allreduce" and "phase" in s} == {
        "start",
        "assembly",
        "solve",
    }
    page = report("--format", "html")
    assert "time by phase" in page
