"""Builds the small MPI programs once and runs them with and without the interposer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "pmpi_wrappers"))

import generate
import mpi_table
from shards import REPOSITORY, Shard

from mpi_launch import LAUNCH

PROGRAMS = Path(__file__).resolve().parent / "programs"
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", REPOSITORY / "build"))
TABLE = REPOSITORY / "pmpi_wrappers" / "mpi_calls.toml"
FLAVOURS = ("openmpi", "mpich")


@lru_cache
def call_names() -> list[str]:
    """Names of the calls by their number in a shard."""
    calls = mpi_table.load(TABLE)
    return [call.name for call in generate.wrapped_calls(calls)]


def header_of(flavour: str) -> Path:
    """The mpi.h of an installed MPI."""
    compiler = shutil.which(f"mpicc.{flavour}")
    if not compiler:
        pytest.skip(f"{flavour} is not installed")
    shown = subprocess.run([compiler, "-show"], capture_output=True, text=True, check=True).stdout
    return next(path for word in shown.split() if (path := Path(word.removeprefix("-I"), "mpi.h")).is_file())


def read_shards(folder: Path) -> list[Shard]:
    """All shards of a run, by rank."""
    return sorted((Shard(p, call_names()) for p in folder.glob("mpi/*.swshard")), key=lambda shard: shard.rank)


@dataclass(frozen=True)
class Mpi:
    """One MPI with its interposer."""

    flavour: str
    library: Path
    programs: Path

    def compile(self, source: str, *flags: str) -> Path:
        """The program built from tests/mpi/programs/<source>; each combination is built once."""
        name = "-".join(
            [Path(source).stem, self.flavour, *(f.strip("-").replace("=", "").replace("/", "_") for f in flags)]
        )
        program = self.programs / name
        if not program.exists():
            compiler = f"mpifort.{self.flavour}" if source.endswith(".F90") else f"mpicc.{self.flavour}"
            command = [
                compiler,
                "-g",
                "-O1",
                "-w",
                *(["-fallow-argument-mismatch"] * source.endswith(".F90")),
                *flags,
                "-o",
                str(program),
                str(PROGRAMS / source),
                "-lpthread",
            ]
            subprocess.run(command, check=True, cwd=self.programs)
        return program

    def run(
        self,
        program: Sequence[str | Path],
        out: Path | None,
        ranks: int = 2,
        library: Path | None = None,
        **environment: str,
    ) -> subprocess.CompletedProcess[str]:
        """Runs it under mpirun; with `out`, the interposer is preloaded and writes there."""
        settings = {**os.environ, **LAUNCH, **environment}
        if out is not None:
            settings["LD_PRELOAD"] = str(library or self.library)
            settings["STRIDEWISE_OUT"] = str(out)
        command = [f"mpirun.{self.flavour}", "-n", str(ranks), *map(str, program)]
        return subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Mpi]:
    """Finds an MPI by flavour, skipping the test where it is not installed."""
    folder = tmp_path_factory.mktemp("programs")

    def find(flavour: str) -> Mpi:
        if not shutil.which(f"mpicc.{flavour}"):
            pytest.skip(f"{flavour} is not installed")
        library = BUILD / "lib" / flavour / "libstridewise_mpi.so"
        assert library.exists(), f"{library} is missing: build it, or set STRIDEWISE_BUILD"
        return Mpi(flavour, library, folder)

    return find


@pytest.fixture(params=FLAVOURS)
def mpi(request: pytest.FixtureRequest, built: Callable[[str], Mpi]) -> Mpi:
    """Each MPI in turn."""
    return built(request.param)
