"""Threads that the system may move between processors, on machines where that costs.

Which processors each thread may use, and on which it was seen, stands against the machine's nodes. On several memory
nodes an unbound thread loses its pages when it moves; on one node it loses its caches, which is a hint at most, and
only where threads were seen to move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Finding, Severity
from stridewise.patterns import _omp
from stridewise.runs.omp.trace import Process, Thread, Trace


def detect_omp(trace: Trace, rule: Rule) -> Iterable[Finding]:
    loose = [index for index, process in enumerate(trace.processes) if _unbound(trace, process)]
    regions = [r for r in trace.regions if r.process in loose and r.outer is None and _omp.is_openmp(trace, r.site)]
    if not regions:
        return
    process = trace.processes[max(loose, key=lambda i: _migrations(trace.processes[i]))]
    nodes = _nodes(process)
    moved, crossed = _migrations(process), _crossed(process)
    if len(nodes) < 2 and moved < rule.threshold("min_migrations") * max(1.0, process.seconds):
        return
    where = _omp.place(trace, max(regions, key=lambda r: r.seconds).site)
    several = len(nodes) > 1
    finding = rule.finding(
        "omp",
        where.location,
        args={
            "threads": _team(trace, process),
            "machine": _machine(process),
            "moves": f"{moved:,}",
            "crossings": _crossings(crossed) if several else "",
            "remedy": advice(trace, process, rule),
        },
        confidence=Confidence.HIGH if crossed and not _omp.crowded(trace) else Confidence.MEDIUM,
        function=where.function,
        evidence=[
            _omp.evidence(
                [],
                "",
                migration_count=moved,
                node_count=len(nodes),
                threads_on_several_nodes=crossed,
                thread_count=_team(trace, process),
            )
        ],
    )
    yield finding if several else _as_hint(finding)


def _as_hint(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.INFO)


def _unbound(trace: Trace, process: Process) -> bool:
    """Whether threads of its teams may run on several cores, each of them; more threads than processors must move."""
    team = _members(process)
    if len(team) < 2 or _team(trace, process) > len(process.cpu_mask) or len(process.cpu_mask) < 2:
        return False
    cores = {cpu.cpu: cpu.core for cpu in process.cpus}
    nodes = {cpu.cpu: cpu.node for cpu in process.cpus}
    if len(_nodes(process)) > 1:
        return any(len({nodes.get(cpu, 0) for cpu in thread.affinity}) > 1 for thread in team)
    return all(len({cores.get(cpu, cpu) for cpu in thread.affinity}) > 1 for thread in team)


def _members(process: Process) -> list[Thread]:
    return [thread for thread in process.threads if thread.regions > 0]


def _team(trace: Trace, process: Process) -> int:
    index = trace.processes.index(process)
    return max((r.most_threads for r in trace.regions if r.process == index and r.outer is None), default=1)


def _nodes(process: Process) -> set[int]:
    return {cpu.node for cpu in process.cpus if cpu.cpu in process.cpu_mask}


def _migrations(process: Process) -> int:
    return sum(thread.migrations for thread in process.threads)


def _crossed(process: Process) -> int:
    """Threads that were seen on several nodes."""
    nodes = {cpu.cpu: cpu.node for cpu in process.cpus}
    return sum(len({nodes[c] for c in t.cpus_seen if c in nodes}) > 1 for t in process.threads)


def _crossings(crossed: int) -> str:
    if not crossed:
        return ", so far on its node"
    return f", and {crossed} thread{' was' if crossed == 1 else 's were'} seen on several memory nodes"


def _machine(process: Process) -> str:
    cores = len({cpu.core for cpu in process.cpus}) or len(process.cpu_mask)
    nodes = len(_nodes(process)) or 1
    return f"{cores} core{'s' if cores != 1 else ''} on {nodes} memory node{'s' if nodes != 1 else ''}"


def advice(trace: Trace, process: Process, rule: Rule) -> str:
    """The variables, and for ranks the launcher's options, that bind this run's threads to this machine's cores."""
    team = _team(trace, process)
    cores = len({cpu.core for cpu in process.cpus}) or len(process.cpu_mask)
    places = "cores" if team <= cores else "threads"
    bind = "spread" if team < cores else "close"
    variables = rule.variant("variables", team=team, places=places, bind=bind)
    if process.rank < 0:
        return variables
    here = Counter(p.host for p in trace.processes if p.rank >= 0)[process.host]
    return rule.variant("ranks", variables=variables, here=here, team=team)
