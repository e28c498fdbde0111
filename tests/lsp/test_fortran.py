"""Fortran in the editor: a unit with a module of another folder, unsaved text of both, and files without flang."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import Connect

from stridewise.lsp.lexer import lex_fortran
from stridewise.lsp.shift import shift

STRIDED = "mem-strided-inner-loop"
LANGUAGE = "FortranFreeForm"
BARRIER = "omp-barrier-in-loop"
GRID = """module grid
  implicit none
  integer, parameter :: n = 900
  real(8) :: field(n, n), next(n, n)
end module grid
"""
STEP = """subroutine step(count)
  use grid, only: field, next, n
  implicit none
  integer, intent(in) :: count
  integer :: i, j, k
  do k = 1, count
    do i = 1, n
      do j = 1, n
        next(i, j) = 0.5d0 * field(i, j) + k
      end do
    end do
  end do
end subroutine step
"""
LINE = 7  # of the loop over j, from 0
FIXED = """      subroutine fill(a, n)
      integer n, i, j
      double precision a(900,n)
      do i = 1, 900
        do j = 1, n
          a(i,j) = a(i,j) * 0.5d0
        end do
      end do
      end
"""

needs_flang = pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A unit whose module lies in another folder."""
    folder = tmp_path / "project"
    texts = {"common/grid.f90": GRID, "src/step.f90": STEP, "src/fill.f": FIXED}
    entries = []
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
        entries.append({"directory": str(folder), "file": name, "arguments": ["gfortran", "-O2", "-c", name]})
    (folder / "compile_commands.json").write_text(json.dumps(entries))
    return folder


@needs_flang
def test_diagnostics_with_a_module_of_another_folder(connect: Connect, project: Path) -> None:
    client = connect(project)
    client.start({"wholeProgram": False})
    uri = client.open(project / "src/step.f90", language=LANGUAGE)
    (found,) = client.diagnostics(uri)
    assert found["code"] == STRIDED
    assert found["range"]["start"] == {"line": LINE, "character": 6}
    assert "inner loop over 'j' steps 7200 bytes" in found["message"]
    assert client.hover(uri, LINE).startswith(f"**{STRIDED}**")
    assert client.stop() == 0


@needs_flang
def test_unsaved_text_counts(connect: Connect, project: Path) -> None:
    client = connect(project)
    client.start({"wholeProgram": False})
    file = project / "src/step.f90"
    uri = client.open(file, language=LANGUAGE)
    assert client.diagnostics(uri)
    mended = STEP.replace("do i = 1, n", "do COUNTER").replace("do j = 1, n", "do i = 1, n")
    client.change(uri, mended.replace("do COUNTER", "do j = 1, n"))
    assert client.diagnostics(uri) == []
    client.change(uri, "! a remark\n\n" + STEP)
    (found,) = client.diagnostics(uri)
    assert found["range"]["start"]["line"] == LINE + 2
    assert file.read_text() == STEP


@needs_flang
def test_unsaved_text_of_a_module_counts(connect: Connect, project: Path) -> None:
    client = connect(project)
    client.start({"wholeProgram": False})
    grid = client.open(project / "common/grid.f90", GRID.replace("900", "500"), language=LANGUAGE)
    client.diagnostics(grid)
    uri = client.open(project / "src/step.f90", language=LANGUAGE)
    (found,) = client.diagnostics(uri)
    assert "steps 4000 bytes" in found["message"]


@needs_flang
def test_text_that_does_not_compile(connect: Connect, project: Path) -> None:
    """The former findings stay, and the place of the error is named."""
    client = connect(project)
    client.start({"wholeProgram": False})
    uri = client.open(project / "src/step.f90", language=LANGUAGE)
    client.diagnostics(uri)
    client.change(uri, STEP.replace("integer :: i, j, k", "integer :: i, j, k, m = ("))
    found = client.until(uri, lambda some: any("flang cannot read it" in d["message"] for d in some))
    (said,) = [d for d in found if "flang cannot read it" in d["message"]]
    assert said["range"]["start"]["line"] == 4
    client.change(uri, STEP)
    (found,) = client.until(uri, lambda some: all("flang" not in d["message"] for d in some) and bool(some))
    assert found["code"] == STRIDED


@needs_flang
@pytest.mark.parametrize("name", ("src/step.f90", "src/fill.f"))
def test_suppressions_are_comments_of_fortran(connect: Connect, project: Path, name: str) -> None:
    client = connect(project)
    client.start({"wholeProgram": False})
    uri = client.open(project / name, language="fortran")
    (found,) = client.diagnostics(uri)
    line = found["range"]["start"]["line"]
    (action,) = [a for a in client.actions(uri, line) if a["title"].startswith("Suppress")]
    text = client.apply(uri, action["edit"])
    indentation = "      " if name.endswith("90") else ""
    assert f"\n{indentation}! NOLINTNEXTLINE(stridewise-{STRIDED}): reason\n" in text
    client.change(uri, text)
    assert client.diagnostics(uri) == []


def test_without_flang_the_author_is_told(connect: Connect, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRIDEWISE_FLANG", "")
    client = connect(project)
    client.start({"wholeProgram": False})
    uri = client.open(project / "src/step.f90", language=LANGUAGE)
    said = client.wait(lambda m: "flang 19" in str(m.get("params", {}).get("message", "")))
    assert "step.f90) is not read: that needs flang 19" in said["params"]["message"]
    assert client.diagnostics(uri) == []


def test_lines_are_words() -> None:
    old = b"      x = 1\n! a note\n      y = 2\n!$omp barrier\n"
    assert lex_fortran(old).words == (b"      x = 1", b"      y = 2", b"!$omp barrier")
    same = b"\n      x = 1   \n      y = 2\n\n! another note\n!$omp barrier\n"
    assert shift(old, same, "/p/a.f").same
    assert shift(old, same, "/p/a.f").line(3) == 3
    assert not shift(old, old.replace(b"barrier", b"flush"), "/p/a.f").same
    # What C takes for a comment joins characters in Fortran.
    assert not shift(b"s = a // b\n", b"s = a // c\n", "/p/a.f90").same
    # A comment that silences counts, as does its place.
    assert not shift(old, old.replace(b"a note", b"NOLINTNEXTLINE(stridewise-x)"), "/p/a.f").same
