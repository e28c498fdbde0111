"""The run-time detectors, found by the catalogue: stridewise/patterns/<slug with _>.py."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, TypeVar, cast

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.correlate import CacheDetector, CacheJudge, RunJudge
from stridewise.finding.judgement import Judgement
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.omp import trace as omp_trace
from stridewise.runs.placement.records import Placement
from stridewise.runs.sharing.shards import Sharing

T = TypeVar("T")

MpiDetector = Callable[[Trace, Rule], Iterable[Finding]]
OmpDetector = Callable[[omp_trace.Trace, Rule], Iterable[Finding]]
PlacementDetector = Callable[[Placement, Rule], Iterable[Finding]]
SharingDetector = Callable[[Sequence[Sharing], Rule], Iterable[Finding]]
ScaleDetector = Callable[[Any, Rule], Iterable[Finding]]  # of a study (stridewise/scale/study.py), which knows runs
SharingJudge = Callable[[Finding, Sequence[Sharing], Rule], Judgement]


def _module(rule: Rule) -> ModuleType:
    return importlib.import_module(f"stridewise.patterns.{rule.slug.replace('-', '_')}")


def mpi_detectors(rules: Mapping[str, Rule]) -> dict[str, MpiDetector]:
    """detect_mpi of each rule that declares it."""
    declared = [rule for rule in rules.values() if "mpi" in rule.detectors]
    return {rule.slug: cast(MpiDetector, _module(rule).detect_mpi) for rule in declared}


def omp_detectors(rules: Mapping[str, Rule]) -> dict[str, OmpDetector]:
    """detect_omp of each rule that has it."""
    found = {r.slug: getattr(_module(r), "detect_omp", None) for r in rules.values() if "omp" in r.detectors}
    return {slug: cast(OmpDetector, detect) for slug, detect in found.items() if detect is not None}


def mpi_judges(rules: Mapping[str, Rule], traces: Sequence[Trace]) -> dict[str, RunJudge]:
    """judge_mpi of the rules that have one, over all traces: the first that decides."""
    return _judges("mpi", rules, traces)


def omp_judges(rules: Mapping[str, Rule], traces: Sequence[omp_trace.Trace]) -> dict[str, RunJudge]:
    """judge_omp of the rules that have one, over all traces: the first that decides."""
    return _judges("omp", rules, traces)


def _judges(kind: str, rules: Mapping[str, Rule], traces: Sequence[T]) -> dict[str, RunJudge]:
    judges: dict[str, RunJudge] = {}
    for rule in rules.values():
        judge = getattr(_module(rule), f"judge_{kind}", None) if kind in rule.detectors else None
        if judge is not None:
            judges[rule.slug] = _over(cast(Callable[[Finding, T, Rule], Judgement | None], judge), traces, rule)
    return judges


def _over(judge: Callable[[Finding, T, Rule], Judgement | None], traces: Sequence[T], rule: Rule) -> RunJudge:
    def decide(finding: Finding) -> Judgement | None:
        return next((said for trace in traces if (said := judge(finding, trace, rule))), None)

    return decide


def placement_detectors(rules: Mapping[str, Rule]) -> dict[str, PlacementDetector]:
    """detect_placement of each rule that has it."""
    found = {
        r.slug: getattr(_module(r), "detect_placement", None) for r in rules.values() if "placement" in r.detectors
    }
    return {slug: cast(PlacementDetector, detect) for slug, detect in found.items() if detect is not None}


def placement_judges(rules: Mapping[str, Rule], runs: Sequence[Placement]) -> dict[str, RunJudge]:
    """judge_placement of the rules that have one, over all processes: the first that decides."""
    return _judges("placement", rules, runs)


def cache_judges(rules: Mapping[str, Rule]) -> dict[str, CacheJudge]:
    """judge_cache of each rule that declares a cache detector."""
    declared = [rule for rule in rules.values() if "cache" in rule.detectors]
    return {rule.slug: cast(CacheJudge, _module(rule).judge_cache) for rule in declared}


def scale_detectors(rules: Mapping[str, Rule]) -> dict[str, ScaleDetector]:
    """detect_scale of each rule that declares it: what runs at several numbers of ranks show together."""
    declared = [rule for rule in rules.values() if "scale" in rule.detectors]
    return {rule.slug: cast(ScaleDetector, _module(rule).detect_scale) for rule in declared}


def sharing_detectors(rules: Mapping[str, Rule]) -> dict[str, SharingDetector]:
    """detect_sharing of each rule that declares a sharing detector."""
    declared = [rule for rule in rules.values() if "sharing" in rule.detectors]
    return {rule.slug: cast(SharingDetector, _module(rule).detect_sharing) for rule in declared}


def sharing_judges(rules: Mapping[str, Rule]) -> dict[str, SharingJudge]:
    """judge_sharing of each of them: what the run says of a finding of the source that it does not show."""
    declared = [rule for rule in rules.values() if "sharing" in rule.detectors]
    return {rule.slug: cast(SharingJudge, _module(rule).judge_sharing) for rule in declared}


def cache_detectors(rules: Mapping[str, Rule]) -> dict[str, CacheDetector]:
    """detect_cache of the rules that have one: what a cache run shows by itself."""
    found = {rule.slug: getattr(_module(rule), "detect_cache", None) for rule in rules.values() if _has_cache(rule)}
    return {slug: cast(CacheDetector, detect) for slug, detect in found.items() if detect is not None}


def conflict_rules(rules: Mapping[str, Rule]) -> frozenset[str]:
    """The rules whose judges need the conflict misses."""
    declared = (rule for rule in rules.values() if _has_cache(rule))
    return frozenset(rule.slug for rule in declared if getattr(_module(rule), "NEEDS_CONFLICTS", False))


def _has_cache(rule: Rule) -> bool:
    return "cache" in rule.detectors
