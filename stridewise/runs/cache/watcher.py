"""Watching the caches: Cachegrind in front of the program, its counts given to the judges of the rules.

One pass simulates the first and the last level. Two more tell conflicts: the core's own two levels as they are, and
nearly fully associative; they are made where `--conflicts` asks for them or a rule of the given findings needs them.
A sampled run simulates windows of one pass only (runtime/windows/). For a roofline the first pass counts each
instruction by itself.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from stridewise import catalogue
from stridewise.catalogue import Rule
from stridewise.collect import launcher
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Finding, Verdict
from stridewise.finding.correlate import covers, join_cache
from stridewise.finding.profile import Look
from stridewise.finding.quantities import seconds
from stridewise.finding.result import RunSummary, Trouble
from stridewise.machine import geometry, machine_file
from stridewise.machine.geometry import Geometry
from stridewise.runs import detectors, lint_findings, run_folder
from stridewise.runs.cache import cachegrind, profiles, roofline, valgrind
from stridewise.runs.cache.cachegrind import UNKNOWN_FILE, CacheProfile, Counts, total_of
from stridewise.runs.cache.valgrind import Pass
from stridewise.runs.kinds import Folder, Plan, Request, Seen, built, check_programs, exporting, preloaded
from stridewise.settings import toolchain

_PLAIN, _INNER, _FULL, _QUICK, _SAMPLED, _ROOFLINE = "cachegrind", "inner", "full", "quick", "sampled", "roofline"
_THREADS = "threads"
_WHOLE = (_PLAIN, "callgrind", _SAMPLED, _ROOFLINE)  # what shows both levels
_ALL = (*_WHOLE, _INNER, _FULL, _QUICK)
_LOGS = tuple(f"{name}.*.log" for name in _ALL)
THREADS = "threads.*.out-*"  # of a run whose threads are counted each by itself
LEAVES = (*(f"{name}.*.out" for name in (*_ALL, _THREADS)), THREADS, *_LOGS, f"{_THREADS}.*.log", roofline.KEPT)
_NAMES = {
    _PLAIN: "simulating the first and the last level",
    "callgrind": "simulating the caches within the functions of the findings",
    _SAMPLED: "simulating the caches in windows",
    _ROOFLINE: "simulating the first and the last level, instruction by instruction",
    _THREADS: "counting the instructions of each thread",
    _INNER: "simulating the core's own two levels",
    _FULL: "simulating nearly fully associative caches",
    _QUICK: "simulating the first level without sets",
}
# Milliseconds of processor time: between windows; of a window uncounted, while the caches fill; and counted.
_WINDOWS = (1000, 60, 100)
_LEAST_ACCESSES = 10_000  # of a window
_SHOWN = (Verdict.CONFIRMED, Verdict.OBSERVED, Verdict.SUSPECTED)
_SAMPLE = (
    "a sample: counts are those of the windows, last-level misses are at most as many (each window begins with empty "
    "caches), and what no window met is not judged"
)
_CROWDED = "mem-power-of-two-stride"
# What a miss costs in a run without sets, over what an access costs in the first one: all of the ways are gone through.
_QUICK_MISS, _FULL_MISS = 8.0, 40.0
_WORTH_A_WORD, _LONGEST = 20.0, 600.0  # seconds of a further run
_SYSTEM = re.compile(r"/usr/|\./[^/]+/\.\.?/")  # installed headers; the C library's sources as it names them
_WARM_SHARE = 0.005  # of the misses, from which on a line is warm
_WORST, _LEAST_SHARE = 3, 0.05  # lines that the head names, and their share of the misses
_SAME_WORK = 0.05  # accesses of two passes that did the same work differ by no more


def plan(request: Request) -> Plan:
    found = shutil.which("valgrind")
    if found is None:
        raise Failure("valgrind is not installed, and run --cache measures with it; apt install valgrind")
    settings = request.settings
    simulated = geometry.chosen(settings)
    ranks = valgrind.parse_ranks(settings.get("ranks", ""))
    limit = _limit(settings.get("limit", ""))
    for note in valgrind.examine(request.command, request.launch):
        remark(note)
    roof = bool(settings.get("roofline"))
    if roof and settings.get("only_findings"):
        raise Failure("--roofline is of the whole run; leave --only-findings out")
    findings = _findings(request)
    if settings.get("sample"):
        return _sampled(request, found, simulated, ranks, limit)
    if settings.get("threads"):
        return _by_thread(request, found, simulated, limit)
    toggles = _toggles(request, findings) if settings.get("only_findings") else ()
    chosen = passes(simulated, toggles, bool(settings.get("conflicts")) or _needs_conflicts(findings), roof)
    cache = request.folder / "cache"
    commands = [valgrind.command(request.command, request.launch, found, cache, one, ranks) for one in chosen]
    asked = bool(settings.get("conflicts"))
    clock = _Clock()
    if len(commands) == 1 and not toggles and not settings.get("once"):
        one = Pass(_QUICK, simulated.quick())
        chosen = [*chosen, one]
        commands.append(valgrind.command(request.command, request.launch, found, cache, one, ranks))
        repeat = partial(_may_crowd, request, clock, limit)
    else:
        repeat = partial(_goes_on, request, findings, asked, clock)
    after = partial(_after, request.folder, simulated.data.line_bytes)
    names = tuple(_NAMES[one.name] for one in chosen)
    return Plan(commands[0], _environment(), after, tuple(commands[1:]), repeat, limit, clock.start, names)


def _by_thread(request: Request, found: str, simulated: Geometry, limit: float) -> Plan:
    """One file for each thread, which no report reads: the studies of `scale` do."""
    one = Pass(_THREADS, simulated, threads=True)
    command = valgrind.command(request.command, request.launch, found, request.folder / "cache", one)
    after = partial(_after, request.folder, simulated.data.line_bytes)
    return Plan(command, _environment(), after, limit_seconds=limit, names=(_NAMES[_THREADS],))


class _Clock:
    """How long the first run took."""

    def __init__(self) -> None:
        self.begin = time.monotonic()

    def start(self) -> None:
        self.begin = time.monotonic()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begin


def _goes_on(request: Request, findings: Sequence[Finding], asked: bool, clock: _Clock) -> bool:
    spent = clock.seconds
    if not asked and not _undecided(request, findings):
        return False
    profile = read([Folder(request.folder, None)], Seen())
    if profile:
        _announce(spent * (1 + _FULL_MISS * _miss_rate(profile)), "the nearly fully associative run may take")
    return True


def _may_crowd(request: Request, clock: _Clock, limit: float) -> bool:
    """Whether one more run is worth it, of the first level without sets: where lines of the program miss much in it."""
    spent = clock.seconds
    profile = read([Folder(request.folder, None)], Seen())
    rule = catalogue.load().get(_CROWDED)
    if profile is None or rule is None or profile.partial:
        return False
    if not any(_stands_out(counts, profile, rule) for _, _, counts in _own_lines(profile)):
        return False
    expected = spent * (1 + _QUICK_MISS * _miss_rate(profile))
    if expected > _LONGEST and not limit:
        remark(
            f"lines miss much, maybe since they evict each other: run --cache --conflicts tells, in about "
            f"{seconds(expected)} more"
        )
        return False
    _announce(expected, "one more run, of the first level without sets, may take")
    return True


def _stands_out(counts: Counts, profile: CacheProfile, rule: Rule) -> bool:
    return (
        counts.d1_misses >= rule.threshold("observe_share") * profile.total.d1_misses
        and counts.d1_misses >= rule.threshold("observe_rate") * counts.accesses
        and counts.d1_misses > 0
    )


def _announce(expected: float, what: str) -> None:
    if expected >= _WORTH_A_WORD:
        remark(f"{what} about {seconds(expected)}")


def _miss_rate(profile: CacheProfile) -> float:
    return profile.total.d1_misses / max(1, profile.total.accesses)


def _own_lines(profile: CacheProfile) -> Iterator[tuple[str, int, Counts]]:
    """The program's own lines, over all functions that they are a part of."""
    for file, by_line in profile.lines.items():
        if file != UNKNOWN_FILE and not _SYSTEM.match(file):
            for line, functions in by_line.items():
                if line > 0:
                    yield file, line, total_of(functions.values())


