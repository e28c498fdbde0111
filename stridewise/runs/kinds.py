"""The ways to watch a run, one module each: stridewise/runs/<kind>/watcher.py.

A module has
- `LEAVES`: patterns of the files that a run of the kind leaves in the folder <run folder>/<kind>;
- `plan(Request) -> Plan`: how the command is started so that it is watched; raises Failure where that cannot work;
- `nothing(Request) -> str`: why a run left nothing to report, empty if it did leave something or if `see` says it;
- `see(Sequence[Folder], rules) -> Seen`: what the runs in these folders show, joined to the findings of the source.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar, cast

from stridewise.catalogue import Rule
from stridewise.collect import elf, launcher, preload
from stridewise.collect.launcher import Launch
from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.finding.result import RunSummary, Trouble
from stridewise.finding.table import Table
from stridewise.runs import run_folder
from stridewise.runs.run_folder import Record

_SANITIZER = re.compile(r"lib(clang_rt\.)?(a|hwa|l|t|ub)san[^/]*$")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be watched. `folder` is the run folder, absolute and ready."""

    command: tuple[str, ...]
    launch: Launch
    folder: Path
    lint: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict)  # the kind's own options of the command line
    everything: bool = False  # --all


@dataclass(frozen=True, slots=True)
class Plan:
    """`before` is called when the run folder is ready, `after` with the command's status when it has ended.

    `again` are further runs of the program, under other conditions, whose output nobody needs; they follow a run that
    succeeded, where `repeat` says that they will tell more. `limit_seconds` ends a run by SIGTERM, as it was asked for;
    0 lets it run to its end. `names` say what each of the runs is, `alive` how the one that goes on is.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    after: Callable[[int], None] = lambda _status: None
    again: tuple[tuple[str, ...], ...] = ()
    repeat: Callable[[], bool] = lambda: True
    limit_seconds: float = 0.0
    before: Callable[[], None] = lambda: None
    names: tuple[str, ...] = ("watching the program",)
    alive: Callable[[], str] = lambda: ""


@dataclass(frozen=True, slots=True)
class Folder:
    """A run folder that holds something of a kind; `record` is None where the program ran without the command."""

    path: Path
    record: Record | None


def _unchanged(findings: list[Finding]) -> list[Finding]:
    return findings


@dataclass
class Seen:
    """What the runs of one kind show.

    `observed` are the findings of the runs alone, `join` adds them and the runs' verdicts to the findings so far.
    """

    observed: list[Finding] = field(default_factory=list)
    join: Callable[[list[Finding]], list[Finding]] = _unchanged
    runs: list[RunSummary] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    judges_only: bool = False  # such a run has something to say on findings of the source alone


class Watcher(Protocol):
    LEAVES: tuple[str, ...]

    def plan(self, request: Request) -> Plan: ...

    def nothing(self, request: Request) -> str: ...

    def see(self, folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen: ...


def watcher(kind: str) -> Watcher:
    """The module of a kind, one of run_folder.KINDS."""
    return cast(Watcher, importlib.import_module(f"stridewise.runs.{kind}.watcher"))


def preloaded(before: str, library: Path) -> list[str]:
    """What to preload, in order.

    An interposer passes calls on to the next definition, other tools at MPI's profiling interface pass them to the MPI
    itself: it comes in front of them. Only the runtime of a sanitizer must be the first.
    """
    others = [word for word in re.split(r"[ :]+", before) if word]
    first = [word for word in others if _SANITIZER.search(word)]
    return [*first, str(library), *(word for word in others if word not in first)]


def built(library: Path | None, name: str, remedy: str) -> Path:
    """A library of ours, by a path that LD_PRELOAD can hold. Raises Failure."""
    if library is None or not library.is_file():
        raise Failure(f"{name} was not found; {remedy}; see stridewise doctor")
    return preload.loadable(library)


def check_programs(request: Request, effect: str, libraries: bool = True) -> None:
    """Raises Failure for programs that cannot be watched by a library in them. `effect`: what that prevents."""
    for position in request.launch.programs:
        path = launcher.executable(request.command[position])
        if path is None or not elf.is_elf(path):
            continue
        if libraries and elf.is_static(path):
            raise Failure(
                f"{path} is a static executable, into which no library can be loaded, so {effect}; link it with the "
                "shared libraries"
            )
        if elf.has_rights(path):
            raise Failure(
                f"{path} runs with the rights of its file (setuid, setgid or capabilities), and takes no library or "
                f"variable of ours, so {effect}; run a copy without them"
            )


T = TypeVar("T")


def gather(
    folders: Sequence[Folder],
    kind: str,
    leaves: Sequence[str],
    load: Callable[[Path], tuple[T, list[str]]],
    bad: type[Exception],
    seen: Seen,
) -> list[tuple[Folder, list[T]]]:
    """What `load` makes of the files that runs of a kind left, by folder; folders without any are left out.

    `load` also gives notes, each of which is told once. Files at which it raises `bad`, or that cannot be read, are
    troubles.
    """
    found: list[tuple[Folder, list[T]]] = []
    for folder in folders:
        here: list[T] = []
        for path in run_folder.files(folder.path, kind, *leaves):
            try:
                one, notes = load(path)
            except (bad, OSError) as error:
                seen.troubles.append(Trouble(str(path), f"left out: {error}"))
                continue
            here.append(one)
            tell(seen, notes)
        if here:
            found.append((folder, here))
    return found


def tell(seen: Seen, notes: Sequence[str]) -> None:
    """Adds the notes that were not told yet."""
    seen.notes += [note for note in dict.fromkeys(notes) if note not in seen.notes]


def exporting(
    command: Sequence[str], launch: Launch, exported: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The command with what its launcher needs to pass these variables on to the processes.

    `environment` has their values.

    Most launchers pass their whole environment. Open MPI's does not pass it to other hosts, Slurm's not where
    `--export` or the job's own SLURM_EXPORT_ENV names a part, Hydra's not where -genvnone or -genvlist say so.
    """
    match launch.family:
        case "openmpi" if launch.remote:
            extra = [word for name in exported if name not in launch.exported for word in ("-x", name)]
            at = launch.launcher + 1
            return (*command[:at], *extra, *command[at:])
        case "slurm":
            return _for_slurm(command, launch, exported)
        case "hydra":
            return _for_hydra(command, launch, {name: environment[name] for name in exported if name in environment})
    return tuple(command)


