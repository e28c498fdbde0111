"""The merge tool on synthetic shards."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP), str(Path(__file__).parent)]

import shard_files  # noqa: E402
import shards  # noqa: E402

from stated import all_is_stated, said  # noqa: E402, F401
from stridewise import catalogue  # noqa: E402
from stridewise.errors import Failure  # noqa: E402
from stridewise.runs import detectors  # noqa: E402
from stridewise.runs.mpi.trace import Trace  # noqa: E402
from stridewise.runs.mpi.trace_file import load  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

Merge = Callable[..., Trace]

_TABLE = tomllib.loads((TOP / "pmpi_wrappers" / "mpi_calls.toml").read_text(encoding="utf-8"))
shard_files.CALLS.update({row["name"]: row["index"] for row in _TABLE["call"] if "index" in row})
shard_files.CALLS.update({"sleep": 0xFFF0, "write": 0xFFF1, "print": 0xFFF2})


@pytest.fixture(scope="session")
def tool() -> str:
    """stridewise-merge: STRIDEWISE_MERGE, the build, or PATH."""
    try:
        return os.environ.get("STRIDEWISE_MERGE") or str(toolchain.merger())
    except Failure:
        pytest.skip("stridewise-merge is not built")


@pytest.fixture
def merge_raw(tool: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the tool; a crash fails the test."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [tool, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False
        )
        assert done.returncode in (0, 2), f"exit status {done.returncode}: {done.stderr}"
        return done

    return run


@pytest.fixture
def merge(
    tmp_path: Path,
    merge_raw: Callable[..., subprocess.CompletedProcess[str]],
    rules: dict[str, catalogue.Rule],
    request: pytest.FixtureRequest,
) -> Merge:
    """The trace of a program of the model: `merge(World(4).run(program))`. Where all is stated, that is what every rule
    finds in it."""
    count = iter(range(1000))

    def run(world: shards.World, status: int = 0, **options: object) -> Trace:
        folder = world.write(tmp_path / f"job{next(count)}", **options)
        done = merge_raw(folder)
        assert done.returncode == status, done.stderr
        trace = load(folder / "trace.json")
        if "all_is_stated" in request.fixturenames:
            for slug, detect in detectors.mpi_detectors(rules).items():
                list(detect(trace, rules[slug]))
        return trace

    return run


@pytest.fixture(scope="session")
def rules() -> dict[str, catalogue.Rule]:
    return dict(catalogue.load())
