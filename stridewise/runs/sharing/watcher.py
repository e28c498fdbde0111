"""Watching false sharing: a program that was instrumented by stridewise-share-cc tells who touched which lines.

See docs/false-sharing-runs.md; the recording itself is runtime/sharing/.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from stridewise.catalogue import Rule
from stridewise.collect import elf, launcher, symbolize
from stridewise.console import remark
from stridewise.errors import Failure
from stridewise.finding import Evidence, Finding, Verdict
from stridewise.finding.correlate import confirm, covers, frames
from stridewise.finding.quantities import seconds
from stridewise.finding.result import RunSummary
from stridewise.output import write_file
from stridewise.runs import detectors, lint_findings, run_folder
from stridewise.runs.kinds import Folder, Plan, Request, Seen, check_programs, exporting, gather, tell
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.sharing import shards as sharing
from stridewise.runs.sharing.shards import Region, Sharing

_SHARDS = "shard.*.swsharing"
_LINES = "lines.txt"  # what the run is limited to: a line and a path each, read by runtime/sharing/lines.c
LEAVES = (_SHARDS, _LINES)
_NAMES = ("watching cache lines that threads share",)
_RULE = "omp-false-sharing"
_MOST_LINES = 2000  # of a range in a file that anybody may have written
_FLANG = re.compile(r"_Q(?:[MFS][a-z0-9_$]*)*E[CNB]?([a-z][a-z0-9_$]*)")
RUNTIME = "libstridewise_sharing.so"
HOW = "build it with stridewise-share-cc, such as make CC='stridewise-share-cc gcc'; see stridewise-share-cc --help"


# --- Starting ---------------------------------------------------------------------------------------------------------


def plan(request: Request) -> Plan:
    for position in request.launch.programs:
        word = request.command[position]
        path = launcher.executable(word)
        # Scripts and the like of timeout or numactl may start an instrumented program.
        if PurePath(word).name in launcher.PREFIXES:
            continue
        if path is not None and elf.is_elf(path) and not is_instrumented(path):
            raise Failure(f"{path} was not instrumented, so that it cannot tell who shares lines; {HOW}")
    check_programs(request, "it cannot tell who shares lines", libraries=False)
    environment = dict(os.environ)
    environment["STRIDEWISE_SHARING_OUT"] = str(request.folder)
    environment["OMP_TOOL"] = "enabled"
    environment.pop("OMP_TOOL_LIBRARIES", None)
    exported = ["STRIDEWISE_SHARING_OUT", "OMP_TOOL"]
    environment.pop("STRIDEWISE_SHARING_LINES", None)
    named = _named(request)
    if not named:
        return Plan(exporting(request.command, request.launch, exported, environment), environment, names=_NAMES)
    file = request.folder / "sharing" / _LINES
    environment["STRIDEWISE_SHARING_LINES"] = str(file)
    text = "".join(f"{line} {path}\n" for path, line in sorted(named))
    return Plan(
        exporting(request.command, request.launch, [*exported, "STRIDEWISE_SHARING_LINES"], environment),
        environment,
        before=lambda: write_file(file, text),
        names=_NAMES,
    )


def _named(request: Request) -> set[tuple[str, int]]:
    """The lines that findings of --lint name; empty, and everything is watched, with --all or without such findings."""
    if request.lint is None or request.everything:
        return set()
    findings = [finding for finding in lint_findings.load(request.lint).findings if finding.rule == _RULE]
    found = {place for finding in findings for place in _places(finding) if not set(place[0]) & set("\n\r")}
    if found:
        count = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
        remark(f"watching the parallel loops of {count} in {request.lint}; with --all, every parallel loop")
    else:
        remark(f"{request.lint} has no finding of {_RULE}: every parallel loop is watched")
    return found


def _places(finding: Finding) -> Iterator[tuple[str, int]]:
    """The lines that `correlate.covers` takes for those of the finding."""
    where = finding.location
    last = max(where.line, where.end_line)
    yield from ((where.file, line) for line in range(where.line, min(last, where.line + _MOST_LINES) + 1))
    yield from ((access.file, access.line) for access in finding.accesses)
    if not finding.accesses and finding.scope.begin_line > 0:
        begin, end = finding.scope.begin_line, finding.scope.end_line
        yield from ((where.file, line) for line in range(begin, min(end, begin + _MOST_LINES) + 1))


def _limits(folder: Path) -> frozenset[tuple[str, int]] | None:
    """What the run of that folder was limited to."""
    try:
        text = (folder / _LINES).read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return None
    pairs = (line.split(" ", 1) for line in text.splitlines())
    return frozenset((pair[1], int(pair[0])) for pair in pairs if len(pair) == 2 and pair[0].isdecimal())


def is_instrumented(path: Path) -> bool:
    return RUNTIME in elf.needed_libraries(path)


def nothing(request: Request) -> str:
    if run_folder.files(request.folder, "sharing", _SHARDS):
        return ""
    return (
        "no instrumented program came to its end, so there is nothing to report: one that is killed, or ends by _exit, "
        f"tells nothing; one that was never instrumented neither: {HOW}"
    )


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen()
    runs: list[Sharing] = []
    for folder, found in gather(folders, "sharing", [_SHARDS], _load, sharing.ShardError, seen):
        runs += found
        seen.runs.append(_summary(folder, found))
        tell(seen, _notes(found))
    if not runs:
        return seen
    for slug, detect in detectors.sharing_detectors(rules).items():
        seen.observed += detect(runs, rules[slug])
    seen.join = lambda findings: join(findings, seen.observed, runs, rules)
    return seen


def _load(path: Path) -> tuple[Sharing, list[str]]:
    run, notes = _resolved(sharing.load(path))
    return replace(run, only=_limits(path.parent)), notes


def _resolved(run: Sharing) -> tuple[Sharing, list[str]]:
    """With source lines and names, and what could not be resolved."""
    by_module = _by_module(run, _code(run))
    data = {p.thing.begin for c in run.conflicts for p in c.parties if p.thing.place in ("memory", "static")}
    data_by_module = _by_module(run, data)
    found: dict[int, tuple[Frame, ...]] = {}
    names: dict[int, str] = {}
    notes: list[str] = []
    for index, (_, _, base, module) in enumerate(run.modules):
        if not module.path.startswith("/"):
            continue
        try:
            if addresses := by_module[index]:
                # A return address: the call is before it.
                lines = symbolize.lines(module.path, module.build_id, [pc - base - 1 for pc in addresses])
                found.update((pc, tuple(lines.get(pc - base - 1, ()))) for pc in addresses)
            if addresses := data_by_module[index]:
                known = symbolize.variables(module.path, [a - base for a in addresses])
                names.update((a, _variable(known.get(a - base, "static data"))) for a in addresses)
        except ValueError as error:
            notes.append(f"no source lines for {module.path}: {error}")
    sites = [*(region.site for region in run.regions), *(visit.site for visit in run.visits)]
    own = [frame for site in sites for frame in found.get(site.pc, ())]
    if own and not any(frame.known for frame in own):
        notes.append(f"{run.executable} has no line information: build it with -g to see source lines")
    return sharing.with_sites(run, found, names), notes


def _code(run: Sharing) -> set[int]:
    """All addresses in code that the run speaks of."""
    found = {s.pc for c in run.conflicts for s, _ in c.sites}
    found |= {s.pc for c in run.conflicts for party in c.parties for s in party.thing.callers}
    found |= {region.site.pc for region in run.regions} | {visit.site.pc for visit in run.visits}
    return found | {starter.pc for region in run.regions for starter in region.starters}


def _by_module(run: Sharing, addresses: Iterable[int]) -> list[list[int]]:
    """Addresses in each of the run's modules."""
    found = sorted(addresses)
    return [[address for address in found if low <= address < high] for low, high, _, _ in run.modules]


