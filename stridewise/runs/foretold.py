"""What a study of `stridewise scale` foretells of the places of findings: scale.json in, evidence out."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from stridewise.catalogue import Rule
from stridewise.finding import Evidence, Finding
from stridewise.finding.quantities import seconds
from stridewise.finding.sources import Project
from stridewise.finding.studies import Scaled, Scaling
from stridewise.machine.message_models import ASSUMED

_FAMILY = "mpi"

Place = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Foretold:
    """The sites of a study by the innermost of their places: by their files as they were then and, should the project
    have moved since, below its root."""

    target: int
    assumed: bool  # the network that prices are of
    at: Mapping[Place, Sequence[Scaled]]


def of_study(study: Scaling) -> Foretold | None:
    """None of a study without a target, or of threads."""
    if study.target is None or study.unit != "ranks":
        return None
    found: dict[Place, list[Scaled]] = defaultdict(list)
    for site in study.sites:
        for known in {site.file, os.path.normpath(Path(study.root) / site.file)}:
            found[known, site.line].append(site)
    return Foretold(study.target, study.network.source.startswith(ASSUMED.source), found)


def with_forecast(
    findings: Iterable[Finding], study: Foretold, rules: Mapping[str, Rule], project: Project
) -> list[Finding]:
    """Findings of the rules on MPI, with what their calls are at the study's target where a law tells it: the call that
    a finding stands at, else the first of those that it speaks of, which is named."""
    out = []
    for finding in findings:
        rule = rules.get(finding.rule)
        said = _of_finding(finding, study, project) if rule and rule.family == _FAMILY else None
        out.append(finding.with_evidence(said) if said else finding)
    return out


def _of_finding(finding: Finding, study: Foretold, project: Project) -> Evidence | None:
    if said := _said(_site(finding, study, project), study):
        return said
    for related in finding.related:
        site = max(_at(related.file, related.line, study, project), key=_weight, default=None)
        if said := _said(site, study):
            named = f"{PurePath(related.file).name}:{related.line}: {said.note}"
            return replace(said, note=named)
    return None


def _site(finding: Finding, study: Foretold, project: Project) -> Scaled | None:
    """The site that the finding speaks of; of several at its line those whose callers are its own, else the dearest."""
    sites = _at(finding.location.file, finding.location.line, study, project)
    callers = [related.line for related in finding.related]
    same = [site for site in sites if _is_called_from(site, callers)]
    return max(same or sites, key=_weight, default=None)


def _at(file: str, line: int, study: Foretold, project: Project) -> Sequence[Scaled]:
    file = os.path.normpath(project.root / file)
    return study.at.get((file, line)) or study.at.get((project.relative(file), line), ())


def _is_called_from(site: Scaled, callers: Sequence[int]) -> bool:
    """By the lines of the callers, which findings name first, and other places behind them."""
    path = [line for _, line, _ in site.path[1:]]
    return bool(path) and list(callers[: len(path)]) == path


def _weight(site: Scaled) -> tuple[float, float]:
    return (site.price.most if site.price else 0.0), site.calls_most.foretold or 0.0


def _said(site: Scaled | None, study: Foretold) -> Evidence | None:
    """None where no law tells anything: that of the calls at least must be known."""
    if site is None or site.calls_most.law is None:
        return None
    metrics: dict[str, object] = {"target_ranks": study.target}
    parts = []
    for count, words, metric in (
        (site.calls_most, "calls of a rank", "call_count"),
        (site.bytes_most, "bytes", "rank_bytes"),
    ):
        if count.law is not None and count.foretold is not None and any(count.values):
            metrics[metric] = count.foretold
            parts.append(f"{count.foretold:,.0f} {words} ({count.law})")
    if site.partners.law is not None and (site.partners.foretold or 0.0) > 1:
        parts.append(f"{site.partners.foretold:,.0f} partners")
    if price := site.price:
        metrics |= {"least_seconds": price.least, "most_seconds": price.most}
        network = " on an assumed network" if study.assumed else ""
        parts.append(f"{seconds(price.least)} to {seconds(price.most)}{network}")
    if site.calls_most.confidence != "high":
        parts.append(f"{site.calls_most.confidence} confidence")
    return Evidence("scale", metrics, f"at {study.target:,} ranks: {', '.join(parts)}")
