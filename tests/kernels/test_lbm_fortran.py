"""The lattice-Boltzmann program in Fortran: its repair computes the same, lint names each defect, and none when it is
repaired. What only a run tells, the second exchange, stays there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lit_format.samples import Found, commented, expectations, other_than_stated
from mpi_launch import LAUNCH

TOP = Path(__file__).resolve().parents[2]
KERNEL = Path(__file__).resolve().parent / "lbm_fortran"
STRIDEWISE = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"
SMALL = ["width=96", "height=48", "iterations=12", "save_interval=4", "pause_ms=1"]

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("mpif90", "mpirun", "make", "gfortran"))), reason="needs MPI with Fortran, and make"
)


def build(version: str, folder: Path, *before: str | Path) -> Path:
    words = [*before, "make", "-s", "-f", "build.mk", f"VERSION={version}", f"BUILD={folder}"]
    done = subprocess.run(words, cwd=KERNEL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "lbm"


def run(program: Path, ranks: int, threads: int) -> str:
    command = ["mpirun", "-n", str(ranks), str(program), *SMALL]
    surroundings = os.environ | LAUNCH | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300, env=surroundings)
    return done.stdout.strip()


def test_both_versions_compute_the_same(tmp_path: Path) -> None:
    original, fixed = build("original", tmp_path / "original"), build("fixed", tmp_path / "fixed")
    expected = run(original, 1, 1)
    assert expected.count("step") == 3
    for ranks, threads in ((1, 2), (2, 1), (4, 1)):
        assert run(original, ranks, threads) == expected, f"{ranks} ranks, {threads} threads"
        assert run(fixed, ranks, threads) == expected, f"{ranks} ranks, {threads} threads"


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
@pytest.mark.parametrize("version", ("original", "fixed"))
def test_lint_names_each_defect(version: str, tmp_path: Path) -> None:
    database = tmp_path / "compile_commands.json"
    build(version, tmp_path / "build", STRIDEWISE, "capture", "-o", database, "--")
    words: list[str | Path] = [STRIDEWISE, "lint", "-p", database, "--all", "--format", "json"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    result = json.loads(done.stdout)
    assert result["problems"] == [], done.stderr
    top = Path(result["root"])
    found = [
        Found.from_json(finding | {"location": finding["location"] | {"file": str(top / finding["location"]["file"])}})
        for finding in result["findings"]
    ]
    folder = KERNEL / version
    expected = [
        place
        for file in sorted(folder.glob("*.f90"))
        for kind, place in expectations(commented(file), str(file))
        if kind == "expect"
    ]
    assert bool(expected) == (version == "original")
    assert sorted(f.place for f in found) == sorted(expected)
    assert other_than_stated(expected, found) == []
