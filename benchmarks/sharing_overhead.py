"""Measures what a false-sharing run costs: user plus system time of the instrumented program against the bare one.

    benchmarks/sharing_overhead.py [--repeat N] [--threads T] [--only REGEX] [--json FILE]

The smallest of N, alternating, both built by Clang with the same options. Kernels are those of
tests/kernels/false_sharing; where STRIDEWISE_ZOO names a folder of checkouts, its LULESH is built with OpenMP and
measured, too. `idle` is the instrumented program started by itself, without the recorder.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
KERNELS = TOP / "tests" / "kernels" / "false_sharing"
TARGET = 10.0


@dataclass(frozen=True)
class Overhead:
    """Seconds of user plus system time."""

    name: str
    bare: float
    idle: float
    watched: float

    @property
    def ratio(self) -> float:
        return self.watched / self.bare


@dataclass(frozen=True)
class Program:
    name: str
    sources: tuple[Path, ...]
    flags: tuple[str, ...]
    arguments: tuple[str, ...]


def programs(zoo: Path | None) -> list[Program]:
    def kernel(label: str, name: str, *arguments: str, level: str = "-O2") -> Program:
        return Program(label, (KERNELS / f"{name}.c",), (level,), arguments)

    found = [
        kernel("columns, 100,000 x 200", "columns", "100000", "200", "1", "0"),
        kernel("columns -O0", "columns", "100000", "100", "1", "0", level="-O0"),
        kernel("shift 1", "shift", "1", "0", "50000000"),
        *(kernel(f"shift {n}", "shift", str(n), "20", "50000000") for n in (2, 4, 8, 12, 16, 32, 64)),
        kernel("neighbours", "twins", "20000000", "neighbours"),
        kernel("schedule(static, 1)", "twins", "20000000", "cyclic"),
        kernel("schedule(static)", "twins", "20000000", "blocks"),
        kernel("reduction", "twins", "20000000", "reduction"),
    ]
    lulesh = zoo / "LULESH" if zoo else None
    if lulesh and lulesh.is_dir():
        sources = tuple(sorted(lulesh.glob("lulesh*.cc")))
        found.append(Program("LULESH -s 30 -i 50", sources, ("-O3", "-DUSE_MPI=0"), ("-s", "30", "-i", "50", "-q")))
    return found


def build(program: Program, compiler: Sequence[str | Path], out: Path) -> Path:
    command = [*compiler, "-g", "-fopenmp", *program.flags, *program.sources, "-o", out, "-lm"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return out


def seconds(command: Sequence[str], environment: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program: Program, launcher: Path, folder: Path, threads: int, repeat: int) -> Overhead:
    cxx = program.sources[0].suffix == ".cc"
    clang = shutil.which("clang++-19" if cxx else "clang-19") or ("clang++" if cxx else "clang")
    bare = build(program, [clang], folder / "bare")
    shared = build(program, [launcher, "g++" if cxx else "gcc"], folder / "shared")
    (folder / "sharing").mkdir(exist_ok=True)
    # Threads that wait actively would be counted as work.
    plain = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    variants = {
        "bare": (bare, plain),
        "idle": (shared, plain),
        "watched": (shared, {**plain, "STRIDEWISE_SHARING_OUT": str(folder)}),
    }
    least = dict.fromkeys(variants, float("inf"))
    for _ in range(repeat):
        for name, (path, environment) in variants.items():
            least[name] = min(least[name], seconds([str(path), *program.arguments], environment))
    return Overhead(program.name, least["bare"], least["idle"], least["watched"])


def main() -> int:
    parser = argparse.ArgumentParser(description="what a false-sharing run costs")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    launcher = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")) / "bin" / "stridewise-share-cc"
    if not launcher.is_file():
        print(f"no {launcher}: build with cmake, with LLVM 19 installed", file=sys.stderr)
        return 2
    zoo = os.environ.get("STRIDEWISE_ZOO")
    results = []
    print(f"{'':24} {'bare':>8} {'idle':>8} {'watched':>8} {'ratio':>7}")
    for program in programs(Path(zoo) if zoo else None):
        if not re.search(options.only, program.name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            one = measure(program, launcher, Path(folder), options.threads, options.repeat)
        results.append(one)
        late = "" if one.ratio <= TARGET else f"  above the target of {TARGET:g}"
        print(
            f"{one.name:24} {one.bare:7.2f}s {one.idle:7.2f}s {one.watched:7.2f}s {one.ratio:6.1f}x{late}", flush=True
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n", encoding="utf-8")
    return 0 if all(r.ratio <= TARGET for r in results) else 1


if __name__ == "__main__":
    sys.exit(main())
