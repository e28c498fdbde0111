"""Real programs under the interposer, with each MPI that is installed: lines, costs, changed binaries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from lit_format.samples import Sample
from mpi_launch import LAUNCH
from stridewise.catalogue import Rule
from stridewise.collect.symbolize import build_id, symbolize
from stridewise.patterns import (
    mpi_load_imbalance,
    mpi_rank_placement,
    mpi_redundant_barrier,
    mpi_send_recv_chain,
    mpi_strided_halo,
    mpi_tiny_messages,
)
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import load
from stridewise.settings import toolchain

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = [
    p.relative_to(REPOSITORY) for p in sorted(REPOSITORY.glob("rules/mpi-*/*.c")) if p.stem in ("buggy", "fixed")
]
ENVIRONMENT = {
    **LAUNCH,
    "STRIDEWISE_QUIET": "1",
}

SLEEPER = """
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  double waited = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 10; i++) {
    if (rank == 1)
      usleep(50000);
    double begin = now();
    MPI_Barrier(MPI_COMM_WORLD); // here
    waited += now() - begin;
  }
  if (rank == 0)
    printf("waited %.6f\\n", waited);
  MPI_Finalize();
  return 0;
}
"""

ELEMENTS = """
#include <mpi.h>

static inline __attribute__((always_inline)) void pass(const double *cell, int to) {
  MPI_Send(cell, 1, MPI_DOUBLE, to, 7, MPI_COMM_WORLD); // send
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  static double column[500];
  double got, ghost;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < 40; step++) {
    MPI_Send(&ghost, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD); // first
    MPI_Recv(&got, 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 500; i++)
      pass(&column[i], right);
    for (int i = 0; i < 500; i++)
      MPI_Recv(&got, 1, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
"""


def measure(
    flavour: str, program: Sequence[Path | str], out: Path, tool: str, ranks: int, **settings: str
) -> tuple[Trace, str]:
    """Runs a program under the interposer: the merged, not yet symbolised trace, and what the program printed."""
    out.mkdir(parents=True, exist_ok=True)
    variables = {"LD_PRELOAD": toolchain.interposers()[flavour], "STRIDEWISE_OUT": out, **settings}
    command = [f"mpirun.{flavour}", "-n", str(ranks), "env", *(f"{key}={value}" for key, value in variables.items())]
    done = subprocess.run(
        [*command, *map(str, program)],
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        cwd=out,
    )
    subprocess.run([tool, str(out / "mpi")], check=True)
    return load(out / "mpi" / "trace.json"), done.stdout


@pytest.fixture(scope="module", params=sorted(toolchain.FLAVOURS))
def flavour(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if name not in toolchain.interposers():
        pytest.skip(f"no interposer for {name}")
    if not shutil.which(f"mpicc.{name}") or not shutil.which(f"mpirun.{name}"):
        pytest.skip(f"{name} is not installed")
    return name


class Program:
    def __init__(self, folder: Path, flavour: str, text: str, level: str = "-O1") -> None:
        self.folder, self.flavour = folder, flavour
        self.source, self.binary = folder / "program.c", folder / "program"
        self.source.write_text(text, encoding="utf-8")
        subprocess.run(
            [f"mpicc.{flavour}", "-g", level, "-Wl,--build-id", str(self.source), "-o", str(self.binary)], check=True
        )

    def line(self, mark: str) -> int:
        """The line that ends in `// mark`."""
        lines = self.source.read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}"))

    def run(self, tool: str, ranks: int) -> tuple[Trace, str]:
        """The merged, not yet symbolised trace, and what the program printed."""
        return measure(self.flavour, [self.binary], self.folder / "out", tool, ranks)


def test_a_sleeping_rank_costs_what_it_sleeps(tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]) -> None:
    program = Program(tmp_path, flavour, SLEEPER)
    trace, printed = program.run(tool, 2)
    trace, notes = symbolize(trace)
    assert notes == []
    (finding,) = mpi_load_imbalance.detect_mpi(trace, rules["mpi-load-imbalance"])
    assert (Path(finding.location.file).name, finding.location.line) == ("program.c", program.line("here"))
    assert finding.function == "main"
    # What the program itself measured: less than the other rank slept (0.5 s) where this one came late, more where
    # others use the machine too.
    waited = float(re.findall(r"waited ([\d.]+)", printed)[0])
    assert waited > 0.05
    (barrier,) = mpi_redundant_barrier.detect_mpi(trace, rules["mpi-redundant-barrier"])
    charged = [f.evidence[0].metrics["rank_seconds"] for f in (finding, barrier)]
    assert sum(row[0] for row in charged if isinstance(row, list)) == pytest.approx(waited, rel=0.15)
    # What the barrier itself takes is more where ranks lack processors.
    assert finding.cost_seconds is not None
    assert finding.cost_seconds > 0.5 * waited
    assert finding.evidence[0].metrics["cost_rank"] == 0


def test_lines_of_inlined_calls(tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]) -> None:
    program = Program(tmp_path, flavour, ELEMENTS)
    trace, _ = program.run(tool, 4)
    trace, _ = symbolize(trace)
    chains = mpi_send_recv_chain.detect_mpi(trace, rules["mpi-send-recv-chain"])
    (ring,) = [finding for finding in chains if finding.location.line == program.line("first")]
    assert ring.args["chain"] == 4
    burst = max(trace.bursts, key=lambda b: b.messages)
    assert burst.messages > 0.9 * 4 * 40 * 500
    path = trace.paths[burst.path]
    assert path.site is not None
    assert (path.site.function, path.site.line) == ("pass", program.line("send"))
    assert path.callers[0].function == "main"
    for finding in mpi_tiny_messages.detect_mpi(trace, rules["mpi-tiny-messages"]):
        assert finding.location.line == program.line("send")


def verdicts(trace: Trace) -> list[object]:
    """What the order of the events decides, and not how long things took."""
    return [
        *((b.verdict, b.paths, b.instances, b.redundant, {w.reason for w in b.kept}) for b in trace.barriers),
        *((c.kind, c.send_paths, c.data_length, c.rendezvous_length, c.ranks, c.instances) for c in trace.chains),
        *((w.events, w.contradictions, w.to_end) for w in trace.windows),
    ]


ALL_EVENTS = {"STRIDEWISE_MPI_RUN": "0", "STRIDEWISE_MPI_EVENTS": "2000000"}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_runs_of_messages_change_no_verdict(example: Path, tmp_path: Path, flavour: str, tool: str) -> None:
    program = Program(tmp_path, flavour, (REPOSITORY / example).read_text(encoding="utf-8"))
    command: list[Path | str] = [
        program.binary,
        *(str(max(20, int(word) // 20)) for word in Sample.read(REPOSITORY / example).run_args),
    ]
    one_by_one, _ = measure(flavour, command, tmp_path / "all", tool, 4, **ALL_EVENTS)
    in_runs, _ = measure(flavour, command, tmp_path / "runs", tool, 4)
    assert verdicts(in_runs) == verdicts(one_by_one)


def test_element_wise_lattice_boltzmann(tmp_path: Path, flavour: str, tool: str) -> None:
    """More messages than the ring holds, and yet every barrier of every step is judged."""
    source, capacity = REPOSITORY / "tests" / "kernels" / "lbm", 8192
    config = tmp_path / "config.txt"
    text = (source / "config.txt").read_text(encoding="utf-8")
    for name, value in (("width", 160), ("height", 40), ("iterations", 4), ("save_interval", 2), ("save_pause_ms", 0)):
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
    config.write_text(text, encoding="utf-8")
    subprocess.run(["make", "-C", source, f"BUILD={tmp_path / 'build'}", f"CC=mpicc.{flavour}"], check=True)
    program = [tmp_path / "build" / "lbm", config]
    one_by_one, expected = measure(flavour, program, tmp_path / "all", tool, 4, **ALL_EVENTS)
    in_runs, printed = measure(flavour, program, tmp_path / "runs", tool, 4, STRIDEWISE_MPI_EVENTS=str(capacity))
    assert printed == expected
    assert verdicts(in_runs) == verdicts(one_by_one)
    assert min(rank.calls for rank in in_runs.ranks) > 4 * capacity
    assert max(rank.events for rank in in_runs.ranks) < capacity
    # Those beside the file that a step saves are needed.
    assert {b.verdict for b in in_runs.barriers} == {"redundant", "needed"}
    assert [b.instances for b in in_runs.barriers] == [b.whole_run_instances for b in in_runs.barriers]
    assert "partial" not in {note for b in in_runs.barriers for note in b.notes}


def test_a_changed_or_missing_binary_is_said(tmp_path: Path, flavour: str, tool: str) -> None:
    program = Program(tmp_path, flavour, SLEEPER.replace("50000", "10"))
    trace, _ = program.run(tool, 2)
    assert re.fullmatch("[0-9a-f]{40}", build_id(program.binary))
    program.source.write_text(SLEEPER.replace("50000", "20"), encoding="utf-8")
    subprocess.run(
        [f"mpicc.{flavour}", "-g", "-O1", "-Wl,--build-id", str(program.source), "-o", str(program.binary)], check=True
    )
    _, notes = symbolize(trace)
    assert any("rebuilt since the run" in note for note in notes)
    program.binary.unlink()
    bare, notes = symbolize(trace)
    assert any("No such file" in note for note in notes)
    site = bare.paths[bare.barriers[0].paths[0]].site
    assert site is not None
    assert re.fullmatch(r"program\+0x[0-9a-f]+", site.function)


WRAPPED = """
#include <mpi.h>
#define WRAPPER static __attribute__((noinline)) void

/* All of MPI in a few functions, as many codes have it. */
WRAPPER meet(void) { MPI_Barrier(MPI_COMM_WORLD); __asm__ volatile(""); } // barrier
WRAPPER put(int *what, int to) { MPI_Send(what, 1, MPI_INT, to, 0, MPI_COMM_WORLD); __asm__ volatile(""); }
WRAPPER take(int *what) {
  MPI_Recv(what, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  __asm__ volatile("");
}
WRAPPER add(int *what) {
  int sum;
  MPI_Allreduce(what, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  __asm__ volatile("");
}

int main(int argc, char **argv) {
  int rank, size, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 20; step++) {
    if (rank == 0)
      for (int i = 1; i < size; i++)
        take(&value);
    else
      put(&rank, 0);
    meet(); // needed
  }
  for (int step = 0; step < 20; step++) {
    add(&value);
    meet(); // redundant
  }
  MPI_Finalize();
  return 0;
}
"""


def test_one_wrapper_has_a_verdict_for_each_call_path(
    tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]
) -> None:
    program = Program(tmp_path, flavour, WRAPPED)
    trace, _ = program.run(tool, 3 if flavour == "openmpi" else 2)
    trace, _ = symbolize(trace)
    said = {}
    for barrier in trace.barriers:
        (path,) = barrier.paths
        wrapper, site = trace.paths[path].frames[0], trace.paths[path].site
        assert (wrapper.function, wrapper.line, wrapper.wrapper) == ("meet", program.line("barrier"), True)
        assert site is not None
        said[site.line] = (barrier.verdict, barrier.instances)
    # With two ranks there is one sender only, and nothing to mistake.
    needed = "needed" if trace.job.world_size > 2 else "redundant"
    assert said == {program.line("needed"): (needed, 20), program.line("redundant"): ("redundant", 20)}
    if needed == "needed":
        (finding,) = mpi_redundant_barrier.detect_mpi(trace, rules["mpi-redundant-barrier"])
        assert finding.location.line == program.line("redundant")


GRID = """
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rank, size, dims[2] = {0, 0}, periods[2] = {1, 1}, above, below, left, right;
  const int height = atoi(argv[1]), width = atoi(argv[2]), pitch = width + 2;
  MPI_Comm grid;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_shift(grid, 0, 1, &above, &below);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Type_vector(height, 1, pitch, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  double *cells = calloc((size_t)(height + 2) * pitch, sizeof *cells);
  for (int step = 0; step < 20; step++) {
    double *inner = cells + pitch + 1;
    MPI_Sendrecv(inner, 1, column, left, 0, inner + width, 1, column, right, 0, grid, MPI_STATUS_IGNORE); // column
    MPI_Sendrecv(inner, width, MPI_DOUBLE, above, 1, inner + height * pitch, width, MPI_DOUBLE, below, 1, grid,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < height * pitch; i++)
      cells[i] += 1e-3 * step;
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&grid);
  free(cells);
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize(("height", "width", "found"), [(512, 512, 0), (8192, 64, 1)])
def test_borders_of_a_grid(
    height: int, width: int, found: int, tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]
) -> None:
    """Cut in both directions, one border is gathered: worth a word where it is the longer one."""
    program = Program(tmp_path, flavour, GRID)
    trace, _ = measure(flavour, [program.binary, str(height), str(width)], tmp_path / "out", tool, 4)
    trace, _ = symbolize(trace)
    assert [(h.gaps, h.messages, h.bytes, h.pieces) for h in sorted(trace.halos, key=lambda h: not h.gaps)] == [
        (True, 80, 80 * 8 * height, 80 * height),
        (False, 80, 80 * 8 * width, 0),
    ]
    findings = list(mpi_strided_halo.detect_mpi(trace, rules["mpi-strided-halo"]))
    assert len(findings) == found
    for finding in findings:
        assert finding.location.line == program.line("column")
        assert finding.message.startswith(f"80 messages of {height:,} pieces of 8 B, {8 * (width + 2)} B apart")
        assert finding.message.endswith(f"has 80 messages, {80 * 8 * width:,} B, each in one run")


ON_NODES = 'hostname node$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} / 2)); exec "$0"'  # two ranks to a node


@pytest.mark.parametrize(("sample", "found"), [("buggy", 1), ("fixed", 0)])
def test_placement_on_two_nodes(
    sample: str, found: int, tmp_path: Path, flavour: str, tool: str, rules: dict[str, Rule]
) -> None:
    """Each rank sees a host name of its own choice, as the ranks of a cluster's nodes do."""
    if subprocess.run(["unshare", "-u", "hostname", "node0"], capture_output=True, check=False).returncode:
        pytest.skip("cannot change the host's name")
    text = (REPOSITORY / "rules" / "mpi-rank-placement" / f"{sample}.c").read_text(encoding="utf-8")
    program = Program(tmp_path, flavour, text)
    command: list[Path | str] = ["unshare", "-u", "sh", "-c", ON_NODES, program.binary]
    trace, _ = measure(flavour, command, tmp_path / "out", tool, 4)
    assert [rank.host for rank in trace.ranks] == ["node0", "node0", "node1", "node1"]
    findings = list(mpi_rank_placement.detect_mpi(trace, rules["mpi-rank-placement"]))
    assert len(findings) == found
    if findings:
        assert findings[0].args["best_percent"] == 0


def test_addr2line_serves_too(tmp_path: Path, flavour: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if not shutil.which("addr2line"):
        pytest.skip("addr2line is not installed")
    program = Program(tmp_path, flavour, ELEMENTS)
    trace, _ = program.run(tool, 2)
    best, _ = symbolize(trace)
    monkeypatch.setattr("stridewise.collect.symbolize.TOOLS", ("addr2line",))
    other, _ = symbolize(trace)
    index = max(trace.bursts, key=lambda b: b.messages).path
    assert [(f.function, f.line) for f in other.paths[index].frames if f.user] == [
        (f.function, f.line) for f in best.paths[index].frames if f.user
    ]


def test_no_tool(tmp_path: Path, flavour: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(tmp_path, flavour, SLEEPER.replace("50000", "10"))
    trace, _ = program.run(tool, 2)
    monkeypatch.setattr("stridewise.collect.symbolize.TOOLS", ("no-such-symboliser",))
    _, notes = symbolize(trace)
    assert notes == ["no source lines: none of no-such-symboliser is installed"]


PASSING = """
#include <mpi.h>
#define FUNCTION __attribute__((noinline))

FUNCTION int take(void *data, int count, MPI_Datatype type, int from, MPI_Comm comm) {
  return MPI_Recv(data, count, type, from, 0, comm, MPI_STATUS_IGNORE);
}
FUNCTION int add(double *sum) {
  double all;
  int status = MPI_Allreduce(sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (status != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  *sum = all;
  return status;
}
FUNCTION double sum_of(double mine) {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
FUNCTION void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

static double data[8];
FUNCTION int take_own(int from) { /* which data, it decides itself */
  return MPI_Recv(data, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
FUNCTION int spread(double *what, int count) { /* and here how often */
  for (int i = 0; i < count; i++)
    MPI_Bcast(what + i, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return 0;
}
FUNCTION int take_and_add(double *what) { /* two calls */
  MPI_Bcast(what, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return MPI_Allreduce(MPI_IN_PLACE, what, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  int rank;
  double x = 1.0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; i++) {
    if (rank == 0) {
      MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      MPI_Send(&x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    } else {
      take(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      take_own(0);
    }
    add(&x);
    x = sum_of(x);
    meet();
    spread(data, 3);
    take_and_add(&x);
  }
  MPI_Finalize();
  return 0;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_functions_that_only_pass_on_their_arguments(tmp_path: Path, flavour: str, tool: str, level: str) -> None:
    """Known by their code, at any level of optimisation that leaves them functions of their own; no other is."""
    trace, _ = Program(tmp_path, flavour, PASSING, level).run(tool, 2)
    trace, _ = symbolize(trace)
    wrappers = {frame.function for path in trace.paths for frame in path.frames if frame.wrapper}
    assert wrappers == {"take", "add", "sum_of", "meet"}
    assert all(path.site is not None and not path.site.wrapper for path in trace.paths)
