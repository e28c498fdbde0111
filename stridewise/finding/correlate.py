"""Joins what the source shows with what the runs showed: verdicts, measured costs, one finding per place.

MPI, OpenMP: a finding of the source is confirmed when the run's pattern was found on a call path through its lines;
refuted only where the rule has positive evidence against it; not exercised when the run never came by.
Cache: the rule's own judgement of the misses on the finding's accesses.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePosixPath

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Scope, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.runs.cache.cachegrind import CacheProfile

CacheJudge = Callable[[Finding, CacheProfile, Rule], Judgement | None]
CacheDetector = Callable[[CacheProfile, Rule, Sequence[Finding]], Iterable[Finding]]
RunJudge = Callable[[Finding], Judgement | None]
_NOT_HERE = {"mpi": "the run made no MPI call from here", "omp": "the run executed no OpenMP construct here"}


@dataclass(frozen=True, slots=True)
class Site:
    """A source line on the call path of calls of MPI or OpenMP: how many passed, and the most seconds of one rank."""

    file: str
    line: int
    function: str
    calls: int = 0
    seconds: float = 0.0


class Execution:
    """The source lines that the run's call paths went through."""

    def __init__(self, sites: Iterable[Site]) -> None:
        self._by_name: dict[str, list[Site]] = defaultdict(list)
        for site in sites:
            self._by_name[PurePosixPath(site.file).name].append(site)

    def __bool__(self) -> bool:
        return bool(self._by_name)

    def within(self, finding: Finding) -> list[Site]:
        """The sites that a finding speaks of."""
        names = {PurePosixPath(file).name for file in (finding.location.file, *(a.file for a in finding.accesses))}
        candidates = [site for name in sorted(names) for site in self._by_name.get(name, ())]
        return [site for site in candidates if covers(finding, site.file, site.line)]

    def in_function(self, finding: Finding) -> bool:
        """Whether the run came by the finding's function, at whatever line."""
        name = finding.function.partition("(")[0]
        near = self._by_name.get(PurePosixPath(finding.location.file).name, ())
        return bool(name) and any(
            site.function.partition("(")[0] == name and same_file(site.file, finding.location.file) for site in near
        )


def same_file(a: str, b: str) -> bool:
    """Whether two paths name one file: equal, or one is the tail of the other (relative debug information)."""
    if a == b:
        return True
    left, right = PurePosixPath(os.path.normpath(a)), PurePosixPath(os.path.normpath(b))
    if left.is_absolute() and right.is_absolute():
        return left == right
    shared = min(len(left.parts), len(right.parts))
    return left.parts[-shared:] == right.parts[-shared:]


def covers(finding: Finding, file: str, line: int) -> bool:
    """Whether the finding speaks of this line: its statement, the lines where its cost shows, or, if it names none of
    those, its scope. One function often holds several barriers or exchanges, each with a verdict of its own."""
    where = finding.location
    if same_file(where.file, file):
        if where.line <= line <= max(where.line, where.end_line):
            return True
        if not finding.accesses:
            return finding.scope.contains(line)
    return any(access.line == line and same_file(access.file, file) for access in finding.accesses)


def is_construct(finding: Finding, file: str, line: int) -> bool:
    """Whether the construct of OpenMP on this line is the one that the finding speaks of.

    The scope of a region or shared loop is its body: code made by GCC gives such constructs the line of a statement
    in it. A scope that begins before the statement is what lies around it, such as the loop around a lock, and holds
    others.
    """
    own = finding.scope.begin_line >= finding.location.line
    return covers(finding, file, line) and (own or covers(replace(finding, scope=Scope()), file, line))


def frames(observed: Finding) -> list[tuple[str, int]]:
    """The call path of a run's finding: its place, then its callers, which it gives as related places."""
    where = observed.location
    return [(where.file, where.line), *((r.file, r.line) for r in observed.related)]


def join_run(
    kind: str,
    static: Sequence[Finding],
    observed: Sequence[Finding],
    execution: Execution,
    rules: Mapping[str, Rule],
    judges: Mapping[str, RunJudge],
) -> list[Finding]:
    """The static findings with the verdicts of a run of that kind, then its findings that no static one explains.

    Each observed finding is joined to at most one static finding, so that no second is counted twice: the one with
    the nearest frame, then one whose own statement the frame is in, then the one with the smallest scope.
    """
    speaks_of = is_construct if kind == "omp" else covers
    joined: dict[int, list[Finding]] = defaultdict(list)
    touched: dict[int, list[Finding]] = defaultdict(list)
    rest: list[Finding] = []
    for finding in observed:
        matches = [
            (depth, not _at(candidate, line), _size(candidate), index)
            for index, candidate in enumerate(static)
            if candidate.rule == finding.rule
            for depth, (file, line) in enumerate(frames(finding))
            if speaks_of(candidate, file, line)
        ]
        if matches:
            joined[min(matches)[-1]].append(finding)
            for index in {index for *_, index in matches}:
                touched[index].append(finding)
        else:
            rest.append(finding)
    out: list[Finding] = []
    for index, finding in enumerate(static):
        if index in joined:
            out.append(confirm(finding, joined[index]))
        elif index in touched:
            note = Evidence(kind, {}, "the run shows it; its cost is counted in the finding that is nearer to the call")
            sure = _surest([finding, *touched[index]])
            out.append(replace(finding.with_evidence(note), verdict=Verdict.CONFIRMED, confidence=sure))
        elif finding.rule in rules and kind in rules[finding.rule].detectors and execution:
            out.append(_unmatched(kind, finding, execution, judges.get(finding.rule)))
        else:
            out.append(finding)
    return out + rest


