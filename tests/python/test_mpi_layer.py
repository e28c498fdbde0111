"""Programs whose MPI calls are functions of a file of their own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.collect.compile_db import Command, Language
from stridewise.lint import mpi_layer
from stridewise.lint.analysis import UnitResult
from stridewise.lint.mpi_layer import Uses
from stridewise.settings import toolchain

BARRIER = "comm_barrier=MPI_Barrier:i32 r:ptr a0"
ANALYZER = toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE")
MPI = """#include <stdio.h>
typedef struct comm *MPI_Comm;
int MPI_Barrier(MPI_Comm);
int MPI_Abort(MPI_Comm, int);
extern MPI_Comm other;
int calls;
"""


def test_units_are_told_what_they_use() -> None:
    users = [Uses([BARRIER]), Uses(foreign=["comm_barrier", "helper"]), Uses(foreign=["helper"])]
    assert mpi_layer.options(users) == {1: (f"--mpi-wrapper={BARRIER}",)}
    # Of two programs with a function each of that name nobody knows which one is meant.
    other = BARRIER.replace("a0", "gcomm_all")
    assert mpi_layer.options([*users, Uses([other])]) == {}
    assert mpi_layer.options([*users, Uses([BARRIER])]) == {1: (f"--mpi-wrapper={BARRIER}",)}


def test_units_are_told_whose_variable_is_the_rank() -> None:
    mine, grid = "global me+0=world", "member Grid::rank=member Grid::comm"
    users = [Uses(ranks=[mine, grid]), Uses(asked=["global me+0", "global other+0"]), Uses(asked=["call rank_of"])]
    assert mpi_layer.options(users) == {1: (f"--mpi-rank={mine}",)}
    # One that is read once more since it calls the layer may ask for any of them behind it; none is told its own.
    layer = [
        Uses([BARRIER], ranks=[mine], foreign=["comm_barrier"]),
        Uses(ranks=[grid]),
        Uses(foreign=["comm_barrier"]),
    ]
    assert mpi_layer.options(layer) == {
        0: (f"--mpi-wrapper={BARRIER}", f"--mpi-rank={grid}"),
        2: (f"--mpi-wrapper={BARRIER}", f"--mpi-rank={mine}", f"--mpi-rank={grid}"),
    }
    # The rank in one communicator here, and in another there.
    assert mpi_layer.options([*users, Uses(ranks=["global me+0=global row+0"])]) == {}


def command(name: str) -> Command:
    return Command(Path(name), Path("/"), (), Language.C, ("--kept",))


def test_only_users_are_analysed_again() -> None:
    first = [
        UnitResult(command("layer.c"), "ok", mpi_wrappers=(BARRIER,)),
        UnitResult(command("solver.c"), "ok", foreign=frozenset({"comm_barrier"})),
        UnitResult(command("broken.c"), "ok", foreign=frozenset({"comm_barrier"})),
    ]
    asked: list[Command] = []

    def analyse(commands: Sequence[Command]) -> list[UnitResult]:
        asked.extend(commands)
        return [UnitResult(c, "failed" if c.file.name == "broken.c" else "ok", seconds=7) for c in commands]

    results, again = mpi_layer.with_layer(first, analyse)
    assert again == 2
    assert [c.options for c in asked] == [("--kept", f"--mpi-wrapper={BARRIER}")] * 2
    assert results == [first[0], replace(first[1], seconds=7, foreign=frozenset()), first[2]]
    assert mpi_layer.with_layer(first[:1], analyse) == (first[:1], 0)


@pytest.mark.skipif(ANALYZER is None, reason="stridewise-analyze is not built")
@pytest.mark.parametrize(
    ("body", "wrapper"),
    [
        ("return MPI_Barrier(c);", "MPI_Barrier:i32 r:ptr a0"),
        ("MPI_Barrier(c); return 0;", "MPI_Barrier:i32 c0:ptr a0"),
        ('int e = MPI_Barrier(c); if (e) printf("%d", e); return e;', "MPI_Barrier:i32 r:ptr a0"),
        ("if (MPI_Barrier(c)) MPI_Abort(c, 1); return 0;", "MPI_Barrier:i32 c0:ptr a0"),
        ("calls++; return MPI_Barrier(c);", ""),
        ("return MPI_Barrier(other);", "MPI_Barrier:i32 r:ptr lother"),
        ("if (calls) return 0; return MPI_Barrier(c);", ""),
        ("MPI_Barrier(c); return MPI_Barrier(c);", ""),
        ("for (int i = 0; i < 3; i++) MPI_Barrier(c); return 0;", ""),
    ],
)
def test_functions_that_are_one_call(tmp_path: Path, body: str, wrapper: str) -> None:
    source = tmp_path / "layer.c"
    source.write_text(f"{MPI}int f(MPI_Comm c) {{ {body} }}\n")
    done = subprocess.run([str(ANALYZER), source, "--"], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["mpi_wrappers"] == ([f"f={wrapper}"] if wrapper else [])
