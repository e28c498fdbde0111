"""One MPI run: merges its shards, resolves its call paths, finds its patterns, sums it up."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise import detectors, prices, run_folder, toolchain, trace
from stridewise.catalogue import Rule
from stridewise.collect.symbolize import symbolize
from stridewise.correlate import Site
from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.quantities import percent, seconds
from stridewise.result import RunSummary, Trouble
from stridewise.run_folder import Record
from stridewise.trace import Trace, TraceError

_MERGE_SECONDS = 3600
_MPI_NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class MpiRun:
    """`trace` is None where the shards could not be merged; `troubles` say why."""

    trace: Trace | None = None
    findings: tuple[Finding, ...] = ()
    sites: tuple[Site, ...] = ()
    summary: RunSummary | None = None
    troubles: tuple[Trouble, ...] = ()
    notes: tuple[str, ...] = ()


def read(folder: Path, record: Record | None, rules: Mapping[str, Rule]) -> MpiRun:
    """Everything that the job of a run folder tells."""
    try:
        merged = prices.with_given(trace.load(_merge(folder / "mpi", _job(folder, record))))
    except (Failure, TraceError, OSError) as error:
        return MpiRun(troubles=(Trouble(str(folder / "mpi"), str(error)),))
    merged, notes = symbolize(merged)
    findings = [f for slug, detect in detectors.mpi_detectors(rules).items() for f in detect(merged, rules[slug])]
    troubles = [Trouble(p.shard, f"left out: {p.text} (at byte {p.offset})") for p in merged.problems]
    if merged.job.missing_ranks:
        missing = ", ".join(map(str, merged.job.missing_ranks))
        troubles.append(Trouble(str(folder / "mpi"), f"no usable shard of rank {missing} of {merged.job.world_size}"))
    return MpiRun(
        trace=merged,
        findings=tuple(findings),
        sites=tuple(_sites(merged)),
        summary=_summary(merged, record),
        troubles=tuple(troubles),
        notes=(*_other_jobs(folder, record), *merged.notes, *notes),
    )


def _job(folder: Path, record: Record | None) -> str:
    """The id of the job to report on, empty where there is no shard."""
    chosen = run_folder.main_job(folder, record is not None)
    return chosen[0].name.split(".")[1] if chosen else ""


def _other_jobs(folder: Path, record: Record | None) -> list[str]:
    count = len(run_folder.jobs(folder)) - 1
    if record is None or count <= 0:
        return []
    which = "another MPI job that it spawned or ran" if count == 1 else f"{count} other MPI jobs that it spawned or ran"
    return [f"the run left the shards of {which}: stridewise-merge --job reads them"]


def _merge(shards: Path, job: str) -> Path:
    """The trace of a job, made anew; an existing one serves where the merge tool is not installed."""
    target = shards / "trace.json"
    try:
        merger = toolchain.merger()
    except Failure:
        if target.is_file():
            return target
        raise
    try:
        with tempfile.TemporaryFile(dir=shards):
            pass
    except OSError:
        target = Path(tempfile.mkdtemp(prefix="stridewise-")) / "trace.json"
    before = target.stat().st_mtime_ns if target.exists() else None
    try:
        done = subprocess.run(
            [str(merger), str(shards), "-o", str(target), *(["--job", job] if job else [])],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_MERGE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failure(f"cannot merge the shards: {error}") from error
    # Status 2 also means that a shard was left out; the trace of the others is there then, and names it.
    if not target.exists() or (done.returncode != 0 and target.stat().st_mtime_ns == before):
        lines = [line.removeprefix("stridewise-merge: ").removeprefix("error: ") for line in done.stderr.splitlines()]
        raise Failure("cannot merge the shards: " + ("; ".join(lines[-3:]) or f"status {done.returncode}"))
    return target


def _sites(merged: Trace) -> list[Site]:
    """Each user line on a call path, with the calls that passed through it."""
    sites = []
    for call in merged.calls:
        if call.path is None:
            continue
        most = max(call.rank_seconds, default=0.0)
        sites += [
            Site(frame.file, frame.line, frame.function, call.count, most)
            for frame in merged.paths[call.path].frames
            if frame.user and frame.known
        ]
    return sites


def _summary(merged: Trace, record: Record | None) -> RunSummary:
    whole = merged.summary
    ranks = merged.job.world_size
    mpi = merged.job.mpi.split(",")[0].strip()[:_MPI_NAME_LENGTH] or toolchain.FLAVOURS.get(merged.job.flavour, "MPI")
    details = [
        f"{ranks} rank{'' if ranks == 1 else 's'}, {mpi}",
        f"{seconds(whole.wall_seconds)}, {seconds(whole.mpi_seconds)} of it in MPI",
    ]
    if whole.parallel_efficiency is not None:
        efficiencies = (
            ("load balance", whole.load_balance),
            ("communication", whole.communication_efficiency),
            ("serialisation", whole.serialisation_efficiency),
            ("transfer", whole.transfer_efficiency),
        )
        parts = [f"{name} {percent(value)}" for name, value in efficiencies if value is not None]
        details.append(
            f"parallel efficiency {percent(whole.parallel_efficiency)}" + (f" ({', '.join(parts)})" if parts else "")
        )
    command: Sequence[str] = record.command if record else merged.job.command.split() or [merged.job.executable]
    status = record.status if record else 0
    return RunSummary("mpi", tuple(command), status, whole.wall_seconds, tuple(details))
