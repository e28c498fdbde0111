"""What build files would do with sources that no database names: levels of optimisation read from their text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stridewise.cli import main
from stridewise.collect.compile_db import Command, Language
from stridewise.collect.unbuilt import Planned, PlannedBuilds
from stridewise.finding.sources import Project, Sources
from stridewise.settings import toolchain

Plan = Callable[..., tuple[int, int] | None]


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Writes a build file and others; gives (level, line) of a source, or None."""

    def asked(text: str, source: str = "a.c", name: str = "Makefile", **others: str) -> tuple[int, int] | None:
        (tmp_path / name).write_text(text)
        for other, content in others.items():
            (tmp_path / other.replace("__", ".")).write_text(content)
        path = tmp_path / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        language = Language.CXX if path.suffix == ".cpp" else Language.FORTRAN if path.suffix == ".f90" else Language.C
        command = Command(path, tmp_path, (), language)
        found: Planned | None = PlannedBuilds(Project(tmp_path), Sources()).of(command)
        return (found.level, found.line.line) if found else None

    return asked


@pytest.mark.parametrize(
    ("makefile", "expected"),
    [
        ("p: a.c\n\tgcc a.c -o p\n", (0, 2)),
        ("p: a.c\n\tgcc -O2 a.c -o p\n", None),
        ("p: a.c\n\tgcc -O0 a.c -o p\n", (0, 2)),
        ("p: a.c\n\tgcc -O0 -O3 a.c -o p\n", None),
        ("p: a.c\n\tgcc -O a.c -o p\n", (1, 2)),
        ("p: a.c\n\tgcc -Ofast a.c -o p\n", None),
        ("p: a.c\n\t@ccache gcc a.c -o p\n", (0, 2)),
        ("p: a.c\n\techo a.c; mkdir -p bin && gcc a.c -o p\n", (0, 2)),
        # Variables: the line of the options, the last one that the command takes.
        ("CC = gcc\nCFLAGS = -Wall\np: a.c\n\t$(CC) -o $@ $< $(LDFLAGS) $(CFLAGS)\n", (0, 2)),
        ("CC = gcc\nCFLAGS = -Wall\nCFLAGS += -O3\np: a.c\n\t$(CC) $(CFLAGS) $^ -o $@\n", None),
        ("CFLAGS = -O3\nCFLAGS = -g\np: a.c\n\t${CC} ${CFLAGS} $? -o $@\n", (0, 2)),
        ("OPT = -O0\nCFLAGS = -Wall $(OPT)\np: a.c\n\t$(CC) $(CFLAGS) a.c -o p\n", (0, 1)),
        ("CFLAGS = -g \\\n -O0\np: a.c\n\t$(CC) $(CFLAGS) a.c -o p\n", (0, 1)),
        ("#CFLAGS = -O3\nCFLAGS = -g # -O3\np: a.c\n\t$(CC) $(CFLAGS) a.c -o p\n", (0, 2)),
        # Objects: by a pattern, by suffixes, by make's own rules.
        ("FLAGS = -g\np: a.o b.o\n\tgcc a.o b.o -O3 -o p\n%.o: %.c\n\tgcc $(FLAGS) -c $<\n", (0, 1)),
        ("FLAGS = -g\np: ./a.o\n\tgcc a.o -o p\n.c.o:\n\tgcc $(FLAGS) -c $*.c\n", (0, 1)),
        ("FLAGS = -O3\np: a.o\n\tgcc a.o -o p\n%.o: %.[ch]\n\tgcc $(FLAGS) -c $<\n", None),
        ("SRC = a.c\nFLAGS = -g\np: $(SRC:.c=.o)\n\tgcc $^ -o p\n.c.o:\n\tgcc $(FLAGS) -c $<\n", (0, 2)),
        ("SRC = a.c\nFLAGS = -g\np: $(SRC:%.c=obj/%.o)\n\tgcc $^\nobj/%.o: %.c\n\tgcc $(FLAGS) -c $<\n", (0, 2)),
        ("CFLAGS = -g\np: a.o\n\tgcc a.o -o p\n", (0, 1)),
        ("CFLAGS = -g\nall: a\n", (0, 1)),
        ("all: p\np: a.o\n\tgcc a.o -o p\na.o: a.c a.h\n\tgcc -O3 -c a.c\n", None),
        ("p: a.o\n\tgcc a.o\na.o: a.c\n\tgcc -O3 -c a.c\n.c.o:\n\tgcc -c $<\n", None),
        ("p: b.o\n\tgcc b.o\n.c.o:\n\tgcc -c $<\n", None),
        (
            "S = src/a.c\nF_OPT = -g\np: $(S:src/%.c=%.o) $(S:lib/%.c=%.so)\n\tgcc $^\n.c.o:\n\tgcc $(F_OPT) -c $<\n",
            (0, 2),
        ),
        ("p: a.c\n\tgcc $(<) -o $(@D)/p\n", (0, 2)),
        ("LDFLAGS = -g\np: a.c\n\tgcc a.c $(LDFLAGS)\n", (0, 3)),
        ("p: a.c\n\tLANG=C time gcc a.c\n", (0, 2)),
        ("\techo\n.PHONY: p\np: a.c\n\tgcc a.c\n", (0, 4)),
        ("%.o: %.c\n\tgcc -O3 -c $<\np: a.c\n\tgcc a.c\n", (0, 4)),
        ("include Makefile\np: a.c\n\tgcc a.c\n", None),
        # What the default goal does not reach is nobody's build.
        ("FLAGS = -O3\nrelease:\n\tgcc a.c $(FLAGS)\ndebug:\n\tgcc -g a.c\n", None),
        ("release:\n\tgcc a.c\nfast:\n\tgcc -O3 a.c\n", (0, 2)),
        (".DEFAULT_GOAL = fast\nslow:\n\tgcc a.c\nfast:\n\tgcc -O3 a.c\n", None),
        ("p: b.c\n\tgcc b.c -o p\n", None),
        # Conditions: one that is decided counts, of any other both sides do.
        ("FLAGS = -g\nifdef FAST\nFLAGS = -O3\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n", (0, 1)),
        ("ifndef DEBUG\nFLAGS = -O3\nelse\nFLAGS = -O0\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n", None),
        ("M = gnu\nifeq ($(M),gnu)\nFLAGS = -g\nelse\nFLAGS = -O3\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n", (0, 3)),
        ('M = gnu\nifneq "$(M)" "gnu"\nFLAGS = -g\nelse\nFLAGS = -O3\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n', None),
        ("FLAGS = -g\nifeq ($(SITE_FLAGS),x)\nFLAGS = -O3\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n", None),
        ("p: a.c\n\tgcc a.c\nifdef FAST\n\tgcc -O3 a.c\nendif\n", (0, 2)),
        ("FLAGS = -g\nFAST =\nifdef FAST\nFLAGS = -O3\nendif\np: a.c\n\tgcc $(FLAGS) a.c\n", (0, 1)),
        (
            "M = b\nifeq ($(M),a)\nOPT = -O3\nelse ifeq ($(M),b)\nOPT = -g\nelse\nOPT = -O3\nendif\n"
            "p: a.c\n\tgcc $(OPT) a.c\n",
            (0, 5),
        ),
        (
            "M = b\nifeq ($(M),b)\nF_OPT = -g\nelse ifeq ($(M),b)\nF_OPT = -O3\nendif\np: a.c\n\tgcc $(F_OPT) a.c\n",
            (0, 3),
        ),
        ("FLAGS = -g\nFLAGS ?= -O3\np: a.c\n\tgcc $(FLAGS) a.c\n", (0, 1)),
        ("FLAGS ?= -O3\np: a.c\n\tgcc $(FLAGS) a.c\n", None),
        ("FLAGS = -g\np: FLAGS += -O3\np: a.c\n\tgcc $(FLAGS) a.c\n", None),
        # From outside, or of a compiler with a default of its own: nothing is known.
        ("p: a.c\n\tgcc $(SITE_FLAGS) a.c\n", None),
        ("include ../site.mk\np: a.c\n\tgcc a.c\n", None),
        ("-include a.d\np: a.c\n\tgcc a.c\n", (0, 3)),
        ("p: a.c\n\ticx a.c\n", None),
        ("p: a.c\n\ticx -Od a.c\n", (0, 2)),
        ("p: a.c\n\tnvcc a.c\n", None),
        ("FLAGS = $(FLAGS) -g\np: a.c\n\tgcc $(FLAGS) a.c\n", None),
        # A part that another makefile reads.
        ("LANGUAGE = c\nAPP_CFLAGS = -O0 -g\n", (0, 2)),
        ("LANGUAGE = c\nAPP_CFLAGS = -O0 -g\nMORE_FLAGS = -O3\n", None),
        ("LANGUAGE = c\nAPP_CFLAGS = -g\n", None),
        ("LANGUAGE = c\nLDFLAGS = -O0\n", None),
        ("", None),
        ("endif\nelse\n)\np: a.c\n\tgcc a.c\n", (0, 5)),
    ],
)
def test_makefiles(plan: Plan, makefile: str, expected: tuple[int, int] | None) -> None:
    assert plan(makefile) == expected