def _variable(name: str) -> str:
    """Flang's names of variables of programs, procedures and modules (_QFsolveEsums), as the source has them."""
    mangled = _FLANG.fullmatch(name)
    return mangled[1] if mangled else name


def _summary(folder: Folder, runs: Sequence[Sharing]) -> RunSummary:
    regions = [region for run in runs for region in run.regions]
    threads = max((round(r.threads) for r in regions if r.watched), default=0)
    several = f"{len(runs)} process{'es' if len(runs) != 1 else ''}, {threads} threads"
    details = (several, *_watched(regions), seconds(sum(r.seconds for r in regions)))
    record = folder.record
    command = record.command if record else (runs[0].executable,)
    return RunSummary("sharing", command, record.status if record else 0, record.seconds if record else None, details)


def _watched(regions: Sequence[Region]) -> Iterator[str]:
    for own, name in ((False, "parallel region"), (True, "start")):
        found = [r for r in regions if r.by_threads is own]
        if not found and own:
            continue
        executions, watched = sum(r.executions for r in found), sum(r.watched for r in found)
        what = f"{len(found):,} {name}{'s' if len(found) != 1 else ''}" + (" of threads" if own else "")
        yield f"{watched:,} of {executions:,} executions of {what} watched"


def _notes(runs: Sequence[Sharing]) -> list[str]:
    lost: dict[str, int] = defaultdict(int)
    for run in runs:
        for name, count in run.lost.items():
            lost[name] += count
    notes = [f"{count:,} {name} found no room and were not looked at" for name, count in sorted(lost.items())]
    if any(run.only is not None for run in runs):
        notes.append("only the parallel loops that --lint names were watched; with --all, every parallel loop")
    if not any(region.watched for run in runs for region in run.regions):
        notes.append(
            "no parallel region ran with more than one thread, and the program started no thread itself, as far as was "
            "seen: no line was watched"
        )
    return notes


# --- Joining ----------------------------------------------------------------------------------------------------------


def join(
    static: Sequence[Finding], observed: Sequence[Finding], runs: Sequence[Sharing], rules: Mapping[str, Rule]
) -> list[Finding]:
    """The findings so far with the run's verdicts, then those of the run that the source does not explain.

    Each finding of the run goes to one finding of the source: that whose own statement it stands on, if there is one.
    """
    judges = detectors.sharing_judges(rules)
    joined: dict[int, list[Finding]] = defaultdict(list)
    shown: set[int] = set()
    rest: list[Finding] = []
    for finding in observed:
        matches = sorted(
            (not _stands_on(candidate, finding), depth, index)
            for index, candidate in enumerate(static)
            if candidate.rule == finding.rule
            for depth, (file, line) in enumerate(frames(finding))
            if covers(candidate, file, line)
        )
        if matches:
            joined[matches[0][-1]].append(finding)
            shown |= {index for *_, index in matches}
        else:
            rest.append(finding)
    out: list[Finding] = []
    for index, finding in enumerate(static):
        if index in joined:
            out.append(confirm(finding, joined[index]))
        elif index in shown:
            note = Evidence(
                "sharing", {}, "the run shows it; its lines are counted in another finding of the same data"
            )
            out.append(replace(finding.with_evidence(note), verdict=Verdict.CONFIRMED))
        elif finding.rule in judges:
            out.append(judges[finding.rule](finding, runs, rules[finding.rule]).apply(finding))
        else:
            out.append(finding)
    return out + rest


def _stands_on(static: Finding, observed: Finding) -> bool:
    return static.location.line <= observed.location.line <= max(static.location.line, static.location.end_line)
