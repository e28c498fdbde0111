"""From a change to its plan: analyse both sides, find what is new, and put it on the lines of the diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from stridewise.finding import Finding, Fix, Related, Verdict
from stridewise.finding.order import rank, with_estimates
from stridewise.finding.result import RunSummary, Trouble, relocate
from stridewise.finding.sources import Project, Sources
from stridewise.lint import baseline
from stridewise.review import matching, placing, runs
from stridewise.review.changes import Changes
from stridewise.review.matching import Side
from stridewise.review.plan import Placed, Plan, is_inside
from stridewise.review.sides import Analysed, Means
from stridewise.settings.policy import Policy

_MOST = 5_000  # comments and findings of each kind in a plan
_TEXT = 10_000  # characters of one text
_NAMED = 200  # lines, edits, instantiations that one finding names
_CAUSES = 3
_LAST = 1 << 30  # beyond any line
_RANKS = 4_096  # entries of a metric that is a list


@dataclass(frozen=True)
class Revisions:
    """Commit ids, empty where there are none."""

    base: str = ""
    head: str = ""


@dataclass(frozen=True)
class Evidence:
    """Run folders of both sides; several of one side are repetitions."""

    head: tuple[Path, ...] = ()
    base: tuple[Path, ...] = ()
    share: float = runs.LEAST_SHARE  # from which rise of a cost on it is a regression


@dataclass(frozen=True)
class Review:
    """The plan, and the findings of the change (absolute paths, ranked) for the formats of lint."""

    plan: Plan
    findings: tuple[Finding, ...]
    sources: Sources = field(default_factory=Sources)
    runs: tuple[RunSummary, ...] = ()
    notes: tuple[str, ...] = ()


def build(
    analysed: Analysed,
    changes: Changes,
    project: Project,
    means: Means,
    *,
    revisions: Revisions,
    evidence: Evidence,
    cap: int,
    problems: Sequence[Trouble],
    stats: Mapping[str, Any],
    unsafe: bool = False,
) -> Review:
    """`stats` and `problems` are those of what was done so far; with `unsafe` changes that some program would notice
    are suggested, too."""
    rules, policy = means.policy.run_rules(), means.policy
    head = runs.join(analysed.head.findings, evidence.head, rules, analysed.head, project)
    base = runs.join(analysed.base.findings, evidence.base, rules, analysed.base, project)
    matched = matching.match(
        Side(head.findings, analysed.head.sources), Side(base.findings, analysed.base.sources), changes, project, rules
    )
    judge = _Judge(analysed, changes, project, policy)
    accepted = baseline.read(policy.baselines(Path(f.location.file) for f in head.findings))
    found = [head.findings[index] for index in matched.new]
    found += [
        head.findings[here]
        for here, there in matched.pairs
        if judge.became_sure(head.findings[here], base.findings[there])
    ]
    fresh = [
        f
        for f in rank(with_estimates(found, rules))
        if judge.is_reported(f) and f.fingerprint not in accepted and f.moved_fingerprint not in accepted
    ]
    comments: list[Placed] = []
    unplaced: list[Finding] = []
    shown: list[Finding] = []
    for finding in fresh:
        cause = placing.cause(finding, changes, project)
        if cause is None and not judge.is_comparable(finding):
            continue
        if not is_inside(project.relative(finding.location.file)):
            continue  # said as a problem: no host could name the file
        placed = placing.place(finding, cause, changes, project, unsafe) if cause else None
        told = judge.with_cause(finding, cause)
        shown.append(told)
        if placed:
            comments.append(replace(placed, finding=inside(told, project)))
        else:
            unplaced.append(inside(told, project))
    gone = rank(f for f in (base.findings[index] for index in matched.gone) if judge.is_resolved(f))
    kinds, unlike = runs.comparable(head, base)
    dearer = runs.regressions(
        head,
        base,
        [(head.findings[here], base.findings[there]) for here, there in matched.pairs],
        [head.findings[index] for index in matched.new],
        evidence.share,
        kinds,
    )
    plan = Plan(
        base=revisions.base,
        head=revisions.head,
        comments=tuple(comments[:_MOST]),
        cap=cap,
        unplaced=tuple(unplaced[:_MOST]),
        resolved=tuple(inside(f, project) for f in gone[:_MOST]),
        regressions=tuple(replace(r, finding=inside(r.finding, project)) for r in dearer[:_MOST]),
        problems=tuple(dict.fromkeys([*problems, *analysed.troubles, *head.troubles, *base.troubles])),
        stats={
            **stats,
            "files": len(changes.files),
            "files_binary": sum(file.binary for file in changes.files),
            "units_analysed": analysed.units,
            "findings_known": sum(judge.is_reported(head.findings[here]) for here, _ in matched.pairs),
            "findings_new": len(shown),
            "findings_resolved": len(gone),
            "run_seconds": head.run_seconds,
            "base_run_seconds": base.run_seconds,
        },
    )
    return Review(plan, tuple(shown), analysed.head.sources, head.runs, (*head.notes, *base.notes, *unlike))


class _Judge:
    """What a finding has to do with the change, beyond the lines of the diff."""

    def __init__(self, analysed: Analysed, changes: Changes, project: Project, policy: Policy) -> None:
        self._analysed, self._changes, self._project, self._policy = analysed, changes, project, policy
        # As the source alone shows them: a run that makes a finding sure does not make it the change's.
        self._sure_now = {f.fingerprint for f in analysed.head.findings if self._is_sure(f)}
        self._sure_before = {f.fingerprint for f in analysed.base.findings if self._is_sure(f)}

    def _is_sure(self, finding: Finding) -> bool:
        return finding.confidence.rank >= self._policy.standards(finding.location.file).least.rank

    def is_reported(self, finding: Finding) -> bool:
        return self._is_sure(finding) and finding.verdict is not Verdict.REFUTED

    def became_sure(self, now: Finding, before: Finding) -> bool:
        """Whether the change made certain what was doubtful before."""
        return (
            now.fingerprint in self._sure_now
            and before.fingerprint not in self._sure_before
            and placing.cause(now, self._changes, self._project) is not None
        )

    def with_cause(self, finding: Finding, cause: placing.Cause | None) -> Finding:
        """The finding, relating to the lines of other files that make it the change's: its cause, or the beginnings of
        what changed in the files that its unit reads."""
        own = self._project.relative(finding.location.file)
        if cause:
            places = [(cause.file, cause.line, "changed here")]
        else:
            read = [file for file in self._analysed.changed_inputs.get(own, ()) if file != own]
            begun = [(file, self._changes.touched(file, 1, _LAST)) for file in read]
            places = [(file, at[0], "changed here, and read by this unit") for file, at in begun if at][:_CAUSES]
        known = {(self._project.relative(r.file), r.line) for r in finding.related}
        more = [
            Related(str(self._project.root / file), line, label)
            for file, line, label in places
            if file != own and (file, line) not in known
        ]
        return replace(finding, related=(*finding.related, *more))

    def is_comparable(self, finding: Finding) -> bool:
        """Whether the finding, which the base had not, can only come from the change: its file was analysed then."""
        file = self._project.relative(finding.location.file)
        return finding.fingerprint in self._sure_now and file in self._analysed.known_before

    def is_resolved(self, finding: Finding) -> bool:
        """Whether a finding of the base that has no counterpart is gone, in a file of the change."""
        file = self._project.relative(finding.location.file)
        changed = self._changes.by_old.get(file)
        if changed is None or finding.fingerprint not in self._sure_before:
            return False
        if changed.new is None:
            return True
        return changed.new in self._analysed.known_now and not self._is_silenced(finding, changed.new)

    def _is_silenced(self, finding: Finding, file: str) -> bool:
        """Whether the finding is not gone, but a comment asks not to be told of it."""
        now = self._changes.now(self._project.relative(finding.location.file), finding.location.line)
        for comment in self._analysed.suppressions:
            names_it = any(fnmatchcase(f"stridewise-{finding.rule}", name) for name in comment.names)
            if not names_it or self._project.relative(comment.file) != file:
                continue
            if now is None:  # its line was changed, perhaps by a comment at its end
                silenced = self._changes.touched(file, comment.line, comment.line) is not None
            else:
                first = comment.line + (comment.kind == "next line")
                silenced = first < now[1] if comment.kind == "begin" else first == now[1]
            if silenced:
                return True
        return False


def inside(finding: Finding, project: Project) -> Finding:
    """The finding as a plan holds it: paths relative to the root, less what lies beyond it (a system's header), and
    what is too long for any reader cut."""
    moved = relocate(finding, project.relative)
    metrics = [
        replace(e, note=e.note[:_TEXT], metrics={n: v for n, v in e.metrics.items() if not _is_long(v)})
        for e in moved.evidence
    ]
    return replace(
        moved,
        message=moved.message[:_TEXT],
        advice=moved.advice[:_TEXT],
        function=moved.function[:_TEXT],
        args={name: value[:_TEXT] if isinstance(value, str) else value for name, value in moved.args.items()},
        evidence=tuple(metrics),
        related=tuple(replace(r, label=r.label[:_TEXT]) for r in moved.related if is_inside(r.file))[:_NAMED],
        accesses=tuple(replace(a, function=a.function[:_TEXT]) for a in moved.accesses if is_inside(a.file))[:_NAMED],
        fixes=tuple(fix for fix in moved.fixes if _is_small(fix))[:_NAMED],
        instantiations=tuple(name[:_TEXT] for name in moved.instantiations[:_NAMED]),
    )


def _is_long(value: Any) -> bool:
    return isinstance(value, str | list | dict) and len(value) > _RANKS


def _is_small(fix: Fix) -> bool:
    if len(fix.edits) > _NAMED or sum(len(edit.replacement) for edit in fix.edits) > _TEXT:
        return False
    return all(is_inside(edit.file) for edit in fix.edits)
