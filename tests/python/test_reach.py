"""Findings in functions that no program of the build reaches are of low confidence; those of libraries are not."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"

NEST = """
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(long)j * n + i] += 1;
"""
SWEEP = "void sweep(double *a, int n) {" + NEST + "}\n"
MAIN = "void sweep(double *a, int n);\nvoid fill(double *a, int n);\n"
CALLS = MAIN + "double a[4000000];\nint main(void) { fill(a, 2000); sweep(a, 2000); return 0; }\n"
FILL = "void fill(double *a, int n) { for (int k = 0; k < n * n; k++) a[k] = k; }\n"
CALLS_NOT = CALLS.replace("sweep(a, 2000); ", "")
UNCALLED = ("low", "no program of this build calls the function")
CALLED = ("medium", "")
HEADER = "void sweep(double *a, int n);\nvoid fill(double *a, int n);\n"
DECLARED = '#include "sweep.h"\n'


def confidence(folder: Path, files: dict[str, str], *paths: str) -> tuple[str, str]:
    """Of the one loop nest, and what is noted with it. Files of the database are those that are compiled."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    compilers = {".c": "cc", ".cpp": "c++", ".f90": "gfortran"}
    commands = [
        {"directory": str(folder), "file": name, "arguments": [compilers[Path(name).suffix], "-O2", "-c", name]}
        for name in files
        if Path(name).suffix in compilers
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    (folder / ".git").mkdir()
    call: list[str | Path] = [
        LAUNCHER,
        "lint",
        "--all",
        "--rules",
        "mem-strided-inner-loop",
        "--format",
        "json",
        *paths,
    ]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=False)
    (found,) = json.loads(done.stdout)["findings"]
    return found["confidence"], found["evidence"][0].get("note", "")


def program(main: str = CALLS_NOT, sweep: str = SWEEP, **others: str) -> dict[str, str]:
    return {"main.c": main, "sweep.c": sweep, "fill.c": FILL} | {
        name.replace("_", "."): text for name, text in others.items()
    }


def test_called(tmp_path: Path) -> None:
    assert confidence(tmp_path, program(CALLS)) == CALLED


def test_not_called(tmp_path: Path) -> None:
    assert confidence(tmp_path, program()) == UNCALLED


def test_alternatives_beside_main(tmp_path: Path) -> None:
    """What stands in main's own file is put in by hand, and taken out again."""
    both = CALLS_NOT.replace("void sweep(double *a, int n);\n", SWEEP)
    assert confidence(tmp_path / "one", {"main.c": both, "fill.c": FILL})[0] in ("medium", "high")
    hidden = both.replace("void sweep", "static void sweep")
    assert confidence(tmp_path / "two", {"main.c": hidden, "fill.c": FILL}) == UNCALLED


def test_beside_what_is_called(tmp_path: Path) -> None:
    """What the same file holds is called tomorrow, or instead."""
    files = program()
    files["sweep.c"] += files.pop("fill.c")
    assert confidence(tmp_path, files) == CALLED


def test_called_by_what_is_not_called(tmp_path: Path) -> None:
    more = "void sweep(double *a, int n);\nvoid all(double *a) { sweep(a, 100); }\n"
    assert confidence(tmp_path, program(more_c=more)) == UNCALLED


@pytest.mark.parametrize(
    "more",
    [
        "void sweep(double *, int);\nvoid (*steps[])(double *, int) = {sweep};\n",  # a table
        "void sweep(double *, int);\n__attribute__((constructor)) static void run(void) { sweep(0, 0); }\n",
    ],
)
def test_reached_by_no_call(tmp_path: Path, more: str) -> None:
    assert confidence(tmp_path, program(more_c=more)) == CALLED


def test_handed_over(tmp_path: Path) -> None:
    call = "void each(void (*f)(double *, int));\n" + CALLS.replace("sweep(a, 2000)", "each(sweep)")
    assert confidence(tmp_path, program(call)) == CALLED


def test_called_behind_an_exit(tmp_path: Path) -> None:
    """What ends the program is no error path to what it calls before."""
    last = "#include <stdlib.h>\n" + CALLS.replace("return 0;", "exit(0);").replace(" fill(a", " if (a[0] < 1) fill(a")
    assert confidence(tmp_path, program(last)) == CALLED


@pytest.mark.parametrize("attribute", ["used", "weak", 'visibility("default")'])
def test_said_to_be_used(tmp_path: Path, attribute: str) -> None:
    assert confidence(tmp_path, program(sweep=f"__attribute__(({attribute})) {SWEEP}")) == CALLED


def test_c_linkage_in_cpp(tmp_path: Path) -> None:
    files = program()
    files["more.cpp"] = 'extern "C" ' + files.pop("sweep.c")
    assert confidence(tmp_path, files) == CALLED


VIRTUAL = (
    """
struct Step { virtual void sweep(double *a, int n) = 0; };
PLACE struct Columns : Step { void sweep(double *a, int n) override; };
void Columns::sweep(double *a, int n) {"""
    + NEST
    + "}\n"
)


