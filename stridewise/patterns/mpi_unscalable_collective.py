"""Calls of MPI that grow with the ranks, by the laws of runs at several numbers of them."""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location
from stridewise.finding.quantities import seconds
from stridewise.scale.row import Row
from stridewise.scale.study import Study


def detect_scale(study: Study, rule: Rule) -> Iterable[Finding]:
    for row in study.rows:
        if row.unscalable and row.site.line and _matters(row, study):
            yield _finding(row, study, rule)


def _matters(row: Row, study: Study) -> bool:
    """Whether the calls may take the step share of what a rank computes, at the target; unknown work is no reason to be
    silent."""
    work = study.work_at(study.far)
    return row.price is None or work is None or row.price.most >= study.step_share * work


def _finding(row: Row, study: Study, rule: Rule) -> Finding:
    laws = [law for law in (row.most, row.size, row.partners) if law]
    sure = min((law.confidence for law in laws), key=lambda confidence: confidence.rank, default=Confidence.LOW)
    calls = row.most.at(study.far) if row.most else 0.0
    price = f"{seconds(row.price.least)} to {seconds(row.price.most)}" if row.price else "of unknown price"
    metrics: dict[str, object] = {"ranks": list(study.ranks), "target_ranks": study.far, "call_count": calls}
    if row.price:
        metrics |= {"least_seconds": row.price.least, "most_seconds": row.price.most}
    return rule.finding(
        "scale",
        Location(str(study.root / row.site.file), row.site.line),
        args={
            "call": row.site.call,
            "reason": row.unscalable,
            "target": f"{study.far:,}",
            "calls": f"{calls:,.0f}",
            "price": price,
        },
        confidence=sure,
        function=row.site.function,
        evidence=[Evidence("scale", metrics, f"calls of a rank: {row.most}" if row.most else "")],
    )
