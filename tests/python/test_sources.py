from __future__ import annotations

import os
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Finding, Location, Severity
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.sources import Project, Sources, find_project, from_here

TEXT = """#include <mpi.h>

static void f(int n) {
  for (int i = 0; i < n; i++) { // walk
    g(i, "a;b{", '\\'' /* why; */,
      2);
  }
  for (int i = 0; i < n; i++) { }
  err = MPI_Send(a, 1);  MPI_Send(a, 1);
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "a.c"
    path.write_text(TEXT)
    return str(path)


@pytest.mark.parametrize(
    ("line", "column", "statement"),
    [
        (4, 3, "for (int i = 0; i < n; i++) {"),
        (4, 0, "for (int i = 0; i < n; i++) {"),
        (5, 5, "g(i, \"a;b{\", '\\'' , 2);"),
        (9, 9, "MPI_Send(a, 1);"),
        (3, 0, "static void f(int n) {"),
        (99, 1, ""),
        (0, 0, ""),
        (-1, 0, ""),
    ],
)
def test_statements(source: str, line: int, column: int, statement: str) -> None:
    assert Sources().statement(source, line, column) == statement


def test_unreadable_files_have_no_lines(tmp_path: Path) -> None:
    sources = Sources()
    assert sources.line(str(tmp_path / "missing.c"), 1) is None
    assert sources.line(str(tmp_path), 1) is None
    assert sources.line("a\0b", 1) is None
    assert sources.statement(str(tmp_path / "missing.c"), 3, 1) == ""


def test_positions_of_offsets(source: str) -> None:
    sources = Sources()
    offset = TEXT.index("for")
    assert sources.position(source, offset) == (4, 3)
    assert sources.position(source, 0) == (1, 1)
    assert sources.position(source, len(TEXT) + 99) is None


def finding(file: str, line: int, column: int = 0, function: str = "f") -> Finding:
    return Finding(
        rule="mem-x",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        location=Location(file, line, column),
        function=function,
    )


def prints(root: Path, *findings: Finding) -> list[tuple[str, str]]:
    marked = with_fingerprints(findings, Project(root), Sources())
    return [(f.fingerprint, f.moved_fingerprint) for f in marked]


def test_fingerprints_survive_lines_blanks_and_comments(tmp_path: Path, source: str) -> None:
    before = prints(tmp_path, finding(source, 4))
    Path(source).write_text(
        "// new\n\n" + TEXT.replace("for (int i = 0; i < n; i++) { // walk", "for(int i = 0;  i < n; i++){")
    )
    after = prints(tmp_path, finding(source, 6))
    assert before != after, "a token boundary that vanished changes the text"
    Path(source).write_text("// new\n\n" + TEXT.replace("i++) { // walk", "/* x */  i++)   {"))
    assert prints(tmp_path, finding(source, 6)) == before


def test_equal_statements_are_told_apart_in_the_order_of_the_file(tmp_path: Path, source: str) -> None:
    first, second = prints(tmp_path, finding(source, 4), finding(source, 8))
    assert first != second
    assert prints(tmp_path, finding(source, 8), finding(source, 4)) == [second, first]


def test_moved_code_keeps_its_second_fingerprint(tmp_path: Path, source: str) -> None:
    other = tmp_path / "b.c"
    other.write_text(TEXT)
    here, there = prints(tmp_path, finding(source, 4))[0], prints(tmp_path, finding(str(other), 4, function="g"))[0]
    assert here[0] != there[0]
    assert here[1] == there[1]


def test_the_checkout_is_the_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "CMakeCache.txt").write_text("")
    project = find_project([tmp_path / "src" / "deep" / "a.c"], tmp_path / "build" / "compile_commands.json")
    assert project.root == tmp_path
    assert project.owns(str(tmp_path / "include" / "a.h"))
    assert project.owns(str(tmp_path / "src" / ".." / "a.c"))
    assert not project.owns(str(tmp_path / "build" / "generated.c"))
    assert not project.owns(str(tmp_path / "x" / "_deps" / "lib" / "a.c"))
    assert not project.owns("/usr/include/stdio.h")
    assert not project.owns(str(tmp_path) + "-other/a.c")


def test_a_build_in_the_source_tree_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "CMakeCache.txt").write_text("")
    project = find_project([tmp_path / "a.c"], tmp_path / "compile_commands.json")
    assert project.owns(str(tmp_path / "a.c"))
    assert not project.owns(str(tmp_path / "CMakeFiles" / "x" / "a.c"))


def test_without_a_checkout_build_files_show_the_way_up(tmp_path: Path) -> None:
    inner = tmp_path / "code" / "src"
    inner.mkdir(parents=True)
    for folder in (tmp_path / "code", inner):
        (folder / "Makefile").write_text("")
    assert find_project([inner / "a.c"]).root == tmp_path / "code"


def test_paths_outside_stay_absolute(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.relative(str(tmp_path / "a" / ".." / "b.c")) == "b.c"
    assert project.relative("/usr/include/x.h") == "/usr/include/x.h"
    assert os.fsencode(project.relative(str(tmp_path / os.fsdecode(b"\xff.c")))) == b"\xff.c"


def test_paths_as_commands_of_this_folder_take_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "project" / "sub").mkdir(parents=True)
    project = Project(tmp_path / "project")
    monkeypatch.chdir(project.root / "sub")
    assert from_here(project.root / "other" / "a.c", project) == "../other/a.c"
    assert from_here(project.root / "sub" / "x" / ".." / "a.c", project) == "a.c"
    assert from_here(tmp_path / "a.c", project) == str(tmp_path / "a.c")
    monkeypatch.chdir(tmp_path)
    assert from_here(project.root / "a.c", project) == "project/a.c"
    assert from_here(tmp_path / "b.c", project) == "b.c"


def test_builds_are_those_below_the_project(tmp_path: Path) -> None:
    (tmp_path / "p" / ".git").mkdir(parents=True)
    for name in ("p", "p/build", "elsewhere"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "CMakeCache.txt").write_text("")
    source, names = tmp_path / "p" / "a.c", ("p", "p/build", "elsewhere")
    found = [find_project([source], tmp_path / name / "db.json") for name in names]
    assert [project.builds for project in found] == [(), (tmp_path / "p" / "build",), ()]
