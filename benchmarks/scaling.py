"""Measures how the time of each rule and each shared engine grows with the size of a unit.

    benchmarks/scaling.py [--build FOLDER] [--sizes 1,2,4,8] [--only REGEX] [--repeat N] [--json FILE] [--table]
    benchmarks/scaling.py [--build FOLDER] --units 250,1000

Units of 1x, 2x, 4x and 8x are generated, in shapes that each stress another way to become slow
(benchmarks/scaling_programs.py). For each shape, rule and engine the processor seconds are printed, smallest of N, the
steps, and the exponent of a power law through them: 1 is linear, 2 quadratic. Seconds below 50 ms are noise and have no
exponent. The exit status is 1 when an exponent lies above the target. (parse) and (ir) are clang's parser and LLVM's
optimiser, which a compilation runs, too: they are shown and not judged, and `total` leaves them out.

With --units whole programs of so many units are generated and the link phase is measured: processor seconds and the
largest resident set.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "benchmarks")]

from scaling_programs import SHAPES, Shape, project  # noqa: E402

EXPONENT_TARGET = 1.3
LEAST_SECONDS = 0.05  # below, the exponent is that of the clock
COMPILER = ("(parse)", "(ir)")
LEAST_STEPS = 2000  # of the largest size: below, what does not grow counts most


@dataclass(frozen=True)
class Growth:
    """What one rule or engine (or `total`) took on one shape, by size."""

    shape: str
    account: str
    seconds: tuple[float, ...]
    steps: tuple[int, ...]
    seconds_exponent: float | None
    steps_exponent: float | None

    @property
    def worst(self) -> float:
        """The steeper exponent; 0 where the compiler's own parts are not ours to judge."""
        if self.account in COMPILER:
            return 0.0
        return max(e for e in (self.seconds_exponent, self.steps_exponent, 0.0) if e is not None)


@dataclass(frozen=True)
class Link:
    units: int
    summary_bytes: int
    cpu_seconds: float
    resident_mib: float


def exponent(sizes: Sequence[float], values: Sequence[float], least: float) -> float | None:
    """Slope of the least-squares line through the logarithms; None when the last value is below `least`. Earlier values
    are no smaller than on the straight line from there: those are lost in the noise, too."""
    if len(values) < 2 or values[-1] < least:
        return None
    xs = [math.log(x) for x in sizes]
    ys = [math.log(max(y, least * x / sizes[-1])) for x, y in zip(sizes, values, strict=True)]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def mpi_flags() -> list[str]:
    """Where mpi.h is, by what the wrapper says it would run."""
    wrapper = shutil.which("mpicc")
    if wrapper is None:
        raise SystemExit("scaling.py: needs an MPI: no mpicc in PATH")
    shown = subprocess.run([wrapper, "-show"], check=True, capture_output=True, text=True).stdout
    return [word for word in shown.split() if word.startswith("-I")]


def profile(analyzer: Path, source: Path, flags: Sequence[str]) -> dict[str, Any]:
    """The statistics that the analyser writes with --profile."""
    out = source.with_suffix(".json")
    subprocess.run([analyzer, "--profile", "-o", out, source, "--", *flags], check=True)
    value = json.loads(out.read_text(encoding="utf-8"))
    if value["status"] != "ok" or value["stats"]["ir"] != "ok":
        raise SystemExit(f"scaling.py: {source.name} was not analysed: {value['diagnostics'][:1]}")
    stats: dict[str, Any] = value["stats"]
    return stats


def costs(stats: dict[str, Any]) -> dict[str, tuple[float, int]]:
    """Seconds and steps by account; `total` for all."""
    found: dict[str, tuple[float, int]] = {}
    for kind in ("rule", "engine"):
        for name, seconds in stats[f"{kind}_seconds"].items():
            found[name if kind == "rule" else f"({name})"] = (seconds, stats[f"{kind}_steps"][name])
    own = [cost for name, cost in found.items() if name not in COMPILER]
    found["total"] = (sum(s for s, _ in own), sum(n for _, n in own))
    return found


def measure(analyzer: Path, shape: Shape, sizes: Sequence[int], repeat: int, folder: Path) -> list[Growth]:
    flags = [word for flag in shape.flags for word in (mpi_flags() if flag == "mpi" else [flag])]
    by_size: list[dict[str, tuple[float, int]]] = []
    for size in sizes:
        source = folder / f"{shape.name}_{size}{shape.suffix}"
        source.write_text(shape.make(shape.pieces * size), encoding="utf-8")
        best: dict[str, tuple[float, int]] = {}
        for _ in range(repeat):
            for name, (took, counted) in costs(profile(analyzer, source, flags)).items():
                best[name] = (min(took, best[name][0]) if name in best else took, counted)
        by_size.append(best)
    found = []
    for name in sorted({name for best in by_size for name in best}):
        seconds = tuple(best.get(name, (0.0, 0))[0] for best in by_size)
        steps = tuple(best.get(name, (0.0, 0))[1] for best in by_size)
        found.append(
            Growth(
                shape.name,
                name,
                seconds,
                steps,
                exponent(sizes, seconds, LEAST_SECONDS),
                exponent(sizes, steps, LEAST_STEPS),
            )
        )
    return found


