"""Where teams meet, and what kept those that came last: what the rules on unequal work share.

The recorder adds up each barrier and each end of a region over the whole team (runtime/ompt/meetings.c), in processor
time, which other programs on the machine do not stretch. What an even division would save is, of each meeting, what the
busiest thread did less the mean. The threads' own sums tell which of them it is.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from stridewise.catalogue import limit
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Meeting, Trace, Wait

_SHOWN_THREADS = 6


@dataclass(slots=True)
class Share:
    """What one thread did before the meetings at one place."""

    thread: int
    count: int = 0
    busy: float = 0.0
    cpu: float = 0.0  # processor time of what was sampled
    sampled: float = 0.0
    slowness: float = 1.0  # of the thread at nearly all places, against its team

    @property
    def used(self) -> float:
        """`busy` less where the thread was seen to lack a processor, as a processor of the team's mean speed has it."""
        if self.sampled <= limit("patterns", "sampled_share") * self.busy:
            return self.busy / self.slowness
        return self.busy * min(1.0, self.cpu / self.sampled) / self.slowness


@dataclass(slots=True)
class Gathering:
    """The meetings of one process before which the busiest thread was at one place."""

    process: int
    where: Place
    kind: str  # of the work-share there; empty without one
    meetings: list[Meeting] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)
    most_lost: float = float("inf")  # what more cannot be lost here

    def most(self, measure: Callable[[Meeting], float]) -> float:
        """A sum over the meetings; of teams that several threads opened at a time, the largest."""
        sums: dict[int, float] = defaultdict(float)
        for meeting in self.meetings:
            sums[meeting.thread] += measure(meeting)
        return max(sums.values(), default=0.0)

    @property
    def lost(self) -> float:
        """Elapsed seconds that an even division would save.

        What is handed out while the team works goes to whoever has a processor: there no more is lost than was waited.
        """
        dynamic = self.kind in ("loop-dynamic", "loop-guided") or self.by_tasks
        return min(self.most_lost, self.most(lambda m: min(m.lost, m.waited) if dynamic else m.lost))

    @property
    def longest(self) -> float:
        return self.most(lambda m: m.longest)

    @property
    def waited(self) -> float:
        """Elapsed, of a thread in the mean; with what others on the machine did to the last one."""
        return self.most(lambda m: m.waited + m.unsure_waited)

    @property
    def by_tasks(self) -> bool:
        return sum(m.tasks for m in self.meetings) > limit("patterns", "tasks_share") * sum(
            m.used for m in self.meetings
        )

    @property
    def makes_tasks(self) -> bool:
        return sum(m.tasks for m in self.meetings) > limit("patterns", "some_tasks_share") * sum(
            m.used for m in self.meetings
        )

    @property
    def at_barrier(self) -> bool:
        """Whether nothing is known of the work but the barrier behind it: GCC tells of no static loop."""
        return not self.kind and any(m.work != m.region for m in self.meetings)

    @property
    def times(self) -> int:
        return sum(m.count for m in self.meetings)

    @property
    def threads(self) -> int:
        return round(sum(m.threads for m in self.meetings) / self.times) if self.times else 0

    @property
    def systematic(self) -> float:
        """Of the seconds lost, what the same threads cause each time."""
        used = [share.used for share in self.shares]
        return max(used) - sum(used) / len(used) if used else 0.0

    @property
    def busy(self) -> tuple[float, ...]:
        return tuple(share.used for share in self.shares)


def gatherings(trace: Trace) -> list[Gathering]:
    """All of the user's code, each place and kind of work once for a process."""
    found: dict[tuple[int, Place, str], Gathering] = {}
    for meeting in trace.meetings:
        if not meeting.count or not _omp.is_openmp(trace, meeting.work):
            continue
        # Without a work-share the place is the barrier or region itself, and no part of a directive above it.
        of_loop = bool(meeting.kind)
        where = _omp.loop_place(trace, meeting.work, meeting.region) if of_loop else _omp.place(trace, meeting.work)
        key = meeting.process, where, meeting.kind
        found.setdefault(key, Gathering(meeting.process, where, meeting.kind)).meetings.append(meeting)
    shares = _shares(trace)
    factors = _factors(shares)
    for (process, where, _), gathering in found.items():
        gathering.shares = shares.get((process, where), [])
        for share in gathering.shares:
            share.slowness = factors.get((process, share.thread), 1.0)
        gathering.most_lost = _most_lost(trace, gathering)
    return list(found.values())


