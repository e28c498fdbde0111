"""A new user's first hour: real build tools, real compilers, the tool as a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mpi_launch import LAUNCH

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")).resolve()
LBM = TOP / "tests" / "kernels" / "lbm"
# Walks a matrix across its rows: one finding, on the inner loop.
STRIDED = """void sum(double *out, const double *in, int n) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      out[i * n + j] += in[i * n + j];
}
"""
_SAMPLE_MAKEFILE = """CC = mpicc
lbm: $(patsubst %.c,%.o,$(wildcard *.c))
\t$(CC) -fopenmp -o $@ $^ -lm
%.o: %.c
\t$(CC) -O2 -g -fopenmp -Iinclude -c $< -o $@
"""


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


Tool = Callable[..., Done]


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("STRIDEWISE_", "SPACK_", "SLURM_", "CMAKE_", "CCACHE_")) and name != "STRIDEWISE_BUILD":
            monkeypatch.delenv(name)
    for name in ("PBS_NODEFILE", "LSB_HOSTS", "PE_HOSTFILE", "CRAYPE_VERSION", "LD_PRELOAD", "CC", "CXX", "MAKEFLAGS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("STRIDEWISE_BUILD", str(BUILD))
    # More ranks than processors, possibly as root, as in a container.
    for name, value in LAUNCH.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def tool() -> Tool:
    """Runs `stridewise WORDS` in a folder, as a user does."""

    def run(*words: object, cwd: Path, env: Mapping[str, str] | None = None) -> Done:
        environment = {**os.environ, "PYTHONPATH": str(TOP), **(env or {})}
        done = subprocess.run(
            [sys.executable, "-m", "stridewise", *map(str, words)],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def write() -> Callable[[Path, Mapping[str, str]], Path]:
    """Writes files below a folder."""

    def make(root: Path, files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                path.chmod(0o755)
        return root

    return make


@pytest.fixture
def lbm() -> Callable[[Path], Path]:
    """The lattice-Boltzmann program with a plain Makefile, in a folder of its own."""

    def copy(folder: Path) -> Path:
        shutil.copytree(LBM / "original", folder)
        shutil.copy(LBM / "config-small.txt", folder)
        (folder / "Makefile").write_text(_SAMPLE_MAKEFILE)
        return folder

    return copy


def entries(folder: Path) -> list[dict[str, Any]]:
    value = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    assert isinstance(value, list)
    return value


def findings(text: str) -> list[tuple[str, str, int]]:
    """(rule, file, line) of a JSON report."""
    found = json.loads(text)["findings"]
    return [(f["rule"], f["location"]["file"], f["location"]["line"]) for f in found]
