from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.collect import compile_db
from stridewise.collect.compile_db import (
    DatabaseError,
    Entry,
    EntryError,
    Language,
    Problem,
    expand_response_files,
    normalise,
    sources_in,
    strip_launchers,
    to_command,
)
from stridewise.collect.compiler_options import PROCESSOR
from stridewise.collect.compilers import Interrogator


class Mute(Interrogator):
    """Asks no compiler."""

    def extra_arguments(self, program: str, directory: Path, depth: int = 0) -> tuple[str, ...]:
        return ()


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., compile_db.Command]:
    def make(words: str, file: str = "a.c") -> compile_db.Command:
        return to_command(Entry(tmp_path, tmp_path / file, tuple(words.split())), Mute())

    return make


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def test_outputs_inputs_and_dependencies_are_dropped(command: Callable[..., compile_db.Command]) -> None:
    words = "gcc -DX -I inc -MD -MF a.d -MT a.o -MQ b -Wp,-MD,x.d -save-temps -O2 -c a.c -o a.o -pipe b.o -lm"
    assert command(words).arguments == ("-DX", "-I", "inc", "-O2", "-lm")


def test_values_that_look_like_inputs_stay(command: Callable[..., compile_db.Command]) -> None:
    assert command("gcc -include pre.c -isystem a.c -D a.c a.c").arguments == (
        "-include", "pre.c", "-isystem", "a.c", "-D", "a.c",
    )  # fmt: skip


@pytest.mark.parametrize(
    "flag", ["-qopenmp", "-openmp", "-mp", "-fiopenmp", "-mp=multicore", "-fopenmp=libomp", "-qsmp=omp"]
)
def test_openmp_of_every_vendor(command: Callable[..., compile_db.Command], flag: str) -> None:
    found = command(f"nvc {flag} -O2 a.c")
    assert found.arguments == ("-fopenmp", "-O2")
    assert found.openmp


def test_openmp_simd_only_is_not_openmp(command: Callable[..., compile_db.Command]) -> None:
    assert command("icx -O1 -qopenmp-simd a.c").arguments == ("-O1", "-fopenmp-simd")


def test_dependency_flags_of_pgi_are_no_dependencies(command: Callable[..., compile_db.Command]) -> None:
    assert command("nvc -O1 -Minfo=all -Mvect a.c").arguments == ("-O1", "-Minfo=all", "-Mvect")


def test_foreign_precompiled_header_is_dropped(command: Callable[..., compile_db.Command]) -> None:
    assert command("clang -Xclang -include-pch -Xclang x.pch -O1 -c a.c").arguments == ("-O1",)


@pytest.mark.parametrize(
    ("words", "file", "language", "arguments"),
    [
        ("gcc a.c", "a.c", Language.C, ()),
        ("g++ a.c", "a.c", Language.CXX, ("-x", "c++")),
        ("mpicxx a.c", "a.c", Language.CXX, ("-x", "c++")),
        ("gcc a.cpp", "a.cpp", Language.CXX, ()),
        ("gcc -x c++ a.c", "a.c", Language.CXX, ("-x", "c++")),
        ("g++ -xc a.cpp", "a.cpp", Language.C, ("-x", "c")),
        ("icc -O1 -xHost a.c", "a.c", Language.C, ("-O1", "-march=native")),
        ("gfortran -O2 a.f90", "a.f90", Language.FORTRAN, ()),
        ("gcc a.S", "a.S", Language.OTHER, ()),
        ("nvcc a.cu", "a.cu", Language.OTHER, ()),
        ("g++ -x c++-header pch.hxx.cxx", "pch.hxx.cxx", Language.OTHER, ()),
    ],
)
def test_language(
    command: Callable[..., compile_db.Command], words: str, file: str, language: Language, arguments: tuple[str, ...]
) -> None:
    found = command(words, file)
    assert (found.language, found.arguments) == (language, arguments)


@pytest.mark.parametrize(
    ("words", "compiler"),
    [
        (("gcc", "-c"), "gcc"),
        (("ccache", "gcc", "-c"), "gcc"),
        (("/usr/bin/ccache", "distcc", "/opt/bin/mpicc", "-c"), "/opt/bin/mpicc"),
        (("env", "A=b", "CCACHE_DIR=/x", "g++-12"), "g++-12"),
        (("cmake", "-E", "__run_co_compile", "--tidy=x", "--source=a.c", "--", "/usr/bin/cc", "-c"), "/usr/bin/cc"),
        (("sh", "-c", "gcc -c 'a b.c'"), "gcc"),
        (("libtool", "--tag=CC", "--mode=compile", "gcc"), "gcc"),
        (("/strange/compiler", "-c"), "/strange/compiler"),
        (("distcc", "gcc", "-c"), "gcc"),
        (("sccache", "/usr/bin/clang++-19", "-c"), "/usr/bin/clang++-19"),
        (("stridewise-cc", "mpicc", "-c"), "mpicc"),
        (("env", "-u", "LANG", "OMPI_CC=gcc-12", "ccache", "mpicc.openmpi"), "mpicc.openmpi"),
        (("numactl", "-N0", "icpx"), "icpx"),
    ],
)
def test_launchers_are_taken_off(words: tuple[str, ...], compiler: str) -> None:
    assert strip_launchers(words)[0] == compiler


