"""Runs the property programs and compares what the merge tool reports with what was injected.

Each program has one property, whose size its arguments give (the idea of the APART test suite); its twin lacks it.
`python3 properties.py --grid` measures delays of 2 to 200 ms on 2 to 8 ranks; the tests take a few of these points.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TOP), str(TOP / "tests")]

from mpi_launch import LAUNCH  # noqa: E402
from stridewise.runs.mpi.trace import Trace, Wait  # noqa: E402
from stridewise.runs.mpi.trace_file import load  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

FOLDER = Path(__file__).parent
TOLERANCE = 0.15
# What a twin may be said to wait beyond what its own run measured of its ranks' lateness, as a share of the delay: a
# rank that loses its processor between the pause and the call is truly late, too, and no clock of the program saw it.
SILENT_SHARE = 0.025
RUNS = 3
ENVIRONMENT = {
    **LAUNCH,
    "STRIDEWISE_QUIET": "1",
}


@dataclass(frozen=True)
class Property:
    """`waiting` gives the ranks that wait as long as a delayed rank sleeps, of so many ranks."""

    name: str
    kind: str
    waiting: Callable[[int], float]


PROPERTIES = (
    Property("late_sender", "late-sender", lambda ranks: ranks // 2),
    Property("late_receiver", "late-receiver", lambda ranks: ranks // 2),
    Property("wait_at_barrier", "wait-at-barrier", lambda ranks: ranks - 1),
    # Rank r sleeps r / (ranks - 1) of the delay: together they wait as long as together they sleep.
    Property("imbalance_at_nxn", "wait-at-nxn", lambda ranks: ranks - 1),
    Property("early_reduce", "early-reduce", lambda _ranks: 1),
    Property("late_broadcast", "late-broadcast", lambda ranks: ranks - 1),
    Property("chain", "late-sender", lambda ranks: ranks - 1),
    Property("redundant_barrier", "wait-at-barrier", lambda ranks: ranks - 1),
)


@dataclass(frozen=True)
class Outcome:
    """Seconds of one waiting rank over all repetitions, what the delayed ranks slept in the mean, and by how much those
    that slept at the same time awoke apart, per repetition."""

    trace: Trace
    site: Wait | None
    measured: float
    slept: float
    late: float


def flavours() -> list[str]:
    """The MPIs that are installed and have an interposer."""
    built = toolchain.interposers()
    return [f for f in sorted(toolchain.FLAVOURS) if f in built and shutil.which(f"mpicc.{f}")]


def build(name: str, flavour: str, folder: Path) -> Path:
    program = folder / f"{name}.{flavour}"
    if not program.exists():
        subprocess.run([f"mpicc.{flavour}", "-g", "-O1", FOLDER / f"{name}.c", "-o", program], check=True)
    return program


def build_fortran(binding: int, flavour: str, folder: Path) -> Path:
    """Binding 1 is mpif.h, 2 the module mpi, 3 the module mpi_f08."""
    program = folder / f"fortran{binding}.{flavour}"
    if not program.exists():
        flags = ["-g", "-O1", "-w", "-fallow-argument-mismatch", f"-DBINDING={binding}", f"-J{folder}"]
        subprocess.run([f"mpifort.{flavour}", *flags, FOLDER / "fortran.F90", "-o", program], check=True)
    return program


@functools.cache
def _before_others() -> tuple[str, ...]:
    """Runs a command at a higher priority where that is allowed: a rank that gets no processor is late, too."""
    for prefix in (("chrt", "-r", "1"), ("nice", "-n", "-15")):
        if shutil.which(prefix[0]):
            tried = subprocess.run([*prefix, "true"], capture_output=True, check=False)
            if tried.returncode == 0 and not tried.stderr:
                return prefix
    return ()


def execute(program: Path, flavour: str, ranks: int, *arguments: object) -> tuple[Trace, str]:
    """The trace of a run, and what the program printed."""
    with tempfile.TemporaryDirectory(dir=program.parent) as out:
        variables = {"LD_PRELOAD": toolchain.interposers()[flavour], "STRIDEWISE_OUT": out}
        settings = [f"{key}={value}" for key, value in variables.items()]
        command = [f"mpirun.{flavour}", "-n", str(ranks), "env", *settings, str(program), *map(str, arguments)]
        command = [*_before_others(), *command]
        done = subprocess.run(
            command, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=True, timeout=300
        )
        merger = os.environ.get("STRIDEWISE_MERGE") or str(toolchain.merger())
        subprocess.run([merger, f"{out}/mpi"], check=True)
        return load(Path(out) / "mpi" / "trace.json"), done.stdout


def pauses(printed: str) -> list[tuple[float, float]]:
    """What a program says that its ranks slept, and how late they were, of each of its properties."""
    return [(float(slept), float(late)) for slept, late in re.findall(r"slept +([\d.]+) +late +([\d.]+)", printed)]


def run(prop: Property, program: Path, flavour: str, ranks: int, delay_ms: float, times: int, *, twin: bool) -> Outcome:
    """One run; the site is the one of the property's kind with the most waiting in the repeated part."""
    trace, printed = execute(program, flavour, ranks, delay_ms, times, *(["twin"] if twin else []))
    ((slept, late),) = pauses(printed)
    sites = [w for w in trace.waits if w.kind == prop.kind]
    site = max(sites, key=lambda w: w.seconds, default=None)
    return Outcome(trace, site, site.seconds / prop.waiting(ranks) if site else 0.0, slept, late)


