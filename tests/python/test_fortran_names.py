"""Names of Fortran procedures: as in the source, not as the linker knows them."""

from __future__ import annotations

import pytest

from stridewise.runs.mpi.fortran_lines import readable
from stridewise.runs.mpi.trace import Frame


@pytest.mark.parametrize(
    ("file", "linked", "shown"),
    [
        ("/src/grid.f90", "__grid_MOD_save_field", "grid::save_field"),
        ("/src/grid.F90", "__my_grid_MOD_save", "my_grid::save"),
        ("/src/old.f", "exchange_", "exchange"),
        ("/src/grid.f90", "inner", "inner"),
        ("/src/heat.f90", "MAIN__", "main program"),
        ("/src/heat.c", "exchange_", "exchange_"),
        ("/src/heat.c", "__grid_MOD_save", "__grid_MOD_save"),
    ],
)
def test_names(file: str, linked: str, shown: str) -> None:
    assert [f.function for f in readable([Frame(linked, file, 7)])] == [shown]


def test_the_main_that_gfortran_adds_is_no_caller() -> None:
    path = [Frame("__grid_MOD_save", "/src/grid.f90", 7), Frame("MAIN__", "/src/heat.f90", 20)]
    assert [f.function for f in readable([*path, Frame("main", "/src/heat.f90", 1)])] == ["grid::save", "main program"]
    # One that is written in C calls the Fortran part where its line says.
    assert [f.line for f in readable([*path, Frame("main", "/src/main.c", 9)])] == [7, 20, 9]
