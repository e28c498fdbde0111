"""Brings the comments of a change in line with a plan, on any code host, so that a second time does nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.review import comment, summary
from stridewise.review.comment import Dialect
from stridewise.review.http import Ambiguous
from stridewise.review.plan import Placed, Plan
from stridewise.review.sync import Kind, Own, Step, Wanted, same, steps

_ROUNDS = 4
_SETTLE_SECONDS = 3.0  # what a host needs until a list shows what was posted


@dataclass(frozen=True, slots=True)
class Earlier:
    """Our comments on the change, and our summaries in the order of their age."""

    comments: Sequence[Own] = ()
    summaries: Sequence[tuple[str, str]] = ()  # (id, body)


class Reader(Protocol):
    """One change request of a code host. Only comments of the token's own account with our mark are `earlier`."""

    dialect: Dialect
    what: str  # "pull request 7 of owner/name"

    def head(self) -> str:
        """The commit that the change request stands at now."""

    def earlier(self, name: str) -> Earlier: ...

    def link(self, file: str, line: int) -> str:
        """The address of a line; empty where there is none."""


class Host(Reader, Protocol):
    """It can be written to."""

    def create(self, comments: Sequence[Wanted], head: str) -> list[Wanted]:
        """Posts them; returns those whose lines the host does not take."""

    def update(self, own: Own, body: str) -> None: ...

    def resolve(self, own: Own, body: str) -> None:
        """An empty body leaves the text as it is."""

    def reopen(self, own: Own, body: str) -> None: ...

    def delete(self, own: Own) -> None: ...

    def summarise(self, id_: str, body: str) -> None:
        """Changes that summary; an empty id makes one."""

    def unsummarise(self, id_: str) -> None: ...

    def settle(self, seconds: float) -> None: ...


@dataclass
class Outcome:
    """What was done, for a person."""

    counts: dict[Kind, int] = field(default_factory=dict)
    rejected: int = 0
    summary: str = ""  # posted, updated, unchanged, not needed
    closed: int = 0

    def __str__(self) -> str:
        words = {
            Kind.CREATE: "posted",
            Kind.UPDATE: "updated",
            Kind.REOPEN: "reopened",
            Kind.RESOLVE: "resolved",
            Kind.DELETE: "replaced",
            Kind.KEEP: "unchanged",
        }
        parts = [f"{self.counts[kind]} {word}" for kind, word in words.items() if self.counts.get(kind)]
        said = f"comments: {', '.join(parts) if parts else 'none'}; summary: {self.summary}"
        return said + (f"; {self.rejected} in the summary, since their lines take no comment" if self.rejected else "")


class Superseded(Failure):
    """The change request has moved on."""


def check_head(host: Reader, head: str) -> None:
    """Raises Superseded unless the plan is of the commit that the change request stands at."""
    now = host.head()
    if now != head:
        raise Superseded(
            f"{host.what} stands at {now[:12]} now, and the plan is of {head[:12]}; nothing more was posted. Analyse "
            "the new commit (in a CI job: check out the head of the request, not its merge with the target)"
        )


def deliver(plan: Plan, head: str, host: Host, rules: Mapping[str, Rule], name: str = "") -> Outcome:
    """Posts, updates and resolves. After a fault that leaves open what was posted it looks again, then goes on."""
    outcome = Outcome()
    rejected: set[str] = set()
    for attempt in range(_ROUNDS):
        try:
            _round(plan, head, host, rules, name, outcome, rejected)
            return outcome
        except Ambiguous:
            if attempt == _ROUNDS - 1:
                raise
            host.settle(_SETTLE_SECONDS * 2**attempt)
    return outcome


def wanted(plan: Plan, own: Iterable[Own], host: Reader, rules: Mapping[str, Rule], name: str) -> list[Wanted]:
    """The plan's first comments, and of the others those that are there already."""
    known = {comment.key for comment in own}
    chosen = [p for i, p in enumerate(plan.comments) if i < plan.cap or p.finding.fingerprint in known]
    return [
        Wanted(
            key=p.finding.fingerprint,
            path=p.finding.location.file,
            line=p.line,
            end_line=p.end_line,
            body=comment.body(p, rules, host.dialect, name),
            moved=comment.moved(p, rules, host.dialect, name),
        )
        for p in chosen
    ]


