"""Where the time of an OpenMP run went: on one thread, computing in teams, waiting in them, opening them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from stridewise.finding.profile import Efficiency, Look, Part, Profile, TeamPhase, TeamSite, parts_of
from stridewise.finding.quantities import percent, seconds
from stridewise.patterns import _omp
from stridewise.runs.omp.crowding import crowding
from stridewise.runs.omp.trace import Region, Trace

_WORTH_A_LOOK = 0.1  # of the run, lost by the regions of one line
_MOSTLY = 0.5  # of the run

Phases = Mapping[tuple[str, int], Sequence[str]]


def profile(trace: Trace, phases: Phases | None = None) -> Profile | None:
    """Of the process that ran longest; None where that is unknown. `phases` are those that have each file and line."""
    index = max(range(len(trace.processes)), key=lambda i: trace.processes[i].elapsed_seconds, default=None)
    if index is None or trace.processes[index].elapsed_seconds <= 0:
        return None
    elapsed = trace.processes[index].elapsed_seconds
    outer = [r for r in trace.regions if r.process == index and r.outer is None]
    inside = sum(r.seconds for r in outer)
    opening = sum(r.overhead for r in outer)
    # The work of all threads, as if each team had shared it evenly.
    working = sum(r.busy * r.count / r.threads for r in outer if r.threads)
    named = (
        ("opening teams", opening),
        ("waiting", inside - opening - working),
        ("one thread", elapsed - inside),
    )
    parts = parts_of(elapsed, named, "computing")
    threads = trace.processes[index].threads
    crowded = outer_threads(trace, index) > len(trace.processes[index].cpu_mask)
    noise = 0.0 if crowded or not threads else sum(t.queue_seconds for t in threads) / len(threads)
    shares = _efficiencies(outer_threads(trace, index), {p.name: p.seconds for p in parts})
    sites = _sites(trace, outer, phases or {})
    lacks = crowding(trace)
    first = ((lacks[1], lacks[0]),) if lacks else ()
    return Profile(
        elapsed, parts, shares, (), first, _looks(elapsed, parts, sites), noise_seconds=noise,
        team_phases=_phases(trace, index), team_sites=sites,
    )  # fmt: skip


def _sites(trace: Trace, outer: Sequence[Region], phases: Phases) -> tuple[TeamSite, ...]:
    together: dict[tuple[str, int, str], list[Region]] = defaultdict(list)
    for region in outer:
        at = _omp.place(trace, region.site)
        together[at.file if at.line > 0 else "", max(at.line, 0), at.function].append(region)
    return tuple(sorted((_site(where, found, phases) for where, found in together.items()), key=lambda s: -s.seconds))


def _site(where: tuple[str, int, str], regions: Sequence[Region], phases: Phases) -> TeamSite:
    file, line, function = where
    inside, opening = sum(r.seconds for r in regions), sum(r.overhead for r in regions)
    mean = sum(r.busy * r.count / r.threads for r in regions if r.threads)
    return TeamSite(
        file, line, function, sum(r.count for r in regions), inside, opening, max(0.0, inside - opening - mean), mean,
        max(mean, sum(r.longest_busy for r in regions)), tuple(name for name in phases.get((file, line), ()) if name),
    )  # fmt: skip


def _looks(elapsed: float, parts: Sequence[Part], sites: Sequence[TeamSite]) -> tuple[Look, ...]:
    """Where to look if no finding says more: what one thread does alone, and the regions that lose most."""
    looks = []
    lost = max(sites, key=lambda s: s.waiting_seconds + s.opening_seconds, default=None)
    if lost is not None and lost.waiting_seconds + lost.opening_seconds >= _WORTH_A_LOOK * elapsed:
        where = f"{PurePath(lost.file).name}:{lost.line}" if lost.line else lost.function
        what = f"look at the parallel region at {where}, which loses most"
        why = f"waiting {seconds(lost.waiting_seconds)}, opening teams {seconds(lost.opening_seconds)} of the run"
        looks.append(Look(what, f"{why}'s {seconds(elapsed)}"))
    names = {part.name: part.seconds / elapsed for part in parts}
    for name, what in (("one thread", "what one thread does alone"), ("computing", "what the teams compute")):
        if names.get(name, 0.0) >= _MOSTLY:
            looks.append(
                Look(
                    f"look at {what}, which takes {percent(round(names[name], 2))} of the run",
                    "stridewise run --cache --roofline tells its loops apart, stridewise lint reads the source",
                    computing=True,
                )
            )
    return tuple(looks)


def _phases(trace: Trace, process: int) -> tuple[TeamPhase, ...]:
    found = [
        TeamPhase(
            p.name, p.count, p.seconds, p.regions, p.team_seconds, p.opening_seconds,
            max(0.0, p.team_seconds - p.opening_seconds - p.working_seconds),
        )
        for p in trace.phases
        if p.process == process and p.count
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda phase: -phase.seconds))


def outer_threads(trace: Trace, process: int) -> int:
    """Of the largest team that a process opened outside of others."""
    return max((r.most_threads for r in trace.regions if r.process == process and r.outer is None), default=1)


def _efficiencies(threads: int, parts: dict[str, float]) -> tuple[Efficiency, ...]:
    """How much of their time the threads of the largest team computed."""
    whole = sum(parts.values())
    if threads < 2 or whole <= 0:
        return ()
    alone = parts.get("one thread", 0.0)
    losses = {
        f"one thread works alone for {seconds(alone)}": alone * (threads - 1) / threads,
        f"threads wait {seconds(parts.get('waiting', 0.0))} in their teams": parts.get("waiting", 0.0),
        f"opening teams takes {seconds(parts.get('opening teams', 0.0))}": parts.get("opening teams", 0.0),
    }
    why, most = max(losses.items(), key=lambda item: item[1])
    share = (parts.get("computing", 0.0) + alone / threads) / whole
    return (Efficiency("threads at work", share, why if most > 0.005 * whole else ""),)
