"""Fortran: options, modules and their order, what flang refuses, and lint over it all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.collect.compile_db import Command, Language
from stridewise.collect.fortran_options import build_options, is_fixed_form, translate
from stridewise.lint.fortran.flang import _diagnostics
from stridewise.lint.fortran.plan import all_needed, plan
from stridewise.lint.fortran.scan import scan

TOP = Path(__file__).resolve().parents[2]
WRONG_ORDER = """\
subroutine scale(out, in, n)
  use sizes, only: wp
  implicit none
  integer, intent(in) :: n
  real(wp), intent(out) :: out(n, n)
  real(wp), intent(in) :: in(n, n)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      out(i, j) = 2 * in(i, j)
    end do
  end do
end subroutine scale
"""
SIZES = """\
module sizes
  use iso_fortran_env, only: real64
  integer, parameter :: wp = real64
end module sizes
"""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("-O2 -fopenmp -Iinc -I other -DN=3 -c -o a.o", "-Iinc -Iother -DN=3"),
        ("-ffree-form -ffixed-line-length-none", "-ffree-form -ffixed-line-length=0"),
        (
            "-fixed -extend-source 132 -r8 -i8",
            "-ffixed-form -ffixed-line-length=132 -fdefault-real-8 -fdefault-integer-8",
        ),
        ("-free -real-size 64 -module mods -fpp", "-ffree-form -fdefault-real-8 -cpp"),
        ("-Mfree -Mr8 -Mpreprocess -mp", "-ffree-form -fdefault-real-8 -cpp"),
        ("-f free -s real64 -eZ", "-ffree-form -fdefault-real-8 -cpp"),
        ("-J mods -Jmods -ffixed-line-length-132", "-ffixed-line-length=132"),
        ("-fdefault-double-8", ""),
        ("-fplugin=evil.so -load evil.so -Xflang -load -mllvm -load=x -include a.h -fsave-optimization-record", ""),
        ("-DNAME -U OTHER -D X=1", "-DNAME -UOTHER -DX=1"),
    ],
)
def test_options_of_compilers_in_flangs_words(words: str, wanted: str) -> None:
    assert list(translate(words.split())) == wanted.split()


def test_fixed_form_is_said_or_told_by_the_name() -> None:
    assert is_fixed_form(Path("a.f"), ())
    assert is_fixed_form(Path("a.FOR"), ())
    assert not is_fixed_form(Path("a.F90"), ())
    assert not is_fixed_form(Path("a.f"), ("-ffree-form",))
    assert is_fixed_form(Path("a.f90"), ("-ffree-form", "-ffixed-form"))


def test_modules_that_a_file_makes_and_uses(tmp_path: Path) -> None:
    (tmp_path / "more.inc").write_text("use from_include\n")
    file = tmp_path / "a.f90"
    file.write_text(
        "MODULE Grid  ! the mesh\n"
        "  use, intrinsic :: iso_c_binding\n"
        "  use :: kinds, only: wp\n"
        "  USE mpi\n"
        "  include 'more.inc'\n"
        "  module procedure nothing\n"
        "  use_count = 1\n"
        "end module\n"
        "submodule (grid:parts) inner\nend submodule\n"
    )
    needs = scan(file, ())
    assert needs.makes == {"grid", "grid:inner"}
    assert needs.uses == {"kinds", "mpi", "from_include", "grid:parts"}


def command(file: Path, target: str = "") -> Command:
    return Command(file, file.parent, (), Language.FORTRAN, target=target)


def test_files_wait_for_those_that_make_their_modules(tmp_path: Path) -> None:
    main, grid, kinds = (tmp_path / name for name in ("main.f90", "grid.f90", "kinds.f90"))
    main.write_text("program p\nuse grid\nuse nowhere\nend\n")
    grid.write_text("module grid\nuse kinds\nend module\n")
    kinds.write_text("module kinds\nend module\n")
    jobs = plan([command(main), command(grid)])
    assert [job.command.file.name for job in jobs] == ["main.f90", "grid.f90", "kinds.f90"]
    assert [job.asked for job in jobs] == [True, True, False]
    assert sorted(all_needed(jobs, 0)) == [1, 2]
    assert jobs[0].absent == ("nowhere",)


def test_each_program_has_its_own_module_of_a_name(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "main.f90").write_text("program p\nuse data\nend\n")
        (folder / "data.f90").write_text("module data\nend module\n")
        files += [folder / "main.f90", folder / "data.f90"]
    jobs = plan([command(file) for file in files])
    assert [sorted(job.waits_for) for job in jobs] == [[1], [], [3], []]


def test_our_stub_stands_in_for_mpi(tmp_path: Path) -> None:
    (tmp_path / "a.f90").write_text("program p\nuse mpi\nend\n")
    jobs = plan([command(tmp_path / "a.f90")])
    assert jobs[1].command.file.name == "mpi.f90"
    assert not jobs[1].asked


def test_a_circle_behind_conditions_is_broken(tmp_path: Path) -> None:
    for own, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{own}.F90").write_text(f"module {own}\n#ifdef X\nuse {other}\n#endif\nend module\n")
    jobs = plan([command(tmp_path / "a.F90"), command(tmp_path / "b.F90")])
    assert sum(len(job.waits_for) for job in jobs) == 1


def test_what_flang_says_of_a_file() -> None:
    text = (
        "BISECT: NOT running pass (1) x\n"
        "error: Semantic errors in a.f90\n"
        "/src/a.f90:3:5: error: No explicit type declared for 'x'\n"
        "  /src/a.f90:3:5: in the context\n"
        'error: loc("/src/a.f90":9:2): /build/flang/lib/Lower/Bridge.cpp:12: not yet implemented: coarray\n'
    )
    found = [(d.file, d.line, d.column, d.message) for d in _diagnostics(text, Path("/src/a.f90"))]
    assert found == [
        ("/src/a.f90", 3, 5, "No explicit type declared for 'x'"),
        ("/src/a.f90", 9, 2, "not yet implemented: coarray"),
    ]


def lint(folder: Path, *words: str) -> tuple[int, dict[str, object]]:
    out = folder / "out.json"
    status = main(["lint", "--no-config", "--format", "json", "-o", str(out), *words])
    return status, json.loads(out.read_text())


def findings(result: dict[str, object]) -> list[tuple[str, str, int]]:
    found = result["findings"]
    assert isinstance(found, list)
    return [(f["rule"], Path(f["location"]["file"]).name, f["location"]["line"]) for f in found]


def test_named_files_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "sizes.f90").write_text(SIZES)
    status, result = lint(tmp_path, str(tmp_path / "scale.f90"), str(tmp_path / "sizes.f90"))
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["out.json", "scale.f90", "sizes.f90"]


def test_a_module_beside_the_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "sizes.f90").write_text(SIZES)
    status, result = lint(tmp_path, str(tmp_path / "scale.f90"))
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])


def test_what_flang_refuses_is_named_and_the_rest_is_analysed(tmp_path: Path) -> None:
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "sizes.f90").write_text(SIZES)
    (tmp_path / "bad.f90").write_text("module bad\n  implicit none\ncontains\n  subroutine s\n    x = 1\n  end\nend\n")
    (tmp_path / "user.f90").write_text("subroutine u\n  use bad\nend\n")
    status, result = lint(tmp_path, *(str(tmp_path / f"{name}.f90") for name in ("scale", "sizes", "bad", "user")))
    assert status == 2
    assert findings(result) == [("mem-strided-inner-loop", "scale.f90", 9)]
    problems = result["problems"]
    assert isinstance(problems, list)
    by_file = {p["where"]: p for p in problems}
    assert "bad.f90:5:5: No explicit type declared for 'x'" in by_file["bad.f90"]["details"][0]
    assert by_file["user.f90"]["message"] == "needs module 'bad', whose file bad.f90 flang cannot read"


def test_modules_of_the_builds_own_compiler_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They lie in the folder of the build, and in those of -I, and flang cannot read them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "sizes.f90").write_text(SIZES)
    (tmp_path / "sizes.mod").write_bytes(b"\x1f\x8b\x08\x00")
    status, result = lint(tmp_path, "scale.f90", "--", "-I.")
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])


def test_a_module_that_nobody_makes(tmp_path: Path) -> None:
    (tmp_path / "a.f90").write_text("subroutine s\n  use netcdf\nend\n")
    status, result = lint(tmp_path, str(tmp_path / "a.f90"))
    problems = result["problems"]
    assert isinstance(problems, list)
    assert status == 2
    assert "needs module 'netcdf'" in problems[0]["message"]


def test_a_database_of_both_languages(tmp_path: Path) -> None:
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "sizes.f90").write_text(SIZES)
    call = (
        "void scale_(double *, double *, int *);\nint main(void) { static double a[9]; int n = 3; scale_(a, a, &n); }\n"
    )
    (tmp_path / "main.c").write_text(call)
    entries = [
        {"directory": str(tmp_path), "file": name, "arguments": [compiler, "-O2", "-c", name]}
        for name, compiler in (("scale.f90", "gfortran"), ("main.c", "gcc"), ("sizes.f90", "gfortran"))
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    status, result = lint(tmp_path, "-p", str(tmp_path))
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])
    stats = result["stats"]
    assert isinstance(stats, dict)
    assert stats["files_analysed"] == 3


def test_without_flang_all_else_is_analysed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIDEWISE_FLANG", str(tmp_path / "none"))
    (tmp_path / "scale.f90").write_text(WRONG_ORDER)
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    status, result = lint(tmp_path, str(tmp_path / "scale.f90"), str(tmp_path / "main.c"))
    assert (status, findings(result)) == (0, [])
    stats = result["stats"]
    assert isinstance(stats, dict)
    assert (stats["files_analysed"], stats["files_skipped"]) == (1, 1)
    status, result = lint(tmp_path, str(tmp_path / "scale.f90"))
    problems = result["problems"]
    assert isinstance(problems, list)
    assert status == 2
    assert problems[0]["message"].startswith("Fortran (scale.f90) is not read: that needs flang 19")


@pytest.mark.parametrize("include", [lambda text: text, lambda text: "! another line\n" + text])
def test_code_of_an_include_file_is_not_taken_for_the_files(tmp_path: Path, include: Callable[[str], str]) -> None:
    """flang gives it the include file's lines and the other file's name."""
    body = include("do i = 1, n\n  do j = 1, n\n    a(i, j) = a(i, j) + 1\n  end do\nend do\n")
    (tmp_path / "body.inc").write_text(body)
    (tmp_path / "a.f90").write_text("subroutine s(a, n)\n  real :: a(n, n)\n  include 'body.inc'\nend\n")
    status, result = lint(tmp_path, str(tmp_path / "a.f90"))
    assert (status, findings(result)) == (0, [])


def test_lines_that_count_with_openmp_alone(tmp_path: Path) -> None:
    """Where the unit cannot be read without them."""
    text = WRONG_ORDER.replace("  use sizes, only: wp\n", "!$ use sizes, only: wp\n")
    (tmp_path / "scale.f90").write_text(text)
    (tmp_path / "sizes.f90").write_text(SIZES)
    assert lint(tmp_path, str(tmp_path / "scale.f90"), "--", "-O2")[0] == 2
    status, result = lint(tmp_path, str(tmp_path / "scale.f90"), "--", "-fopenmp")
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])
    found = result["findings"]
    assert isinstance(found, list)
    assert {a["file"] for a in found[0]["accesses"]} == {"scale.f90"}


@pytest.mark.parametrize(
    ("compiler", "words", "expected"),
    [
        ("gfortran", "-O3 -g -O0", "-O0 -g"),
        ("gfortran-12", "-O", "-O1"),
        ("ifort", "-O -fp-model=precise", "-O2"),
        ("ifx", "-g -xHost", "-O0 -march=native -g -ffast-math"),
        ("ifx", "-g0", "-O2 -ffast-math"),
        ("nvfortran", "-fast -Kieee", "-O3 -march=native"),
        ("frt", "-Kfast -Knooptimize", "-O0 -ffast-math"),
        ("gfortran", "-Os -march=x86-64", "-O2"),
        ("gfortran", "-Og -march=haswell -ffast-math", "-O1 -march=haswell -ffast-math"),
        ("gfortran", "-O2 -fcheck=bounds,mem", "-O2 --tests-bounds=-fcheck=bounds,mem"),
        ("gfortran", "-O2 -fcheck=all -fcheck=no-bounds", "-O2"),
        ("ifx", "-O2 -CB -fp-model=strict", "-O2 --tests-bounds=-CB"),
        ("", "-o out -J. -qopenmp", "-O0 -fopenmp"),
    ],
)
def test_back_end_of_a_command(compiler: str, words: str, expected: str) -> None:
    assert " ".join(build_options(words.split(), compiler)) == expected


# --- results that are kept ------------------------------------------------------------------------------------------

PROGRAM = """\
subroutine run(a)
  use sizes, only: wp
  implicit none
  include 'length.inc'
  real(wp), intent(inout) :: a(n, n)
  integer :: i, j
  do i = 1, n
    do j = 1, n
      a(i, j) = 2 * a(i, j)
    end do
  end do