def measure_link(analyzer: Path, units: int, folder: Path, jobs: int) -> Link:
    files = project(units)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    flags = ["-O2", "-fopenmp", *mpi_flags()]

    def analyse(number: int) -> str:
        out = f"{number}.json"
        subprocess.run([analyzer, "-o", out, f"unit{number}.c", "--", *flags], check=True, cwd=folder)
        return out

    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(analyse, range(units)))
    command = [str(analyzer), "--link", "--profile", "-o", "link.json", *results]
    process = subprocess.Popen(command, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"scaling.py: the link of {units} units failed")
    stats = json.loads((folder / "link.json").read_text(encoding="utf-8"))["stats"]
    return Link(units, stats["summary_bytes"], used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def show(growths: Sequence[Growth], sizes: Sequence[int]) -> None:
    columns = "seconds at " + ", ".join(f"{s}x" for s in sizes)
    print(f"{'shape':16} {'rule or (engine)':30} {columns:36} exponent  of steps")
    for g in growths:
        if g.seconds_exponent is None and g.steps_exponent is None:
            continue
        seconds = " ".join(f"{s:8.3f}" for s in g.seconds)
        said = [f"{e:8.2f}" if e is not None else "       –" for e in (g.seconds_exponent, g.steps_exponent)]
        mark = "  above the target" if g.worst > EXPONENT_TARGET else ""
        print(f"{g.shape:16} {g.account:30} {seconds:36} {said[0]} {said[1]}{mark}")


def table(growths: Sequence[Growth], sizes: Sequence[int]) -> str:
    """Markdown: of each rule and engine the steepest exponents and their shapes."""
    lines = [
        f"| rule or (engine) | steps at {sizes[0]}x, {sizes[-1]}x | exponent | seconds at {sizes[-1]}x | exponent |",
        "|---|---:|---:|---:|---:|",
    ]
    for account in dict.fromkeys(g.account for g in sorted(growths, key=lambda g: (g.account[0] == "(", g.account))):
        mine = [g for g in growths if g.account == account]
        steps = max(mine, key=lambda g: (g.steps_exponent or 0.0, g.steps[-1]))
        seconds = max(mine, key=lambda g: (g.seconds_exponent or 0.0, g.seconds[-1]))
        counted = f"{steps.steps[0]:,}, {steps.steps[-1]:,}" if steps.steps[-1] else "none"
        lines.append(
            f"| {account if account[0] == '(' or account == 'total' else f'`{account}`'} | {counted} | "
            f"{_shown(steps.steps_exponent, steps.shape)} | {seconds.seconds[-1]:.3f} | "
            f"{_shown(seconds.seconds_exponent, seconds.shape)} |"
        )
    return "\n".join(lines)


def _shown(value: float | None, shape: str) -> str:
    return "–" if value is None else f"{value:.2f} ({shape})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=TOP / "build")
    parser.add_argument("--sizes", default="1,2,4,8")
    parser.add_argument("--only", default="", help="shapes whose name matches")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--units", default="", help="measure the link phase of programs of so many units instead")
    parser.add_argument("--table", action="store_true", help="print the steepest exponents of each rule as Markdown")
    args = parser.parse_args()
    analyzer = (args.build / "bin/stridewise-analyze").resolve()
    links: list[Link] = []
    growths: list[Growth] = []
    sizes = [int(word) for word in args.sizes.split(",")]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as name:
        for units in [int(word) for word in args.units.split(",") if word]:
            folder = Path(name) / str(units)
            folder.mkdir()
            links.append(measure_link(analyzer, units, folder, len(os.sched_getaffinity(0))))
            last = links[-1]
            print(
                f"{units:5} units: {last.summary_bytes / 2**20:8.1f} MiB of summaries, {last.cpu_seconds:7.2f} s, "
                f"{last.resident_mib:7.0f} MiB resident",
                flush=True,
            )
        for shape in SHAPES if not links else ():
            if re.search(args.only, shape.name):
                found = measure(analyzer, shape, sizes, args.repeat, Path(name))
                show(found, sizes)
                growths += found
    if args.json:
        value = {"sizes": sizes, "growths": [asdict(g) for g in growths], "links": [asdict(link) for link in links]}
        args.json.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
    above = [g for g in growths if g.worst > EXPONENT_TARGET]
    if growths:
        worst = max(growths, key=lambda g: g.worst)
        if args.table:
            print(table(growths, sizes))
        print(f"{len(above)} of {len(growths)} above {EXPONENT_TARGET}; the steepest: {worst.account} on {worst.shape}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
