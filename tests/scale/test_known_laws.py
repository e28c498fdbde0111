"""Thirty places of one program, each of a law of its own, strong and weak: found at up to 16 ranks, and foretold at
more."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import HERE, scale

from stridewise.scale.terms import grid

SOURCE = HERE / "laws.c"
ROWS = 1447
FAR = 64
RIGHT = 0.95  # share of the places whose law foretells the count exactly


def counts(ranks: int, rows: int) -> dict[int, float]:
    """By line, what the program's formulas are."""
    x, y = grid(ranks, 2)
    a, b, c = grid(ranks, 3)
    known: dict[str, Any] = {
        "P": ranks, "X": x, "Y": y, "A": a, "B": b, "C": c, "rows": rows, "rank": 0, "least": min,
        "up": math.ceil(math.log2(ranks)), "down": math.floor(math.log2(ranks)),
    }  # fmt: skip
    found = {}
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        if match := re.match(r"  CALLS\((.*)\);\s+/\*", line):
            formula = re.sub(r"(.+) \? (.+) : (.+)", r"(\2) if (\1) else (\3)", match[1].replace("/", "//"))
            values = [eval(formula, {"__builtins__": {}}, known | {"rank": rank}) for rank in (0, ranks - 1)]
            found[number] = max(values)
    return found


@pytest.mark.parametrize(
    ("words", "rows"),
    [((str(ROWS),), lambda _: ROWS), (("{rows}",), lambda p: 90 * p)],
    ids=["strong", "weak"],
)
def test_thirty_laws(words: tuple[str, ...], rows: Callable[[int], int], tmp_path: Path) -> None:
    build: list[str | Path] = ["mpicc.openmpi", "-g", "-O1", "-Wall", "-Werror", SOURCE, "-o", "laws", "-lm"]
    subprocess.run(build, cwd=tmp_path, check=True, timeout=120)
    weak = ["--weak", "rows=90*{n}"] if words == ("{rows}",) else []
    done = scale(
        tmp_path, "--no-memory", *weak, "--target", FAR, "--format", "json", "--", "mpirun.openmpi", "-n", "{n}",
        "./laws", *words,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sites = {site["line"]: site["calls_most"] for site in json.loads(done.stdout)["sites"]}
    truth = counts(FAR, rows(FAR))
    assert len(truth) == 30
    wrong = {
        line: f"{sites[line]['law']} says {sites[line].get('foretold')}, it is {count}"
        for line, count in truth.items()
        if sites[line]["law"] is None or sites[line]["foretold"] != pytest.approx(count, rel=1e-6)
    }
    assert len(wrong) <= (1 - RIGHT) * len(truth), wrong
    still = [line for line, count in truth.items() if count == counts(16, rows(16))[line] == counts(2, rows(2))[line]]
    assert len(still) >= 3
    assert not [line for line in still if sites[line]["growth"] != [0, 0]]
