"""Ranks that wait for the slowest at a barrier, a collective or in MPI_Finalize, because their computation differs.

stridewise-merge measures the waits and what the awaited rank did meanwhile (runtime/merge/Waits.cpp). What a barrier
that nobody needs costs beyond that is its own rule's; where the slowest rank was itself kept waiting by a message,
mpi-late-sender speaks.
"""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns import _waits
from stridewise.patterns._mpi import callers, duration, evidence
from stridewise.patterns._waits import Site
from stridewise.runs.mpi.trace import Trace

_KINDS = ("wait-at-barrier", "wait-at-nxn", "wait-at-finalize")


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    for site in _waits.sites(trace, rule, _KINDS):
        sure = _waits.confidence(trace, rule, site)
        if sure is not None and site.direct and site.causes and site.causes[0].kind == "computation":
            yield _finding(trace, rule, site, sure)


def _finding(trace: Trace, rule: Rule, site: Site, sure: Confidence) -> Finding:
    balance = trace.summary.load_balance
    calls = sum(wait.calls for wait in site.waits)
    return rule.finding(
        "mpi",
        site.place.location,
        args={
            "cost": duration(site.cost),
            "calls": calls,
            "culprits": _waits.culprits(trace, site),
            "cause": _waits.cause_in_words(trace, site),
            "load_balance_percent": round(100 * balance) if balance is not None else None,
        },
        confidence=sure,
        function=site.place.function,
        evidence=[
            evidence(
                trace,
                site.rank_seconds,
                _waits.doubt(trace, rule, site),
                **_waits.metrics(trace, rule, site),
                load_balance_share=balance,
            )
        ],
        related=callers(trace, [wait.path for wait in site.waits]) + _waits.cause_places(trace, site),
        cost_seconds=site.cost,
        gain_seconds=_waits.gain(trace, rule, site),
    )
