"""Threads that wait at the end of a region or a loop for those that have more to do.

Per thread the recorder adds up what it was busy before each meeting, and its processor time there. Where one thread
has more to do each time, sums over the run show it, in processor time too. What differs in elapsed time only, or by
turns, is the machine's doing (other programs, more threads than processors) and at most an unsure finding. A thread
that is slow at nearly every place has a slow processor, not more work.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Related
from stridewise.omp_trace import Trace, Wait
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.quantities import seconds

_SHOWN_THREADS = 6
_PLACES, _MANY, _ALIKE = 5, 10, 0.05  # places, visits of each and difference that tell a slow processor from more work
_SAMPLED = 0.3  # of the busy time: with less, its processor time is not known well enough
_WORDS = {
    "loop-static": "the loop",
    "loop-dynamic": "the loop",
    "loop-guided": "the loop",
    "loop-other": "the loop",
    "sections": "the sections",
    "": "the region",
}


@dataclass(slots=True)
class _Share:
    """What one thread did before the meetings at one place."""

    thread: int
    count: int = 0
    busy: float = 0.0  # since the meeting before
    cpu: float = 0.0  # processor time of what was sampled
    sampled: float = 0.0
    whole: float = 0.0  # of a region's end: busy in the whole region
    pause: float = 0.0  # of a barrier: waited there
    slowness: float = 1.0  # of the thread at nearly all places, against its team

    @property
    def used(self) -> float:
        """`busy` less where the thread was seen to lack a processor, as a processor of the team's mean speed has it."""
        if self.sampled < _SAMPLED * self.busy:
            return self.busy / self.slowness
        return self.busy * min(1.0, self.cpu / self.sampled) / self.slowness


@dataclass(frozen=True, slots=True)
class _Meeting:
    """The threads of one process that met at one place, again and again."""

    process: int
    where: Place
    work: Place | None  # the work-share before
    kind: str  # of that
    trips: int
    shares: tuple[_Share, ...]
    lost: float  # elapsed seconds that an even division would save, noise included
    time: float  # elapsed, between the meetings

    @property
    def systematic(self) -> float:
        """What the same threads cause each time, by their processor time where that is known."""
        used = [share.used for share in self.shares]
        return max(used) - sum(used) / len(used)

    @property
    def busy(self) -> tuple[float, ...]:
        return tuple(share.used for share in self.shares)

    @property
    def times(self) -> int:
        return max(share.count for share in self.shares)


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    crowded = _omp.crowded(trace)
    places: dict[Place, list[tuple[_Meeting, float]]] = defaultdict(list)
    meetings = list(_meetings(trace))
    factors = slowness(trace, meetings)
    for meeting in meetings:
        for share in meeting.shares:
            share.slowness = factors.get((meeting.process, share.thread), 1.0)
        # Where processors are scarce or differ, elapsed time says little; what the threads computed still tells.
        rough = crowded or bool(factors)
        lost = min(meeting.lost, meeting.systematic) if rough else meeting.lost
        time = min(meeting.time, max(meeting.busy)) if crowded else meeting.time
        if meeting.kind in _WORDS and lost >= rule.threshold("min_lost_share") * time:
            places[meeting.work or meeting.where].append((meeting, lost))
    for where, found in places.items():
        costs = _omp.per_process(trace, _omp.by_process((m.process, lost) for m, lost in found))
        if _omp.share(trace, max(costs)) >= rule.threshold("min_cost_share"):
            yield _finding(trace, rule, where, [m for m, _ in found], costs)


def _finding(trace: Trace, rule: Rule, where: Place, meetings: Sequence[_Meeting], costs: Sequence[float]) -> Finding:
    worst = max(meetings, key=lambda m: m.systematic)
    systematic = min(1.0, sum(m.systematic for m in meetings) / sum(m.lost for m in meetings))
    doubt = _omp.doubt(trace)
    sure = Confidence.LOW if doubt else Confidence.HIGH
    if systematic < rule.threshold("min_systematic_share") and not doubt:
        sure, doubt = (
            Confidence.LOW,
            "no thread has more to do than the others over the whole run: they are late by turns",
        )
    return rule.finding(
        "omp",
        where.location,
        args={
            "what": _WORDS[worst.kind],
            "cost": seconds(max(costs)),
            "times": f"{worst.times:,}",
            "culprits": _culprits(trace, worst),
            "ratio": f"{max(worst.busy) / max(min(worst.busy), 1e-9):.2g}",
            "remedy": _remedy(worst),
        },
        confidence=sure,
        function=where.function,
        evidence=[
            _omp.evidence(
                costs,
                doubt,
                meeting_count=worst.times,
                busy_seconds_most=max(worst.busy),
                busy_seconds_least=min(worst.busy),
                systematic_share=systematic,
                thread_count=len(worst.shares),
            )
        ],
        related=_related(where, worst),
        cost_seconds=max(costs),
        gain_seconds=min(max(costs), max(m.systematic for m in meetings)),
    )