end subroutine run
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[str, int]]:
    """Lints a unit with a module and an included file; (its message, how often flang was started)."""
    folder = tmp_path / "project"
    (folder / "inc").mkdir(parents=True)
    (folder / "run.f90").write_text(PROGRAM)
    (folder / "sizes.f90").write_text(SIZES)
    (folder / "inc/length.inc").write_text("  integer, parameter :: n = 900\n")
    flang, starts = shutil.which("flang-new-19"), tmp_path / "starts"
    program = tmp_path / "flang"
    program.write_text(f'#!/bin/sh\necho >> {starts}\nexec {flang} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("STRIDEWISE_FLANG", str(program))
    commands = [
        {"directory": str(folder), "file": name, "arguments": ["gfortran", "-O2", "-Iinc", "-c", name]}
        for name in ("run.f90", "sizes.f90")
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    monkeypatch.chdir(folder)

    def again() -> tuple[str, int]:
        starts.write_text("")
        out = tmp_path / "out.json"
        main(["lint", "--no-config", "--format", "json", "--cache-dir", str(tmp_path / "kept"), "-o", str(out)])
        (found,) = [f for f in json.loads(out.read_text())["findings"] if f["rule"] == "mem-strided-inner-loop"]
        return found["message"], starts.read_text().count("\n")

    return again


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
def test_what_is_unchanged_is_not_compiled_again(kept: Callable[[], tuple[str, int]], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    first = kept()
    assert first == ("inner loop over 'j' steps 7200 bytes through memory; over 'i' the step is 8 bytes", 2)
    assert kept() == (first[0], 0)
    # An edit compiles the unit, and the module that it uses.
    (folder / "run.f90").write_text("\n" + PROGRAM)
    assert kept() == (first[0], 2)
    assert kept() == (first[0], 0)
    # A module that changes, what is included, and a file that now stands before what was included.
    (folder / "sizes.f90").write_text(SIZES.replace("real64", "real32"))
    assert "steps 3600 bytes" in kept()[0]
    (folder / "inc/length.inc").write_text("  integer, parameter :: n = 800\n")
    assert "steps 3200 bytes" in kept()[0]
    (folder / "length.inc").write_text("  integer, parameter :: n = 700\n")
    assert "steps 2800 bytes" in kept()[0]
    assert kept()[1] == 0


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
def test_another_flang_and_another_maker_of_the_module(kept: Callable[[], tuple[str, int]], tmp_path: Path) -> None:
    folder = tmp_path / "project"
    before = kept()[0]
    assert kept() == (before, 0)
    program = tmp_path / "flang"
    program.write_text(program.read_text() + "# another one\n")
    assert kept() == (before, 2)
    database = folder / "compile_commands.json"
    database.write_text(database.read_text().replace("sizes.f90", "kinds.f90"))
    (folder / "kinds.f90").write_text(SIZES.replace("real64", "real32"))
    assert "steps 3600 bytes" in kept()[0]


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
def test_a_unit_that_needs_what_is_kept(kept: Callable[[], tuple[str, int]], tmp_path: Path) -> None:
    """The module's own unit is not analysed again where only its user is."""
    kept()
    (tmp_path / "project" / "run.f90").write_text(PROGRAM.replace("2 * a", "3 * a"))
    assert kept()[1] == 2


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
def test_findings_of_kept_units_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units that call MPI through another file are read twice, also where their first reading was kept."""
    folder = tmp_path / "project"
    shutil.copytree(TOP / "rules/mpi-fusable-collectives/cases/loud-layer-of-modules", folder)
    commands = [
        {"directory": str(folder), "file": file.name, "arguments": ["mpif90", "-O2", "-march=native", "-c", file.name]}
        for file in sorted(folder.glob("*.f90"))
    ]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    monkeypatch.chdir(folder)
    launcher = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"
    words: list[str | Path] = [
        launcher,
        "lint",
        "--no-config",
        "--all",
        "--format",
        "json",
        "--cache-dir",
        str(tmp_path / "kept"),
    ]

    def lint_once() -> object:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return json.loads(done.stdout)["findings"]

    first = lint_once()
    assert "mpi-fusable-collectives" in str(first)
    assert [lint_once() for _ in range(3)] == [first] * 3
    # The run as a whole is known by now; what flang reads for it counts.
    layer = (folder / "layer.f90").read_text()
    more = "    value = all\n    call MPI_Barrier(MPI_COMM_WORLD, ierr)\n"
    (folder / "layer.f90").write_text(layer.replace("    value = all\n", more, 1))
    assert lint_once() != first


@pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")
def test_one_file_of_a_database_with_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module's file has an entry, lies in another folder, and is not analysed itself."""
    files = {"common/sizes.f90": SIZES, "src/scale.f90": WRONG_ORDER}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    entries = [
        {"directory": str(tmp_path), "file": name, "arguments": ["gfortran", "-O2", "-c", name]} for name in files
    ]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    monkeypatch.chdir(tmp_path)
    status, result = lint(tmp_path, "src/scale.f90")
    assert (status, findings(result)) == (0, [("mem-strided-inner-loop", "scale.f90", 9)])
    stats = result["stats"]
    assert isinstance(stats, dict)
    assert stats["units_analysed"] == 1
