"""Where the time of an MPI run went, with or without findings: parts, efficiencies and what spoils them, call sites."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath

from stridewise.finding.profile import CallSite, Efficiency, Look, Part, PhaseTime, Profile, parts_of
from stridewise.finding.quantities import percent, seconds
from stridewise.patterns._mpi import place
from stridewise.runs.mpi import efficiency, endings
from stridewise.runs.mpi.trace import Trace

_OUTPUT = ("write", "print")  # what the program did outside MPI, as the recorder names it
_AFTER = "wait-at-finalize"  # lies behind the measured time
_WORTH_A_LOOK = 0.1  # of the run, by one call site
_MOSTLY = 0.5  # of the run
_UNEVEN = 0.005  # of the time: below, who computed more is noise


def profile(trace: Trace) -> Profile | None:
    """None where no rank was timed."""
    whole = trace.summary
    if not trace.ranks or whole.wall_seconds <= 0:
        return None
    if efficiency.helpers(trace) or trace.job.reduced_ranks:
        # The time in MPI of several threads is no part of the time of one; of summaries the ranks are not known apart.
        return Profile(whole.wall_seconds, sites=_sites(trace), phases=_phases(trace))
    sites = _sites(trace)
    cut = endings.remedy(trace)
    if cut:  # what the ranks were at until then is no measure of anything
        return Profile(whole.wall_seconds, _parts(trace), _efficiencies(trace), sites, (cut,), (), _phases(trace))
    looks = _looks(trace, sites)
    # What the ranks take from one another is no noise: it is the same in each run.
    noise = 0.0 if efficiency.crowded(trace) else _mean(trace, [rank.queue_seconds for rank in trace.ranks])
    first = efficiency.remedies(trace)
    return Profile(whole.wall_seconds, _parts(trace), _efficiencies(trace), sites, first, looks, _phases(trace), noise)


def _looks(trace: Trace, sites: Sequence[CallSite]) -> tuple[Look, ...]:
    """Where to look if no finding says more: what the ranks compute, and the call that takes most. Where little is
    lost, the computing comes first, and only a call that takes a good part of the run has a word."""
    computing = _computing(trace)
    looks = [computing] if computing else []
    wall, share = trace.summary.wall_seconds, trace.summary.parallel_efficiency
    fine = bool(computing) and share is not None and share >= efficiency.LOW_EFFICIENCY
    if sites and (not fine or sites[0].mean_seconds >= _WORTH_A_LOOK * wall):
        looks.insert(len(looks) if fine else 0, _call(sites[0], wall))
    return tuple(looks)


def _computing(trace: Trace) -> Look | None:
    """None where the ranks are at something else for most of their time."""
    share = next((p.seconds for p in _parts(trace) if p.name == "computing"), 0.0) / trace.summary.wall_seconds
    if share < _MOSTLY:
        return None
    return Look(
        f"look at what the ranks compute, which takes {percent(round(share, 2))} of the run",
        "stridewise run --cache --roofline tells its loops apart, stridewise lint reads the source",
        computing=True,
    )


def _call(site: CallSite, wall: float) -> Look:
    inside = f" in {site.function}" if site.function else ""
    name = f"{site.call} at {PurePath(site.file).name}:{site.line}" if site.line else site.call + inside
    return Look(
        f"look at {name}, which takes the most time in MPI",
        f"{seconds(site.mean_seconds)} of {seconds(wall)} on average, {seconds(site.worst_seconds)} on rank "
        f"{site.worst_rank}",
    )


def _mean(trace: Trace, values: Sequence[float]) -> float:
    return sum(values) / len(trace.ranks)


def _parts(trace: Trace) -> tuple[Part, ...]:
    """Means over the ranks of the elapsed time of the run: a rank that is done earlier waits for the last."""
    wall = trace.summary.wall_seconds
    in_mpi = _mean(trace, [rank.mpi_seconds for rank in trace.ranks])
    early = _mean(trace, [wall - rank.wall_seconds for rank in trace.ranks])
    files = _mean(trace, [sum(c.rank_seconds) for c in trace.calls if c.call.startswith("MPI_File_")])
    files = min(files, in_mpi)
    output = _mean(trace, [sum(c.rank_seconds) for c in trace.calls if c.call in _OUTPUT])
    waited = min(_mean(trace, [w.seconds for w in trace.waits if w.kind != _AFTER]), in_mpi - files)
    slept = _mean(trace, [rank.sleep_seconds for rank in trace.ranks])
    named = (
        ("waiting", waited + max(early, 0.0)),
        ("sending", in_mpi - files - waited),
        ("sleeping", slept),
        ("output", output + files),
    )
    return parts_of(wall, named, "computing")


def _efficiencies(trace: Trace) -> tuple[Efficiency, ...]:
    whole = trace.summary
    known = (
        ("load balance", whole.load_balance, _busiest),
        ("serialisation", whole.serialisation_efficiency, _most_waiting),
        ("transfer", whole.transfer_efficiency, _most_sending),
    )
    return tuple(
        Efficiency(name, value, why(trace) if value < 1 - _UNEVEN else "")
        for name, value, why in known
        if value is not None
    )


def _busiest(trace: Trace) -> str:
    work = [max(0.0, r.wall_seconds - r.mpi_seconds - r.sleep_seconds) for r in trace.ranks]
    mean = sum(work) / len(work)
    most = max(range(len(work)), key=work.__getitem__)
    if mean <= 0 or work[most] <= (1 + _UNEVEN) * mean:
        return ""
    return f"rank {trace.ranks[most].rank} computes for {seconds(work[most])}, the mean is {seconds(mean)}"


def _most_waiting(trace: Trace) -> str:
    """The call, of all call paths to it together, at which ranks wait most."""
    names = _names(trace)
    by_call: dict[str, float] = defaultdict(float)
    for wait in trace.waits:
        if wait.kind != _AFTER:
            by_call[names[wait.path]] += wait.seconds / len(trace.ranks)
    if not by_call:
        return ""
    name, most = max(by_call.items(), key=lambda item: item[1])
    return f"ranks wait {seconds(most)} on average in {name}"


def _most_sending(trace: Trace) -> str:
    waited: dict[int, float] = defaultdict(float)
    for wait in trace.waits:
        waited[wait.path] += wait.seconds
    own: dict[int, float] = defaultdict(float)
    for call in trace.calls:
        if call.path is not None and call.call.startswith("MPI_"):
            own[call.path] += sum(call.rank_seconds)
    names = _names(trace)
    left: dict[str, float] = defaultdict(float)
    for path, total in own.items():
        left[names[path]] += max(0.0, total - waited[path]) / len(trace.ranks)
    if not left:
        return ""
    name, most = max(left.items(), key=lambda item: item[1])
    return f"{name} takes {seconds(most)} on average beyond waiting" if most > 0 else ""


def _names(trace: Trace) -> dict[int, str]:
    """Call and place of each call path."""
    most: dict[int, tuple[float, str]] = {}
    for call in trace.calls:
        if call.path is not None:
            most[call.path] = max(most.get(call.path, (-1.0, "")), (sum(call.rank_seconds), call.call))
    names = {}
    for path in {*most, *(wait.path for wait in trace.waits)}:
        at = place(trace, path)
        where = f" at {PurePath(at.file).name}:{at.line}" if at.line else f" in {at.function}" if at.function else ""
        names[path] = most.get(path, (0.0, "MPI"))[1] + where
    return names


def _phases(trace: Trace) -> tuple[PhaseTime, ...]:
    """In the order of their time."""
    in_mpi: dict[str, float] = defaultdict(float)
    waiting: dict[str, float] = defaultdict(float)
    for call in trace.calls:
        if call.call.startswith("MPI_"):
            in_mpi[trace.phase_of(call.path)] += sum(call.rank_seconds) / len(trace.ranks)
    for wait in trace.waits:
        if wait.kind != _AFTER:
            waiting[trace.phase_of(wait.path)] += wait.seconds / len(trace.ranks)
    found = []
    for phase in trace.phases:
        if not phase.seconds:
            continue
        rank, worst = max(phase.seconds, key=lambda item: item[1])
        mean = sum(value for _, value in phase.seconds) / len(trace.ranks)
        inside = in_mpi[phase.name]
        found.append(
            PhaseTime(
                phase.name, phase.count, mean, inside, min(waiting[phase.name], inside), worst, trace.ranks[rank].rank
            )
        )
    return tuple(sorted(found, key=lambda p: (-p.mean_seconds, p.name)))


def _sites(trace: Trace) -> tuple[CallSite, ...]:
    """Of every call of MPI, those of one line in one phase as one."""
    ranks = len(trace.ranks)
    together: dict[tuple[str, str, int, str, str], tuple[list[float], list[int]]] = {}
    for call in trace.calls:
        if not call.call.startswith("MPI_") or call.path is None:
            continue
        at = place(trace, call.path)
        key = (call.call, at.file if at.line else "", at.line, at.function, trace.phase_of(call.path))
        taken, sizes = together.setdefault(key, ([0.0] * ranks, [0, 0]))
        for rank, value in call.seconds:
            taken[rank] += value
        sizes[0] += call.count
        sizes[1] += call.bytes
    sites = []
    for (name, file, line, function, phase), (taken, (count, size)) in together.items():
        worst = max(range(ranks), key=taken.__getitem__)
        mean = sum(taken) / ranks
        world = trace.ranks[worst].rank
        sites.append(CallSite(name, file, line, function, count, size, mean, taken[worst], world, phase))
    return tuple(sorted(sites, key=lambda s: (-s.mean_seconds, s.call, s.file, s.line)))