def slowness(trace: Trace, meetings: Sequence[_Meeting] | None = None) -> dict[tuple[int, int], float]:
    """By process and thread: how much longer than its team's mean the thread takes at the median of the places.

    Empty where there are too few places to tell, or where the threads are alike. Equal parts of a loop are equal work
    at most places of most programs, so the median is the processor's, not the program's.
    """
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for meeting in _meetings(trace) if meetings is None else meetings:
        mean = sum(share.used for share in meeting.shares) / len(meeting.shares)
        if meeting.kind in ("", "loop-static") and meeting.times >= _MANY and mean > 0:
            for share in meeting.shares:
                found[meeting.process, share.thread].append(share.used / mean)
    factors = {key: statistics.median(ratios) for key, ratios in found.items() if len(ratios) >= _PLACES}
    return factors if any(abs(factor - 1.0) > _ALIKE for factor in factors.values()) else {}


def _meetings(trace: Trace) -> Iterator[_Meeting]:
    """Ends of regions, and barriers inside, where two threads or more met."""
    groups: dict[tuple[int, Place, bool], list[Wait]] = defaultdict(list)
    for wait in trace.waits:
        if (wait.kind == "team" or wait.kind.startswith("barrier")) and _omp.is_openmp(trace, wait.site):
            groups[wait.process, _omp.place(trace, wait.site), wait.kind == "team"].append(wait)
    for (process, where, ends), waits in groups.items():
        shares = _shares(waits)
        if len(shares) < 2:
            continue
        lost, time = _of_region(trace, process, where, shares) if ends else _of_barrier(shares)
        works = [w.work for w in waits if w.work is not None and _omp.is_openmp(trace, w.work)]
        work = _omp.loop_place(trace, works[0], waits[0].region) if works else None
        kind = next((w.work_kind for w in waits if w.work_kind), "")
        yield _Meeting(process, where, work, kind, _trips(trace, process, works), shares, max(0.0, lost), time)


def _shares(waits: Sequence[Wait]) -> tuple[_Share, ...]:
    found: dict[int, _Share] = {}
    for wait in waits:
        share = found.setdefault(wait.thread, _Share(wait.thread))
        share.count += wait.count
        share.busy += wait.segment
        share.cpu += wait.cpu
        share.sampled += wait.sampled
        share.whole += wait.busy
        share.pause += wait.seconds
    most = max(share.count for share in found.values())
    # Threads that took part now and then belong to teams of other sizes: they cannot be compared.
    return tuple(share for share in found.values() if share.count >= 0.9 * most)


def _of_region(trace: Trace, process: int, where: Place, shares: Sequence[_Share]) -> tuple[float, float]:
    """Seconds lost at the ends of these regions, and their time; (0, 0) where different threads open them."""
    regions = [r for r in trace.regions if r.process == process and _omp.place(trace, r.site) == where]
    if len({r.thread for r in regions}) != 1:
        return 0.0, 0.0
    sites = {r.site for r in regions}
    busy = [share.busy for share in shares]
    if any(w.process == process and w.region in sites and w.kind.startswith("barrier") for w in trace.waits):
        return max(busy) - sum(busy) / len(busy), max(busy)
    mean = sum(share.whole for share in shares) / len(shares)
    return sum(r.longest_busy for r in regions) - mean, sum(r.seconds for r in regions)


def _of_barrier(shares: Sequence[_Share]) -> tuple[float, float]:
    """The wait of the thread that waits least is the barrier's own cost."""
    pauses = [share.pause for share in shares]
    return sum(pauses) / len(pauses) - min(pauses), max(share.busy for share in shares) + min(pauses)


def _trips(trace: Trace, process: int, works: Sequence[int]) -> int:
    """Iterations of one execution of these loops; 0 if unknown."""
    found = [w for w in trace.works if w.process == process and w.site in works]
    executions = sum(w.count for w in found)
    return sum(w.trips for w in found) // executions if executions else 0


def _culprits(trace: Trace, meeting: _Meeting) -> str:
    """The threads that have most to do, by their numbers in the team."""
    busy = meeting.busy
    limit = (max(busy) + sum(busy) / len(busy)) / 2
    threads = trace.processes[meeting.process].threads
    numbers = sorted(threads[share.thread].number for share in meeting.shares if share.used >= limit)
    shown = ", ".join(map(str, numbers[:_SHOWN_THREADS]))
    rest = len(numbers) - _SHOWN_THREADS
    more = f" and {rest} other{'s' if rest > 1 else ''}" if rest > 0 else ""
    rank = trace.processes[meeting.process].rank
    of_rank = f" of rank {rank}" if rank >= 0 and len(trace.processes) > 1 else ""
    return f"thread{'s' if len(numbers) > 1 else ''} {shown}{more}{of_rank}"


def _remedy(meeting: _Meeting) -> str:
    team = len(meeting.shares)
    if meeting.kind in ("loop-dynamic", "loop-guided"):
        return "take smaller chunks, and let the longest iterations come first"
    if meeting.kind == "sections":
        return "divide the sections evenly, or make them tasks"
    if 0 < meeting.trips < 4 * team:
        return (
            f"{meeting.trips} iterations are not shared evenly by {team} threads: share an outer loop, or collapse two"
        )
    if meeting.kind == "" or not meeting.trips:
        return "share the loop by schedule(dynamic, chunk) or guided, or divide the work, not the iterations"
    chunk = max(1, meeting.trips // (32 * team))
    return f"schedule(dynamic, {chunk}) or guided hands out what is left; or divide the work, not the iterations"


def _related(where: Place, meeting: _Meeting) -> list[Related]:
    end = meeting.where
    return [Related(end.file, end.line, "the team meets here")] if end != where and end.known else []
