"""Runs the programs of runtime/calibrate/ and puts their figures together."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from platform import node

from stridewise import __version__, toolchain
from stridewise.calibrate import samples
from stridewise.calibrate.samples import Output
from stridewise.calibrate.topology import Processors
from stridewise.collect import launcher
from stridewise.console import Progress, remark
from stridewise.errors import Failure
from stridewise.machine_file import MachineFile, MemoryLevel, MpiCosts, OmpRuntime, Team

RUNTIMES = {"libomp": "LLVM's OpenMP", "libgomp": "GCC's OpenMP"}
# Seconds for each part: together with what starting takes below a minute, and below a fifth of that.
_BUDGETS = {"omp": 18.0, "memory": 8.0, "mpi": 12.0}
_QUICK = 0.2
_PROCESSES = 5  # that measure one team size, one after another
_PATIENCE_SECONDS = 20.0  # beyond five times what a program was given
_MOST_WORKING_SET = 256 << 20
_SIZES = {1: "L1", 2: "L2", 3: "L3", 4: "L4"}
_BUSY = 0.3  # load of each processor before the measurement
# What would change the runtimes' behaviour, or watch them.
_FOREIGN = ("OMP_", "GOMP_", "KMP_", "LIBOMP", "LD_PRELOAD", "STRIDEWISE_")


Job = tuple[str, Callable[[], None]]


def measure(
    processors: Processors, former: MachineFile, parts: Sequence[str], threads: Sequence[int], quick: bool
) -> MachineFile:
    """The machine's file: the parts anew, the others as they were. Raises Failure if nothing could be measured."""
    begin = time.monotonic()
    busy = _busy(processors)
    this = _Measurement(processors, _QUICK if quick else 1.0, [*processors.notes, *busy], bool(busy))
    for note in this.notes:
        remark(note)
    jobs: list[Job] = []
    if "omp" in parts:
        jobs += this.omp_jobs(_team_sizes(processors, threads))
    if "memory" in parts:
        jobs += this.memory_jobs()
    if "mpi" in parts:
        jobs += this.mpi_jobs()
    _do(jobs, this.notes)
    if not (this.teams or this.levels or this.messages()):
        raise Failure("nothing could be measured: " + ("; ".join(this.notes) or "no part was asked for"))
    return replace(
        former,
        host=node(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        tool_version=__version__,
        quick=quick,
        seconds=round(time.monotonic() - begin, 1),
        topology=processors.topology,
        omp=this.runtimes() if "omp" in parts else former.omp,
        memory=tuple(this.levels) if "memory" in parts else former.memory,
        mpi=this.messages() if "mpi" in parts else former.mpi,
        notes=tuple(this.notes),
    )


@dataclass
class _Measurement:
    """What has been measured so far. The methods give the work as jobs, so that progress can be shown."""

    processors: Processors
    scale: float
    notes: list[str]
    busy: bool
    teams: dict[str, list[Team]] = field(default_factory=dict)
    compilers: dict[str, str] = field(default_factory=dict)
    levels: list[MemoryLevel] = field(default_factory=list)
    by_ranks: dict[str, dict[int, dict[str, list[float]]]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def _share(self, part: str, count: int) -> float:
        return _BUDGETS[part] * self.scale / max(1, count)

    def omp_jobs(self, sizes: Sequence[int]) -> list[Job]:
        programs = self._programs("stridewise-omp-costs-", RUNTIMES)
        budget = self._share("omp", len(programs) * len(sizes))
        return [
            (f"{RUNTIMES[runtime]}, {size} thread{'s' if size > 1 else ''}", partial(self._omp, program, size, budget))
            for runtime, program in programs.items()
            for size in sizes
        ]

    def _omp(self, program: Path, size: int, budget: float) -> None:
        each = budget / _PROCESSES
        words = (str(program), f"{each:.3f}", _cpus(self.processors, size))
        outs = [_run(words, each) for _ in range(_PROCESSES)]
        runtime = outs[0].info.get("runtime", "")
        self.compilers[runtime] = outs[0].info.get("compiler", "")
        team = samples.combine([samples.team(size, out.samples) for out in outs])
        if self.busy:  # threads that take turns on a core do not take lines from each other: it would look cheap
            team = replace(team, seconds={n: s for n, s in team.seconds.items() if n != "shared_line"})
        self.teams.setdefault(runtime, []).append(team)

    def runtimes(self) -> tuple[OmpRuntime, ...]:
        return tuple(
            OmpRuntime(name, self.compilers[name], tuple(sorted(found, key=lambda t: t.threads)))
            for name, found in self.teams.items()
        )

    def memory_jobs(self) -> list[Job]:
        program = toolchain.program("stridewise-memory-costs", "STRIDEWISE_MEMORY_COSTS")
        if program is None:
            self.notes.append("memory: not measured, its program is not built")
            return []
        return [("memory", partial(self._memory, program, self._share("memory", 1)))]

    def _memory(self, program: Path, budget: float) -> None:
        sets = working_sets(self.processors)
        line = next((c.line_bytes for c in self.processors.topology.caches), 64)
        words = [f"{name}:{one}:{each}" for name, one, each in sets]
        cpus = _cpus(self.processors, self.processors.cores)
        out = _run((str(program), f"{budget:.3f}", str(line), cpus, *words), budget)
        for name, one, _ in sets:
            values = [out.samples.get(f"{name}.{kind}") for kind in ("latency", "one", "all")]
            if all(values):
                latency, single, every = (samples.typical(v)[0] for v in values if v)
                self.levels.append(MemoryLevel(name, one, latency, 1 / single, 1 / every))

    def mpi_jobs(self) -> list[Job]:
        if self.processors.cores < 2:
            self.notes.append("messages: not measured, this process may use one processor only")
            return []
        programs = self._programs("stridewise-mpi-costs-", toolchain.FLAVOURS)
        counts = sorted({2, self.processors.cores})
        budget = self._share("mpi", len(programs) * len(counts))
        jobs: list[Job] = []
        for flavour, program in programs.items():
            starter = mpi_launcher(flavour)
            if starter is None:
                self.notes.append(f"{toolchain.FLAVOURS[flavour]}: not measured, its mpirun is not on PATH")
                continue
            for ranks in counts:
                words = (*_launch(starter, flavour, ranks), str(program))
                label = f"{toolchain.FLAVOURS[flavour]}, {ranks} ranks"
                jobs.append((label, partial(self._mpi, flavour, ranks, words, budget)))
        return jobs

    def _mpi(self, flavour: str, ranks: int, words: Sequence[str], budget: float) -> None:
        out = _run((*words, f"{budget:.3f}", _cpus(self.processors, ranks)), budget)
        self.versions[flavour] = out.info.get("version", "")
        self.by_ranks.setdefault(flavour, {})[ranks] = out.samples

    def messages(self) -> tuple[MpiCosts, ...]:
        found = (samples.messages(f, self.versions[f], by_ranks) for f, by_ranks in self.by_ranks.items())
        return tuple(costs for costs in found if costs)

    def _programs(self, prefix: str, names: Mapping[str, str]) -> dict[str, Path]:
        found = {}
        for name, label in names.items():
            variable = "STRIDEWISE_" + prefix.removeprefix("stridewise-").replace("-", "_").upper() + name.upper()
            path = toolchain.program(prefix + name, variable)
            if path is None:
                self.notes.append(f"{label}: not measured, its program is not built (no compiler for it was found)")
            else:
                found[name] = path
        return found


def _do(jobs: Sequence[Job], notes: list[str]) -> None:
    """All of them; what fails is noted, and the rest is still measured."""
    with Progress("calibrating", len(jobs)) as progress:
        for what, job in jobs:
            progress.step(what)
            try:
                job()
            except (Failure, ValueError) as error:
                notes.append(f"{what}: not measured, {error}")
    for note in notes:
        if ": not measured" in note:
            remark(note)


def _busy(processors: Processors) -> list[str]:
    load = os.getloadavg()[0]
    count = len(processors.order)
    if load < _BUSY * count:
        return []
    return [f"the machine was busy (load {load:.1f} on {count} processors): costs may be too high; calibrate it idle"]


def _team_sizes(processors: Processors, asked: Sequence[int]) -> list[int]:
    most = processors.cores
    for size in asked:
        if size > most:
            raise Failure(
                f"a team of {size} threads does not fit this machine: {most} core{'s are' if most > 1 else ' is'} "
                "usable, and threads that share one measure the scheduler; ask for fewer"
            )
    return sorted(set(asked)) or sorted({1 << i for i in range(most.bit_length())} | {most})


def _cpus(processors: Processors, count: int) -> str:
    return ",".join(map(str, processors.order[:count]))


def working_sets(processors: Processors) -> list[tuple[str, int, int]]:
    """For each level: name, bytes for one thread, bytes for each when all run.

    Half of a cache, or of a thread's share of it (a shared one is then filled as much by all together as by one); four
    times the last one for memory.
    """
    found, inner = [], 0
    for cache in processors.topology.caches:
        sharers = max(1, min(cache.shared_by, processors.cores))
        one = min(max(cache.bytes // 2, 2 * inner), cache.bytes, _MOST_WORKING_SET)
        found.append((_SIZES.get(cache.level, f"L{cache.level}"), one, max(one // sharers, 4096)))
        inner = cache.bytes
    last = max((cache.bytes for cache in processors.topology.caches), default=32 << 20)
    one = min(max(4 * last, 64 << 20), max(_MOST_WORKING_SET, 2 * last), _free_bytes() // 4)
    found.append(("memory", one, max(one // processors.cores, 1 << 20)))
    return found


def _free_bytes() -> int:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 1 << 30


def mpi_launcher(flavour: str) -> str | None:
    """That MPI's own mpirun."""
    for name in (f"mpirun.{flavour}", f"mpiexec.{flavour}", "mpirun", "mpiexec"):
        path = shutil.which(name)
        if path and launcher.version_flavour(path) == flavour:
            return path
    return None


def _launch(starter: str, flavour: str, ranks: int) -> tuple[str, ...]:
    """On this node, whatever the batch system has given; the program binds its ranks itself."""
    if flavour == "openmpi":
        return (starter, "--host", f"localhost:{ranks}", "--bind-to", "none", "-n", str(ranks))
    return (starter, "-hosts", "localhost", "-n", str(ranks))


def _run(command: Sequence[str], budget: float) -> Output:
    """Raises Failure with what the program said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    name = Path(next((word for word in command if "stridewise-" in word), command[0])).name
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        raise Failure(f"cannot start {command[0]}: {error.strerror or error}") from error
    try:
        output, complaint = process.communicate(timeout=5 * budget + _PATIENCE_SECONDS)
    except BaseException as error:  # an interrupt too must not leave spinning threads behind
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise Failure(f"{name} took too long; is the machine busy?") from None
        raise
    if process.returncode != 0:
        said = [line.strip() for line in complaint.splitlines() if line.strip(" -\t")]
        if "run as root" in complaint:
            raise Failure(
                "mpirun refuses to run as root; be another user, or set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
            )
        raise Failure(f"{name} ended with status {process.returncode}" + (f": {said[0]}" if said else ""))
    return samples.parse(output.splitlines())
