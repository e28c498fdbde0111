"""How much faster the program became: rounds of before and after in turn, until the ratio is known or time is up."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stridewise.improve.outcome import Outcome

_FEWEST, _MOST = 3, 15
# Of runs this short the system's own moods are a large part, and more of them cost nothing.
_SHORT_SECONDS, _FEWEST_SHORT = 0.25, 9
# A difference that matters if it is one, which noise hides: it is worth more of the time.
_NOTABLE, _PATIENCE = 0.1, 3
NARROW = 0.01  # half of the interval's width in the logarithm of the ratio
# Student's t, two-sided 95 %, by degrees of freedom (Abramowitz and Stegun, table 26.10).
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145)


@dataclass(frozen=True)
class Ratio:
    """Time after by time before: the geometric mean of the rounds, with its 95 % interval."""

    mean: float
    low: float
    high: float

    @property
    def is_faster(self) -> bool:
        return self.high < 1.0

    @property
    def is_slower(self) -> bool:
        return self.low > 1.0


@dataclass(frozen=True)
class Timing:
    """Medians in seconds, and the ratios of wall and of processor time."""

    rounds: int
    before: float
    after: float
    cpu_before: float
    cpu_after: float
    wall: Ratio
    cpu: Ratio


def ratio(pairs: Sequence[tuple[float, float]]) -> Ratio:
    """Of pairs (before, after). A round's own two runs are compared, so that slow drifts of the machine cancel."""
    logs = [math.log(max(after, 1e-6) / max(before, 1e-6)) for before, after in pairs]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return Ratio(math.exp(mean), 0.0, math.inf)
    half = _T[min(len(logs) - 2, len(_T) - 1)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return Ratio(math.exp(mean), math.exp(mean - half), math.exp(mean + half))


def measure(before: Callable[[], Outcome], after: Callable[[], Outcome], seconds: float) -> Timing:
    """Runs both in turn, the first of a round changing places, so that neither always finds the warmer machine."""
    rounds: list[tuple[Outcome, Outcome]] = []
    begin = time.monotonic()
    while True:
        if len(rounds) % 2:
            late = after()
            rounds.append((before(), late))
        else:
            early = before()
            rounds.append((early, after()))
        timing = _timing(rounds)
        is_short = max(timing.before, timing.after) < _SHORT_SECONDS
        if len(rounds) < (_FEWEST_SHORT if is_short else _FEWEST):
            continue
        width = math.log(timing.wall.high / timing.wall.low) / 2 if timing.wall.low else math.inf
        clear = timing.wall.high < 0.9 or timing.wall.low > 1.1
        hidden = timing.wall.low < 1.0 < timing.wall.high and abs(math.log(timing.wall.mean)) > _NOTABLE
        allowed = seconds * (_PATIENCE if hidden else 1)
        if clear or width < NARROW or len(rounds) >= _MOST or time.monotonic() > begin + allowed:
            return timing


def _timing(rounds: Sequence[tuple[Outcome, Outcome]]) -> Timing:
    return Timing(
        len(rounds),
        statistics.median(one.seconds for one, _ in rounds),
        statistics.median(other.seconds for _, other in rounds),
        statistics.median(one.cpu_seconds for one, _ in rounds),
        statistics.median(other.cpu_seconds for _, other in rounds),
        ratio([(one.seconds, other.seconds) for one, other in rounds]),
        ratio([(one.cpu_seconds, other.cpu_seconds) for one, other in rounds]),
    )
