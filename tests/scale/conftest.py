"""A program whose laws are known, and a study of it by both MPI libraries."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mpi_launch import LAUNCH

HERE = Path(__file__).resolve().parent
RANKS = "2,3,4,5,6,8"


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def flavour(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def launcher(flavour: str) -> str:
    return f"mpirun.{flavour}"


@pytest.fixture(scope="session")
def program(flavour: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp(flavour) / "counts"
    command = [f"mpicc.{flavour}", "-g", "-O1", "-Wall", "-Werror", str(HERE / "programs.c"), "-o", str(target)]
    subprocess.run(command, check=True, timeout=120)
    shutil.copy(HERE / "programs.c", target.parent)
    return target


def scale(folder: Path, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "stridewise", "scale", *map(str, words)]
    known = {**os.environ, **LAUNCH, **environment}
    return subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True, timeout=600, check=False)


@pytest.fixture(scope="session")
def studied(program: Path, launcher: str) -> tuple[Path, dict[str, Any]]:
    done = scale(
        program.parent, "-n", RANKS, "--target", 64, "--format", "json", "-o", "study", "--",
        launcher, "-n", "{n}", program, 720, 5,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return program.parent, json.loads(done.stdout)


def site(study: dict[str, Any], call: str, function: str) -> dict[str, Any]:
    (found,) = [s for s in study["sites"] if s["call"] == call and s["function"] == function]
    return dict(found)
