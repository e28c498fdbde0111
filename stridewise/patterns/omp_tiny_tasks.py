"""Tasks that take about as long as making and handing them out.

The lower quartile of their lengths decides: a task whose thread loses its processor takes a thousand times as long.
What making a task costs cannot be told from the work around it: that is the machine's price
(stridewise/finding/prices.py), so such findings have a gain and no measured cost.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from stridewise.catalogue import Rule, limit
from stridewise.finding import Confidence, Evidence, Finding
from stridewise.finding.prices import Price, costs, omp_cost
from stridewise.finding.quantities import seconds
from stridewise.patterns import _omp
from stridewise.patterns._omp import Place
from stridewise.runs.omp.trace import Task, Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    places: dict[Place, list[Task]] = defaultdict(list)
    for task in trace.tasks:
        if task.count and _omp.is_openmp(trace, task.site):
            places[_omp.place(trace, task.site)].append(task)
    for where, tasks in places.items():
        count, each = sum(t.count for t in tasks), _typical(tasks)
        if count < rule.threshold("min_tasks") or each > 1e-6 * rule.threshold("max_task_us"):
            continue
        price, gain = _price(trace, tasks)
        if _omp.share(trace, gain) < rule.threshold("min_cost_share"):
            continue
        yield rule.finding(
            "omp",
            where.location,
            args={"tasks": f"{count:,}", "each": seconds(each), "price": seconds(price.seconds)},
            confidence=Confidence.HIGH if each <= price.seconds else Confidence.MEDIUM,
            function=where.function,
            evidence=[
                Evidence(
                    "omp",
                    {"task_count": count, "task_seconds_each": each, "making_seconds_each": price.seconds},
                    f"the price of a task: {price.source}",
                )
            ],
            related=_omp.callers(trace, tasks[0].site),
            gain_seconds=gain,
        )


def _typical(tasks: Sequence[Task]) -> float:
    """About the lower quartile, of the threads that executed most of them."""
    most = max(t.count for t in tasks)
    return max(t.typical for t in tasks if t.count >= most / limit("patterns", "busiest_part"))


def _price(trace: Trace, tasks: Sequence[Task]) -> tuple[Price, float]:
    """Of one task, and what those of the process with most of them cost it."""
    counts: dict[int, int] = defaultdict(int)
    for task in tasks:
        counts[task.process] += task.count
    most = max(counts, key=counts.__getitem__)
    meetings = [m for m in trace.meetings if m.process == most and m.tasks > 0]
    # What the tasks' bodies leave of the team's time bounds what making them can take.
    team = max((m.threads / m.count for m in meetings if m.count), default=2.0)
    price = omp_cost(costs(trace.processes[most].host), "task", round(team))
    bodies = sum(t.typical * t.count for t in tasks if t.process == most)
    rest = sum(m.used for m in meetings) - bodies if meetings else float("inf")
    return price, min(price.seconds * counts[most], max(0.0, rest))
