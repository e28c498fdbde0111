"""One cause is one finding: findings that one change would mend, shown as one with all its places.

Made after judging and before rendering. `group` of rule.toml names what findings of one cause share: `file`,
`function`, `advice` (word for word), `advice-kind` (but for the names, lines and numbers in it), or an argument of the
rule's messages. Beside that they have the same rule, confidence, verdict and severity. Members stay whole: formats
that annotate lines, baselines and editors go on with each of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from stridewise.catalogue import Rule
from stridewise.finding import Finding, digest

_NAMED = re.compile(r"'[^']*'|\(\+:[^)]*\)|\b[\w./-]+:\d+\b|\b\d[\d,.]*\b")
_LIST = re.compile(r"_(?:(?:, | and | or )_)+")


@dataclass(frozen=True, slots=True)
class Group:
    """`lead` is the place that costs most; `others` follow in their order. Seconds are those of all places together."""

    lead: Finding
    others: tuple[Finding, ...] = ()
    cost_seconds: float | None = None
    gain_seconds: float | None = None

    @property
    def members(self) -> tuple[Finding, ...]:
        return (self.lead, *self.others)

    @property
    def whole(self) -> Finding:
        """The lead with the seconds of all places."""
        return replace(self.lead, cost_seconds=self.cost_seconds, gain_seconds=self.gain_seconds)


def with_groups(
    findings: Sequence[Finding], rules: Mapping[str, Rule], relative: Callable[[str], str] = str
) -> list[Finding]:
    """The findings with the name of their group; empty where nothing else belongs to it. With `relative`, which makes
    paths those below the project's root, the names are the same in every checkout."""
    members: dict[str, list[int]] = defaultdict(list)
    for index, finding in enumerate(findings):
        rule = rules.get(finding.rule)
        if rule is not None and rule.group:
            members[digest(_key(finding, rule, relative(finding.location.file)))].append(index)
    names = {index: name for name, found in members.items() if len(found) > 1 for index in found}
    return [replace(finding, group=names.get(index, "")) for index, finding in enumerate(findings)]


def gathered(findings: Sequence[Finding], run_seconds: Mapping[str, float] | None = None) -> list[Group]:
    """Each finding in exactly one group, in the order of their leads. No saving is larger than the longest run of its
    kind, where `run_seconds` (by kind) knows it."""
    together: dict[str, list[Finding]] = {}
    for index, finding in enumerate(findings):
        together.setdefault(finding.group or f"#{index}", []).append(finding)
    return [_joined(members, run_seconds or {}) for members in together.values()]


def kind_of(advice: str) -> str:
    """The advice without what differs from place to place: quoted names, places, numbers."""
    return _LIST.sub("_", _NAMED.sub("_", advice))


def _key(finding: Finding, rule: Rule, file: str) -> list[str]:
    parts = {
        "file": file,
        "function": f"{file}\0{finding.function}",
        "advice": finding.advice,
        "advice-kind": kind_of(finding.advice),
    }
    shared = [parts[name] if name in parts else str(finding.args.get(name)) for name in rule.group]
    return [finding.rule, finding.confidence, finding.verdict, finding.severity, *shared]


def _joined(members: Sequence[Finding], run_seconds: Mapping[str, float]) -> Group:
    lead, *others = members
    if not others:
        return Group(lead, (), lead.cost_seconds, lead.gain_seconds)
    apart: dict[tuple[str, int, int], Finding] = {}
    for member in members:  # two findings of one place save its time once
        place = member.location.file, member.location.line, member.location.column
        best = apart.get(place)
        if best is None or (member.gain_seconds or 0.0) > (best.gain_seconds or 0.0):
            apart[place] = member
    gains = [m.gain_seconds for m in apart.values() if m.gain_seconds is not None]
    longest = max((run_seconds.get(e.source, 0.0) for m in members for e in m.evidence), default=0.0)
    most = longest or float("inf")
    cost = _cost(list(apart.values()))
    return Group(
        lead, tuple(others), None if cost is None else min(cost, most), min(sum(gains), most) if gains else None
    )


def _cost(members: Sequence[Finding]) -> float | None:
    """The largest sum of one rank; where the ranks are not known apart, the sum."""
    lists = [seconds for m in members if (seconds := _rank_seconds(m))]
    if len(lists) == len(members):
        return max(sum(values) for values in zip_longest(*lists, fillvalue=0.0))
    costs = [m.cost_seconds for m in members if m.cost_seconds is not None]
    return sum(costs) if costs else None


def _rank_seconds(finding: Finding) -> list[float]:
    for evidence in finding.evidence:
        values = evidence.metrics.get("rank_seconds")
        if isinstance(values, list) and values and all(type(v) in (int, float) for v in values):
            return [float(v) for v in values]
    return []
