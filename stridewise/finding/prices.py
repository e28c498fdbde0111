"""What communication and OpenMP constructs cost on a machine.

Of messages the run itself gives the costs (runtime/merge/Machine.cpp: medians of calls that waited for nobody);
values measured by `stridewise calibrate` or written by hand replace them (stridewise/machine/machine_file.py). Of
OpenMP constructs the machine's own measured costs are taken, else the defaults of stridewise/machine/prices.toml, and
each price says which.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from stridewise.machine import machine_file, price_table
from stridewise.machine.machine_file import MachineFile, MpiCosts, OmpRuntime
from stridewise.runs.mpi.trace import Machine, Trace

# --- OpenMP -----------------------------------------------------------------------------------------------------------

# What each name in `Team.seconds` means: elapsed seconds beyond the work itself, as EPCC's benchmarks define them.
CONSTRUCTS: Mapping[str, str] = {name: construct.meaning for name, construct in price_table.constructs().items()}

_DEFAULT_SOURCE = "defaults (EPCC's figures of the literature), since this machine was not calibrated"


@dataclass(frozen=True, slots=True)
class Price:
    """`source` is a phrase for a finding's evidence: where the seconds come from."""

    seconds: float
    measured: bool
    source: str


@dataclass(frozen=True, slots=True)
class Costs:
    """The costs of one machine; `file` is None where it was never calibrated."""

    file: MachineFile | None = None

    @property
    def measured(self) -> bool:
        return self.file is not None and bool(self.file.omp)


def costs(host: str) -> Costs:
    """The costs of the machine of that name. Raises Failure where its file is damaged."""
    path = machine_file.find(host)
    return Costs(machine_file.load(path) if path else None)


def omp_cost(machine: Costs, construct: str, threads: int, runtime: str = "libomp") -> Price:
    """Elapsed seconds of one construct (a name in CONSTRUCTS) for a team of that size.

    `runtime` is libomp or libgomp; of a machine where only the other was measured, that one counts. Between measured
    team sizes the cost is interpolated linearly, beyond the largest it grows with the logarithm of the threads.
    """
    if construct not in CONSTRUCTS:
        raise ValueError(f"unknown construct {construct}")
    found = _measured(machine, construct, runtime)
    if found is None:
        return Price(_at(price_table.constructs()[construct].seconds, threads), False, _DEFAULT_SOURCE)
    which, table = found
    date = machine.file.date[:10] if machine.file else ""
    host = machine.file.host if machine.file else ""
    beyond = f", extrapolated from {max(table)} threads" if threads > max(table) else ""
    return Price(_at(table, threads), True, f"measured on {host or 'this machine'} {date} with {which}{beyond}")


def omp_loop_cost(
    machine: Costs, schedule: str, chunk: int, iterations: int, threads: int, runtime: str = "libomp"
) -> Price:
    """Elapsed seconds that sharing one loop costs: the construct, its barrier, and fetching the chunks.

    `schedule` is static, dynamic or guided, `chunk` 0 where the source names none. A fetch's price is that of many
    threads fetching at once (chunks of a few hundred nanoseconds); long chunks hide it.
    """
    fixed = omp_cost(machine, "for", threads, runtime)
    count = omp_chunks(schedule, chunk, iterations, threads)
    if schedule == "static" and chunk <= 0:
        return fixed
    each = omp_cost(machine, f"chunk_{schedule}", threads, runtime)
    return replace(fixed, seconds=fixed.seconds + count * each.seconds, measured=fixed.measured and each.measured)


