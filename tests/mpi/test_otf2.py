"""Traces of OTF2: what leaves by `export` comes back by `import` with the same findings, and a trace that OTF2's own
writer made of nothing but its records is reported on, with what it does not tell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import BUILD, Mpi
from shards import REPOSITORY

from mpi_launch import LAUNCH
from stridewise.runs.mpi import shard_file
from stridewise.runs.mpi.shard_file import Flag

otf2 = pytest.importorskip("otf2")
TRUTHS = REPOSITORY / "tests" / "truth"
PROGRAMS = {
    "blocking_ring": 4, "duplicate_exchange": 2, "handmade_broadcast": 4, "late_sender": 2, "no_overlap": 2,
    "persistent_halo": 4, "redundant_barrier": 3, "relay": 4, "small_alltoall": 4, "tiny_messages": 2,
    "wrapped_receive": 2, "barrier_imbalance": 3,
}  # fmt: skip


def stridewise(*words: str | Path, status: int = 0) -> str:
    settings = {**os.environ, **LAUNCH, "STRIDEWISE_BUILD": str(BUILD)}
    settings["PYTHONPATH"] = f"{REPOSITORY}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    command = [sys.executable, "-m", "stridewise", *map(str, words)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def report(folder: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(stridewise("report", folder, "--no-config", "--all", "--format", "json"))
    return said


def findings(said: dict[str, Any]) -> set[tuple[str, str, int, str]]:
    """Those of MPI that people are shown: the others stand below a threshold that noise crosses."""
    return {
        (f["rule"], Path(f["location"]["file"]).name, f["location"]["line"], f["confidence"])
        for f in said["findings"]
        if f["confidence"] != "low" and f["rule"].startswith("mpi-")
    }


@pytest.fixture(scope="module")
def recorded(built: Callable[[str], Mpi], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The run folder of a truth, made once."""
    mpi, top = built("openmpi"), tmp_path_factory.mktemp("recorded")

    def run(name: str) -> Path:
        program, folder = top / name, top / f"{name}.out"
        if not folder.exists():
            source = TRUTHS / "mpi" / f"{name}.c"
            command = ["mpicc.openmpi", "-g", "-O1", f"-I{TRUTHS}", str(source), "-o", str(program), "-pthread", "-lm"]
            subprocess.run(command, check=True)
            assert mpi.run([program], folder, PROGRAMS[name]).returncode == 0
        return folder

    return run


def round_trip(folder: Path, scratch: Path) -> Path:
    stridewise("export", folder, "--format", "otf2", "-o", scratch / "trace")
    stridewise("import", scratch / "trace" / "traces.otf2", "-o", scratch / "back")
    return scratch / "back"


def test_the_same_findings_through_otf2(recorded: Callable[[str], Path], tmp_path: Path) -> None:
    """At least 95 of 100, over all programs together, and of each the calls that it made."""
    same = every = 0
    differ = []
    for name in PROGRAMS:
        scratch = tmp_path / name
        scratch.mkdir()
        ours = report(recorded(name))
        theirs = report(round_trip(recorded(name), scratch))
        before, after = findings(ours), findings(theirs)
        same += len(before & after)
        every += len(before | after)
        if before != after:
            differ.append(f"{name}: gone {sorted(before - after)}, new {sorted(after - before)}")
    assert every >= len(PROGRAMS) - 2
    assert same >= 0.95 * every, "\n".join(differ)


def test_otf2_print_reads_it(recorded: Callable[[str], Path], tmp_path: Path) -> None:
    reader = shutil.which("otf2-print")
    if reader is None:
        pytest.skip("otf2-print is not installed (otf2-tools)")
    stridewise("export", recorded("late_sender"), "--format", "otf2", "-o", tmp_path / "trace")
    anchor = tmp_path / "trace" / "traces.otf2"
    shown = subprocess.run([reader, anchor], capture_output=True, text=True, check=True).stdout
    said = report(recorded("late_sender"))
    halves = {"MPI_Send": 1, "MPI_Recv": 1, "MPI_Sendrecv": 2}
    sends = sum(s["count"] * halves.get(s["call"], 0) for r in said["runs"] for s in r["profile"]["sites"])
    assert shown.count("MPI_SEND ") + shown.count("MPI_RECV ") == sends > 0
    assert shown.count("ENTER ") == shown.count("LEAVE ")
    definitions = subprocess.run([reader, "-G", anchor], capture_output=True, text=True, check=True).stdout
    assert "late_sender.c" in definitions


