"""Runs under batch systems: what each launcher must be told to pass on (docs/howto/slurm.md, mpi-libraries.md)."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from conftest import BUILD, Tool

from mpi_launch import LAUNCH
from stridewise.collect import launcher, mpi_of_program
from stridewise.runs.kinds import exporting

Write = Callable[[Path, Mapping[str, str]], Path]
NAMES = ("LD_PRELOAD", "STRIDEWISE_OUT")
VALUES = {"LD_PRELOAD": "/x/lib.so", "STRIDEWISE_OUT": "/run", "HOME": "/home/me"}

# As srun does it: the environment by --export (else SLURM_EXPORT_ENV, else all of it); the processes are mpirun's.
SRUN = """#!{python}
import os, sys
words = sys.argv[1:]
export, ranks, program = os.environ.get("SLURM_EXPORT_ENV", "ALL"), "1", []
while words:
    word = words.pop(0)
    if word.startswith("--export="):
        export = word.partition("=")[2]
    elif word == "--export":
        export = words.pop(0)
    elif word == "-n":
        ranks = words.pop(0)
    elif word.startswith("--ntasks="):
        ranks = word.partition("=")[2]
    elif not word.startswith("-"):
        program = [word, *words]
        break
names = export.split(",")
always = ("PATH", "HOME")  # mpirun's own needs
passed = {{k: v for k, v in os.environ.items() if "ALL" in names or k in names or k in always or k.startswith("OMPI_")}}
passed |= dict(name.split("=", 1) for name in names if "=" in name)
passed = {{k: v for k, v in passed.items() if not k.startswith("SLURM_")}}
launch = {launch}
os.execvpe(launch[0], [*launch, program[0], *program[1:]], passed)
"""
PROGRAM = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 10; i++)
    MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%d ranks, secret %s\\n", size, getenv("SECRET") ? getenv("SECRET") : "unset");
  MPI_Finalize();
}
"""


def forwarded(*command: str) -> str:
    return " ".join(exporting(command, launcher.parse(command, {}), NAMES, VALUES))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("srun -n 4 ./app", "srun -n 4 ./app"),
        ("srun --export=ALL -n 4 ./app", "srun --export=ALL -n 4 ./app"),
        ("srun --export=ALL,A=1 ./app", "srun --export=ALL,A=1 ./app"),
        ("srun --export=NONE ./app", "srun --export=LD_PRELOAD,STRIDEWISE_OUT ./app"),
        ("srun --export A,LD_PRELOAD ./app", "srun --export A,LD_PRELOAD,STRIDEWISE_OUT ./app"),
        ("srun ./app --export=NONE", "srun ./app --export=NONE"),
        ("aprun -n 4 -N 2 ./app", "aprun -n 4 -N 2 ./app"),
        ("mpiexec.hydra -n 2 ./app", "mpiexec.hydra -n 2 ./app"),
        (
            "mpiexec.hydra -genvnone -n 2 ./app -genvlist",
            "mpiexec.hydra -genvnone -n 2 env LD_PRELOAD=/x/lib.so STRIDEWISE_OUT=/run ./app -genvlist",
        ),
        (
            "mpiexec.hydra -envlist HOME -n 1 ./a : -n 1 ./b",
            "mpiexec.hydra -envlist HOME -n 1 env LD_PRELOAD=/x/lib.so STRIDEWISE_OUT=/run ./a "
            ": -n 1 env LD_PRELOAD=/x/lib.so STRIDEWISE_OUT=/run ./b",
        ),
        ("prterun --map-by ppr:2:node ./app", "prterun --map-by ppr:2:node ./app"),
        ("prterun --host a,b ./app", "prterun -x LD_PRELOAD -x STRIDEWISE_OUT --host a,b ./app"),
        (
            "mpirun.openmpi --host a -x LD_PRELOAD ./app",
            "mpirun.openmpi -x STRIDEWISE_OUT --host a -x LD_PRELOAD ./app",
        ),
    ],
)
def test_what_is_passed_on(command: str, expected: str) -> None:
    assert forwarded(*command.split()) == expected


