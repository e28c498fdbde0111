"""What every command produces and every renderer reads: ranked findings with what was done to get them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.finding import Confidence, Edit, Finding, Fix, Severity, Verdict
from stridewise.finding.grouping import Group, gathered
from stridewise.finding.order import rank as rank
from stridewise.finding.order import rank_groups
from stridewise.finding.profile import Look, Profile
from stridewise.finding.sources import Project, Sources
from stridewise.finding.studies import Studies
from stridewise.finding.table import Table

SHOWN_BY_DEFAULT = 20
LEAST_SAVING = 0.005  # of a run's wall time: less is within the noise from one run to the next


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One observed run, for the header of a report. Seconds are of wall time; None where unknown.

    `causes` are sentences that the figures of the header need to be understood: why the run hung or died, or what took
    the time that no finding explains, and what would decide. `profile` is where the time went, where that was measured.
    """

    kind: str  # mpi, cache, omp
    command: tuple[str, ...]
    status: int
    seconds: float | None = None
    details: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    profile: Profile | None = None
    views: Callable[[], Mapping[str, Any]] | None = field(default=None, compare=False)  # data for pictures, on demand
    looks: tuple[Look, ...] = ()  # where to look in what the program computes, of a run that counts it
    misses: Mapping[tuple[str, int], float] = field(default_factory=dict, compare=False)  # share of them, by line


def longest_runs(runs: Iterable[RunSummary]) -> dict[str, float]:
    """Seconds of the longest run of each kind."""
    longest: dict[str, float] = {}
    for run in runs:
        longest[run.kind] = max(longest.get(run.kind, 0.0), run.seconds or 0.0)
    return longest


