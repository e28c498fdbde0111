"""Judges a strided loop by the cache misses of its own lines, against those of the best loop order.

Doubtful where several references share a line: Cachegrind counts per line, so their mean is compared. Unoptimised
programs also count the loads of loop variables, which makes the best order look worse and the verdict milder.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from stridewise.catalogue import Rule
from stridewise.collect.cachegrind import CacheProfile, Counts, base_name
from stridewise.finding import Access, Evidence, Finding, Verdict
from stridewise.judgement import Judgement


def judge_cache(finding: Finding, profile: CacheProfile, rule: Rule) -> Judgement | None:
    """confirmed, refuted, not-exercised or undecided (suspected); None if the finding names nothing to measure."""
    by_line: dict[tuple[str, int], list[Access]] = defaultdict(list)
    for access in finding.accesses:
        if access.best_lines_per_access is not None:
            by_line[access.file, access.line].append(access)
    if not by_line:
        return None
    if all(profile.file(file) is None for file, _ in by_line):
        note = "the program has no line information of this file (build with -g), or none of it ran"
        return Judgement(Verdict.SUSPECTED, Evidence("cache", {}, note))
    misses = accesses = ll_misses = 0
    best = 0.0
    for (file, line), references in by_line.items():
        counted = _attributed(profile.at(file, line), references, file == finding.location.file)
        misses += counted.d1_misses
        ll_misses += counted.ll_misses
        accesses += counted.accesses
        lines_each = sum(r.best_lines_per_access or 0.0 for r in references) / len(references)
        best += counted.accesses * lines_each
    if accesses == 0:
        return Judgement(Verdict.NOT_EXERCISED, Evidence("cache", {}, "the run did not reach this loop"))
    share = misses / profile.total.d1_misses if profile.total.d1_misses else 0.0
    metrics = {
        "d1_misses": misses,
        "accesses": accesses,
        "best_d1_misses": round(best),
        "ll_misses": ll_misses,
        "run_misses_share": share,
        "processes": profile.processes,
    }
    if share < rule.threshold("refute_share"):
        return Judgement(Verdict.REFUTED, Evidence("cache", metrics, "for this input"))
    message, _ = rule.fill(
        "cache", {"misses": f"{misses:,}", "accesses": f"{accesses:,}", "best_misses": f"{round(best):,}"}
    )
    confirmed = misses >= rule.threshold("confirm_ratio") * best
    return Judgement(Verdict.CONFIRMED if confirmed else Verdict.SUSPECTED, Evidence("cache", metrics, message))


def _attributed(found: Mapping[str, Counts], references: list[Access], own_file: bool) -> Counts:
    """The counts of a line that belong to the finding.

    A profiler attributes inlined code to the function that was emitted. Where no name fits, that function was inlined
    itself: the line is still unmistakable in the finding's own file, or if one function alone has it.
    """
    wanted = {base_name(r.function) for r in references}
    named = [counts for function, counts in found.items() if base_name(function) in wanted]
    if not named and (own_file or len(found) == 1):
        named = list(found.values())
    total = Counts()
    for counts in named:
        total = total.plus(counts)
    return total
