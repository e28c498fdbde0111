"""Judges a loop over large records by the share of the fetched lines that it never uses.

In arrays of their own the used bytes would fill whole lines: what is missed beyond that is waste. Where the finding
does not say how many of an access' bytes are new, each is taken for a word of 8 bytes that no other access uses, which
can only make the waste look smaller.
"""

from __future__ import annotations

from dataclasses import replace

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import percent
from stridewise.patterns import _cache
from stridewise.runs.cache.cachegrind import CacheProfile

_WORD_BYTES = 8


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected)."""
    measured = _cache.measure(finding, profile)
    if undecided := _cache.unmeasured(finding, profile, measured.counts, rule):
        return undecided
    if measured.best_lines is None:
        words = measured.counts.accesses * _WORD_BYTES / _cache.data_line_bytes(profile)
        measured = replace(measured, best_lines=words)
    misses, best = measured.counts.d1_misses, measured.best_lines or 0.0
    wasted = max(0.0, 1 - best / misses) if misses else 0.0
    judged = _cache.judge_by_best(profile, rule, measured, {"wasted": percent(wasted)})
    metrics = {**judged.evidence.metrics, "wasted_share": wasted}
    return replace(judged, evidence=replace(judged.evidence, metrics=metrics))
