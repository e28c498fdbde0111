"""Whether the gate names each of four changes by its line, and silent on one of nothing, on a loaded machine.

    python3 benchmarks/budget_gate.py [--times 20] [--load 4] [--flavours openmpi,mpich] [--kinds messages,loops]

The programs are those of tests/budget, each with its budget: messages.c by each MPI library, loops.c by OpenMP,
Cachegrind and lint. A change is a rebuilt program whose lines have moved, run and checked so many times while `--load`
processes keep the processors busy. Says how many times the gate was right on each; exits with 1 if it was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import budget_repeat

NOTHING = "NOTHING"
# What the gate must name, by the change: the name of the place, and words of the line that it stands at.
MESSAGES = {"MORE_MESSAGES": ("MPI_Sendrecv", "next, 2"), "BARRIER": ("MPI_Barrier", "MPI_Barrier"), NOTHING: None}
LOOPS = {"REGION": ("parallel", "omp parallel for"), "ORDER": ("mem-strided-inner-loop", "for (int i"), NOTHING: None}
FLAGS = ("-g", "-O1", "-fopenmp")

Named = tuple[str, str] | None


def main() -> int:
    parser = argparse.ArgumentParser(description="changes programs and asks the gate, on a loaded machine")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 1), help="busy processes beside")
    parser.add_argument("--flavours", default="openmpi,mpich")
    parser.add_argument("--kinds", default="messages,loops")
    options = parser.parse_args()
    jobs = [("messages", flavour) for flavour in options.flavours.split(",")] + [("loops", "")]
    busy = [subprocess.Popen([sys.executable, "-c", budget_repeat.BUSY]) for _ in range(options.load)]
    try:
        wrong = [gate(kind, flavour, options.times) for kind, flavour in jobs if kind in options.kinds.split(",")]
        return 1 if sum(wrong) else 0
    finally:
        for process in busy:
            process.kill()
            process.wait()


def gate(kind: str, flavour: str, times: int) -> int:
    """How often the gate was wrong."""
    changes: Mapping[str, Named] = MESSAGES if kind == "messages" else LOOPS
    wrong = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        build(kind, flavour, folder, "")
        words = run(kind, flavour, folder)
        budget_repeat.stridewise(folder, "budget", *words)
        for change, named in changes.items():
            build(kind, flavour, folder, change)
            right = 0
            for _ in range(times):
                run(kind, flavour, folder)
                right += is_right(folder, words, folder / f"{kind}.c", named)
            print(f"{kind} {flavour} {change}: right {right} of {times} times", flush=True)
            wrong += times - right
    return wrong


def build(kind: str, flavour: str, folder: Path, change: str) -> None:
    """The program as a change leaves it: its lines have moved."""
    text = (budget_repeat.SOURCES / f"{kind}.c").read_text()
    moved = f"/* A comment\n   that moves\n   all lines. */\n#define {change}\n{text}" if change else text
    (folder / f"{kind}.c").write_text(moved)
    compiler = [f"mpicc.{flavour}", "-g", "-O1"] if flavour else ["clang-19", *FLAGS]
    subprocess.run([*compiler, f"{kind}.c", "-o", kind], cwd=folder, check=True)


def run(kind: str, flavour: str, folder: Path) -> Sequence[str]:
    """What `budget` and `check` are given."""
    if kind == "messages":
        budget_repeat.stridewise(folder, "run", "--", f"mpirun.{flavour}", "-n", "4", "./messages")
        return ["stridewise-out"]
    for watched in ("--omp", "--cache"):
        budget_repeat.stridewise(folder, "run", watched, "--", "./loops")
    linted = budget_repeat.stridewise(folder, "lint", "--format", "json", "loops.c", "--", *FLAGS)
    (folder / "lint.json").write_text(linted.stdout)
    return ["stridewise-out", "--lint", "lint.json"]


def is_right(folder: Path, words: Sequence[str], source: Path, named: Named) -> bool:
    told = budget_repeat.stridewise(folder, "check", *words, "--format", "json")
    dearer = [change for change in json.loads(told.stdout)["changes"] if change["kind"] in ("new", "more")]
    if named is None:
        return told.returncode == 0 and not dearer
    name, text = named
    lines = {n for n, line in enumerate(source.read_text().splitlines(), 1) if text in line}
    found = any(change["name"] == name and change["line"] in lines for change in dearer)
    if not found:
        print(told.stdout, file=sys.stderr)
    return told.returncode == 1 and found


if __name__ == "__main__":
    sys.exit(main())
