"""Allocations of a rank that grow with the ranks, or that stay where others shrink, by the laws of runs at several
numbers of ranks."""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location
from stridewise.finding.quantities import quantity
from stridewise.scale.study import Study


def detect_scale(study: Study, rule: Rule) -> Iterable[Finding]:
    for row in study.allocations:
        if not row.unscalable or row.each is None or not row.site.line:
            continue
        bytes_there = row.each.at(study.far)
        # One that stays may be a buffer that is meant to be of that size; one that grows is nothing that scales.
        sure = row.each.confidence
        if not row.each.grows:
            sure = min(sure, Confidence.MEDIUM, key=lambda confidence: confidence.rank)
        yield rule.finding(
            "scale",
            Location(str(study.root / row.site.file), row.site.line),
            args={"reason": row.unscalable, "target": f"{study.far:,}", "bytes": quantity(bytes_there, "bytes")},
            confidence=sure,
            function=row.site.function,
            evidence=[
                Evidence(
                    "scale",
                    {"ranks": list(study.ranks), "target_ranks": study.far, "allocated_bytes": bytes_there},
                    f"bytes of each: {row.each}",
                )
            ],
        )
