"""The run-time detectors, found by the catalogue: stridewise/patterns/<slug with _>.py."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import cast

from stridewise.catalogue import Rule
from stridewise.correlate import CacheJudge, MpiJudge
from stridewise.finding import Finding
from stridewise.judgement import Judgement
from stridewise.trace import Trace

MpiDetector = Callable[[Trace, Rule], Iterable[Finding]]
_TraceJudge = Callable[[Finding, Trace, Rule], Judgement | None]


def _module(rule: Rule) -> ModuleType:
    return importlib.import_module(f"stridewise.patterns.{rule.slug.replace('-', '_')}")


def mpi_detectors(rules: Mapping[str, Rule]) -> dict[str, MpiDetector]:
    """detect_mpi of each rule that declares it."""
    declared = [rule for rule in rules.values() if "mpi" in rule.detectors]
    return {rule.slug: cast(MpiDetector, _module(rule).detect_mpi) for rule in declared}


def mpi_judges(rules: Mapping[str, Rule], traces: Sequence[Trace]) -> dict[str, MpiJudge]:
    """judge_mpi of the rules that have one, over all traces: the first that decides."""
    judges: dict[str, MpiJudge] = {}
    for rule in rules.values():
        judge = getattr(_module(rule), "judge_mpi", None) if "mpi" in rule.detectors else None
        if judge is not None:
            judges[rule.slug] = _over(cast(_TraceJudge, judge), traces, rule)
    return judges


def _over(judge: _TraceJudge, traces: Sequence[Trace], rule: Rule) -> MpiJudge:
    def decide(finding: Finding) -> Judgement | None:
        return next((said for trace in traces if (said := judge(finding, trace, rule))), None)

    return decide


def cache_judges(rules: Mapping[str, Rule]) -> dict[str, CacheJudge]:
    """judge_cache of each rule that declares a cache detector."""
    declared = [rule for rule in rules.values() if "cache" in rule.detectors]
    return {rule.slug: cast(CacheJudge, _module(rule).judge_cache) for rule in declared}
