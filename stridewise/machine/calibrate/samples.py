"""From samples to figures: what the programs print, what is typical of it, and what follows from it."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from stridewise.finding.prices import CONSTRUCTS, omp_chunks
from stridewise.machine.machine_file import Collective, MemoryLevel, Message, MpiCosts, Team

What = TypeVar("What")

ITERATIONS_PER_THREAD = 128  # of the loops in runtime/calibrate/omp_costs.c
_NEAR = 1.5  # samples up to this multiple of the quickest are undisturbed
_LEAST_SECONDS = 1e-10  # of what could not be told from nothing


@dataclass
class Output:
    """What a program printed."""

    info: dict[str, str] = field(default_factory=dict)
    samples: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen(Generic[What]):
    """What one process measured, and the share of its rounds that were disturbed."""

    disturbed: float
    what: What


def quieter_half(seen: Sequence[Seen[What]]) -> list[What]:
    """What the processes measured that were disturbed least; in a disturbed one, rounds that look quiet may not be."""
    return [each.what for each in sorted(seen, key=lambda each: each.disturbed)[: (len(seen) + 1) // 2]]


def parse(lines: Iterable[str]) -> Output:
    """Raises ValueError for a line that none of the programs writes."""
    out = Output()
    for line in lines:
        kind, _, rest = line.strip().partition(" ")
        name, _, value = rest.partition(" ")
        if kind == "info":
            out.info[name] = value.strip()
        elif kind == "sample" and math.isfinite(float(value)):
            out.samples.setdefault(name, []).append(float(value))
        elif kind:
            raise ValueError(f"not understood: {line.strip()!r}")
    return out


def typical(samples: Sequence[float]) -> tuple[float, float]:
    """The median of the undisturbed samples, and the distance of their quartiles relative to it.

    What disturbs a measurement (another process, an interrupt, a slower clock) adds time, never takes it away: samples
    far above the quickest ones are outliers. The quickest itself may be luck, so the second counts.
    """
    ordered = sorted(samples)
    base = ordered[min(1, len(ordered) - 1)]
    kept = [value for value in ordered if value <= _NEAR * base] or ordered[:1]
    middle = statistics.median(kept)
    if len(kept) < 4 or middle <= 0:
        return middle, 0.0
    low, _, high = statistics.quantiles(kept, n=4)
    return middle, (high - low) / middle


def team(threads: int, samples: Mapping[str, Sequence[float]]) -> Team:
    """The costs of each construct. Of loops, what they take beyond their iterations; of chunks, beyond plain static."""
    figures = {name: typical(values) for name, values in samples.items()}
    seconds = {name: middle for name, (middle, _) in figures.items() if name in CONSTRUCTS}
    spread = {name: round(wide, 4) for name, (_, wide) in figures.items() if name in CONSTRUCTS}
    total = {name: middle for name, (middle, _) in figures.items() if name.startswith("loop_")}
    if work := figures.get("iterations", (0.0, 0.0))[0]:
        seconds |= {name: max(value - work, _LEAST_SECONDS) for name, value in total.items()}
    if threads > 1 and "slots_shared" in figures and "slots_private" in figures:
        extra = figures["slots_shared"][0] - figures["slots_private"][0]
        seconds["shared_line"] = max(extra, _LEAST_SECONDS)
    iterations = ITERATIONS_PER_THREAD * threads
    for schedule in ("static", "dynamic", "guided"):
        if f"loop_{schedule}_1" in total and "loop_static" in total:
            chunks = omp_chunks(schedule, 1, iterations, threads)
            extra = (total[f"loop_{schedule}_1"] - total["loop_static"]) / chunks
            seconds[f"chunk_{schedule}"] = max(extra, _LEAST_SECONDS)
    return Team(threads, seconds, spread)


def combine(teams: Sequence[Team]) -> Team:
    """One team size as several processes saw it: the medians, and the largest spread within or between them.

    Where a process' stacks and locks happen to lie makes constructs quicker or slower for its whole life.
    """
    seconds, spread = {}, {}
    for name in teams[0].seconds:
        values = [team.seconds[name] for team in teams if name in team.seconds]
        seconds[name] = statistics.median(values)
        between = (max(values) - min(values)) / seconds[name] if seconds[name] > 0 else 0.0
        spread[name] = round(max(between, *(team.spread.get(name, 0.0) for team in teams)), 4)
    return Team(teams[0].threads, seconds, spread)


def medians(seen: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """One figure of each name, of what several processes saw."""
    return {name: statistics.median(each[name] for each in seen if name in each) for name in seen[0]}


def combine_levels(seen: Sequence[MemoryLevel]) -> MemoryLevel:
    """One level of memory as several processes saw it."""
    first = seen[0]
    return MemoryLevel(
        first.name,
        first.working_set_bytes,
        statistics.median(level.latency_seconds for level in seen),
        statistics.median(level.bytes_per_second for level in seen),
        statistics.median(level.bytes_per_second_all for level in seen),
    )


def messages(flavour: str, version: str, figures: Mapping[int, Mapping[str, float]]) -> MpiCosts | None:
    """The costs of one MPI from its figures in seconds for each number of ranks; None without those of messages.

    The bandwidth is the slope between the two largest sizes, so that it and the latency add up (Hockney's model).
    """
    pair = figures.get(2, {})
    times = {int(name.partition(".")[2]): value for name, value in pair.items() if name.startswith("message.")}
    sends = {int(name.partition(".")[2]): value for name, value in pair.items() if name.startswith("send.")}
    if len(times) < 2 or not sends:
        return None
    *_, near, far = sorted(times)
    slope = times[far] - times[near]
    speed = (far - near) / slope if slope > 0 else far / times[far]
    collectives = []
    for ranks, found in sorted(figures.items()):
        for name, value in found.items():
            call, _, size = name.partition(".")
            if call == "barrier":
                collectives.append(Collective("MPI_Barrier", ranks, 0, value))
            elif call.startswith("MPI_"):
                collectives.append(Collective(call, ranks, int(size), value))
    return MpiCosts(
        flavour=flavour,
        version=version,
        ranks=max(figures),
        latency_seconds=times[min(times)],
        send_seconds=sends[min(sends)],
        bytes_per_second=speed,
        messages=tuple(Message(size, times[size], sends.get(size, 0.0)) for size in sorted(times)),
        collectives=tuple(collectives),
    )
