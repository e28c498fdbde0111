"""TALP's report in JSON (DLB 3.5), which TALP-Pages makes pages of: the efficiencies of the whole run and, as regions,
of the phases that the program marks.

The definitions are TALP's (https://pm.bsc.es/ftp/dlb/doc/user-guide/talp_metrics.html): useful is what is not spent in
MPI; a rank is one processor; the load balance is split into that within the nodes and that between them. Times are
nanoseconds.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from stridewise.runs.mpi.timeline import Timeline
from stridewise.runs.mpi.trace import Trace

_VERSION = "3.5.0"  # of DLB, whose layout this is
_REGIONS, _WHOLE = "Application", "Global"


def pieces(trace: Trace, _timeline: Timeline | None) -> Iterator[str]:
    regions = {_WHOLE: _whole(trace), **{phase.name: _phase(trace, n) for n, phase in enumerate(trace.phases)}}
    value = {
        "dlbVersion": _VERSION,
        "timestamp": datetime.fromtimestamp(trace.job.begin_realtime_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S"),
        "resources": {
            "numCpus": len(trace.ranks),
            "numNodes": len({rank.host for rank in trace.ranks}),
            "numMpiRanks": len(trace.ranks),
        },
        _REGIONS: regions,
    }
    yield json.dumps(value, indent=2) + "\n"


def _whole(trace: Trace) -> dict[str, Any]:
    calls = sum(call.count for call in trace.calls if call.call.startswith("MPI_"))
    useful = [max(0.0, rank.wall_seconds - rank.mpi_seconds) for rank in trace.ranks]
    return _region(trace, trace.summary.wall_seconds, useful, [rank.mpi_seconds for rank in trace.ranks], calls, 1)


def _phase(trace: Trace, number: int) -> dict[str, Any]:
    spent: Mapping[int, float] = dict(trace.phases[number].seconds)
    in_mpi: dict[int, float] = defaultdict(float)
    calls = 0
    for call in trace.calls:
        if call.call.startswith("MPI_") and call.path is not None and trace.paths[call.path].phase == number:
            calls += call.count
            for rank, seconds in call.seconds:
                in_mpi[rank] += seconds
    ranks = range(len(trace.ranks))
    mpi = [min(in_mpi[rank], spent.get(rank, 0.0)) for rank in ranks]
    useful = [spent.get(rank, 0.0) - mpi[rank] for rank in ranks]
    stays = round(trace.phases[number].count / max(1, len(spent)))
    return _region(trace, max(spent.values(), default=0.0), useful, mpi, calls, stays)


def _region(
    trace: Trace, elapsed: float, useful: Sequence[float], mpi: Sequence[float], calls: int, stays: int
) -> dict[str, Any]:
    ranks = len(trace.ranks)
    by_node: dict[str, list[float]] = defaultdict(list)
    for rank, seconds in zip(trace.ranks, useful, strict=True):
        by_node[rank.host].append(seconds)
    mean, most = sum(useful) / ranks, max(useful)
    node = max(sum(of_node) / len(of_node) for of_node in by_node.values())
    longest = max(range(ranks), key=useful.__getitem__)
    parallel = _ratio(mean, elapsed)
    return {
        "numCpus": ranks,
        "numMpiRanks": ranks,
        "numNodes": len(by_node),
        "avgCpus": float(ranks),
        "cycles": 0,
        "instructions": 0,
        "numMeasurements": stays,
        "numMpiCalls": calls,
        "numOmpParallels": 0,
        "numOmpTasks": 0,
        "elapsedTime": round(1e9 * elapsed),
        "usefulTime": round(1e9 * sum(useful)),
        "mpiTime": round(1e9 * sum(mpi)),
        "ompLoadImbalanceTime": 0,
        "ompSchedulingTime": 0,
        "ompSerializationTime": 0,
        "usefulNormdApp": round(1e9 * mean),
        "mpiNormdApp": round(1e9 * sum(mpi) / ranks),
        "maxUsefulNormdProc": round(1e9 * most),
        "maxUsefulNormdNode": round(1e9 * node),
        "mpiNormdOfMaxUseful": round(1e9 * mpi[longest]),
        "parallelEfficiency": parallel,
        "mpiParallelEfficiency": parallel,
        "mpiCommunicationEfficiency": _ratio(most, elapsed),
        "mpiLoadBalance": _ratio(mean, most),
        "mpiLoadBalanceIn": _ratio(node, most),
        "mpiLoadBalanceOut": _ratio(mean, node),
        "ompParallelEfficiency": 1.0,
        "ompLoadBalance": 1.0,
        "ompSchedulingEfficiency": 1.0,
        "ompSerializationEfficiency": 1.0,
    }


def _ratio(part: float, whole: float) -> float:
    """At most 1, rounded as TALP rounds; 0 of nothing."""
    return round(min(1.0, part / whole), 4) if whole > 0 else 0.0