@pytest.mark.parametrize("words", [("ccache",), ("ccache", "frobnicate"), ("sh", "-c", "cd x && gcc -c a.c"), ()])
def test_launchers_without_a_compiler(words: tuple[str, ...]) -> None:
    with pytest.raises(EntryError):
        strip_launchers(words)


@pytest.mark.parametrize(
    ("words", "arguments"),
    [
        ("nvc a.c", ("-O2",)),
        ("icx -g a.c", ("-O2", "-g")),
        ("gcc -g a.c", ("-g",)),
        ("mpicc a.c", ()),
        ("nvc++ -fast a.cpp", ("-O3",)),
        ("FCC -Kfast,openmp a.cpp", ("-O3", "-fopenmp")),
        ("icx -Ofast -xHost a.c", ("-Ofast", "-march=native")),
        ("icpx -O3 -xCORE-AVX512 -qopenmp a.cpp", ("-O3", PROCESSOR, "-fopenmp")),
        ("nvc -O4 -tp=zen3 -mp=gpu,multicore a.c", ("-O3", PROCESSOR, "-fopenmp")),
        ("nvc -O3 -tp host a.c", ("-O3", "-march=native")),
        ("craycc -O3 -h omp -hfp3 a.c", ("-O3", "-fopenmp", "-hfp3")),
        ("clang -O2 -fopenmp -fopenmp-targets=nvptx64 --offload-arch=sm_80 a.c", ("-O2", "-fopenmp")),
        ("clang -O2 -c -- a.c", ("-O2",)),
    ],
)
def test_options_of_other_compilers(
    command: Callable[..., compile_db.Command], words: str, arguments: tuple[str, ...]
) -> None:
    found = command(words, words.split()[-1])
    assert tuple(word for word in found.arguments if word not in ("-x", "c++")) == arguments


@pytest.mark.parametrize("name", "gcc g++ clang++ gcc-12 mpicc mpicxx nvc nvc++ icx icpx cc CC mpiicpx".split())
def test_every_name_is_understood_where_it_is_not_installed(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    write(tmp_path / "a.cpp", "")
    database = [{"directory": ".", "file": "a.cpp", "command": f"{name} -O3 -DX -c a.cpp -o a.o"}]
    ask = Interrogator()
    work = normalise(compile_db.load(write(tmp_path / "compile_commands.json", database)), ask)
    assert [c.arguments for c in work.commands] == [("-O3", "-DX")]
    assert [note for note in ask.notes if f"'{name}' is not installed here" in note]


@pytest.mark.parametrize(
    ("flags", "arguments"),
    [
        ((), ("-O2",)),
        (("-fopenmp", "-Iinc"), ("-O2", "-fopenmp", "-Iinc")),
        (("-O0",), ("-O0",)),
        (("-g", "-DX"), ("-g", "-DX")),
        (("@flags.rsp", "-c", "-o", "x"), ("-O3", "-DA=x y")),
    ],
)
def test_flags_of_single_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "flags.rsp", "-O3 '-DA=x y'")
    assert compile_db.plain_command(tmp_path / "a.c", flags).arguments == arguments


def test_odd_bytes_in_commands_survive(tmp_path: Path) -> None:
    write(tmp_path / "a.c", "")
    path = tmp_path / "compile_commands.json"
    path.write_bytes(
        b'[{"directory": "%s", "file": "a.c", "command": "gcc -DN=\\"\xe9\\" -c a.c"}]' % os.fsencode(tmp_path)
    )
    work = normalise(compile_db.load(path), Mute())
    assert [os.fsencode(word) for c in work.commands for word in c.arguments] == [b"-DN=\xe9"]


def test_shell_words_are_never_executed(tmp_path: Path) -> None:
    write(tmp_path / "a.c", "")
    marker = tmp_path / "ran"
    database = [
        {"directory": str(tmp_path), "file": "a.c", "command": f"gcc -DX=$(touch {marker}) `touch {marker}` -c a.c"}
    ]
    work = normalise(compile_db.load(write(tmp_path / "compile_commands.json", database)), Interrogator(tmp_path))
    assert len(work.commands) == 1
    assert not marker.exists()


def test_response_files_nest_and_quote(tmp_path: Path) -> None:
    write(tmp_path / "one.rsp", "-DA='x y' @two.rsp\n-DB")
    write(tmp_path / "two.rsp", '-I"some dir"')
    assert expand_response_files(("@one.rsp", "-c"), tmp_path) == ("-DA=x y", "-Isome dir", "-DB", "-c")


def test_response_files_that_are_missing_or_endless(tmp_path: Path) -> None:
    with pytest.raises(EntryError, match=r"no\.rsp.*build the project first"):
        expand_response_files(("@no.rsp",), tmp_path)
    write(tmp_path / "loop.rsp", "@loop.rsp")
    with pytest.raises(EntryError, match="nest too deep"):
        expand_response_files(("@loop.rsp",), tmp_path)


