"""Arrays that were zeroed on one thread, seen where a run has sampled the users of their pages.

By the run alone these are the elements of containers. What calloc or memset has written cannot be told from the pages:
it is a finding of omp-serial-first-touch then.
"""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.judgement import Judgement
from stridewise.patterns import _placement
from stridewise.runs.placement.records import Placement


def detect_placement(run: Placement, rule: Rule) -> Iterable[Finding]:
    return _placement.detect(run, rule, zeroed=True)


def judge_placement(finding: Finding, run: Placement, rule: Rule) -> Judgement | None:
    return _placement.judge(finding, run, rule)
