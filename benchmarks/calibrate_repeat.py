"""How well `stridewise calibrate` agrees with itself: several calibrations after one another, construct by construct.

    python3 benchmarks/calibrate_repeat.py [--runs N] [--quick] [--only PARTS] [--limit 1.3]

Prints each cost with the ratio of its largest to its smallest value, and what share of them stays within the limit. On
an idle machine all should; on a busy one the figures say how much is to be believed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from stridewise import machine_file  # noqa: E402
from stridewise.machine_file import MachineFile  # noqa: E402

_TELLABLE_SECONDS = 2e-9  # below, a cost is the clock's and the code's alignment


def figures(file: MachineFile) -> Iterator[tuple[str, float]]:
    """Every cost by a name; bandwidths as seconds a byte."""
    for runtime in file.omp:
        for team in runtime.teams:
            for name, value in team.seconds.items():
                yield f"{runtime.runtime} {team.threads} {name}", value
    for level in file.memory:
        yield f"{level.name} latency", level.latency_seconds
        yield f"{level.name} one core", 1e3 / level.bytes_per_second
        yield f"{level.name} all cores", 1e3 / level.bytes_per_second_all
    for costs in file.mpi:
        for message in costs.messages:
            yield f"{costs.flavour} message {message.bytes}", message.seconds
        for call in costs.collectives:
            yield f"{costs.flavour} {call.ranks} {call.call} {call.bytes}", call.seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="omp,memory,mpi")
    parser.add_argument("--limit", type=float, default=1.3)
    options = parser.parse_args()
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.json"
        command = [sys.executable, "-m", "stridewise", "calibrate", "--only", options.only, "-o", str(path)]
        command += ["--quick"] if options.quick else []
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        for _ in range(options.runs):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            for name, value in figures(machine_file.load(path)):
                found.setdefault(name, []).append(value)
    within = compared = 0
    for name, values in found.items():
        ratio = max(values) / min(values)
        if min(values) >= _TELLABLE_SECONDS:
            compared += 1
            within += ratio <= options.limit
        mark = "" if ratio <= options.limit or min(values) < _TELLABLE_SECONDS else "  beyond the limit"
        print(f"{name:40} {1e9 * min(values):12.1f} ns  × {ratio:.2f}{mark}")
    print(f"{within} of {compared} costs agree within {options.limit:g} (load {os.getloadavg()[0]:.1f})")
    return 0 if within == compared else 1


if __name__ == "__main__":
    sys.exit(main())
