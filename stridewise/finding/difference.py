"""What changed between two results, a run before and one after, or two analyses: findings, call sites, time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from stridewise.finding import Confidence, Finding, Severity, Verdict
from stridewise.finding.grouping import kind_of
from stridewise.finding.result import LEAST_SAVING


@dataclass(frozen=True, slots=True)
class Site:
    """All calls of one function of MPI from one function of the program: seconds are means of the ranks."""

    call: str
    file: str  # name without folders
    function: str
    count: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Timed:
    """One kind of run. `seconds` are those of each repetition; `noise_seconds` what the machine added to them,
    as far as it was seen: others had the processors, while ranks and threads were ready to run."""

    kind: str
    seconds: tuple[float, ...]
    noise_seconds: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    sites: tuple[Site, ...] = ()

    @property
    def mean(self) -> float:
        return sum(self.seconds) / len(self.seconds) if self.seconds else 0.0


@dataclass(frozen=True, slots=True)
class Side:
    name: str
    findings: tuple[Finding, ...]
    runs: tuple[Timed, ...] = ()
    relative: Callable[[str], str] = str

    def of(self, kind: str) -> Timed | None:
        return next((run for run in self.runs if run.kind == kind), None)


@dataclass(frozen=True, slots=True)
class Change:
    """`before` or `after` is None where the finding is new, or gone."""

    before: Finding | None
    after: Finding | None
    noise_seconds: float = 0.0

    @property
    def one(self) -> Finding:
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def seconds(self) -> float | None:
        """What it costs more than before; None where one side was not timed."""
        old, new = (0.0 if f is None else cost(f) for f in (self.before, self.after))
        return None if old is None or new is None else new - old

    @property
    def kind(self) -> str:
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        more = self.seconds
        if more is None or abs(more) <= self.noise_seconds:
            return "same"
        return "dearer" if more > 0 else "cheaper"


@dataclass(frozen=True, slots=True)
class Difference:
    before: Side
    after: Side
    changes: tuple[Change, ...]  # the largest first, within each kind
    kinds: tuple[str, ...]  # of run, which both sides have

    def of(self, kind: str) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind == kind)

    def interval(self, kind: str) -> tuple[float, float]:
        """By how many seconds the run takes longer than before, at least and at most."""
        old, new = self.before.of(kind), self.after.of(kind)
        assert old is not None
        assert new is not None
        slack = noise(old, new)
        return min(new.seconds) - max(old.seconds) - slack, max(new.seconds) - min(old.seconds) + slack

    def fails(self, level: Severity | None, slower_percent: float | None) -> list[str]:
        """Why a check is to fail: new findings of that severity, runs that are slower by more than so much, whatever
        the noise."""
        why = [
            f"new: {c.one.rule} at {self.after.relative(c.one.location.file)}:{c.one.location.line}"
            for c in self.of("new")
            if level is not None
            and c.one.severity.rank >= level.rank
            and c.one.confidence is not Confidence.LOW
            and c.one.verdict is not Verdict.REFUTED
        ]
        for kind in self.kinds if slower_percent is not None else ():
            old = self.before.of(kind)
            if old and old.mean > 0 and 100 * self.interval(kind)[0] / old.mean > (slower_percent or 0.0):
                why.append(f"the {kind} run is slower by more than {slower_percent:g} %")
        return why


def cost(finding: Finding) -> float | None:
    return finding.cost_seconds if finding.cost_seconds is not None else finding.gain_seconds


def noise(old: Timed, new: Timed) -> float:
    """What repeated runs differ by, at least: half a percent, and the time that others had the processors."""
    return LEAST_SAVING * max(old.mean, new.mean) + old.noise_seconds + new.noise_seconds


def difference(before: Side, after: Side) -> Difference:
    kinds = tuple(run.kind for run in before.runs if after.of(run.kind) is not None)
    changes = [Change(old, new, _noise_of(old, new, before, after)) for old, new in _matched(before, after)]
    changes.sort(key=lambda c: (-abs(c.seconds or 0.0), c.one.rule, c.one.location.file, c.one.location.line))
    return Difference(before, after, tuple(changes), kinds)


def _noise_of(old: Finding | None, new: Finding | None, before: Side, after: Side) -> float:
    """Its part of the noise of the runs that timed it."""
    if old is None or new is None:
        return 0.0
    sources = [e.source for f in (old, new) for e in f.evidence if e.source != "static"]
    runs = [(a, b) for kind in dict.fromkeys(sources) if (a := before.of(kind)) and (b := after.of(kind))]
    most = max(cost(old) or 0.0, cost(new) or 0.0)
    parts = [noise(a, b) * min(1.0, most / max(a.mean, b.mean)) for a, b in runs if max(a.mean, b.mean) > 0]
    return max(parts, default=LEAST_SAVING * most)


def _matched(before: Side, after: Side) -> list[tuple[Finding | None, Finding | None]]:
    """Each finding once: the same statement first, then the same function, then the same file's name."""

    def printed(f: Finding, _side: Side) -> Hashable:
        return (f.rule, f.fingerprint) if f.fingerprint else None

    def moved(f: Finding, _side: Side) -> Hashable:
        return (f.rule, f.moved_fingerprint) if f.moved_fingerprint else None

    def function(f: Finding, side: Side) -> Hashable:
        return f.rule, side.relative(f.location.file), f.function, kind_of(f.advice)

    def name(f: Finding, _side: Side) -> Hashable:
        return f.rule, PurePath(f.location.file).name, f.function

    left, right = list(before.findings), list(after.findings)
    pairs: list[tuple[Finding | None, Finding | None]] = []
    for key in (printed, moved, function, name):
        waiting: dict[Hashable, list[Finding]] = defaultdict(list)
        for found in right:
            if (known := key(found, after)) is not None:
                waiting[known].append(found)
        rest = []
        for found in left:
            known = key(found, before)
            if known is not None and waiting.get(known):
                other = waiting[known].pop(0)
                right = [f for f in right if f is not other]
                pairs.append((found, other))
            else:
                rest.append(found)
        left = rest
    return [*pairs, *((found, None) for found in left), *((None, found) for found in right)]


