"""The order of a list: what to look at first.

Measured savings first. Where no run has measured, the rule's estimate of what the place costs (catalogue/estimate.py),
weighed by how likely the finding is true and by how much its severity says that it costs. docs/ranking.md tells it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Severity, Verdict
from stridewise.finding.grouping import Group
from stridewise.machine import price_table

# How likely a finding of a confidence is true. Set, not measured: doubtful ones must cost some times as much.
LIKELY = {Confidence.LOW: 0.2, Confidence.MEDIUM: 0.6, Confidence.HIGH: 0.9}
# A rule that calls itself a hint, or a place that is cold, costs a small part of what the formula says.
WEIGHT = {Severity.INFO: 0.1, Severity.WARNING: 1.0, Severity.ERROR: 1.0}
# What a miss costs that the next level serves, in a loop that nothing hides: an L2 hit, and the memory.
_INNER_NS, _MEMORY_NS = price_table.price("inner_miss_nanoseconds"), price_table.price("memory_miss_nanoseconds")


def with_estimates(findings: Iterable[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """The findings with what their rules estimate that they cost."""
    return [
        replace(f, estimated_nanoseconds=rules[f.rule].estimated_nanoseconds(f.args)) if f.rule in rules else f
        for f in findings
    ]


def rank(findings: Iterable[Finding]) -> list[Finding]:
    """Refuted last; else by predicted saving, then errors, what a run has seen, the expected cost, and place."""
    return sorted(findings, key=lambda f: (*_key(f, f.gain_seconds, expected(f)), *_place(f)))


def rank_groups(groups: Iterable[Group]) -> list[Group]:
    """As rank(), by what all places of a group save or are expected to cost together; equal ones keep their order."""
    return sorted(groups, key=lambda group: _key(group.lead, group.gain_seconds, _together(group)))


def _together(group: Group) -> float:
    """An error at many places is no surer than one at a single place."""
    costs = [expected(member) for member in group.members]
    return max(costs) if group.lead.severity is Severity.ERROR else sum(costs)


def expected(finding: Finding) -> float:
    """Nanoseconds: what a cache run counted, else the rule's estimate, but no more than a run spent at the place, or
    says that it would save; weighed by confidence and severity."""
    cost = _counted(finding)
    if cost is None:
        cost = finding.estimated_nanoseconds or 0.0
    for most in (finding.gain_seconds, *(evidence.metrics.get("at_most_seconds") for evidence in finding.evidence)):
        if isinstance(most, int | float):
            cost = min(cost, 1e9 * most)
    return cost * LIKELY[finding.confidence] * WEIGHT[finding.severity]


def _key(finding: Finding, gain_seconds: float | None, cost: float) -> tuple[Any, ...]:
    seen = finding.verdict in (Verdict.CONFIRMED, Verdict.OBSERVED)
    return (
        finding.verdict is Verdict.REFUTED,
        -(gain_seconds or 0.0),
        finding.severity is not Severity.ERROR,
        not seen,
        -cost,
        -finding.severity.rank,
        -finding.confidence.rank,
        finding.verdict is not Verdict.CONFIRMED,
    )


def _place(finding: Finding) -> tuple[Any, ...]:
    where = finding.location
    return where.file, where.line, where.column, finding.rule, finding.message


def _counted(finding: Finding) -> float | None:
    """What the misses cost that a cache run counted beyond those of the best program; None without such counts."""
    evidence = finding.evidence_from("cache")
    if evidence is None:
        return None

    def number(name: str) -> float | None:
        value = evidence.metrics.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None

    first, second = number("level1_conflict_misses"), number("level2_conflict_misses")
    if first is not None and second is not None:
        return _INNER_NS * (first + second)
    for misses, price in (("d1_misses", _INNER_NS), ("ll_misses", _MEMORY_NS)):
        now, best = number(misses), number(f"best_{misses}")
        if now is not None and best is not None:
            return price * max(0.0, now - best)
    return None