def test_variables_that_double_each_other_end(plan: Plan) -> None:
    doubled = "A0 = x\n" + "".join(f"A{n + 1} = $(A{n})$(A{n})$(A{n})$(A{n})\n" for n in range(11))
    assert plan(f"{doubled}p: a.c\n\tgcc $(A11) a.c\n") is None
    assert plan(f"{doubled}p: a.c\n\tgcc $(A3) a.c\n") == (0, 14)


def test_included_files_and_other_languages(plan: Plan) -> None:
    assert plan("include opts.mk\np: a.c\n\tgcc $(MY_FLAGS) a.c\n", opts__mk="MY_FLAGS = -O3\n") is None
    assert plan("include opts.mk\np: a.c\n\tgcc $(MY_FLAGS) a.c\n", opts__mk="\nMY_FLAGS = -g\n") == (0, 2)
    assert plan("FFLAGS = -g\np: a.o\n\tgfortran a.o\n.f90.o:\n\tgfortran $(FFLAGS) -c $<\n", "a.f90") == (0, 1)
    for words in ("ifort", "mpiifort", "nvfortran", "gfortran -O2", "ifort -fast"):
        assert plan(f"p: a.o\n\tifort a.o\n.f90.o:\n\t{words} -c $<\n", "a.f90") is None
    assert plan("p: a.o\n\tifort a.o\n.f90.o:\n\tifort -O0 -c $<\n", "a.f90") == (0, 4)
    assert plan("p: a.o\n\tgfortran a.o\n.f90.o:\n\tgfortran -O -c $<\n", "a.f90") == (1, 4)
    assert plan("p: a.c\n\tmpiicc a.c\n") is None
    assert plan("CXXFLAGS = -g\np: a.o\n\tg++ a.o\n", "a.cpp") == (0, 1)