@pytest.mark.parametrize("place", ["", "namespace {"])
def test_virtual(tmp_path: Path, place: str) -> None:
    text = VIRTUAL.replace("PLACE", place) + ("}\n" if place else "")
    files = program() | {"sweep.cpp": text}
    del files["sweep.c"]
    assert confidence(tmp_path, files) == CALLED


def test_no_program(tmp_path: Path) -> None:
    files = program()
    files.pop("main.c")
    assert confidence(tmp_path, files) == CALLED


def test_internal_to_a_library(tmp_path: Path) -> None:
    assert confidence(tmp_path, {"sweep.c": "static " + SWEEP + FILL}) == UNCALLED


def test_part_of_a_program(tmp_path: Path) -> None:
    """Others may call what these units do not."""
    assert confidence(tmp_path, program(), "main.c", "sweep.c") == CALLED


@pytest.mark.parametrize(
    "text", ["void more(double *a) { sweep(a, 100); }\n#error no\n", "int more(void) { return sweep; \n"]
)
def test_named_where_nothing_could_be_read(tmp_path: Path, text: str) -> None:
    assert confidence(tmp_path, program(more_c=text)) == CALLED


def library(header: str, folder: str = "lib", **programs: str) -> dict[str, str]:
    """Two functions with a header, of which the programs call one."""
    files = {
        f"{folder}/sweep.h": header,
        "lib/sweep.c": f'#include "../{folder}/sweep.h"\n' + SWEEP,
        "lib/fill.c": FILL,
    }
    return files | {f"{name}/{name}.c": text for name, text in programs.items()}


def test_library_of_one_program(tmp_path: Path) -> None:
    assert confidence(tmp_path, library(HEADER, one=CALLS_NOT)) == UNCALLED


def test_library_of_two_programs(tmp_path: Path) -> None:
    assert confidence(tmp_path, library(HEADER, one=CALLS_NOT, two=CALLS_NOT)) == CALLED


def test_library_with_a_public_header(tmp_path: Path) -> None:
    assert confidence(tmp_path, library(HEADER, "include", one=CALLS_NOT)) == CALLED


def test_library_for_cpp(tmp_path: Path) -> None:
    guarded = f'#ifdef __cplusplus\nextern "C" {{\n#endif\n{HEADER}#ifdef __cplusplus\n}}\n#endif\n'
    assert confidence(tmp_path, library(guarded, one=CALLS_NOT)) == CALLED


def test_library_that_no_program_uses(tmp_path: Path) -> None:
    assert confidence(tmp_path, library(HEADER, one="int main(void) { return 0; }\n")) == CALLED


def test_undeclared_beside_programs(tmp_path: Path) -> None:
    """What no header declares, in a folder of programs, serves one of them."""
    other = "int main(void) { return 1; }\n"
    assert confidence(tmp_path, program(other_c=other)) == UNCALLED


FORTRAN = """
subroutine sweep(a, n)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = a(i, j) + 1
    end do
  end do
end subroutine
"""
FORTRAN_MAIN = """
program main
  real(8) :: a(10, 10)
  a = 0
  call sweep(a, 10)
  print *, a(1, 1)
end program
"""


@pytest.mark.parametrize(("call", "expected"), [("call sweep(a, 10)", "medium"), ("a(1, 1) = 2", "low")])
def test_fortran(tmp_path: Path, call: str, expected: str) -> None:
    main = FORTRAN_MAIN.replace("call sweep(a, 10)", call)
    assert confidence(tmp_path, {"main.f90": main, "sweep.f90": FORTRAN})[0] == expected


def test_fortran_called_from_c(tmp_path: Path) -> None:
    c = "void sweep_(double *a, int *n);\nint main(void) { int n = 9; static double a[81]; sweep_(a, &n); return 0; }\n"
    assert confidence(tmp_path, {"main.c": c, "sweep.f90": FORTRAN})[0] == "medium"


def test_fortran_bound_to_c(tmp_path: Path) -> None:
    main = FORTRAN_MAIN.replace("call sweep(a, 10)", "a(1, 1) = 2")
    bound = FORTRAN.replace("(a, n)\n", "(a, n) bind(c)\n", 1)
    assert confidence(tmp_path, {"main.f90": main, "sweep.f90": bound})[0] == "medium"


def test_module_of_a_program(tmp_path: Path) -> None:
    module = "module m\ncontains\n" + FORTRAN.strip("\n") + "\nsubroutine fill()\nend subroutine\nend module\n"
    main = FORTRAN_MAIN.replace("program main\n", "program main\n  use m\n")
    for name, call, low in (("none", "", True), ("another", "call fill()", False)):
        files = {"main.f90": main.replace("call sweep(a, 10)", call), "m.f90": module}
        assert (confidence(tmp_path / name, files)[0] == "low") == low
