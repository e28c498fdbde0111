"""Tasks of which one is so long that the team waits for it when the others are done.

Of each meeting the recorder knows what the threads did, by processor time and with their tasks, and the longest task
(stridewise/patterns/_meetings.py). Its place is that of the tasks among which the longest one was seen.
"""

from __future__ import annotations

from collections.abc import Iterable

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Related
from stridewise.finding.quantities import seconds
from stridewise.patterns import _meetings, _omp
from stridewise.patterns._meetings import Gathering
from stridewise.runs.omp.trace import Task, Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    for gathering in _meetings.gatherings(trace):
        longest = gathering.most(lambda m: m.longest_task)
        lost = max(gathering.lost, _beyond_even(gathering))
        if not gathering.by_tasks or lost < rule.threshold("min_lost_share") * gathering.longest or longest < lost:
            continue
        if _omp.share(trace, lost) < rule.threshold("min_cost_share"):
            continue
        task = _longest(trace, gathering)
        where = _omp.place(trace, task.site) if task else gathering.where
        if longest < rule.threshold("min_ratio") * _typical(trace, gathering.process) * gathering.times:
            continue
        costs = _omp.per_process(trace, {gathering.process: lost})
        yield rule.finding(
            "omp",
            where.location,
            args={
                "cost": seconds(max(costs)),
                "times": f"{gathering.times:,}",
                "longest": seconds(longest / gathering.times),
                "span": seconds(gathering.most(lambda m: m.tasks) / gathering.times),
            },
            confidence=Confidence.HIGH if longest >= 2 * lost else Confidence.MEDIUM,
            function=where.function,
            evidence=[
                _omp.evidence(
                    costs,
                    _meetings.note(trace, [gathering]),
                    **_meetings.metrics([gathering]),
                    longest_task_seconds=longest,
                )
            ],
            related=_related(gathering, where),
            cost_seconds=max(costs),
            gain_seconds=max(costs),
        )


def _beyond_even(gathering: Gathering) -> float:
    """What the longest tasks alone take beyond an even share of all: lost however the others were handed out, also
    where the thread that had them was slow, so that nobody waited."""
    even = gathering.most(lambda m: m.used * m.count / m.threads if m.threads else 0.0)
    return max(0.0, gathering.most(lambda m: m.longest_task) - even)


def _typical(trace: Trace, process: int) -> float:
    """The least lower quartile of all tasks: a compiler that unrolls gives the long ones places of their own."""
    return min((t.typical for t in trace.tasks if t.process == process and t.count), default=0.0)


def _longest(trace: Trace, gathering: Gathering) -> Task | None:
    tasks = [t for t in trace.tasks if t.process == gathering.process and _omp.is_openmp(trace, t.site)]
    return max(tasks, key=lambda t: t.longest, default=None)


def _related(gathering: Gathering, where: _omp.Place) -> list[Related]:
    end = gathering.where
    return [Related(end.file, end.line, "the team waits at the end of this")] if end.known and end != where else []
