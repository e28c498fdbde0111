"""Runs the programs of runtime/calibrate/ and puts their figures together."""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from platform import node

from stridewise import __version__
from stridewise.collect import launcher
from stridewise.console import Progress, remark
from stridewise.errors import Failure
from stridewise.machine.calibrate import samples
from stridewise.machine.calibrate.samples import Output, Seen
from stridewise.machine.calibrate.topology import Processors
from stridewise.machine.machine_file import ArithmeticRate, MachineFile, MemoryLevel, MpiCosts, OmpRuntime, Team
from stridewise.settings import toolchain

RUNTIMES = {"libomp": "LLVM's OpenMP", "libgomp": "GCC's OpenMP"}
# Seconds for each part: together with what starting takes below a minute, and below a fifth of that.
_BUDGETS = {"omp": 16.0, "memory": 7.0, "mpi": 10.0}
_ARITHMETIC_SHARE = 0.15  # of the memory's seconds
_QUICK = 0.2
# Processes that measure the same, spread over the whole time: what disturbs the machine for seconds meets one of them.
_PASSES = {"omp": 7, "memory": 3, "mpi": 5}
_PATIENCE_SECONDS = 20.0  # beyond five times what a program was given
_MOST_WORKING_SET = 256 << 20
_SIZES = {1: "L1", 2: "L2", 3: "L3", 4: "L4"}
_BUSY = 0.3  # load of each processor before the measurement
_STEADY = 0.2  # share of disturbed rounds that an idle machine may have
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
    jobs: dict[str, list[Job]] = {}
    if "omp" in parts:
        jobs["omp"] = this.omp_jobs(_team_sizes(processors, threads))
    if "memory" in parts:
        jobs["memory"] = this.memory_jobs()
    if "mpi" in parts:
        jobs["mpi"] = this.mpi_jobs()
    _do(jobs, this.notes)
    this.note_disturbance()
    if not (this.teams or this.levels() or this.rates() or this.messages()):
        raise Failure("nothing could be measured: " + ("; ".join(this.notes) or "no part was asked for"))
    return replace(
        former,
        host=node(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        tool_version=__version__,
        quick=quick,
        seconds=round(time.monotonic() - begin, 1),
        disturbed_share=round(this.disturbed_share, 3) if this.rounds else former.disturbed_share,
        topology=processors.topology,
        omp=this.runtimes() if "omp" in parts else former.omp,
        memory=this.levels() or former.memory,
        arithmetic=this.rates() or former.arithmetic,
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
    compilers: dict[str, str] = field(default_factory=dict)
    # What each process saw: of a runtime and team size, of a level of memory, of an MPI and number of ranks.
    teams: dict[tuple[str, int], list[Seen[Team]]] = field(default_factory=dict)
    levels_seen: dict[str, list[MemoryLevel]] = field(default_factory=dict)
    rates_seen: dict[str, list[ArithmeticRate]] = field(default_factory=dict)
    by_ranks: dict[str, dict[int, list[Seen[dict[str, float]]]]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    probe_seconds: float = 0.0  # the shortest that a program took for a piece of arithmetic; 0: none yet
    rounds: int = 0
    disturbed_rounds: int = 0

    def _share(self, part: str, count: int) -> float:
        """The seconds of one process."""
        return _BUDGETS[part] * self.scale / max(1, count) / _PASSES[part]

    def omp_jobs(self, sizes: Sequence[int]) -> list[Job]:
        programs = self._programs("stridewise-omp-costs-", RUNTIMES)
        budget = self._share("omp", len(programs) * len(sizes))
        return [
            (f"{RUNTIMES[runtime]}, {size} thread{'s' if size > 1 else ''}", partial(self._omp, program, size, budget))
            for runtime, program in programs.items()
            for size in sizes
        ]

    def _omp(self, program: Path, size: int, budget: float) -> None:
        out = _run((str(program), f"{budget:.3f}", _cpus(self.processors, size), *self._probe()), budget)
        share = self._disturbed(out)
        runtime = out.info.get("runtime", "")
        self.compilers[runtime] = out.info.get("compiler", "")
        self.teams.setdefault((runtime, size), []).append(Seen(share, samples.team(size, out.samples)))

    def runtimes(self) -> tuple[OmpRuntime, ...]:
        combined: dict[str, list[Team]] = {}
        for (runtime, _), seen in sorted(self.teams.items()):
            team = samples.combine(samples.quieter_half(seen))
            if self.busy:  # threads that take turns on a core do not take lines from each other: it would look cheap
                team = replace(team, seconds={n: s for n, s in team.seconds.items() if n != "shared_line"})
            combined.setdefault(runtime, []).append(team)
        order = sorted(combined, key=list(RUNTIMES).index)
        return tuple(OmpRuntime(name, self.compilers[name], tuple(combined[name])) for name in order)

    def memory_jobs(self) -> list[Job]:
        """Of the memory, and of the arithmetic that a roofline holds against it."""
        budget = self._share("memory", 1)
        jobs: list[Job] = []
        for what, job, seconds in (
            ("memory", self._memory, (1 - _ARITHMETIC_SHARE) * budget),
            ("flop", self._arithmetic, _ARITHMETIC_SHARE * budget),
        ):
            program = toolchain.program(f"stridewise-{what}-costs", f"STRIDEWISE_{what.upper()}_COSTS")
            label = {"flop": "arithmetic"}.get(what, what)
            if program is None:
                self.notes.append(f"{label}: not measured, its program is not built")
            else:
                jobs.append((label, partial(job, program, seconds)))
        return jobs

    def _arithmetic(self, program: Path, budget: float) -> None:
        out = _run((str(program), f"{budget:.3f}", _cpus(self.processors, 1)), budget)
        bits = int(out.info.get("bits", 0))
        for name, values in out.samples.items():
            width = bits if name.endswith(".vector") else 64
            rate = ArithmeticRate(name.replace(".", " "), width, 1 / samples.typical(values)[0])
            self.rates_seen.setdefault(rate.name, []).append(rate)

    def rates(self) -> tuple[ArithmeticRate, ...]:
        return tuple(
            replace(seen[0], flops_per_second=statistics.median(rate.flops_per_second for rate in seen))
            for seen in self.rates_seen.values()
        )

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
                level = MemoryLevel(name, one, latency, 1 / single, 1 / every)
                self.levels_seen.setdefault(name, []).append(level)

    def levels(self) -> tuple[MemoryLevel, ...]:
        return tuple(samples.combine_levels(seen) for seen in self.levels_seen.values())

    def _probe(self) -> tuple[str, ...]:
        return (f"{self.probe_seconds:.4e}",) if self.probe_seconds else ()

    def _disturbed(self, out: Output) -> float:
        """The share of its rounds in which the processors got in each other's way."""
        disturbed, _, count = out.info.get("disturbed", "0 of 0").partition(" of ")
        self.disturbed_rounds += int(disturbed)
        self.rounds += int(count)
        probe = float(out.info.get("probe", 0))
        if probe > 0 and (not self.probe_seconds or probe < self.probe_seconds):
            self.probe_seconds = probe
        return int(disturbed) / max(1, int(count))

    @property
    def disturbed_share(self) -> float:
        return self.disturbed_rounds / max(1, self.rounds)

    def note_disturbance(self) -> None:
        if self.disturbed_share > _STEADY:
            share = f"{self.disturbed_rounds} of {self.rounds} rounds"
            self.notes.append(
                f"the processors got in each other's way in {share}, as if they "
                "shared a core (a virtual machine may place them so) or other work ran there: they do not count, but "
                "what threads and ranks exchange may have been measured too cheap or too dear"
            )
            remark(self.notes[-1])

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
        out = _run((*words, f"{budget:.3f}", _cpus(self.processors, ranks), *self._probe()), budget)
        share = self._disturbed(out)
        self.versions[flavour] = out.info.get("version", "")
        figures = {name: samples.typical(values)[0] for name, values in out.samples.items()}
        self.by_ranks.setdefault(flavour, {}).setdefault(ranks, []).append(Seen(share, figures))

    def messages(self) -> tuple[MpiCosts, ...]:
        found = []
        for flavour, by_ranks in self.by_ranks.items():
            quiet = {ranks: samples.quieter_half(seen) for ranks, seen in by_ranks.items()}
            figures = {ranks: samples.medians(of_processes) for ranks, of_processes in quiet.items()}
            found.append(samples.messages(flavour, self.versions[flavour], figures))
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


def _do(jobs: Mapping[str, Sequence[Job]], notes: list[str]) -> None:
    """All of them, in passes over all parts; what fails is noted and left out, and the rest is still measured."""
    done: set[str] = set()
    failed: dict[str, str] = {}
    turns = [
        (what, job)
        for turn in range(max(_PASSES.values()))
        for part, its_jobs in jobs.items()
        if turn in _turns(_PASSES[part])
        for what, job in its_jobs
    ]
    with Progress("calibrating", len(turns)) as progress:
        for what, job in turns:
            progress.step(what)
            if what in failed:
                continue
            try:
                job()
                done.add(what)
            except (Failure, ValueError) as error:
                failed[what] = f"{what}: {'measured less often' if what in done else 'not measured'}, {error}"
    notes += failed.values()
    for note in notes:
        if ": not measured" in note or note in failed.values():
            remark(note)


def _turns(count: int) -> list[int]:
    """As many of the passes, spread over all."""
    most = max(_PASSES.values())
    return [round(i * (most - 1) / max(1, count - 1)) for i in range(count)]


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
