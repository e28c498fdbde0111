"""Whether what `stridewise check` compares exactly is the same each time, on a loaded machine, with both MPI libraries.

    python3 benchmarks/budget_repeat.py [--times 50] [--load 4] [--flavours openmpi,mpich] [--kinds mpi,omp,cache]

Builds the programs of tests/budget, makes a budget of each, and compares so many further runs with it, while `--load`
processes keep the processors busy. The last line of each kind says how many runs were within the budget, and how many
times longer the slowest run took than the fastest: what seconds would have made of the same. Exits with 1 if one
was not.
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
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TOP), str(TOP / "tests")]

from mpi_launch import LAUNCH  # noqa: E402

SOURCES = TOP / "tests" / "budget"
BUSY = "while True: pass"


def main() -> int:
    parser = argparse.ArgumentParser(description="repeats runs and compares each with the budget of the first")
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--load", type=int, default=2 * (os.cpu_count() or 1), help="busy processes beside")
    parser.add_argument("--flavours", default="openmpi,mpich")
    parser.add_argument("--kinds", default="mpi,omp,cache")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    jobs = [("mpi", flavour) for flavour in options.flavours.split(",") if "mpi" in kinds]
    jobs += [(kind, "") for kind in ("omp", "cache") if kind in kinds]
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(options.load)]
    try:
        return 1 if sum(repeat(kind, flavour, options.times) for kind, flavour in jobs) else 0
    finally:
        for process in busy:
            process.kill()
            process.wait()


def repeat(kind: str, flavour: str, times: int) -> int:
    """How many runs were not within the budget."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        words = build(kind, flavour, folder)
        stridewise(folder, "run", *words)
        stridewise(folder, "budget", "stridewise-out")
        places = len(json.loads((folder / "stridewise-budget.json").read_text())["items"])
        seconds, outside = [], 0
        for number in range(times):
            begin = time.monotonic()
            stridewise(folder, "run", *words)
            seconds.append(time.monotonic() - begin)
            told = stridewise(folder, "check", "stridewise-out")
            if told.returncode != 0 or "within the budget" not in told.stdout or "less" in told.stdout:
                outside += 1
                print(f"  run {number + 1}: {told.stdout.strip()}{told.stderr.strip()}")
        print(
            f"{kind} {flavour}: {times - outside} of {times} within the budget of {places} places; the slowest run "
            f"took {max(seconds) / min(seconds):.1f} times the fastest",
            flush=True,
        )
    return outside


def build(kind: str, flavour: str, folder: Path) -> Sequence[str]:
    """The options and the command of `stridewise run`, below the folder's own sources."""
    name = "messages" if kind == "mpi" else "loops"
    shutil.copy(SOURCES / f"{name}.c", folder)
    if kind == "mpi":
        subprocess.run([f"mpicc.{flavour}", "-g", "-O1", "messages.c", "-o", name], cwd=folder, check=True)
        return ["--memory", "--", f"mpirun.{flavour}", "-n", "4", "./messages"]
    subprocess.run(["clang-19", "-g", "-O1", "-fopenmp", "loops.c", "-o", name], cwd=folder, check=True)
    return [f"--{kind}", "--", "./loops"]


def stridewise(folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **LAUNCH, "OMP_NUM_THREADS": "2"}
    command = [sys.executable, "-m", "stridewise", *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return done


if __name__ == "__main__":
    sys.exit(main())
