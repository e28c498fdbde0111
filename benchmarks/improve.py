"""What `stridewise improve` makes of the 30 programs of PolyBench/C, each built by `make` with -O2.

    build/venv/bin/python benchmarks/improve.py POLYBENCH [--only REGEX] [--size LARGE] [--scale F]
                                                     [--round-seconds S] [--minutes M] [-o FOLDER]

POLYBENCH is a checkout of PolyBench/C 4.2. Timed runs print nothing; after each one all results are printed by another
and compared with the original's. Prints a Markdown table: wall and processor time, steps kept and undone, and
the geometric means. Results of a program that was improved before are taken from FOLDER.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parents[1]
MAKEFILE = """CC = gcc
CFLAGS = -O2 -g {extents} -I.
app: {source} polybench.c
\t$(CC) $(CFLAGS) -o $@ {source} polybench.c -lm
"""
# PolyBench prints all results where it is called so; a hundredth is what it prints.
CHECK = """#!/usr/bin/env python3
import pathlib, subprocess, sys
said = subprocess.run([""] + 42 * ["-"], executable="./app", stderr=subprocess.PIPE, check=True).stderr.split()
reference = pathlib.Path("reference")
if len(sys.argv) > 1:
    reference.write_bytes(b" ".join(said))
wanted = reference.read_bytes().split()
assert len(said) == len(wanted) > 10, "another form"
for one, other in zip(said, wanted):
    if one != other:
        difference = abs(float(one) - float(other))
        assert difference <= 0.011 + 1e-9 * abs(float(other)), f"{one}, not {other}"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("polybench", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")
    parser.add_argument("--size", default="LARGE", help="PolyBench's name of the data set (default: %(default)s)")
    parser.add_argument("--scale", type=float, default=1.0, help="of every extent of that size (default: %(default)g)")
    parser.add_argument("--round-seconds", default="20")
    parser.add_argument("--minutes", default="60", help="for each program (default: %(default)s)")
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "improve-polybench")
    options = parser.parse_args()
    sources = (options.polybench / "utilities" / "benchmark_list").read_text(encoding="utf-8").split()
    rows, faster, less = [], [], []
    for name in sources:
        source = Path(name)
        if not re.search(options.only, source.stem):
            continue
        found = improved(options.polybench, source, options.output / source.stem, options)
        if found is None:
            rows.append(f"| {source.stem} | did not run | | | | |")
            continue
        kept = [step["title"] for step in found["steps"] if step["kept"]]
        before, after = found["seconds"]["before"], found["seconds"]["after"]
        faster.append(found["gain"])
        less.append(found["cpu_gain"])
        undone = len(found["steps"]) - len(kept)
        shown = f"{before:.2f} s | {after:.2f} s | {found['gain']:.2f} | {'; '.join(kept)} | {undone} |"
        rows.append(f"| {source.stem} | {shown}")
        print(rows[-1], file=sys.stderr, flush=True)
    print("| program | before | after | times faster | kept | undone |\n|---|---:|---:|---:|---|---:|")
    print("\n".join(rows))
    if faster:
        print(f"\nGeometric mean: {mean(faster):.2f} times faster, {mean(less):.2f} times less processor time.")
    return 0


def mean(values: list[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def extents(header: str, size: str, scale: float) -> str:
    """Options that define a data set's extents, which its header gives for each size."""
    if scale == 1.0:
        return f"-D{size}_DATASET"
    block = re.search(rf"ifdef {size}_DATASET(.*?)endif", header, re.DOTALL)
    found = re.findall(r"define\s+(\w+)\s+(\d+)", block[1]) if block else []
    return " ".join(f"-D{name}={max(1, round(int(value) * scale))}" for name, value in found)


def improved(top: Path, source: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any] | None:
    """The waterfall of one program."""
    result = folder / "stridewise-improve" / "waterfall.json"
    if not result.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path in [*(top / source.parent).iterdir(), *(top / "utilities").glob("polybench.[ch]")]:
            if path.suffix in (".c", ".h"):
                shutil.copy(path, folder)
        header = (folder / source.with_suffix(".h").name).read_text(encoding="utf-8")
        defined = extents(header, options.size, options.scale)
        (folder / "Makefile").write_text(MAKEFILE.format(extents=defined, source=source.name), encoding="utf-8")
        check = folder / "check"
        check.write_text(CHECK, encoding="utf-8")
        check.chmod(0o755)
        subprocess.run(["make", "-s", "app"], cwd=folder, check=True)
        subprocess.run(["./check", "learn"], cwd=folder, check=True)
        limits = ["--check", "./check", "--round-seconds", options.round_seconds, "--minutes", options.minutes]
        words: list[str | Path] = [TOP / "build" / "bin" / "stridewise", "improve", *limits, "--", "./app"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        (folder / "log").write_text(done.stderr + done.stdout, encoding="utf-8")
    if not result.is_file():
        return None
    value: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return value


if __name__ == "__main__":
    sys.exit(main())