def _sampled(request: Request, found: str, simulated: Geometry, ranks: str, limit: float) -> Plan:
    for other in ("conflicts", "only_findings", "roofline"):
        if request.settings.get(other):
            raise Failure(f"--{other.replace('_', '-')} needs the whole run; leave it or --sample out")
    library = built(
        toolchain.windows_library(),
        toolchain.WINDOWS,
        "build it with cmake where Valgrind's headers are (apt install valgrind)",
    )
    check_programs(request, "its run cannot be sampled (leave --sample out)")
    environment = _environment()
    environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), library))
    environment["STRIDEWISE_WINDOWS"] = ",".join(map(str, _WINDOWS))
    bare = exporting(request.command, request.launch, ("LD_PRELOAD", "STRIDEWISE_WINDOWS"), environment)
    one = Pass(_SAMPLED, simulated, sampled=True)
    command = valgrind.command(bare, launcher.parse(bare), found, request.folder / "cache", one, ranks)
    after = partial(_after, request.folder, simulated.data.line_bytes)
    return Plan(command, environment, after, limit_seconds=limit, names=(_NAMES[_SAMPLED],))


def _environment() -> dict[str, str]:
    """Under Valgrind each process sees the processor that it runs on as every processor, of which hwloc, as MPI
    libraries use it, would complain at length; where it asks the processor itself, it says that it does not."""
    return {"HWLOC_HIDE_ERRORS": "2", "HWLOC_COMPONENTS": "-x86", **os.environ}


