"""Judges a transpose by the first-level misses of its lines, against those of a walk in tiles.

In tiles each line is fetched once for all of its elements, of the array that is walked along its rows and of the one
that is walked across them. A power of two between the rows makes tiles miss, too; then the rule of such pitches speaks.
"""

from __future__ import annotations

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement
from stridewise.patterns import _cache
from stridewise.runs.cache.cachegrind import CacheProfile


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected); None if the finding names nothing to measure."""
    measured = _cache.measure(finding, profile)
    if undecided := _cache.unmeasured(finding, profile, measured.counts, rule):
        return undecided
    return None if measured.best_lines is None else _cache.judge_by_best(profile, rule, measured)
