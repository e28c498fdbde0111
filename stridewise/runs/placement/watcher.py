"""Watching placement: a recorder in the program samples where big arrays lie and which nodes use them.

See docs/placement.md; the recording itself is runtime/placement/.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from stridewise.catalogue import Rule
from stridewise.collect.preload import loadable
from stridewise.collect.symbolize import resolve
from stridewise.errors import Failure
from stridewise.finding import Finding
from stridewise.finding.correlate import frames, same_file
from stridewise.finding.quantities import percent
from stridewise.finding.result import RunSummary
from stridewise.machine.calibrate.topology import parse_list
from stridewise.runs import detectors, run_folder
from stridewise.runs.kinds import (
    Folder,
    Plan,
    Request,
    Seen,
    built,
    check_programs,
    exporting,
    gather,
    preloaded,
    tell,
)
from stridewise.runs.placement import records as placement
from stridewise.runs.placement import table as placement_table
from stridewise.runs.placement.records import Placement, Thread
from stridewise.runs.run_folder import Record
from stridewise.settings import toolchain

LEAVES = ("placement.*.json", "placement.*.json.part")

_NODES = Path("/sys/devices/system/node/has_memory")
_FEW_SAMPLES, _SMALL_SHARE = 5, 0.05
_EXPORTED = ("LD_PRELOAD", "STRIDEWISE_OUT")


# --- Starting ---------------------------------------------------------------------------------------------------------


def plan(request: Request) -> Plan:
    library = built(toolchain.placement_recorder(), toolchain.PLACEMENT_RECORDER, "build it with cmake")
    check_programs(request, "its arrays cannot be watched")
    environment = dict(os.environ)
    environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), library))
    environment["STRIDEWISE_OUT"] = str(request.folder)
    command = exporting(request.command, request.launch, _EXPORTED, environment)
    return Plan(command, environment, names=("watching pages and threads",))


def beside(plan: Plan, request: Request) -> Plan | None:
    """The plan of another kind of run, with the recorder preloaded too; None where it has nothing to tell: on a machine
    with one memory node, or where it cannot be loaded."""
    library = toolchain.placement_recorder()
    if library is None or not library.is_file() or memory_nodes() < 2:
        return None
    if request.launch.family == "openmpi" and request.launch.remote and "LD_PRELOAD" not in plan.environment:
        return None  # the other hosts would not get it
    try:
        library = loadable(library)
    except Failure:
        return None
    environment = dict(plan.environment)
    environment["LD_PRELOAD"] = ":".join(preloaded(environment.get("LD_PRELOAD", ""), library))
    environment["STRIDEWISE_OUT"] = str(request.folder)
    return replace(plan, environment=environment)


def memory_nodes(path: Path = _NODES) -> int:
    """Of this machine; 1 where the kernel does not say."""
    try:
        return max(1, len(parse_list(path.read_text(encoding="ascii"))))
    except (OSError, ValueError):
        return 1


def nothing(request: Request) -> str:
    if run_folder.files(request.folder, "placement", *LEAVES):
        return ""
    return (
        "no process with two threads and an array of 1 MiB came to its end, so there is nothing to report: one that is "
        "killed, or ends by _exit, tells nothing"
    )


# --- Reading ----------------------------------------------------------------------------------------------------------


def see(folders: Sequence[Folder], rules: Mapping[str, Rule]) -> Seen:
    seen = Seen()
    runs: list[Placement] = []
    for folder, found in gather(
        folders, "placement", LEAVES, lambda p: _symbolized(placement.load(p)), placement.PlacementError, seen
    ):
        seen.runs.append(_summary(found, folder.record))
        tell(seen, _notes(found))
        seen.tables += placement_table.tables(found)
        runs += found
    for slug, detect in detectors.placement_detectors(rules).items():
        seen.observed += _once([f for run in runs for f in detect(run, rules[slug])])
    judges = detectors.placement_judges(rules, runs)

    def join(findings: list[Finding]) -> list[Finding]:
        judged = [
            said.apply(f) if f.rule in judges and (said := judges[f.rule](f)) is not None else f for f in findings
        ]
        touch = [f for f in findings if f.rule in rules and "placement" in rules[f.rule].detectors]
        return judged + [f for f in seen.observed if not any(_explains(one, f) for one in touch)]

    seen.join = join
    return seen


def _symbolized(run: Placement) -> tuple[Placement, list[str]]:
    found, notes = resolve(run.modules, [c for a in run.arrays for c in a.callers], [run.executable])
    return run.with_frames(found), notes


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """One of each call path: ranks allocate on the same ones. That with the most remote accesses speaks."""
    best: dict[object, Finding] = {}
    for finding in findings:
        key = (finding.location, finding.related, finding.args.get("array") if not finding.location.line else "")
        if key not in best or _remote(finding) > _remote(best[key]):
            best[key] = finding
    return list(best.values())


def _remote(finding: Finding) -> float:
    known = finding.evidence_from("placement")
    return float(known.metrics.get("remote_share", 0.0)) if known else 0.0


def _explains(static: Finding, observed: Finding) -> bool:
    """Whether a finding of the source speaks of the array that the run's finding is about."""
    where = static.location
    places = [(where.file, where.line, max(where.line, where.end_line))]
    places += [(r.file, r.line, r.line) for r in static.related]
    return any(
        same_file(file, own) and first <= line <= last
        for own, line in frames(observed)
        if line
        for file, first, last in places
    )


