"""Functions whose instructions are not divided among the ranks, by the laws of runs at several numbers of ranks."""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Evidence, Finding, Location
from stridewise.scale.study import Study


def detect_scale(study: Study, rule: Rule) -> Iterable[Finding]:
    for row in study.work:
        if not row.unscalable or row.most is None or not row.site.line:
            continue
        there = row.most.at(study.far)
        yield rule.finding(
            "scale",
            Location(str(study.root / row.site.file), row.site.line),
            args={
                "function": row.site.function,
                "reason": row.unscalable,
                "target": f"{study.far:,}",
            },
            confidence=row.most.confidence,
            function=row.site.function,
            evidence=[
                Evidence(
                    "scale",
                    {"ranks": list(study.ranks), "target_ranks": study.far, "instructions": there},
                    f"instructions of a rank: {row.most}",
                )
            ],
        )
