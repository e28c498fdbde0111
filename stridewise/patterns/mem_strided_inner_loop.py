"""Judges a strided loop by the cache misses of its own lines, against those of the best loop order.

Doubtful where several references share a line: Cachegrind counts per line, so their mean is compared. Unoptimised
programs also count the loads of loop variables, which makes the best order look worse and the verdict milder.
"""

from __future__ import annotations

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement
from stridewise.patterns import _cache
from stridewise.runs.cache.cachegrind import CacheProfile


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected); None if the finding names nothing to measure."""
    by_line = {
        place: known
        for place, accesses in _cache.places(finding).items()
        if (known := [a for a in accesses if a.best_lines_per_access is not None])
    }
    if not by_line:
        return None
    measured = _cache.measure(finding, profile, by_line)
    return _cache.unmeasured(finding, profile, measured.counts, rule) or _cache.judge_by_best(profile, rule, measured)
