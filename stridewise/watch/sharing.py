"""Watching false sharing: a program that was instrumented by stridewise-share-cc tells who touched which lines.

See docs/false-sharing-runs.md; the recording itself is runtime/sharing/.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from stridewise import detectors, run_folder, sharing
from stridewise.catalogue import Rule
from stridewise.collect import elf, launcher, symbolize
from stridewise.correlate import confirm, covers, frames
from stridewise.errors import Failure
from stridewise.finding import Evidence, Finding, Verdict
from stridewise.quantities import seconds
from stridewise.result import RunSummary, Trouble
from stridewise.sharing import Sharing
from stridewise.trace import Frame
from stridewise.watch import Folder, Plan, Request, Seen, exporting

LEAVES = ("shard.*.swsharing",)
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
    environment = dict(os.environ)
    environment["STRIDEWISE_SHARING_OUT"] = str(request.folder)
    environment["OMP_TOOL"] = "enabled"
    environment.pop("OMP_TOOL_LIBRARIES", None)
    return Plan(
        exporting(request.command, request.launch, ("STRIDEWISE_SHARING_OUT", "OMP_TOOL"), environment), environment
    )


def is_instrumented(path: Path) -> bool:
    return RUNTIME in elf.needed_libraries(path)


def nothing(request: Request) -> str:
    if run_folder.files(request.folder, "sharing", *LEAVES):
        return ""
    return (
        "no instrumented program came to its end, so there is nothing to report: one that is killed, or ends by _exit, "
        f"tells nothing; one that was never instrumented neither: {HOW}"
    )


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen()
    runs: list[Sharing] = []
    for folder in folders:
        found: list[Sharing] = []
        for path in run_folder.files(folder.path, "sharing", *LEAVES):
            try:
                run, notes = _resolved(sharing.load(path))
            except (sharing.ShardError, OSError) as error:
                seen.troubles.append(Trouble(str(path), f"left out: {error}"))
                continue
            found.append(run)
            seen.notes += [note for note in notes if note not in seen.notes]
        runs += found
        if found:
            seen.runs.append(_summary(folder, found))
            seen.notes += _notes(found)
    if not runs:
        return seen
    for slug, detect in detectors.sharing_detectors(rules).items():
        seen.observed += detect(runs, rules[slug])
    seen.join = lambda findings: join(findings, seen.observed, runs, rules)
    return seen


def _resolved(run: Sharing) -> tuple[Sharing, list[str]]:
    """With source lines and names, and what could not be resolved."""
    wanted = {s.pc for c in run.conflicts for s, _ in c.sites}
    wanted |= {s.pc for c in run.conflicts for party in c.parties for s in party.thing.callers}
    wanted |= {region.site.pc for region in run.regions} | {visit.site.pc for visit in run.visits}
    data = {p.thing.begin for c in run.conflicts for p in c.parties if p.thing.place in ("memory", "static")}
    by_module: dict[int, list[int]] = defaultdict(list)
    data_by_module: dict[int, list[int]] = defaultdict(list)
    for index, (low, high, _, _) in enumerate(run.modules):
        by_module[index] += [pc for pc in wanted if low <= pc < high]
        data_by_module[index] += [address for address in data if low <= address < high]
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


def _variable(name: str) -> str:
    """Flang's names of variables of programs, procedures and modules (_QFsolveEsums), as the source has them."""
    mangled = _FLANG.fullmatch(name)
    return mangled[1] if mangled else name


def _summary(folder: Folder, runs: Sequence[Sharing]) -> RunSummary:
    regions = [region for run in runs for region in run.regions]
    executions, watched = sum(r.executions for r in regions), sum(r.watched for r in regions)
    threads = max((round(r.threads) for r in regions if r.watched), default=0)
    details = (
        f"{len(runs)} process{'es' if len(runs) != 1 else ''}, {threads} threads",
        f"{watched:,} of {executions:,} executions of {len(regions):,} parallel regions watched, "
        f"{seconds(sum(r.seconds for r in regions))}",
    )
    record = folder.record
    command = record.command if record else (runs[0].executable,)
    return RunSummary("sharing", command, record.status if record else 0, record.seconds if record else None, details)


def _notes(runs: Sequence[Sharing]) -> list[str]:
    lost: dict[str, int] = defaultdict(int)
    for run in runs:
        for name, count in run.lost.items():
            lost[name] += count
    notes = [f"{count:,} {name} found no room and were not looked at" for name, count in sorted(lost.items())]
    if not any(region.watched for run in runs for region in run.regions):
        notes.append("no parallel region ran with more than one thread, so that no line was shared")
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
