"""Builds the programs once, and runs them bare and watched."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from stridewise.runs import run_folder
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp import trace as omp_trace
from stridewise.settings import toolchain

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
COMPILERS = {
    "gcc": {".c": ["gcc"], ".cpp": ["g++"], ".f90": ["gfortran"]},
    "clang": {".c": ["clang-19"], ".cpp": ["clang++-19"]},
}
TIMEOUT_SECONDS = 300


@dataclass(frozen=True)
class Outcome:
    status: int
    output: str
    errors: str


def call(command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str] | None = None) -> Outcome:
    done = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "2", "XDG_CONFIG_HOME": str(cwd / "config"), **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class Bench:
    """A folder for one test; `programs` are shared by all."""

    folder: Path
    programs: Path

    def build(self, name: str, compiler: str = "gcc", *flags: str) -> Path:
        source = HERE / "programs" / name
        label = "_".join(["".join(c if c.isalnum() else "-" for c in word) for word in (compiler, *flags)])
        program = self.programs / f"{source.stem}.{label}"
        if not program.exists():
            words = COMPILERS[compiler][source.suffix]
            debug = [] if "-s" in flags or "-g0" in flags else ["-g"]
            done = call([*words, "-O2", "-fopenmp", *debug, source, *flags, "-o", program, "-lm", "-ldl"], self.folder)
            assert done.status == 0, done.errors
        return program

    def watch(self, *command: str | Path, **environment: str) -> Outcome:
        watched: list[str | Path] = [self.command, "run", "--omp", "--format", "json", "-o", "out", "--", *command]
        return call(watched, self.folder, environment)

    @property
    def command(self) -> Path:
        built = toolchain.omp_recorder()
        assert built is not None
        return built.parent.parent / "bin" / "stridewise"

    def trace(self) -> omp_trace.Trace:
        trace, bad = omp_shards.read(run_folder.files(self.folder / "out", "omp", "*.swomp"))
        assert not bad
        return trace


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


@pytest.fixture
def bench(tmp_path: Path, programs: Path) -> Bench:
    if toolchain.omp_recorder() is None or toolchain.llvm_openmp() is None:
        pytest.skip("the OpenMP recorder is not built here")
    return Bench(tmp_path, programs)


needs_clang = pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang 19 is not installed")
