"""Runs that hang or die: the report names the rank, the place, and for collectives who did not come."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import PROGRAMS, Mpi

from mpi_launch import LAUNCH
from stridewise import catalogue
from stridewise.runs import run_folder
from stridewise.runs.mpi import watcher as watch_mpi
from stridewise.runs.mpi.trace import Fate, Trace

RANKS = 3
_LINES = (PROGRAMS / "ends.c").read_text(encoding="utf-8").splitlines()


def place(mark: str) -> str:
    return f"ends.c:{1 + next(i for i, line in enumerate(_LINES) if f'mark: {mark} ' in line)}"


def told(folder: Path, end: float | None = None) -> tuple[str, Trace]:
    """What the head of a report says of the run in the folder, and its trace."""
    record = None if end is None else run_folder.Record("mpi", ("mpirun",), 1, 0.0, end)
    run = watch_mpi.read(folder, record, catalogue.load())
    assert run.summary and run.trace, run.troubles
    return "\n".join(run.summary.causes), run.trace


def run(mpi: Mpi, folder: Path, how: str) -> str:
    mpi.run([mpi.compile("ends.c"), how], folder, ranks=RANKS, STRIDEWISE_QUIET="1")
    return told(folder)[0]


def interrupted(mpi: Mpi, folder: Path, how: str, number: signal.Signals, whom: str = "launcher") -> tuple[str, Trace]:
    """Ends a run that hangs as a person or a batch system does."""
    settings = {**os.environ, **LAUNCH, "LD_PRELOAD": str(mpi.library), "STRIDEWISE_OUT": str(folder)}
    settings["STRIDEWISE_QUIET"] = "1"
    process = subprocess.Popen(
        [f"mpirun.{mpi.flavour}", "-n", str(RANKS), str(mpi.compile("ends.c")), how],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    if whom == "group":
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    process.communicate(timeout=60)
    return told(folder, time.time())


@pytest.mark.parametrize(
    ("how", "mark", "name"),
    [
        ("segv", "fault", "SIGSEGV"),
        ("segv-thread", "fault", "SIGSEGV"),
        ("overflow", "overflow", "SIGSEGV"),
        ("segv-library", "library", "SIGSEGV"),
        ("segv-mpi", "send", "SIGSEGV"),
        ("abort", "abort", "SIGABRT"),
        ("mpi-abort", "mpi-abort", "called MPI_Abort with 17"),
        ("exit", "exit", "left the program without MPI_Finalize"),
    ],
)
def test_the_rank_and_the_line(how: str, mark: str, name: str, mpi: Mpi, tmp_path: Path) -> None:
    first = run(mpi, tmp_path, how).splitlines()[0]
    assert first.startswith(f"rank {RANKS - 1} ")
    assert name in first
    assert f" at {place(mark)} in " in first


def test_killed_without_a_word(mpi: Mpi, tmp_path: Path) -> None:
    text = run(mpi, tmp_path, "kill")
    assert "without a word" in text.splitlines()[0]
    assert "SIGKILL" in text.splitlines()[0]
    assert f"rank 2 was outside MPI, after MPI_Allreduce at {place('allreduce')} in everybody" in text
    if mpi.flavour == "openmpi":  # its launcher ends the others by SIGTERM, which they tell
        assert text.startswith("rank 2 ended without a word")


def test_a_signal_of_its_own(mpi: Mpi, tmp_path: Path) -> None:
    assert run(mpi, tmp_path, "term").startswith("rank 2 ended by SIGTERM")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_who_did_not_come_to_a_collective(number: signal.Signals, mpi: Mpi, tmp_path: Path) -> None:
    text, trace = interrupted(mpi, tmp_path, "collective", number, "group" if number == signal.SIGINT else "launcher")
    assert re.search(r"^the run was ended from outside by SIG(TERM|INT)|^all ranks ended without", text)
    where = place("allreduce")
    assert f"rank 2 did not come to the MPI_Allreduce at {where} in everybody" in text
    assert "in which ranks 0 and 1 wait" in text
    # A function that does nothing but this call may be taken for a wrapper of it: then its caller is the place.
    here = rf"{place('receive')} in one_less|ends.c:\d+ in main"
    assert re.search(rf"rank 2 was in MPI_Recv at ({here}).* from rank 0, tag 7", text)
    assert "deadlock: rank 0 waits for rank 2, which waits for rank 0" in text
    # The calls that the end came upon count up to then.
    assert all(rank.mpi_seconds > 1.0 for rank in trace.ranks)
    assert max(sum(c.rank_seconds) for c in trace.calls if c.call == "MPI_Recv") > 1.0


def test_a_rank_in_a_deadlock_is_not_to_blame_for_the_end(mpi: Mpi, tmp_path: Path) -> None:
    """A launcher may kill a rank before it has told the signal that came from outside."""
    from stridewise.runs.mpi import endings

    _, trace = interrupted(mpi, tmp_path, "collective", signal.SIGTERM)
    signalled = next((e.fate for e in trace.endings if e.fate), None) or Fate(
        "signal", signal.SIGTERM, 0, 1, 0, "", None, 3.0
    )
    told = tuple(replace(e, fate=None if e.rank == 2 else signalled) for e in trace.endings)
    assert endings._end(replace(trace, endings=told)).startswith("the run was ended from outside by SIGTERM")
    stuck = tuple(replace(e, last=None) if e.rank == 2 else e for e in told)
    assert endings._end(replace(trace, endings=stuck)).startswith("rank 2 ended without a word")


def test_everybody_receives_first(mpi: Mpi, tmp_path: Path) -> None:
    text, _ = interrupted(mpi, tmp_path, "ring", signal.SIGTERM)
    assert "deadlock: rank 0 waits for rank 2, which waits for rank 1, which waits for rank 0" in text
    assert f"all ranks were in MPI_Recv at {place('ring')} in main" in text
    assert "rank 1 from rank 0, tag 3" in text


def test_messages_that_never_come(mpi: Mpi, tmp_path: Path) -> None:
    text, _ = interrupted(mpi, tmp_path, "wait", signal.SIGTERM)
    assert f"all ranks were in MPI_Waitall at {place('wait')} in main" in text
    assert f"rank 2 for the message from rank 0, tag 9 at {place('posted')} in main" in text


@pytest.mark.parametrize("how", ["compute", "finalize"])
def test_a_rank_that_is_busy_elsewhere(how: str, mpi: Mpi, tmp_path: Path) -> None:
    text, _ = interrupted(mpi, tmp_path, how, signal.SIGTERM)
    assert "rank 2 did not come to the MPI_Allreduce" in text
    assert "rank 2 was outside MPI" in text
    assert "deadlock" not in text


def test_a_finished_run_says_nothing(mpi: Mpi, tmp_path: Path) -> None:
    mpi.run([mpi.compile("ends.c"), "none"], tmp_path, ranks=RANKS, STRIDEWISE_QUIET="1")
    text, trace = told(tmp_path)
    assert trace.endings == () and "rank 2 ended" not in text


def test_a_signal_that_the_program_outlives_is_no_end(mpi: Mpi, tmp_path: Path) -> None:
    """Its handler jumps back into the program, which goes on and is killed later."""
    mpi.run([mpi.compile("unchanged.c"), "segv-jump-kill"], tmp_path, STRIDEWISE_QUIET="1")
    text, _ = told(tmp_path)
    assert "SIGSEGV" not in text
    assert "without a word" in text


def test_ranks_in_words() -> None:
    from stridewise.runs.mpi import endings

    assert endings._numbers([3], 8) == "rank 3"
    assert endings._numbers([0, 1, 2, 3], 4) == "all ranks"
    assert endings._numbers([5, 0, 1, 2, 7, 8], 9) == "ranks 0 to 2, 5, 7 and 8"


def test_the_command_shows_it(mpi: Mpi, tmp_path: Path) -> None:
    """As a person meets it: timeout(1) around stridewise run."""
    command = ["timeout", "4", sys.executable, "-m", "stridewise", "run", "-o", str(tmp_path / "out"), "--"]
    command += [f"mpirun.{mpi.flavour}", "-n", str(RANKS), str(mpi.compile("ends.c")), "collective"]
    done = subprocess.run(command, env={**os.environ, **LAUNCH}, capture_output=True, text=True, check=False)
    assert "rank 2 did not come to the MPI_Allreduce" in done.stdout.replace("\n    ", " "), done.stderr
    assert "0 findings" not in done.stdout
