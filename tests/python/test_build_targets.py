"""What is said of the options of a build: by its programs and lines, and less surely from an old database."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.settings import toolchain

pytestmark = pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)

SUM = "double sum(const double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }\n"
PROGRAM = "double sum(const double *, long);\nint main(void) { double a[64]; for (int i = 0; i < 64; i++) a[i] = i;\n"
BIG = PROGRAM + "for (int i = 0; i < 64; i++) a[i] *= 2; return (int)sum(a, 64); }\n"
SMALL = "int main(void) { double s = 0; for (int i = 0; i < 9; i++) s += i; return (int)s; }\n"


@dataclass(frozen=True)
class Said:
    findings: list[dict[str, Any]]

    @property
    def levels(self) -> list[dict[str, Any]]:
        about = [f for f in self.findings if f["rule"] == "build-unoptimised"]
        return [f for f in about if f["args"].get("reason", "vectors") == "vectors"]


Build = Callable[[Mapping[str, str], Mapping[str, str]], Said]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Writes files and a database of commands by source; gives what lint says. `stale` makes a file newer than it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def lint(files: Mapping[str, str], commands: Mapping[str, str]) -> Said:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            os.utime(path, (1000, 3000 if "# stale" in text else 1000))
        entries = [{"directory": str(tmp_path), "file": n, "command": c} for n, c in commands.items()]
        database = tmp_path / "compile_commands.json"
        database.write_text(json.dumps(entries))
        os.utime(database, (2000, 2000))
        main(["lint", "--all", "--format", "json", "-o", "lint.json"])
        report = json.loads((tmp_path / "lint.json").read_text())
        return Said(report["findings"])

    return lint


def test_programs_of_one_makefile_are_one_finding_at_its_flags(build: Build) -> None:
    said = build(
        {
            "Makefile": "CC = gcc\nCFLAGS = -Wall \\\n  -std=c11\n#CFLAGS = -O3\nall: big small\n",
            "big.c": BIG,
            "sum.c": SUM,
            "small.c": SMALL,
        },
        {f"{name}.c": f"gcc -Wall -std=c11 -c {name}.c -o {name}.o" for name in ("big", "sum", "small")},
    )
    (finding,) = said.levels
    assert (finding["location"]["file"], finding["location"]["line"]) == ("Makefile", 2)
    assert finding["confidence"] == "high"
    assert finding["message"].startswith("2 programs (big, small) are compiled without optimisation")
    assert [r["file"] for r in finding["related"]] == ["big.c", "small.c"], "the one with most to compute comes first"


@pytest.mark.parametrize(
    ("makefile", "line"),
    [
        ("CFLAGS = -O2\nCFLAGS = -O0 -g\n", 2),  # the first is not what was recorded
        ("include flags.mk\nall:\n", 1),  # in what is included
        ("COPT = -O0\nCFLAGS = -g\n", 1),  # the level itself before other options
        ("all: one\n\none: one.c\n\t$(CC) -O0 -g -o one one.c\n", 4),  # no variable at all
        ("LDFLAGS = -g\nCXXFLAGS = -g\nCFLAGS =\n", 3),  # of the linker and of another language
    ],
)
def test_the_line_that_explains_the_command(build: Build, makefile: str, line: int) -> None:
    files = {"Makefile": makefile, "flags.mk": "CFLAGS = -O0 -g\n", "one.c": SMALL}
    (finding,) = build(files, {"one.c": "gcc -O0 -g -o one one.c"}).levels
    name = "flags.mk" if "include" in makefile else "Makefile"
    assert (finding["location"]["file"], finding["location"]["line"]) == (name, line)
    assert finding["message"].startswith("the program 'one' is compiled")


def test_targets_of_cmake(build: Build) -> None:
    lists = 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nset(CMAKE_C_FLAGS "${CMAKE_C_FLAGS} -Wall")\n'
    said = build(
        {"CMakeLists.txt": lists + "add_executable(big big.c)\n", "big.c": BIG, "sum.c": SUM},
        {f"{n}.c": f"gcc -Wall -o CMakeFiles/big.dir/{n}.c.o -c {n}.c" for n in ("big", "sum")},
    )
    (finding,) = said.levels
    assert (finding["location"]["file"], finding["location"]["line"]) == ("CMakeLists.txt", 3)
    assert finding["message"].startswith("the program 'big' is")


def test_targets_with_lines_of_their_own(build: Build) -> None:
    """One that is optimised is not spoken of; a small one beside a large one is a helper."""
    many = "".join(f"void f{i}(double *a) {{ for (int i = 0; i < 99; i++) a[i] += 1; }}\n" for i in range(30))
    said = build(
        {
            "CMakeLists.txt": "project(p C)\nadd_executable(fast fast.c)\nadd_executable(big big.c)\n"
            "add_executable(gen gen.c)\n",
            "fast.c": SMALL,
            "big.c": SMALL + many,
            "gen.c": SMALL,
        },
        {
            "fast.c": "gcc -O2 -o CMakeFiles/fast.dir/fast.c.o -c fast.c",
            "big.c": "gcc -o CMakeFiles/big.dir/big.c.o -c big.c",
            "gen.c": "gcc -o CMakeFiles/gen.dir/gen.c.o -c gen.c",
        },
    )
    assert [(f["location"]["line"], f["confidence"]) for f in said.levels] == [(3, "high"), (4, "low")]


def test_without_build_files_it_stays_at_main(build: Build) -> None:
    (finding,) = build({"one.c": SMALL}, {"one.c": "gcc -o one one.c"}).levels
    assert (finding["location"]["file"], finding["function"]) == ("one.c", "main")


@pytest.mark.parametrize(("now", "confidence"), [("", "medium"), ("-O2 ", "low")])
def test_a_database_older_than_the_makefile(
    build: Build, now: str, confidence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    makefile = f"CFLAGS = {now}-Wall\n# stale\n"
    said = build({"Makefile": makefile, "one.c": SMALL}, {"one.c": "gcc -Wall -o one one.c"})
    (finding,) = said.levels
    assert finding["confidence"] == confidence
    assert "make the database again, which is older than Makefile" in finding["advice"]
    main(["lint", "--all"])
    assert "note: compile_commands.json is older than Makefile" in capsys.readouterr().out


ASSERTING = """#include <assert.h>
double total(const double *a, long n, long size) {{
  {before}
  double s = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {{
      assert({condition});
      s += a[i * n + j];
    }}
  return s;
}}
"""
TELL = "static long calls; static int count(void) { return ++calls > 0; }\n"
PURE = "static int inside(long i, long n) { long last = n; last -= 1; return i <= last; }\n"


@pytest.mark.parametrize(
    ("before", "condition", "changes"),
    [
        ("", "i * n + j < size", False),
        ("", "inside(i * n + j, size)", False),
        ("", "__builtin_isfinite(a[j])", False),
        ("", "count()", True),  # in the loop
        ("assert(count());", "i * n + j < size", True),  # elsewhere in the unit
        ("int opened; assert((opened = unseen()));", "i < size", True),
        ("assert(unseen());", "i < size", True),  # what is not seen may do anything
        ("assert(size-- > 0);", "i < size", True),
    ],
)
def test_assertions_that_do_something_stay(build: Build, before: str, condition: str, changes: bool) -> None:
    text = "int unseen(void);\n" + TELL + PURE + ASSERTING.format(before=before, condition=condition)
    said = build({"one.c": text}, {"one.c": "gcc -O2 -c one.c"})
    (finding,) = [f for f in said.findings if f["args"].get("reason") == "assertions"]
    assert ("compile what is measured with -DNDEBUG" in finding["advice"]) is not changes
    assert ("would also take away" in finding["advice"]) is changes


def test_why_is_of_what_is_said(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    text = ASSERTING.format(before="", condition="i * n + j < size")
    build({"one.c": text}, {"one.c": "gcc -O2 -c one.c"})
    main(["lint", "--all"])
    shown = capsys.readouterr().out
    assert "why: a loop that may end at any iteration is not vectorised" in shown
    assert "without -O" not in shown


needs_flang = pytest.mark.skipif(toolchain.flang() is None, reason="flang is not installed")
ADD = "subroutine add(a, n)\ninteger :: n, i\nreal(8) :: a(n)\ndo i = 1, n\na(i) = a(i) + 1\nend do\nend subroutine\n"
CALLS = (
    "program calls\nreal(8) :: a(99)\ninteger :: i\ndo i = 1, 99\na(i) = i * 0.5\nend do\n"
    "call add(a, 99)\nprint *, a(3)\nend program\n"
)


@needs_flang
@pytest.mark.parametrize(
    ("compiler", "level"), [("gfortran", ""), ("gfortran", "-O1"), ("ifx", "-g"), ("xlf90_r", ""), ("flang-new-19", "")]
)
def test_programs_of_fortran(build: Build, compiler: str, level: str) -> None:
    makefile = f"CFLAGS = -g\nFC = {compiler}\nFFLAGS = -Wall {level}\nLDFLAGS = -Wall\n"
    files = {"Makefile": makefile, "add.f90": ADD, "calls.f90": CALLS}
    (finding,) = build(files, {n: f"{compiler} -Wall {level} -c {n}" for n in ("add.f90", "calls.f90")}).levels
    assert (finding["location"]["file"], finding["location"]["line"]) == ("Makefile", 3)
    assert finding["message"].startswith("the program 'calls' is compiled")
    assert ("-O1" in finding["message"]) == (level == "-O1")
    assert (finding["args"].get("reason") == "vectors") == (level == "-O1")


@needs_flang
def test_the_short_word_for_the_first_level(build: Build) -> None:
    makefile = "FC = gfortran\nFFLAGS = -O\n"
    (finding,) = build({"Makefile": makefile, "one.f90": CALLS}, {"one.f90": "gfortran -O -c one.f90"}).levels
    assert "with -O, which means -O1, only: no loop is vectorised" in finding["message"]
    assert (finding["location"]["line"], finding["confidence"]) == (2, "medium")
    assert not build({"one.f90": CALLS}, {"one.f90": "ifx -O -c one.f90"}).levels


@needs_flang
def test_a_recipe_of_fortran(build: Build) -> None:
    makefile = "all: one.f90\n\t$(CC) -c two.c\n\t$(FC) one.f90\n"
    (finding,) = build({"Makefile": makefile, "one.f90": CALLS}, {"one.f90": "gfortran one.f90"}).levels
    assert finding["location"]["line"] == 3


@needs_flang
@pytest.mark.parametrize("command", ["ifx", "nvfortran", "ftn -g", "frt -g", "gfortran -O2 -g", "flang -Ofast"])
def test_fortran_that_is_optimised(build: Build, command: str) -> None:
    assert not build({"one.f90": CALLS}, {"one.f90": f"{command} -c one.f90"}).levels
