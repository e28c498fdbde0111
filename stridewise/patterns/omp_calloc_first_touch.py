"""Arrays that were zeroed on one thread: judged by where their pages lie and who uses them.

By the run alone they are findings of omp-serial-first-touch, since pages do not tell which call has written them.
"""

from __future__ import annotations

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.judgement import Judgement
from stridewise.patterns import _placement
from stridewise.placement import Placement


def judge_placement(finding: Finding, run: Placement, rule: Rule) -> Judgement | None:
    return _placement.judge(finding, run, rule)