def _for_slurm(command: Sequence[str], launch: Launch, exported: Sequence[str]) -> tuple[str, ...]:
    end = min(launch.programs, default=len(command))
    for at in range(launch.launcher + 1, end):
        name, equals, value = command[at].partition("=")
        if name == "--export" and equals:
            return (*command[:at], f"--export={_with_names(value, exported)}", *command[at + 1 :])
        if name == "--export" and at + 1 < end:
            return (*command[: at + 1], _with_names(command[at + 1], exported), *command[at + 2 :])
    inherited = os.environ.get("SLURM_EXPORT_ENV", "")
    if not inherited or _with_names(inherited, exported) == inherited:
        return tuple(command)
    at = launch.launcher + 1
    return (*command[:at], f"--export={_with_names(inherited, exported)}", *command[at:])


def _with_names(value: str, exported: Sequence[str]) -> str:
    """A list of --export with these variables in it, as they are in the environment of srun."""
    words = [word for word in value.split(",") if word]
    if "ALL" in words:
        return value
    known = {word.partition("=")[0] for word in words}
    kept = [word for word in words if word not in ("NONE", "NIL")]
    return ",".join([*kept, *(name for name in exported if name not in known)])


def _for_hydra(command: Sequence[str], launch: Launch, values: Mapping[str, str]) -> tuple[str, ...]:
    before = {word.lstrip("-") for word in command[launch.launcher + 1 : min(launch.programs, default=len(command))]}
    if not before & {"genvnone", "genvlist", "envnone", "envlist"}:
        return tuple(command)
    # `env` in front of each program says it once for all forms of these options.
    out: list[str] = []
    for position, word in enumerate(command):
        if position in launch.programs:
            out += ["env", *(f"{name}={value}" for name, value in values.items())]
        out.append(word)
    return tuple(out)