def sites(old: Timed, new: Timed) -> list[tuple[Site, Site]]:
    """Those of both sides, calls of one function together; the largest difference first."""

    def summed(run: Timed) -> dict[tuple[str, str, str], Site]:
        found: dict[tuple[str, str, str], Site] = {}
        for s in run.sites:
            key = (s.call, s.file, s.function)
            had = found.get(key, Site(s.call, s.file, s.function, 0, 0.0))
            found[key] = Site(s.call, s.file, s.function, had.count + s.count, had.seconds + s.seconds)
        return found

    left, right = summed(old), summed(new)
    every = {key: Site(*key, 0, 0.0) for key in (*left, *right)}
    pairs = [(left.get(key, none), right.get(key, none)) for key, none in every.items()]
    return sorted(pairs, key=lambda p: (-abs(p[1].seconds - p[0].seconds), p[0].call, p[0].function))


def to_json(found: Difference) -> dict[str, Any]:
    def place(f: Finding | None, side: Side) -> dict[str, Any] | None:
        if f is None:
            return None
        return {
            "file": side.relative(f.location.file),
            "line": f.location.line,
            "function": f.function,
            "cost_seconds": cost(f),
            "verdict": f.verdict.value,
            "fingerprint": f.fingerprint,
        }

    runs = []
    for kind in found.kinds:
        old, new = found.before.of(kind), found.after.of(kind)
        if old is None or new is None:
            continue
        low, high = found.interval(kind)
        runs.append(
            {
                "kind": kind,
                "before_seconds": list(old.seconds),
                "after_seconds": list(new.seconds),
                "more_seconds": new.mean - old.mean,
                "at_least_seconds": low,
                "at_most_seconds": high,
                "parts": {n: [old.parts.get(n, 0.0), new.parts.get(n, 0.0)] for n in {**old.parts, **new.parts}},
                "sites": [
                    {"call": a.call, "file": a.file, "function": a.function, "counts": [a.count, b.count],
                     "mean_seconds": [a.seconds, b.seconds]}
                    for a, b in sites(old, new)
                ],
            }
        )  # fmt: skip
    return {
        "version": 1,
        "before": found.before.name,
        "after": found.after.name,
        "runs": runs,
        "findings": [
            {
                "change": c.kind,
                "rule": c.one.rule,
                "message": c.one.message,
                "before": place(c.before, found.before),
                "after": place(c.after, found.after),
                "more_seconds": c.seconds,
                "noise_seconds": c.noise_seconds,
            }
            for c in found.changes
        ],
    }
