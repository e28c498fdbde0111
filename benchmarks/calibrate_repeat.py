"""How well `stridewise calibrate` agrees with itself: several calibrations after one another, construct by construct.

    python3 benchmarks/calibrate_repeat.py [--runs N] [--tries N] [--quick] [--only PARTS] [--limit 1.3] [--json FILE]
                                           [--advisory]

Prints each cost with its smallest and largest value and their ratio, the ones beyond the limit last, and whether the
order of constructs holds in every calibration: an atomic update below a critical section, a loop inside a region below
a `parallel for`, `static` below `dynamic, 1`. The status is 0 if all of it holds, else 1, or 0 with --advisory. Run it
on an idle machine; on a busy one the figures say how much is to be believed. A virtual machine may be idle and its host
not: with --tries it calibrates so often, and compares the runs whose processors were least in each other's way.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOP))

from stridewise.machine import machine_file  # noqa: E402
from stridewise.machine.machine_file import MachineFile  # noqa: E402

_TELLABLE_SECONDS = 2e-9  # below, a cost is the clock's and the code's alignment
# Loops are what they take beyond 128 iterations of 20 ns: below a twentieth of these, two differences of large numbers.
_TELLABLE_LOOP_SECONDS = 0.05 * 128 * 20e-9
_ORDER = (("atomic", "critical"), ("for", "parallel_for"), ("loop_static", "loop_dynamic_1"))
Name = tuple[str, str]  # what was measured together, and the cost


def figures(file: MachineFile) -> Iterator[tuple[Name, float]]:
    """Every cost by a name; bandwidths as seconds for a kilobyte."""
    for runtime in file.omp:
        for team in runtime.teams:
            group = f"{runtime.runtime}, {team.threads} thread{'s' if team.threads > 1 else ''}"
            for name, value in team.seconds.items():
                yield (group, name), value
    for level in file.memory:
        yield ("memory", f"{level.name} latency"), level.latency_seconds
        yield ("memory", f"{level.name} one core, 1 kB"), 1e3 / level.bytes_per_second
        yield ("memory", f"{level.name} all cores, 1 kB"), 1e3 / level.bytes_per_second_all
    for costs in file.mpi:
        for message in costs.messages:
            yield (costs.flavour, f"message of {message.bytes} B"), message.seconds
        for call in costs.collectives:
            yield (costs.flavour, f"{call.call}, {call.ranks} ranks, {call.bytes} B"), call.seconds


def ordered(found: Mapping[Name, Sequence[float]]) -> dict[str, bool]:
    """Whether each pair of constructs is in order in every calibration, for each team of more than one thread."""
    said = {}
    for group in dict.fromkeys(group for group, _ in found):
        for cheap, dear in _ORDER:
            pairs = list(zip(found.get((group, cheap), ()), found.get((group, dear), ()), strict=False))
            if pairs and not group.endswith(", 1 thread"):
                said[f"{group}: {cheap} < {dear}"] = all(a < b for a, b in pairs)
    return said


def calibrations(options: argparse.Namespace) -> list[MachineFile]:
    """The least disturbed ones, in the order of their making."""
    made = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "machine.json"
        command = [sys.executable, "-m", "stridewise", "calibrate", "--only", options.only, "-o", str(path)]
        command += ["--quick"] if options.quick else []
        environment = {**os.environ, "PYTHONPATH": str(TOP)}
        for _ in range(max(options.runs, options.tries)):
            path.unlink(missing_ok=True)
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
            made.append(machine_file.load(path))
    quietest = sorted(made, key=lambda file: file.disturbed_share)[: options.runs]
    return [file for file in made if file in quietest]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--tries", type=int, default=0, help="calibrations to choose them from (default: --runs)")
    parser.add_argument("--quick", action="store_true", help="calibrations of a fifth of the time")
    parser.add_argument("--only", default="omp,memory,mpi")
    parser.add_argument("--limit", type=float, default=1.3, help="largest value / smallest (default: %(default)s)")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--advisory", action="store_true", help="end with 0 whatever is found")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    files = calibrations(options)
    found: dict[Name, list[float]] = {}
    for file in files:
        for cost, seconds in figures(file):
            found.setdefault(cost, []).append(seconds)
    beyond, compared = [], 0
    print(f"{'cost':50} {'smallest':>13} {'largest':>13} {'ratio':>6}")
    for (group, name), values in found.items():
        row = f"{group + ': ' + name:50} {1e9 * min(values):10.1f} ns {1e9 * max(values):10.1f} ns"
        row += f" {max(values) / min(values):6.2f}"
        if min(values) < (_TELLABLE_LOOP_SECONDS if name.startswith("loop_") else _TELLABLE_SECONDS):
            row += "  too short to compare"
        else:
            compared += 1
            if max(values) > options.limit * min(values):
                beyond.append(row)
        print(row)
    order = ordered(found)
    for row in beyond:
        print(f"beyond {options.limit:g}: {row}")
    for text, holds in order.items():
        print(f"{'holds  ' if holds else 'FAILS  '} {text}")
    shares = ", ".join(f"{100 * file.disturbed_share:.0f} %" for file in files)
    print(f"rounds in which the processors got in each other's way: {shares}")
    print(
        f"{compared - len(beyond)} of {compared} costs agree within {options.limit:g} in {options.runs} calibrations; "
        f"{sum(order.values())} of {len(order)} orders hold (load before: {load:.1f} on {os.cpu_count()} processors)"
    )
    if options.json:
        value = {
            "costs": {": ".join(name): values for name, values in found.items()},
            "order": order,
            "agree": compared - len(beyond),
            "compared": compared,
            "limit": options.limit,
            "load": load,
            "disturbed_share": [file.disturbed_share for file in files],
        }
        options.json.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    return 0 if options.advisory or (not beyond and all(order.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