def intended(plan: Plan, head: str, host: Reader, rules: Mapping[str, Rule], name: str) -> tuple[list[Step], Earlier]:
    """The steps of a round, and what they start from."""
    earlier = host.earlier(name)

    def resolution(own: Own, why: str) -> str:
        return comment.resolved(own.key, own.body, head, host.dialect, name, why)

    todo = steps(
        wanted(plan, earlier.comments, host, rules, name),
        [*(p.finding.fingerprint for p in plan.comments), *(f.fingerprint for f in plan.unplaced)],
        earlier.comments,
        resolution,
        complete=not plan.problems and not plan.stats.get("units_left_out"),
    )
    return todo, earlier


def standing(plan: Plan, todo: Sequence[Step], rejected: Iterable[str]) -> summary.Standing:
    """What the comments show once the steps are taken."""
    lost = set(rejected)
    closed = {s.wanted.key for s in todo if s.wanted and s.kind is Kind.KEEP and s.own and s.own.thread_resolved}
    shown = {s.wanted.key for s in todo if s.wanted} - lost - closed
    kept = sum(s.kind is Kind.KEEP and s.why == "not everything could be analysed" for s in todo)

    def of(keys: set[str]) -> list[Placed]:
        return [p for p in plan.comments if p.finding.fingerprint in keys]

    rest = [p for p in plan.comments if p.finding.fingerprint not in shown | closed]
    return summary.Standing(of(shown), rest, len(of(closed)), kept)


def summary_text(
    plan: Plan, todo: Sequence[Step], rejected: Iterable[str], host: Reader, rules: Mapping[str, Rule], name: str
) -> str:
    return summary.body(plan, rules, host.dialect, standing(plan, todo, rejected), host.link, name)


def _round(
    plan: Plan,
    head: str,
    host: Host,
    rules: Mapping[str, Rule],
    name: str,
    outcome: Outcome,
    rejected: set[str],
) -> None:
    check_head(host, head)
    outcome.counts.pop(Kind.KEEP, None)  # counted anew in each round
    todo, earlier = intended(plan, head, host, rules, name)
    fresh = [s.wanted for s in todo if s.kind is Kind.CREATE and s.wanted and s.wanted.key not in rejected]
    if fresh:
        lost = {w.key for w in host.create(fresh, head)}
        if lost:
            check_head(host, head)  # lines are refused, too, when the change was replaced meanwhile
        rejected |= lost
        _count(outcome, Kind.CREATE, len(fresh) - len(lost))
    outcome.rejected = len(rejected)
    for step in todo:
        _take(step, host, rejected, outcome)
    _summarise(plan, todo, earlier, host, rules, name, outcome, rejected)


def _count(outcome: Outcome, kind: Kind, count: int = 1) -> None:
    outcome.counts[kind] = outcome.counts.get(kind, 0) + count


def _take(step: Step, host: Host, rejected: set[str], outcome: Outcome) -> None:
    if step.own is None or step.kind is Kind.CREATE:
        return
    if step.kind is Kind.DELETE and step.own.key in rejected:
        return  # its successor could not be posted
    match step.kind:
        case Kind.UPDATE:
            host.update(step.own, step.body)
        case Kind.REOPEN:
            host.reopen(step.own, step.body)
        case Kind.RESOLVE:
            host.resolve(step.own, step.body)
        case Kind.DELETE:
            host.delete(step.own)
        case _:
            pass
    _count(outcome, step.kind)


def _summarise(
    plan: Plan,
    todo: Sequence[Step],
    earlier: Earlier,
    host: Host,
    rules: Mapping[str, Rule],
    name: str,
    outcome: Outcome,
    rejected: set[str],
) -> None:
    first, *more = [*earlier.summaries, ("", "")][: len(earlier.summaries) or 1]
    if not first[0] and summary.is_empty(plan):
        outcome.summary = "not needed"
        return
    text = summary_text(plan, todo, rejected, host, rules, name)
    if first[0] and same(first[1], text):
        outcome.summary = outcome.summary or "unchanged"
    else:
        host.summarise(first[0], text)
        outcome.summary = "updated" if first[0] else "posted"
    for id_, _ in more:
        host.unsummarise(id_)
