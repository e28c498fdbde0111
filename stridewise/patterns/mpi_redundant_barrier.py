"""Barriers that order nothing which messages, other synchronisations and program order do not order already.

The decision is stridewise-merge's (happens-before with vector clocks, see runtime/merge/Barriers.cpp); here it becomes
a finding, with as much confidence as the run allows. A barrier that any instance needs is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import ArgValue, Confidence, Finding
from stridewise.patterns._mpi import Place, call_count, callers, duration, evidence, place, share, sums
from stridewise.trace import Barrier, Trace

_DOUBTS = {
    "wildcards": "the program receives from any source elsewhere",
    "probes": "the program polls for messages",
    "files": "the program uses MPI-IO",
    "one-sided": "the program uses one-sided communication",
    "one-rank-works": "one rank works alone before it: if that writes what others then read, keep the barrier",
    "before-finalize": "it is the last call before MPI_Finalize, to which the waiting moves",
    "few": "the recorded part of the run holds few of its instances",
}
_ENOUGH_INSTANCES = 10  # seen, when the run had more


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[tuple[Place, tuple[str, ...]], list[Barrier]] = defaultdict(list)
    for barrier in trace.barriers:
        if barrier.verdict == "redundant":
            places[place(trace, barrier.paths[0]), _doubts(barrier)].append(barrier)
    for (where, doubts), barriers in places.items():
        yield _finding(trace, rule, where, doubts, barriers)


def _doubts(barrier: Barrier) -> tuple[str, ...]:
    doubts = set(barrier.notes) & set(_DOUBTS)
    if "partial" in barrier.notes and barrier.instances < _ENOUGH_INSTANCES:
        doubts.add("few")
    return tuple(name for name in _DOUBTS if name in doubts)


def _finding(trace: Trace, rule: Rule, where: Place, doubts: Sequence[str], barriers: Sequence[Barrier]) -> Finding:
    rank_seconds = sums([b.rank_seconds for b in barriers])
    cost = max(rank_seconds)
    if share(trace, cost) < rule.threshold("min_cost_share"):
        confidence = Confidence.LOW
    else:
        confidence = Confidence.MEDIUM if doubts else Confidence.HIGH
    paths = [path for b in barriers for path in b.paths]
    instances = sum(b.whole_run_instances for b in barriers)
    args: dict[str, ArgValue] = {
        "redundant": sum(b.redundant for b in barriers),
        "instances": instances,
        "judged": sum(b.instances for b in barriers),
        "cost": duration(cost),
    }
    return rule.finding(
        "mpi",
        where.location,
        args=args,
        confidence=confidence,
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                "; ".join(_DOUBTS[name] for name in doubts),
                call_count=call_count(trace, paths),
                instance_count=instances,
                judged_count=args["judged"],
            )
        ],
        related=callers(trace, paths),
        cost_seconds=cost,
        gain_seconds=min(cost, sum(b.gain_seconds for b in barriers)),
    )
