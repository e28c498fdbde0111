"""What is tried of a program's compilation without a finding: in which files, and when not at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from stridewise.finding import Edit
from stridewise.improve import compiling, loop, state
from stridewise.improve.compiling import Build
from stridewise.improve.edits import Recipe
from stridewise.improve.settings import Settings
from stridewise.lint.fixes import edited


def commands(folder: Path, *options: Sequence[str], compiler: str = "/usr/bin/gcc", tree: Path | None = None) -> Path:
    entries = [
        {"directory": str(tree or folder), "file": f"{n}.c", "arguments": [compiler, *words, "-c", f"{n}.c"]}
        for n, words in enumerate(options)
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


def tried(folder: Path, database: Path) -> list[str]:
    return [recipe.title.removeprefix("compile with ") for recipe in compiling.untold(Build(folder, database))]


def changed(path: Path, edits: Sequence[Edit]) -> str:
    return edited(path.read_bytes(), [edit for edit in edits if edit.file == str(path)]).decode()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["-O2", "-g"], ["-O3", "-march=native", "-O3 -march=native"]),
        ([], ["-O3", "-march=native", "-O3 -march=native"]),
        (["-O3"], ["-march=native"]),
        (["-O0", "-O3"], ["-march=native"]),  # the last one counts
        (["-O3", "-O1"], ["-O3", "-march=native", "-O3 -march=native"]),
        (["-Ofast"], ["-march=native"]),
        (["-O5"], ["-march=native"]),
        (["-Os"], ["-march=native"]),  # somebody wants it small
        (["-O2", "-march=x86-64-v3"], ["-O3"]),
        (["-O3", "-mcpu=neoverse-n1"], []),
    ],
)
def test_what_the_commands_lack_is_tried(tmp_path: Path, options: list[str], expected: list[str]) -> None:
    (tmp_path / "Makefile").write_text("CFLAGS = -O2\n")
    assert tried(tmp_path, commands(tmp_path, options)) == expected


def test_one_slow_unit_is_enough_and_one_processor_is_enough(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("CFLAGS = -O2\n")
    assert tried(tmp_path, commands(tmp_path, ["-O3"], ["-O1"])) == ["-O3", "-march=native", "-O3 -march=native"]
    assert tried(tmp_path, commands(tmp_path, ["-O3"], ["-O3", "-march=znver3"])) == []


@pytest.mark.parametrize("compiler", ["nvc", "icx", "/opt/cc/bin/nvc++"])
def test_other_compilers_have_other_words(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "Makefile").write_text("CFLAGS = -O2\n")
    assert tried(tmp_path, commands(tmp_path, [], compiler=compiler)) == []
    assert tried(tmp_path, commands(tmp_path, [], compiler="x86_64-linux-gnu-gcc-12"))


@pytest.mark.parametrize("compiler", ["gfortran", "/usr/bin/gfortran-12", "mpif90", "mpifort.openmpi", "flang-new-19"])
def test_fortran_is_raised_where_its_flags_stand(tmp_path: Path, compiler: str) -> None:
    make = tmp_path / "Makefile"
    make.write_text("FFLAGS = -O\n")
    entry = {"directory": str(tmp_path), "file": "a.f90", "arguments": [compiler, "-O", "-c", "a.f90"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    found = list(compiling.untold(Build(tmp_path, tmp_path)))
    assert [changed(make, one.edits) for one in found] == [
        "FFLAGS = -O3\n", "FFLAGS = -O -march=native\n", "FFLAGS = -O3 -march=native\n",
    ]  # fmt: skip


@pytest.mark.parametrize("compiler", ["ifx", "nvfortran", "ftn", "xlf90_r"])
def test_other_compilers_of_fortran_have_other_words(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "Makefile").write_text("FFLAGS = -O\n")
    entry = {"directory": str(tmp_path), "file": "a.f90", "arguments": [compiler, "-O", "-c", "a.f90"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    assert not list(compiling.untold(Build(tmp_path, tmp_path)))


def test_a_cmake_project_of_fortran_gets_options_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "CMakeLists.txt"
    path.write_text('project(heat Fortran)\nset(CMAKE_Fortran_FLAGS "-O1 -g")\n')
    entry = {"directory": str(tmp_path), "file": "a.f90", "arguments": ["gfortran", "-O1", "-c", "a.f90"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    recipes = list(compiling.untold(Build(tmp_path, tmp_path)))
    assert changed(path, recipes[2].edits).endswith('set(CMAKE_Fortran_FLAGS "-O3 -march=native -g")\n')


def test_nothing_without_a_record_or_a_build_file(tmp_path: Path) -> None:
    assert tried(tmp_path, tmp_path) == []
    assert tried(tmp_path, commands(tmp_path, ["-O2"])) == []
    (tmp_path / "Makefile").write_text("")
    (tmp_path / "compile_commands.json").write_text("{")
    assert tried(tmp_path, tmp_path) == []


def test_levels_of_included_files_are_raised_and_comments_are_not(tmp_path: Path) -> None:
    make, more = tmp_path / "Makefile", tmp_path / "make.inc"
    make.write_text("include make.inc\n-include absent.mk\n# not -O2\nCFLAGS += -g -Og\n")
    more.write_text("OPT = -O2 -Wall -funroll-loops\n")
    recipes = list(compiling.untold(Build(tmp_path, commands(tmp_path, ["-O2"]))))
    assert changed(more, recipes[0].edits) == "OPT = -O3 -Wall -funroll-loops\n"
    assert changed(make, recipes[0].edits).endswith("# not -O2\nCFLAGS += -g -O3\n")
    assert changed(more, recipes[1].edits) == "OPT = -O2 -march=native -Wall -funroll-loops\n"
    assert changed(more, recipes[2].edits) == "OPT = -O3 -march=native -Wall -funroll-loops\n"


def test_a_cmake_list_gets_options_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "CMakeLists.txt"
    path.write_text("project(a C)\nadd_executable(a a.c)\n")
    recipes = list(compiling.untold(Build(tmp_path, commands(tmp_path, []))))
    assert changed(path, recipes[2].edits).startswith("project(a C)\nadd_compile_options(-O3;-march=native)\n")


def test_units_below_have_a_makefile_of_their_own(tmp_path: Path) -> None:
    """A make that calls make: the options stand in what the units' own makefile includes."""
    for name, text in [("Makefile", "all:\n\tcd sub && $(MAKE)\n"), ("sub/Makefile", "include ../config/make.def\n")]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "make.def").write_text("CFLAGS = -O2 -Wall\n")
    commands(tmp_path, ["-O2"])
    moved = (tmp_path / "compile_commands.json").read_text().replace(f'"{tmp_path}"', f'"{tmp_path}/sub"')
    (tmp_path / "compile_commands.json").write_text(moved)
    recipe = next(iter(compiling.untold(Build(tmp_path, tmp_path))))
    assert [Path(edit.file).name for edit in recipe.edits] == ["make.def"]
    assert changed(tmp_path / "config" / "make.def", recipe.edits) == "CFLAGS = -O3 -Wall\n"


