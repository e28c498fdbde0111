"""Sizes that a macro declares have their own names in messages, not the macro's."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stridewise.settings import toolchain

ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
pytestmark = pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")

SOURCE = """
#define SHAPE const long rows = shape->rows, columns = shape->columns;
struct shape { long rows, columns; };
void clear(double *out, const struct shape *shape) {
  SHAPE
  for (long column = 0; column < columns; column++)
    for (long row = 0; row < rows; row++)
      out[row * columns + column] = 0.0;
}
"""


def test_a_statement_of_a_macro_names_nothing(tmp_path: Path) -> None:
    source = tmp_path / "clear.c"
    source.write_text(SOURCE, encoding="utf-8")
    command = [str(ANALYZER), "--rules=mem-strided-inner-loop", str(source), "--", "-O2"]
    (finding,) = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["findings"]
    assert "steps 8 * columns bytes" in finding["message"]