def test_makefiles_further_up(plan: Plan) -> None:
    assert plan("p: src/a.c\n\tgcc src/a.c\n", "src/a.c") == (0, 2)
    assert plan("p: src/a.c\n\tgcc -O3 src/a.c\n", "src/a.c") is None


def test_options_from_above(plan: Plan, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "Makefile").write_text("p: a.c\n\tgcc $(CFLAGS) a.c\n")
    assert plan("all:\n\t$(MAKE) -C sub\n", "sub/a.c") == (0, 2)
    assert plan("export CFLAGS = -O3\nall:\n\t$(MAKE) -C sub\n", "sub/a.c") is None
    assert plan("all:\n\t$(MAKE) -C sub CFLAGS=-O3\n", "sub/a.c") is None


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ("project(x)\nadd_executable(p a.c)\n", (0, 1)),
        ('project(x)\nset(CMAKE_C_FLAGS "-Wall")\nadd_executable(p a.c)\n', (0, 2)),
        ('project(x)\nset(CMAKE_C_FLAGS "-O2")\nadd_executable(p a.c)\n', None),
        ("project(x)\nif(NOT CMAKE_BUILD_TYPE)\nset(CMAKE_BUILD_TYPE Release)\nendif()\nadd_executable(p a.c)\n", None),
        ("project(x)\nadd_executable(p b.c)\n", None),
        ("project(x)\nfile(GLOB all *.c)\nadd_executable(p ${all})\n", (0, 1)),
        ("add_executable(p a.c)\n", None),
    ],
)
def test_lists_of_cmake(plan: Plan, lists: str, expected: tuple[int, int] | None) -> None:
    assert plan(lists, name="CMakeLists.txt") == expected


