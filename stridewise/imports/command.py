"""stridewise import: the recording of another tool as a run folder."""

from __future__ import annotations

import json
import time
from pathlib import Path

from stridewise import steps
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.imports import otf2, shards
from stridewise.output import write_file
from stridewise.runs import run_folder
from stridewise.runs.mpi import calls, watcher
from stridewise.runs.run_folder import Record
from stridewise.runs.seals import seal


def run(trace: Path, output: Path) -> int:
    """Makes the run folder, whose MPI run it replaces. Raises Failure."""
    table = calls.table()
    with steps.shown(True):
        steps.step("reading the trace")
        recording = otf2.read(trace, table)
        steps.step("writing the run folder")
        run_folder.prepare(output, "mpi", watcher.LEAVES)
        folder = output / "mpi"
        try:
            shards.write(recording, table, folder)
        except OSError as error:
            raise Failure(f"cannot write {folder}: {error.strerror or error}") from error
        told = {"version": 1, "trace": str(trace), "creator": recording.creator, "effects": recording.effects,
                "missing": recording.missing}  # fmt: skip
        write_file(folder / watcher.IMPORTED, json.dumps(told, indent=2) + "\n")
        seconds = max((rank.last for rank in recording.ranks), default=0) / 1e9
        command = tuple(recording.description.split()) or (trace.name,)
        left = run_folder.files(output, "mpi", *watcher.LEAVES)
        run_folder.add_record(output, Record("mpi", command, 0, time.time() - seconds, seconds, seal(left)))
    count = sum(len(rank.calls) for rank in recording.ranks)
    remark(f"{count:,} calls of {len(recording.ranks)} ranks; read them with: stridewise report {output}")
    for missing in recording.missing:
        remark(f"the trace does not tell {missing}")
    return 0
