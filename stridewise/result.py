"""What every command produces and every renderer reads: ranked findings with what was done to get them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from stridewise import __version__
from stridewise.finding import Confidence, Edit, Finding, Fix, Severity, Verdict
from stridewise.sources import Project, Sources
from stridewise.table import Table

SHOWN_BY_DEFAULT = 20


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One observed run, for the header of a report. Seconds are of wall time; None where unknown."""

    kind: str  # mpi, cache, omp
    command: tuple[str, ...]
    status: int
    seconds: float | None = None
    details: tuple[str, ...] = ()


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
    """`findings` are ranked, absolute in their paths; `limit` is how many a person sees at first.

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

    @property
    def reported(self) -> tuple[Finding, ...]:
        """What every format reports."""
        return tuple(f for f in self.findings if self._is_sure(f))

    @property
    def unsure(self) -> tuple[Finding, ...]:
        """The others: a run may still confirm them."""
        return tuple(f for f in self.findings if not self._is_sure(f))

    def _is_sure(self, finding: Finding) -> bool:
        return finding.confidence.rank >= self.standards(finding.location.file).least.rank

    @property
    def shown(self) -> tuple[Finding, ...]:
        """What a text report prints: the most valuable ones; refuted ones only where everything is shown."""
        if self.limit is None:
            return self.reported
        return tuple(f for f in self.reported if f.verdict is not Verdict.REFUTED)[: self.limit]

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
            "stats": {**self.stats, "by_confidence": self.by_confidence()},
            **({"tables": {table.name: dict(table.data) for table in self.tables}} if self.tables else {}),
            **({} if self.shard is None else {"shard": self.shard}),
        }

    def by_confidence(self) -> dict[str, int]:
        counts = Counter(f.confidence.value for f in self.findings)
        return {c.value: counts[c.value] for c in reversed(Confidence)}


def rank(findings: Iterable[Finding]) -> list[Finding]:
    """Refuted last; else by predicted saving, severity, confidence, confirmation, then place."""

    def key(f: Finding) -> tuple[Any, ...]:
        return (
            f.verdict is Verdict.REFUTED,
            -(f.gain_seconds or 0.0),
            -f.severity.rank,
            -f.confidence.rank,
            f.verdict is not Verdict.CONFIRMED,
            f.location.file,
            f.location.line,
            f.location.column,
            f.rule,
            f.message,
        )

    return sorted(findings, key=key)


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
