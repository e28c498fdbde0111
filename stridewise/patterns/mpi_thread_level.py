"""Threads that call MPI beyond the level that the library provides, as the run saw them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding
from stridewise.patterns._mpi import Place, callers, place
from stridewise.runs.mpi.trace import Threads, Trace

_LEVELS = ("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")
_SERIALIZED, _MULTIPLE = 2, 3


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Threads]] = defaultdict(list)
    for site in trace.threads:
        if _wanted(site) > min(trace.ranks[rank].thread_level for rank in site.ranks):
            places[place(trace, site.path)].append(site)
    for where, sites in places.items():
        yield _finding(trace, rule, where, sites)


def _wanted(site: Threads) -> int:
    return _MULTIPLE if site.concurrent else _SERIALIZED if site.calls else 0


def _finding(trace: Trace, rule: Rule, where: Place, sites: Sequence[Threads]) -> Finding:
    wanted = max(_wanted(s) for s in sites)
    provided = min(trace.ranks[rank].thread_level for s in sites for rank in s.ranks)
    calls, concurrent = sum(s.calls for s in sites), sum(s.concurrent for s in sites)
    if concurrent:
        what = f"{concurrent:,} calls from here ran at the same time as a call of another thread"
    else:
        what = f"{calls:,} calls from here came from other threads than the one that initialised MPI"
    return rule.finding(
        "mpi",
        where.location,
        args={
            "what": what,
            "provided": _LEVELS[provided] if 0 <= provided < len(_LEVELS) else str(provided),
            "wanted": _LEVELS[wanted],
        },
        confidence=Confidence.HIGH,
        function=where.function,
        evidence=[
            Evidence("mpi", {"other_thread_call_count": calls, "concurrent_call_count": concurrent}),
        ],
        related=callers(trace, [s.path for s in sites]),
    )
