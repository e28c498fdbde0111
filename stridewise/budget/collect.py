"""The counts of run folders and of lint results that depend on neither time nor scheduling."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from stridewise import catalogue
from stridewise.budget.items import Budget, Item
from stridewise.errors import Failure
from stridewise.finding import Confidence
from stridewise.finding.sources import Project
from stridewise.runs import lint_findings, report, run_folder
from stridewise.runs.cache import table as cache_table
from stridewise.runs.cache import watcher as cache_watcher
from stridewise.runs.kinds import Folder, Seen
from stridewise.runs.mpi.trace import Frame
from stridewise.runs.omp import shards as omp_shards
from stridewise.runs.omp import trace as omp_trace
from stridewise.runs.omp import watcher as omp_watcher
from stridewise.runs.run_folder import Record
from stridewise.scale import counts as mpi_counts

Path_ = tuple[tuple[str, str], ...]
LINT = "lint"
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")  # a place in a binary that has no name


def collect(folders: Sequence[Path], lint: Path | None, project: Project) -> Budget:
    """Raises Failure where a folder holds no run that came to its end, or two hold the same."""
    runs: dict[str, Sequence[str]] = {}
    items: list[Item] = []
    for folder in folders:
        if not folder.is_dir():
            raise Failure(f"no run folder {folder}; make one with stridewise run -- COMMAND")
        found_runs = 0
        for record in run_folder.read_records(folder):
            counted = _counted(folder, record, project)
            if not counted:
                continue
            if record.status != 0:
                raise Failure(
                    f"the run in {folder} ended with status {record.status}: its counts are not the program's"
                )
            own = [item for _, found in counted for item in found]
            if own and all(_OFFSET.search(item.function) for item in own):
                raise Failure(
                    f"the run in {folder} names no function of the program: it was built again since, or is stripped; "
                    "run it again, and keep its symbols"
                )
            for name, _ in counted:
                if name in runs:
                    raise Failure(f"{folder} holds another run '{name}'; a budget has one of each")
                runs[name] = record.command
            items += own
            found_runs += 1
        if not found_runs:
            raise Failure(f"{folder} holds no run of MPI, OpenMP or the caches with counts")
    if lint is not None:
        runs[LINT] = []
        items += _of_lint(lint, project)
    if not runs:
        raise Failure("nothing to count: name a run folder, or --lint FINDINGS.json")
    return Budget(runs, tuple(items))


def with_rules(budget: Budget, folders: Sequence[Path], lint: Path | None, project: Project) -> Budget:
    """The budget with the rules of the findings at each place: the causes of what changed."""
    options = report.Options(folders=tuple(folders), lint=lint, everything=True)
    at: dict[tuple[str, int], set[str]] = defaultdict(set)
    for finding in report.build(options, catalogue.load()).reported:
        if finding.location.line:
            at[project.relative(finding.location.file), finding.location.line].add(finding.rule)
    items = (
        Item(i.run, i.name, i.path, i.line, i.values, tuple(sorted(at.get((i.file, i.line), ())))) for i in budget.items
    )
    return Budget(budget.runs, tuple(items))


def _counted(folder: Path, record: Record, project: Project) -> list[tuple[str, list[Item]]]:
    """What a run counted, by name."""
    if record.kind == "mpi" and run_folder.jobs(folder):
        return _of_mpi(folder, project)
    if record.kind == "omp" and run_folder.files(folder, "omp", omp_watcher.LEAVES[0]):
        return [_of_omp(folder, project)]
    if record.kind == "cache":
        counted = _of_cache(folder, record, project)
        return [counted] if counted else []
    return []


# --- MPI --------------------------------------------------------------------------------------------------------------


def _of_mpi(folder: Path, project: Project) -> list[tuple[str, list[Item]]]:
    """Its messages, and its allocations where they were watched."""
    run = mpi_counts.read(folder, project)
    ranks = f"{run.ranks} rank{'' if run.ranks == 1 else 's'}"
    counted = [(name := f"mpi, {ranks}", _messages(run, name))]
    if run.allocations:
        counted.append((name := f"memory, {ranks}", _allocations(run, name)))
    return counted


def _allocations(run: mpi_counts.Counts, name: str) -> list[Item]:
    return [
        Item(
            name,
            site.call,
            tuple((file, function) for file, _, function in site.places),
            site.line,
            {"allocations": count.total, "bytes": count.total_bytes},
        )
        for site, count in run.allocations.items()
    ]


def _messages(run: mpi_counts.Counts, name: str) -> list[Item]:
    items = []
    for site, count in run.sites.items():
        if site.timed or not site.call.startswith("MPI_"):
            continue
        values = {"calls": count.total, "most_calls": count.most, "bytes": count.total_bytes}
        if count.partners:
            values["partners"] = count.partners
        path = tuple((file, function) for file, _, function in site.places)
        items.append(Item(name, site.call, path, site.line, values))
    return items


# --- OpenMP -----------------------------------------------------------------------------------------------------------


def _of_omp(folder: Path, project: Project) -> tuple[str, list[Item]]:
    trace, bad = omp_shards.read(run_folder.files(folder, "omp", omp_watcher.LEAVES[0]))
    if bad:
        raise Failure(f"cannot count the run in {folder}: {bad[0][0].name}: {bad[0][1]}")
    trace, _ = omp_watcher.symbolized(trace, folder / "omp")
    counts: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    rounds: dict[tuple[str, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for region in trace.regions:
        own = counts["parallel", region.site]
        own["teams"] += region.count
        own["threads"] = max(own["threads"], region.most_threads)
    for work in trace.works:
        counts[work.kind, work.site]["iterations"] += work.own if work.kind.startswith("loop") else 0
        rounds[work.kind, work.site][work.thread] += work.count
    for wait in trace.waits:
        if wait.kind in ("barrier-explicit", "taskwait", "taskgroup"):
            rounds[wait.kind, wait.site][wait.thread] += wait.count
    for mutex in trace.mutexes:
        counts[mutex.kind, mutex.site]["entries"] += mutex.count
    for task in trace.tasks:
        counts["task", task.site]["tasks"] += task.created
    for key, by_thread in rounds.items():
        # Which thread executes a single is a matter of time: of these, all threads together.
        counts[key]["rounds"] = sum(by_thread.values()) if key[0] == "single" else max(by_thread.values())
    name = "omp"
    items = []
    for (kind, site), values in counts.items():
        path, line = _frames(trace.sites[site], project)
        known = {unit: count for unit, count in values.items() if count}
        if path and known:
            items.append(Item(name, kind, path, line, known))
    return name, _together(items)


def _frames(site: omp_trace.Site, project: Project) -> tuple[Path_, int]:
    frames: list[Frame] = [frame for frame in site.frames if frame.known and frame.user]
    own = tuple((project.relative(frame.file), frame.function) for frame in frames)
    return own, frames[0].line if frames else 0


def _together(items: Iterable[Item]) -> list[Item]:
    """Sites of one line and one kind, such as those of several processes, as one."""
    found: dict[tuple[object, ...], Item] = {}
    for item in items:
        key = (*item.key, item.line)
        before = found.get(key)
        values = dict(before.values) if before else {}
        for unit, count in item.values.items():
            values[unit] = max(values.get(unit, 0), count) if unit == "threads" else values.get(unit, 0) + count
        found[key] = Item(item.run, item.name, item.path, item.line, values)
    return list(found.values())


# --- Caches and source ------------------------------------------------------------------------------------------------


def _of_cache(folder: Path, record: Record, project: Project) -> tuple[str, list[Item]] | None:
    seen = Seen()
    profile = cache_watcher.read([Folder(folder, record)], seen)
    if profile is None or profile.windows:  # windows of a run begin when time says so
        return None
    name = f"cache, {profile.processes} process{'' if profile.processes == 1 else 'es'}"
    items = []
    for function, places in cache_table.by_function(profile).items():
        own = {place: counts for place, counts in places.items() if project.owns(place[0])}
        total = cache_table.sum_of(own)
        if not own or not total.accesses:
            continue
        file, line = max(own, key=lambda place: (own[place].accesses, place))
        values = {"instructions": total.instructions} if total.instructions and not profile.partial else {}
        values |= {"accesses": total.accesses, "d1_misses": total.d1_misses, "ll_misses": total.ll_misses}
        items.append(Item(name, "function", ((project.relative(file), function),), line, values))
    return name, items


def _of_lint(path: Path, project: Project) -> list[Item]:
    counted: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for finding in lint_findings.load(path).findings:
        if finding.confidence is not Confidence.LOW:
            where = finding.location
            counted[finding.rule, project.relative(where.file), finding.function or ""].append(where.line)
    return [
        Item(LINT, rule, ((file, function),), min(lines), {"places": len(lines)}, (rule,))
        for (rule, file, function), lines in counted.items()
    ]
