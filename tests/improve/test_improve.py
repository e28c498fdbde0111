"""`stridewise improve` on whole programs: what it keeps, what it undoes, and that nothing is lost whatever happens."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stridewise.settings import toolchain

WRONG = int(os.environ.get("STRIDEWISE_WRONG_FIXES", "12"))
# Column by column through memory, compiled without optimisation, and a pause in each step.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { Rows = 1200, Columns = 1000 };

static void step(double *into, const double *from) {
  for (int j = 0; j < Columns; j++)
    for (int i = 0; i < Rows; i++)
      into[(size_t)i * Columns + j] += 0.5 * from[(size_t)i * Columns + j];
}

int main(void) {
  double *a = calloc((size_t)Rows * Columns, sizeof *a), *b = malloc((size_t)Rows * Columns * sizeof *b);
  if (!a || !b)
    return 1;
  for (int i = 0; i < Rows * Columns; i++)
    b[i] = i % 7;
  for (int n = 0; n < 6; n++) {
    step(a, b);
    usleep(20000);
  }
  double sum = 0;
  for (int i = 0; i < Rows * Columns; i++)
    sum += a[i];
  FILE *log = fopen("result.txt", "w");
  fprintf(log, "%.6f\\n", sum);
  fclose(log);
  FILE *counter = fopen("runs.txt", "a");
  fprintf(counter, "run\\n");
  fclose(counter);
  printf("sum %.6f, ended at %ld\\n", sum, (long)time(NULL));
  return 0;
}
"""
MAKEFILE = "CC = gcc\nCFLAGS = -g -std=gnu11\napp: app.c\n\t$(CC) $(CFLAGS) -o $@ app.c\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "app.c").write_text(PROGRAM)
    (folder / "Makefile").write_text(MAKEFILE)
    (folder / "runs.txt").write_text("")
    return folder


def improve(project: Path, *options: str, program: tuple[str, ...] = ("./app",)) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "stridewise", "improve", *options, "--", *program]
    return subprocess.run(
        words, cwd=project, capture_output=True, text=True, errors="replace", check=False, timeout=900
    )