def passes(simulated: Geometry, toggles: tuple[str, ...], conflicts: bool, roof: bool = False) -> list[Pass]:
    """What is simulated, one run of the program each; the plain caches first, for a roofline with each instruction."""
    if roof:
        found = [Pass(_ROOFLINE, simulated, instructions=True)]
    else:
        found = [Pass("callgrind" if toggles else _PLAIN, simulated, toggles)]
    if conflicts:
        # Without a second level the plain pass shows what there is.
        if simulated.second is not None:
            found.append(Pass(_INNER, simulated.inner(), toggles))
        found.append(Pass(_FULL, simulated.full(), toggles))
    return found


def _limit(text: str) -> float:
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise Failure(f"--limit {text}: expected a positive number of seconds")
    return value


def _findings(request: Request) -> list[Finding]:
    if request.lint is None:
        if request.settings.get("only_findings"):
            raise Failure("--only-findings needs --lint FINDINGS.json; make it with stridewise lint --format json")
        return []
    return lint_findings.load(request.lint).findings


def _needs_conflicts(findings: Sequence[Finding]) -> bool:
    needing = detectors.conflict_rules(catalogue.load())
    return any(finding.rule in needing for finding in findings)


def _undecided(request: Request, findings: Sequence[Finding]) -> bool:
    """Whether a finding is left that only the conflicts decide: where the first run missed next to nothing, or did not
    come by, they are not worth two more."""
    rules = catalogue.load()
    profile = read([Folder(request.folder, None)], Seen())
    judges = detectors.cache_judges(rules)
    needing = [f for f in findings if f.rule in detectors.conflict_rules(rules)]
    said = [judges[f.rule](f, profile, rules[f.rule]) for f in needing] if profile else []
    return any(one is not None and one.verdict is Verdict.SUSPECTED for one in said)


