"""Where the time of an OpenMP run went: on one thread, computing in teams, waiting in them, opening them."""

from __future__ import annotations

from stridewise.finding.profile import Efficiency, Profile, TeamPhase, parts_of
from stridewise.finding.quantities import seconds
from stridewise.runs.omp.trace import Trace


def profile(trace: Trace) -> Profile | None:
    """Of the process that ran longest; None where that is unknown."""
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
    return Profile(elapsed, parts, shares, noise_seconds=noise, team_phases=_phases(trace, index))


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
