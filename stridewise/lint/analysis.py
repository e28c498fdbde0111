"""Runs stridewise-analyze: one process a unit, several at a time, each bounded in time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from stridewise import ending
from stridewise.collect.compile_db import Command, Language
from stridewise.finding import Finding, FindingError, Location
from stridewise.lint.overlay import Overlay
from stridewise.lint.result_cache import ResultCache
from stridewise.lint.suppressions import Suppression

if TYPE_CHECKING:
    from stridewise.lint.preambles import Preambles

_POLL_SECONDS = 0.05
_CLOCK_SHARE, _CLOCK_SECONDS = 20.0, 5.0
_TICKS = os.sysconf("SC_CLK_TCK")
_STDERR_LINES = 3
_MAX_RESULT_BYTES = 512 << 20
_OUT_OF_TIME = re.compile(r"stridewise-analyze: out of time in rule ([a-z0-9-]+)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FORTRAN_DEFINITION = re.compile(r"\b(?:subroutine|function)[ \t]+\w+")
CANCELLED = "cancelled"  # the failure of a unit whose result nobody wants any more


@dataclass(frozen=True, slots=True)
class Limits:
    """What one unit may take. The memory limit is on the resident set: LLVM reserves address space freely.

    Seconds are of processor time, which a loaded machine does not change; by the clock a unit may take several times as
    long, so that one that waits for a file which never comes ends, too.
    """

    seconds: float = 120.0
    resident_bytes: int = 4 << 30
    rule_seconds: float = 30.0  # of processor time that one rule may take, in a unit and in the whole program

    @property
    def seconds_of_a_rule(self) -> float:
        """No rule alone may take up what there is for all."""
        return min(self.rule_seconds, self.seconds / 4)

    @property
    def clock_seconds(self) -> float:
        return _CLOCK_SHARE * self.seconds + _CLOCK_SECONDS


@dataclass(frozen=True, slots=True)
class Diagnostic:
    file: str
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A rule that ran out of its budget and says nothing of a unit or of the whole program; the others do."""

    rule: str
    message: str


