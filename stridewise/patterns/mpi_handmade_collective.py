"""Rounds of messages between one rank and all others, where one collective call would do.

stridewise-merge finds the rounds (runtime/merge/Fans.cpp); here they get the name of the call that replaces them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.finding.prices import tree_seconds
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, share
from stridewise.runs.mpi.trace import Fan, Trace

_CALLS = {
    "broadcast": ("sends the same data to", "MPI_Bcast on all ranks"),
    "scatter": ("sends to", "MPI_Scatter or MPI_Scatterv on all ranks"),
    "gather": ("receives from", "MPI_Gather or MPI_Gatherv on all ranks"),
    "reduce": (
        "receives into one buffer from",
        "MPI_Reduce on all ranks, or by MPI_Gather if the single values are needed",
    ),
    "all-to-all": ("exchanges with", "MPI_Alltoall on all ranks, or by MPI_Allgather if all get the same"),
}


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[tuple[Place, str], list[Fan]] = defaultdict(list)
    for fan in trace.fans:
        places[place(trace, fan.path), fan.kind].append(fan)
    for (where, kind), fans in places.items():
        yield _finding(trace, rule, where, kind, fans)


def _gain(trace: Trace, fan: Fan) -> float:
    """A round as it is, message by message, against a tree: at the machine's price of a message where that is known and
    lower than what one of the round takes."""
    size = fan.bytes / max(1, fan.rounds * fan.partners)
    steps = math.ceil(math.log2(fan.partners + 1))
    priced = tree_seconds(trace.machine, fan.partners + 1, size)
    tree = min(priced, steps * fan.seconds_per_message) if priced > 0 else steps * fan.seconds_per_message
    saved = fan.partners * fan.seconds_per_message - tree
    return fan.whole_run_rounds * max(0.0, saved) / max(1, fan.root_count)


def _confidence(trace: Trace, rule: Rule, kind: str, fans: Sequence[Fan], cost: float) -> Confidence:
    """In a job of few ranks the neighbours of a block are all others, and who exchanges with all of them may not do so
    in a larger one: borders differ in size, which the parts of an all-to-all seldom do. What one rank alone does for
    all, from a place where no other rank calls, is meant for all at any number of ranks."""
    partners = max(f.partners for f in fans)
    if share(trace, cost) < rule.threshold("min_cost_share"):
        return Confidence.LOW
    if kind == "all-to-all" and partners <= rule.threshold("most_neighbours"):
        even = all(f.even for f in fans)
        return Confidence.MEDIUM if even and partners >= rule.threshold("few_ranks") else Confidence.LOW
    return Confidence.HIGH if partners >= rule.threshold("few_ranks") else Confidence.MEDIUM


def _finding(trace: Trace, rule: Rule, where: Place, kind: str, fans: Sequence[Fan]) -> Finding:
    rank_seconds = per_rank(trace, *(f.own for f in fans))
    cost = max(rank_seconds)
    does, call = _CALLS[kind]
    roots = max(f.root_count for f in fans)
    partners = max(f.partners for f in fans)
    rounds = sum(f.whole_run_rounds for f in fans)
    steps = math.ceil(math.log2(partners + 1))
    fewer = f"{partners} steps where {steps} would do"
    return rule.finding(
        "mpi",
        where.location,
        args={
            "who": f"rank {trace.ranks[fans[0].first_root].rank}" if roots == 1 else f"each of {roots} ranks",
            "does": does,
            "partners": partners,
            "rounds": f"{rounds:,}",
            "collective": call,
            "cost": duration(cost),
            "steps": steps,
            "effort": fewer if steps < partners else f"{partners} steps, and one more with each rank",
        },
        confidence=_confidence(trace, rule, kind, fans, cost),
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                round_count=rounds,
                partner_count=partners,
                message_seconds=max(f.seconds_per_message for f in fans),
                message_bytes=sum(f.bytes for f in fans) / max(1, sum(f.rounds * f.partners for f in fans)),
            )
        ],
        related=callers(trace, [f.path for f in fans]),
        cost_seconds=cost,
        gain_seconds=min(cost, sum(_gain(trace, f) for f in fans)),
    )