def _toggles(request: Request, findings: Sequence[Finding]) -> tuple[str, ...]:
    """The functions that findings of the cache rules name; empty, with a word, where that leaves something out."""
    rules = catalogue.load()
    judged = [f for f in findings if f.rule in rules and "cache" in rules[f.rule].detectors and f.function]
    if not judged:
        raise Failure(f"no finding in {request.lint} is one that a cache run judges; leave --only-findings out")
    patterns, inlined = valgrind.toggles((f.function for f in judged), request.command, request.launch)
    if inlined:
        remark(f"{', '.join(inlined)} was inlined into its callers: the whole run is counted")
        return ()
    return patterns


def _after(folder: Path, line_bytes: int, status: int) -> None:
    """MPICH's launcher gives a rank's bare signal, the others add 128 to it, as a shell does."""
    if counted := run_folder.files(folder, "cache", f"{_ROOFLINE}.*.out"):
        try:
            roofline.keep(counted, line_bytes, folder / "cache" / roofline.KEPT)
        except Failure as error:
            remark(str(error))
    said = []
    for log in run_folder.files(folder, "cache", *_LOGS):
        with suppress(OSError):
            if log.stat().st_size:
                said.append(log)
            else:
                log.unlink()
    if said and status != 0:
        remark(f"what Valgrind said is in {said[0]}" + (f" and {len(said) - 1} more" if len(said) > 1 else ""))
    if status in (signal.SIGILL, 128 + signal.SIGILL):
        remark(
            "the program ended by an illegal instruction: Valgrind knows no AVX-512; build it with at most "
            "-march=x86-64-v3 (or -mno-avx512f); for Intel's MKL set MKL_ENABLE_INSTRUCTIONS=AVX2"
        )


def nothing(_request: Request) -> str:
    return ""


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen(judges_only=True)
    for folder in folders:
        if not _files([folder], *_WHOLE):
            seen.troubles.append(
                Trouble(str(folder.path / "cache"), "the run left no profile; see what it printed and run it again")
            )
    profile = read(folders, seen)
    if profile is None:
        return seen
    how = _how(profile, bool(_files(folders, _ROOFLINE)))
    details = (
        f"{how}, {profile.processes} process{'es' if profile.processes != 1 else ''}",
        *caches(profile),
        f"{profile.total.d1_misses:,} D1 and {profile.total.ll_misses:,} last-level misses in "
        f"{profile.total.accesses:,} accesses",
    )
    if profile.windows:
        seen.notes.append(_SAMPLE)
    records = [folder.record for folder in folders if folder.record]
    runs = [RunSummary("cache", r.command, r.status, r.seconds, details) for r in records]
    # The profile is that of all runs: it is shown once.
    first, *others = runs or [RunSummary("cache", (), 0, None, details)]
    views, looks = _roofline(folders, seen)
    seen.runs = [replace(first, misses=_shares(profile), views=views, looks=looks), *others]

    def join(findings: list[Finding]) -> list[Finding]:
        judges, own = detectors.cache_judges(rules), detectors.cache_detectors(rules)
        joined = join_cache(findings, profile, rules, judges, own)
        seen.notes += worst_lines(profile, [f for f in joined if f.rule in judges and f.verdict in _SHOWN])
        return joined

    seen.join = join
    return seen


def _roofline(folders: Sequence[Folder], seen: Seen) -> tuple[Callable[[], Mapping[str, Any]] | None, tuple[Look, ...]]:
    """The data of the picture, and the dearest loops; the table goes to `seen`. None where no run counted for a
    roofline."""
    try:
        kept = roofline.read([p for f in folders for p in run_folder.files(f.path, "cache", roofline.KEPT)])
        path = machine_file.find(platform.node())
        roof = roofline.ceilings(machine_file.load(path) if path else None, kept.processes) if kept else None
    except Failure as error:
        seen.troubles.append(Trouble("roofline", str(error)))
        return None, ()
    if kept is None:
        return None, ()
    seen.tables.append(roofline.table(kept, roof))
    return partial(roofline.view, kept, roof), roofline.dearest(kept)