def _summary(runs: Sequence[Placement], record: Record | None) -> RunSummary:
    arrays = [array for run in runs for array in run.arrays]
    nodes, samples = max(run.nodes for run in runs), sum(array.samples for array in arrays)
    remote = sum(array.remote_share * array.samples for array in arrays) / max(1, samples)
    threads = max(len(run.threads) for run in runs)
    details = [
        f"{len(runs)} process{'es' if len(runs) > 1 else ''}, {threads} threads",
        f"{nodes} memory node{'s' if nodes > 1 else ''}",
        f"{len(arrays)} place{'s' if len(arrays) != 1 else ''} with arrays of 1 MiB and more",
    ]
    if samples and nodes > 1:
        details.append(f"{percent(remote)} of {samples:,} sampled accesses to another node")
    command = record.command if record else (runs[0].executable,)
    whole = record.seconds if record else max(run.seconds for run in runs)
    return RunSummary("placement", tuple(command), record.status if record else 0, whole, tuple(details))


def _moved(thread: Thread) -> bool:
    """Whether it spent a good part of its time on each of several nodes."""
    return sum(count >= max(_FEW_SAMPLES, _SMALL_SHARE * thread.samples) for count in thread.nodes) > 1


def _notes(runs: Sequence[Placement]) -> list[str]:
    notes = []
    if all(run.nodes < 2 for run in runs):
        notes.append(
            "the machine has one memory node: where pages lie makes no difference here, and the run cannot tell"
        )
    if any(run.balancing and run.nodes > 1 for run in runs):
        notes.append(
            "the kernel moves pages to their users by itself (kernel.numa_balancing), so the run does not show where "
            "they were placed first"
        )
    if not all(run.operands for run in runs):
        notes.append("which threads use which pages is only known on x86-64")
    lost = sum(run.lost_allocations for run in runs)
    if lost:
        notes.append(f"{lost:,} allocations found no room in the tables and were not looked at")
    threads = sum(run.lost_threads for run in runs)
    if threads:
        notes.append(f"more threads were started than the tables hold; {threads:,} that ended early are not shown")
    moved = sum(_moved(thread) for run in runs for thread in run.threads)
    if moved:
        notes.append(
            f"{moved:,} thread{'s' if moved > 1 else ''} moved between memory nodes, away from the pages they had "
            "placed; bind threads (OMP_PROC_BIND=close, OMP_PLACES=cores)"
        )
    return notes
