"""Element-wise messages: bursts of small messages to one rank, from data that all existed before the first.

The interposer counts bursts over the whole run; stridewise-merge adds the latency and the receiving side. Only the
messages behind the first of each burst are charged here: one message per burst would remain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding
from stridewise.patterns._mpi import Place, call_count, callers, duration, evidence, place, related, share, sums
from stridewise.runs.mpi.trace import Burst, Trace


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Burst]] = defaultdict(list)
    for burst in trace.bursts:
        # What is larger may be worth a look at the source, not an alarm of the run: its bytes cost time of their own.
        most = min(rule.threshold("max_element_bytes"), rule.threshold("sure_element_bytes"))
        small = burst.bytes_per_message <= most
        if small and burst.messages >= rule.threshold("min_burst_messages") * burst.bursts:
            places[place(trace, burst.path)].append(burst)
    for where, bursts in places.items():
        finding = _finding(trace, rule, where, bursts)
        if share(trace, finding.gain_seconds or 0.0) >= rule.threshold("min_gain_share"):
            yield finding


def _finding(trace: Trace, rule: Rule, where: Place, bursts: Sequence[Burst]) -> Finding:
    rank_seconds = sums([row for b in bursts for row in (b.rank_seconds, b.rank_receive_seconds)])
    messages, count = sum(b.messages for b in bursts), sum(b.bursts for b in bursts)
    size = sum(b.bytes_per_message * b.messages for b in bursts) / messages
    per_message = sum(b.seconds_per_message * b.messages for b in bursts) / messages
    cost = max(rank_seconds)  # latencies that one message per burst would save, on both sides
    paths = sorted({b.path for b in bursts})
    receives = list(dict.fromkeys(path for b in bursts for path in b.receive_paths))
    return rule.finding(
        "mpi",
        where.location,
        args={
            "messages": f"{messages:,}",
            "message_bytes": f"{size:.0f}",
            "bursts": f"{count:,}",
            "per_burst": f"{messages / count:.0f}",
            "per_message": duration(per_message),
        },
        confidence=Confidence.HIGH,
        function=where.function,
        evidence=[
            evidence(
                trace,
                rank_seconds,
                call_count=call_count(trace, paths),
                message_count=messages,
                burst_count=count,
                message_bytes=size,
                message_seconds=per_message,
            )
        ],
        related=callers(trace, paths) + related(trace, receives, "the matching receive"),
        cost_seconds=cost,
        gain_seconds=cost,
    )
