"""Compares what reports say that a fix saves with what it saves.

    python benchmarks/prices.py [--only REGEX] [--rounds N] [--seconds S] [-o FILE.json] [--page docs/prices.md]

Each rule's `buggy` sample, in C, C++ and Fortran, is linted and watched by the kind of run that the rule has a detector
for; the savings that the report gives to the rule's findings are added. Then `buggy` and `fixed` run by turns, the
first of a round changing places: the measured saving is the difference of the smallest times, as in pairs.py, with its
95 % interval by resampling the rounds. Times are elapsed seconds for teams and ranks, seconds of the processor for
serial programs. Sizes are those of benchmarks/pairs.py for teams and ranks, where that has some. --page writes the
figures of FILE.json between the page's marks, without measuring anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP), str(TOP / "tests"), str(TOP / "benchmarks")]

import pairs  # noqa: E402

from lit_format.hosts import mpi_environment  # noqa: E402
from stridewise.finding.prediction import FACTOR, interval  # noqa: E402

RULES = TOP / "rules"
KINDS = ("mpi", "omp", "cache")
MARK = "<!-- figures -->"
LONGEST_SECONDS = 120.0
_RESAMPLES = 2000
_COMPILERS = {".c": ("gcc", "mpicc"), ".cpp": ("g++", "mpicxx"), ".f90": ("gfortran", "mpif90")}


@dataclass(frozen=True)
class Case:
    """A rule's pair in one language, and how it is run."""

    rule: str
    suffix: str
    kind: str
    arguments: tuple[str, ...]
    ranks: int
    sizes: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return f"{self.rule} ({self.suffix[1:]})"


@dataclass(frozen=True)
class Figure:
    """Seconds. `predicted` is None where the report gives no saving to the rule's findings."""

    name: str
    kind: str
    predicted: float | None
    before: float
    saved: float
    low: float
    high: float
    rounds: int

    @property
    def is_inside(self) -> bool:
        """Whether the measured saving lies in the interval of the prediction."""
        return self.predicted is not None and between(self.saved, *interval(self.predicted))

    @property
    def is_possible(self) -> bool:
        """Whether the interval of the measurement meets that of the prediction."""
        if self.predicted is None:
            return False
        low, high = interval(self.predicted)
        return self.low <= high and low <= self.high

    @property
    def is_told(self) -> bool:
        """Whether the measurement tells the saving from none."""
        return self.low > 0 or self.high < 0


def between(value: float, low: float, high: float) -> bool:
    return low <= value <= high


def cases(only: str) -> Iterator[Case]:
    enlarged = {work.rule: work for work in pairs.WORK if isinstance(work, pairs.Pair)}
    for folder in sorted(RULES.iterdir()):
        toml = folder / "rule.toml"
        if not toml.is_file() or not re.search(only, folder.name):
            continue
        detectors = tomllib.loads(toml.read_text(encoding="utf-8"))["detectors"]
        kind = next((kind for kind in KINDS if kind in detectors), None)
        for suffix in _COMPILERS:
            buggy, fixed = folder / f"buggy{suffix}", folder / f"fixed{suffix}"
            if kind is None or not buggy.is_file() or not fixed.is_file():
                continue
            text = re.sub(r"^(\s*)!", r"\1//", buggy.read_text(encoding="utf-8"), flags=re.MULTILINE)
            # A cache run takes about fifty times as long as the program.
            work = enlarged.get(folder.name) if kind != "cache" else None
            sizes = (
                work.sizes if work and all(old in text and old in fixed.read_text() for old, _ in work.sizes) else ()
            )
            given = work.arguments if work else tuple(shlex.split(header(text, "run-args")))
            yield Case(folder.name, suffix, kind, given, int(header(text, "ranks") or 0), sizes)


def header(text: str, key: str) -> str:
    found = re.search(rf"^// {key}: (.*)$", text, re.MULTILINE)
    return found[1].strip() if found else ""


def build(case: Case, name: str, folder: Path) -> Path:
    """Compiles a side of the pair in a folder of its own, with its compile database."""
    here = folder / name
    here.mkdir()
    text = (RULES / case.rule / f"{name}{case.suffix}").read_text(encoding="utf-8")
    for old, new in case.sizes:
        text = text.replace(old, new)
    source = here / f"{name}{case.suffix}"
    source.write_text(text, encoding="utf-8")
    serial, parallel = _COMPILERS[case.suffix]
    uses_mpi = re.search(r"mpi\.h|use mpi|mpif\.h", text) is not None
    flags = header(re.sub(r"^(\s*)!", r"\1//", text, flags=re.MULTILINE), "flags")
    level = () if re.search(r"(?<!\S)-O", flags) else ("-O2",)
    words = [parallel if uses_mpi else serial, *level, "-g", *shlex.split(flags)]
    entry = {"directory": str(here), "file": source.name, "arguments": [*words, "-c", source.name]}
    (here / "compile_commands.json").write_text(json.dumps([entry]), encoding="utf-8")
    subprocess.run([*words, "-o", name, source.name, "-lm"], cwd=here, check=True, capture_output=True)
    return here / name


def command(case: Case, program: Path) -> list[str]:
    words = [str(program), *case.arguments]
    return ["mpirun", "-n", str(case.ranks), *words] if case.ranks else words


def predict(case: Case, program: Path, environment: dict[str, str]) -> float | None:
    """The saving that a report gives to the findings of the rule."""
    here, stridewise = program.parent, str(pairs.TOP / "build" / "bin" / "stridewise")
    for words in (
        ["lint", "--all", "--ungroup", "--format", "json", "-o", "lint.json"],
        ["run", f"--{case.kind}", "-o", "run", "--", *command(case, program)],
        ["report", "run", "--lint", "lint.json", "--all", "--ungroup", "--format", "json", "-o", "report.json"],
    ):
        subprocess.run(
            [stridewise, *words], cwd=here, env=environment, capture_output=True, check=False, timeout=LONGEST_SECONDS
        )
    found = json.loads((here / "report.json").read_text(encoding="utf-8"))["findings"]
    gains = [one["gain_seconds"] for one in found if one["rule"] == case.rule and one["gain_seconds"] is not None]
    return sum(gains) if gains else None


