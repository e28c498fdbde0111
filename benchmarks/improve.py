"""What `stridewise improve` makes of the 30 programs of PolyBench/C, each built by `make` with -O2.

    build/venv/bin/python benchmarks/improve.py POLYBENCH [--only REGEX] [--size LARGE] [--round-seconds S] [-o FOLDER]

POLYBENCH is a checkout of PolyBench/C 4.2. Prints a Markdown table: wall and processor time, steps kept and undone, and
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
CFLAGS = -O2 -g -DPOLYBENCH_DUMP_ARRAYS -D{size}_DATASET -I. -I{folder}
app: {source} polybench.c
\t$(CC) $(CFLAGS) -o $@ {source} polybench.c -lm
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("polybench", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs whose name matches")
    parser.add_argument("--size", default="LARGE", help="PolyBench's name of the data set (default: %(default)s)")
    parser.add_argument("--round-seconds", default="20")
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "improve-polybench")
    options = parser.parse_args()
    sources = (options.polybench / "utilities" / "benchmark_list").read_text(encoding="utf-8").split()
    rows, faster, less = [], [], []
    for name in sources:
        source = Path(name)
        if not re.search(options.only, source.stem):
            continue
        found = improved(options.polybench, source, options.output / source.stem, options.size, options.round_seconds)
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


def improved(top: Path, source: Path, folder: Path, size: str, seconds: str) -> dict[str, Any] | None:
    """The waterfall of one program."""
    result = folder / "stridewise-improve" / "waterfall.json"
    if not result.is_file():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for path in [*(top / source.parent).iterdir(), *(top / "utilities").glob("polybench.[ch]")]:
            if path.suffix in (".c", ".h"):
                shutil.copy(path, folder)
        (folder / "Makefile").write_text(MAKEFILE.format(size=size, folder=".", source=source.name), encoding="utf-8")
        words: list[str | Path] = [
            TOP / "build" / "bin" / "stridewise",
            "improve",
            "--round-seconds",
            seconds,
            "--",
            "./app",
        ]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
        (folder / "log").write_text(done.stderr + done.stdout, encoding="utf-8")
    if not result.is_file():
        return None
    value: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return value


if __name__ == "__main__":
    sys.exit(main())