def waterfall(project: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((project / "stridewise-improve" / "waterfall.json").read_text())
    return value


def state_of(project: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(project.iterdir()) if path.is_file()
    }


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_a_slow_program_becomes_fast(project: Path, tmp_path: Path) -> None:
    before = state_of(project)
    done = improve(project, "--round-seconds", "20")
    assert done.returncode == 0, done.stderr
    assert state_of(project) == before, "the original was written to"
    found = waterfall(project)
    kept = [step["rule"] for step in found["steps"] if step["kept"]]
    assert kept[0] == "build-unoptimised", done.stdout
    assert {"mem-strided-inner-loop", "run-sleep-in-loop"} <= set(kept), done.stdout
    assert found["gain"] > 1.5
    for step in found["steps"]:
        if step["kept"]:
            assert step["commit"] and step["why"] and step["interval"][0] <= step["gain"] <= step["interval"][1]
    assert found["ended"] == "nothing is left that can be tried"
    first_tree = project / "stridewise-improve" / "first"
    assert "usleep(20000)" not in (first_tree / "app.c").read_text(), "the tree that is named is not the last state"
    # The patches make the program of the last tree of the original.
    patches = sorted((project / "stridewise-improve" / "patches").iterdir())
    assert len(patches) == len(kept)
    other = tmp_path / "other"
    shutil.copytree(project, other, ignore=shutil.ignore_patterns("stridewise-improve"))
    git(other, "init", "-q")
    git(other, "add", "-A")
    git(other, "commit", "-q", "-m", "x")
    git(other, "am", "-q", *map(str, patches))
    subprocess.run(["make", "-s"], cwd=other, check=True)
    assert "usleep(20000)" not in (other / "app.c").read_text()
    assert "-O3" in (other / "Makefile").read_text()
    first = subprocess.run(["./app"], cwd=other, check=True, capture_output=True, text=True).stdout
    assert first.split(",")[0] == "sum 10799982.000000"
    page = (project / "stridewise-improve" / "waterfall.html").read_text()
    assert "http" not in page
    assert "compile with -O3" in page


def patches(folder: Path, project: Path, changes: dict[str, tuple[str, str]]) -> Path:
    """A folder of patches, each of one replacement in app.c."""
    folder.mkdir()
    work = folder.parent / "work"
    shutil.copytree(project, work)
    git(work, "init", "-q")
    git(work, "add", "-A")
    git(work, "commit", "-q", "-m", "x")
    for name, (old, new) in changes.items():
        text = (work / "app.c").read_text()
        assert old in text
        (work / "app.c").write_text(text.replace(old, new, 1))
        (folder / f"{name}.patch").write_text(git(work, "diff"))
        (work / "app.c").write_text(text)
    return folder


def test_wrong_changes_are_undone(project: Path, tmp_path: Path) -> None:
    """Faults of all sizes, put in as steps: none is kept."""
    chance = random.Random(1)
    places = ["0.5 * from", "j < Columns; j++", "i < Rows; i++", "+= 0.5", "b[i] = i % 7", "sum += a[i]", "n < 6"]
    wrong: dict[str, Callable[[], str]] = {
        "0.5 * from": lambda: f"{0.5 + chance.choice([-1, 1]) * 10 ** -chance.uniform(0.5, 5):.9f} * from",
        "j < Columns; j++": lambda: f"j < Columns - {chance.randint(1, 9)}; j++",
        "i < Rows; i++": lambda: f"i < Rows; i += {chance.randint(2, 4)}",
        "+= 0.5": lambda: "= 0.5",
        "b[i] = i % 7": lambda: f"b[i] = i % {chance.choice([5, 6, 8, 9])}",
        "sum += a[i]": lambda: "sum -= a[i]",
        "n < 6": lambda: f"n < {chance.choice([4, 5, 7])}",
    }
    changes = {f"{n:03}": (places[n % len(places)], wrong[places[n % len(places)]]()) for n in range(WRONG)}
    folder = patches(tmp_path / "patches", project, changes)
    done = improve(project, "--patches", str(folder), "--round-seconds", "1")
    assert done.returncode == 0, done.stderr
    steps = waterfall(project)["steps"]
    assert len(steps) == WRONG
    assert not [step for step in steps if step["kept"]]
    assert all("other results" in step["why"] for step in steps), steps


def test_somebodys_steps_are_measured(project: Path, tmp_path: Path) -> None:
    changes = {"1-no-pause": ("    usleep(20000);\n", ""), "2-broken": ("int main", "int main(")}
    done = improve(project, "--patches", str(patches(tmp_path / "patches", project, changes)), "--round-seconds", "10")
    assert done.returncode == 0, done.stderr
    first, second = waterfall(project)["steps"]
    assert first["kept"] and first["gain"] > 1.0
    assert not second["kept"] and "does not build" in second["why"]
    assert "1-no-pause.patch" in done.stdout


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('printf("sum %.6f', 'printf("sum %d %.6f', ""),
        ("return 0;\n}\n", "return 3;\n}\n", "exit status 3"),
        ("int main(void) {", "int main(void) {\n  this is no C;", "does not build"),
        ("int main(void) {", "int main(void) {\n  abort();", "exit status 134"),
    ],
)
def test_what_cannot_be_improved_is_said(project: Path, old: str, new: str, why: str) -> None:
    text = PROGRAM.replace(old, new)
    if not why:  # nothing comes again: the results are random
        text = PROGRAM.replace(
            'printf("sum %.6f, ended at %ld\\n", sum, (long)time(NULL));', 'printf("%p\\n", (void *)a);'
        ).replace('fprintf(log, "%.6f\\n", sum);', 'fprintf(log, "%p", (void *)a);')
        why = "give a check"
    (project / "app.c").write_text(text)
    done = improve(project)
    assert done.returncode == 2
    assert why in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert (project / "app.c").read_text() == text


def test_a_check_of_the_user_comes_first(project: Path) -> None:
    (project / "check.sh").write_text("#!/bin/sh\ngrep -q 10799982 result.txt\n")
    (project / "check.sh").chmod(0o755)
    builds = ("--build", "true", "--build", "make")  # the first one only prepares
    done = improve(project, *builds, "--check", "./check.sh", "--only", "build-unoptimised", "--round-seconds", "5")
    assert done.returncode == 0, done.stderr
    found = waterfall(project)
    assert found["check"] == "the check that was given"
    assert [step["title"] for step in found["steps"]] == ["compile with -O3", "compile with -march=native"]
    (project / "check.sh").write_text("#!/bin/sh\necho wrong sum\nexit 1\n")
    shutil.rmtree(project / "stridewise-improve")
    done = improve(project, "--check", "./check.sh")
    assert done.returncode == 2
    assert "the check ended with 1: wrong sum" in done.stderr


