#!/usr/bin/env python3
"""Measures what the interposer adds to an MPI call, beside mpiP built from its own sources.

    benchmarks/mpi_overhead.py --build DIR [--beside DIR] [--mpip-source DIR] [--osu-source DIR] [--json FILE]
                               [--repeat N] [--calls-only]

Each figure is the best of several rounds, and of several runs that alternate between the bare program, the interposer
and mpiP, so that a busy machine disturbs all alike. Times are nanoseconds per call, for the ping-pong per half round
trip (one send and one receive), for two threads the processor time of a call while both call. Another build of the
interposer can be measured beside this one. With the sources of the OSU micro-benchmarks, their latency is measured,
too; a lattice-Boltzmann program stands for an application; and a long loop of events shows that memory does not grow.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET_NS = 100
MEASURES = {
    "iprobe": "MPI_Iprobe",
    "send_null": "MPI_Send, no peer",
    "send_null_deep": "MPI_Send, no peer, 4 callers more",
    "nonblocking": "MPI_Isend, _Irecv, _Waitall, no peer",
    "allreduce_self": "MPI_Allreduce, one rank",
    "self_4096": "MPI_Sendrecv to itself, 4 KiB",
    "self_65536": "MPI_Sendrecv to itself, 64 KiB",
    "self_1048576": "MPI_Sendrecv to itself, 1 MiB",
    "ping_pong_half": "8 B half round trip",
    "threads_send": "MPI_Send, no peer, two threads",
}
# Not small messages of one thread: two are in runs of their own, three copy and look at a payload.
OTHERS = {"ping_pong_half", "threads_send", "self_4096", "self_65536", "self_1048576"}
OSU_BYTES = (8, 4096, 65536, 1048576)
LBM_CONFIG = """width = 1600
height = 800
iterations = 40
ranks_x = 1
save_interval = 40
save_pause_ms = 0
threads = 1
obstacle_x = 400
obstacle_y = 410
obstacle_radius = 60
inflow_speed = 0.1
viscosity = 0.02
output = lbm.raw
"""
APPLICATION_LIMIT = 0.03
CALL_COUNT = slice(136, 144)  # of struct sw_header
LAUNCH = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}


@dataclass(frozen=True)
class Flavour:
    """Results with one MPI; times in ns, None where not measured."""

    name: str
    bare: dict[str, float]
    stridewise: dict[str, float]
    beside: dict[str, float] | None  # with another build of the interposer
    mpip: dict[str, float] | None
    shard_bytes_per_rank: int
    running_bytes_per_rank: int
    resident_bytes: dict[str, int]  # that the interposer adds, by number of events
    osu: dict[str, tuple[float, float]]  # latency in µs by message size, bare and watched
    lbm: tuple[float, float]  # seconds, bare and watched
    lbm_calls: int  # of one rank

    def added(self, measure: str) -> float:
        """What the interposer adds."""
        return self.stridewise[measure] - self.bare[measure]

    def added_by(self, others: dict[str, float] | None, measure: str) -> str:
        """What another library adds."""
        return f"{others[measure] - self.bare[measure]:.0f}" if others and measure in others else "-"


def launch(flavour: str, program: Path, rounds: int, calls: int, **environment: str) -> dict[str, float]:
    """Both runs of the program; raises CalledProcessError."""
    output = ""
    for ranks, more in (("2", {}), ("1", {"OVERHEAD_THREADS": "1"})):
        command = [f"mpirun.{flavour}", "-n", ranks, str(program), str(rounds), str(calls)]
        settings = {**os.environ, **LAUNCH, **environment, **more}
        output += subprocess.run(command, env=settings, capture_output=True, text=True, check=True).stdout
    lines = (line.split() for line in output.splitlines())
    return {words[0]: float(words[1]) for words in lines if len(words) == 2 and words[0] in MEASURES}


def osu_latency(flavour: str, source: Path, library: Path, folder: Path, repeat: int) -> dict[str, tuple[float, float]]:
    """Best latencies by message size."""
    program, pt2pt = folder / f"osu-{flavour}", source / "mpi" / "pt2pt"
    files = [pt2pt / "osu_latency.c", pt2pt / "osu_pt2pt.c"]
    command = [f"mpicc.{flavour}", "-O2", "-w", f"-I{pt2pt}", "-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2"]
    subprocess.run([*command, "-o", program, *files], check=True)
    found: list[dict[str, float]] = [{}, {}]
    for _ in range(repeat):
        for into, environment in zip(found, ({}, watched(library, folder / f"out-osu-{flavour}")), strict=True):
            result = subprocess.run(
                [f"mpirun.{flavour}", "-n", "2", str(program)],
                env={**os.environ, **LAUNCH, **environment},
                capture_output=True,
                text=True,
                check=True,
            )
            rows = (line.split() for line in result.stdout.splitlines() if not line.startswith("#"))
            best(into, {row[0]: float(row[1]) for row in rows if len(row) == 2 and int(row[0]) in OSU_BYTES})
    return {size: (found[0][size], found[1][size]) for size in found[0]}


def lbm_seconds(flavour: str, library: Path, folder: Path, repeat: int) -> tuple[tuple[float, float], int]:
    """Best times of the lattice-Boltzmann program, without and with the interposer, and the MPI calls of a rank."""
    source = HERE.parent / "tests" / "kernels" / "lbm"
    build = folder / f"lbm-{flavour}"
    command: list[str | Path] = [
        "make",
        "-s",
        "-C",
        source,
        f"BUILD={build}",
        "STEP=fixed",
        f"CC=mpicc.{flavour}",
        "CFLAGS=-O2 -w",
    ]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "lbm.txt").write_text(LBM_CONFIG, encoding="utf-8")
    times = [float("inf"), float("inf")]
    for _ in range(repeat):
        for which, environment in enumerate(({}, watched(library, folder / f"out-lbm-{flavour}"))):
            begin = time.monotonic()
            subprocess.run(
                [f"mpirun.{flavour}", "-n", "2", str(build / "lbm"), str(folder / "lbm.txt")],
                env={**os.environ, **LAUNCH, **environment},
                cwd=folder,
                capture_output=True,
                check=True,
            )
            times[which] = min(times[which], time.monotonic() - begin)
    shards = (folder / f"out-lbm-{flavour}").glob("mpi/*.swshard")
    calls = max(int.from_bytes(shard.read_bytes()[CALL_COUNT], "little") for shard in shards)
    return (times[0], times[1]), calls


def watched(library: Path, out: Path) -> dict[str, str]:
    return {"LD_PRELOAD": str(library), "STRIDEWISE_OUT": str(out), "STRIDEWISE_QUIET": "1"}


def resident_bytes(flavour: str, program: Path, library: Path, folder: Path, counts: Sequence[int]) -> dict[str, int]:
    """What the interposer adds to the resident memory of a rank after so many events."""
    added: dict[str, int] = {}
    for count in counts:
        kilobytes = []
        for environment in ({}, watched(library, folder / f"out-events-{flavour}")):
            result = subprocess.run(
                [f"mpirun.{flavour}", "-n", "1", str(program)],
                env={**os.environ, **LAUNCH, **environment, "OVERHEAD_EVENTS": str(count)},
                capture_output=True,
                text=True,
                check=True,
            )
            kilobytes.append(int(result.stdout.split()[-1]))
        added[f"{count:.0e}"] = (kilobytes[1] - kilobytes[0]) << 10
    return added


def best(into: dict[str, float], new: dict[str, float]) -> None:
    for name, value in new.items():
        into[name] = min(value, into.get(name, value))


def build_mpip(source: Path, flavour: str, folder: Path) -> Path | None:
    """libmpiP.so for this MPI, built in a copy of the sources; None (and a word on stderr) if that fails."""
    copy = folder / f"mpip-{flavour}"
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns(".git"))
    compilers = [f"CC=mpicc.{flavour}", f"FC=mpif77.{flavour}", f"F77=mpif77.{flavour}"]
    steps = (["./configure", "--disable-libunwind", "--disable-bfd", *compilers], ["make", "PYTHON=python3", "shared"])
    environment = {"LOGNAME": "bench", **os.environ}
    for step in steps:
        result = subprocess.run(step, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            print(f"mpiP could not be built: {' '.join(step)} failed", file=sys.stderr)
            return None
    library = copy / "libmpiP.so"
    return library if library.exists() else None


def measure(flavour: str, library: Path, folder: Path, options: argparse.Namespace) -> Flavour:
    """All figures with one MPI."""
    mpip_source, repeat = options.mpip_source, max(1, options.repeat)
    program = folder / f"overhead-{flavour}"
    source = HERE / "mpi_overhead" / "overhead.c"
    subprocess.run([f"mpicc.{flavour}", "-O2", "-g", "-w", "-pthread", "-o", program, source], check=True)
    mpip = build_mpip(mpip_source, flavour, folder) if mpip_source else None
    bare: dict[str, float] = {}
    ours: dict[str, float] = {}
    other: dict[str, float] = {}
    theirs: dict[str, float] = {}
    out = folder / f"out-{flavour}"
    preload = {"LD_PRELOAD": str(library), "STRIDEWISE_QUIET": "1"}
    for _ in range(repeat):
        best(bare, launch(flavour, program, 20, 2000))
        shutil.rmtree(out, ignore_errors=True)
        best(ours, launch(flavour, program, 20, 2000, **preload, STRIDEWISE_OUT=str(out)))
        if options.beside:
            another = {**preload, "LD_PRELOAD": str(options.beside / "lib" / flavour / library.name)}
            best(other, launch(flavour, program, 20, 2000, **another, STRIDEWISE_OUT=str(folder / "out-beside")))
        if mpip:
            best(theirs, launch(flavour, program, 20, 2000, LD_PRELOAD=str(mpip), MPIP=f"-f {folder}"))
    if options.calls_only:
        return Flavour(flavour, bare, ours, other, theirs if mpip else None, 0, 0, {}, {}, (0, 0), 0)
    closed = max(path.stat().st_size for path in out.glob("mpi/*.swshard"))
    running = running_bytes(flavour, program, library, folder)
    resident = resident_bytes(flavour, program, library, folder, (1_000_000, options.events))
    osu = osu_latency(flavour, options.osu_source, library, folder, repeat) if options.osu_source else {}
    lbm, calls = lbm_seconds(flavour, library, folder, repeat)
    return Flavour(flavour, bare, ours, other, theirs if mpip else None, closed, running, resident, osu, lbm, calls)


def running_bytes(flavour: str, program: Path, library: Path, folder: Path) -> int:
    """Size of a shard whose program ended before MPI_Finalize, plus the library's own tables."""
    sections = subprocess.run(["size", "-B", library], capture_output=True, text=True, check=True).stdout
    _, data, bss, *_ = sections.splitlines()[1].split()
    out = folder / f"out-{flavour}-running"
    environment = {"LD_PRELOAD": str(library), "STRIDEWISE_OUT": str(out), "STRIDEWISE_QUIET": "1"}
    # Ending without MPI_Finalize is an error to some launchers.
    command = [f"mpirun.{flavour}", "-n", "2", str(program), "1", "1"]
    settings = {**os.environ, **LAUNCH, **environment, "OVERHEAD_EXIT": "1"}
    subprocess.run(command, env=settings, capture_output=True, check=False)
    return max(path.stat().st_size for path in out.glob("mpi/*.swshard")) + int(data) + int(bss)


