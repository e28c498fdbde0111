"""Calls that wait for one other rank: a late sender or receiver, a reduction's late parts, a broadcast's late root.

stridewise-merge measures the waits and finds what made the other rank late (runtime/merge/Waits.cpp). Waiting in
chains, in bursts and at barriers that nobody needs is counted by their own rules; waiting of all for the slowest is
mpi-load-imbalance's.
"""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns import _waits
from stridewise.patterns._mpi import callers, duration, evidence
from stridewise.patterns._waits import Site
from stridewise.runs.mpi.trace import Trace

_REASONS = {
    "late-sender": "for data that {culprits} send{s} late",
    "late-receiver": "to be received by {culprits}",
    "early-reduce": "as root, before {culprits} contribute{s}",
    "late-contribution": "as root, before {culprits} contribute{s}",
    "late-broadcast": "for the root, {culprits}",
}


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    for site in _waits.sites(trace, rule, tuple(_REASONS)):
        sure = _waits.confidence(trace, rule, site)
        if sure is not None:
            yield _finding(trace, rule, site, sure)


def _finding(trace: Trace, rule: Rule, site: Site, sure: Confidence) -> Finding:
    main = max(site.waits, key=lambda wait: wait.seconds)
    culprits = _waits.culprits(trace, site)
    waiting = _waits.ranks_in_words(trace, dict(enumerate(site.rank_seconds)))
    reason = _REASONS[main.kind].format(culprits=culprits, s="s" if culprits.startswith("rank ") else "")
    cause = site.causes[0] if site.causes else None
    return rule.finding(
        "mpi",
        site.place.location,
        args={
            "kind": main.kind,
            "waiting": waiting,
            "verb": "waits" if waiting.startswith("rank ") else "wait",
            "cost": duration(site.cost),
            "reason": reason,
            "culprits": culprits,
            "cause": _waits.cause_in_words(trace, site),
        },
        confidence=sure,
        function=site.place.function,
        evidence=[
            evidence(
                trace,
                site.rank_seconds,
                _waits.doubt(trace, rule, site),
                **_waits.metrics(trace, rule, site),
                chain_waits=cause.depth + 1 if cause else 1,
            )
        ],
        related=callers(trace, [wait.path for wait in site.waits]) + _waits.cause_places(trace, site),
        cost_seconds=site.cost,
        gain_seconds=_waits.gain(trace, rule, site),
    )
