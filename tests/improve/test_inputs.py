"""Other inputs: how they are given, and that a change that is wrong for one of them is undone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from stridewise.errors import Failure
from stridewise.improve import inputs

RUN = ("mpirun", "-n", "4", "./app", "-n", "7")


def test_ranks_are_those_of_the_launcher(tmp_path: Path) -> None:
    two, six = inputs.given(RUN, ["ranks=2,6"], [], tmp_path)
    assert two.run == ("mpirun", "-n", "2", "./app", "-n", "7")
    assert six.run[2] == "6" and six.title == "ranks=6"
    (one,) = inputs.given(("srun", "--ntasks=4", "./app"), ["ranks=9"], [], tmp_path)
    assert one.run == ("srun", "--ntasks=9", "./app")


def test_environment_and_whole_commands(tmp_path: Path) -> None:
    one, other = inputs.given(RUN, ["OMP_NUM_THREADS=3"], ["./app 'a b'"], tmp_path)
    assert (one.run, one.environment) == (RUN, {"OMP_NUM_THREADS": "3"})
    assert other.run == ("./app", "a b")


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ("height = 5\nwidth = 800\n", "width", "height = 5\nwidth = 7\n"),
        ("width: 800 # of it\nhalf_width: 4\n", "width", "width: 7 # of it\nhalf_width: 4\n"),
        ('{"width": 800, "a": 1}', "width", '{"width": 7, "a": 1}'),
        ("width 800\nwidths 3\n", "width", "width 7\nwidths 3\n"),
        ("-width=800", "-width", "-width=7"),
    ],
)
def test_a_value_of_a_file(tmp_path: Path, text: str, key: str, expected: str) -> None:
    (tmp_path / "run.cfg").write_text(text)
    (one,) = inputs.given(RUN, [f"run.cfg:{key}=7"], [], tmp_path)
    one.prepare(tmp_path)
    assert (tmp_path / "run.cfg").read_text() == expected


def titles(run: str, here: Path) -> list[list[str]]:
    return [[one.title for one in group] for group in inputs.proposed(tuple(run.split()), here)]


def test_what_is_proposed(tmp_path: Path) -> None:
    (tmp_path / "run.cfg").write_text("width = 800 # cells\nsteps: 9\nratio = 0.5\ndepth = 3\nname = a10\nheight 70\n")
    (tmp_path / "twice.cfg").write_text("width = 800\nwidth = 9\n")
    assert titles("mpirun -n 4 ./app -s 50 3 run.cfg 0.5", tmp_path) == [
        ["ranks=6", "ranks=2"],
        ["argument 2 = 25"],
        ["run.cfg:width=400"],
        ["run.cfg:steps=4"],
        ["run.cfg:height=35"],
    ]
    assert titles("mpirun -n 1 ./app twice.cfg ../run.cfg absent -v", tmp_path) == [["ranks=2"]]
    assert titles("./app 7", tmp_path) == [["argument 1 = 3"]]
    assert titles("mpirun -n 2 ./app", tmp_path) == [["ranks=3", "ranks=1"]]


@pytest.mark.parametrize(
    ("run", "vary", "why"),
    [
        (RUN, "ranks", "give NAME=VALUE"),
        (RUN, "ranks=2,,3", "give NAME=VALUE"),
        (("./app", "-n", "4"), "ranks=2", "names no number of ranks"),
        (RUN, "run.cfg:depth=1", "has no value of 'depth'"),
        (RUN, "run.cfg:twice=1", "has 2 values of 'twice'"),
        (RUN, "absent.cfg:width=1", "cannot read absent.cfg: No such file"),
        (RUN, "../run.cfg:width=1", "is not below"),
    ],
)
def test_what_cannot_be_varied_says_why(tmp_path: Path, run: tuple[str, ...], vary: str, why: str) -> None:
    (tmp_path / "run.cfg").write_text("width = 800\ntwice = 1\ntwice = 2\n")
    with pytest.raises(Failure, match=why):
        inputs.given(run, [vary], [], tmp_path)


PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  FILE *file = fopen("run.cfg", "r");
  int n = 0;
  if (!file || fscanf(file, "n = %d", &n) != 1 || n > 500)
    return 3;
  fclose(file);
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += 1.5 * i;
  printf("%g\\n", sum + (getenv("SHIFT") ? atoi(getenv("SHIFT")) : 0));
  return 0;
}
"""


def project_with_patches(tmp_path: Path, changes: Sequence[tuple[str, str]]) -> tuple[Path, Path]:
    project, patches = tmp_path / "project", tmp_path / "patches"
    project.mkdir()
    patches.mkdir()
    (project / "app.c").write_text(PROGRAM)
    (project / "run.cfg").write_text("n = 100\n")
    (project / "Makefile").write_text("app: app.c\n\tcc -O2 -o app app.c\n")
    (project / "b").mkdir()
    for number, (old, new) in enumerate(changes):
        (project / "b" / "app.c").write_text(PROGRAM.replace(old, new))
        words = ["git", "diff", "--no-index", "app.c", "b/app.c"]
        text = subprocess.run(words, cwd=project, capture_output=True, text=True, check=False).stdout
        (patches / f"{number}.patch").write_text(text.replace("b/b/app.c", "b/app.c"))
    return project, patches


def test_a_change_that_is_wrong_elsewhere_is_undone(tmp_path: Path) -> None:
    changes = [("i < n", "i < 100"), ('atoi(getenv("SHIFT"))', "1"), ("1.5 * i", "i * 1.5")]
    project, patches = project_with_patches(tmp_path, changes)
    command = [sys.executable, "-m", "stridewise", "improve", "--patches", str(patches), "--round-seconds", "1"]
    command += ["--vary", "run.cfg:n=100,60,900", "--vary", "SHIFT=2", "--", "./app"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads((project / "stridewise-improve" / "waterfall.json").read_text())
    assert found["inputs"] == ["n=100", "n=60", "SHIFT=2"]
    assert "n=900 is not compared: the original ends with exit status 3 there" in found["notes"]
    wrong, shifted, right = found["steps"]
    assert "other results with n=60: standard output says 7425 where it said 2655" in wrong["why"]
    assert "with SHIFT=2: standard output says 7426 where it said 7427" in shifted["why"]
    assert right["kept"], right["why"]
    assert (
        (project / "run.cfg").read_text() == (project / "stridewise-improve/first/run.cfg").read_text() == "n = 100\n"
    )
    assert "also with n=100, n=60, SHIFT=2" in done.stdout


@pytest.mark.parametrize("options", [[], ["--no-vary"]])
def test_what_nobody_named_is_compared_too(tmp_path: Path, options: list[str]) -> None:
    project, patches = project_with_patches(tmp_path, [("i < n", "i < 100")])
    command = [sys.executable, "-m", "stridewise", "improve", "--patches", str(patches), "--round-seconds", "1"]
    command += [*options, "--", "./app", "run.cfg"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads((project / "stridewise-improve" / "waterfall.json").read_text())
    (step,) = found["steps"]
    assert step["kept"] is bool(options)
    if not options:
        assert "results must stay the same with run.cfg:n=50, too" in done.stderr
        assert found["inputs"] == ["run.cfg:n=50"]
        assert "other results with run.cfg:n=50: standard output says 7425 where it said 1837.5" in step["why"]
