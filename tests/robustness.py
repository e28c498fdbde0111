#!/usr/bin/env python3
"""Runs the analyser over random programs, to see that none crashes it, hangs it or eats the machine's memory.

    tests/robustness.py [--language c|fortran] [--count 500] [--seed 1] [--jobs N] [--build BUILD] [--keep FOLDER]

Those in C and C++ are csmith's (https://github.com/csmith-project/csmith; Debian: csmith, libcsmith-dev), those in
Fortran our own (fortran_programs.py), which are analysed as one program. Each is analysed under limits of time and
memory; one that fails is named with its seed, kept in FOLDER, and makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOP))

import fortran_programs  # noqa: E402
from stridewise.lint import analysis  # noqa: E402

CPU_SECONDS = 30  # more is a hang; the clock may run longer, on a machine that has other work
LIMITS = analysis.Limits(seconds=float(CPU_SECONDS), resident_bytes=2 << 30)
HEADERS = Path("/usr/include/csmith")
# Kinds of programs: loops over arrays, pointers and records, bit-fields, long functions, floating point, C++.
STYLES = (
    "--max-array-dim 3 --max-array-len-per-dim 64 --no-volatiles",
    "--max-pointer-depth 4 --max-struct-fields 12 --max-union-fields 6",
    "--bitfields --packed-struct",
    "--max-funcs 4 --max-block-size 12 --max-block-depth 4",
    "--float --no-argc",
    "--lang-cpp --cpp11",
    "--builtins --jumps",
    "",
)


@dataclass(frozen=True)
class Outcome:
    seed: int
    style: str
    seconds: float
    failure: str  # empty: analysed


def generate(seed: int, folder: Path) -> tuple[Path, str] | None:
    """The program of that seed; None where csmith itself found no program in its time."""
    style = STYLES[seed % len(STYLES)]
    source = folder / f"{seed}{'.cpp' if 'cpp' in style else '.c'}"
    command = ["prlimit", "--cpu=10", "csmith", "--seed", str(seed), "-o", str(source), *style.split()]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return None
    return (source, style) if done.returncode == 0 and source.is_file() else None


def analyse(analyzer: Path, seed: int, folder: Path, keep: Path | None) -> Outcome | None:
    made = generate(seed, folder)
    if made is None:
        return None
    source, style = made
    result = folder / f"{seed}.json"
    level = ("-O0", "-O1", "-O2", "-O3")[seed // len(STYLES) % 4]
    limit = ["prlimit", f"--cpu={CPU_SECONDS}"]
    words = [*limit, str(analyzer), "-o", str(result), str(source), "--", level, f"-I{HEADERS}", "-w"]
    start = time.monotonic()
    failure = analysis.run_bounded(words, folder, LIMITS)
    seconds = time.monotonic() - start
    if not failure:
        value = json.loads(result.read_text(encoding="utf-8"))
        # Its C++ narrows constants, which is an error of the program.
        wrong = value["status"] == "errors" and source.suffix == ".cpp"
        if not wrong and (value["status"] != "ok" or value["stats"]["ir"] != "ok"):
            failure = f"status {value['status']}, IR {value['stats']['ir']}, {value['diagnostics'][:1]}"
    if failure and keep:
        keep.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, keep)
    source.unlink()
    result.unlink(missing_ok=True)
    return Outcome(seed, style, seconds, failure)


def fortran(build: Path, first: int, count: int, jobs: int, keep: Path | None) -> int:
    """Analyses the files of these seeds together, as `lint` does the units of a program."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        entries = []
        for seed in range(first, first + count):
            text, suffix = fortran_programs.program(seed)
            file = f"unit{seed}{suffix}"
            (folder / file).write_text(text, encoding="ascii")
            level = ("-O0", "-O2", "-O3")[seed % 3]
            openmp = ["-fopenmp"] if "!$omp" in text.lower() else []
            entries.append({"directory": name, "file": file, "arguments": ["mpif90", level, *openmp, "-g", "-c", file]})
        (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")
        words = [str(build / "bin" / "stridewise"), "lint", "--all", "-j", str(jobs), "--format", "json"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if not done.stdout:
            print(f"lint ended with status {done.returncode}: {done.stderr}", file=sys.stderr)
            return 1
        result = json.loads(done.stdout)
        problems = [problem for problem in result["problems"] if str(problem["where"]).startswith("unit")]
        for problem in problems:
            print(f"{problem['where']}: {problem['message']}: {'; '.join(problem['details'])}")
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                shutil.copy(folder / problem["where"], keep)
        stats = result["stats"]
        failed = count - stats["units_analysed"]
    seconds = time.monotonic() - start
    print(
        f"{count} programs from seed {first}: {failed} failed; {stats['functions']} procedures with {stats['loops']} "
        f"loops took {seconds:.0f} s"
    )
    return 1 if failed or problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", choices=("c", "fortran"), default="c", help="default: c, which has C++, too")
    parser.add_argument("--count", type=int, default=500, help="programs (default: %(default)s)")
    parser.add_argument("--seed", type=int, help="of the first program (default: another one each time)")
    parser.add_argument("--jobs", type=int, default=analysis.default_jobs(), help="programs at a time")
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where programs that fail are kept")
    options = parser.parse_args()
    if options.language == "fortran":
        first = random.randrange(1 << 20) if options.seed is None else options.seed
        return fortran(options.build.resolve(), first, options.count, options.jobs, options.keep)
    if not shutil.which("csmith") or not HEADERS.is_dir():
        print("csmith or its headers are not installed (Debian: csmith libcsmith-dev)", file=sys.stderr)
        return 2
    first = random.randrange(1 << 31) if options.seed is None else options.seed
    analyzer = options.build.resolve() / "bin" / "stridewise-analyze"
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(options.jobs) as pool:
        work = [
            pool.submit(analyse, analyzer, seed, Path(name), options.keep)
            for seed in range(first, first + options.count)
        ]
        outcomes = []
        for done in work:
            if outcome := done.result():
                outcomes.append(outcome)
                if outcome.failure:
                    print(f"seed {outcome.seed} ({outcome.style}): {outcome.failure}", flush=True)
    failed = sum(bool(outcome.failure) for outcome in outcomes)
    longest = max((outcome.seconds for outcome in outcomes), default=0.0)
    print(f"{len(outcomes)} programs from seed {first}: {failed} failed; the longest took {longest:.1f} s")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