def severity(prop: Property, program: Path, flavour: str, ranks: int, delay_ms: float, times: int) -> float:
    """Measured / injected: of the first run if that is right, else the median of several."""
    ratios: list[float] = []
    while len(ratios) < RUNS:
        outcome = run(prop, program, flavour, ranks, delay_ms, times, twin=False)
        ratios.append(outcome.measured / outcome.slept)
        if len(ratios) == 1 and abs(ratios[0] - 1) <= TOLERANCE:
            break
    return statistics.median(ratios)


def silence(prop: Property, program: Path, flavour: str, ranks: int, delay_ms: float, times: int) -> float:
    """What the twin is said to wait per rank and repetition beyond its measured lateness, as a share of the delay: the
    least of several runs, since disturbances only add waiting; no more runs than it takes to be silent."""
    shares: list[float] = []
    while len(shares) < RUNS and (not shares or shares[-1] >= SILENT_SHARE):
        outcome = run(prop, program, flavour, ranks, delay_ms, times, twin=True)
        shares.append(excess(outcome.measured / times, outcome.late, delay_ms))
    return min(shares)


def excess(seconds: float, late: float, delay_ms: float) -> float:
    """What a repetition is said to wait beyond the lateness that the run measured, as a share of the delay."""
    return max(0.0, seconds - late) / (1e-3 * delay_ms)


def grid() -> Iterator[tuple[str, int, float]]:
    """Flavour, ranks, delay. Ranks of MPICH never yield: with fewer processors than ranks, some are truly late."""
    processors = len(os.sched_getaffinity(0))
    for flavour in flavours():
        for ranks in (r for r in (2, 4, 8) if flavour == "openmpi" or r <= processors):
            for delay_ms in (2.0, 10.0, 50.0, 200.0):
                yield flavour, ranks, delay_ms


def main() -> int:
    parser = argparse.ArgumentParser(description="severities of injected properties")
    parser.add_argument("--grid", action="store_true", help="all delays and ranks instead of one of each")
    parser.add_argument("--times", type=int, default=8, help="repetitions within a run")
    parser.add_argument("--only", default="", help="part of a property's name")
    options = parser.parse_args()
    points = list(grid()) if options.grid else [(f, 2, 20.0) for f in flavours()]
    wrong = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for prop in PROPERTIES:
            if options.only not in prop.name:
                continue
            for flavour, ranks, delay_ms in points:
                program = build(prop.name, flavour, Path(folder))
                ratio = severity(prop, program, flavour, ranks, delay_ms, options.times)
                rest = silence(prop, program, flavour, ranks, delay_ms, options.times)
                good = abs(ratio - 1) <= TOLERANCE and rest < SILENT_SHARE
                total += 1
                wrong += not good
                print(
                    f"{prop.name:18} {flavour:8} {ranks} ranks {delay_ms:5.0f} ms: {100 * ratio:6.1f} % of the delay, "
                    f"twin {100 * rest:6.2f} %{'' if good else '  WRONG'}",
                    flush=True,
                )
    print(f"{total - wrong} of {total} within {TOLERANCE:.0%}, twins below {SILENT_SHARE:.1%} of the delay")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
