"""Watching MPI: the interposer in the program; its shards merged, call paths resolved, patterns found, summed up."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from stridewise import steps
from stridewise.catalogue import Rule
from stridewise.collect import elf, launcher, mpi_of_program
from stridewise.collect.launcher import Launch
from stridewise.collect.preload import loadable
from stridewise.collect.symbolize import symbolize
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Confidence, Finding, prices
from stridewise.finding.correlate import Execution, Site, join_run
from stridewise.finding.quantities import percent, seconds
from stridewise.finding.result import RunSummary, Trouble
from stridewise.runs import detectors, places, run_folder
from stridewise.runs.kinds import Folder, Plan, Request, Seen, built, exporting, preloaded
from stridewise.runs.mpi import alive, efficiency, endings, profile, timeline, trace_file, views
from stridewise.runs.mpi.trace import Trace
from stridewise.runs.mpi.trace_file import TraceError
from stridewise.runs.phases import with_phases
from stridewise.runs.run_folder import Record
from stridewise.settings import toolchain

IMPORTED = "import.json"  # of the recording of another tool: where it comes from, and what it does not tell
LEAVES = ("*.swshard", "trace.json", places.NAME, IMPORTED)

_EXPORTED = ("LD_PRELOAD", "STRIDEWISE_OUT", "STRIDEWISE_QUIET")
_SCRATCH = "STRIDEWISE_SCRATCH"
_REDUCE = "STRIDEWISE_MPI_REDUCE"
_NAMES = ("watching MPI",)
_MERGE_SECONDS = 3600
_MPI_NAME_LENGTH = 40


# --- Starting ---------------------------------------------------------------------------------------------------------


def plan(request: Request) -> Plan:
    """The command with the interposer preloaded. The setting `scratch` names a folder on each node for the shards,
    which may begin with a variable of the node's environment; `reduce` asks for summaries of so many ranks,
    `memory` for allocations by their places."""
    libraries = [_interposer(request.command, request.launch)]
    if request.settings.get("memory"):
        libraries.append(
            built(toolchain.memory_library(), toolchain.MEMORY, "build it with cmake, or leave --memory out")
        )
    environment = _environment(libraries, request.folder)
    exported: tuple[str, ...] = _EXPORTED
    if reduce := request.settings.get("reduce", ""):
        environment[_REDUCE] = reduce
        exported = (*exported, _REDUCE)
    asked = request.settings.get("scratch", "")
    if not asked:
        here = partial(alive.said, request.folder)
        command = exporting(request.command, request.launch, exported, environment)
        return Plan(command, environment, names=_NAMES, alive=here)
    # A folder of this run alone, so that what is left there can be told from others'.
    scratch = f"{asked.rstrip('/')}/stridewise.{os.getpid()}.{int(time.time())}"
    environment[_SCRATCH] = scratch
    return Plan(
        exporting(request.command, request.launch, (*exported, _SCRATCH), environment),
        environment,
        lambda _status: _collect(request.folder, scratch),
        names=_NAMES,
    )


def nothing(request: Request) -> str:
    return "" if run_folder.jobs(request.folder) else _why_nothing(request.command, request.launch)


def _why_nothing(command: Sequence[str], launch: Launch) -> str:
    """Why a run left no shard."""
    for position in launch.programs:
        path = launcher.executable(command[position])
        if path is not None and elf.defines(path, "MPI_Init"):
            return (
                f"{path} is linked with MPI statically, so its calls cannot be watched and there is nothing to report; "
                "link it with the shared MPI library"
            )
        if path is not None and elf.is_static(path):
            return (
                f"{path} is a static executable, into which no library can be preloaded: there is nothing to report; "
                "link it with the shared libraries"
            )
    return (
        "the program never called MPI_Init (or no shard could be written, which it has said then), so there is nothing "
        "to report; run --cache watches programs without MPI"
    )


def _interposer(command: Sequence[str], launch: Launch) -> Path:
    """The interposer of the command's MPI; any of them for a program of unknown MPI, since it stays silent without."""
    built = toolchain.interposers()
    if not built:
        raise Failure(
            "no MPI interposer was found; build the MPI half with cmake (it needs Open MPI's or MPICH's mpicc), "
            "see stridewise doctor"
        )
    flavour = mpi_of_program.flavour(command, launch)
    if not flavour:
        return next(iter(built.values()))
    if flavour not in built:
        name = toolchain.FLAVOURS[flavour]
        raise Failure(
            f"the program uses {name}, but the interposer for {name} is not built; install its development package "
            "and build again, see stridewise doctor"
        )
    return built[flavour]


