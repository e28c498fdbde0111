"""Real programs under the interposer, with each MPI that is installed: lines, costs, changed binaries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stridewise import toolchain
from stridewise.catalogue import Rule
from stridewise.collect.symbolize import build_id, symbolize
from stridewise.patterns import mpi_redundant_barrier, mpi_send_recv_chain, mpi_tiny_messages
from stridewise.trace import Trace, load

ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "STRIDEWISE_QUIET": "1",
}

SLEEPER = """
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  double waited = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; i++) {
    if (rank == 1)
      usleep(50000);
    double begin = now();
    MPI_Barrier(MPI_COMM_WORLD); // here
    waited += now() - begin;
  }
  if (rank == 0)
    printf("waited %.6f\\n", waited);
  MPI_Finalize();
  return 0;
}
"""

ELEMENTS = """
#include <mpi.h>

static inline __attribute__((always_inline)) void pass(const double *cell, int to) {
  MPI_Send(cell, 1, MPI_DOUBLE, to, 7, MPI_COMM_WORLD); // send
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  static double column[500];
  double got, ghost;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 40; step++) {
    MPI_Send(&ghost, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); // first
    MPI_Recv(&got, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 500; i++)
      pass(&column[i], right);
    for (int i = 0; i < 500; i++)
      MPI_Recv(&got, 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.fixture(scope="module", params=sorted(toolchain.FLAVOURS))
def flavour(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name not in toolchain.interposers():
        pytest.skip(f"no interposer for {name}")
    if not shutil.which(f"mpicc.{name}") or not shutil.which(f"mpirun.{name}"):
        pytest.skip(f"{name} is not installed")
    return name


class Program:
    def __init__(self, folder: Path, flavour: str, text: str) -> None:
        self.folder, self.flavour = folder, flavour
        self.source, self.binary = folder / "program.c", folder / "program"
        self.source.write_text(text, encoding="utf-8")
        subprocess.run(
            [f"mpicc.{flavour}", "-g", "-O1", "-Wl,--build-id", str(self.source), "-o", str(self.binary)], check=True
        )

    def line(self, mark: str) -> int:
        """The line that ends in `// mark`."""
        lines = self.source.read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))

    def run(self, tool: str, ranks: int) -> tuple[Trace, str]:
        """The merged, not yet symbolised trace, and what the program printed."""
        out = self.folder / "out"
        preload = f"LD_PRELOAD={toolchain.interposers()[self.flavour]}"
        command = [
            f"mpirun.{self.flavour}",
            "-n",
            str(ranks),
            "env",
            preload,
            f"STRIDEWISE_OUT={out}",
            str(self.binary),
        ]
        done = subprocess.run(
            command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=True, timeout=120
        )
        subprocess.run([tool, str(out / "mpi")], check=True)
        return load(out / "mpi" / "trace.json"), done.stdout


def test_a_sleeping_rank_costs_what_it_sleeps(tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]) -> None:
    program = Program(tmp_path, flavour, SLEEPER)
    trace, printed = program.run(tool, 2)
    trace, notes = symbolize(trace)
    assert notes == []
    (finding,) = mpi_redundant_barrier.detect_mpi(trace, rules["mpi-redundant-barrier"])
    assert (Path(finding.location.file).name, finding.location.line) == ("program.c", program.line("here"))
    assert finding.function == "main"
    # What the program itself measured: more than it slept where others use the machine too.
    waited = float(re.findall(r"waited ([\d.]+)", printed)[0])
    assert waited >= 0.5
    assert finding.cost_seconds == pytest.approx(waited, rel=0.15)
    assert finding.evidence[0].metrics["cost_rank"] == 0


def test_lines_of_inlined_calls(tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]) -> None:
    program = Program(tmp_path, flavour, ELEMENTS)
    trace, _ = program.run(tool, 4)
    trace, _ = symbolize(trace)
    chains = mpi_send_recv_chain.detect_mpi(trace, rules["mpi-send-recv-chain"])
    (ring,) = [finding for finding in chains if finding.location.line == program.line("first")]
    assert ring.args["chain"] == 4
    burst = max(trace.bursts, key=lambda b: b.messages)
    assert burst.messages > 0.9 * 4 * 40 * 500
    path = trace.paths[burst.path]
    assert path.site is not None
    assert (path.site.function, path.site.line) == ("pass", program.line("send"))
    assert path.callers[0].function == "main"
    for finding in mpi_tiny_messages.detect_mpi(trace, rules["mpi-tiny-messages"]):
        assert finding.location.line == program.line("send")


def test_a_changed_or_missing_binary_is_said(tmp_path: Path, flavour: str, tool: str) -> None:
    program = Program(tmp_path, flavour, SLEEPER.replace("50000", "10"))
    trace, _ = program.run(tool, 2)
    assert re.fullmatch("[0-9a-f]{40}", build_id(program.binary))
    program.source.write_text(SLEEPER.replace("50000", "20"), encoding="utf-8")
    subprocess.run(
        [f"mpicc.{flavour}", "-g", "-O1", "-Wl,--build-id", str(program.source), "-o", str(program.binary)], check=True
    )
    _, notes = symbolize(trace)
    assert any("rebuilt since the run" in note for note in notes)
    program.binary.unlink()
    bare, notes = symbolize(trace)
    assert any("No such file" in note for note in notes)
    site = bare.paths[bare.barriers[0].paths[0]].site
    assert site is not None
    assert re.fullmatch(r"program\+0x[0-9a-f]+", site.function)


def test_addr2line_serves_too(tmp_path: Path, flavour: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("addr2line"):
        pytest.skip("addr2line is not installed")
    program = Program(tmp_path, flavour, ELEMENTS)
    trace, _ = program.run(tool, 2)
    best, _ = symbolize(trace)
    monkeypatch.setattr("stridewise.collect.symbolize.TOOLS", ("addr2line",))
    other, _ = symbolize(trace)
    index = max(trace.bursts, key=lambda b: b.messages).path
    assert [(f.function, f.line) for f in other.paths[index].frames if f.user] == [
        (f.function, f.line) for f in best.paths[index].frames if f.user
    ]


def test_no_tool(tmp_path: Path, flavour: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(tmp_path, flavour, SLEEPER.replace("50000", "10"))
    trace, _ = program.run(tool, 2)
    monkeypatch.setattr("stridewise.collect.symbolize.TOOLS", ("no-such-symboliser",))
    _, notes = symbolize(trace)
    assert notes == ["no source lines: none of no-such-symboliser is installed"]
