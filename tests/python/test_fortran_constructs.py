"""OpenMP in Fortran by the text: constructs with their clauses and what they hold, procedures and what they call."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from stridewise.settings import toolchain

FREE = """\
module work
  implicit none
  real(8) :: a(10), b(10), total
  integer :: hits
  !$omp threadprivate(hits)
contains
  subroutine run(n)
    integer, intent(in) :: n
    integer :: i, j
    !$omp parallel default(shared) &
    !$omp   private(i, j) &
    !$omp & firstprivate(total)
    !$omp do schedule(static, 4) reduction(+ : total)
    do i = 1, n
      total = total + a(i)
    end do
    !$omp enddo nowait
    !$omp single
    a(1) = 0
    !$omp end single copyprivate(j)
    !$omp barrier
    !$omp critical (sums)
    b(1) = b(1) + 1
    !$omp end critical (sums)
    !$omp atomic capture
    i = hits
    hits = hits + 1
    !$omp end atomic
    !$omp sections
    !$omp section
    a(2) = 1
    !$omp section
    a(3) = 1
    !$omp end sections
    !$omp end parallel
    !$omp paralleldo collapse(2)
    do 10 i = 1, n
    do 10 j = 1, n
    a(i) = b(j)
10  continue
    !$omp parallel do ! no end of its own
    do i = 1, n
      a(i) = 1
    end do
    a(5) = 2
  end subroutine run
end module work
"""
CONSTRUCTS = """\
threadprivate, line 5
  (hits)
parallel, line 10 to 35
  default(shared)
  private(i,j)
  firstprivate(total)
do, line 13 to 17, in parallel of line 10
  schedule(static,4)
  reduction(+:total)
  nowait()
single, line 18 to 20, in parallel of line 10
  copyprivate(j)
barrier, line 21, in parallel of line 10
critical, line 22 to 24, in parallel of line 10
  (sums)
atomic, line 25 to 28, in parallel of line 10
  capture()
sections, line 29 to 34, in parallel of line 10
section, line 30 to 30, in sections of line 29
section, line 32 to 32, in sections of line 29
parallel do, line 36 to 40
  collapse(2)
parallel do, line 41 to 44
"""
FIXED = """\
      subroutine run(a, n)
      integer n, i
      real a(n), s
c$omp parallel do private(i)
c$omp&            reduction(+:s)
      do 20 i = 1, n
         s = s + a(i)
   20 continue
!$omp parallel
!$omp do schedule(
!$omp1dynamic)
      do i = 1, n
         a(i) = s
      end do
*$omp end do nowait
!$omp end parallel
      end
"""
CONSTRUCTS_OF_FIXED = """\
parallel do, line 4 to 8
  private(i)
  reduction(+:s)
parallel, line 9 to 16
do, line 10 to 15, in parallel of line 9
  schedule(dynamic)
  nowait()
"""


def dumped(source: Path, folder: Path, *options: str) -> str:
    """The analyser's view of the file, without what it estimates."""
    flang = toolchain.flang()
    assert flang is not None
    code = folder / "unit.bc"
    command = [flang, "-fc1", "-emit-llvm-bc", "-o", str(code), str(source)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    command = [str(toolchain.analyzer()), f"--bitcode={code}", *options, "--dump", "regions", str(source)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "".join(line for line in said.splitlines(keepends=True) if "iterations of" not in line)


@pytest.mark.parametrize(("name", "text", "wanted"), [("a.f90", FREE, CONSTRUCTS), ("a.f", FIXED, CONSTRUCTS_OF_FIXED)])
def test_constructs(tmp_path: Path, name: str, text: str, wanted: str) -> None:
    source = tmp_path / name
    source.write_text(text)
    assert dumped(source, tmp_path) == wanted


def test_calls_of_all_files(tmp_path: Path) -> None:
    """Who calls whom, in how many loops, again and again for the same data, now and then; what is handed over."""
    source = tmp_path / "main.f90"
    source.write_text(
        """\
program main
  implicit none
  integer :: step, k
  real(8) :: a(10)
  external :: start, advance, part, report, hook, sweep
  call start(a)
  do step = 1, 100
    call advance(a)
    do k = 1, 10
      call part(a(k))
    end do
    if (mod(step, 10) == 0) call report(a)
  end do
  call sweep(hook)
end program main
"""
    )
    flang = toolchain.flang()
    assert flang is not None
    code = tmp_path / "unit.bc"
    words = ["-fc1", "-O2", "-mllvm", "-opt-bisect-limit=0", "-debug-info-kind=standalone", "-emit-llvm-bc"]
    subprocess.run([flang, *words, "-o", str(code), str(source)], check=True, cwd=tmp_path, capture_output=True)
    command = [str(toolchain.analyzer()), f"--bitcode={code}", str(source)]
    said = subprocess.run(command, check=True, capture_output=True).stdout
    edges = {tuple(edge) for edge in json.loads(said)["summaries"]["build-missed-vectorization"]["calls"]}
    assert edges == {
        ("start_", "main", 0),
        ("advance_", "main", 1),
        ("advance_", "", 0),
        ("advance_", "@", 0),
        ("part_", "main", 2),
        ("part_", "", 0),
        ("report_", "main", 0),
        ("report_", "%", 0),
        ("sweep_", "main", 0),
        ("hook_", "*", 0),
    }
