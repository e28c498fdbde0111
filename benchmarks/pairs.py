"""Measures what mending a rule's finding gains: each rule's `buggy` and `fixed` sample, or a step of a whole program.

    python benchmarks/pairs.py [--only REGEX] [--busy] [--repeat N] [-o docs/speedups.json]

Both programs are built with -O2, with sizes that make a run take some tenths of a second or more, and run by turns N
times. Compared are the smallest times, so that a busy machine disturbs both alike: user plus system time of the
process for programs of one thread; elapsed time for teams and ranks, whose waiting may be busy. Since elapsed time
counts other work of the machine too, teams and ranks are left out while there is any. The programs must print the
same. Whole runs are timed, with their start and initialisation, so that a figure is the gain of a program, not that
of its loop. A difference below 5 % is not told from noise.

Beside the seconds stands what the rule is about, counted by a watched run of both, which no other work disturbs:
messages, barriers, teams, tasks, simulated misses. --counts takes these alone.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests")]

from lit_format.hosts import mpi_environment  # noqa: E402
from stridewise.budget.items import UNITS  # noqa: E402

LBM = TOP / "tests" / "kernels" / "lbm"
LEAST_RATIO = 1.05
MOST_OTHERS = 0.3  # processors in use by others, where elapsed times are still worth something


@dataclass(frozen=True)
class Pair:
    """A rule's sample. Sizes are texts of both sources and what stands there instead. `witness` is what the rule is
    about: the kind of run that counts it, the unit (of stridewise.budget.items), and the names that count, all if
    there are none."""

    rule: str
    arguments: tuple[str, ...] = ()
    sizes: tuple[tuple[str, str], ...] = ()
    threads: int = 1
    ranks: int = 0
    witness: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """Two neighbouring steps of the Lattice-Boltzmann program: without and with the repair."""

    rule: str
    before: int
    after: int
    ranks: int = 2
    witness: tuple[str, ...] = ()


@dataclass(frozen=True)
class Witness:
    """What is counted, in the program with the defect and in the one without it."""

    what: str
    buggy: int
    fixed: int


@dataclass(frozen=True)
class Figure:
    rule: str
    program: str
    command: str
    measure: str  # cpu, elapsed
    buggy_seconds: float | None
    fixed_seconds: float | None
    witness: Witness | None = None

    def __str__(self) -> str:
        seconds = "not timed"
        if self.buggy_seconds is not None and self.fixed_seconds:
            ratio = self.buggy_seconds / self.fixed_seconds
            seconds = f"{self.buggy_seconds:8.3f} s {self.fixed_seconds:8.3f} s {ratio:6.2f}  {self.measure:8}"
        counted = f"  {self.witness.what}: {self.witness.buggy:,} → {self.witness.fixed:,}" if self.witness else ""
        return f"{self.rule:28} {seconds} {self.program}{counted}"


_MISSES, _FAR_MISSES = ("cache", "d1_misses"), ("cache", "ll_misses")
_TEAMS = ("omp", "teams")
_SENDS = ("mpi", "calls", "MPI_Send", "MPI_Isend")
WORK: tuple[Pair | Step, ...] = (
    Pair("mem-array-of-structs", ("400000", "60"), witness=_FAR_MISSES),
    Pair(
        "mem-handwritten-matmul",
        sizes=(("FUNCTIONS = 400, POINTS = 500", "FUNCTIONS = 900, POINTS = 900"),),
        witness=_MISSES,
    ),
    Pair("mem-power-of-two-stride", ("60",), witness=_MISSES),
    Pair("mem-strided-inner-loop", ("4000", "4000"), witness=_MISSES),
    Pair(
        "mem-struct-padding",
        sizes=(("count = 100000", "count = 4000000"), ("step < 8", "step < 30")),
        witness=_FAR_MISSES,
    ),
    Pair("mem-unblocked-stencil", ("20",), witness=_MISSES),
    Pair("mem-unblocked-transpose", witness=_MISSES),
    Pair("omp-adjacent-regions", sizes=(("s < 100;", "s < 10000;"),), threads=2, witness=_TEAMS),
    Pair("omp-barrier-in-loop", sizes=(("step < 50", "step < 20000"),), threads=2),
    Pair("omp-costly-schedule", sizes=(("step < 4", "step < 40"),), threads=2),
    Pair("omp-critical-section", sizes=(("POINTS 100000", "POINTS 1000000"),), threads=2, witness=("omp", "entries")),
    Pair("omp-false-sharing", sizes=(("count = 2000000", "count = 10000000"),), threads=2),
    Pair("omp-load-imbalance", sizes=(("step < 20", "step < 200"),), threads=2),
    Pair("omp-region-in-loop", sizes=(("step < 20", "step < 300"),), threads=2, witness=_TEAMS),
    Pair("omp-small-loop", threads=2, witness=_TEAMS),
    Pair("omp-tiny-tasks", threads=2, witness=("omp", "tasks")),
    Pair("mpi-duplicate-exchange", ("400",), ranks=2, witness=("mpi", "bytes")),
    Pair("mpi-fusable-collectives", ranks=2, witness=("mpi", "calls")),
    Pair("mpi-handmade-collective", ranks=4, witness=_SENDS),
    Pair("mpi-late-sender", ("60",), ranks=2),
    Pair("mpi-load-imbalance", ("200",), ranks=2),
    Pair("mpi-many-small-alltoall", ("4000",), ranks=2, witness=("mpi", "calls")),
    Pair("mpi-no-overlap", ("50",), ranks=2),
    Pair(
        "mpi-redundant-barrier",
        sizes=(("step < 100;", "step < 20000;"),),
        ranks=2,
        witness=("mpi", "calls", "MPI_Barrier"),
    ),
    Pair("mpi-strided-halo", sizes=(("STEPS 40", "STEPS 200"),), ranks=2),
    Pair("mpi-tiny-messages", sizes=(("step < 40;", "step < 400;"),), ranks=2, witness=_SENDS),
    Step("mpi-tiny-messages", 0, 1, witness=_SENDS),
    Step("mpi-redundant-barrier", 2, 3, witness=("mpi", "calls", "MPI_Barrier")),
    Step("mem-strided-inner-loop", 4, 5, ranks=0, witness=_MISSES),
    Step("run-sleep-in-loop", 6, 7),
    Pair("build-missed-vectorization", ("20000", "1000")),
    Pair("build-unoptimised", sizes=(("SWEEPS = 200", "SWEEPS = 4000"),)),
)


def built(work: Pair | Step, folder: Path) -> tuple[Path, Path]:
    """The program with the defect and without it."""
    if isinstance(work, Step):
        return lattice(work.before, folder), lattice(work.after, folder)
    return sample(work, "buggy", folder), sample(work, "fixed", folder)


def resized(work: Pair, name: str) -> str:
    """The source with the sizes of this measurement."""
    text = (TOP / "rules" / work.rule / f"{name}.c").read_text(encoding="utf-8")
    for old, new in work.sizes:
        if text.count(old) != 1:
            raise SystemExit(f"rules/{work.rule}/{name}.c: '{old}' is there {text.count(old)} times, expected once")
        text = text.replace(old, new)
    return text


def sample(work: Pair, name: str, folder: Path) -> Path:
    text = resized(work, name)
    flags = re.search(r"^// flags: (.*)$", text, re.MULTILINE)
    source, program = folder / f"{name}.c", folder / name
    source.write_text(text, encoding="utf-8")
    compiler = "mpicc" if "mpi.h" in text else "cc"
    command: list[str | Path] = [
        compiler,
        "-O2",
        "-g",
        *shlex.split(flags[1] if flags else ""),
        "-o",
        program,
        source,
        "-lm",
    ]
    subprocess.run(command, check=True)
    return program


def lattice(step: int, folder: Path) -> Path:
    build = folder / str(step)
    subprocess.run(["make", "-s", "-C", LBM, f"STEP={step}", f"BUILD={build}"], check=True)
    return build / "lbm"


def command_of(work: Pair | Step, program: Path) -> list[str]:
    words = [str(program), *(work.arguments if isinstance(work, Pair) else [str(LBM / "config.txt")])]
    return ["mpirun", "-n", str(work.ranks), *words] if work.ranks else words


def timed(command: Sequence[str], cpu: bool, environment: dict[str, str], folder: Path) -> tuple[float, str]:
    """Seconds of one run, and what it printed."""
    with tempfile.TemporaryFile("w+") as out:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=out, env=environment, cwd=folder)
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{shlex.join(command)} ended with status {process.returncode}")
        out.seek(0)
        return (usage.ru_utime + usage.ru_stime if cpu else elapsed), out.read()


def single(work: Pair | Step) -> bool:
    """Whether one thread does it all, so that its processor time tells."""
    return work.ranks == 0 and (isinstance(work, Step) or work.threads == 1)


def measure(work: Pair | Step, repeat: int, are_timed: bool) -> Figure:
    cpu = single(work)
    environment = os.environ | mpi_environment()
    if isinstance(work, Pair):
        environment |= {"OMP_NUM_THREADS": str(work.threads)}
    with tempfile.TemporaryDirectory() as folder:
        programs = built(work, Path(folder))
        commands = [command_of(work, program) for program in programs]
        best, printed = [float("inf")] * 2, ["", ""]
        for _ in range(repeat if are_timed else 1):
            for side, command in enumerate(commands):
                seconds, printed[side] = timed(command, cpu, environment, Path(folder))
                best[side] = min(best[side], seconds)
        if printed[0] != printed[1]:
            raise SystemExit(f"{work.rule}: the programs print {printed[0]!r} and {printed[1]!r}")
        witness = counted(work, commands, environment, Path(folder)) if work.witness else None
    name = "its sample" if isinstance(work, Pair) else f"Lattice-Boltzmann program, step {work.after}"
    shown = shlex.join(Path(word).name if "/" in word else word for word in commands[0])
    if isinstance(work, Pair) and work.threads > 1:
        shown = f"OMP_NUM_THREADS={work.threads} {shown}"
    before, after = best if are_timed else (None, None)
    return Figure(work.rule, name, shown, "cpu" if cpu else "elapsed", before, after, witness)


def counted(work: Pair | Step, commands: Sequence[Sequence[str]], environment: dict[str, str], folder: Path) -> Witness:
    """What watched runs count of both."""
    kind, unit, *names = work.witness
    found = []
    stridewise = str(Path(os.environ.get("STRIDEWISE_BUILD") or TOP / "build") / "bin" / "stridewise")
    for side, command in enumerate(commands):
        run, budget = folder / f"run-{side}", folder / f"budget-{side}.json"
        for words in (
            [stridewise, "run", f"--{kind}", "-o", str(run), "--", *command],
            [stridewise, "budget", str(run), "-o", str(budget)],
        ):
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise SystemExit(f"{shlex.join(words)} ended with status {done.returncode}: {done.stderr[-500:]}")
        items = json.loads(budget.read_text(encoding="utf-8"))["items"]
        found.append(sum(item["values"].get(unit, 0) for item in items if not names or item["name"] in names))
    return Witness(f"{names[0]} calls" if names else UNITS[unit], *found)


def machine() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        text = ""
    name = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    compiler = subprocess.run(["cc", "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    return f"{os.cpu_count()} cores of {name[1] if name else platform.machine()}; {compiler}"


def other_work(seconds: float = 0.5) -> float:
    """How many processors are busy while this program sleeps."""
    before, start = busy_ticks(), time.monotonic()
    time.sleep(seconds)
    return (busy_ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - start)


def busy_ticks() -> int:
    """Clock ticks in which any processor did work, from the first line of /proc/stat; waiting is none."""
    user, nice, system, _, _, interrupts, soft, *_ = map(int, Path("/proc/stat").read_text().split("\n")[0].split()[1:])
    return user + nice + system + interrupts + soft


def write(path: Path, figures: Sequence[Figure]) -> None:
    """The figures as JSON; those that the file has of other programs stay."""
    old: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else []
    new = [
        {
            "rule": figure.rule,
            "program": figure.program,
            "command": figure.command,
            "measure": figure.measure,
            **({} if figure.buggy_seconds is None else {"buggy_seconds": round(figure.buggy_seconds, 3)}),
            **({} if figure.fixed_seconds is None else {"fixed_seconds": round(figure.fixed_seconds, 3)}),
            **({"witness": asdict(figure.witness)} if figure.witness else {}),
        }
        for figure in figures
    ]
    known = {(row["rule"], row["program"]): row for row in old}
    known |= {(row["rule"], row["program"]): known.get((row["rule"], row["program"]), {}) | row for row in new}
    rows = list(known.values())
    rows.sort(key=lambda row: (str(row["rule"]), str(row["program"])))
    data = {"machine": machine(), "least_ratio": LEAST_RATIO, "figures": rows}
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="", help="rules whose name matches")
    parser.add_argument("--busy", action="store_true", help="teams and ranks too, although the machine has other work")
    parser.add_argument("--repeat", metavar="N", type=int, default=7, help="runs of each program (default: 7)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, help="put the figures into this file of the documentation"
    )
    parser.add_argument("--counts", action="store_true", help="what is counted alone, without seconds")
    options = parser.parse_args()
    figures = []
    for work in WORK:
        if not re.search(options.only, work.rule):
            continue
        timed_too = not options.counts
        if options.counts and not work.witness:
            continue
        if timed_too and not single(work) and not options.busy and (others := other_work()) > MOST_OTHERS:
            print(f"{work.rule:28} not timed: others use {others:.0%} of a processor (--busy measures all the same)")
            timed_too = False
            if not work.witness:
                continue
        figures.append(measure(work, options.repeat, timed_too))
        print(figures[-1], flush=True)
    if options.output:
        write(options.output, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
