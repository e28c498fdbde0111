"""In which of the phases that a program marks it comes by the places of findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from stridewise.finding import Finding

_NONE = "none"


def with_phases(
    findings: Iterable[Finding], at: Mapping[tuple[str, int], Collection[str]], source: str
) -> list[Finding]:
    """`at` has the phases by file and line, empty for none; `source` is of the evidence that gets them."""
    return [_in_phases(f, at.get((f.location.file, f.location.line), ()), source) for f in findings]


def _in_phases(finding: Finding, named: Collection[str], source: str) -> Finding:
    if not any(named):
        return finding
    told = {"phase" if len(named) == 1 else "phases": ", ".join(name or _NONE for name in named)}
    evidence = [replace(e, metrics={**e.metrics, **told}) if e.source == source else e for e in finding.evidence]
    return replace(finding, evidence=tuple(evidence))