@dataclass(frozen=True, slots=True)
class UnitResult:
    """`status`: ok, errors (the compiler complained) or failed (`failure` says why).

    With errors, the functions in `unread` (name, line) were seen by no rule, and those rules in `not_run` that need the
    unit's code had none.
    """

    command: Command
    status: str
    findings: tuple[Finding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    stats: dict[str, Any] = field(default_factory=dict)
    failure: str = ""
    seconds: float = 0.0
    suppressions: tuple[Suppression, ...] = ()
    result_file: Path | None = None  # what the analyser wrote
    stored: bytes = b""  # the same, out of the cache
    summaries: str = ""  # hash of what the whole-program phase reads; empty where there is no cache
    build: Mapping[str, Any] = field(default_factory=dict)  # how the unit was compiled, and what suffers from that
    files: frozenset[str] = frozenset()  # absolute paths of what was read; empty where that is not known
    unread: tuple[tuple[str, int], ...] = ()
    not_run: tuple[str, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    code: tuple[str, ...] = ()  # options that name what another front end made of the unit, while the run lasts
    mpi_wrappers: tuple[str, ...] = ()  # functions of the unit that are one MPI call each (mpi_layer.py)
    foreign: frozenset[str] = frozenset()  # functions of other units that it uses
    mpi_ranks: tuple[str, ...] = ()  # where the unit keeps the caller's rank
    mpi_asked: tuple[str, ...] = ()  # what it compares that may be the rank in another unit


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A fix that the whole program forbids, or makes unsafe."""

    rule: str
    file: str
    line: int
    why: str


@dataclass(frozen=True, slots=True)
class Unreached:
    """A function that no program of the whole reaches. `alone`: its own unit shows it, whatever else there is."""

    where: Location
    alone: bool


@dataclass(frozen=True, slots=True)
class LinkResult:
    findings: tuple[Finding, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()
    failure: str = ""
    doubted: tuple[Withdrawal, ...] = ()
    given_up: tuple[GivenUp, ...] = ()
    once: tuple[Location, ...] = ()  # functions that the program runs once, beside deeper work
    sent_once: tuple[Location, ...] = ()  # calls of MPI that the program comes by once
    unreached: tuple[Unreached, ...] = ()


def default_jobs() -> int:
    return max(1, len(os.sched_getaffinity(0)))


def analyse(
    analyzer: Path,
    commands: Sequence[Command],
    options: Sequence[str],
    folder: Path,
    jobs: int,
    limits: Limits,
    done: Callable[[UnitResult], None],
    cache: ResultCache | None = None,
    overlay: Overlay | None = None,
    cancelled: threading.Event | None = None,
    preambles: Preambles | None = None,
) -> list[UnitResult]:
    """Results in the order of the commands; their JSON stays in `folder` for link(). `done` is called as they come.
    `preambles`: where they are not those of the cache.

    Units that read what is in the `overlay` are analysed anew, and their results are not kept in the cache. Once
    `cancelled` is set, analysers that run are ended and no other is started: their units have failed.
    """
    results: list[UnitResult | None] = [
        cached_unit(cache, command, options, overlay) if cache else None for command in commands
    ]
    for known in results:
        if known:
            done(known)
    missing = [index for index, known in enumerate(results) if known is None]
    if not missing:
        return [known for known in results if known]
    from concurrent.futures import ThreadPoolExecutor  # costs as much as all else where nothing is left to do

    lock = threading.Lock()
    cancelled = cancelled or threading.Event()
    more = overlay.arguments(folder) if overlay else ()
    copies = overlay.copies(folder) if overlay else {}
    keep = cache if not overlay else None
    preambles = preambles or (cache.preambles if cache else None)
    makers, users = (
        preambles.plan(
            {index: commands[index] for index in missing},
            overlay,
            lambda words, directory: run_bounded(words, directory, limits, cancelled),
        )
        if preambles
        else ([], {})
    )

    def one(index: int) -> UnitResult:
        out = folder / f"{index}.json"
        preamble = users[index].wait() if index in users else None
        with_it = [f"--preamble={preamble}"] if preamble else []
        result = _analyse_unit(analyzer, commands[index], more, options, with_it, out, limits, keep, lock, cancelled)
        if preambles:
            preambles.note(index, result.stats.get("preamble"))
        if not copies.keys().isdisjoint(result.files):
            result = replace(result, files=frozenset(copies.get(file, file) for file in result.files))
        with lock:
            done(result)
        return result

    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        for maker in makers:
            pool.submit(maker.run)
        # Long sources first, so that the last unit does not keep one worker busy while the others have nothing to do;
        # those that wait for a precompiled header last.
        order = sorted(missing, key=lambda i: (i in users and users[i].make is not None, -_bytes(commands[i])))
        futures = {index: pool.submit(one, index) for index in order}
        try:
            for index, future in futures.items():
                results[index] = future.result()
        except BaseException:
            cancelled.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [result for result in results if result]


def _bytes(command: Command) -> int:
    try:
        return (Path(command.directory) / command.file).stat().st_size
    except OSError:
        return 0


def cached_unit(
    cache: ResultCache, command: Command, options: Sequence[str], overlay: Overlay | None
) -> UnitResult | None:
    """What the cache has of the command, where nothing that it depends on has changed."""
    hit = cache.find([*options, *command.options], command.directory, command.file, command.arguments)
    if hit is None or (overlay and (overlay.touches(hit.files) or overlay.touches(hit.absent))):
        return None
    try:
        result = _to_unit(command, json.loads(hit.text), hit.seconds)
    except (ValueError, FindingError, RecursionError):
        return None
    return replace(result, stored=hit.text, summaries=hit.summaries, files=hit.files)


def _analyse_unit(
    analyzer: Path,
    command: Command,
    more: Sequence[str],
    options: Sequence[str],
    preamble: Sequence[str],
    out: Path,
    limits: Limits,
    cache: ResultCache | None,
    lock: threading.Lock,
    cancelled: threading.Event | None,
) -> UnitResult:
    before = [str(analyzer), *options, *command.options, *preamble, "-o", str(out)]
    behind = [str(command.file), "--", *command.arguments, *more]
    start = time.monotonic()
    failure, slow = _run_rules(before, behind, command.directory, limits, cancelled)
    seconds = time.monotonic() - start
    if failure:
        return UnitResult(command, "failed", failure=failure, seconds=seconds)
    try:
        value = _load(out)
        result = replace(_to_unit(command, value, seconds), result_file=out, files=_files_read(value))
        if cache and result.status != "failed" and not slow:
            with lock:
                everything = [*options, *command.options]
                stored = cache.store(everything, command.directory, command.file, command.arguments, value, seconds)
            result = replace(result, summaries=stored)
        return result
    except (OSError, ValueError, FindingError, RecursionError) as error:
        return UnitResult(command, "failed", failure=f"the analyser's result is unreadable: {error}", seconds=seconds)


def _files_read(value: dict[str, Any]) -> frozenset[str]:
    inputs = value.get("inputs")
    files = inputs.get("files") if isinstance(inputs, dict) else None
    return frozenset(f[0] for f in files if isinstance(f, list) and f) if isinstance(files, list) else frozenset()


def _run_rules(
    before: Sequence[str],
    behind: Sequence[str],
    directory: Path,
    limits: Limits,
    cancelled: threading.Event | None = None,
) -> tuple[str, tuple[str, ...]]:
    """Runs the analyser, and again without each rule that took its time up; what went wrong, and those rules. All
    attempts together keep to the limit of one."""
    slow: tuple[str, ...] = ()
    while True:
        words = [*before, f"--rule-seconds={limits.seconds_of_a_rule:g}"]
        words += [f"--without={','.join(slow)}"] if slow else []
        failure = run_bounded([*words, *behind], directory, limits, cancelled)
        match = _OUT_OF_TIME.search(failure)
        if match is None or match[1] in slow:
            return failure, slow
        slow = (*slow, match[1])
        if (len(slow) + 1) * limits.seconds_of_a_rule > limits.seconds:
            return f"took longer than {limits.seconds:g} s of processor time, in {', '.join(slow)}", slow


def run_bounded(
    words: Sequence[str],
    directory: Path,
    limits: Limits,
    cancelled: threading.Event | None = None,
    said: BinaryIO | None = None,
) -> str:
    """Runs a program to its end, its limit or until it is cancelled; an empty string, or what went wrong. What it says
    of errors goes into `said`, where that is given, and is not repeated then."""
    if cancelled and cancelled.is_set():
        return CANCELLED
    with contextlib.nullcontext(said) if said else tempfile.TemporaryFile() as errors:
        try:
            with ending.whole():
                process = subprocess.Popen(
                    words,
                    cwd=directory,
                    env={**os.environ, ending.PARENT: str(os.getpid())},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            return f"cannot start {words[0]}: {error.strerror or error}"
        deadline = time.monotonic() + limits.clock_seconds
        reason = ""
        try:
            while process.returncode is None:
                try:
                    process.wait(_POLL_SECONDS)
                except subprocess.TimeoutExpired:
                    if cancelled and cancelled.is_set():
                        reason = CANCELLED
                    elif _processor_seconds(process.pid) > limits.seconds:
                        reason = f"took longer than {limits.seconds:g} s of processor time"
                    elif time.monotonic() > deadline:
                        reason = f"did not end within {limits.clock_seconds:g} s"
                    elif _resident_bytes(process.pid) > limits.resident_bytes:
                        reason = f"needed more than {limits.resident_bytes >> 20} MiB of memory"
                    if reason:
                        break
        finally:
            if process.returncode is None:
                _kill(process)
        if reason:
            return reason
        if process.returncode == 0:
            return ""
        lines: list[str] = []
        if not said:
            errors.seek(0)
            lines = errors.read(1 << 20).decode("utf-8", "replace").strip().splitlines()
    status = process.returncode
    assert status is not None
    if status < 0:
        return f"the analyser crashed ({_signal_name(-status)})"
    text = "; ".join(lines[-_STDERR_LINES:])
    return f"the analyser failed with status {status}" + (f": {text}" if text else "")


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()
    process.wait()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _resident_bytes(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _processor_seconds(pid: int) -> float:
    """Of all its threads, in user and system mode."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / _TICKS
    except (OSError, ValueError, IndexError):
        return 0.0


def _load(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _MAX_RESULT_BYTES:
        raise ValueError("larger than any result")
    value = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(value, dict):
        raise ValueError("expected an object")  # noqa: TRY004 - bad input, not a bad call
    return value


def _to_unit(command: Command, value: Any, seconds: float) -> UnitResult:
    if not isinstance(value, dict):
        raise ValueError("expected an object")  # noqa: TRY004 - bad input, not a bad call
    status = value.get("status")
    if status not in ("ok", "errors", "failed"):
        raise ValueError(f"unknown status {status!r}")
    diagnostics = tuple(_diagnostic(d, command) for d in _list(value, "diagnostics") if isinstance(d, dict))
    stats = value.get("stats")
    failure = ""
    if status == "failed":
        failure = diagnostics[0].message if diagnostics else "the analyser gave no reason"
    return UnitResult(
        command,
        status,
        tuple(Finding.from_json(f) for f in _list(value, "findings")),
        diagnostics,
        stats if isinstance(stats, dict) else {},
        failure,
        seconds,
        tuple(Suppression.from_json(s) for s in _list(value, "suppressions")),
        given_up=_given_up(value),
        unread=tuple(_function(f) for f in _list(value, "unread")),
        not_run=tuple(map(str, _list(value, "not_run"))),
        build=_build_facts(value.get("summaries")),
        mpi_wrappers=tuple(map(str, _list(value, "mpi_wrappers"))),
        foreign=frozenset(map(str, _list(value, "foreign"))),
        mpi_ranks=tuple(map(str, _list(value, "mpi_ranks"))),
        mpi_asked=tuple(map(str, _list(value, "mpi_asked"))),
    )


def _build_facts(summaries: Any) -> Mapping[str, Any]:
    facts = summaries.get("build-unoptimised") if isinstance(summaries, dict) else None
    return facts if isinstance(facts, dict) else {}


def _function(value: Any) -> tuple[str, int]:
    if not isinstance(value, dict) or not isinstance(value.get("line"), int):
        raise ValueError("a function has no place")  # noqa: TRY004 - bad input, not a bad call
    return str(value.get("function", "")), value["line"]


def _given_up(value: dict[str, Any]) -> tuple[GivenUp, ...]:
    problems = (p for p in _list(value, "problems") if isinstance(p, dict))
    return tuple(GivenUp(str(p.get("rule", "")), str(p.get("message", ""))) for p in problems)


def stored_value(result: UnitResult) -> dict[str, Any] | None:
    """What the analyser wrote for the unit, without its inputs; None where it wrote nothing."""
    if result.stored:
        text = result.stored
    elif result.result_file is not None:
        text = result.result_file.read_bytes()
    else:
        return None
    value = json.loads(text)
    assert isinstance(value, dict)
    value.pop("inputs", None)
    return value


def from_stored(command: Command, value: Any, seconds: float, failure: str) -> UnitResult:
    """The unit's result again. Raises ValueError or FindingError for what stored_value() did not give."""
    if value is None:
        return UnitResult(command, "failed", failure=failure, seconds=seconds)
    return replace(_to_unit(command, value, seconds), stored=json.dumps(value).encode())


def _list(value: dict[str, Any], name: str) -> list[Any]:
    found = value.get(name, [])
    if not isinstance(found, list):
        raise ValueError(f"'{name}' is no array")  # noqa: TRY004 - bad input, not a bad call
    return found


def _diagnostic(value: dict[str, Any], command: Command) -> Diagnostic:
    file = value.get("file")
    line, column = value.get("line"), value.get("column")
    return Diagnostic(
        os.path.normpath(command.directory / file) if isinstance(file, str) and file else str(command.file),
        line if isinstance(line, int) else 0,
        column if isinstance(column, int) else 0,
        str(value.get("message", "")),
    )


def link(
    analyzer: Path,
    results: Sequence[UnitResult],
    options: Sequence[str],
    folder: Path,
    limits: Limits,
    cache: ResultCache | None = None,
) -> LinkResult:
    """The whole-program phase over the units' results."""
    parts = [r for r in results if r.result_file is not None or r.stored]
    if not parts:
        return LinkResult()
    summaries = [r.summaries for r in parts]
    unread = [r for r in results if r.status != "ok" or r.stats.get("ir", "ok") != "ok"]
    use_cache = cache is not None and all(summaries) and not unread
    try:
        known = cache.find_link(options, summaries) if cache and use_cache else None
        if known is not None:
            return _to_link(known)
    except (ValueError, FindingError, RecursionError):
        pass  # a damaged entry
    out = folder / "link.json"
    try:
        files = [_result_file(part, folder, index) for index, part in enumerate(parts)]
        before = [str(analyzer), "--link", *options, "-o", str(out)]
        if unread:
            names = folder / "unread.txt"
            names.write_text("\n".join(sorted(_named_in(unread))), encoding="utf-8")
            before.append(f"--unread={names}")
        failure, slow = _run_rules(before, files, folder, limits)
        if failure:
            return LinkResult(failure=failure)
        value = _load(out)
        result = _to_link(value)
    except (OSError, ValueError, FindingError, RecursionError) as error:
        return LinkResult(failure=f"the result of the whole-program phase is unreadable: {error}")
    if cache and use_cache and not slow:
        cache.store_link(options, summaries, value)
    return result


def _named_in(results: Sequence[UnitResult]) -> set[str]:
    """The names in the text of units of which not all is known: what they call, perhaps."""
    named: set[str] = set()
    for result in results:
        try:
            text = result.command.file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if result.command.language is Language.FORTRAN:
            text = _FORTRAN_DEFINITION.sub(" ", re.sub(r"!.*", "", text.lower()))
        named.update(_NAME.findall(text))
    return named


def _result_file(result: UnitResult, folder: Path, index: int) -> str:
    if result.result_file is not None:
        return os.path.relpath(result.result_file, folder)
    path = folder / f"stored{index}.json"
    path.write_bytes(result.stored)
    return path.name


def _to_link(value: dict[str, Any]) -> LinkResult:
    withdrawn, doubted = (
        tuple(_withdrawal(w) for w in _list(value, name) if isinstance(w, dict)) for name in ("withdrawn", "doubted")
    )
    findings = tuple(Finding.from_json(f) for f in _list(value, "findings"))
    once, sent_once = (
        tuple(_ran_once(place) for place in _list(value, name) if isinstance(place, dict))
        for name in ("once", "sent_once")
    )
    unreached = tuple(_not_reached(u) for u in _list(value, "unreached") if isinstance(u, dict))
    return LinkResult(
        findings,
        withdrawn,
        doubted=doubted,
        given_up=_given_up(value),
        once=once,
        sent_once=sent_once,
        unreached=unreached,
    )


def _not_reached(value: dict[str, Any]) -> Unreached:
    place = value.get("place")
    return Unreached(_ran_once(place if isinstance(place, dict) else {}), value.get("alone") is True)


def _ran_once(place: dict[str, Any]) -> Location:
    file, line, end = place.get("file"), place.get("line"), place.get("end_line")
    if not isinstance(file, str) or not isinstance(line, int) or not isinstance(end, int):
        raise ValueError("a function that the whole program judges has no place")  # noqa: TRY004 - bad input, not a bad call
    return Location(file, line, end_line=end)


def _withdrawal(value: dict[str, Any]) -> Withdrawal:
    where = value.get("location")
    if not isinstance(where, dict) or not isinstance(where.get("file"), str) or not isinstance(where.get("line"), int):
        raise ValueError("a withdrawn fix has no place")  # noqa: TRY004 - bad input, not a bad call
    return Withdrawal(str(value.get("rule", "")), where["file"], where["line"], str(value.get("why", "")))
