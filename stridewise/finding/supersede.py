"""Where two rules explain one place, or one finding speaks for the whole program, one finding is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Related, Verdict

_PLACES_NAMED = 5
MENDED_AT = "mended_at"  # the variant of a rule that labels the related place where its advice is carried out


def without_superseded(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Drops findings that lie in the scope of one whose rule supersedes theirs.

    Refuted findings drop none, and unsure ones only what is as unsure: what is not shown must not hide what is. What is
    mended elsewhere (at the declaration of an array, for all loops over it) stands beside a change of one of the loops.
    """
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        rule = rules.get(finding.rule)
        if rule and rule.supersedes and finding.verdict is not Verdict.REFUTED:
            by_file[finding.location.file].append(finding)

    def stands(finding: Finding) -> bool:
        rule = rules.get(finding.rule)
        mended_at = rule.variants.get(MENDED_AT) if rule else None
        mended = [r for r in finding.related if r.label == mended_at]
        return not any(
            finding.rule in rules[other.rule].supersedes
            and (other.confidence is not Confidence.LOW or finding.confidence is Confidence.LOW)
            and (other.scope.contains(finding.location.line) or other.location.line == finding.location.line)
            and all(r.file == other.location.file and other.scope.contains(r.line) for r in mended)
            for other in by_file[finding.location.file]
        )

    return [finding for finding in findings if stands(finding)]


def once_per_program(findings: Sequence[Finding], rules: Mapping[str, Rule]) -> list[Finding]:
    """Of the findings of a rule that speaks of the whole program and say the same, the surest; it names the others."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        if finding.rule in rules and rules[finding.rule].once:
            groups[finding.rule, finding.message].append(finding)
    chosen: dict[int, Finding] = {}
    for group in groups.values():
        group.sort(key=lambda f: (-f.confidence.rank, f.location.file, f.location.line))
        best, *others = group
        places = tuple(Related(f.location.file, f.location.line, "here as well") for f in others[:_PLACES_NAMED])
        chosen[id(best)] = replace(best, related=(*best.related, *places))
    return [chosen.get(id(f), f) for f in findings if id(f) in chosen or not (f.rule in rules and rules[f.rule].once)]