@pytest.mark.parametrize(("folder", "expected"), [(".hidden", (0, 1)), (".github/workflows", None), ("sub", None)])
def test_lists_further_down(plan: Plan, tmp_path: Path, folder: str, expected: tuple[int, int] | None) -> None:
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "opts.cmake").write_text("add_compile_options(-O2)\n")
    assert plan("project(x)\nadd_executable(p a.c)\n", name="CMakeLists.txt") == expected


def test_pages_that_name_the_type_of_build(plan: Plan) -> None:
    lists = "project(x)\nadd_executable(p a.c)\n"
    assert plan(lists, name="CMakeLists.txt", README="cmake -DCMAKE_BUILD_TYPE=Release ..\n") is None


@pytest.mark.skipif(
    toolchain.program("stridewise-analyze", "STRIDEWISE_ANALYZE") is None, reason="stridewise-analyze is not built"
)
def test_lint_of_named_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    sweep = "for (int s = 0; s < n; s++) for (int i = 0; i < n; i++) a[i] *= 2;"
    (tmp_path / "deep.c").write_text(
        f"int main(int n, char **v) {{ static double a[99]; {sweep} return (int)a[1]; }}\n"
    )
    (tmp_path / "flat.c").write_text("int main(void) { double s = 0; for (int i = 0; i < 9; i++) s += i; return s; }\n")
    (tmp_path / "Makefile").write_text("all: deep flat\ndeep: deep.c\n\tgcc deep.c\nflat: flat.c\n\tgcc flat.c\n")
    (tmp_path / ".git").mkdir()

    def said(*files: str) -> list[tuple[int, str, str]]:
        main(["lint", *files, "--format", "json", "-o", "lint.json", "--", "-fopenmp"])
        found = json.loads((tmp_path / "lint.json").read_text())["findings"]
        return [
            (f["location"]["line"], f["confidence"], f["message"]) for f in found if f["rule"] == "build-unoptimised"
        ]

    words = "compiled without optimisation: every value of its loops goes through memory"
    assert said("deep.c", "flat.c") == [(3, "medium", f"2 programs (deep, flat) are {words}")]
    assert said("flat.c") == []
    # A database that was made to read the files with, by commands that keep nothing.
    entry = {"directory": str(tmp_path), "file": "deep.c", "arguments": ["cc", "-c", "deep.c", "-o", "/dev/null"]}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    main(["lint", "--format", "json", "-o", "lint.json"])
    found = [
        f for f in json.loads((tmp_path / "lint.json").read_text())["findings"] if f["rule"] == "build-unoptimised"
    ]
    assert [(f["location"]["file"], f["confidence"]) for f in found] == [("Makefile", "medium")]
    (tmp_path / "Makefile").write_text("all: deep flat\ndeep: deep.c\n\tgcc -O2 deep.c\nflat: flat.c\n\tgcc flat.c\n")
    assert said("deep.c", "flat.c") == []
