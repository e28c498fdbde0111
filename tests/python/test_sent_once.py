"""Messages from rank to rank that a program sends once are of low confidence; those of its steps are not."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise"

PARAMETERS = """
#include <mpi.h>
void hand_out(int *parameters, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    for (int p = 1; p < size; p++)
      MPI_Send(parameters, n, MPI_INT, p, 1, MPI_COMM_WORLD);
  else
    MPI_Recv(parameters, n, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
"""
MAIN = """
#include <mpi.h>
void hand_out(int *parameters, int n);
void step(int *parameters);
int main(int argc, char **argv) {
  int parameters[2] = {argc, 10};
  MPI_Init(&argc, &argv);
  hand_out(parameters, 2);
  for (int k = 0; k < parameters[1]; k++)
    step(parameters);
  MPI_Finalize();
  return 0;
}
"""
STEP = """
#include <mpi.h>
void step(int *parameters) { MPI_Allreduce(MPI_IN_PLACE, parameters, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD); }
"""
OUTPUT = """
#include <mpi.h>
#include <stdio.h>
void hand_out(int *rows, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  FILE *out = rank == 0 ? fopen("rows", "wb") : NULL;
  for (int k = 0; k < 4; k++)
    if (rank == 0)
      for (int p = 1; p < size; p++) {
        MPI_Recv(rows, n, MPI_INT, p, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        fwrite(rows, sizeof *rows, n, out);
      }
    else
      MPI_Send(rows, n, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0)
    fclose(out);
}
"""
CHAIN = """
#include <mpi.h>
void hand_out(int *numbers, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int to = rank < size - 1 ? rank + 1 : MPI_PROC_NULL, from = rank > 0 ? rank - 1 : MPI_PROC_NULL, got[2];
  MPI_Send(numbers, n, MPI_INT, to, 1, MPI_COMM_WORLD);
  MPI_Recv(got, n, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  numbers[1] += got[1];
}
"""
LOOP = "    for (int p = 1; p < size; p++)\n"


def confidence(
    folder: Path, main: str, parameters: str = PARAMETERS, step: str = STEP, rule: str = "mpi-handmade-collective"
) -> tuple[str, str]:
    """Of the one loop over the ranks, and what is noted with it."""
    files = {"main.c": main, "parameters.c": parameters, "step.c": step}
    for name, text in files.items():
        (folder / name).write_text(text)
    commands = [{"directory": str(folder), "file": name, "arguments": ["mpicc", "-O2", "-c", name]} for name in files]
    (folder / "compile_commands.json").write_text(json.dumps(commands))
    (folder / ".git").mkdir()
    rules = f"{rule},build-missed-vectorization"
    call: list[str | Path] = [LAUNCHER, "lint", "--all", "--rules", rules, "--format", "json"]
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    (found,) = (f for f in json.loads(done.stdout)["findings"] if f["rule"] == rule)
    return found["confidence"], found["evidence"][0].get("note", "")


def test_told_once(tmp_path: Path) -> None:
    assert confidence(tmp_path, MAIN) == ("low", "the program comes by here once")


@pytest.mark.parametrize(
    ("once", "instead"),
    [
        ("    step(parameters);", "    hand_out(parameters, 2);"),  # in each step
        (
            "  hand_out(parameters, 2);",
            "  void (*f)(int *, int) = hand_out;\n  f(parameters, 2);",
        ),  # nobody knows how often
    ],
)
def test_told_again(tmp_path: Path, once: str, instead: str) -> None:
    assert once in MAIN
    assert confidence(tmp_path, MAIN.replace(once, instead)) == ("high", "")


def test_a_loop_around_the_ranks(tmp_path: Path) -> None:
    again = PARAMETERS.replace(LOOP, "    for (int k = 0; k < n; k++)\n" + LOOP)
    assert confidence(tmp_path, MAIN, again)[0] != "low"


def test_nothing_else_is_sent(tmp_path: Path) -> None:
    """What deals out the data of a program of one step is all that it communicates."""
    assert confidence(tmp_path, MAIN, step="void step(int *parameters) { parameters[0]++; }\n")[0] == "high"


@pytest.mark.parametrize(
    ("step", "expected"),
    [(STEP, "low"), ("void step(int *parameters) { parameters[0]++; }\n", "high")],
)
def test_a_chain(tmp_path: Path, step: str, expected: str) -> None:
    """A chain that is passed once counts where a program communicates by it alone."""
    assert confidence(tmp_path, MAIN, CHAIN, step, rule="mpi-send-recv-chain")[0] == expected


def test_one_output_in_parts(tmp_path: Path) -> None:
    assert confidence(tmp_path, MAIN, OUTPUT, rule="mpi-serial-io") == ("low", "the program comes by here once")


def test_output_of_each_step(tmp_path: Path) -> None:
    again = MAIN.replace("    step(parameters);", "    hand_out(parameters, 2);")
    assert confidence(tmp_path, again, OUTPUT, rule="mpi-serial-io") == ("high", "")
