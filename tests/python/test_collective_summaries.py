"""What a unit hands on about branches by rank, for the step over the whole program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stridewise.settings import toolchain

ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
pytestmark = pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")

SOURCE = """
typedef int MPI_Comm;
int MPI_Comm_rank(MPI_Comm, int *), MPI_Barrier(MPI_Comm);
void report(void);
void step(void) {
  int rank;
  MPI_Comm_rank(0x44000000, &rank);
  if (rank == 0)
    report();
  MPI_Barrier(0x44000000);
}
"""


def test_a_branch_keeps_the_name_of_its_communicator(tmp_path: Path) -> None:
    source = tmp_path / "step.c"
    source.write_text(SOURCE, encoding="utf-8")
    done = subprocess.run([str(ANALYZER), str(source), "--", "-O2"], capture_output=True, check=True)
    (branch,) = json.loads(done.stdout.decode("utf-8"))["summaries"]["mpi-rank-guarded-collective"]["branches"]
    assert branch["comm"] == "world"
