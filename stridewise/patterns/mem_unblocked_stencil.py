"""Judges a stencil by how often its rows or planes come from memory.

The first level keeps none of the planes: what it misses counts every plane that the sweep touches, whatever the code
looks like (vectorised or not). In blocks that stay in the cache each array would come from memory once, a share of that
which the source gives. Rows so long that the first level loses even the neighbouring ones make the best look worse and
the verdict milder.
"""

from __future__ import annotations

from stridewise.catalogue import Rule
from stridewise.finding import Evidence, Finding, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.patterns import _cache
from stridewise.runs.cache.cachegrind import CacheProfile, Counts


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected); of unknown sizes it decides only what is small."""
    counts = _cache.measure(finding, profile).counts
    if undecided := _cache.unmeasured(finding, profile, counts, rule):
        return undecided
    known = _cache.metrics(counts, profile)
    if profile.windows:
        note = "windows are too short to fill the last level, which decides here; run it without --sample"
        return Judgement(Verdict.SUSPECTED, Evidence("cache", known, note))
    if _cache.is_small(counts, counts, profile, rule):
        return Judgement(Verdict.REFUTED, Evidence("cache", known, "for this input"))
    share = _blocked_share(finding)
    if share is None:
        return Judgement(Verdict.SUSPECTED, Evidence("cache", known))
    best = counts.d1_misses * share
    times = counts.ll_misses / best if best else 0.0
    known |= {"best_ll_misses": round(best), "misses_per_line_ratio": times}
    saved = Counts(0, 0, max(0, counts.ll_misses - round(best)))
    if _cache.is_small(saved, saved, profile, rule):
        return Judgement(Verdict.REFUTED, Evidence("cache", known, "the rows stay in the cache that was simulated"))
    message, _ = rule.fill(
        "cache", {"misses": f"{counts.ll_misses:,}", "best_misses": f"{round(best):,}", "times": f"{times:.1f}"}
    )
    confirmed = counts.ll_misses >= rule.threshold("confirm_ratio") * best
    return Judgement(Verdict.CONFIRMED if confirmed else Verdict.SUSPECTED, Evidence("cache", known, message))


def _blocked_share(finding: Finding) -> float | None:
    """Lines that come from memory in blocks / now, if nothing stays; None where no size is known."""
    arrays, planes, between = (finding.args.get(name) for name in ("arrays", "fetched_planes", "between_bytes"))
    if not all(isinstance(value, int | float) and value > 0 for value in (arrays, planes, between)):
        return None
    assert isinstance(arrays, int | float)
    assert isinstance(planes, int | float)
    return min(1.0, arrays / planes)
