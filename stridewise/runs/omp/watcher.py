"""Watching OpenMP: the recorder in LLVM's OpenMP library, which programs made by GCC run on, too.

LLVM's library starts the recorder that OMP_TOOL_LIBRARIES names. Programs linked with GCC's library get LLVM's by
LD_PRELOAD, behind the recorder: it has GCC's entry points. Where it lacks one that the program calls, the program runs
as it is, unwatched.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from stridewise.catalogue import Rule
from stridewise.collect import atomics, elf, launcher
from stridewise.collect.preload import loadable
from stridewise.collect.symbolize import resolve
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Evidence, Finding, Verdict
from stridewise.finding.correlate import Execution, RunJudge, Site, join_run
from stridewise.finding.judgement import Judgement
from stridewise.finding.quantities import seconds
from stridewise.finding.result import RunSummary, Trouble
from stridewise.patterns import _omp
from stridewise.patterns._meetings import slowness
from stridewise.runs import detectors, places, run_folder
from stridewise.runs.kinds import Folder, Plan, Request, Seen, exporting, preloaded
from stridewise.runs.mpi.trace import Address
from stridewise.runs.mpi.watcher import expand
from stridewise.runs.omp import lines as omp_lines
from stridewise.runs.omp import profile as omp_profile
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp import trace as omp_trace
from stridewise.runs.omp.crowding import crowding
from stridewise.runs.omp.trace import Mutex, Process, Region, Task, Trace, Wait, Work
from stridewise.runs.phases import with_phases
from stridewise.runs.run_folder import Record
from stridewise.settings import toolchain
from stridewise.settings.path_map import mapped

LEAVES = ("*.swomp", "*.swomp.part", places.NAME)

_SCRATCH = "STRIDEWISE_SCRATCH"
_EXPORTED = ("LD_PRELOAD", "OMP_TOOL_LIBRARIES", "OMP_TOOL", "STRIDEWISE_OUT", _SCRATCH)
_GNU = re.compile(r"^libgomp\.so")
_LLVM = re.compile(r"^lib(omp|omp5|iomp5)\.so")
_ENTRY = re.compile(r"^(GOMP_|GOACC_|omp_)")
_SHARED_MEMORY, _ROOM_BYTES = "/dev/shm", 256 << 20
_OF_CHAINS, _OF_REGIONS = "omp-adjacent-regions", ("omp-region-in-loop", "omp-small-loop")
_SLOW = 1.2  # a thread against its team: worth a word
_SERIAL, _SOME = 0.1, 0.05  # shares of the time: worth a word
_PLACES = 3
_STATEMENT_LINES = 3  # from a directive to the end of its statement
_INSTALL = "install LLVM's OpenMP library (Debian: libomp-19-dev)"


# --- Starting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Program:
    """How a program of the command can be watched: `why_not` is empty where it can."""

    path: Path
    gnu: bool = False  # linked with GCC's OpenMP library
    llvm: bool = False
    why_not: str = ""


def plan(request: Request) -> Plan:
    recorder = toolchain.omp_recorder()
    if recorder is None:
        raise Failure(
            f"no OpenMP recorder ({toolchain.OMP_RECORDER}) was found; {_INSTALL} and build again, "
            "see stridewise doctor"
        )
    programs = _programs(request)
    environment = dict(os.environ)
    environment.pop(_SCRATCH, None)
    if scratch := request.settings.get("scratch", "") or _memory():
        # A folder of this run alone, so that what is left there can be told from others'.
        environment[_SCRATCH] = f"{scratch.rstrip('/')}/stridewise.{os.getpid()}.{int(time.time())}"
    environment["STRIDEWISE_OUT"] = str(request.folder)
    before = [word for word in environment.get("OMP_TOOL_LIBRARIES", "").split(":") if word]
    recorder = loadable(recorder)
    environment["OMP_TOOL_LIBRARIES"] = ":".join([str(recorder), *before])
    if environment.pop("OMP_TOOL", "enabled") != "enabled":
        remark("OMP_TOOL switches tools off; it is left out for this run")
    for why in dict.fromkeys(p.why_not for p in programs if p.why_not):
        remark(why)
    if not any(p.why_not for p in programs):
        # A program of which nothing is known (a script, or one that loads OpenMP later) may turn out to need it.
        library = None if any(p.llvm for p in programs) else toolchain.llvm_openmp()
        if library is not None:
            environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), loadable(library)))
        # A program finds the recorder's functions by their names (marks of phases, GCC's entry points).
        environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), recorder))
        if library is None and any(p.gnu and not p.llvm for p in programs):
            raise Failure(
                f"the program uses GCC's OpenMP library, which cannot be watched, and LLVM's ({toolchain.LIBOMP}) was "
                f"not found to take its place; {_INSTALL}, or set STRIDEWISE_LIBOMP to its path"
            )
    exported = [name for name in _EXPORTED if name in environment]
    return Plan(
        exporting(request.command, request.launch, exported, environment),
        environment,
        lambda _status: _bring_home(environment.get(_SCRATCH, ""), request.folder / "omp"),
        names=("watching OpenMP",),
    )


def _memory() -> str:
    """The node's file system in memory, where there is room: stores to files on a disk wait for it now and then."""
    try:
        room = os.statvfs(_SHARED_MEMORY)
    except OSError:
        return ""
    free = room.f_bavail * room.f_frsize
    return _SHARED_MEMORY if free >= _ROOM_BYTES and os.access(_SHARED_MEMORY, os.W_OK | os.X_OK) else ""