def test_a_job_that_was_submitted_without_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_EXPORT_ENV", "NONE")
    assert forwarded("srun", "-n", "4", "./app") == "srun --export=LD_PRELOAD,STRIDEWISE_OUT -n 4 ./app"
    monkeypatch.setenv("SLURM_EXPORT_ENV", "ALL")
    assert forwarded("srun", "./app") == "srun ./app"


@pytest.mark.parametrize(
    ("command", "program", "family"),
    [
        ("srun -N 2 --ntasks-per-node=4 --cpu-bind=cores ./app -n 3", "./app", "slurm"),
        ("srun --mpi=pmix -n 4 -c 2 --hint=nomultithread ./app", "./app", "slurm"),
        ("srun -p debug -t 5 -A me --gpus-per-task 1 env A=b ./app", "./app", "slurm"),
        ("aprun -n 64 -N 32 -d 2 -cc depth ./app in", "./app", "other"),
        ("jsrun -n 6 -a 1 -c 7 --bind packed:7 ./app", "./app", "other"),
        ("ibrun -n 4 -o 0 ./app", "./app", "other"),
        ("time -p srun -n 2 ./app", "./app", "slurm"),
    ],
)
def test_where_the_program_is(command: str, program: str, family: str) -> None:
    words = command.split()
    launch = launcher.parse(words, {})
    assert (launch.family, [words[position] for position in launch.programs]) == (family, [program])


@pytest.fixture
def cluster(tmp_path: Path, write: Write) -> Path:
    """A folder with a program, and a bin/ with a stand-in for srun."""
    text = SRUN.format(python=sys.executable, launch='["mpirun", "-n", ranks]')
    root = write(tmp_path / "job", {"bin/srun": text, "app.c": PROGRAM})
    subprocess.run(["mpicc", "-O1", "-g", "app.c", "-o", "app"], cwd=root, check=True)
    return root


@pytest.mark.parametrize(
    ("words", "env", "secret"),
    [
        (["srun", "-n", "2", "./app"], {}, "kept"),
        (["srun", "--export=NONE", "-n", "2", "./app"], {}, "unset"),
        (["srun", "--ntasks=2", "./app"], {"SLURM_EXPORT_ENV": "NONE"}, "unset"),
        (["sh", "./job.sh"], {}, "kept"),
    ],
    ids=["plain", "export none", "submitted without environment", "script"],
)
def test_srun(tool: Tool, cluster: Path, words: list[str], env: dict[str, str], secret: str) -> None:
    (cluster / "job.sh").write_text("srun -n 2 ./app\n")
    environment = {"PATH": f"{cluster}/bin:{_path()}", "SECRET": "kept", "SLURM_JOB_NODELIST": "n[1-2]", **env}
    done = tool("run", "-o", "out", "--", *words, cwd=cluster, env=environment)
    assert done.status == 0, done.said
    assert f"2 ranks, secret {secret}" in done.out
    assert "· 2 ranks, Open MPI" in done.out


