"""Files without a compile command: mpi.h is taken where this machine's MPI wrapper says it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.collect import compile_db
from stridewise.finding.sources import Project
from stridewise.lint import study
from stridewise.lint.analysis import Diagnostic, UnitResult
from stridewise.lint.lone_files import with_mpi
from stridewise.lint.study import Inputs
from stridewise.settings import toolchain

Script = Callable[[str, str], Path]
MISSES = "'mpi.h' file not found"
needs_analyzer = pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)


def inputs(folder: Path, *names: str, database: Path | None = None) -> Inputs:
    commands = [compile_db.plain_command(folder / name, ()) for name in names]
    return Inputs(compile_db.Workload(commands), Project(folder), (), True, database)


def results(given: Inputs, message: str = MISSES) -> list[UnitResult]:
    return [UnitResult(c, "errors", diagnostics=(Diagnostic("a.c", 1, 1, message),)) for c in given.work.commands]


@pytest.fixture
def project(tmp_path: Path, script: Script, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing on PATH but two wrappers, of C and of C++."""
    for name in ("mpicc", "mpicxx"):
        script(name, f"#!/bin/sh\n[ \"$1\" = -show ] && echo '/usr/bin/none -I/opt/{name}/include -L/x -lmpi'\n")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def test_the_wrapper_of_the_language_is_asked(project: Path) -> None:
    given = inputs(project, "a.c", "b.cpp")
    made = with_mpi(given, results(given), None)
    for command, was, name in zip(made.work.commands, given.work.commands, ("mpicc", "mpicxx"), strict=True):
        assert command.arguments == (*was.arguments, f"-I/opt/{name}/include")
    assert any("-show" in note and "mpicc" in note and "mpicxx" in note for note in made.notes)


def test_only_what_misses_mpi_and_has_no_database(project: Path) -> None:
    given = inputs(project, "a.c")
    for message in ("'mpi2.h' file not found", "expected ';'"):
        assert with_mpi(given, results(given, message), None) is given
    kept = inputs(project, "a.c", database=project / "compile_commands.json")
    assert with_mpi(kept, results(kept), None) is kept


def test_without_a_wrapper_nothing_changes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    given = inputs(project, "a.c")
    assert with_mpi(given, results(given), None) is given


def test_no_program_of_the_project_is_run(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = project / "ran"
    wrapper = project / "mpicc"
    wrapper.write_text(f"#!/bin/sh\n: >{mark}\necho gcc -I/x\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(project))
    given = inputs(project, "a.c")
    assert with_mpi(given, results(given), None) is given
    assert not mark.exists()


@needs_analyzer
@pytest.mark.skipif(shutil.which("mpicc") is None, reason="needs an MPI")
@pytest.mark.parametrize("flags", [(), ("--", "-O3")])
def test_a_lone_file_of_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flags: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("send.c").write_text(
        "#include <mpi.h>\nvoid f(double *x, int n, int to) {\n  for (int i = 0; i < n; i++)\n"
        "    MPI_Send(&x[i], 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);\n}\n"
    )
    assert main(["lint", "send.c", *flags]) == 0
    said = capsys.readouterr().out
    assert "send.c:4" in said
    assert "mpi-tiny-messages" in said
    assert f"'{shutil.which('mpicc')} -show'" in said
    assert "not done" not in said, "the whole program, too"


@needs_analyzer
def test_clangs_own_headers_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As an analyser says it that was installed without them."""
    monkeypatch.chdir(tmp_path)
    Path("a.c").write_text("#include <stdio.h>\nint a;\n")
    assert main(["lint", "a.c", "--", "-nobuiltininc"]) == 2
    said = capsys.readouterr().out
    assert "stddef.h is one of Clang 19's own headers, which are not here" in said
    assert "build the project first" not in said


def test_headers_of_a_project_are_not_clangs() -> None:
    assert [text[:23] for text in study._remedies(["'config.h' file not found"])] == ["build the project first"]
