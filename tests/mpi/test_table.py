"""The table of MPI calls and its generator."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import generate
import mpi_table
import pytest
from conftest import BUILD, TABLE, header_of
from shards import REPOSITORY

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
        ('["send"]', '["send"]\ndoes = "sending"', "unknown 'does' 'sending'"),
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


# What neither moves data nor waits for another rank, by the standard: everything else must be watched, so that a newer
# mpi.h with a new call fails here.
LOCAL = re.compile(
    r"MPI_(T_\w+|Type_\w+|Group_\w+|Info_\w+|Op_\w+|Status_\w+|Grequest_\w+|Errhandler_\w+|Keyval_\w+|Attr_\w+"
    r"|\w+_(c2f|f2c|c2f08|f082c)"
    r"|(Comm|File|Session|Win)_(call|create|get|set)_errhandler|\w+_(create|free)_keyval|\w+_(get|set|delete)_attr"
    r"|(Comm|Win)_[gs]et_(name|info)|(File|Session|Win)_get_\w+|Comm_(compare|get_parent|group|rank|remote_\w+|size|test_inter)"
    r"|Cart_(coords|get|map|rank|shift)|Cartdim_get|Graph_(get|map|neighbors\w*)|Graphdims_get"
    r"|Dist_graph_neighbors\w*|Dims_create|Topo_test"
    r"|Add_error_\w+|Error_\w+|Address|Aint_\w+|Alloc_mem|Free_mem|Buffer_attach(_c)?|DUP_FN"
    r"|Get_(address|count|elements|library_version|processor_name|version)\w*"
    r"|Pack\w*|Unpack\w*|Reduce_local(_c)?|Pcontrol|Register_datarep(_c)?|CONVERSION_FN_NULL(_C)?"
    r"|Initialized|Finalized|Is_thread_main|Query_thread|Session_init|Test_cancelled|Wtick"
    r"|File_seek|Win_(attach|detach|shared_query)(_c)?"
    r"|Open_port|Close_port|(Unp|P)ublish_name|Lookup_name)"
)


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_every_call_that_moves_data_or_waits_is_wrapped(flavour: str) -> None:
    header = header_of(flavour)
    functions = generate.read_header(header)
    assert len(functions) > 300
    calls = mpi_table.load(TABLE)
    wrapped = {call.name for call in calls if call.wrapped}
    wrapped |= {f"{name}_c" for name in wrapped}
    missing = sorted(name for name in functions if not LOCAL.fullmatch(name) and name not in wrapped)
    assert not missing, f"{header} declares calls without a row in mpi_calls.toml: {', '.join(missing)}"
    symbols = subprocess.run(
        ["nm", "-D", "--defined-only", BUILD / "lib" / flavour / "libstridewise_mpi.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    exported = {line.split()[-1] for line in symbols.splitlines()}
    # Exactly what the MPI has: a program may ask the loader whether a function exists.
    assert {s for s in exported if s.startswith("MPI_")} == (wrapped & functions.keys()) | {"MPI_Pcontrol"}  # phases.c
    for name in wrapped & functions.keys():
        base = f"{name.removesuffix('_c').lower()}_f08{'_large' if name.endswith('_c') else ''}_"
        assert base in exported


@pytest.mark.parametrize("flavour", ["openmpi", "mpich"])
def test_parameters_agree_with_the_header(flavour: str, tmp_path: Path) -> None:
    """A second declaration of a function must match the first, so the compiler checks every row."""
    functions = generate.read_header(header_of(flavour))
    lines = ["#include <mpi.h>", "#undef MPI_Wtime"]
    for call in mpi_table.load(TABLE):
        declared = ", ".join(
            f"{p.type.removesuffix('[]')}{' ' * (p.name != '...')}{p.name if p.name != '...' else ''}"
            + ("[]" if p.type.endswith("[]") else "")
            for p in call.parameters
        )
        if call.name in functions and call.name not in REMOVED and "[" not in declared.replace("[]", ""):
            lines.append(f"{call.returns} {call.name}({declared or 'void'});")
    source = tmp_path / "redeclared.c"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [f"mpicc.{flavour}", "-fsyntax-only", "-w", str(source)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert len(lines) > 300


# Macros that refuse them in Open MPI's header.
REMOVED = {
    "MPI_Address",
    "MPI_Errhandler_create",
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
    """A program that takes the address of every wrapped function links; no row is left over by both headers."""
    functions = generate.read_header(header_of(flavour))
    names = [call.name for call in generate.wrapped_calls(mpi_table.load(TABLE)) if call.name in functions]
    body = "\n".join(f"(void *){name}," for name in names)
    source = tmp_path / "all.c"
    source.write_text(f"#include <mpi.h>\nvoid *all[] = {{{body}}};\nint main(void) {{ return !all[0]; }}\n")
    result = subprocess.run(
        [f"mpicc.{flavour}", "-w", "-o", str(tmp_path / "all"), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_analyzer_table_is_sorted_and_complete() -> None:
    calls = mpi_table.load(TABLE)
    lines = generate.analyzer_table(calls).splitlines()[1:]
    names = [line.split('"')[1] for line in lines]
    assert names == sorted(names)
    assert {call.name for call in calls} <= set(names)
    (send,) = [line for line in lines if '"MPI_Sendrecv"' in line]
    roles = '{"MPI_Sendrecv", MpiSend | MpiRecv, MpiDoes::Nothing, 0, 1, 2, 3, 4, 10, -1, 5, 6, 7, 8, 9'
    assert send == roles + ', "piiiipiiiiip"},'