def test_the_recipe_without_the_command(tool: Tool, cluster: Path) -> None:
    """A job script that sets LD_PRELOAD by srun's --export alone; the report is made afterwards."""
    library = BUILD / "lib" / "openmpi" / "libstridewise_mpi.so"
    script = f"export STRIDEWISE_OUT=$PWD/recorded\nsrun --export=ALL,LD_PRELOAD={library} -n 2 ./app\n"
    done = subprocess.run(
        ["sh", "-ec", script],
        cwd=cluster,
        env={"PATH": f"{cluster}/bin:{_path()}", "HOME": str(cluster), **LAUNCH},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert len(list((cluster / "recorded" / "mpi").glob("shard.*"))) == 2
    report = tool("report", "recorded", "--format", "json", cwd=cluster)
    assert report.status == 0, report.said
    assert len(json.loads(report.out)["runs"]) == 1


def test_processes_that_do_not_find_each_other(tool: Tool, cluster: Path, write: Write) -> None:
    """srun without the plugin that the MPI needs, or another MPI's mpirun: each process is a job of one rank."""
    alone = SRUN.format(python=sys.executable, launch='["sh", "-c", "$0 & $0 & wait"]')
    write(cluster, {"bin/srun": alone})
    environment = {"PATH": f"{cluster}/bin:{_path()}"}
    done = tool("run", "-o", "out", "--", "srun", "-n", "2", "./app", cwd=cluster, env=environment)
    assert done.out.count("1 ranks, secret") == 2
    assert "each of the 2 processes was an MPI job of one rank" in done.said
    assert "srun --mpi=TYPE" in done.said


def _path() -> str:
    return ":".join(dict.fromkeys([str(Path(str(shutil.which("mpirun"))).parent), "/usr/bin", "/bin"]))


@pytest.mark.parametrize(
    ("version", "family"),
    [
        ("mpirun (Open MPI) 5.0.3\n\nReport bugs to https://www.open-mpi.org/community/help/", "openmpi"),
        ("prterun (PRRTE) 3.0.5", "openmpi"),
        ("mpirun (Open MPI) 4.1.4", "openmpi"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.11 Build 20231005\nCopyright Intel", "hydra"),
        ("HYDRA build details:\n    Version:                                 4.1.2", "hydra"),
    ],
)
def test_the_mpirun_of_a_module(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch, version: str, family: str
) -> None:
    """By what it says of itself; Open MPI 5 is launched by PRRTE, whose options differ."""
    write(tmp_path, {"bin/mpirun": f"#!/bin/sh\ncat <<'END'\n{version}\nEND\n"})
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{_path()}")
    command = "mpirun -np 4 --host a,b ./app -x 1".split()
    if "5.0" in version or "PRRTE" in version:
        command = (
            "mpirun -np 4 --host a,b --map-by ppr:2:node:PE=4 --bind-to core --display map --output tag,merge "
            "--prtemca rmaps_base_verbose 5 --pmixmca gds hash --mca pml ob1 --runtime-options no-abort ./app -x 1"
        ).split()
    launch = launcher.parse(command, {})
    assert (launch.family, [command[position] for position in launch.programs]) == (family, ["./app"])
    passed = exporting(command, launch, NAMES, VALUES)
    assert ("-x LD_PRELOAD" in " ".join(passed)) is (family == "openmpi")


def test_an_mpi_with_the_interface_of_mpich(tool: Tool, tmp_path: Path, write: Write) -> None:
    """Intel MPI, MVAPICH and Cray MPICH are libmpi.so.12: here MPICH's library under that name."""
    root = write(tmp_path / "job", {"app.c": PROGRAM})
    subprocess.run(["mpicc.mpich", "-g", f"-Wl,-rpath,{root}", "app.c", "-o", "app"], cwd=root, check=True)
    listed = subprocess.run(["ldd", "app"], cwd=root, check=True, capture_output=True, text=True).stdout
    name, library = next((words[0], words[2]) for line in listed.splitlines() if "mpich" in (words := line.split())[0])
    (root / "libmpi.so.12").symlink_to(library)
    program = (root / "app").read_bytes()
    renamed = b"libmpi.so.12".ljust(len(name) + 1, b"\0")
    (root / "app").write_bytes(program.replace(name.encode() + b"\0", renamed))
    assert mpi_of_program.library_flavour(root / "app") == "mpich"
    done = tool("run", "-o", "out", "--", "mpiexec.hydra", "-genvnone", "-n", "2", "./app", cwd=root)
    assert done.status == 0, done.said
    assert "· 2 ranks, MPICH" in done.out, done.said