def _bring_home(scratch: str, folder: Path) -> None:
    """Moves what killed processes of this node left in their scratch folder to the run folder."""
    place = Path(expand(scratch, os.environ)) if scratch else None
    if place is None or not place.is_dir():
        return
    for path in sorted(place.glob(LEAVES[0])):
        with suppress(OSError):
            shutil.copyfile(path, folder / path.name)
            path.unlink()
    with suppress(OSError):
        place.rmdir()


def _programs(request: Request) -> list[Program]:
    paths = [launcher.executable(request.command[position]) for position in request.launch.programs]
    return [examine(path) for path in paths if path is not None]


def examine(path: Path) -> Program:
    """What the file of a program tells, without running it."""
    if not elf.is_elf(path):
        return Program(path)
    if elf.is_static(path):
        return Program(
            path,
            why_not=f"{path} is a static executable, into which no library can be loaded, so its OpenMP cannot be "
            "watched; link it with the shared libraries",
        )
    if elf.has_rights(path):
        return Program(
            path,
            why_not=f"{path} runs with the rights of its file (setuid, setgid or capabilities), and the loader then "
            "ignores LD_PRELOAD; run a copy without them",
        )
    libraries = _libraries(path)
    names = {PurePath(library).name for library in libraries} | set(elf.needed_libraries(path))
    gnu, llvm = any(map(_GNU.match, names)), any(map(_LLVM.match, names))
    if not gnu and not llvm and (elf.defines(path, "GOMP_parallel") or elf.defines(path, "__kmpc_fork_call")):
        return Program(
            path,
            why_not=f"{path} has an OpenMP library linked statically, which cannot be watched; link the shared one",
        )
    missing = _missing([path, *libraries]) if gnu and not llvm else []
    if missing:
        return Program(
            path,
            gnu,
            why_not=f"{path} calls {', '.join(missing)}, which LLVM's OpenMP library lacks; it runs on GCC's, "
            "unwatched; compile it with clang to watch it",
        )
    return Program(path, gnu, llvm)


