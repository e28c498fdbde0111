"""The curves of a study, as its page and its plot draw them."""

from __future__ import annotations

from itertools import islice

from stridewise.console import harmless
from stridewise.finding.studies import Curve, Curves
from stridewise.scale.classic import classic
from stridewise.scale.render import place
from stridewise.scale.row import Row
from stridewise.scale.study import Study, prices_of

_CURVES = 8  # more in one picture are not told apart
_SAMPLES = 40


def curves(study: Study) -> Curves:
    ranks = _ranks(study)
    figures = classic(study.timed_runs, study.weak)
    return Curves(
        tuple(ranks),
        tuple(study.work_at(p) for p in ranks),
        tuple(_curve(row, study, ranks) for row in islice(study.rows, _CURVES)),
        tuple((step.ranks, step.efficiency, step.load_balance) for step in figures.steps) if figures else (),
        study.unit,
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
        tuple(least for least, _ in spans),
        tuple(most for _, most in spans),
        tuple(row.most.at(p) for p in ranks) if row.most else (),
        tuple((p, count.most) for p, count in row.values.items()),
    )