def report(results: list[Flavour]) -> None:
    """Prints the table."""
    print(f"{'':46}{'bare':>9}{'with':>9}{'added':>9}{'target':>9}{'other adds':>12}{'mpiP adds':>12}   ns")
    for result in results:
        for name, title in MEASURES.items():
            if name not in result.bare:
                continue
            target = f"{TARGET_NS}" if name not in OTHERS else ""
            print(
                f"{result.name + ': ' + title:46}{result.bare[name]:9.0f}{result.stridewise[name]:9.0f}"
                f"{result.added(name):9.0f}{target:>9}"
                f"{result.added_by(result.beside, name):>12}{result.added_by(result.mpip, name):>12}"
            )
        if not result.lbm_calls:
            continue
        print(
            f"{result.name}: {result.running_bytes_per_rank / 2**20:.1f} MiB a rank while it runs, "
            f"{result.shard_bytes_per_rank / 2**20:.1f} MiB left on disk"
        )
        grown = ", ".join(
            f"{size / 2**20:.1f} MiB after {count} events" for count, size in result.resident_bytes.items()
        )
        print(f"{result.name}: resident memory added: {grown}")
        for size, (bare, with_it) in result.osu.items():
            print(
                f"{result.name + ': OSU latency, ' + size + ' B':46}{1000 * bare:9.0f}{1000 * with_it:9.0f}"
                f"{1000 * (with_it - bare):9.0f}   {(with_it / bare - 1):+.1%}"
            )
        # What does not depend on who else uses the machine: calls times what each adds.
        each = max(result.added(name) for name in MEASURES if name not in OTHERS)
        print(
            f"{result.name}: a message adds {2 * each / 1000:.2f} us to a half round trip: 1 % of {0.2 * each:.0f} us"
        )
        bare, with_it = result.lbm
        share = result.lbm_calls * each * 1e-9 / bare
        print(
            f"{result.name}: lattice-Boltzmann program, {result.lbm_calls} calls a rank add {share:.2%} by that figure"
        )
        more = f"{with_it / bare - 1:+.1%} (target {APPLICATION_LIMIT:.0%})"
        print(f"{result.name}: lattice-Boltzmann program {bare:.2f} s, watched {with_it:.2f} s: {more}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="build folder, with lib/<mpi>/libstridewise_mpi.so")
    default = os.environ.get("STRIDEWISE_MPIP_SOURCE")
    parser.add_argument("--mpip-source", type=Path, default=Path(default) if default else None, help="mpiP's sources")
    default = os.environ.get("STRIDEWISE_OSU_SOURCE")
    parser.add_argument("--osu-source", type=Path, default=Path(default) if default else None, help="OSU's sources")
    parser.add_argument("--beside", type=Path, help="another build folder, to compare with")
    parser.add_argument("--calls-only", action="store_true", help="only what a call adds")
    parser.add_argument("--events", type=int, default=100_000_000, help="length of the loop that shows fixed memory")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each kind")
    arguments = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="stridewise-bench-") as folder:
        for flavour in ("openmpi", "mpich"):
            library = (arguments.build / "lib" / flavour / "libstridewise_mpi.so").resolve()
            if not library.exists() or not shutil.which(f"mpicc.{flavour}"):
                print(f"{flavour}: not measured, no library or no compiler")
                continue
            try:
                results.append(measure(flavour, library, Path(folder), arguments))
            except (subprocess.CalledProcessError, OSError) as error:
                print(f"{flavour}: {error}", file=sys.stderr)
                return 1
    report(results)
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(r) for r in results], indent=2) + "\n", encoding="utf-8")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
