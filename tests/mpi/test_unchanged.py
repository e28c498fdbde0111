"""Nothing changes by being watched: limits, signals, descriptors, rights. Each row is a thing that a program does to
itself between MPI_Init and MPI_Finalize; its output and the status of the run are those of the bare run."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Mpi, read_shards

LIMITS = ("fsize", "fsize-small", "fsize-write", "fsize-handled", "as", "data", "nproc", "stack", "memlock", "core")
SIGNALS = (
    "show",
    "ignored-before",
    "handler-before",
    "blocked",
    "handlers",
    "segv-jump",
    "segv-own",
    "altstack",
    "no-altstack",
)
ENDS = (
    "alarm",
    "segv",
    "segv-thread",
    "segv-sent",
    "abort",
    "fpe",
    "term",
    "cpu",
    "after",
    "status",
    "overflow",
    "overflow-own",
)
OTHERS = ("nofile", "closed", "chdir", "setuid", "errno", "fork", "posix-timer")

# Of two ranks that end with 40 and 41, or by a signal and by the launcher's SIGTERM, the launcher passes on one.
EITHER = {"status": {40, 41}, "alarm": {14, 15}, "abort": {6, 15}}

# What launchers and transports say of the processes that they end, with their numbers; not the same from run to run.
_OF_LAUNCHER = re.compile(
    r"^(?:=|YOUR APPLICATION|This typically|Please see|\[\d+\.\d+\]|\[(?:mpiexec|proxy)).*$", re.MULTILINE
)


def _said(result: subprocess.CompletedProcess[str]) -> list[str]:
    """Characters, in any order: launchers join and cut the lines of several ranks as they come."""
    return sorted("".join(_OF_LAUNCHER.sub("", result.stdout).split()))


@pytest.mark.parametrize("what", [*LIMITS, *SIGNALS, *ENDS, *OTHERS])
def test_same_output_and_status(what: str, mpi: Mpi, tmp_path: Path) -> None:
    program = [str(mpi.compile("unchanged.c")), what]
    bare = mpi.run(program, None)
    seen = mpi.run(program, tmp_path, STRIDEWISE_QUIET="1")
    assert _said(seen) == _said(bare)
    if seen.returncode != bare.returncode:
        assert {bare.returncode, seen.returncode} <= EITHER.get(what, set())
    assert list(tmp_path.glob("mpi/*.swshard"))


def test_functions_that_are_called_like_system_calls(mpi: Mpi, tmp_path: Path) -> None:
    """The recorder's own files are none of the program's business; without it the program's are called by MPI alone."""
    program = [str(mpi.compile("own_names.c"))]
    bare = mpi.run(program, None)
    seen = mpi.run(program, tmp_path, STRIDEWISE_QUIET="1")
    assert (seen.returncode, seen.stdout) == (bare.returncode, bare.stdout)
    assert [shard.state for shard in read_shards(tmp_path)] == [3, 3]