NONBLOCKING = """
#include <mpi.h>
int main(void) {
  MPI_Init(0, 0);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double mine[4] = {rank}, all[4];
  for (int i = 0; i < 6; i++) {
    MPI_Request requests[2];
    MPI_Iallreduce(mine, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


def test_non_blocking_collectives_go_and_come_back(built: Callable[[str], Mpi], tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(NONBLOCKING, encoding="utf-8")
    program = tmp_path / "a"
    subprocess.run(["mpicc.openmpi", "-g", str(tmp_path / "a.c"), "-o", str(program)], check=True)
    assert built("openmpi").run([program], tmp_path / "out", 2).returncode == 0
    back = round_trip(tmp_path / "out", tmp_path)

    def events(folder: Path) -> list[tuple[int, int, int, int, int]]:
        found = []
        for path in sorted((folder / "mpi").glob("*.swshard")):
            shard = shard_file.read(path)
            found += [(e.call, e.flags, e.peer, e.seq, e.bytes) for e in shard.events if e.flags & Flag.COLLECTIVE]
        return found

    kept = events(tmp_path / "out")
    assert len(kept) == 2 * 6 * 4  # of two ranks, six times two that begin and two that end
    assert events(back) == kept


def handmade(folder: Path, imbalance: int) -> Path:
    """Four ranks, ten steps of one sum each; rank 3 computes longer before it. Only what OTF2 itself has."""
    ms = 1_000_000
    with otf2.writer.open(str(folder), timer_resolution=1_000_000_000) as archive:
        definitions, groups = archive.definitions, otf2.GroupType
        node = definitions.system_tree_node("n1", "node")
        names = {
            name: definitions.region(name, paradigm=otf2.Paradigm.MPI)
            for name in ("MPI_Init", "MPI_Finalize", "MPI_Allreduce")
        }
        step = definitions.region(
            "step", source_file="/src/step.c", begin_line_number=7, paradigm=otf2.Paradigm.COMPILER
        )
        process = otf2.LocationGroupType.PROCESS
        ranks = [
            definitions.location(
                "m", group=definitions.location_group(f"R{n}", location_group_type=process, system_tree_parent=node)
            )
            for n in range(4)
        ]
        definitions.group("", groups.COMM_LOCATIONS, otf2.Paradigm.MPI, members=ranks)
        group = definitions.group("world", groups.COMM_GROUP, otf2.Paradigm.MPI, members=ranks)
        world = definitions.comm("MPI_COMM_WORLD", group=group)
        for number, location in enumerate(ranks):
            writer = archive.event_writer_from_location(location)
            writer.enter(0, names["MPI_Init"])
            writer.leave(ms, names["MPI_Init"])
            now = ms
            for _ in range(10):
                writer.enter(now, step)
                begin = now + (20 + (imbalance if number == 3 else 0)) * ms
                end = now + (21 + imbalance) * ms
                writer.enter(begin, names["MPI_Allreduce"])
                writer.mpi_collective_begin(begin)
                writer.mpi_collective_end(end, otf2.CollectiveOp.ALLREDUCE, world, otf2.CollectiveRoot.NONE, 8, 8)
                writer.leave(end, names["MPI_Allreduce"])
                writer.leave(end, step)
                now = end
            writer.enter(now, names["MPI_Finalize"])
            writer.leave(now + ms, names["MPI_Finalize"])
    return folder / "traces.otf2"


def test_a_trace_of_another_tool(tmp_path: Path) -> None:
    told = stridewise("import", handmade(tmp_path / "trace", 30), "-o", tmp_path / "out")
    assert "40 calls of 4 ranks" in told
    assert "the trace does not tell where buffers lay" in told
    said = report(tmp_path / "out")
    assert findings(said) == {("mpi-load-imbalance", "step.c", 7, "medium")}
    (finding,) = (f for f in said["findings"] if f["confidence"] != "low")
    assert finding["evidence"][0]["metrics"]["call_count"] == 30  # of the ranks that wait
    assert finding["cost_seconds"] == pytest.approx(0.3, rel=0.05)
    text = " ".join(stridewise("report", tmp_path / "out", "--no-config").split())
    assert "imported; the trace does not tell datatypes" in text
    assert "places are the functions that call" in text


def test_what_a_round_trip_loses_is_said(recorded: Callable[[str], Path], tmp_path: Path) -> None:
    """Sleep outside MPI, which OTF2 has no record for."""
    rules = {f["rule"] for f in report(recorded("late_sender"))["findings"]}
    back = report(round_trip(recorded("late_sender"), tmp_path))
    assert rules - {f["rule"] for f in back["findings"]} == {"run-sleep-in-loop"}
    assert "sleep outside MPI" in stridewise("report", tmp_path / "back", "--no-config")


def test_an_even_one_is_silent(tmp_path: Path) -> None:
    stridewise("import", handmade(tmp_path / "trace", 0), "-o", tmp_path / "out")
    assert not findings(report(tmp_path / "out"))


def test_no_trace_and_no_module(tmp_path: Path) -> None:
    assert "no trace" in stridewise("import", tmp_path / "none.otf2", status=2)
    (tmp_path / "bad.otf2").write_text("[OTF2]\nnothing", encoding="utf-8")
    assert "cannot read" in stridewise("import", tmp_path / "bad.otf2", "-o", tmp_path / "out", status=2)
    assert not (tmp_path / "out").exists()
    code = "import sys; sys.modules['otf2'] = None; from stridewise.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "import", str(tmp_path / "bad.otf2")]
    settings = {**os.environ, "PYTHONPATH": str(REPOSITORY), "STRIDEWISE_BUILD": str(BUILD)}
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "python3-otf2" in done.stderr
