"""The run-time detectors, found by the catalogue: stridewise/patterns/<slug with _>.py."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, cast

from stridewise.catalogue import Rule
from stridewise.correlate import CacheJudge, MpiJudge
from stridewise.finding import Finding

if TYPE_CHECKING:
    from stridewise.trace import Trace

MpiDetector = Callable[["Trace", Rule], Iterable[Finding]]


def _module(rule: Rule) -> ModuleType:
    return importlib.import_module(f"stridewise.patterns.{rule.slug.replace('-', '_')}")


def mpi_detectors(rules: Mapping[str, Rule]) -> dict[str, MpiDetector]:
    """detect_mpi of each rule that declares it."""
    declared = [rule for rule in rules.values() if "mpi" in rule.detectors]
    return {rule.slug: cast(MpiDetector, _module(rule).detect_mpi) for rule in declared}


def mpi_judges(rules: Mapping[str, Rule]) -> dict[str, MpiJudge]:
    """judge_mpi of the rules that have one: positive evidence against a finding of the source."""
    declared = [rule for rule in rules.values() if "mpi" in rule.detectors]
    found = {rule.slug: getattr(_module(rule), "judge_mpi", None) for rule in declared}
    return {slug: cast(MpiJudge, judge) for slug, judge in found.items() if judge is not None}


def cache_judges(rules: Mapping[str, Rule]) -> dict[str, CacheJudge]:
    """judge_cache of each rule that declares a cache detector."""
    declared = [rule for rule in rules.values() if "cache" in rule.detectors]
    return {rule.slug: cast(CacheJudge, _module(rule).judge_cache) for rule in declared}
