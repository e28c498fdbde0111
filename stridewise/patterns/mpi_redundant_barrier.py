"""Barriers that order nothing which messages, other synchronisations and program order do not order already.

The decision is stridewise-merge's (happens-before with vector clocks, see runtime/merge/BarrierProof.cpp); here it
becomes a finding, with as much confidence as the run allows. A barrier that any instance needs is left alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import ArgValue, Confidence, Evidence, Finding, Verdict
from stridewise.finding.correlate import same_file
from stridewise.finding.judgement import Judgement
from stridewise.patterns._mpi import Place, call_count, callers, duration, evidence, place, share, sums
from stridewise.patterns._waits import share_of_barrier, waited
from stridewise.runs.mpi.trace import Barrier, Trace, Witness

_DOUBTS = {
    "wildcards": "the program receives from any source elsewhere",
    "probes": "the program polls for messages",
    "files": "the program uses MPI-IO",
    "one-sided": "the program uses one-sided communication",
    "one-rank-works": "one rank works alone before it: if that writes what others then read, keep the barrier",
    "before-finalize": "it is the last call before MPI_Finalize, to which the waiting moves",
    "few-calls": "it is reached a few times only, perhaps to separate phases on purpose",
    "few": "the recorded part of the run holds few of its instances",
}
# Why a barrier is needed.
_NEEDS = {
    "wildcard": "a receive from any source could take a message that only the barrier holds back",
    "probe": "a probe could see a message that only the barrier holds back",
    "ready-send": "a ready send after it needs the receive posted before it",
    "one-sided": "one-sided accesses lie beside it",
    "file": "file accesses lie on both sides of it",
    "timer": "it delimits a measurement of time",
    "flow-control": "it keeps several senders from running ahead of one receiver",
    "shared-memory": "the program shares memory between ranks",
    "process": "processes are started or connected beside it",
}
# What keeps the run from telling: files and pipes of one rank may be another's input, or nobody's.
_UNSEEN = {
    "outside-effect": "a rank acts outside MPI beside it",
    "threads": "other threads call MPI at the same time",
}


def detect_mpi(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[tuple[Place, tuple[str, ...]], list[Barrier]] = defaultdict(list)
    for barrier in trace.barriers:
        if barrier.verdict == "redundant":
            places[place(trace, barrier.paths[0]), _doubts(barrier, rule)].append(barrier)
    for (where, doubts), barriers in places.items():
        yield _finding(trace, rule, where, doubts, barriers)


def _doubts(barrier: Barrier, rule: Rule) -> tuple[str, ...]:
    doubts = set(barrier.notes) & set(_DOUBTS)
    if "partial" in barrier.notes and barrier.instances < rule.threshold("enough_instances"):
        doubts.add("few")
    if barrier.whole_run_instances < rule.threshold("min_calls"):
        doubts.add("few-calls")
    return tuple(name for name in _DOUBTS if name in doubts)


def _own(trace: Trace, barrier: Barrier) -> list[float]:
    """Seconds per rank without those that wait for a rank with more work: it is waited for elsewhere, if not here."""
    waiting, part = waited(trace, barrier.paths), share_of_barrier(trace, barrier)
    return [max(0.0, t - (1.0 - part) * w) for t, w in zip(barrier.rank_seconds, waiting, strict=True)]


def _finding(trace: Trace, rule: Rule, where: Place, doubts: Sequence[str], barriers: Sequence[Barrier]) -> Finding:
    rank_seconds = sums([_own(trace, b) for b in barriers])
    cost = max(rank_seconds)
    gain = min(cost, sum(b.gain_seconds for b in barriers))
    small = share(trace, cost) < rule.threshold("min_cost_share")
    useless = share(trace, gain) < rule.threshold("min_gain_share")
    confidence = Confidence.MEDIUM if doubts else Confidence.HIGH
    if "few-calls" in doubts or small or useless:
        confidence = Confidence.LOW
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
        gain_seconds=gain,
    )


def judge_mpi(finding: Finding, trace: Trace, rule: Rule) -> Judgement | None:  # noqa: ARG001 - the contract's arguments
    """Refuted where the run shows what needs the barrier; where it could not tell, it says so."""
    barriers = [b for b in trace.barriers if any(_at(finding, trace, path) for path in b.paths)]
    for barrier in barriers:
        witness = next((w for w in barrier.kept if w.reason in _NEEDS), None)
        if barrier.verdict == "needed" and witness:
            note = f"needed: {_NEEDS[witness.reason]}{_calls(trace, witness)}"
            return Judgement(Verdict.REFUTED, _measured(trace, barrier, note))
    if barriers:
        seen = {w.reason for barrier in barriers for w in barrier.kept}
        why = ": ".join(["the run cannot tell whether it is needed", *(_UNSEEN[r] for r in _UNSEEN if r in seen)][:2])
        return Judgement(Verdict.SUSPECTED, _measured(trace, barriers[0], why))
    return None


def _at(finding: Finding, trace: Trace, path: int) -> bool:
    where = finding.location
    return any(
        where.line <= frame.line <= max(where.line, where.end_line) and same_file(where.file, frame.file)
        for frame in trace.paths[path].frames
        if frame.known
    )


def _calls(trace: Trace, witness: Witness) -> str:
    """The two calls of a witness, as far as they are known."""
    words = []
    for path, rank in ((witness.path_before, witness.rank_before), (witness.path_after, witness.rank_after)):
        where = place(trace, path) if path is not None else None
        if where and where.line > 0:
            words.append(f"rank {rank} at {where.file}:{where.line}")
    return f" ({', '.join(words)})" if words else ""


def _measured(trace: Trace, barrier: Barrier, note: str) -> Evidence:
    return evidence(trace, barrier.rank_seconds, note, call_count=call_count(trace, barrier.paths))
