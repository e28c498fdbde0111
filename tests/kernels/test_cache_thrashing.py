"""Cache runs of programs whose misses are known: exact counts, the paper's thrashing arrays, a column tile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stridewise.machine.geometry import Cache, models

SOURCES = Path(__file__).resolve().parent / "cache_thrashing"
TOP = SOURCES.parents[2]
RULE = "mem-power-of-two-stride"

pytestmark = pytest.mark.skipif(not (shutil.which("valgrind") and shutil.which("gcc")), reason="needs valgrind and gcc")


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str, Any]]:
    """The JSON report, with the table, of a program's cache run; each run is made once."""
    done: dict[tuple[str, ...], dict[str, Any]] = {}

    def report(source: str, pitch: int, optimise: str, *options: str) -> dict[str, Any]:
        key = (source, str(pitch), optimise, *options)
        if key not in done:
            folder = tmp_path_factory.mktemp("run")
            program = folder / "program"
            build = ["gcc", optimise, "-g", f"-DPITCH={pitch}", str(SOURCES / source), "-o", str(program)]
            subprocess.run(build, check=True)
            stridewise(folder, "run", "--cache", *options, "--", str(program))
            stridewise(folder, "report", "--cache-table", "--format", "json", "-o", "report.json")
            done[key] = json.loads((folder / "report.json").read_text())
        return done[key]

    return report


def stridewise(folder: Path, *words: str) -> None:
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    subprocess.run(
        [sys.executable, "-m", "stridewise", *words],
        check=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )


def function(report: dict[str, Any], name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = report["tables"]["cache"]["functions"]
    return next(one for one in found if one["function"] == name)


def found_lines(report: dict[str, Any]) -> list[tuple[str, int, str, str]]:
    return [
        (f["rule"], f["location"]["line"], f["verdict"], f["confidence"])
        for f in [*report["findings"], *report["unsure"]]
    ]


def line_of(source: str, text: str) -> int:
    lines = (SOURCES / source).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_walks_miss_as_often_as_they_must(measured: Callable[..., dict[str, Any]]) -> None:
    report = measured("walks.c", 1024, "-O1", "--cache-model", "xeon-8380")
    assert function(report, "columns")["d1_misses"] == pytest.approx(1024 * 1024, rel=0.01)
    assert function(report, "rows")["d1_misses"] == pytest.approx(1024 * 1024 / 8, rel=0.01)
    assert function(report, "rows")["d1_line_reuse"] == pytest.approx(7, rel=0.01)
    assert not found_lines(report)


def test_the_papers_arrays_thrash_its_caches(measured: Callable[..., dict[str, Any]]) -> None:
    """Its table 4 has 4,348,624 and 4,178,336 misses, and 361,888 and 81,168 with rows of 1025; counters sample."""
    bad = measured("thrash.c", 1024, "-O0", "--cache-model", "origin-2000", "--conflicts")
    good = measured("thrash.c", 1025, "-O0", "--cache-model", "origin-2000", "--conflicts")
    loop = line_of("thrash.c", "all.a[i][j] =")
    assert found_lines(bad) == [(RULE, loop, "observed", "medium")]
    assert not found_lines(good)
    whole = bad["tables"]["cache"]["total"]
    assert whole["ll_misses"] == pytest.approx(4_178_336, rel=0.05)
    assert whole["d1_misses"] == pytest.approx(4_348_624, rel=0.06)
    assert whole["d1_line_reuse"] == pytest.approx(8.37, rel=0.15)
    assert whole["d1_hit_rate"] == pytest.approx(0.89, abs=0.02)
    assert whole["ll_line_reuse"] < 0.1
    padded = good["tables"]["cache"]["total"]
    assert whole["ll_misses"] > 15 * padded["ll_misses"]
    assert padded["d1_hit_rate"] == pytest.approx(0.99, abs=0.015)
    assert padded["ll_hit_rate"] == pytest.approx(0.78, abs=0.02)
    assert padded["ll_line_reuse"] == pytest.approx(3.46, rel=0.1)
    # The loop alone: each access misses both levels; padded, each line of 128 bytes comes once at most.
    assert function(bad, "combine")["ll_misses"] == pytest.approx(4 * 1024 * 1024, rel=0.01)
    assert function(good, "combine")["d1_misses"] == pytest.approx(4 * 1024 * 1025 / 8, rel=0.01)
    assert function(good, "combine")["ll_misses"] <= 4 * 1024 * 1025 / 32


# Never of the machine that runs the tests: what follows from a geometry must be the same everywhere. Of these the first
# has room in its second level for a tile that crowds the first, the second in none, the third by exactly its ways.
MODELS = ("xeon-8380", "epyc-7763", "epyc-9654")
ROWS = 128  # of tile.c
ARRAY_BYTES = 1024 * 1024 * 4  # of thrash.c


def crowded(cache: Cache, addresses: Sequence[int]) -> bool:
    """Whether a set is asked for more lines, in turn, than it has ways: then LRU keeps none until it is used again."""
    lines = {address // cache.line_bytes for address in addresses}
    return max(Counter(line % int(cache.sets) for line in lines).values()) > cache.ways


def crowded_level(model: str, addresses: Sequence[int]) -> str:
    """The deepest of the two levels in which they evict each other: it has as many conflict misses as those above, and
    fewer others, so the greatest share of conflicts."""
    geometry = models()[model]
    assert geometry.second is not None
    levels = {"first-level": geometry.data, "second-level": geometry.second}
    return ([""] + [name for name, cache in levels.items() if crowded(cache, addresses)])[-1]


def tile(pitch: int) -> list[int]:
    """Where the rows of the tile begin."""
    return [row * pitch * 8 for row in range(ROWS)]


def test_the_models_tell_both_levels_apart() -> None:
    assert [crowded_level(model, tile(1024)) for model in MODELS] == ["first-level", "second-level", "first-level"]
    assert not any(crowded_level(model, tile(1032)) for model in MODELS)


@pytest.mark.parametrize("model", MODELS)
def test_four_arrays_fit_the_ways_of_todays_caches(measured: Callable[..., dict[str, Any]], model: str) -> None:
    assert crowded_level(model, [array * ARRAY_BYTES for array in range(4)]) == ""
    assert not found_lines(measured("thrash.c", 1024, "-O1", "--cache-model", model, "--conflicts"))


@pytest.mark.parametrize("model", MODELS)
def test_a_column_tile_thrashes(measured: Callable[..., dict[str, Any]], model: str) -> None:
    bad = measured("tile.c", 1024, "-O1", "--cache-model", model, "--conflicts")
    good = measured("tile.c", 1032, "-O1", "--cache-model", model, "--conflicts")
    assert found_lines(bad) == [(RULE, line_of("tile.c", "total += matrix"), "observed", "medium")]
    assert not found_lines(good)
    assert crowded_level(model, tile(1024)) in bad["findings"][0]["message"]
