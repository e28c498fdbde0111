"""What mending gains, from docs/speedups.json, which benchmarks/pairs.py writes: a page, and a paragraph per rule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

_MEASURES = {"cpu": "processor time", "elapsed": "elapsed time"}


@dataclass(frozen=True)
class Witness:
    """What the rule is about, counted in both programs by a watched run."""

    what: str
    buggy: int
    fixed: int

    def __str__(self) -> str:
        return f"{self.what}: {self.buggy:,} → {self.fixed:,}"


@dataclass(frozen=True)
class Figure:
    """Two programs that print the same, and what each of them takes. Seconds are None where they were not measured."""

    rule: str
    program: str
    command: str
    measure: str
    buggy_seconds: float | None = None
    fixed_seconds: float | None = None
    witness: Witness | None = None

    @property
    def ratio(self) -> float:
        """Seconds before by seconds after, 1 where they were not measured."""
        return self.buggy_seconds / self.fixed_seconds if self.buggy_seconds and self.fixed_seconds else 1.0


@dataclass(frozen=True)
class Speedups:
    machine: str
    least_ratio: float
    figures: tuple[Figure, ...]

    @staticmethod
    def load(path: Path) -> Speedups:
        data = json.loads(path.read_text(encoding="utf-8"))
        figures = tuple(
            Figure(**{**row, "witness": Witness(**row["witness"]) if "witness" in row else None})
            for row in data["figures"]
        )
        return Speedups(str(data["machine"]), float(data["least_ratio"]), figures)

    def clear(self, rule: str = "") -> list[Figure]:
        """The figures whose difference in time is more than noise."""
        return [f for f in self.figures if f.ratio >= self.least_ratio and rule in ("", f.rule)]

    def told(self) -> list[Figure]:
        """Those, and the ones whose counts differ: a count has no noise."""
        counted = [f for f in self.figures if f.witness and f.witness.buggy != f.witness.fixed]
        return [f for f in self.figures if f in self.clear() or f in counted]


_HEAD = """# Measured speed-ups

What mending a finding gains, on one machine: the rule's own sample, with sizes that make it run some tenths of a
second, or a step of the [tutorial](tutorial.md)'s program. Whole runs are timed, start and initialisation
included; in a program of yours the gain is larger or smaller, as the loop's share of its time is.

    build/venv/bin/python benchmarks/pairs.py                                # here
    build/venv/bin/python benchmarks/pairs.py -o docs/speedups.json          # and put into this page
"""

_FOOT = """On {machine}, at `-O2`. Both programs run by turns, and the least times of several runs are compared, since
the machine had other work, too. Processor time is user plus system time, which other work disturbs little. What is
counted, other work does not disturb at all: messages, teams, tasks and entries as `stridewise budget` keeps them, and
misses of simulated caches ([budget](budget.md)).

Rules that are not in the table have no pair whose difference one such machine can show: those on several memory
nodes, on many ranks, or on a network, and those whose teams and ranks need cores of their own for a figure that is
worth anything. The same program measures the latter on an idle machine."""


def page(known: Speedups) -> str:
    """The page of all figures."""
    table = [
        "| rule | program | run | before | after | ratio | measured | counted |",
        "|---|---|---|---:|---:|---:|---|---|",
    ]
    for f in known.told():
        times = " | | | "
        if f in known.clear():
            times = f"{f.buggy_seconds:.2f} s | {f.fixed_seconds:.2f} s | **{f.ratio:.3g}** | {_MEASURES[f.measure]}"
        table.append(f"| [{f.rule}](rules/{f.rule}.md) | {f.program} | `{f.command}` | {times} | {f.witness or ''} |")
    parts = [_HEAD, "\n".join(table), _FOOT.format(machine=known.machine)]
    if alike := sorted({f.rule for f in known.figures} - {f.rule for f in known.told()}):
        least = f"{100 * (known.least_ratio - 1):.0f} %"
        names = ", ".join(f"[{rule}](rules/{rule}.md)" for rule in alike)
        parts.append(f"Less than {least} apart on this machine, and so not told from noise: {names}.")
    return "\n\n".join(parts) + "\n"


def with_figures(text: str, rule: str, known: Speedups) -> str:
    """A rule's page with its figures at the end of why it costs."""
    said = []
    for f in known.told():
        if f.rule != rule:
            continue
        program = f"{f.program[0].upper()}{f.program[1:]}"
        if f in known.clear():
            said.append(
                f"{program} takes {f.buggy_seconds:.2f} s with the defect and {f.fixed_seconds:.2f} s without it: "
                f"{f.ratio:.2g} times as fast"
                + (f" ({f.witness})." if f.witness and f.witness.buggy != f.witness.fixed else ".")
            )
        else:
            said.append(f"{program}, with the defect and without it: {f.witness}.")
    mark = "\n## How to fix it\n"
    if not said or mark not in text:
        return text
    return text.replace(mark, f"\nMeasured: {' '.join(said)} ([How](../speedups.md))\n{mark}", 1)