def _most_lost(trace: Trace, gathering: Gathering) -> float:
    """Where chunks are handed out, the team waits for the last ones; how long these take is known by their mean.

    Only where threads lacked processors: there the wait is for a thread that was away with its chunk. Elsewhere it is
    for one that may be much longer than the others.
    """
    if gathering.kind not in ("loop-dynamic", "loop-guided") or not _omp.crowded(trace):
        return float("inf")
    works = {m.work for m in gathering.meetings}
    chunks = sum(w.chunks for w in trace.works if w.process == gathering.process and w.site in works)
    used = sum(m.used for m in gathering.meetings)
    return limit("patterns", "last_chunks") * used / chunks * gathering.times if chunks else float("inf")


def slowness(trace: Trace) -> dict[tuple[int, int], float]:
    """By process and thread: how much longer than its team's mean the thread takes at the median of the places.

    Empty where there are too few places to tell, or where the threads are alike. Equal parts of a loop are equal work
    at most places of most programs, so the median is the processor's, not the program's.
    """
    return _factors(_shares(trace))


def _factors(shares: dict[tuple[int, Place], list[Share]]) -> dict[tuple[int, int], float]:
    found: dict[tuple[int, int], list[float]] = defaultdict(list)
    for (process, _), here in shares.items():
        mean = sum(share.used for share in here) / len(here)
        if max(share.count for share in here) >= limit("patterns", "slow_visits") and mean > 0:
            for share in here:
                found[process, share.thread].append(share.used / mean)
    factors = {
        key: statistics.median(ratios)
        for key, ratios in found.items()
        if len(ratios) >= limit("patterns", "slow_places")
    }
    return (
        factors if any(abs(factor - 1.0) > limit("patterns", "slow_difference") for factor in factors.values()) else {}
    )


def _shares(trace: Trace) -> dict[tuple[int, Place], list[Share]]:
    """By process and place of the work before the meetings: the threads' shares, where there are two or more."""
    groups: dict[tuple[int, Place], dict[int, Share]] = defaultdict(dict)
    for wait in trace.waits:
        if not (wait.kind == "team" or wait.kind.startswith("barrier")):
            continue
        where = work_of(trace, wait)
        if where is None:
            continue
        share = groups[wait.process, where].setdefault(wait.thread, Share(wait.thread))
        share.count += wait.count
        share.busy += wait.segment
        share.cpu += wait.cpu
        share.sampled += wait.sampled
    out = {}
    for key, found in groups.items():
        most = max(share.count for share in found.values())
        # Threads that took part now and then belong to teams of other sizes: they cannot be compared.
        alike = [share for share in found.values() if share.count >= limit("patterns", "same_team_share") * most]
        if len(alike) > 1:
            out[key] = alike
    return out


def work_of(trace: Trace, wait: Wait) -> Place | None:
    """The work-share before a barrier or the end of a region, else the barrier or region itself."""
    if wait.work is not None and _omp.is_openmp(trace, wait.work):
        return _omp.loop_place(trace, wait.work, wait.region)
    return _omp.place(trace, wait.site) if _omp.is_openmp(trace, wait.site) else None


def metrics(found: Sequence[Gathering]) -> dict[str, object]:
    """What was measured: of several processes, the one that loses most."""
    worst = max(found, key=lambda g: g.lost)
    return {
        "meeting_count": worst.times,
        "longest_seconds": worst.longest,
        "waited_seconds": worst.waited,
        "thread_count": worst.threads,
    }


def costs(trace: Trace, found: Sequence[Gathering]) -> list[float]:
    return _omp.per_process(trace, _omp.by_process((g.process, g.lost) for g in found))


def note(trace: Trace, found: Sequence[Gathering]) -> str:
    """Where the waiting was longer than the threads' work explains: that the machine's doing is left out."""
    lost, waited = sum(g.lost for g in found), sum(g.waited for g in found)
    if not _omp.crowded(trace) or waited <= limit("patterns", "longer_wait") * lost:
        return ""
    return "counted in processor time: the wait was longer, since the threads also lacked processors"


def culprits(trace: Trace, gathering: Gathering) -> str:
    """The threads that have most to do, by their numbers in the team."""
    busy = gathering.busy
    threads = trace.processes[gathering.process].threads
    if busy:
        limit = (max(busy) + sum(busy) / len(busy)) / 2
        numbers = sorted(threads[share.thread].number for share in gathering.shares if share.used >= limit)
    else:
        numbers = [max(gathering.meetings, key=lambda m: m.votes).culprit]
    shown = ", ".join(map(str, numbers[:_SHOWN_THREADS]))
    rest = len(numbers) - _SHOWN_THREADS
    more = f" and {rest} other{'s' if rest > 1 else ''}" if rest > 0 else ""
    rank = trace.processes[gathering.process].rank
    of_rank = f" of rank {rank}" if rank >= 0 and len(trace.processes) > 1 else ""
    return f"thread{'s' if len(numbers) > 1 else ''} {shown}{more}{of_rank}"
