"""Where two rules explain one place, one finding is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Verdict


def without_superseded(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Drops findings that lie in the scope of one whose rule supersedes theirs.

    Refuted findings drop none, and unsure ones only what is as unsure: what is not shown must not hide what is.
    """
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        rule = rules.get(finding.rule)
        if rule and rule.supersedes and finding.verdict is not Verdict.REFUTED:
            by_file[finding.location.file].append(finding)

    def stands(finding: Finding) -> bool:
        return not any(
            finding.rule in rules[other.rule].supersedes
            and (other.confidence is not Confidence.LOW or finding.confidence is Confidence.LOW)
            and (other.scope.contains(finding.location.line) or other.location.line == finding.location.line)
            for other in by_file[finding.location.file]
        )

    return [finding for finding in findings if stands(finding)]