def test_a_file_that_several_include_is_edited_once(tmp_path: Path) -> None:
    (tmp_path / "make.def").write_text("CFLAGS = -O2\n")
    entries = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Makefile").write_text("include ../make.def\n")
        words = ["gcc", "-O2", "-c", "x.c"]
        entries.append({"directory": str(tmp_path / name), "file": f"{name}.c", "arguments": words})
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    recipe = next(iter(compiling.untold(Build(tmp_path, tmp_path))))
    assert [edit.file for edit in recipe.edits] == [str(tmp_path / "make.def")]


def test_a_helper_without_a_level_raises_nothing(tmp_path: Path) -> None:
    """The build compiles and runs a generator, which nobody needs fast."""
    (tmp_path / "Makefile").write_text("CFLAGS = -O3\ngenerate: generate.c\n\t$(CC) -o generate generate.c\n")
    assert tried(tmp_path, commands(tmp_path, ["-O3"], [])) == ["-march=native"]


def test_a_list_without_a_project_has_no_place_for_options(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("add_library(a a.c)\n")
    assert tried(tmp_path, commands(tmp_path, [])) == []


def test_what_is_included_from_elsewhere_stays(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tmp_path / "site.mk").write_text("CFLAGS = -O2\n")
    (tree / "Makefile").write_text("include ../site.mk\nCFLAGS += -g\n")
    (recipe, *_) = compiling.untold(Build(tree, commands(tree, ["-O2"])))
    assert [edit.file for edit in recipe.edits] == [str(tree / "Makefile")]


def steps(*said: tuple[str, bool, str]) -> tuple[state.Step, ...]:
    return tuple(state.Step(title, "", "", title, kept, why) for title, kept, why in said)


@pytest.mark.parametrize(
    ("before", "first", "again"),
    [
        ((), ["-O3"], []),
        ((("-O3", False, loop.NO_GAIN),), [], []),
        ((("-O3", False, loop.NO_GAIN), ("exchange", False, "slower")), [], []),
        ((("-O3", False, loop.NO_GAIN), ("exchange", True, "faster")), [], ["-O3"]),
        ((("exchange", True, "faster"), ("-O3", False, loop.NO_GAIN)), [], []),  # it was tried with it
        ((("-O3", False, "other results"), ("exchange", True, "faster")), [], []),
        ((("-O3", False, "slower: 0.9 times"), ("exchange", True, "faster")), [], []),
    ],
)
def test_options_that_brought_nothing_are_tried_again_after_other_steps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: tuple[tuple[str, bool, str], ...],
    first: list[str],
    again: list[str],
) -> None:
    improvement = loop.Improvement(Settings(tmp_path, Path(), (), ("./app",), tmp_path / "out"))
    improvement.state.steps = steps(*before)
    edit = Edit(str(improvement.trees.accepted / "Makefile"), 0, 0, "")
    monkeypatch.setattr(improvement, "_untold", lambda: iter([Recipe("-O3", (edit,))]))
    assert [one.title for one in improvement._compiled()] == first
    found = list(improvement._compiled_again())
    assert [one.title for one in found] == again
    assert all(one.fingerprint not in {step.fingerprint for step in improvement.state.steps} for one in found)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["-O3", "-march=native", "-O3 -march=native"]),
        ({"portable": True}, ["-O3"]),
        ({"unsafe": False}, []),
        ({"only": ("mpi-tiny-messages",)}, []),
        ({"only": ("build-unoptimised",)}, ["-O3", "-march=native", "-O3 -march=native"]),
    ],
)
def test_what_the_user_allows(tmp_path: Path, options: dict[str, Any], expected: list[str]) -> None:
    improvement = loop.Improvement(Settings(tmp_path, Path(), (), ("./app",), tmp_path / "out", **options))
    improvement.trees.accepted.mkdir(parents=True)
    (improvement.trees.accepted / "Makefile").write_text("CFLAGS = -O2\n")
    database = improvement._database(improvement.trees.accepted)
    database.mkdir(parents=True)
    commands(database, ["-O2"], tree=improvement.trees.accepted)
    assert [one.title.removeprefix("compile with ") for one in improvement._compiled()] == expected
