"""The curves of a study, as its page and its plot draw them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from stridewise.console import harmless
from stridewise.scale.classic import classic
from stridewise.scale.render import place
from stridewise.scale.row import Row
from stridewise.scale.study import Study, prices_of

_CURVES = 8  # more in one picture are not told apart
_SAMPLES = 40


@dataclass(frozen=True, slots=True)
class Curve:
    """A place: seconds of a rank, least and most, and calls of the busiest rank, at each of `Curves.ranks`; `seen` are
    runs. Empty where no law is known."""

    name: str
    least: list[float]
    most: list[float]
    law: list[float]
    seen: list[tuple[int, float]]


@dataclass(frozen=True, slots=True)
class Curves:
    """`work` is what a rank computes, in seconds; `efficiency` is of runs whose ranks all had a processor: ranks,
    efficiency, load balance."""

    ranks: list[int]
    work: list[float | None]
    sites: list[Curve]
    efficiency: list[tuple[int, float, float]]


def curves(study: Study) -> Curves:
    ranks = _ranks(study)
    figures = classic(study.runs, study.weak)
    return Curves(
        ranks,
        [study.work_at(p) for p in ranks],
        [_curve(row, study, ranks) for row in islice(study.rows, _CURVES)],
        [(step.ranks, step.efficiency, step.load_balance) for step in figures.steps] if figures else [],
    )


def _ranks(study: Study) -> list[int]:
    """Numbers of ranks at which curves are drawn, evenly spread on a logarithmic axis."""
    last = max(study.target or 0, study.ranks[-1])
    ratio = last / study.ranks[0]
    return sorted({round(study.ranks[0] * ratio ** (step / _SAMPLES)) for step in range(_SAMPLES + 1)})


def _curve(row: Row, study: Study, ranks: list[int]) -> Curve:
    prices = prices_of(row, study.network)
    spans = [prices(p) for p in ranks] if prices else []
    return Curve(
        harmless(place(row)),
        [least for least, _ in spans],
        [most for _, most in spans],
        [row.most.at(p) for p in ranks] if row.most else [],
        [(p, count.most) for p, count in row.values.items()],
    )