def _shares(profile: CacheProfile) -> dict[tuple[str, int], float]:
    """Of the first-level misses, by line of the program."""
    total = profile.total.d1_misses
    lines = _own_lines(profile) if total else ()
    return {(file, line): c.d1_misses / total for file, line, c in lines if c.d1_misses >= _WARM_SHARE * total}


def worst_lines(profile: CacheProfile, findings: Sequence[Finding]) -> list[str]:
    """Where most of the misses are, and how many of them the findings speak of: what they leave is for the table."""
    total = profile.total.d1_misses
    lines = sorted(_own_lines(profile), key=lambda one: (-one[2].d1_misses, one[0], one[1]))
    worst = [one for one in lines[:_WORST] if total and one[2].d1_misses >= _LEAST_SHARE * total]
    if not worst:
        return []
    named = ", ".join(
        f"{PurePosixPath(file).name}:{line} {100 * counts.d1_misses / total:.0f} %" for file, line, counts in worst
    )
    explained = sum(c.d1_misses for file, line, c in lines if any(covers(f, file, line) for f in findings))
    return [
        f"of the first-level misses, most are at {named}; the findings speak of {100 * explained / total:.0f} % of all "
        "(report --cache-table shows all lines)"
    ]


def read(folders: Sequence[Folder], seen: Seen) -> CacheProfile | None:
    """All passes of the runs, summed over their processes; files that are left out are told to `seen`."""
    plain = _windows(_read(_files(folders, *_WHOLE), seen), folders, seen)
    if plain is not None and not _files(folders, "callgrind", _SAMPLED):
        plain = replace(plain, partial=False)
    full = _read(_files(folders, _FULL), seen)
    quick = _read(_files(folders, _QUICK), seen)
    if plain is not None and quick is not None and _is_same_work(plain, quick):
        plain = replace(plain, quick=quick)
    if plain is None or full is None:
        return plain
    inner = _read(_files(folders, _INNER), seen) or plain
    if not all(_is_same_work(plain, one) for one in (inner, full)):
        seen.notes.append(
            "the runs for the conflicts did other work than the first one (does the program read a pipe, or the "
            "time?): conflicts are not judged"
        )
        return plain
    return replace(plain, inner=inner, full=full)


def _is_same_work(one: CacheProfile, other: CacheProfile) -> bool:
    return abs(other.total.accesses - one.total.accesses) <= _SAME_WORK * one.total.accesses


def _how(profile: CacheProfile, by_instruction: bool) -> str:
    if profile.windows:
        return f"Callgrind, {len(profile.windows):,} window{'s' if len(profile.windows) > 1 else ''} of the run"
    if profile.partial:
        return "Callgrind, only the functions of findings"
    return "Callgrind" if by_instruction else "Cachegrind"


def _windows(profile: CacheProfile | None, folders: Sequence[Folder], seen: Seen) -> CacheProfile | None:
    """Of a sampled run: None where it ended before its first window, which is told."""
    sampled = _files(folders, _SAMPLED)
    if profile is None or profile.windows or not sampled:
        return profile
    if profile.total.accesses >= _LEAST_ACCESSES:
        return replace(profile, windows=(replace(profile),))  # it ended within the first
    if _files(folders, _PLAIN, "callgrind"):
        return profile
    why = "the run ended before the first window of its sample; such a short run is quickly simulated without --sample"
    seen.troubles.append(Trouble(str(sampled[0].parent), why))
    return None


def _files(folders: Sequence[Folder], *names: str) -> list[Path]:
    patterns = [f"{name}.*.out" for name in names]
    return [path for folder in folders for path in run_folder.files(folder.path, "cache", *patterns)]


def _read(paths: Sequence[Path], seen: Seen) -> CacheProfile | None:
    profile, bad = profiles.read(paths)
    seen.troubles += [Trouble(str(path), why) for path, why in bad]
    return profile


def caches(profile: CacheProfile) -> list[str]:
    """The simulated caches in words."""
    return [f"{name} {cache.words()}" for name, cache in cachegrind.simulated(profile).items() if name != "I1"]
