"""gcc leaves conditional arithmetic scalar without -fno-trapping-math: its builds are told so."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"

LIMIT = """
void limit(double *to, const double *from, const double *flux, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    double sum = 0;
    for (int i = 0; i < n; i++)
      CHOICE
    to[s] = sum;
  }
}
"""
UNDER_A_CONDITION = "{ double f = from[i]; sum += flux[i] > f ? f * flux[i] : f; }"
ALWAYS = "sum += from[i] * flux[i] + from[i];"
ONLY_CHOSEN = "sum += flux[i] > from[i] ? flux[i] : from[i];"


def told(folder: Path, text: str, *command: str) -> tuple[str, bool]:
    """The confidence, and whether the advice names the option."""
    (folder / "limit.c").write_text(text)
    entry = {"directory": str(folder), "file": "limit.c", "arguments": [*command, "-c", "limit.c"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    rules = "build-missed-vectorization"
    call: list[str | Path] = [LAUNCHER, "lint", "--all", "--rules", rules, "--format", "json"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    (found,) = json.loads(done.stdout)["findings"]
    return found["confidence"], "gcc also needs" in found["advice"]


@pytest.mark.parametrize(
    ("choice", "command", "expected"),
    [
        (UNDER_A_CONDITION, "gcc -O3", ("medium", True)),
        (UNDER_A_CONDITION, "g++ -x c -O3", ("medium", True)),
        (UNDER_A_CONDITION, "gcc -O3 -fno-trapping-math", ("high", False)),
        (UNDER_A_CONDITION, "gcc -O3 -mavx512f", ("high", False)),
        (UNDER_A_CONDITION, "clang -O3", ("high", False)),
        (ALWAYS, "gcc -O3", ("high", False)),
        (ONLY_CHOSEN, "gcc -O3", ("high", False)),
    ],
)
def test_told(choice: str, command: str, expected: tuple[str, bool], tmp_path: Path) -> None:
    assert told(tmp_path, LIMIT.replace("CHOICE", choice), *command.split()) == expected
