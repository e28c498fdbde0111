"""`make lint` is part of the tests: format, types, linters, and the product over its own sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_make_lint() -> None:
    done = subprocess.run([TOP / "scripts" / "lint.sh"], cwd=TOP, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