def test_entries_in_both_forms_and_relative_directories(tmp_path: Path) -> None:
    (tmp_path / "build").mkdir()
    write(tmp_path / "a b.c", "")
    path = write(
        tmp_path / "build" / "compile_commands.json",
        [
            {"directory": ".", "file": "../a b.c", "command": "gcc -DS=\\\"x\\\" -c '../a b.c'"},
            {"directory": str(tmp_path / "build"), "file": "../a b.c", "arguments": ["gcc", "-O3", "-c", "../a b.c"]},
        ],
    )
    work = normalise(compile_db.load(path), Mute())
    assert [c.file for c in work.commands] == [tmp_path / "a b.c"] * 2
    assert [c.arguments for c in work.commands] == [('-DS="x"',), ("-O3",)]


def test_bad_entries_are_problems_and_the_rest_is_used(tmp_path: Path) -> None:
    write(tmp_path / "good.c", "")
    write(tmp_path / "code.f90", "")
    here = str(tmp_path)
    path = write(
        tmp_path / "compile_commands.json",
        [
            3,
            {"directory": here},
            {"directory": here, "file": "good.c"},
            {"directory": here, "file": "good.c", "command": "gcc 'open"},
            {"directory": here, "file": "good.c", "arguments": []},
            {"directory": here, "file": "gone.c", "command": "gcc -c gone.c"},
            {"directory": here + "/nowhere", "file": here + "/good.c", "command": "gcc -c good.c"},
            {"directory": here, "file": "good.c", "command": "gcc -c good.c"},
            {"directory": here, "file": "good.c", "command": "gcc -c good.c -o other.o"},
            {"directory": here, "file": "code.f90", "command": "gfortran -c code.f90"},
        ],
    )
    work = normalise(compile_db.load(path), Mute())
    assert len(work.commands) == 1
    assert (work.entries, work.repeated, len(work.skipped)) == (10, 1, 1)
    said = [p.message for p in work.problems]
    assert len(said) == 7
    for part in ("expected an object", "must be strings", "needs 'arguments'", "split into words", "empty command",
                 "does not exist", "build folder"):  # fmt: skip
        assert any(part in message for message in said), part


@pytest.mark.parametrize("text", ["", "{", "{}", "null", '"x"', "[" * 100000])
def test_what_is_no_database(tmp_path: Path, text: str) -> None:
    with pytest.raises(DatabaseError):
        compile_db.load(write(tmp_path / "compile_commands.json", text))


def test_a_missing_database_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="capture -- make"):
        compile_db.load(tmp_path)


def test_the_nearest_database_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "src" / "solver"
    inner.mkdir(parents=True)
    (tmp_path / "build").mkdir()
    outer = write(tmp_path / "build" / "compile_commands.json", [])
    assert compile_db.find_database(inner) == outer
    (tmp_path / "src" / "build-debug").mkdir()
    nearer = write(tmp_path / "src" / "build-debug" / "compile_commands.json", [])
    assert compile_db.find_database(inner) == nearer
    here = write(inner / "compile_commands.json", [])
    assert compile_db.find_database(inner) == here


def test_sources_of_a_command() -> None:
    assert sources_in("-O2 -o app.c x.c -I y.c z.cpp w.o k.f90".split()) == ["x.c", "z.cpp", "k.f90"]


def test_odd_bytes_in_paths_survive(tmp_path: Path) -> None:
    name = os.fsdecode(b"a\xff.c")
    (tmp_path / name).write_text("")
    path = tmp_path / "compile_commands.json"
    path.write_bytes(
        b'[{"directory": "%s", "file": "a\xff.c", "arguments": ["gcc", "a\xff.c"]}]' % os.fsencode(tmp_path)
    )
    work = normalise(compile_db.load(path), Mute())
    assert [c.file for c in work.commands] == [tmp_path / name]
    assert not work.problems


def test_problem_names_the_file(tmp_path: Path) -> None:
    entry = Problem(tmp_path / "x.c", "why")
    assert normalise([entry], Mute()).problems == [entry]


def test_fortran_is_named_as_what_was_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIDEWISE_FLANG", str(tmp_path / "none"))
    here = str(tmp_path)
    fortran = [
        {"directory": here, "file": name, "command": f"gfortran -c {name}"} for name in ("b.F90", "a.f90", "a.f90")
    ]
    assembly = {"directory": here, "file": "c.S", "command": "gcc -c c.S"}
    (tmp_path / "good.c").write_text("")
    good = {"directory": here, "file": "good.c", "command": "gcc -c good.c"}
    path = tmp_path / "compile_commands.json"
    work = normalise(compile_db.load(write(path, [good, *fortran, assembly])), Mute())
    assert not work.problems
    (note,) = work.notes
    assert note.startswith("Fortran (a.f90 and 1 more) is not read")
    # Nothing else: that is no clean bill.
    work = normalise(compile_db.load(write(path, fortran[1:])), Mute())
    assert not work.notes
    (problem,) = work.problems
    assert problem.message.startswith("Fortran (a.f90) is not read")
    work = normalise(compile_db.load(write(path, [good, assembly])), Mute())
    assert not work.notes and not work.problems
