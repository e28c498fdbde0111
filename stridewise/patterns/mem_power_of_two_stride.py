"""Judges crowded cache sets by conflict misses: those that a cache of the same size without sets would not have.

The first and the second level are looked at, which choose the set by the address; the last level of today's processors
chooses it by a hash. The second level works on physical addresses: pages of 4 KiB scatter what 64 KiB steps crowd
together, large pages do not. A run alone shows conflicts, too: at most at medium confidence, since nothing tells
whether rows and arrays can be padded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location, Verdict
from stridewise.finding.correlate import covers
from stridewise.finding.judgement import Judgement
from stridewise.machine.geometry import Cache
from stridewise.patterns import _cache
from stridewise.runs.cache.cachegrind import UNKNOWN_FILE, CacheProfile, Counts, simulated

NEEDS_CONFLICTS = True

_SYSTEM = re.compile(r"/usr/|\./[^/]+/\.\.?/")  # installed headers; the C library's sources as it names them


@dataclass(frozen=True, slots=True)
class _Level:
    """Misses of some lines in one level: as it is, nearly fully associative, and of the whole run."""

    name: str
    cache: Cache | None
    real: int
    full: int
    run: int

    @property
    def conflicts(self) -> int:
        return max(0, self.real - self.full)

    @property
    def share(self) -> float:
        return self.conflicts / self.run if self.run else 0.0


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected)."""
    counts = _cache.measure(finding, profile).counts
    if undecided := _cache.unmeasured(finding, profile, counts, rule):
        return undecided
    known = _cache.metrics(counts, profile)
    if profile.inner is None or profile.full is None:
        if _cache.is_small(counts, counts, profile, rule):
            return Judgement(Verdict.REFUTED, Evidence("cache", known, "for this input"))
        if profile.quick is not None and (said := _of_first_level(finding, profile, rule, known)):
            return said
        note = "conflicts were not simulated: run --cache --conflicts, or with --lint"
        return Judgement(Verdict.SUSPECTED, Evidence("cache", known, note))
    real, full = (_cache.measure(finding, one).counts for one in (profile.inner, profile.full))
    levels = list(_levels(real, full, profile.inner))
    for level in levels:
        known |= {f"{level.name}_conflict_misses": level.conflicts, f"{level.name}_conflict_share": level.share}
    limit = rule.threshold("refute_share")
    if not profile.partial and all(level.share < limit for level in levels):
        return Judgement(Verdict.REFUTED, Evidence("cache", known, "its lines do not evict each other in this run"))
    worst = max(levels, key=lambda level: level.share)
    confirmed = worst.real >= rule.threshold("confirm_ratio") * worst.full and worst.conflicts > 0
    message, _ = rule.fill("cache", _holes(worst))
    return Judgement(Verdict.CONFIRMED if confirmed else Verdict.SUSPECTED, Evidence("cache", known, message))


def _of_first_level(finding: Finding, profile: CacheProfile, rule: Rule, known: dict[str, object]) -> Judgement | None:
    """Confirmed where the first level shows it; what only the second one would show is not known."""
    assert profile.quick is not None
    real, full = (_cache.measure(finding, one).counts for one in (profile, profile.quick))
    level = next(iter(_levels(real, full, profile)))
    if level.share < rule.threshold("refute_share") or level.real < rule.threshold("confirm_ratio") * level.full:
        return None
    known = known | {"level1_conflict_misses": level.conflicts, "level1_conflict_share": level.share}
    return Judgement(Verdict.CONFIRMED, Evidence("cache", known, rule.fill("cache", _holes(level))[0]))


def detect_cache(profile: CacheProfile, rule: Rule, known: Sequence[Finding]) -> Iterable[Finding]:
    """Lines of the program whose conflict misses matter, and which none of the known findings speaks of."""
    compared = _compared(profile)
    if compared is None or profile.partial:
        return
    inner, without_sets = compared
    for file, by_line in inner.lines.items():
        if file == UNKNOWN_FILE or not _is_own(file):
            continue
        for line, by_function in by_line.items():
            if line == 0 or any(covers(finding, file, line) for finding in known):
                continue
            for function, real in by_function.items():
                full = without_sets.lines.get(file, {}).get(line, {}).get(function, Counts())
                level = max(_levels(real, full, inner), key=lambda one: one.share)
                if _stands_out(level, real, rule):
                    metrics = {
                        "accesses": real.accesses,
                        f"{level.name}_misses": level.real,
                        f"{level.name}_conflict_misses": level.conflicts,
                        f"{level.name}_conflict_share": level.share,
                        "processes": profile.processes,
                    }
                    yield rule.finding(
                        "cache",
                        Location(file, line),
                        args=_holes(level),
                        confidence=Confidence.MEDIUM,
                        function=function,
                        evidence=(Evidence("cache", metrics),),
                    )


def _compared(profile: CacheProfile) -> tuple[CacheProfile, CacheProfile] | None:
    """The run with sets and the one without. Where nobody asked for more, that is of the first level alone."""
    if profile.inner is not None and profile.full is not None:
        return profile.inner, profile.full
    return (profile, profile.quick) if profile.quick is not None else None


def _is_own(file: str) -> bool:
    """Code of system libraries has no lines that a person could mend."""
    return not _SYSTEM.match(file)


def _stands_out(level: _Level, counts: Counts, rule: Rule) -> bool:
    return (
        level.share >= rule.threshold("observe_share")
        and level.real >= rule.threshold("confirm_ratio") * level.full
        and level.conflicts >= rule.threshold("observe_rate") * counts.accesses
    )


def _levels(real: Counts, full: Counts, inner: CacheProfile) -> Iterator[_Level]:
    caches = simulated(inner)
    yield _Level("level1", caches.get("D1"), real.d1_misses, full.d1_misses, inner.total.d1_misses)
    yield _Level("level2", caches.get("LL"), real.ll_misses, full.ll_misses, inner.total.ll_misses)


def _holes(level: _Level) -> dict[str, str]:
    cache = level.cache
    span = cache.size_bytes // cache.ways if cache else 0
    return {
        "conflicts": f"{level.conflicts:,}",
        "misses": f"{level.real:,}",
        "level": "first-level" if level.name == "level1" else "second-level",
        "ways": str(cache.ways) if cache else "few",
        "span": f"{span:,} bytes" if span else "the cache's span",
        "line": str(cache.line_bytes) if cache else "64",
    }
