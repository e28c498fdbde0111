"""Messages that carry what the one before carried: same channel, buffer, size and payload.

stridewise-merge compares the payloads' hashes (runtime/merge/Duplicates.cpp). Repetitions with hardly any computation
in between are sure; a channel that never carries anything else may do so for this input only, or until the field that
it carries begins to move: that is for the source to decide. Seconds are those in the
messages themselves, without waiting for others, which has its own rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, callers, duration, evidence, per_rank, place, related, share
from stridewise.runs.mpi.trace import Duplicates, Trace


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Duplicates]] = defaultdict(list)
    for site in trace.duplicates:
        most = site.messages >= rule.threshold("min_duplicate_share") * site.compared
        twice = site.at_once >= rule.threshold("min_at_once_share") * site.compared
        if (most or twice) and site.bytes >= rule.threshold("min_message_bytes") * site.messages:
            places[place(trace, site.path)].append(site)
    for where, sites in places.items():
        yield _finding(trace, rule, where, sites)


def _finding(trace: Trace, rule: Rule, where: Place, sites: Sequence[Duplicates]) -> Finding:
    rank_seconds = per_rank(trace, *(s.own for s in sites))
    cost = max(rank_seconds)
    messages, compared = sum(s.messages for s in sites), sum(s.compared for s in sites)
    at_once = 2 * sum(s.at_once for s in sites) >= messages
    # Twice each time is how the program was written. A field at rest sends the same again and again, and a loop that
    # converges does so in its last iteration: that is for the data to say.
    each = sum(s.at_once for s in sites) >= rule.threshold("sure_at_once_share") * compared
    worth = share(trace, cost) >= rule.threshold("min_cost_share")
    sure = Confidence.HIGH if at_once and each and worth else Confidence.LOW
    sampled = any(s.sampled for s in sites)
    paths = [s.path for s in sites]
    return rule.finding(
        "mpi",
        where.location,
        args={
            "messages": f"{sum(s.whole_run_messages for s in sites):,}",
            "message_bytes": f"{sum(s.bytes for s in sites) / messages:,.0f}",
            "share": f"{100 * messages / compared:.0f}",
            "when": "right after it was sent" if at_once else "in every message of the run",
            "cost": duration(cost),
        },
        confidence=sure,
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                "of large messages a sample was compared" if sampled else "",
                duplicate_count=messages,
                compared_count=compared,
                message_bytes=sum(s.bytes for s in sites) / messages,
            )
        ],
        related=callers(trace, paths)
        + related(trace, [p for s in sites for p in s.receive_paths if p != s.path], "the matching receive"),
        cost_seconds=cost,
        gain_seconds=cost,
    )
