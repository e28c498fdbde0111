"""What the judges of cache runs share: the counts of a finding's own lines, and the verdict rules.

confirmed: 1.5 times the misses of the best program, or more. refuted: what could be saved is less than a thousandth of
the run's misses, for this input. Counts belong to lines; where a program has no line information, to functions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stridewise.catalogue import Rule
from stridewise.finding import Access, Evidence, Finding, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.machine.price_table import price
from stridewise.runs.cache.cachegrind import CacheProfile, Counts, base_name, simulated, total_of

STATIC_LINE_BYTES = int(price("cache_line_bytes"))  # of the static prediction


@dataclass(frozen=True, slots=True)
class Measured:
    """The counts of a finding's lines; `best_lines`: what the best program would fetch, None where nobody knows."""

    counts: Counts
    best_lines: float | None = None
    share_error: float | None = None  # of the run's first-level misses, where the run was sampled


def places(finding: Finding) -> dict[tuple[str, int], list[Access]]:
    """The finding's accesses by line; where it names none, the lines of its scope."""
    found: dict[tuple[str, int], list[Access]] = defaultdict(list)
    for access in finding.accesses:
        found[access.file, access.line].append(access)
    if not found:
        where, scope = finding.location, finding.scope
        for line in range(scope.begin_line, scope.end_line + 1) if scope.begin_line > 0 else [where.line]:
            found[where.file, line].append(Access(where.file, line, finding.function))
    return found


def measure(
    finding: Finding, profile: CacheProfile, by_line: Mapping[tuple[str, int], Sequence[Access]] | None = None
) -> Measured:
    """The sum over the finding's lines. The best lines are known only if every line's are."""
    by_line = by_line or places(finding)
    total = Counts()
    best: float | None = 0.0
    line_bytes = data_line_bytes(profile)
    for (file, line), references in by_line.items():
        counted = _attributed(profile.at(file, line), references, file == finding.location.file)
        total = total.plus(counted)
        known = [r.best_lines_per_access for r in references if r.best_lines_per_access is not None]
        if best is None or len(known) < len(references):
            best = None
        else:
            best += counted.accesses * scaled(sum(known) / len(known), line_bytes)
    return Measured(total, best, share_error(finding, profile, by_line) if profile.windows else None)


def scaled(lines: float, line_bytes: int) -> float:
    """Lines per access, predicted for lines of 64 bytes, on lines of another size."""
    return lines if lines >= 1 else min(1.0, lines * STATIC_LINE_BYTES / line_bytes)


def data_line_bytes(profile: CacheProfile) -> int:
    cache = simulated(profile).get("D1")
    return cache.line_bytes if cache else STATIC_LINE_BYTES


def unmeasured(finding: Finding, profile: CacheProfile, counts: Counts, rule: Rule) -> Judgement | None:
    """What is said where the lines have no counts; None where they do."""
    if counts.accesses:
        return None
    files = {file for file, _ in places(finding)}
    if any(profile.file(file) is not None for file in files):
        if profile.partial:
            note = "nothing was counted here: not reached, or called from another function that is counted"
            if profile.windows:
                note = "no window of the sample met this loop"
            return Judgement(Verdict.SUSPECTED, Evidence("cache", {}, note))
        return Judgement(Verdict.NOT_EXERCISED, Evidence("cache", {}, "the run did not reach this loop"))
    whole = profile.in_function(finding.function)
    if whole is None:
        note = "the program has no line information of this file (build with -g), or none of it ran"
        return Judgement(Verdict.SUSPECTED, Evidence("cache", {}, note))
    note = (
        "the program has no line information (build with -g); these are the counts of the whole function "
        f"'{finding.function}'"
    )
    verdict = Verdict.REFUTED if is_small(whole, whole, profile, rule) else Verdict.SUSPECTED
    return Judgement(verdict, Evidence("cache", metrics(whole, profile), note))


def metrics(counts: Counts, profile: CacheProfile, error: float | None = None) -> dict[str, Any]:
    known = {
        "d1_misses": counts.d1_misses,
        "accesses": counts.accesses,
        "ll_misses": counts.ll_misses,
        "run_misses_share": _share(counts.d1_misses, profile.total.d1_misses),
        "processes": profile.processes,
    }
    if profile.windows:
        known["windows"] = len(profile.windows)
    if error is not None:
        known["run_misses_share_error"] = error
    return known


def share_error(
    finding: Finding, profile: CacheProfile, by_line: Mapping[tuple[str, int], Sequence[Access]]
) -> float | None:
    """Two standard errors of the share of the first-level misses, by how much the windows differ; None of fewer than
    two windows. The variance is that of a ratio of two sums (Cochran, Sampling Techniques, 6.4)."""
    windows = profile.windows
    whole = sum(one.total.d1_misses for one in windows)
    if len(windows) < 2 or not whole:
        return None
    parts = [measure(finding, one, by_line).counts.d1_misses for one in windows]
    share = sum(parts) / whole
    spread = sum((part - share * one.total.d1_misses) ** 2 for part, one in zip(parts, windows, strict=True))
    return 2 * float(math.sqrt(spread * len(windows) / (len(windows) - 1))) / whole


def is_small(d1: Counts, ll: Counts, profile: CacheProfile, rule: Rule) -> bool:
    """Whether the first-level misses of `d1` and the last-level misses of `ll` are lost among those of the run."""
    limit = rule.threshold("refute_share")
    return (
        not profile.partial
        and _share(d1.d1_misses, profile.total.d1_misses) < limit
        and _share(ll.ll_misses, profile.total.ll_misses) < limit
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def judge_by_best(
    profile: CacheProfile, rule: Rule, measured: Measured, holes: Mapping[str, str] | None = None
) -> Judgement:
    """The first-level misses against those of the best program. `holes` are further arguments of the message."""
    counts = measured.counts
    best = measured.best_lines or 0.0
    known: dict[str, Any] = metrics(counts, profile, measured.share_error) | {"best_d1_misses": round(best)}
    if is_small(counts, counts, profile, rule):
        return Judgement(Verdict.REFUTED, Evidence("cache", known, "for this input"))
    args = {"misses": f"{counts.d1_misses:,}", "accesses": f"{counts.accesses:,}", "best_misses": f"{round(best):,}"}
    message, _ = rule.fill("cache", args | dict(holes or {}))
    confirmed = counts.d1_misses >= rule.threshold("confirm_ratio") * best
    return Judgement(Verdict.CONFIRMED if confirmed else Verdict.SUSPECTED, Evidence("cache", known, message))


def _attributed(found: Mapping[str, Counts], references: Sequence[Access], own_file: bool) -> Counts:
    """The counts of a line that belong to the finding.

    A profiler attributes inlined code to the function that was emitted. Where no name fits, that function was inlined
    itself: the line is still unmistakable in the finding's own file, or if one function alone has it.
    """
    wanted = {base_name(r.function) for r in references}
    named = [counts for function, counts in found.items() if base_name(function) in wanted]
    if not named and (own_file or len(found) == 1):
        named = list(found.values())
    return total_of(named)
