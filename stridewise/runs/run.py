"""stridewise run: watches a program's run, then reports."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

from stridewise import steps
from stridewise.collect import launcher, mpi_of_program
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.runs import report, run_folder
from stridewise.runs.kinds import Plan, Request, watcher
from stridewise.runs.placement import watcher as placement
from stridewise.runs.seals import seal
from stridewise.settings.path_map import PathMap


@dataclass(frozen=True, slots=True)
class Options:
    command: tuple[str, ...]
    kind: str = "mpi"
    output: Path = Path("stridewise-out")
    format: str = "text"
    fail_on: Severity | None = None
    everything: bool = False
    ungrouped: bool = False
    brief: bool = False
    lint: Path | None = None
    least: Confidence | None = None
    config: bool = True
    path_map: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)  # of the kind; see its `plan`
    environment: Mapping[str, str] = field(default_factory=dict)  # beyond the caller's
    limit_seconds: float = 0.0  # after which the run is ended, 0 for none
    progress: bool = False  # on the terminal, while it runs


@dataclass(frozen=True, slots=True)
class Watched:
    """`why` says why the run left nothing to report, empty if it did."""

    status: int  # of the command, 128 + signal
    request: Request
    kinds: tuple[str, ...]
    why: str


def run(options: Options) -> int:
    """The command's own status (128 + signal), 1 if --fail-on triggers, 2 if the run could not be watched."""
    PathMap.parse(options.path_map)  # what is wrong in it is said before the run, not after
    with steps.shown(options.progress):
        watched = watch(options)
        if watched.why:
            remark(watched.why)
            return watched.status
        reported = report.run(
            report.Options(
                folders=(watched.request.folder,),
                lint=options.lint,
                format=options.format,
                fail_on=options.fail_on,
                everything=options.everything,
                ungrouped=options.ungrouped,
                brief=options.brief,
                least=options.least,
                config=options.config,
                kinds=watched.kinds,
                path_map=options.path_map,
            )
        )
        return watched.status if reported == 0 or (reported == 2 and watched.status != 0) else reported


def watch(options: Options, output: IO[bytes] | None = None) -> Watched:
    """Runs the command and keeps what it leaves; nothing is reported. `output` takes what the program prints to its
    standard output and error, where these are not to be ours. Raises Failure where the run could not be watched."""
    kind = watcher(options.kind)
    launch = launcher.parse(options.command)
    if wrong := mpi_of_program.mismatch(options.command, launch):
        raise Failure(wrong)
    request = Request(
        options.command, launch, options.output.absolute(), options.lint, options.settings, options.everything
    )
    plan = kind.plan(request)
    run_folder.prepare(options.output, options.kind, kind.LEAVES)
    kinds = [options.kind]
    if options.kind == "omp" and (more := placement.beside(plan, request)) is not None:
        plan = more
        run_folder.prepare(options.output, "placement", placement.LEAVES)
        kinds.append("placement")
    plan.before()
    start = time.time()
    clock = time.monotonic()
    environment = {**plan.environment, **options.environment}
    limit = plan.limit_seconds or options.limit_seconds
    steps.step(_step(plan, 0), plan.alive, foot=output is None)
    status = _execute(plan.command, environment, options.command[0], limit, output)
    steps.step("keeping what the run left")
    seconds = time.monotonic() - clock
    if status == 0 and plan.again and plan.repeat():
        _repeat(plan, options.command[0])
        steps.step("keeping what the run left")
    plan.after(status)
    for name in kinds:
        left = run_folder.files(request.folder, name, *watcher(name).LEAVES)
        record = run_folder.Record(name, options.command, status, start, seconds, seal(left))
        run_folder.add_record(request.folder, record)
    return Watched(status, request, tuple(kinds), kind.nothing(request))


def _step(plan: Plan, number: int) -> str:
    """What one of the plan's runs is; only later ones are sure to come."""
    what = plan.names[min(number, len(plan.names) - 1)]
    return f"run {number + 1} of {len(plan.again) + 1}: {what}" if number else what


def _repeat(plan: Plan, shown: str) -> None:
    """The further runs: silent, with the same input where it is a file."""
    for number, command in enumerate(plan.again, 2):
        remark(f"run {number} of {len(plan.again) + 1}")
        steps.step(_step(plan, number - 1), foot=True)
        with suppress(OSError):
            os.lseek(0, 0, os.SEEK_SET)
        if _execute(command, plan.environment, shown, plan.limit_seconds, subprocess.DEVNULL) != 0:
            remark(f"run {number} failed, though the first did not; what it measures is left out")
            return


def _execute(
    command: Sequence[str],
    environment: Mapping[str, str],
    shown: str,
    limit_seconds: float = 0.0,
    output: IO[bytes] | int | None = None,
) -> int:
    """Runs with our own standard streams, but for what `output` takes; the status as a shell gives it. Signals go to
    the command, we wait.

    A run that reaches its limit of time is ended, and counts as one that succeeded.
    """
    process: subprocess.Popen[bytes] | None = None
    limited = False

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
        errors = output if output is not None and output != subprocess.DEVNULL else None
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=errors)
        try:
            status = process.wait(limit_seconds or None)
        except subprocess.TimeoutExpired:
            limited = True
            remark(f"ending the run after {limit_seconds:g} s, as --limit says; what ran until now is reported")
            process.send_signal(signal.SIGTERM)
            status = process.wait()
    except OSError as error:
        remedy = "; load its module, or name its path" if isinstance(error, FileNotFoundError) else ""
        raise Failure(f"cannot start {shown}: {error.strerror or error}{remedy}") from error
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    if limited:
        return 0
    return 128 - status if status < 0 else status