@dataclass(frozen=True, slots=True)
class Trouble:
    """Work that could not be done: a unit, a shard, a file. `rules` are those that were not run on it, or not on
    all of it; empty where that is no question."""

    where: str
    message: str
    details: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Standards:
    """From which confidence on a file's findings are reported, and from which severity on they fail the command."""

    least: Confidence = Confidence.MEDIUM
    fail_on: Severity | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """`findings` are ranked, absolute in their paths; `limit` is how many a person sees at first, None: all, unfolded.

    `standards` gives those of a file. Findings that are less sure are kept, and counted, but no format reports them.
    """

    project: Project
    findings: tuple[Finding, ...]
    sources: Sources = field(default_factory=Sources)
    runs: tuple[RunSummary, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    notes: tuple[str, ...] = ()
    stats: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = SHOWN_BY_DEFAULT
    standards: Callable[[str], Standards] = lambda _file: Standards()
    shard: Mapping[str, Any] | None = None  # of a part of a run: what merging needs
    tables: tuple[Table, ...] = ()
    studies: Studies = field(default_factory=Studies)
    ungrouped: bool = False  # each place by itself, not one finding for each cause
    brief: bool = False  # of a text report the verdict alone

    @property
    def reported(self) -> tuple[Finding, ...]:
        """What every format reports."""
        return tuple(f for f in self.findings if self._is_sure(f))

    @property
    def unsure(self) -> tuple[Finding, ...]:
        """The others: a run, or a longer one, may still confirm them."""
        return tuple(f for f in self.findings if not self._is_sure(f))

    @property
    def folded(self) -> tuple[Finding, ...]:
        """Those of `unsure` that are sure, but would save next to nothing."""
        return tuple(f for f in self.findings if self._is_certain(f) and self._is_small(f))

    def _is_sure(self, finding: Finding) -> bool:
        return self._is_certain(finding) and not self._is_small(finding)

    def _is_certain(self, finding: Finding) -> bool:
        return finding.confidence.rank >= self.standards(finding.location.file).least.rank

    def _is_small(self, finding: Finding) -> bool:
        """Whether a run alone shows it, and it would save less than half a percent of that run, with all places of
        its cause: folded away unless everything is asked for."""
        if self.limit is None or finding.verdict is not Verdict.OBSERVED or finding.gain_seconds is None:
            return False
        kinds = {evidence.source for evidence in finding.evidence}
        longest = max((run.seconds or 0.0 for run in self.runs if run.kind in kinds), default=0.0)
        if not finding.group:
            return finding.gain_seconds < LEAST_SAVING * longest
        return sum(f.gain_seconds or 0.0 for f in self.findings if f.group == finding.group) < LEAST_SAVING * longest

    @property
    def groups(self) -> tuple[Group, ...]:
        """The reported findings, those of one cause as one, ranked by what they save or cost together."""
        if self.limit is None or self.ungrouped:
            return tuple(Group(f, (), f.cost_seconds, f.gain_seconds) for f in self.reported)
        return tuple(rank_groups(gathered(self.reported, longest_runs(self.runs))))

    @property
    def shown_groups(self) -> tuple[Group, ...]:
        """What a text report prints: the most valuable ones; refuted ones only where everything is shown."""
        if self.limit is None:
            return self.groups
        return tuple(g for g in self.groups if g.lead.verdict is not Verdict.REFUTED)[: self.limit]

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings that lead the shown groups."""
        return tuple(group.lead for group in self.shown_groups)

    def fails(self) -> bool:
        """Whether a finding of its file's severity stands. Refuted ones and those of low confidence do not count."""

        def counts(f: Finding) -> bool:
            level = self.standards(f.location.file).fail_on
            return level is not None and f.severity.rank >= level.rank

        return any(
            counts(f) and f.verdict is not Verdict.REFUTED and f.confidence is not Confidence.LOW for f in self.reported
        )

    def to_json(self) -> dict[str, Any]:
        """Paths below the project's root are relative to `root`."""
        several = [self._group(group) for group in self.groups if group.others]
        return {
            "version": 1,
            "tool": {"name": "stridewise", "version": __version__},
            "root": str(self.project.root),
            "findings": [relocate(f, self.project.relative).to_json() for f in self.reported],
            "unsure": [relocate(f, self.project.relative).to_json() for f in self.unsure],
            "runs": [
                {
                    "kind": run.kind,
                    "command": list(run.command),
                    "status": run.status,
                    "seconds": run.seconds,
                    "details": list(run.details),
                    **({"causes": list(run.causes)} if run.causes else {}),
                    **({"profile": run.profile.to_json(self.project.relative)} if run.profile else {}),
                }
                for run in self.runs
            ],
            "problems": [
                {
                    "where": t.where,
                    "message": t.message,
                    "details": list(t.details),
                    **({"rules": list(t.rules)} if t.rules else {}),
                }
                for t in self.troubles
            ],
            **({"groups": several} if several else {}),
            "stats": {**self.stats, "by_confidence": self.by_confidence()},
            **({"tables": {table.name: dict(table.data) for table in self.tables}} if self.tables else {}),
            **({"studies": studies} if (studies := self.studies.to_json()) else {}),
            **({} if self.shard is None else {"shard": self.shard}),
        }

    def _group(self, group: Group) -> dict[str, Any]:
        """One cause of several places; the findings themselves stand whole in `findings`."""
        lead = group.lead
        return {
            "rule": lead.rule,
            "group": lead.group,
            "severity": lead.severity.value,
            "confidence": lead.confidence.value,
            "verdict": lead.verdict.value,
            "message": lead.message,
            "advice": lead.advice,
            "cost_seconds": group.cost_seconds,
            "gain_seconds": group.gain_seconds,
            "places": [
                {
                    "file": self.project.relative(member.location.file),
                    "line": member.location.line,
                    "function": member.function,
                    "fingerprint": member.fingerprint,
                }
                for member in group.members
            ],
        }

    def by_confidence(self) -> dict[str, int]:
        counts = Counter(f.confidence.value for f in self.findings)
        return {c.value: counts[c.value] for c in reversed(Confidence)}


def relocate(finding: Finding, rename: Any) -> Finding:
    """The finding with every path replaced by rename(path)."""

    def edits(fix: Fix) -> Fix:
        return replace(fix, edits=tuple(_edit(e, rename(e.file)) for e in fix.edits))

    return replace(
        finding,
        location=replace(finding.location, file=rename(finding.location.file)),
        related=tuple(replace(r, file=rename(r.file)) for r in finding.related),
        accesses=tuple(replace(a, file=rename(a.file)) for a in finding.accesses),
        fixes=tuple(edits(fix) for fix in finding.fixes),
    )


def _edit(edit: Edit, file: str) -> Edit:
    return replace(edit, file=file)


def absolute(root: Path) -> Any:
    """A rename for relocate(): paths below `root` made absolute."""
    return lambda file: str(root / file) if file else file
