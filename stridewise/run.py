"""stridewise run: watches a program's run, then reports."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import FrameType

from stridewise import report, run_folder, toolchain
from stridewise.collect import elf, geometry, launcher
from stridewise.collect.launcher import Launch
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity

_SANITIZER = re.compile(r"lib(clang_rt\.)?(a|hwa|l|t|ub)san[^/]*$")
_EXPORTED = ("LD_PRELOAD", "STRIDEWISE_OUT", "STRIDEWISE_QUIET")
_SCRATCH = "STRIDEWISE_SCRATCH"


@dataclass(frozen=True, slots=True)
class Options:
    command: tuple[str, ...]
    kind: str = "mpi"
    output: Path = Path("stridewise-out")
    format: str = "text"
    fail_on: Severity | None = None
    everything: bool = False
    lint: Path | None = None
    least: Confidence | None = None
    config: bool = True
    scratch: str = ""  # a folder on each node, which may begin with a variable of the node's environment


def run(options: Options) -> int:
    """The command's own status (128 + signal), 1 if --fail-on triggers, 2 if the run could not be watched."""
    launch = launcher.parse(options.command)
    scratch = ""
    if options.kind == "mpi":
        library = _interposer(options.command, launch)
        folder = run_folder.prepare(options.output, "mpi")
        environment = _mpi_environment(library, folder)
        if options.scratch:
            # A folder of this run alone, so that what is left there can be told from others'.
            scratch = f"{options.scratch.rstrip('/')}/stridewise.{os.getpid()}.{int(time.time())}"
            environment[_SCRATCH] = scratch
        command = _exporting(options.command, launch, (*_EXPORTED, *([_SCRATCH] if options.scratch else [])))
    else:
        valgrind = shutil.which("valgrind")
        if valgrind is None:
            raise Failure("valgrind is not installed, and run --cache measures with it; apt install valgrind")
        folder = run_folder.prepare(options.output, "cache")
        environment = dict(os.environ)
        command = with_cachegrind(options.command, launch, valgrind, folder / "cache")
    start = time.time()
    clock = time.monotonic()
    status = _execute(command, environment, options.command[0])
    seconds = time.monotonic() - clock
    if scratch:
        _collect(folder, scratch)
    run_folder.add_record(folder, run_folder.Record(options.kind, options.command, status, start, seconds))
    if options.kind == "cache" and status == 128 + signal.SIGILL:
        remark("valgrind does not know an instruction of the program; build it with at most -march=x86-64-v3")
    if options.kind == "mpi" and not run_folder.jobs(folder):
        remark(_why_nothing(options.command, launch))
        return status
    reported = report.run(
        report.Options(
            folders=(folder,),
            lint=options.lint,
            format=options.format,
            fail_on=options.fail_on,
            everything=options.everything,
            least=options.least,
            config=options.config,
            kinds=(options.kind,),
        )
    )
    return status if reported == 0 or (reported == 2 and status != 0) else reported


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
    flavour = launcher.flavour(command, launch)
    if not flavour:
        return next(iter(built.values()))
    if flavour not in built:
        name = toolchain.FLAVOURS[flavour]
        raise Failure(
            f"the program uses {name}, but the interposer for {name} is not built; install its development package "
            "and build again, see stridewise doctor"
        )
    return built[flavour]


def _mpi_environment(library: Path, folder: Path) -> dict[str, str]:
    environment = dict(os.environ)
    if any(char in str(library) for char in " :"):
        raise Failure(
            f"LD_PRELOAD cannot hold the path {library}; install Stridewise in a path without blanks or colons"
        )
    environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), library))
    environment["STRIDEWISE_OUT"] = str(folder)
    environment["STRIDEWISE_QUIET"] = "1"
    return environment


def preloaded(before: str, library: Path) -> list[str]:
    """What to preload, in order.

    The interposer passes calls on to the next definition, other tools at MPI's profiling interface pass them to the MPI
    itself: it comes in front of them. Only the runtime of a sanitizer must be the first.
    """
    others = [word for word in re.split(r"[ :]+", before) if word]
    first = [word for word in others if _SANITIZER.search(word)]
    return [*first, str(library), *(word for word in others if word not in first)]


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


def _exporting(command: Sequence[str], launch: Launch, exported: Sequence[str]) -> tuple[str, ...]:
    """Open MPI passes its environment to other hosts only where -x says so; the other launchers pass all of it."""
    if launch.family != "openmpi" or not launch.remote:
        return tuple(command)
    extra = [word for name in exported if name not in launch.exported for word in ("-x", name)]
    at = launch.launcher + 1
    return (*command[:at], *extra, *command[at:])


def with_cachegrind(command: Sequence[str], launch: Launch, valgrind: str, folder: Path) -> tuple[str, ...]:
    """The command with Cachegrind in front of each program, one output file a process."""
    if not launch.programs:
        raise Failure(
            "the launcher reads its programs from a file; name the program on the command line for run --cache"
        )
    out = str(folder).replace("%", "%%")
    rank = f"%q{{{launch.rank_variable}}}." if launch.rank_variable else ""
    tool = [
        valgrind,
        "-q",
        "--tool=cachegrind",
        "--cache-sim=yes",
        *geometry.detect().options(),
        f"--cachegrind-out-file={out}/cachegrind.{rank}%p.out",
    ]
    words: list[str] = []
    for position, word in enumerate(command):
        if position in launch.programs:
            words += tool
            if _starts_others(word):
                words.append("--trace-children=yes")
        words.append(word)
    return tuple(words)


def _starts_others(word: str) -> bool:
    """Scripts and the like of timeout or numactl: the program itself is their child."""
    path = launcher.executable(word)
    return PurePath(word).name in launcher.PREFIXES or (path is not None and not elf.is_elf(path))


def _execute(command: Sequence[str], environment: Mapping[str, str], shown: str) -> int:
    """Runs with our own standard streams; the status as a shell gives it. Signals go to the command, we wait."""
    process: subprocess.Popen[bytes] | None = None

    def forward(number: int, _frame: FrameType | None) -> None:
        if process is not None and process.poll() is None:
            process.send_signal(number)

    # The terminal sends SIGINT to the whole process group: the command has it already.
    previous = {
        signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: None),
        signal.SIGTERM: signal.signal(signal.SIGTERM, forward),
        signal.SIGHUP: signal.signal(signal.SIGHUP, forward),
    }
    try:
        process = subprocess.Popen(command, env=environment)
        status = process.wait()
    except OSError as error:
        raise Failure(f"cannot start {shown}: {error.strerror or error}") from error
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return 128 - status if status < 0 else status
