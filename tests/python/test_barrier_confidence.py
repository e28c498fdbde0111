"""How sure the source makes a redundant barrier: one that is met once in a run saves nobody anything."""

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
int MPI_Init(int *, char ***), MPI_Finalize(void), MPI_Barrier(MPI_Comm);
static void smooth(double *a, int n) {
  for (int i = 1; i < n; i++)
    a[i] += 0.5 * a[i - 1];
  MPI_Barrier(0x44000000);
  for (int i = n - 2; i > 0; i--)
    a[i] += 0.5 * a[i + 1];
}
int main(int argc, char **argv) {
  static double a[1000];
  MPI_Init(&argc, &argv);
  for (int i = 0; i < REPEATS; i++)
    smooth(a, 1000);
  smooth(a, 100);
  MPI_Finalize();
  return a[5] > 3;
}
"""


@pytest.mark.parametrize(("repeats", "confidence"), [("argc", "medium"), ("0", "low")])
def test_a_barrier_that_is_met_once(repeats: str, confidence: str, tmp_path: Path) -> None:
    source = tmp_path / "smooth.c"
    loop = f"for (int i = 0; i < {repeats}; i++)" if repeats != "0" else ""
    source.write_text(SOURCE.replace("for (int i = 0; i < REPEATS; i++)", loop), encoding="utf-8")
    command = [str(ANALYZER), "--rules=mpi-redundant-barrier", str(source), "--", "-O2"]
    done = subprocess.run(command, capture_output=True, check=True)
    (finding,) = json.loads(done.stdout)["findings"]
    assert (finding["location"]["line"], finding["confidence"]) == (7, confidence)