def _libraries(path: Path) -> list[Path]:
    """The libraries that the loader takes for a program, which it lists without starting it."""
    try:
        done = subprocess.run(
            [str(path)],
            env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [Path(m[1]) for m in re.finditer(r"=> (/.*) \(0x[0-9a-f]+\)$", done.stdout, re.MULTILINE)]


def _missing(users: Sequence[Path]) -> list[str]:
    """Entry points of GCC's library that these files call and LLVM's does not have."""
    library = toolchain.llvm_openmp()
    if library is None:
        return []
    _, given = elf.dynamic_symbols(library)
    wanted: set[str] = set()
    for user in users:
        if any(map(_GNU.match, elf.needed_libraries(user))):
            wanted |= {name for name in elf.dynamic_symbols(user)[0] if _ENTRY.match(name)}
    return sorted(wanted - given) if given else []


def nothing(request: Request) -> str:
    if run_folder.files(request.folder, "omp", LEAVES[0]):
        return ""
    programs = _programs(request)
    why = next((p.why_not for p in programs if p.why_not), "")
    if why:
        return "nothing was recorded, so there is nothing to report"
    if programs and not any(p.gnu or p.llvm for p in programs) and all(elf.is_elf(p.path) for p in programs):
        return f"{programs[0].path} is not linked with an OpenMP library (built without -fopenmp?), and loaded none"
    return (
        "the program opened no parallel region (or no shard could be written, which it has said then), so there is "
        "nothing to report"
    )


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen()
    traces: list[Trace] = []
    sites: list[Site] = []
    for folder in folders:
        paths = run_folder.files(folder.path, "omp", LEAVES[0])
        if not paths:
            seen.notes.append(f"{folder.path}: the program opened no parallel region")
            continue
        trace, bad = omp_shards.read(paths)
        seen.troubles += [Trouble(str(path), f"left out: {why}") for path, why in bad]
        if not trace.processes:
            continue
        trace, notes = symbolized(trace, folder.path / "omp")
        seen.notes += [*notes, *_notes(trace)]
        traces.append(trace)
        sites += _sites(trace)
        seen.observed += with_phases(_findings(trace, rules), _phases(trace), "omp")
        seen.runs.append(_summary(trace, folder.record))
    judges = {slug: _doubting(judge, traces) for slug, judge in detectors.omp_judges(rules, traces).items()}
    execution = Execution(sites)
    seen.join = lambda findings: counted_once(join_run("omp", findings, seen.observed, execution, rules, judges))
    return seen


def _doubting(judge: RunJudge, traces: Sequence[Trace]) -> RunJudge:
    """The judge of runs some of whose times are unsure: what such a run confirms is not more sure for it."""
    doubt = next((why for trace in traces if (why := _omp.doubt(trace))), "")

    def decide(finding: Finding) -> Judgement | None:
        judgement = judge(finding)
        return replace(judgement, doubt=doubt) if judgement else None

    return decide if doubt else judge


def counted_once(findings: Sequence[Finding]) -> list[Finding]:
    """Chains of regions lose their cost where findings on the chain's own regions have it."""
    single = [f for f in findings if f.rule in _OF_REGIONS and f.cost_seconds is not None]
    out = []
    for finding in findings:
        lines = {r.line for r in finding.related} | {finding.location.line}
        twice = finding.rule == _OF_CHAINS and any(
            f.location.file == finding.location.file
            and (f.location.line in lines or (f.function == finding.function and f.verdict is Verdict.CONFIRMED))
            for f in single
        )
        out.append(_without_cost(finding) if twice and finding.cost_seconds is not None else finding)
    return out


def _without_cost(finding: Finding) -> Finding:
    note = Evidence("omp", {}, "its cost is counted in the findings of its regions")
    return replace(finding.with_evidence(note), cost_seconds=None, gain_seconds=None)


def _findings(trace: Trace, rules: Mapping[str, Rule]) -> list[Finding]:
    return [f for slug, detect in detectors.omp_detectors(rules).items() for f in detect(trace, rules[slug])]


def _phases(trace: Trace) -> dict[tuple[str, int], list[str]]:
    """By file and line the phases in which something happened there, in the order in which the program marked them."""
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    for site, names in trace.site_phases.items():
        where = _omp.place(trace, site)
        if where.known:
            found[where.file, where.line] |= names
    order = [*dict.fromkeys(phase.name for phase in trace.phases), ""]
    return {where: [name for name in order if name in names] for where, names in found.items()}


def symbolized(trace: Trace, folder: Path) -> tuple[Trace, list[str]]:
    """The trace with the places of its sites; `folder` keeps them for when the program is built again."""
    trace = omp_lines.reunited(trace)
    found, notes = resolve(trace.modules, [s.address for s in trace.sites], [p.executable for p in trace.processes])
    kept = places.Places.load(folder)
    frames = {address: kept.joined(trace.modules, (address,), known) for address, known in found.items()}
    kept.save()
    notes = places.without_answered(notes, trace.modules, {(address,): known for address, known in frames.items()})
    return omp_lines.corrected(_without_lines(trace.with_frames(frames))), notes


def _without_lines(trace: Trace) -> Trace:
    """Of a program that was built without -g its functions are places of the user's; of a stripped one offsets."""
    own = {p.executable for p in trace.processes}

    def named(site: omp_trace.Site) -> omp_trace.Site:
        module = trace.modules[site.address.module].path if site.address.module is not None else ""
        if module not in own or not site.frames or any(frame.known for frame in site.frames):
            return site
        frame = site.frames[-1]
        function = frame.function or f"{PurePath(module).name}+0x{site.address.value:x}"
        return replace(site, frames=(replace(frame, file=module, function=function, user=True),))

    return replace(trace, sites=tuple(map(named, trace.sites)))


def _notes(trace: Trace) -> list[str]:
    notes = []
    unended = sum(not p.closed for p in trace.processes)
    if unended:
        verb = "process was" if unended == 1 else "processes were"
        notes.append(f"{unended} {verb} killed or replaced before the end; what is recorded up to there counts")
    lost = sum(p.lost_threads for p in trace.processes)
    if lost:
        notes.append(f"{lost} OpenMP threads found no room in the tables and are not recorded")
    if any(thread.dropped for p in trace.processes for thread in p.threads):
        notes.append("some threads passed more places than the tables hold; those that came last are not recorded")
    slow = {key: factor for key, factor in slowness(trace).items() if factor > _SLOW}
    if slow:
        (process, thread), factor = max(slow.items(), key=lambda item: item[1])
        number = trace.processes[process].threads[thread].number
        notes.append(
            f"thread {number} takes {factor:.2g} times its team's mean at nearly every place: its processor is slower "
            "or shared, and loops are judged relative to that"
        )
    if all(region.most_threads <= 1 for region in trace.regions):
        notes.append(f"all teams had one thread: {_why_one(trace)}")
    return notes


def _why_one(trace: Trace) -> str:
    given = trace.processes[0].environment.get("OMP_NUM_THREADS", "")
    if given.split(",")[0].strip() in ("", "1"):
        return "set OMP_NUM_THREADS to see what threads cost"
    return f"OMP_NUM_THREADS={given} allows more, so the program itself asks for one"


def _sites(trace: Trace) -> list[Site]:
    """Each user line that called OpenMP, with the calls and the most seconds that one thread spent there."""
    calls: dict[int, int] = {}
    most: dict[int, float] = {}
    entries: list[Region | Wait | Work | Mutex | Task] = []
    entries += [*trace.regions, *trace.waits, *trace.works, *trace.mutexes, *trace.tasks]
    for entry in entries:
        calls[entry.site] = max(calls.get(entry.site, 0), entry.count)
        most[entry.site] = max(most.get(entry.site, 0.0), entry.seconds)
    return [
        Site(frame.file, frame.line, frame.function, calls.get(index, 0), most.get(index, 0.0))
        for index, site in enumerate(trace.sites)
        for frame in site.frames
        if frame.user and frame.known
    ]


def _summary(trace: Trace, record: Record | None) -> RunSummary:
    first = trace.processes[0]
    count = len(trace.processes)
    threads = max((region.most_threads for region in trace.regions), default=1)
    opened = sum(region.count for region in trace.regions)
    places = len({frame and (frame.file, frame.line) for r in trace.regions for frame in (trace.sites[r.site].frame,)})
    overhead = max((_overhead(trace, index) for index in range(count)), default=0.0)
    several = f"{count} processes, " if count > 1 else ""
    details = (
        f"{several}{threads} thread{'s' if threads != 1 else ''}, {_name(first)}",
        f"{seconds(trace.wall_seconds)}, {opened:,} regions at {places} place{'s' if places != 1 else ''}, "
        f"{_bounds(trace, overhead)} to open and close them",
        *_serial(trace),
        *_crowd(trace),
    )
    command = record.command if record else tuple(first.command.split()) or (first.executable,)
    status = record.status if record else 0
    whole = omp_profile.profile(trace, _phases(trace))
    return RunSummary("omp", command, status, trace.wall_seconds, details, _unseen(trace), whole)


def _unseen(trace: Trace) -> tuple[str, ...]:
    """Atomic updates in the files whose regions take a part of the run: an instruction leaves no event."""
    by_file: dict[str, float] = defaultdict(float)
    for region in trace.regions:
        frame = trace.sites[region.site].frame
        if frame is not None and frame.user and frame.known and region.outer is None and region.most_threads > 1:
            by_file[frame.file] += region.seconds
    directives = omp_lines.updates(file for file, taken in by_file.items() if taken >= _SOME * trace.wall_seconds)
    # What the preprocessor leaves out is in the source, but not in the code; what a lock does is no instruction.
    code = _atomic_lines(trace) if directives else set()
    places = [
        f"{PurePath(file).name}:{line}"
        for file, line in directives
        if any((file, below) in code for below in range(line, line + _STATEMENT_LINES))
    ]
    if not places:
        return ()
    shown = ", ".join(places[:_PLACES]) + (f" and {len(places) - _PLACES} more" if len(places) > _PLACES else "")
    return (
        f"no event tells of atomic updates that are instructions ({shown}): what threads wait for one another there "
        "counts as work; a run with OMP_NUM_THREADS=1 would decide, which takes less processor time where they do",
    )


def _atomic_lines(trace: Trace) -> set[tuple[str, int]]:
    """Files and lines of the code that regions lie in which have instructions for atomic updates."""
    modules = {address.module for r in trace.regions if (address := trace.sites[r.site].address).module is not None}
    found = [Address(m, at) for m in modules for at in atomics.addresses(mapped(trace.modules[m].path))]
    frames, _ = resolve(trace.modules, found, [p.executable for p in trace.processes])
    return {(frame.file, frame.line) for known in frames.values() for frame in known if frame.known}


def _serial(trace: Trace) -> tuple[str, ...]:
    """What the process with the largest share did on one thread, and what that leaves to threads (Amdahl's law).

    In processor time, of the regions that of the busiest thread between each two meetings: so neither part is longer
    than it would be alone on the machine. Waiting for files and the like is left out.
    """
    alone: dict[int, float] = {}
    shared: dict[int, float] = {}
    for index, process in enumerate(trace.processes):
        alone[index] = sum(t.alone_seconds for t in process.threads)
        shared[index] = sum(m.longest for m in trace.meetings if m.process == index)
    known = [index for index in alone if shared[index] > 0 and alone[index] > 0]
    if not known:
        return ()
    worst = max(known, key=lambda index: alone[index] / (alone[index] + shared[index]))
    share = alone[worst] / (alone[worst] + shared[worst])
    if share < _SERIAL:
        return ()
    return (
        f"{100 * share:.0f} % of the work on one thread ({seconds(alone[worst])}), outside of all regions: "
        f"more threads make it at most {1 / share:.2g} times as fast",
    )


def _crowd(trace: Trace) -> tuple[str, ...]:
    found = crowding(trace)
    return (f"{found[0]}: {found[1]} to decide",) if found else ()


def _bounds(trace: Trace, overhead: float) -> str:
    """What regions took to open and close: of a long time, how much it is if each took as long as is usual at its
    place. The difference is the scheduler's, whose threads had no processor, more than the program's."""
    usual = max(
        sum(
            _omp.settled(r.overhead, r.typical_overhead, r.count)
            for r in trace.regions
            if r.process == index and r.outer is None
        )
        for index in range(len(trace.processes))
    )
    if overhead <= 2 * usual:
        return seconds(overhead)
    return f"{seconds(usual)} (with times without a processor {seconds(overhead)})"


def _overhead(trace: Trace, process: int) -> float:
    return sum(r.overhead for r in trace.regions if r.process == process and r.outer is None)


def _name(process: Process) -> str:
    return process.runtime.split(" version")[0].replace("LLVM OMP", "LLVM's OpenMP library") or "OpenMP"
