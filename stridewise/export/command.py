"""stridewise export: a run folder as a file of another viewer."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stridewise import export, steps
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.runs import run_folder
from stridewise.runs.mpi import calls, shard_file, watcher
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import TraceError


def run(folder: Path, style: str, output: Path | None) -> int:
    """Writes the MPI run of the folder; standard output without `output`. Raises Failure."""
    if not folder.is_dir():
        raise Failure(f"no run folder {folder}; make one with stridewise run -- COMMAND")
    if not run_folder.jobs(folder):
        raise Failure(f"{folder} holds no MPI run: what other kinds of run leave has no order in time to show")
    record = next((r for r in run_folder.read_records(folder) if r.kind == "mpi"), None)
    try:
        trace, _ = watcher.trace_of(folder, record)
    except (TraceError, OSError) as error:
        raise Failure(f"cannot read the run in {folder}: {error}") from error
    timeline = watcher.events(folder, record)
    if not any(len(rank.begin) for rank in timeline.ranks):
        raise Failure(f"the run in {folder} has no events: it was reduced to totals")
    if style in export.FOLDERS:
        if output is None:
            raise Failure(f"a trace of {style.upper()} is a folder: name it with -o")
        _archive(folder, record, trace, style, output)
        return 0
    text = export.writer(style)(trace, timeline)
    if output is None:
        for piece in text:
            sys.stdout.write(piece)
        sys.stdout.flush()
    else:
        _write(output, text)
    return 0


def _archive(folder: Path, record: run_folder.Record | None, trace: Trace, style: str, output: Path) -> None:
    if output.exists():
        raise Failure(f"{output} exists; name another folder with -o")
    steps.step("reading the shards")
    try:
        shards = [shard_file.read(path) for path in run_folder.main_job(folder, record is not None)]
        if any(shard.size < 1 or shard.rank < 0 for shard in shards) or trace.job.reduced_ranks:
            raise Failure(f"the run in {folder} has no events: it was reduced to totals")
        shards.sort(key=lambda shard: shard.rank)
        export.archive(style)(trace, shards, [name for name, _ in calls.table()], output)
    except (shard_file.ShardError, OSError) as error:
        raise Failure(f"cannot write {output}: {error}") from error
    if lost := sum(shard.lost for shard in shards):
        remark(f"{lost:,} events of the run were not kept: the trace has its beginning and its end")


def _write(output: Path, text: Iterator[str]) -> None:
    """Piece by piece; the file appears whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as stream:
                stream.writelines(text)
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(0o666 & ~mask)
            Path(name).replace(output)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Failure(f"cannot write {output}: {error.strerror or error}") from error
