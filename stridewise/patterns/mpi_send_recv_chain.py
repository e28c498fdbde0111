"""Messages that wait for one another because every rank sends before it receives, or receives before it sends.

stridewise-merge measures the chains (runtime/merge/Chains.cpp); eager buffering, which hides a chain in time, does not
hide it there. A pipeline is reported only where it costs time and its instances do not overlap: a filled pipeline is
a good algorithm, and where one rank is late at its head, mpi-late-sender says so.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, call_count, callers, duration, evidence, place, related, share, sums
from stridewise.patterns._waits import late_rank
from stridewise.runs.mpi.trace import Chain, Trace

_KINDS = {
    "unsafe-ring": "send-before-receive ring",
    "send-order-chain": "send-before-receive chain",
    "pipeline": "pipeline",
}


def _remedy(rule: Rule, kind: str) -> str:
    if kind == "pipeline":
        return rule.variant("pipeline")
    exchange = rule.variant("exchange")
    return rule.variant("ring", exchange=exchange) if kind == "unsafe-ring" else exchange


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[tuple[Place, str], list[Chain]] = defaultdict(list)
    for chain in trace.chains:
        if _speaks(trace, rule, chain):
            places[place(trace, chain.send_paths[0]), chain.kind].append(chain)
    for (where, kind), chains in places.items():
        yield _finding(trace, rule, where, kind, chains)


def _length(chain: Chain) -> int:
    return chain.data_length if chain.kind == "pipeline" else chain.rendezvous_length


def _speaks(trace: Trace, rule: Rule, chain: Chain) -> bool:
    if chain.kind not in _KINDS or not chain.send_paths:
        return False
    if chain.kind == "unsafe-ring":  # wrong at any length
        return True
    if _length(chain) < rule.threshold("min_chain"):
        return False
    cost = max(chain.rank_seconds, default=0.0)
    return chain.kind != "pipeline" or (
        not chain.overlapped
        and share(trace, cost) >= rule.threshold("min_pipeline_share")
        and not late_rank(trace, (*chain.send_paths, *chain.receive_paths))
    )


def _best(chain: Chain) -> int:
    """Messages in sequence that another order needs: two for odd-even, a tree for what is truly sequential."""
    if chain.kind == "pipeline":
        return max(1, math.ceil(math.log2(max(2, chain.ranks))))
    return min(2, max(1, _length(chain) - 1))


def _gain(chain: Chain) -> float:
    saved = (_length(chain) - _best(chain)) * chain.seconds_per_message * chain.whole_run_instances
    return min(max(chain.rank_seconds, default=0.0), max(0.0, saved))


def _finding(trace: Trace, rule: Rule, where: Place, kind: str, chains: Sequence[Chain]) -> Finding:
    rank_seconds = sums([c.rank_seconds for c in chains])
    longest = max(chains, key=_length)
    sends = [path for c in chains for path in c.send_paths]
    receives = [path for c in chains for path in c.receive_paths]
    cost = max(rank_seconds)
    return rule.finding(
        "mpi",
        where.location,
        args={
            "kind": _KINDS[kind],
            "chain": _length(longest),
            "ranks": longest.ranks,
            "best": _best(longest),
            "remedy": _remedy(rule, kind),
            "cost": duration(cost),
        },
        confidence=Confidence.MEDIUM if kind == "pipeline" else Confidence.HIGH,
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                "" if cost > 0 else "the library's buffering hid it in this run",
                call_count=call_count(trace, sends),
                instance_count=sum(c.whole_run_instances for c in chains),
                chain_messages=_length(longest),
                message_seconds=longest.seconds_per_message,
            )
        ],
        related=callers(trace, sends) + related(trace, receives, "the matching receive"),
        cost_seconds=cost,
        gain_seconds=min(cost, sum(_gain(c) for c in chains)),
    )
