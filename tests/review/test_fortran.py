"""Changes of Fortran files: what they bring and mend, with modules of other files, and what was there before."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Reviewer, places
from lbm_request import Project, new_project

STRIDED = "mem-strided-inner-loop"
GRID = """module grid
  implicit none
  integer, parameter :: n = 900
  real(8) :: field(n, n), next(n, n)
end module grid
"""
GOOD, BAD = "    do j = 1, n\n      do i = 1, n\n", "    do i = 1, n\n      do j = 1, n\n"
STEP = """subroutine {name}(count)
  use grid, only: field, next, n
  implicit none
  integer, intent(in) :: count
  integer :: i, j, k
  do k = 1, count
{loops}        next(i, j) = 0.5d0 * field(i, j) + k
      end do
    end do
  end do
end subroutine {name}
"""

pytestmark = pytest.mark.skipif(not shutil.which("flang-new-19"), reason="needs flang")


@dataclass
class FortranProject(Project):
    def write_database(self) -> None:
        names = [str(file.relative_to(self.root)) for file in sorted(self.root.glob("*/*.f90"))]
        words = ["gfortran", "-O2", "-c"]
        entries = [{"directory": str(self.root), "file": name, "arguments": [*words, name]} for name in names]
        (self.root / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> FortranProject:
    """One unit in the right order, one in the wrong one, on the branch main."""
    made = FortranProject(new_project(tmp_path / "project").root)
    made.write("common/grid.f90", GRID)
    made.write("src/step.f90", STEP.format(name="step", loops=GOOD))
    made.write("src/old.f90", STEP.format(name="old", loops=BAD))
    made.commit("main")
    made.git("switch", "--quiet", "-c", "change")
    return made


def test_a_change_that_makes_an_order_wrong(project: FortranProject, reviewer: Reviewer) -> None:
    project.edit("src/step.f90", GOOD, BAD)
    project.commit("swapped")
    plan = reviewer.plan(project, "--base", "main")
    assert places(plan.comments) == {(STRIDED, "src/step.f90", 7)}  # of both headers, which its fix exchanges
    assert not plan.unplaced and not plan.resolved and not plan.problems


def test_what_was_there_before_is_not_the_changes(project: FortranProject, reviewer: Reviewer) -> None:
    project.edit("src/old.f90", "0.5d0", "0.25d0")
    project.commit("number")
    plan = reviewer.plan(project, "--base", "main")
    assert not plan.comments and not plan.unplaced and not plan.resolved and not plan.problems


def test_a_change_that_mends_one(project: FortranProject, reviewer: Reviewer) -> None:
    project.edit("src/old.f90", BAD, GOOD)
    project.commit("mended")
    plan = reviewer.plan(project, "--base", "main")
    assert not plan.comments and not plan.unplaced and not plan.problems
    assert [(f.rule, f.location.file) for f in plan.resolved] == [(STRIDED, "src/old.f90")]


def test_a_module_that_grows_with_the_change(project: FortranProject, reviewer: Reviewer) -> None:
    """The base's unit is read with the base's module, which lacks what the new text uses."""
    project.edit("common/grid.f90", "next(n, n)", "next(n, n), old(n, n)")
    project.edit("src/step.f90", "only: field,", "only: old, field,")
    project.edit("src/step.f90", GOOD, BAD)
    project.edit("src/step.f90", "0.5d0 * field(i, j)", "0.5d0 * old(i, j)")
    project.commit("grown")
    plan = reviewer.plan(project, "--base", "main")
    assert places(plan.comments) == {(STRIDED, "src/step.f90", 7)}  # of both headers, which its fix exchanges
    assert not plan.problems
