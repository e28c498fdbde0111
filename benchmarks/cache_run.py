"""Measures what a cache run adds to plain Cachegrind, once per simulated geometry, and what a sampled run takes.

    benchmarks/cache_run.py [--repeat N] [--no-full] [--json FILE] [PROGRAM ARGUMENTS…]

User plus system time of all processes, the smallest of N, alternating; the slow full pass is made once. Without a
program the kernels of tests/kernels/cache_thrashing are built and measured, for some seconds each: the start of the
command is a fixed cost.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP)]

from stridewise.machine import geometry  # noqa: E402

KERNELS = TOP / "tests" / "kernels" / "cache_thrashing"
TARGET = 1.05


@dataclass(frozen=True)
class CacheTime:
    """Seconds of user plus system time."""

    name: str
    bare: float
    cachegrind: float  # plain, under the machine's own geometry
    run: float  # stridewise run --cache, one pass
    sampled: float  # stridewise run --cache --sample
    full: float | None  # plain Cachegrind, nearly fully associative

    @property
    def ratio(self) -> float:
        return self.run / self.cachegrind


def seconds(command: Sequence[str], folder: Path) -> float:
    """What the command and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = os.environ | {"PYTHONPATH": str(TOP)}
    subprocess.run(command, cwd=folder, env=environment, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(name: str, program: Sequence[str], folder: Path, repeat: int, with_full: bool = True) -> CacheTime:
    simulated = geometry.chosen({})
    tool = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={folder}/plain.out"]
    commands = {
        "bare": [*program],
        "cachegrind": [*tool, *simulated.options(), *program],
        "run": [sys.executable, "-m", "stridewise", "run", "--cache", "--", *program],
        "sampled": [sys.executable, "-m", "stridewise", "run", "--cache", "--sample", "--", *program],
        "full": [*tool, *simulated.full().options(), *program],
    }
    if not with_full:
        del commands["full"]
    best: dict[str, float] = dict.fromkeys(commands, float("inf"))
    for turn in range(repeat):
        for kind, command in commands.items():
            if kind != "full" or turn == 0:
                best[kind] = min(best[kind], seconds(command, folder))
    full = best.get("full")
    return CacheTime(name, best["bare"], best["cachegrind"], best["run"], best["sampled"], full)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-full", action="store_true", help="leave the slow full pass out")
    parser.add_argument("--json", type=Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is not installed", file=sys.stderr)
        return 2
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = {"": options.program} if options.program else {}
        if not programs:
            for source, times in (("thrash.c", 80), ("tile.c", 250_000), ("walks.c", 50)):
                target = folder / Path(source).stem
                subprocess.run(["gcc", "-O1", "-g", str(KERNELS / source), "-o", str(target)], check=True)
                programs[target.name] = [str(target), str(times)]
        for key, program in programs.items():
            results.append(measure(key or Path(program[0]).name, program, folder, options.repeat, not options.no_full))
    heads = f"{'program':12} {'bare':>8} {'Cachegrind':>11} {'run --cache':>12} {'ratio':>6}"
    print(f"{heads} {'--sample':>9} {'full pass':>10}   target {TARGET}")
    for r in results:
        full = f"{r.full:9.2f}s" if r.full is not None else f"{'-':>10}"
        print(
            f"{r.name:12} {r.bare:7.2f}s {r.cachegrind:10.2f}s {r.run:11.2f}s {r.ratio:6.2f} {r.sampled:8.2f}s {full}"
        )
    if options.json:
        options.json.write_text(json.dumps([asdict(r) for r in results], indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