def omp_chunks(schedule: str, chunk: int, iterations: int, threads: int) -> int:
    """How many chunks a loop is divided into. Guided chunks are iterations left / threads, never below `chunk`."""
    size = max(1, chunk)
    if iterations <= 0:
        return 0
    match schedule:
        case "static":
            return min(threads, iterations) if chunk <= 0 else -(-iterations // size)
        case "dynamic":
            return -(-iterations // size)
        case "guided":
            count, left = 0, iterations
            while left > threads * size:
                left -= -(-left // threads)
                count += 1
            return count + -(-left // size)
        case _:
            raise ValueError(f"unknown schedule {schedule}")


def contended_access(machine: Costs | None = None, threads: int = 2) -> Price:
    """Elapsed seconds of an access of a thread to a line that another thread has written to since."""
    price = omp_cost(machine or Costs(), "shared_line", max(2, threads))
    if price.measured:
        return price
    seconds = price_table.price("contended_access_seconds")
    return Price(seconds, False, f"a lecture's measurement on four cores ({1e9 * seconds:.3g} ns), not this machine's")


def _measured(machine: Costs, construct: str, runtime: str) -> tuple[str, dict[int, float]] | None:
    if machine.file is None:
        return None
    wanted: list[OmpRuntime] = sorted(machine.file.omp, key=lambda r: r.runtime != runtime)
    for entry in wanted:
        table = {team.threads: team.seconds[construct] for team in entry.teams if construct in team.seconds}
        if table:
            return entry.runtime, table
    return None


def _at(table: Mapping[int, float], threads: int) -> float:
    sizes = sorted(table)
    if threads in table:
        return table[threads]
    place = bisect.bisect(sizes, threads)
    if place == 0:
        return table[sizes[0]]
    if place == len(sizes):
        last = sizes[-1]
        return table[last] * math.log2(max(2, threads)) / math.log2(max(2, last))
    low, high = sizes[place - 1], sizes[place]
    return table[low] + (table[high] - table[low]) * (threads - low) / (high - low)


# --- Messages ---------------------------------------------------------------------------------------------------------


def message_seconds(machine: Machine, size: float) -> float:
    """The latency, and the time per byte where that is known (Hockney's model); 0 where nothing is known."""
    transfer = size / machine.bytes_per_second if machine.bytes_per_second > 0 else 0.0
    return machine.latency_seconds + transfer if machine.latency_seconds > 0 else 0.0


def tree_seconds(machine: Machine, ranks: int, size: float) -> float:
    """A collective of messages of that size along a binomial tree: the logarithm of the ranks, in messages."""
    return math.ceil(math.log2(max(2, ranks))) * message_seconds(machine, size)


def with_given(trace: Trace) -> Trace:
    """The trace with the given costs of its machine in place of those of the run. Raises Failure.

    What a person wrote into the file counts for every run. What `calibrate` measured are messages within one node:
    it counts for runs on one node, by the MPI that the run used.
    """
    if not trace.ranks:
        return trace
    path = machine_file.find(trace.ranks[0].host)
    if path is None:
        return trace
    file, own = machine_file.load(path), trace.machine
    known: dict[str, float] = {}
    measured = file.flavour(trace.job.flavour)
    if measured is not None and len({rank.host for rank in trace.ranks}) == 1:
        known = _of_calibration(measured, len(trace.ranks))
    known |= file.given
    machine = Machine(
        latency_seconds=known.get("latency_seconds", own.latency_seconds),
        send_seconds=known.get("send_seconds", own.send_seconds),
        bytes_per_second=known.get("bytes_per_second", own.bytes_per_second),
        barrier_seconds=known.get("barrier_seconds", own.barrier_seconds),
        samples=own.samples,
    )
    return replace(trace, machine=machine)


def _of_calibration(measured: MpiCosts, ranks: int) -> dict[str, float]:
    """The barrier's cost for that many ranks; not for more than were measured, which oversubscribe the node."""
    known = {
        "latency_seconds": measured.latency_seconds,
        "send_seconds": measured.send_seconds,
        "bytes_per_second": measured.bytes_per_second,
    }
    barriers = {c.ranks: c.seconds for c in measured.collectives if c.call == "MPI_Barrier"}
    if barriers and ranks <= max(barriers):
        known["barrier_seconds"] = _at(barriers, ranks)
    return known