def measure(case: Case, rounds: int, seconds: float) -> Figure:
    environment = os.environ | mpi_environment() | {"OMP_NUM_THREADS": "2"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        programs = [build(case, side, folder) for side in ("buggy", "fixed")]
        predicted = predict(case, programs[0], environment)
        cpu = case.kind == "cache"
        runs: list[tuple[float, float]] = []
        begin = time.monotonic()
        while len(runs) < 3 or (len(runs) < rounds and time.monotonic() < begin + seconds):
            times = [0.0, 0.0]
            for side in (0, 1) if len(runs) % 2 else (1, 0):
                times[side], _ = pairs.timed(command(case, programs[side]), cpu, environment, folder)
            runs.append((times[0], times[1]))
    low, high = resampled(runs)
    before = statistics.median(one for one, _ in runs)
    return Figure(case.name, case.kind, predicted, before, saving(runs), low, high, len(runs))


def saving(runs: Sequence[tuple[float, float]]) -> float:
    """The difference of the smallest times, which other work on the machine disturbs least."""
    return min(before for before, _ in runs) - min(after for _, after in runs)


def resampled(runs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Its 95 % interval by the bootstrap: over rounds drawn with replacement (Efron and Tibshirani, chapter 13)."""
    draw = random.Random(1)
    found = sorted(saving(draw.choices(runs, k=len(runs))) for _ in range(_RESAMPLES))
    return found[int(0.025 * _RESAMPLES)], found[int(0.975 * _RESAMPLES)]


# --- the page ---------------------------------------------------------------------------------------------------------


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f}" if abs(seconds) < 0.1 else f"{1000 * seconds:,.0f}"


def page(figures: Sequence[Figure], when: str) -> str:
    """The figures as Markdown."""
    given = [one for one in figures if one.predicted is not None]
    told = [one for one in given if one.is_told]
    lines = [
        f"{len(figures)} fixes; {when}. The report gave a saving for {len(given)} of them.",
        "",
        "| of | fixes | measured saving in the predicted interval | intervals meet |",
        "|---|---:|---:|---:|",
    ]
    for what, some in (
        ("all with a predicted saving", given),
        ("those whose saving the rounds tell from none", told),
        *((f"runs of kind `{kind}`", [one for one in given if one.kind == kind]) for kind in KINDS),
    ):
        inside, meets = sum(one.is_inside for one in some), sum(one.is_possible for one in some)
        lines.append(f"| {what} | {len(some)} | {share(inside, some)} | {share(meets, some)} |")
    lines += [
        "",
        "| pair | run (ms) | predicted saving (ms) | measured saving (ms) | |",
        "|---|---:|---:|---:|---|",
    ]
    for one in figures:
        if one.predicted is None:
            told_before, mark = "–", ""
        else:
            low, high = interval(one.predicted)
            told_before = f"{milliseconds(low)} to {milliseconds(high)}"
            mark = "inside" if one.is_inside else "intervals meet" if one.is_possible else "wrong"
        measured = f"{milliseconds(one.saved)} ({milliseconds(one.low)} to {milliseconds(one.high)})"
        lines.append(f"| {one.name} | {milliseconds(one.before)} | {told_before} | {measured} | {mark} |")
    return "\n".join(lines) + "\n"


def share(count: int, of: Sequence[Figure]) -> str:
    return f"{count} ({count / len(of):.0%})" if of else "–"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="REGEX", default="", help="rules whose name matches")
    parser.add_argument("--rounds", metavar="N", type=int, default=9, help="rounds of each pair at most (default: 9)")
    parser.add_argument("--seconds", metavar="S", type=float, default=10, help="seconds of rounds of each pair")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="the figures as JSON, added to what is there")
    parser.add_argument("--page", metavar="FILE", type=Path, help="write the figures of -o into the page instead")
    options = parser.parse_args()
    known: dict[str, Figure] = {}
    if options.output and options.output.is_file():
        rows = json.loads(options.output.read_text(encoding="utf-8"))["figures"]
        known = {row["name"]: Figure(**row) for row in rows}
    if options.page:
        head = options.page.read_text(encoding="utf-8").partition(MARK)[0]
        when = json.loads(options.output.read_text(encoding="utf-8"))["machine"]
        options.page.write_text(f"{head}{MARK}\n\n{page(list(known.values()), when)}", encoding="utf-8")
        return 0
    for case in cases(options.only):
        try:
            figure = measure(case, options.rounds, options.seconds)
        except (OSError, ValueError, subprocess.SubprocessError, SystemExit) as error:
            print(f"{case.name:36} not measured: {error}", flush=True)
            continue
        known[figure.name] = figure
        told = "-" if figure.predicted is None else milliseconds(figure.predicted)
        print(f"{figure.name:36} predicted {told:>9} measured {milliseconds(figure.saved):>9} ms "
              f"({milliseconds(figure.low)} to {milliseconds(figure.high)})", flush=True)  # fmt: skip
        if options.output:
            data = {"machine": pairs.machine(), "factor": FACTOR, "figures": [asdict(one) for one in known.values()]}
            options.output.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    given = [one for one in known.values() if one.predicted is not None]
    print(f"{sum(one.is_inside for one in given)} of {len(given)} measured savings lie in the predicted interval")
    return 0


if __name__ == "__main__":
    sys.exit(main())
