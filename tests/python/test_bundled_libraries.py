"""What counts as a program's own BLAS: the routines' names and LAPACK's folders, not a subject called blas."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stridewise.settings import toolchain

ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
pytestmark = pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")

SOURCE = """
void NAME(int m, int n, int k, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int l = 0; l < k; l++)
        sum += a[i * k + l] * b[l * n + j];
      c[i * n + j] = sum;
    }
}
"""


@pytest.mark.parametrize(
    ("place", "bundled"),
    [
        ("blas/kernel_product.c", False),
        ("linear-algebra/blas/gemm/product.c", False),
        ("lapack/product.c", True),
        ("src/dgemm.c", True),
        ("src/dgemm_reference.c", False),  # with too few arguments
    ],
)
def test_whose_product_it_is(place: str, bundled: bool, tmp_path: Path) -> None:
    source = tmp_path / place
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE.replace("NAME", source.stem), encoding="utf-8")
    command = [str(ANALYZER), "--rules=mem-handwritten-matmul", str(source), "--", "-O2"]
    done = subprocess.run(command, capture_output=True, check=True)
    # One routine of a library may be an experiment: only two or more are said, by the whole program.
    assert bool(json.loads(done.stdout)["findings"]) is not bundled
