"""What the efficiencies of an MPI run mean: whether ranks lacked processors, and what took the time that no finding
explains. Sentences for the head of the report, each with what would decide."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from stridewise.finding import Confidence, Finding, Verdict
from stridewise.finding.quantities import percent, seconds
from stridewise.patterns._mpi import place
from stridewise.runs.mpi.trace import Rank, Trace

# Shares of the run's elapsed time. Below the first, a cause is lost in what repeated runs differ by.
_WORTH_A_WORD = 0.05
LOW_EFFICIENCY = 0.8  # POP's own boundary: below, "needs attention" (pop-coe.eu, Standard Metrics)
_EXPLAINED = 0.5  # of the time lost, by the savings of the findings that are shown
_SHORT_SECONDS = 1.0  # what a program does once takes a good part of such a run
_PLACES = 3
_WAITS = {
    "late-sender": "for a message that was sent late",
    "late-receiver": "for a receive that was posted late",
    "wait-at-barrier": "at barriers for the last rank",
    "wait-at-nxn": "in collectives for the last rank",
    "early-reduce": "as the root of reductions, for the first contribution",
    "late-contribution": "as the root of reductions, for the last contribution",
    "late-broadcast": "for the root of a broadcast",
}


def causes(trace: Trace, findings: Sequence[Finding]) -> list[str]:
    """`findings` are those of this run."""
    if not trace.ranks or trace.summary.wall_seconds <= 0:
        return []
    if trace.endings:  # who waits for what never comes may spin or sleep meanwhile
        return _threads(trace)
    said = [*_threads(trace), *_queue(trace), *_sleep(trace)]
    return [*said, *_unexplained(trace, findings, bool(said))]


def helpers(trace: Trace) -> float:
    """The most seconds that threads besides the first of a rank were in MPI, where that is worth a word; else 0."""
    most = max((rank.helper_mpi_seconds for rank in trace.ranks), default=0.0)
    return most if most >= _WORTH_A_WORD * trace.summary.wall_seconds else 0.0


def queued(trace: Trace) -> float:
    """The most seconds that a rank was ready to run without a processor, where that is worth a word; else 0."""
    most = max((rank.queue_seconds for rank in trace.ranks), default=0.0)
    return most if most >= _WORTH_A_WORD * trace.summary.wall_seconds else 0.0


def interval(trace: Trace) -> tuple[float, float] | None:
    """The parallel efficiency with a processor for each rank, if nothing else had changed; None if that is unknown.

    How much of a rank's time in the run queue fell into its calls of MPI is not known. All of it outside gives one end
    of the interval, all of it inside the other.
    """

    def of(kept: Sequence[tuple[float, float]]) -> float:
        """From useful and other seconds of each rank."""
        wall = max(work + rest for work, rest in kept)
        return sum(work for work, _ in kept) / len(kept) / wall if wall > 0 else 0.0

    def work(rank: Rank) -> float:
        return max(0.0, rank.wall_seconds - rank.mpi_seconds - rank.sleep_seconds)

    outside = [(max(0.0, work(r) - r.queue_seconds), r.wall_seconds - work(r)) for r in trace.ranks]
    inside = [(work(r), max(0.0, r.wall_seconds - work(r) - r.queue_seconds)) for r in trace.ranks]
    if not any(a + b > 0 for a, b in outside) or not any(a + b > 0 for a, b in inside):
        return None
    low, high = sorted((of(outside), of(inside)))
    return low, high


def _threads(trace: Trace) -> list[str]:
    most = helpers(trace)
    if not most:
        return []
    rank = max(trace.ranks, key=lambda r: r.helper_mpi_seconds)
    return [
        f"threads besides the first were in MPI, together for {seconds(most)} on rank {rank.rank}: the time in MPI "
        "that is given above is that of the thread that called MPI_Init, and no efficiency is made of it"
    ]


def remedies(trace: Trace) -> tuple[tuple[str, str], ...]:
    """What to do before any finding is looked at, and why; empty where ranks had their processors."""
    most = queued(trace)
    if not most:
        return ()
    mean, _, why, remedy = _lacked(trace)
    return ((remedy, f"{why}, which cost {seconds(mean)} of {seconds(trace.summary.wall_seconds)} on average"),)


def _lacked(trace: Trace) -> tuple[float, Rank, str, str]:
    """Mean seconds without a processor, the rank with the most, why, and what to do about it."""
    worst = max(trace.ranks, key=lambda r: r.queue_seconds)
    mean = sum(r.queue_seconds for r in trace.ranks) / len(trace.ranks)
    many = crowded(trace)
    why = f"{many[0]} ranks shared {_count(many[1], 'processor')}" if many else "others used the processors"
    remedy = "run it with as many processors as ranks" if many else "run it again while nothing else uses the machine"
    return mean, worst, why, remedy


def _queue(trace: Trace) -> list[str]:
    most = queued(trace)
    if not most:
        return []
    mean, worst, why, remedy = _lacked(trace)
    text = (
        f"ranks were ready to run without a processor for {seconds(mean)} on average and {seconds(most)} on rank "
        f"{worst.rank}, of {seconds(trace.summary.wall_seconds)}, since {why}"
    )
    between = interval(trace)
    if between and not helpers(trace) and trace.summary.parallel_efficiency is not None:
        text += f"; without that the parallel efficiency is between {_rounded(between[0])} and {_rounded(between[1])}"
    return [f"{text}; waiting may be the machine's doing as well as the program's: {remedy} to decide"]


def crowded(trace: Trace) -> tuple[int, int] | None:
    """Ranks and processors of the node where the ranks are most crowded, if there were more ranks than processors."""
    hosts: dict[str, list[Rank]] = defaultdict(list)
    for rank in trace.ranks:
        hosts[rank.host].append(rank)
    known = [
        # Masks with the same lowest processor are taken for one; others for processors of their own.
        (len(ranks), sum({rank.first_processor: rank.processors for rank in ranks}.values()))
        for ranks in hosts.values()
    ]
    most = max(known, key=lambda pair: pair[0] / pair[1] if pair[1] else 0.0)
    return most if 0 < most[1] < most[0] else None


def _sleep(trace: Trace) -> list[str]:
    worst = max(trace.ranks, key=lambda r: r.sleep_seconds)
    if worst.sleep_seconds < _WORTH_A_WORD * trace.summary.wall_seconds:
        return []
    return [
        f"rank {worst.rank} slept for {seconds(worst.sleep_seconds)} outside MPI (sleep, usleep, nanosleep, …); sleep "
        "is no work in the efficiencies"
    ]


def _unexplained(trace: Trace, findings: Sequence[Finding], said: bool) -> list[str]:
    """Where the time is that the efficiency says is lost, if no finding that is shown explains it."""
    whole = trace.summary
    efficiency = whole.parallel_efficiency
    if efficiency is None or efficiency >= LOW_EFFICIENCY or helpers(trace):
        return []
    lost = (1.0 - efficiency) * whole.wall_seconds
    sure = [f for f in findings if f.confidence is not Confidence.LOW and f.verdict is not Verdict.REFUTED]
    unsure = len(findings) - len(sure)
    saved = sum(f.gain_seconds or 0.0 for f in sure)
    if saved >= _EXPLAINED * lost:
        return []
    out = []
    where = _places(trace)
    if where:
        explained = f", of which the findings explain {seconds(saved)}" if saved else ""
        out.append(f"each rank lost {seconds(lost)} on average{explained}; most of the time in MPI: {where}")
    waited = _waiting(trace)
    if waited:
        out.append(waited)
    if whole.wall_seconds < _SHORT_SECONDS:
        out.append(
            f"the run took {seconds(whole.wall_seconds)}: what a program does once, as opening connections, counts in "
            "it as much as what it repeats; a longer run would decide"
        )
    if unsure:
        out.append(f"{_count(unsure, 'finding')} of this run {'is' if unsure == 1 else 'are'} unsure: --all shows them")
    if not out and not said:
        out.append("what was recorded does not tell where the time went; a longer run would decide")
    return out


def _places(trace: Trace) -> str:
    """The calls with the most time in MPI, as means over the ranks."""
    by_place: dict[tuple[str, str, int], float] = defaultdict(float)
    for call in trace.calls:
        if not call.call.startswith("MPI_"):
            continue
        at = place(trace, call.path) if call.path is not None else None
        by_place[call.call, at.file if at else "", at.line if at else 0] += sum(call.rank_seconds)
    ordered = sorted(by_place.items(), key=lambda item: -item[1])[:_PLACES]
    least = _WORTH_A_WORD * trace.summary.wall_seconds
    parts = []
    for (name, file, line), total in ordered:
        mean = total / len(trace.ranks)
        if mean >= least:
            where = f" at {file.rsplit('/', 1)[-1]}:{line}" if line else ""
            parts.append(f"{name}{where} ({seconds(mean)})")
    return ", ".join(parts)


def _waiting(trace: Trace) -> str:
    """What of that was waiting for other ranks, by its largest kind."""
    kinds: dict[str, float] = defaultdict(float)
    for wait in trace.waits:
        kinds[wait.kind] += wait.seconds / len(trace.ranks)
    total = sum(kinds.values())
    if not kinds or total < _WORTH_A_WORD * trace.summary.wall_seconds:
        return ""
    kind, most = max(kinds.items(), key=lambda item: item[1])
    return f"of that, ranks waited {seconds(total)} for one another, {seconds(most)} {_WAITS.get(kind, kind)}"


def _rounded(share: float) -> str:
    return percent(round(share, 2))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