def _environment(libraries: Sequence[Path], folder: Path) -> dict[str, str]:
    environment = dict(os.environ)
    for library in reversed(libraries):
        environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), loadable(library)))
    environment["STRIDEWISE_OUT"] = str(folder)
    environment["STRIDEWISE_QUIET"] = "1"
    return environment


def _collect(folder: Path, scratch: str) -> None:
    """Brings home what ranks that were killed left on this node, and says where the others' shards are."""
    place = Path(expand(scratch, os.environ))
    run_folder.bring_home(folder, place)
    gone = run_folder.missing_ranks(folder)
    if gone:
        remark(
            f"{gone} rank{' was' if gone == 1 else 's were'} killed, and left {'its shard' if gone == 1 else 'shards'} "
            f"in {scratch} of another node; copy what is there to {folder}/mpi and run stridewise report {folder}"
        )


def expand(scratch: str, environment: Mapping[str, str]) -> str:
    """As the interposer does it on each node."""
    if not scratch.startswith("$"):
        return scratch
    name, slash, rest = scratch[1:].partition("/")
    return (environment.get(name) or "/tmp") + slash + rest


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen()
    traces: list[Trace] = []
    sites: list[Site] = []
    for folder in folders:
        if not run_folder.jobs(folder.path):
            if folder.record:
                seen.notes.append(f"{folder.path}: the program never called MPI_Init")
            continue
        run = read(folder.path, folder.record, rules)
        if run.trace:
            traces.append(run.trace)
        if run.summary:
            seen.runs.append(run.summary)
        sites += run.sites
        seen.observed += run.findings
        seen.troubles += run.troubles
        seen.notes += run.notes
    judges = detectors.mpi_judges(rules, traces)
    seen.join = lambda findings: join_run("mpi", findings, seen.observed, Execution(sites), rules, judges)
    return seen


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
        merged, notes = trace_of(folder, record)
    except (Failure, TraceError, OSError) as error:
        return MpiRun(troubles=(Trouble(str(folder / "mpi"), str(error)),))
    steps.step("looking for patterns")
    findings = [f for slug, detect in detectors.mpi_detectors(rules).items() for f in detect(merged, rules[slug])]
    findings = _with_phases(merged, findings)
    foreign, told = _imported(folder / "mpi" / IMPORTED)
    if foreign:
        findings = [_doubted(f) for f in findings]
    troubles = [Trouble(p.shard, f"left out: {p.text} (at byte {p.offset})") for p in merged.problems]
    if merged.job.missing_ranks:
        missing = ", ".join(map(str, merged.job.missing_ranks))
        troubles.append(Trouble(str(folder / "mpi"), f"no usable shard of rank {missing} of {merged.job.world_size}"))
    return MpiRun(
        trace=merged,
        findings=tuple(findings),
        sites=tuple(_sites(merged)),
        summary=replace(_summary(merged, record, findings), views=partial(_views, folder, record, merged)),
        troubles=tuple(troubles),
        notes=(*told, *_other_jobs(folder, record), *merged.notes, *notes),
    )


