"""Whether the threads of an OpenMP run had their processors: where they did not, waits are the machine's doing, too."""

from __future__ import annotations

from stridewise.runs.omp.trace import Trace

_LACKED = 0.1  # of the time of the threads: worth a word


def crowding(trace: Trace) -> tuple[str, str] | None:
    """What the threads lacked, and what to do about it. None where they had what they needed."""
    hosts: dict[str, list[int]] = {}
    for index, process in enumerate(trace.processes):
        hosts.setdefault(process.host, []).append(index)
    for host, indexes in hosts.items():
        threads = sum(
            max((r.most_threads for r in trace.regions if r.process == i and r.outer is None), default=1)
            for i in indexes
        )
        processors = len(frozenset().union(*(trace.processes[i].cpu_mask for i in indexes)))
        if processors and threads > processors:
            of = f" of the {len(indexes)} processes" if len(indexes) > 1 else ""
            on = f" on {host}" if len(hosts) > 1 else ""
            return (
                f"{threads} threads{of} share {processors} processor{'s' if processors > 1 else ''}{on}, so that waits "
                "are the machine's doing as well as the program's",
                f"run it with at most {processors}",
            )
    waited = sum(t.queue_seconds for p in trace.processes for t in p.threads)
    ran = sum(t.cpu_seconds for p in trace.processes for t in p.threads)
    if waited > _LACKED * (waited + ran):
        return (
            f"the threads lacked a processor for {100 * waited / (waited + ran):.0f} % of their time, since others "
            "used it",
            "run it again while nothing else uses the machine",
        )
    return None
