"""What communication costs on a machine, and what that makes of messages and collectives.

The run itself gives the costs (runtime/merge/Machine.cpp: medians of calls that waited for nobody). Measured values of
the machine replace them: a JSON object with any of the members of `stridewise.trace.Machine`, in the file that
STRIDEWISE_MACHINE names, or in `machines/<host>.json` below `$XDG_CONFIG_HOME/stridewise` (default `~/.config`).
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

from stridewise.errors import Failure
from stridewise.trace import Machine, Trace

_MEMBERS = ("latency_seconds", "send_seconds", "bytes_per_second", "barrier_seconds")


def message_seconds(machine: Machine, size: float) -> float:
    """The latency, and the time per byte where that is known (Hockney's model); 0 where nothing is known."""
    transfer = size / machine.bytes_per_second if machine.bytes_per_second > 0 else 0.0
    return machine.latency_seconds + transfer if machine.latency_seconds > 0 else 0.0


def tree_seconds(machine: Machine, ranks: int, size: float) -> float:
    """A collective of messages of that size along a binomial tree: the logarithm of the ranks, in messages."""
    return math.ceil(math.log2(max(2, ranks))) * message_seconds(machine, size)


def machine_file(host: str) -> Path | None:
    """The file with the costs of a machine, if there is one."""
    if named := os.environ.get("STRIDEWISE_MACHINE"):
        return Path(named)
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    path = folder / "stridewise" / "machines" / f"{host}.json"
    return path if path.is_file() else None


def given(path: Path) -> dict[str, float]:
    """The costs in a file. Raises Failure naming what is wrong."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {path}: {error}") from error
    if not isinstance(value, dict):
        raise Failure(f"{path}: expected an object")
    costs = {name: value[name] for name in _MEMBERS if name in value}
    for name, cost in costs.items():
        if not isinstance(cost, int | float) or isinstance(cost, bool) or not 0 < cost < math.inf:
            raise Failure(f"{path}: {name} is no positive number")
    return costs


def with_given(trace: Trace) -> Trace:
    """The trace with the given costs of its machine in place of those of the run. Raises Failure."""
    path = machine_file(trace.ranks[0].host) if trace.ranks else None
    if path is None:
        return trace
    costs, own = given(path), trace.machine
    machine = Machine(
        latency_seconds=costs.get("latency_seconds", own.latency_seconds),
        send_seconds=costs.get("send_seconds", own.send_seconds),
        bytes_per_second=costs.get("bytes_per_second", own.bytes_per_second),
        barrier_seconds=costs.get("barrier_seconds", own.barrier_seconds),
        samples=own.samples,
    )
    return replace(trace, machine=machine)
