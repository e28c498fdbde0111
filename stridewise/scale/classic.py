"""The classic figures of scaling: speedup, efficiency, and the serial share by Amdahl, Gustafson, Karp and Flatt.

Times only, and only of runs whose ranks had processors. The first of them is the base; all figures are relative to it,
with p the ratio of ranks. A serial share is that of the base's run.

Amdahl 1967: "Validity of the single processor approach"; Gustafson 1988: "Reevaluating Amdahl's law"; Karp and Flatt
1990: "Measuring parallel processor performance".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from stridewise.scale.counts import Counts


@dataclass(frozen=True, slots=True)
class Step:
    """`serial` is Karp and Flatt's share (strong scaling) or Gustafson's (weak); None at the base."""

    ranks: int
    seconds: float
    speedup: float
    efficiency: float
    serial: float | None
    load_balance: float


@dataclass(frozen=True, slots=True)
class Classic:
    """`serial` is the share that fits all runs best, and the range of those of single runs: None with one run."""

    base: int
    steps: tuple[Step, ...]
    serial: float | None
    least: float | None
    most: float | None

    @property
    def limit(self) -> float | None:
        """The largest speedup over the base that Amdahl's law leaves."""
        return 1 / self.serial if self.serial else None


def classic(runs: Sequence[Counts], weak: bool) -> Classic | None:
    """None where fewer than two runs had processors for all ranks."""
    quiet = [run for run in runs if not run.crowded and run.wall_seconds > 0]
    if len(quiet) < 2:
        return None
    base = quiet[0]
    steps = [_step(run, base, weak) for run in quiet]
    shares = [step.serial for step in steps if step.serial is not None]
    fitted = _fitted([(s.ranks / base.ranks, s.seconds / base.wall_seconds) for s in steps], weak)
    return Classic(base.ranks, tuple(steps), fitted, min(shares), max(shares))


def _step(run: Counts, base: Counts, weak: bool) -> Step:
    p = run.ranks / base.ranks
    ratio = base.wall_seconds / run.wall_seconds
    speedup = p * ratio if weak else ratio
    serial = None
    if p > 1:
        serial = (p - speedup) / (p - 1) if weak else (1 / speedup - 1 / p) / (1 - 1 / p)
    return Step(run.ranks, run.wall_seconds, speedup, speedup / p, serial, run.load_balance)


def _fitted(times: Sequence[tuple[float, float]], weak: bool) -> float | None:
    """Least squares of t(p) = s + (1 - s)/p, or with weak scaling of the scaled speedup p/t(p) = s + (1 - s)·p."""
    if weak:
        pairs = [(1 - p, p / t - p) for p, t in times if p > 1]
    else:
        pairs = [(1 - 1 / p, t - 1 / p) for p, t in times if p > 1]
    weight = sum(x * x for x, _ in pairs)
    share = sum(x * y for x, y in pairs) / weight if weight > 0 else math.nan
    return min(1.0, max(0.0, share)) if math.isfinite(share) else None
