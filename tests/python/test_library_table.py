"""The table of library functions and its generator."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ANALYZER = Path(__file__).resolve().parents[2] / "analyzer"
LIBRARY = ANALYZER / "library"
GENERATOR, TABLE = LIBRARY / "library_table.py", LIBRARY / "library_calls.toml"

GROUP = """
[[group]]
header = "math.h"
source = "ISO C11 7.12"
does = ["pure"]
cost = "mathematics"
suffixes = ["f"]
names = ["cos", "sin"]
"""


def generate(table: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(GENERATOR), "--table", str(table), "--analyzer-table", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('header = "math.h"', "", "key 'header' is missing"),
        ('source = "ISO C11 7.12"', 'source = ""', "key 'source' is missing"),
        ('cost = "mathematics"', "", "key 'cost' is missing"),
        ('cost = "mathematics"', 'cost = "much"', "unknown cost 'much'"),
        ('["pure"]', '["pures"]', "unknown effect 'pures'"),
        ('["pure"]', '["pure", "output"]', "what is pure does nothing else"),
        ('["pure"]', '["reads", "writes"]', "'writes' belongs to the effect of that name"),
        ('["pure"]', '["pure"]\nwrites = [0]', "'writes' belongs to the effect of that name"),
        ('["cos", "sin"]', '["sin", "cos"]', "the names are not in order"),
        ('["cos", "sin"]', '["cos", "cosf"]', "cosf: two rows"),
        ('["cos", "sin"]', '["cos(", "sin"]', "'cos(' is no name"),
        ('names = ["cos", "sin"]', "", "neither names nor classes"),
        ('["f"]', '["f"]\nstreams = 1', "unknown key 'streams'"),
        (
            'names = ["cos", "sin"]',
            'names = ["cos", "sin"]' + GROUP.replace("math.h", "complex.h"),
            "stands behind math.h",
        ),
    ],
)
def test_says_what_is_wrong(old: str, new: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "calls.toml"
    table.write_text(GROUP.replace(old, new, 1), encoding="utf-8")
    result = generate(table, tmp_path / "out.inc")
    assert result.returncode == 1
    assert result.stderr.startswith("calls.toml: ")
    assert message in result.stderr


def test_spells_out_what_suffixes_make(tmp_path: Path) -> None:
    table, out = tmp_path / "calls.toml", tmp_path / "out.inc"
    table.write_text(GROUP, encoding="utf-8")
    assert generate(table, out).returncode == 0
    names = [line.split('"')[1] for line in out.read_text(encoding="utf-8").splitlines() if line.startswith("{")]
    assert names == ["cos", "cosf", "sin", "sinf"]


def test_leaves_a_table_alone_that_did_not_change(tmp_path: Path) -> None:
    out = tmp_path / "out.inc"
    assert generate(TABLE, out).returncode == 0
    before = out.stat().st_mtime_ns
    assert generate(TABLE, out).returncode == 0
    assert out.stat().st_mtime_ns == before


def test_the_table_holds(tmp_path: Path) -> None:
    result = generate(TABLE, tmp_path / "out.inc")
    assert (result.returncode, result.stderr) == (0, "")
    groups = tomllib.loads(TABLE.read_text(encoding="utf-8"))["group"]
    for group in groups:
        assert group["header"].strip(), group
        assert len(group["source"]) > 3, group
    rows = (tmp_path / "out.inc").read_text(encoding="utf-8")
    for name in ("sinf", "coshl", "omp_get_wtime", "std::chrono::steady_clock::now", "memset", "std::basic_ostream"):
        assert f'"{name}"' in rows


def test_nobody_judges_mathematics_by_a_prefix() -> None:
    for path in ANALYZER.rglob("*.cpp"):
        text = path.read_text(encoding="utf-8")
        for name in ("sin", "cos", "exp", "log", "pow", "sqrt", "fabs", "fmin", "clock", "gettimeofday", "printf"):
            assert f'starts_with("{name}")' not in text, path
            if name in ("sin", "cos", "exp", "gettimeofday", "printf"):
                assert f'"{name}"' not in text, path


# Names of MPI that stand in the analyser's code, and why: what calls do is in pmpi_wrappers/mpi_calls.toml.
MPI_NAMES = {
    "library/MpiCall.cpp": {"MPI_", "PMPI_", "MPI_Comm", "MPI_Datatype"},  # prefixes of all calls, types of handles
    "checks/mpi-thread-level/ThreadedCalls.cpp": {  # constants of the header, for messages
        "MPI_THREAD_SINGLE",
        "MPI_THREAD_FUNNELED",
        "MPI_THREAD_SERIALIZED",
        "MPI_THREAD_MULTIPLE",
    },
}


def test_what_an_mpi_call_does_stands_in_the_table_of_calls() -> None:
    found: dict[str, set[str]] = {}
    for path in (path for kind in ("*.cpp", "*.h") for path in ANALYZER.rglob(kind)):
        code = "\n".join(line.partition("//")[0] for line in path.read_text(encoding="utf-8").splitlines())
        if names := set(re.findall(r'"(P?MPI_\w*)"', code)):
            found[str(path.relative_to(ANALYZER))] = names
    assert found == MPI_NAMES
