"""stridewise calibrate: measures what OpenMP constructs, memory and messages cost on this machine, and keeps it.

The programs of runtime/calibrate/ measure and print samples; `topology` says on which processors, `measure` runs the
programs, `samples` makes figures of samples, `table` and `plot` show them. The file is that of
stridewise/machine/machine_file.py.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

from stridewise.console import Painter, remark, wants_colour
from stridewise.errors import Failure
from stridewise.machine import machine_file
from stridewise.machine.calibrate import measure, plot, table
from stridewise.machine.calibrate.topology import Processors
from stridewise.machine.machine_file import MachineFile
from stridewise.output import write_file

PARTS = ("omp", "memory", "mpi")


@dataclass(frozen=True, slots=True)
class Options:
    """`parts`: what to measure, the rest is kept from the former file. `threads`: team sizes, empty for the usual."""

    output: Path | None = None
    format: str = "text"
    plot: Path | None = None
    show: bool = False
    quick: bool = False
    parts: tuple[str, ...] = PARTS
    threads: tuple[int, ...] = ()


def run(options: Options) -> int:
    """0, or 2 where nothing could be measured or shown."""
    host = platform.node()
    target = options.output or machine_file.default_path(host)
    if options.plot and options.plot.suffix.lower() != ".svg":
        raise Failure(f"the plot is an SVG file: name it {options.plot.with_suffix('.svg')}")
    if options.show:
        found = options.output or machine_file.find(host)
        if found is None:
            raise Failure(f"this machine was not calibrated: there is no {target}; run stridewise calibrate")
        target, file = found, machine_file.load(found)
    else:
        former = machine_file.load(target) if target.is_file() else MachineFile()
        file = measure.measure(Processors.detect(), former, options.parts, options.threads, options.quick)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Failure(f"cannot make the folder {target.parent}: {error.strerror or error}") from error
        write_file(target, json.dumps(file.to_json(), indent=2) + "\n")
    if options.format == "json":
        print(json.dumps(file.to_json(), indent=2))
    else:
        sys.stdout.write(table.render(file, Painter(wants_colour(sys.stdout))))
    if options.plot:
        write_file(options.plot, plot.render(file))
        remark(f"the plot is in {options.plot}")
    if not options.show:
        remark(f"kept in {target}; runs on this machine are priced by it")
    return 0
