"""A tree of `cmake --install` and a wheel in an environment of its own, both made of the programs that were built, both
in folders with blanks in their paths, which is where most tools fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mpi_launch import LAUNCH

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build"))
MPIS = ("openmpi", "mpich")

# Element-wise messages, and a loop that walks across the rows.
PROGRAM = r"""#include <mpi.h>
#include <stdio.h>
static double field[600][600];
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int j = 0; j < 600; j++)
    for (int i = 0; i < 600; i++)
      field[i][j] = i + j;
  for (int repeat = 0; repeat < 20; repeat++)
    for (int k = 0; k < 600; k++) {
      if (rank == 0)
        MPI_Send(&field[0][k], 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      else if (rank == 1)
        MPI_Recv(&field[1][k], 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  printf("rank %d of %d: %g\n", rank, size, field[1][rank]);
  MPI_Finalize();
  return 0;
}
"""


@dataclass(frozen=True)
class Installed:
    """A command that knows nothing of the checkout: neither PATH nor any variable leads there."""

    prefix: Path
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.prefix / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "XDG_CACHE_HOME": str(self.home / "a cache"),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "LC_ALL": "C.UTF-8",
            "NO_COLOR": "1",
            **LAUNCH,
        }

    def __call__(self, *words: str | Path, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        return execute(["stridewise", *words], self.environment, folder or self.home)


def execute(words: Sequence[str | Path], environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    program = next(
        (p for d in environment["PATH"].split(":") if os.access(p := Path(d) / str(words[0]), os.X_OK)), Path(words[0])
    )
    return subprocess.run(
        [program, *words[1:]],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def succeed(*words: str | Path, **environment: str) -> str:
    done = subprocess.run(
        words,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{words}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def configured(folder: Path, *options: str) -> Path:
    succeed("cmake", "-S", TOP, "-B", folder, f"-DPython3_EXECUTABLE={sys.executable}", *options)
    return folder


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Installed to one folder, then moved to another."""
    folder = tmp_path_factory.mktemp("tree")
    build = configured(folder / "build", f"-DSTRIDEWISE_PREBUILT={BUILD}")
    succeed("cmake", "--build", build)
    succeed("cmake", "--install", build, "--strip", "--prefix", folder / "first")
    moved = folder / "moved to another place"
    (folder / "first").rename(moved)
    home = folder / "home"
    home.mkdir()
    return Installed(moved, home)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    # Without a network: the environment of the tests has what building needs.
    succeed(
        sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-q", "-w", folder,
        "--config-settings", f"cmake.define.STRIDEWISE_PREBUILT={BUILD}",
        "--config-settings", f"build-dir={folder / 'build'}", TOP,
        PYTHONPATH="",
    )  # fmt: skip
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel in a fresh virtual environment."""
    folder = tmp_path_factory.mktemp("venv")
    prefix = folder / "an environment"
    succeed(sys.executable, "-m", "venv", prefix)
    succeed(
        prefix / "bin" / "python", "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", wheel, PYTHONPATH=""
    )
    home = folder / "home"
    home.mkdir()
    return Installed(prefix, home)


@pytest.fixture(params=["tree", "environment"])
def installed(request: pytest.FixtureRequest) -> Installed:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Installed)
    return found


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a folder" / "program.c"
    path.parent.mkdir()
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def compiled(source: Path, mpi: str) -> Path:
    program = source.with_name(f"program-{mpi}")
    succeed(f"mpicc.{mpi}", "-g", "-O1", source, "-o", program)
    return program
