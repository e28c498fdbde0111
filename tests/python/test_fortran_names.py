"""Names of Fortran procedures: as in the source, not as the linker knows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stridewise.runs.mpi.fortran_lines import correct, readable
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


def test_a_call_with_the_line_of_its_block_has_no_column(tmp_path: Path) -> None:
    source = tmp_path / "heat.f90"
    source.write_text("program heat\n  do i = 1, n\n    x = x + 1\n    call save(x)\n  end do\nend program\n")
    caller = Frame("main", "/src/main.c", 9, 3)

    def at(line: int) -> list[Frame]:
        return [Frame("MAIN__", str(source), line, 7), caller]

    around = {990: at(3), 1000: at(2), 1010: at(5)}
    assert correct({1000: at(2)}, {1000: "save"}, lambda _: around) == {
        1000: [Frame("MAIN__", str(source), 4, 0), caller]
    }
