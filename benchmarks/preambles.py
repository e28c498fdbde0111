"""What precompiled headers save: a project linted without them, with none kept yet, and with those of a run before.

    benchmarks/preambles.py [--repeat N] [--build FOLDER] DATABASE ...

DATABASE is a folder with a compile_commands.json. Each figure is user plus system time, the smallest of N, against that
of `clang -O2 -c` of all units in the same rounds. One job at a time; no results are kept, and findings that differ
between the three ways end the run with status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests"), str(TOP / "benchmarks")]

from run import known_arguments, measure  # noqa: E402

from lit_format.hosts import Toolchain  # noqa: E402
from stridewise.collect import compile_db  # noqa: E402
from stridewise.collect.compilers import Interrogator  # noqa: E402

TARGETS = {"C": (0.35, 0.25), "C++": (0.45, 0.30)}  # first run, kept
WAYS = ("without", "first", "kept")


def compile_seconds(database: Path, tools: Toolchain) -> tuple[float, list[str]]:
    """Of all units of the database, and the languages of them."""
    work = compile_db.normalise(compile_db.load(database), Interrogator(database))
    seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for command in work.commands:
            flags = known_arguments(tools.clang, [a for a in command.arguments if not a.startswith("-O")])
            words = [tools.clang, "-w", *flags, "-O2", "-c", str(command.file), "-o", f"{folder}/out"]
            seconds += measure(words, command.directory).cpu_seconds
    return seconds, ["C++" if c.language is compile_db.Language.CXX else "C" for c in work.commands]


def lint(database: Path, tools: Toolchain, cache: Path, report: Path, *options: str) -> float:
    """Without results of a run before; precompiled headers stay."""
    for folder in cache.glob("??"):
        shutil.rmtree(folder)
    words = [str(tools.command), "lint", "-p", str(database), "-j", "1", "--all", "--format", "json"]
    words += ["--cache-dir", str(cache), "-o", str(report), *options]
    return measure(words, database).cpu_seconds


def project(database: Path, tools: Toolchain, repeat: int) -> bool:
    """Prints a line; whether the findings are the same in all three ways."""
    compiling: list[float] = []
    linting: dict[str, list[float]] = {way: [] for way in WAYS}
    findings: set[str] = set()
    for _ in range(repeat):
        seconds, languages = compile_seconds(database, tools)
        compiling.append(seconds)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for way in WAYS:
                report = folder / f"{way}.json"
                options = ["--no-preamble"] if way == "without" else []
                cache = folder / ("plain" if way == "without" else "cache")
                linting[way].append(lint(database, tools, cache, report, *options))
                findings.add(json.dumps(json.loads(report.read_text(encoding="utf-8"))["findings"]))
    language = statistics.mode(languages)
    ratios = [min(linting[way]) / min(compiling) for way in WAYS]
    first, kept = TARGETS[language]
    print(
        f"{database.parent.name:<24} {language:<4} {len(languages):>5} {min(compiling):8.2f} s"
        f" {ratios[0]:8.2f} {ratios[1]:6.2f} (≤ {first}) {ratios[2]:6.2f} (≤ {kept})",
        flush=True,
    )
    return len(findings) == 1


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", nargs="+", type=Path, metavar="DATABASE")
    parser.add_argument("--build", type=Path, default=TOP / "build", help="build folder (default: build)")
    parser.add_argument("--repeat", type=int, default=2, metavar="N", help="measurements of each (default: 2)")
    options = parser.parse_args(words)
    os.environ["STRIDEWISE_BUILD"] = str(options.build.resolve())
    tools = Toolchain(options.build.resolve())
    print(f"{'project':<24} {'':<4} {'units':>5} {'clang -O2':>10} {'without':>8} {'first':>6} {'':9} {'kept':>5}")
    same = [project(database.resolve(), tools, options.repeat) for database in options.databases]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