def _at(finding: Finding, line: int) -> bool:
    """Whether a line within the finding's scope belongs to its own statement."""
    return finding.location.line <= line <= max(finding.location.line, finding.location.end_line)


def _size(finding: Finding) -> int:
    return max(0, finding.scope.end_line - finding.scope.begin_line)


def _unmatched(kind: str, finding: Finding, execution: Execution, judge: RunJudge | None) -> Finding:
    """A finding of the source that no pattern of the run confirms."""
    sites = execution.within(finding)
    # Code made by GCC gives some constructs of OpenMP the line of a statement near by: the rule's judge knows those.
    judgement = judge(finding) if judge and (sites or kind == "omp") else None
    if judgement:
        return judgement.apply(finding)
    if not sites and kind == "omp" and execution.in_function(finding):
        note = Evidence(kind, {}, "the run came by the function, but recorded nothing at this line")
        return finding.with_evidence(note)
    if not sites:
        note = Evidence(kind, {}, _NOT_HERE[kind])
        return replace(finding.with_evidence(note), verdict=Verdict.NOT_EXERCISED)
    most = max(sites, key=lambda site: site.seconds)
    metrics = {"calls": sum(site.calls for site in sites), "at_most_seconds": most.seconds}
    return finding.with_evidence(Evidence(kind, metrics, "the run came by and did not show the pattern"))


def confirm(static: Finding, observed: Sequence[Finding]) -> Finding:
    """One finding of both halves: the source's place and advice, the run's figures summed over its call paths."""
    first = max(observed, key=lambda f: (f.gain_seconds or 0.0, f.cost_seconds or 0.0))
    more = len(observed) - 1
    message = first.message + (f" (and {more} more call path{'s' if more > 1 else ''})" if more else "")
    evidence = [
        replace(e, note=static.message if not e.note else f"{static.message}; {e.note}") if e.source == "static" else e
        for e in static.evidence or (Evidence("static"),)
    ]
    # The source says more of a place than a run, which knows only that calls passed there.
    known = {(r.file, r.line) for r in static.related}
    news = (r for f in observed for r in f.related if (r.file, r.line) not in known)
    related = dict.fromkeys([*static.related, *news])
    measured = _sum_evidence([e for f in observed for e in f.evidence])
    return replace(
        static,
        message=message,
        advice=static.advice or first.advice,
        verdict=Verdict.CONFIRMED,
        confidence=_surest([static, *observed]),
        args={**static.args, **first.args},
        evidence=(*evidence, *measured),
        related=tuple(related),
        cost_seconds=_cost(observed, measured),
        gain_seconds=_total([f.gain_seconds for f in observed]),
    )


def _surest(findings: Sequence[Finding]) -> Confidence:
    """A run can have doubts of its own (a wildcard receive near a barrier), so being confirmed is not being sure."""
    return max((f.confidence for f in findings), key=lambda c: c.rank)


def _cost(observed: Sequence[Finding], measured: Sequence[Evidence]) -> float | None:
    """The largest sum of one rank; where the ranks are not known apart, the largest single cost."""
    per_rank = [seconds for e in measured if (seconds := _numbers(e.metrics.get("rank_seconds")))]
    if per_rank:
        return max(max(seconds) for seconds in per_rank)
    known = [f.cost_seconds for f in observed if f.cost_seconds is not None]
    return max(known) if known else None


def _total(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _sum_evidence(evidence: Sequence[Evidence]) -> list[Evidence]:
    """One evidence for each source: seconds per rank are added rank by rank, other metrics are those of the first."""
    by_source: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        by_source[item.source].append(item)
    out = []
    for source, items in by_source.items():
        metrics: dict[str, object] = dict(items[0].metrics)
        lists = [_numbers(item.metrics.get("rank_seconds")) for item in items]
        if len(items) > 1 and all(lists):
            sums = [sum(values) for values in zip_longest(*lists, fillvalue=0.0)]
            metrics["rank_seconds"] = sums
            if "cost_rank" in metrics:
                metrics["cost_rank"] = max(range(len(sums)), key=sums.__getitem__)
        notes = list(dict.fromkeys(item.note for item in items if item.note))
        out.append(Evidence(source, metrics, "; ".join(notes)))
    return out


def _numbers(value: object) -> list[float]:
    if isinstance(value, list) and all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
        return [float(v) for v in value]
    return []


def join_cache(
    findings: Sequence[Finding],
    profile: CacheProfile,
    rules: Mapping[str, Rule],
    judges: Mapping[str, CacheJudge],
    detectors: Mapping[str, CacheDetector] | None = None,
) -> list[Finding]:
    """The findings with the verdicts of a cache run, then those of the run alone; rules without a cache detector are
    left as they are."""
    out: list[Finding] = []
    for finding in findings:
        judge = judges.get(finding.rule)
        judgement = judge(finding, profile, rules[finding.rule]) if judge and finding.rule in rules else None
        out.append(judgement.apply(finding) if judgement else finding)
    for slug, detect in (detectors or {}).items():
        if slug in rules:
            # A rule that supersedes this one explains the same misses better.
            known = [f for f in findings if f.rule == slug or (f.rule in rules and slug in rules[f.rule].supersedes)]
            out += detect(profile, rules[slug], known)
    return out
