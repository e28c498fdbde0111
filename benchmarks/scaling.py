"""Measures how the time of each rule grows with the size of a unit.

    benchmarks/scaling.py [--build FOLDER] [--sizes 1,2,4,8] [--only REGEX] [--repeat N] [--json FILE]

Units of 1x, 2x, 4x and 8x are generated, in shapes that each stress another way to become slow
(benchmarks/scaling_programs.py). For each shape and rule the seconds are printed, smallest of N, and the exponent of a
power law through them: 1 is linear, 2 quadratic. What takes less than 20 ms at the largest size is noise and is left
out. The exit status is 1 when an exponent lies above the target.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "benchmarks")]

from scaling_programs import SHAPES, Shape  # noqa: E402

EXPONENT_TARGET = 1.3
LEAST_SECONDS = 0.02  # below, the exponent is that of the clock


@dataclass(frozen=True)
class Growth:
    """What one rule (or the whole unit: `total`) took on one shape, by size."""

    shape: str
    rule: str
    seconds: tuple[float, ...]
    exponent: float


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of the least-squares line through the logarithms."""
    xs = [math.log(size) for size in sizes]
    ys = [math.log(max(value, LEAST_SECONDS / 100)) for value in seconds]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def mpi_flags() -> list[str]:
    """Where mpi.h is, by what the wrapper says it would run."""
    wrapper = shutil.which("mpicc")
    if wrapper is None:
        raise SystemExit("scaling.py: needs an MPI: no mpicc in PATH")
    shown = subprocess.run([wrapper, "-show"], check=True, capture_output=True, text=True).stdout
    return [word for word in shown.split() if word.startswith("-I")]


def profile(analyzer: Path, source: Path, flags: Sequence[str]) -> dict[str, float]:
    """Seconds of each rule, and of the whole unit as `total`."""
    out = source.with_suffix(".json")
    subprocess.run([analyzer, "--profile", "-o", out, source, "--", *flags], check=True)
    value = json.loads(out.read_text(encoding="utf-8"))
    if value["status"] != "ok" or value["stats"]["ir"] != "ok":
        raise SystemExit(f"scaling.py: {source.name} was not analysed: {value['diagnostics'][:1]}")
    return {**value["stats"]["rule_seconds"], "total": value["stats"]["seconds"]}


def measure(analyzer: Path, shape: Shape, sizes: Sequence[int], repeat: int, folder: Path) -> list[Growth]:
    flags = [word for flag in shape.flags for word in (mpi_flags() if flag == "mpi" else [flag])]
    by_size: list[dict[str, float]] = []
    for size in sizes:
        source = folder / f"{shape.name}_{size}{shape.suffix}"
        source.write_text(shape.make(shape.pieces * size), encoding="utf-8")
        runs = [profile(analyzer, source, flags) for _ in range(repeat)]
        by_size.append({rule: min(run[rule] for run in runs) for rule in runs[0]})
    found = []
    for rule in sorted(by_size[-1]):
        seconds = tuple(best.get(rule, 0.0) for best in by_size)
        if seconds[-1] >= LEAST_SECONDS:
            found.append(Growth(shape.name, rule, seconds, exponent(sizes, seconds)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--sizes", default="1,2,4,8", help="multiples of a shape's own size, at least two")
    parser.add_argument("--only", default="", help="shapes whose name matches this regular expression")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the figures to this file, too")
    options = parser.parse_args()
    analyzer = (options.build / "bin/stridewise-analyze").resolve()
    sizes = [int(word) for word in options.sizes.split(",")]
    if len(sizes) < 2:
        parser.error("one size shows no growth")
    growths: list[Growth] = []
    print(f"{'shape':16} {'rule':30} exponent  seconds at " + ", ".join(f"{size}x" for size in sizes))
    with tempfile.TemporaryDirectory() as name:
        for shape in SHAPES:
            if not re.search(options.only, shape.name):
                continue
            for g in measure(analyzer, shape, sizes, options.repeat, Path(name)):
                seconds = " ".join(f"{s:8.3f}" for s in g.seconds)
                mark = "  above the target" if g.exponent > EXPONENT_TARGET else ""
                print(f"{g.shape:16} {g.rule:30} {g.exponent:8.2f} {seconds}{mark}", flush=True)
                growths.append(g)
    if options.json:
        value = {"sizes": sizes, "growths": [asdict(g) for g in growths]}
        options.json.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    above = [g for g in growths if g.exponent > EXPONENT_TARGET]
    print(f"{len(above)} of {len(growths)} above {EXPONENT_TARGET}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
