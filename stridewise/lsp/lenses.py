"""Measured seconds above the code that took them."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from stridewise.finding import Finding, Verdict, measured
from stridewise.finding.quantities import seconds
from stridewise.lsp.positions import Positions

COMMAND = "stridewise.explain"


def lenses(findings: Sequence[Finding], positions: Positions) -> list[types.CodeLens]:
    """One for each finding that a run said something of."""
    return [
        types.CodeLens(
            positions.of(finding.location),
            types.Command(title=title(finding), command=COMMAND, arguments=[finding.rule]),
        )
        for finding in findings
        if is_measured(finding)
    ]


def is_measured(finding: Finding) -> bool:
    if finding.cost_seconds is not None or finding.gain_seconds is not None:
        return True
    return finding.verdict in (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.OBSERVED)


def title(finding: Finding) -> str:
    parts = [finding.rule]
    if finding.cost_seconds:
        parts.append(f"costs {seconds(finding.cost_seconds)}")
    if finding.gain_seconds:
        parts.append(f"a fix saves about {seconds(finding.gain_seconds)}")
    parts.append(measured.verdict(finding))
    return " · ".join(parts)
