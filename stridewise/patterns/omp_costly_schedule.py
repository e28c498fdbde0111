"""Dynamic and guided loops whose chunks take hardly longer than fetching them.

The recorder times each chunk from its fetch to the next. What a fetch costs beyond the work cannot be seen from
outside: that is the machine's price (stridewise/finding/prices.py), so such findings have a gain and no measured cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule, limit
from stridewise.finding import Confidence, Evidence, Finding, Verdict
from stridewise.finding.judgement import Judgement
from stridewise.finding.prices import Price, costs, omp_cost
from stridewise.finding.quantities import seconds
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Trace, Work

_KINDS = {"loop-dynamic": "dynamic", "loop-guided": "guided"}


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Work]] = defaultdict(list)
    for work in trace.works:
        if work.kind in _KINDS and work.chunks and _omp.is_openmp(trace, work.site):
            places[_omp.loop_place(trace, work.site, work.region)].append(work)
    for where, works in places.items():
        price, gain = _price(trace, works)
        if not _tiny(works, rule) or not _even(trace, rule, works):
            continue
        if _omp.share(trace, gain) < rule.threshold("min_cost_share"):
            continue
        yield rule.finding(
            "omp",
            where.location,
            args={
                "schedule": _KINDS[works[0].kind],
                "chunks": f"{sum(w.chunks for w in works):,}",
                "size": max(w.chunk_size for w in works),
                "each": seconds(_typical(works)),
                "price": seconds(price.seconds),
            },
            confidence=Confidence.MEDIUM,
            function=where.function,
            evidence=[_evidence(works, price)],
            related=_omp.callers(trace, works[0].site),
            gain_seconds=gain,
        )


def judge_omp(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:
    """Confirmed by many chunks that take about as long as fetching them, refuted by long or few ones."""
    works = [w for w in trace.works if w.kind in _KINDS and w.chunks and _at(finding, trace, w)]
    if not works:
        return None
    price, gain = _price(trace, works)
    evidence = _evidence(works, price)
    if _tiny(works, rule):
        return Judgement(Verdict.CONFIRMED, evidence, None, gain)
    if _typical(works) > 1e-6 * rule.threshold("max_measured_us") or _per_loop(works) < rule.threshold(
        "min_iterations"
    ):
        return Judgement(Verdict.REFUTED, evidence, None, 0.0)
    return Judgement(Verdict.SUSPECTED, evidence, None, gain)


def _at(finding: Finding, trace: Trace, work: Work) -> bool:
    places = (_omp.place(trace, work.site), _omp.loop_place(trace, work.site, work.region))
    return any(_omp.at(finding, place) for place in places)


def _tiny(works: Sequence[Work], rule: Rule) -> bool:
    return _per_loop(works) >= rule.threshold("min_iterations") and _typical(works) <= 1e-6 * rule.threshold(
        "max_fetch_us"
    )


def _even(trace: Trace, rule: Rule, works: Sequence[Work]) -> bool:
    mean = _spent(trace, works) / sum(w.chunks for w in works)
    return mean <= rule.threshold("even_ratio") * _typical(works)


def _spent(trace: Trace, works: Sequence[Work]) -> float:
    """Of all threads in the chunks, less the share of the time in which they lacked a processor."""
    regions = {(w.process, w.region) for w in works}
    spans = [w for w in trace.waits if (w.process, w.region) in regions and w.sampled > 0]
    sampled = sum(w.sampled for w in spans)
    had = min(1.0, sum(w.cpu for w in spans) / sampled) if sampled > 0 else 1.0
    return had * sum(w.chunk_seconds for w in works)


def _typical(works: Sequence[Work]) -> float:
    """Of the thread that was disturbed least."""
    most = max(w.chunks for w in works)
    return min(w.typical_chunk for w in works if w.chunks >= most / limit("patterns", "busiest_part"))


def _per_loop(works: Sequence[Work]) -> float:
    """Chunks of one execution of the loop, by all threads of a process."""
    processes = {w.process for w in works}
    return sum(w.chunks for w in works) / (max(w.count for w in works) * len(processes))


def _price(trace: Trace, works: Sequence[Work]) -> tuple[Price, float]:
    """Of one fetch, and what the fetches of the busiest process cost its team."""
    threads: dict[int, set[int]] = defaultdict(set)
    chunks: dict[int, int] = defaultdict(int)
    for work in works:
        threads[work.process].add(work.thread)
        chunks[work.process] += work.chunks
    most = max(chunks, key=chunks.__getitem__)
    machine = costs(trace.processes[most].host)
    price = omp_cost(machine, f"chunk_{_KINDS[works[0].kind]}", len(threads[most]))
    # The price is elapsed time per chunk of the whole loop; a loop can save no more than the time of its chunks.
    spent = sum(w.chunk_seconds for w in works if w.process == most) / len(threads[most])
    return price, min(price.seconds * chunks[most], spent)


def _evidence(works: Sequence[Work], price: Price) -> Evidence:
    metrics = {
        "chunk_count": sum(w.chunks for w in works),
        "chunks_per_loop": _per_loop(works),
        "chunk_seconds_each": _typical(works),
        "fetch_seconds_each": price.seconds,
    }
    return Evidence("omp", metrics, f"the price of a fetch: {price.source}")
