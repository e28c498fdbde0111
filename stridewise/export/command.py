"""stridewise export: a run folder as a file of another viewer."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stridewise import export
from stridewise.errors import Failure
from stridewise.runs import run_folder
from stridewise.runs.mpi import watcher
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
    text = export.writer(style)(trace, timeline)
    if output is None:
        for piece in text:
            sys.stdout.write(piece)
        sys.stdout.flush()
    else:
        _write(output, text)
    return 0


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
