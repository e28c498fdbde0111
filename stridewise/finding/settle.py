"""The last step before rendering: what makes a list of judged findings one that a person works down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Finding
from stridewise.finding.deciding import with_deciding_runs
from stridewise.finding.grouping import with_groups
from stridewise.finding.order import rank, with_estimates
from stridewise.finding.result import RunSummary, longest_runs
from stridewise.finding.sources import Project


def settled(
    findings: Iterable[Finding],
    rules: Mapping[str, Rule],
    runs: Sequence[RunSummary] = (),
    project: Project | None = None,
) -> list[Finding]:
    """Ranked, each with its estimate, its group, and the run that would decide it. None is lost, none added."""
    relative = project.relative if project else str
    grouped = with_groups(with_estimates(findings, rules), rules, relative)
    return rank(with_deciding_runs(grouped, rules, longest_runs(runs)))
