#!/usr/bin/env python3
"""Measures what the OpenMP recorder adds to constructs, and to LULESH if its sources are there.

    benchmarks/omp_overhead.py --build DIR [--lulesh DIR] [--json FILE] [--repeat N]

Both sides run on LLVM's OpenMP library. Each figure is the best of several rounds, and of several runs that alternate
between the bare and the watched program, so that a busy machine disturbs both alike. A second figure for LULESH needs
no quiet machine: the events that the recorder counted, times what one event costs it, over the bare time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP))

from stridewise.runs.omp import shards as omp_shards  # noqa: E402
from stridewise.runs.omp.trace import Region, Trace, Wait, Work  # noqa: E402
from stridewise.settings import toolchain  # noqa: E402

HERE = Path(__file__).resolve().parent
TARGET_SHARE = 0.03
NAMES = {
    "parallel": "parallel region",
    "for_static": "static loop and its barrier",
    "barrier": "barrier",
    "chunk_dynamic": "chunk of schedule(dynamic, 1)",
    "critical": "critical section, contended",
    "task": "task",
}
LULESH = ("-s", "30", "-i", "25", "-q")  # its default size


def run(command: Sequence[str | Path], environment: Mapping[str, str]) -> str:
    """Standard output of one run; raises CalledProcessError."""
    words = [str(word) for word in command]
    given = {**os.environ, "OMP_NUM_THREADS": "2", **environment}
    return subprocess.run(words, env=given, capture_output=True, text=True, check=True).stdout


def environments(build: Path, out: Path, gnu: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Of the bare and of the watched run."""
    recorder, library = build / "lib" / toolchain.OMP_RECORDER, toolchain.llvm_openmp()
    bare = {"LD_PRELOAD": str(library)} if gnu else {}
    watched = {"OMP_TOOL_LIBRARIES": str(recorder), "STRIDEWISE_OUT": str(out)}
    if os.access("/dev/shm", os.W_OK):  # as `stridewise run` does it
        watched["STRIDEWISE_SCRATCH"] = f"/dev/shm/stridewise-benchmark.{os.getpid()}"
    if gnu:
        watched["LD_PRELOAD"] = f"{recorder}:{library}"
    return bare, watched


def constructs(program: Path, sides: Sequence[Mapping[str, str]], repeat: int) -> list[dict[str, float]]:
    """Best nanoseconds per construct, bare and watched."""
    found: list[dict[str, float]] = [{}, {}]
    for _ in range(repeat):
        for into, environment in zip(found, sides, strict=True):
            for line in run([program], environment).splitlines():
                name, value = line.split()
                into[name] = min(into.get(name, float("inf")), float(value))
    return found


def lulesh_seconds(program: Path, sides: Sequence[Mapping[str, str]], repeat: int) -> list[float]:
    """Best elapsed times, bare and watched."""
    best = [float("inf"), float("inf")]
    for _ in range(repeat):
        for which, environment in enumerate(sides):
            begin = time.monotonic()
            run([program, *LULESH], environment)
            best[which] = min(best[which], time.monotonic() - begin)
    return best


def events(trace: Trace) -> int:
    """Regions and meetings of the busiest thread: each is one entry and one exit."""
    threads: dict[int, int] = {}
    entries: list[Region | Wait | Work] = [*trace.regions, *trace.waits, *trace.works]
    for entry in entries:
        threads[entry.thread] = threads.get(entry.thread, 0) + entry.count
    return max(threads.values(), default=0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--lulesh", type=Path, help="a checkout of LULESH 2.0 (default: below STRIDEWISE_ZOO)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    zoo = os.environ.get("STRIDEWISE_ZOO")
    source = options.lulesh or (Path(zoo) / "LULESH" if zoo else None)
    if not (options.build / "lib" / toolchain.OMP_RECORDER).is_file() or toolchain.llvm_openmp() is None:
        print("the OpenMP recorder or LLVM's OpenMP library is missing")
        return 1
    result: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for compiler, cxx in (("gcc", "g++"), ("clang-19", "clang++-19")):
            program = folder / f"overhead-{compiler}"
            command: list[str | Path] = [
                compiler,
                "-O2",
                "-fopenmp",
                HERE / "omp_overhead" / "overhead.c",
                "-o",
                program,
            ]
            run(command, {})
            sides = environments(options.build.resolve(), folder / f"out-{compiler}", compiler == "gcc")
            bare, watched = constructs(program, sides, options.repeat)
            print(f"{compiler}, 2 threads: nanoseconds, best of {options.repeat} runs")
            for measure, text in NAMES.items():
                added = watched[measure] - bare[measure]
                print(f"  {text:32} {bare[measure]:9.1f} bare {watched[measure]:9.1f} watched {added:+9.1f}")
            result[compiler] = {"bare": bare, "watched": watched}
            if source is None or not source.is_dir():
                continue
            lulesh = folder / f"lulesh-{compiler}"
            run([cxx, "-O3", "-w", "-fopenmp", "-DUSE_MPI=0", *sorted(source.glob("*.cc")), "-o", lulesh], {})
            times = lulesh_seconds(lulesh, sides, options.repeat)
            shards = sorted((folder / f"out-{compiler}" / "omp").glob("*.swomp"), key=lambda p: p.stat().st_mtime)
            trace, _ = omp_shards.read(shards[-1:])
            each = max(0.0, watched["parallel"] - bare["parallel"]) / 2
            counted = events(trace) * each * 1e-9 / times[0]
            ratio = times[1] / times[0] - 1
            print(
                f"  LULESH {' '.join(LULESH)}: {times[0]:.3f} s bare, {times[1]:.3f} s watched: {100 * ratio:+.1f} %; "
                f"{events(trace):,} events of a thread at {each:.0f} ns: {100 * counted:.2f} % "
                f"(target: at most {100 * TARGET_SHARE:.0f} %)"
            )
            result[f"lulesh {compiler}"] = {"bare": times[0], "watched": times[1], "counted_share": counted}
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