def test_a_killed_one_goes_on(project: Path) -> None:
    words = [sys.executable, "-m", "stridewise", "improve", "--portable", "--round-seconds", "5"]
    words += ["--only", "build-unoptimised"]
    words += ["--only", "run-sleep-in-loop", "--", "./app"]
    with (project.parent / "err").open("w+") as errors:
        process = subprocess.Popen(words, cwd=project, stdout=subprocess.DEVNULL, stderr=errors)
        end = time.monotonic() + 300
        while "kept: compile with -O3" not in (project.parent / "err").read_text():
            assert process.poll() is None and time.monotonic() < end, (project.parent / "err").read_text()
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "going on from" in done.stderr
    steps = waterfall(project)["steps"]
    assert [step["rule"] for step in steps if step["kept"]] == ["build-unoptimised", "run-sleep-in-loop"]


def test_another_improvement_is_not_mixed_in(project: Path) -> None:
    assert improve(project, "--steps", "0").returncode == 0
    done = improve(project, program=("./app", "other"))
    assert done.returncode == 2
    assert "holds another improvement" in done.stderr
    (project / "full").mkdir()
    (project / "full" / "file").write_text("precious")
    done = improve(project, "-o", "full")
    assert done.returncode == 2
    assert "is not empty" in done.stderr
    assert (project / "full" / "file").read_text() == "precious"


def test_where_nothing_can_be_written_it_is_said(project: Path) -> None:
    """As on a full disk: no file may grow beyond a few thousand bytes."""
    words = ["prlimit", "--fsize=6000", sys.executable, "-m", "stridewise", "improve", "--", "./app"]
    done = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    assert (project / "app.c").read_text() == PROGRAM


def test_in_a_repository_with_other_builds(project: Path) -> None:
    """The state of the work tree counts, with what was not committed; products of its own build are left behind."""
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "x")
    subprocess.run(["make", "-s"], cwd=project, check=True)
    (project / "app.c").write_text(PROGRAM.replace("n < 6", "n < 5"))
    before = git(project, "status", "--porcelain")
    done = improve(project, "--steps", "1", "--only", "build-unoptimised", "--round-seconds", "5")
    assert done.returncode == 0, done.stderr
    assert not (project / "stridewise-improve" / "second" / "app.o").exists()
    assert "n < 5" in (project / "stridewise-improve" / "first" / "app.c").read_text()
    assert git(project, "status", "--porcelain") == before


# Rows of a plate, of which the columns are contiguous.
FORTRAN = """
module plates
  implicit none
  integer, parameter :: n = 1200
contains
  subroutine step(new, old, rows, columns)
    integer, intent(in) :: rows, columns
    real(8), intent(out) :: new(rows, columns)
    real(8), intent(in) :: old(rows, columns)
    integer :: i, j
    do i = 2, rows - 1
      do j = 2, columns - 1
        new(i, j) = 0.25d0 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
      end do
    end do
  end subroutine step
end module plates

program heat
  use plates
  implicit none
  real(8), allocatable :: a(:, :), b(:, :)
  integer :: k
  allocate (a(n, n), b(n, n))
  a = 1.0d0
  b = 0.0d0
  a(1, :) = 2.0d0
  b(1, :) = 2.0d0
  do k = 1, 8
    call step(b, a, n, n)
    call step(a, b, n, n)
  end do
  print '(a, f20.6)', 'total ', sum(a)
end program heat
"""


@pytest.mark.skipif(toolchain.flang() is None or not shutil.which("gfortran"), reason="needs flang and gfortran")
def test_a_program_of_fortran_becomes_fast(tmp_path: Path) -> None:
    (tmp_path / "heat.f90").write_text(FORTRAN)
    (tmp_path / "Makefile").write_text("FC = gfortran\nFFLAGS = -O\nheat: heat.f90\n\t$(FC) $(FFLAGS) -o $@ heat.f90\n")
    done = improve(tmp_path, "--round-seconds", "10", program=("./heat",))
    assert done.returncode == 0, done.stderr
    tried = {step["title"] for step in waterfall(tmp_path)["steps"]}
    assert {"compile with -O3", "exchange the loops over 'i' and 'j'"} <= tried, done.stdout
    assert waterfall(tmp_path)["gain"] > 1.2, done.stdout
    kept = (tmp_path / "stridewise-improve" / "first" / "heat.f90").read_text()
    assert "do j = 2, columns - 1\n      do i = 2, rows - 1\n" in kept, done.stdout