def _imported(file: Path) -> tuple[bool, list[str]]:
    """Whether nothing is known of output outside MPI, and what is to be said of a recording of another tool."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told = json.loads(file.read_text(encoding="utf-8"))
        head = f"this run was recorded by {told['creator'] or 'another tool'} and imported"
        if told["missing"]:
            head += "; the trace does not tell " + "; ".join(map(str, told["missing"]))
        return not told["effects"], [head]
    return False, []


def _doubted(finding: Finding) -> Finding:
    return replace(finding, confidence=Confidence.MEDIUM) if finding.confidence is Confidence.HIGH else finding


def trace_of(folder: Path, record: Record | None) -> tuple[Trace, Sequence[str]]:
    """The trace of the job of a run folder, with its places in the source, and notes on these. Raises Failure,
    TraceError or OSError."""
    steps.step("merging the shards of the ranks")
    merged = prices.with_given(trace_file.load(_merge(folder / "mpi", _job(folder, record), _end_ns(record))))
    steps.step("looking up source lines")
    found, notes = symbolize(merged)
    kept = places.Places.load(folder / "mpi")
    frames = {index: kept.joined(found.modules, path.addresses, path.frames) for index, path in enumerate(found.paths)}
    kept.save()
    by_path = {path.addresses: frames[index] for index, path in enumerate(found.paths)}
    return found.with_frames(frames), places.without_answered(notes, found.modules, by_path)


def _views(folder: Path, record: Record | None, merged: Trace) -> dict[str, Any]:
    """What pictures are made of; without the parts that events tell where these cannot be read."""
    try:
        return views.views(merged, events(folder, record))
    except Failure as error:
        return {**views.views(merged, None), "missing": str(error)}


def events(folder: Path, record: Record | None) -> timeline.Timeline:
    """What the ranks of a run folder were at, call by call. Raises Failure."""
    steps.step("reading the events of the ranks")
    return timeline.of_folder(folder / "mpi", _job(folder, record), _end_ns(record))


def _job(folder: Path, record: Record | None) -> str:
    """The id of the job to report on, empty where there is no shard."""
    chosen = run_folder.main_job(folder, record is not None)
    return chosen[0].name.split(".")[1] if chosen else ""


def _end_ns(record: Record | None) -> int:
    """When the command ended, in nanoseconds since 1970; 0 if unknown."""
    return int(1e9 * (record.start + record.seconds)) if record and record.seconds is not None else 0


def _other_jobs(folder: Path, record: Record | None) -> list[str]:
    count = len(run_folder.jobs(folder)) - 1
    if record is None or count <= 0:
        return []
    if (alone := run_folder.singletons(folder)) and launcher.parse(record.command).family:
        return [
            f"each of the {alone} processes was an MPI job of one rank: launcher and MPI library do not fit together; "
            "start the program by the mpirun of the MPI that it is linked with, or by srun --mpi=TYPE (srun --mpi=list)"
        ]
    which = "another MPI job that it spawned or ran" if count == 1 else f"{count} other MPI jobs that it spawned or ran"
    return [f"the run left the shards of {which}: stridewise-merge --job reads them"]


def _merge(shards: Path, job: str, end_ns: int) -> Path:
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
            [str(merger), str(shards), "-o", str(target), *(["--job", job] if job else []), "--end", str(end_ns)],
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


def _with_phases(merged: Trace, findings: list[Finding]) -> list[Finding]:
    """The findings with the phases in which the program comes by their places."""
    if not merged.phases:
        return findings
    found: dict[tuple[str, int], dict[str, None]] = {}
    for call in merged.calls:
        site = merged.paths[call.path].site if call.path is not None else None
        if site is not None and site.known:
            found.setdefault((site.file, site.line), {})[merged.phase_of(call.path)] = None
    return with_phases(findings, found, "mpi")


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


def _summary(merged: Trace, record: Record | None, findings: Sequence[Finding]) -> RunSummary:
    whole = merged.summary
    ranks = merged.job.world_size
    mpi = merged.job.mpi.split(",")[0].strip()[:_MPI_NAME_LENGTH] or toolchain.FLAVOURS.get(merged.job.flavour, "MPI")
    details = [
        f"{ranks} rank{'' if ranks == 1 else 's'}, {mpi}",
        f"{seconds(whole.wall_seconds)}, {seconds(whole.mpi_seconds)} of it in MPI",
    ]
    if whole.parallel_efficiency is not None and not efficiency.helpers(merged):
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
    causes = (*endings.causes(merged), *efficiency.causes(merged, findings))
    return RunSummary(
        "mpi", tuple(command), status, whole.wall_seconds, tuple(details), causes, profile.profile(merged)
    )
