"""What GCC builds is analysed: a unit in each dialect, with a walk down a column that must be found at its line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from dialect_table import PARTLY, RULE, WHOLE, Dialect

EVERY = (*WHOLE, *PARTLY)


def compiler(dialect: Dialect) -> str:
    return "g++" if dialect.cxx else "gcc"


def lint(folder: Path, *words: str) -> tuple[int, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "stridewise", "lint", "--all", "--no-cache", "--format", "json", *words],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 2), done.stderr
    return done.returncode, json.loads(done.stdout)


def write(folder: Path, dialects: tuple[Dialect, ...]) -> None:
    for dialect in dialects:
        encoding = "latin-1" if "latin1" in dialect.flags else "utf-8"
        (folder / dialect.file).write_text(dialect.text(), encoding=encoding)
    (folder / "compile_commands.json").write_text(
        json.dumps(
            [
                {"directory": str(folder), "file": d.file, "arguments": [compiler(d), *d.flags.split(), "-c", d.file]}
                for d in dialects
            ]
        )
    )


@pytest.fixture(scope="session")
def linted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    folder = tmp_path_factory.mktemp("dialects")
    write(folder, EVERY)
    status, found = lint(folder)
    assert status == 2  # of PARTLY
    return folder, found


@pytest.mark.parametrize("dialect", EVERY, ids=lambda d: d.name)
def test_gcc_builds_it(dialect: Dialect, linted: tuple[Path, Any]) -> None:
    folder, _ = linted
    flags = [flag for flag in dialect.flags.split() if flag != "-Werror"]
    done = subprocess.run(
        [compiler(dialect), "-w", *flags, "-c", "-o", os.devnull, dialect.file],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("dialect", EVERY, ids=lambda d: d.name)
def test_its_defect_is_found(dialect: Dialect, linted: tuple[Path, Any]) -> None:
    _, found = linted
    places = [(f["location"]["file"], f["location"]["line"]) for f in found["findings"] if f["rule"] == RULE]
    assert (dialect.file, dialect.line()) in places


@pytest.mark.parametrize("dialect", WHOLE, ids=lambda d: d.name)
def test_it_is_analysed_as_a_whole(dialect: Dialect, linted: tuple[Path, Any]) -> None:
    _, found = linted
    assert [problem for problem in found["problems"] if problem["where"] == dialect.file] == []


@pytest.mark.parametrize("dialect", PARTLY, ids=lambda d: d.name)
def test_the_function_that_cannot_be_read_is_named(dialect: Dialect, linted: tuple[Path, Any]) -> None:
    _, found = linted
    (problem,) = [problem for problem in found["problems"] if problem["where"] == dialect.file]
    line = next(n for n, text in enumerate(dialect.text().splitlines(), 1) if f" {dialect.beside}(" in text)
    assert problem["message"] == (
        f"does not compile with clang; no rule was run on one function: {dialect.beside} (line {line})"
    )
    assert RULE in problem["rules"]
    assert "mpi-late-sender" not in problem["rules"]  # seen in runs only


def test_functions_that_use_a_broken_declaration_are_broken(tmp_path: Path) -> None:
    walk = "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) a[(long)i * n + j] *= 2;"
    (tmp_path / "a.c").write_text(
        '#include "absent.h"\n'
        "struct box { unknown value; };\n"
        f"void one(double *a, int n, struct box *b) {{ b->value = 0; {walk} }}\n"
        f"void two(double *a, int n) {{ {walk} }}\n"
        f"void three(double *a, int n) {{ n = undeclared; {walk} }}\n"
    )
    status, found = lint(tmp_path, "a.c", "--", "-O2")
    assert status == 2
    (problem,) = found["problems"]
    assert problem["message"].endswith("no rule was run on 2 functions: one (line 3), three (line 5)")
    assert {f["function"] for f in found["findings"] if f["rule"] == RULE} == {"two"}


def test_rules_that_were_chosen_are_those_that_were_not_run(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(void) { return undeclared; }\n")
    status, found = lint(tmp_path, "a.c", "--rules", "mem-s*", "--", "-O2")
    assert status == 2
    assert found["problems"][0]["rules"] == ["mem-strided-inner-loop", "mem-struct-padding"]


def test_a_warning_option_of_the_user_counts(tmp_path: Path) -> None:
    """An error that a pragma of the source makes of a warning stops no analysis, and no option does."""
    (tmp_path / "a.c").write_text(
        '#pragma GCC diagnostic error "-Wunused-variable"\nint f(void) { int x; return g(); }\n'
    )
    for flags in ((), ("-Wno-implicit-function-declaration",), ("-Werror=implicit-function-declaration",)):
        status, found = lint(tmp_path, "a.c", "--", "-O2", *flags)
        assert (status, found["problems"]) == (0, [])
