"""Arrays whose pages one thread has placed on its node, seen where a run has sampled the users of their pages."""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement
from stridewise.patterns import _placement
from stridewise.runs.placement.records import Placement


def detect_placement(run: Placement, rule: Rule) -> Iterable[Finding]:
    return _placement.detect(run, rule, zeroed=False)


def judge_placement(finding: Finding, run: Placement, rule: Rule) -> Judgement | None:
    return _placement.judge(finding, run, rule)
