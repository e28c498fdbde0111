"""The table of MPI calls and its generator."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import generate
import pytest
from shards import REPOSITORY

TABLE = REPOSITORY / "pmpi_wrappers" / "mpi_calls.toml"
ROW = """
[[call]]
name = "MPI_Send"
parameters = "const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm"
roles = "buffer count type peer tag comm"
traits = ["send"]
kind = "send"
index = 0
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("int count,", "", "5 parameters but 6 roles"),
        ("count type", "tally type", "unknown role 'tally'"),
        ("count type peer", "count peer type", "cannot have the role 'peer'"),
        ("count type peer tag", "count type peer peer", "two parameters have the role 'peer'"),
        ('["send"]', '["sends"]', "unknown trait 'sends'"),
        ("tag comm", "- comm", "needs a parameter with the role 'tag'"),
        ('kind = "send"', 'kind = "sending"', "unknown kind 'sending'"),
        ("index = 0", "index = 1", "leaves a gap"),
        ("index = 0", "index = 0\nbuffer = 1", "unknown key 'buffer'"),
        ("index = 0", 'index = 0\nvolume = "send"', "only collectives have a volume"),
        ("index = 0", "index = 0" + ROW, "two rows"),
        ('roles = "buffer count type peer tag comm"', "", "key 'roles' is missing"),
    ],
)
def test_says_what_is_wrong_in_which_row(old: str, new: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "calls.toml"
    table.write_text(ROW.replace(old, new, 1), encoding="utf-8")
    command = [sys.executable, str(REPOSITORY / "pmpi_wrappers" / "generate.py"), "--table", str(table)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("calls.toml: MPI_Send: ")
    assert message in result.stderr


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_parameters_agree_with_the_header(flavour: str, tmp_path: Path) -> None:
    """A second declaration of a function must match the first, so the compiler checks every row."""
    compiler = shutil.which(f"mpicc.{flavour}")
    if not compiler:
        pytest.skip(f"{flavour} is not installed")
    lines = ["#include <mpi.h>", "#undef MPI_Wtime"]
    for call in generate.load(TABLE):
        declared = ", ".join(
            f"{p.type.removesuffix('[]')}{' ' * (p.name != '...')}{p.name if p.name != '...' else ''}"
            + ("[]" if p.type.endswith("[]") else "")
            for p in call.parameters
        )
        if call.name not in REMOVED and "[" not in declared.replace("[]", ""):
            lines.append(f"{call.returns} {call.name}({declared or 'void'});")
    source = tmp_path / "redeclared.c"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [compiler, "-fsyntax-only", "-w", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


# In MPICH's header, or macros, only.
REMOVED = {
    "MPI_Address",
    "MPI_Errhandler_get",
    "MPI_Errhandler_set",
    "MPI_Type_extent",
    "MPI_Type_hindexed",
    "MPI_Type_hvector",
    "MPI_Type_lb",
    "MPI_Type_struct",
    "MPI_Type_ub",
}


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_every_wrapped_call_exists(flavour: str, tmp_path: Path) -> None:
    """A program that takes the address of every wrapped function links."""
    compiler = shutil.which(f"mpicc.{flavour}")
    if not compiler:
        pytest.skip(f"{flavour} is not installed")
    names = [call.name for call in generate.wrapped_calls(generate.load(TABLE))]
    body = "\n".join(f"(void *){name}," for name in names)
    source = tmp_path / "all.c"
    source.write_text(f"#include <mpi.h>\nvoid *all[] = {{{body}}};\nint main(void) {{ return !all[0]; }}\n")
    result = subprocess.run(
        [compiler, "-w", "-o", str(tmp_path / "all"), str(source)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


def test_analyzer_table_is_sorted_and_complete() -> None:
    calls = generate.load(TABLE)
    lines = generate.analyzer_table(calls).splitlines()[1:]
    names = [line.split('"')[1] for line in lines]
    assert names == sorted(names)
    assert {call.name for call in calls} <= set(names)
    (send,) = [line for line in lines if '"MPI_Sendrecv"' in line]
    assert send == '{"MPI_Sendrecv", MpiSend | MpiRecv, 0, 1, 2, 3, 4, 10, -1, 5, 6, 7, 8, 9},'
