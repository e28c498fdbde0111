"""False sharing as a run shows it: lines that two threads touch in different bytes between the same barriers, one of
them writing. Transfers are estimated from how often each thread comes back to the line (docs/false-sharing-runs.md).

Silent where the threads share the bytes themselves, where they only read, and where too few accesses are concerned:
the lines at the borders between the threads' blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from stridewise.catalogue import Rule
from stridewise.finding import ArgValue, Confidence, Evidence, Finding, Location, Related, Verdict, prices
from stridewise.finding.correlate import covers, is_construct
from stridewise.finding.judgement import Judgement
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.sharing.shards import Conflict, Party, Region, Sharing, Thing

_MOST_RELATED = 6


def detect_sharing(runs: Sequence[Sharing], rule: Rule) -> Iterable[Finding]:
    """One finding for each region and object whose lines move often enough, over all processes."""
    groups: dict[object, list[list[Conflict]]] = defaultdict(list)
    for run in runs:
        visits = {(v.region.site.pc, v.site.pc): v.accesses for v in run.visits}
        here: dict[object, list[Conflict]] = defaultdict(list)
        for conflict in run.conflicts:
            here[_identity(conflict)].append(conflict)
        for key, conflicts in here.items():
            if _is_costly(conflicts, visits, rule):
                groups[key].append(conflicts)
    machine = prices.costs(runs[0].host) if groups else prices.Costs()
    for costly in groups.values():
        yield _finding(max(costly, key=_transfers), len(costly), rule, machine)


def judge_sharing(finding: Finding, runs: Sequence[Sharing], rule: Rule) -> Judgement:
    """What the run says of a finding of the source that it shows no costly conflict for."""
    visits = [v for run in runs for v in run.visits if any(covers(finding, f.file, f.line) for f in v.site.frames)]
    if not visits and runs and all(run.only is not None and not _was_named(finding, run.only) for run in runs):
        note = "the run was limited to loops that other findings name; with --all it watches every parallel loop"
        return Judgement(Verdict.SUSPECTED, Evidence("sharing", {}, note))
    if not visits:
        note = "no team of more than one thread came by here while it was watched"
        return Judgement(Verdict.NOT_EXERCISED, Evidence("sharing", {}, note))
    if not any(v.site.store and any(is_construct(finding, f.file, f.line) for f in v.site.frames) for v in visits):
        note = "no store was seen at its line: what libraries write that were not instrumented is not seen"
        return Judgement(Verdict.SUSPECTED, Evidence("sharing", {}, note))
    executions = max(1, sum(region.watched for region in {v.region.site.pc: v.region for v in visits}.values()))
    transfers = sum(v.transfers for v in visits) / executions
    metrics = {
        "accesses": sum(v.accesses for v in visits),
        "transfers_per_execution": round(transfers),
        "threads": max(v.members for v in visits),
    }
    if metrics["threads"] < 2:
        note = "for this input: no line that is used here was used by two threads between the same barriers"
    elif transfers < rule.threshold("min_transfers"):
        note = "for this input: the lines that threads share here move too seldom to cost time"
    else:
        return Judgement(Verdict.SUSPECTED, Evidence("sharing", metrics, "few of the accesses lose their line"))
    return Judgement(Verdict.REFUTED, Evidence("sharing", metrics, note))


def _was_named(finding: Finding, lines: frozenset[tuple[str, int]]) -> bool:
    return any(covers(finding, file, line) for file, line in lines)


def _identity(conflict: Conflict) -> object:
    """The same for conflicts in one region on one object, as far as objects can be told apart."""
    region = conflict.region.site
    where = (region.frame.file, region.frame.line) if region.frame else region.pc
    return where, *(_thing_identity(conflict, party.thing) for party in conflict.parties[:1])


def _thing_identity(conflict: Conflict, thing: Thing) -> object:
    if thing.place == "heap":
        origin = _origin(thing)
        return (origin.file, origin.line) if origin else tuple(site.pc for site in thing.callers)
    if thing.name:
        return thing.name
    frame = _place([conflict])
    return thing.place, (frame.file, frame.line) if frame else 0


def _is_costly(conflicts: Sequence[Conflict], visits: Mapping[tuple[int, int], int], rule: Rule) -> bool:
    """Whether the lines move often between two barriers, and the statements lose a good part of what they touch."""
    region = conflicts[0].region
    epochs = max(c.epochs for c in conflicts)
    sites = {site.pc for c in conflicts for site, _ in c.sites}
    accesses = max(sum(c.accesses for c in conflicts), sum(visits.get((region.site.pc, pc), 0) for pc in sites))
    transfers = _transfers(conflicts)
    return (
        region.watched > 0
        and transfers >= rule.threshold("min_transfers") * max(epochs, region.watched)
        and transfers >= rule.threshold("min_transfer_share") * accesses
    )


def _transfers(conflicts: Sequence[Conflict]) -> float:
    """In the watched executions."""
    return sum(c.transfers for c in conflicts)


def _lines(conflicts: Sequence[Conflict], stores: bool) -> list[tuple[Frame, float]]:
    """The source lines of the accesses and their transfers, most first; about equal ones by place."""
    weights: dict[tuple[str, int], float] = defaultdict(float)
    frames: dict[tuple[str, int], Frame] = {}
    for conflict in conflicts:
        for site, weight in conflict.sites:
            frame = site.frame
            if frame and site.store is stores:
                weights[frame.file, frame.line] += weight
                frames.setdefault((frame.file, frame.line), frame)
    most = max(weights.values(), default=0.0)
    ordered = sorted(weights, key=lambda at: (-round(8 * weights[at] / most) if most else 0, at))
    return [(frames[at], weights[at]) for at in ordered]


def _place(conflicts: Sequence[Conflict]) -> Frame | None:
    stores = _lines(conflicts, stores=True)
    return stores[0][0] if stores else None


def _finding(conflicts: Sequence[Conflict], processes: int, rule: Rule, machine: prices.Costs) -> Finding:
    first = max(conflicts, key=lambda c: c.transfers)
    region = first.region
    per_execution = _transfers(conflicts) / region.watched
    total = per_execution * region.executions
    threads = max(2.0, region.threads)
    price = prices.contended_access(machine, round(threads))
    gain = min(total * price.seconds / threads, region.seconds * region.scale)
    where = _place(conflicts) or region.site.frame or Frame("", "", 0)
    one, two = first.parties
    args: dict[str, ArgValue] = {
        "array": _name(one.thing),
        "who": _who(one, two),
        "data": _data(one, two),
        "distance": abs(one.address - two.address),
        "threads": max(c.members for c in conflicts),
        "transfers": f"{round(total):,}",
        "executions": _executions(region),
        "line_bytes": int(rule.threshold("line_bytes")),
    }
    accesses = sum(c.accesses for c in conflicts)
    metrics = {
        "transfers": round(total),
        "transfers_per_execution": round(per_execution),
        "accesses_per_execution": round(accesses / region.watched),
        "executions": region.executions,
        "watched_executions": region.watched,
        "threads": round(region.threads),
        "processes": processes,
    }
    note = f"transfers are estimated; the price of one: {price.source}"
    sure = (
        per_execution >= rule.threshold("sure_transfers") * rule.threshold("min_transfers")
        and _transfers(conflicts) >= rule.threshold("sure_transfer_share") * accesses
    )
    return rule.finding(
        "sharing",
        Location(where.file, where.line, max(1, where.column), where.line, max(1, where.column)),
        args=args,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        function=where.function,
        evidence=[Evidence("sharing", metrics, note)],
        related=_related(conflicts, where, one.thing, two.thing),
        gain_seconds=gain,
    )


def _related(conflicts: Sequence[Conflict], where: Frame, *things: Thing) -> list[Related]:
    places: dict[tuple[str, int], str] = {}
    for stores, label in ((True, "writes the same lines"), (False, "reads the same lines")):
        for frame, _ in _lines(conflicts, stores):
            if frame.known and (frame.file, frame.line) != (where.file, where.line):
                places.setdefault((frame.file, frame.line), label)
    region = conflicts[0].region.site.frame
    kind = "the threads are started" if conflicts[0].region.by_threads else "the parallel region"
    if region and region.known:
        places.setdefault((region.file, region.line), kind)
    out = [Related(file, line, label) for (file, line), label in list(places.items())[:_MOST_RELATED]]
    for thing in things:
        if thing.place == "heap" and (caller := _origin(thing)):
            origin = Related(caller.file, caller.line, "allocated here")
            out += [origin] if origin not in out else []
    return out


def _executions(region: Region) -> str:
    count = f"{region.executions:,} execution{'' if region.executions == 1 else 's'}"
    frame = region.site.frame
    if region.by_threads:
        count = f"{region.executions:,} round{'' if region.executions == 1 else 's'}"
        return f"{count} of threads started at line {frame.line}" if frame and frame.known else f"{count} of threads"
    return f"{count} of the region at line {frame.line}" if frame and frame.known else f"{count} of the region"


def _origin(thing: Thing) -> Frame | None:
    """The user's line that allocated it."""
    return next((f for site in thing.callers if (f := site.frame) and f.user), None)


def _name(thing: Thing) -> str:
    origin = _origin(thing)
    if thing.name:
        return thing.name
    if thing.place == "heap":
        return f"block allocated at line {origin.line}" if origin else "heap block"
    return "variable on a stack" if thing.place == "stack" else "memory"


def _who(one: Party, two: Party) -> str:
    if two.reads:
        return f"thread {one.thread} writes and thread {two.thread} reads"
    return f"threads {one.thread} and {two.thread} write"


def _data(one: Party, two: Party) -> str:
    names = list(dict.fromkeys((_text(one.thing), _text(two.thing))))
    return " and ".join(names)


def _text(thing: Thing) -> str:
    origin = _origin(thing)
    if thing.name:
        return f"'{thing.name}'"
    if thing.place == "heap":
        size = f"{thing.size:,} bytes"
        return f"the {size} allocated at line {origin.line}" if origin else f"a heap block of {size}"
    return "a variable on the stack of the first thread" if thing.place == "stack" else "memory of unknown origin"
