"""A study: the laws of all sites of a program over runs at several numbers of ranks, and what they cost at more."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from stridewise import catalogue
from stridewise.catalogue import Rule
from stridewise.errors import Failure
from stridewise.finding.fingerprint import with_fingerprints
from stridewise.finding.result import Result
from stridewise.finding.sources import Project, Sources
from stridewise.machine import machine_file, message_models
from stridewise.machine.message_models import Network
from stridewise.runs import detectors, report
from stridewise.scale import counts as run_counts
from stridewise.scale import laws, teams, unscalable, work
from stridewise.scale import row as rows_of
from stridewise.scale.counts import RANKS, THREADS, Count, Counts, Site
from stridewise.scale.laws import Law
from stridewise.scale.row import Price, Row
from stridewise.scale.terms import Of

LEAST_RUNS = 3
_FARTHEST = 1 << 22  # ranks; no machine has more


@dataclass(frozen=True, slots=True)
class Study:
    """`rows` in order of what they cost at the target, dearest first; `timed` are sites whose calls depend on time."""

    runs: tuple[Counts, ...]
    rows: tuple[Row, ...]
    timed: tuple[Row, ...]
    allocations: tuple[Row, ...]  # the largest at the target first
    work: tuple[Row, ...]  # instructions by function, the most at the target first
    weak: bool
    target: int | None
    network: Network
    memory: Law | None
    step_share: float  # of what a rank computes: what takes more keeps the program from scaling
    work_seconds: float | None  # processor time outside MPI: of all ranks together, weak: of one; None if unknown
    root: Path = Path()  # what the files of sites are relative to
    skipped: tuple[str, ...] = ()  # runs that were left out, with the reason
    notes: tuple[str, ...] = field(default=())
    alone: Counts | None = None  # the run of one rank or thread: of its time alone

    @property
    def unit(self) -> str:
        """RANKS or THREADS: what `ranks` are."""
        return self.runs[0].unit

    @property
    def one(self) -> str:
        return self.unit.removesuffix("s")

    @property
    def timed_runs(self) -> tuple[Counts, ...]:
        return (self.alone, *self.runs) if self.alone else self.runs

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(run.ranks for run in self.runs)

    @property
    def far(self) -> int:
        """The number of ranks that prices are for: the target, or the largest run."""
        return self.target or self.ranks[-1]

    @property
    def largest(self) -> Counts:
        return self.runs[-1]

    def instructions_at(self, ranks: int) -> float:
        """Of the busiest rank, at most: each function may have another."""
        return sum(row.most.at(ranks) for row in self.work if row.most)

    def work_at(self, ranks: int) -> float | None:
        """Seconds that a rank computes."""
        if self.work_seconds is None:
            return None
        return self.work_seconds if self.weak else self.work_seconds / ranks


def load(folders: Sequence[Path], project: Project) -> tuple[list[Counts], list[str]]:
    """The runs of these folders by their ranks, and what was left out."""
    found: dict[int, Counts] = {}
    skipped = []
    for folder in folders:
        try:
            run = _read(folder, project)
        except Failure as error:
            skipped.append(str(error))
            continue
        first = next(iter(found.values()), run)
        if run.unit != first.unit:
            skipped.append(f"{folder}: it counts {run.unit}, and {first.folder} {first.unit}")
        elif run.ranks in found:
            skipped.append(f"{folder}: {found[run.ranks].folder} has {run.ranks} {run.unit}, too")
        else:
            found[run.ranks] = run
    return [found[ranks] for ranks in sorted(found)], skipped


def _read(folder: Path, project: Project) -> Counts:
    if teams.is_run(folder):
        return teams.read(folder, project)
    run, done = run_counts.read(folder, project), work.of_folder(folder, project)
    return replace(run, work=done.functions, work_lines=done.lines) if done else run


def found_at(run: Counts, project: Project) -> dict[tuple[str, int], tuple[str, ...]]:
    """The rules of the findings of a run, by file and line of all their places."""
    found: dict[tuple[str, int], set[str]] = defaultdict(set)
    result = report.build(
        report.Options(folders=(run.folder,), kinds=("omp" if run.unit == THREADS else "mpi",)), catalogue.load()
    )
    for finding in result.reported:
        places = [(finding.location.file, finding.location.line), *((r.file, r.line) for r in finding.related)]
        for file, line in places:
            found[project.relative(file), line].add(finding.rule)
    return {place: tuple(sorted(rules)) for place, rules in found.items()}


def as_findings(made: Study, project: Project) -> Result:
    """What does not scale, as any report of findings takes it."""
    rules = catalogue.load()
    if made.unit == THREADS:
        raise Failure("what is found of threads is no finding of a rule yet: --format text, json, markdown or html")
    found = [f for slug, detect in detectors.scale_detectors(rules).items() for f in detect(made, rules[slug])]
    sources = Sources()
    return Result(
        project=project,
        findings=tuple(with_fingerprints(found, project, sources)),
        sources=sources,
        limit=None,
        notes=(*made.notes, *made.skipped),
    )


def study(
    runs: Sequence[Counts],
    *,
    weak: bool = False,
    target: int | None = None,
    machine: Path | None = None,
    root: Path = Path(),
    skipped: Sequence[str] = (),
    rules: Mapping[tuple[str, int], Sequence[str]] | None = None,
) -> Study:
    """Raises Failure where there are too few runs. That of one rank, which sends to nobody, is of its time alone."""
    alone = next((run for run in runs if run.ranks == 1), None)
    runs = [run for run in runs if run.ranks > 1]
    unit = runs[0].unit if runs else RANKS
    if len(runs) < LEAST_RUNS:
        left = f"; left out: {'; '.join(skipped)}" if skipped else ""
        raise Failure(
            f"a law needs runs at {LEAST_RUNS} numbers of {unit} at least, above 1; there are {len(runs)}{left}"
        )
    known = catalogue.load()
    network, rule = _network(machine), known[unscalable.COMMUNICATION]
    share = rule.threshold("min_step_share")
    far = target or runs[-1].ranks
    seconds = _work(runs, weak) if unit == RANKS else None
    work_at = None if seconds is None else (lambda ranks: seconds / (1 if weak else ranks))
    rows, timed = [], []
    for site in sorted({site for run in runs for site in run.sites}):
        values = {run.ranks: run.sites.get(site, Count()) for run in runs}
        row = _row(site, values, unit, rule, (rules or {}).get((site.file, site.line), ()))
        if site.timed:
            timed.append(row)
        else:
            rows.append(_priced(row, far, network, work_at, share))
    rows.sort(key=lambda row: (-(row.price.most if row.price else 0.0), -row.growth[0], row.site))
    span = unscalable.Span(runs[0].ranks, runs[-1].ranks, far, weak, unit.removesuffix("s"))
    taken, done = rows_of.allocations(runs, far), rows_of.work(runs, far)
    peaks = tuple((run.ranks, float(run.peak_bytes)) for run in runs)
    return Study(
        tuple(runs),
        tuple(rows),
        tuple(timed),
        unscalable.with_memory(taken, known[unscalable.MEMORY], span, runs[-1].peak_bytes),
        unscalable.with_work(done, known[unscalable.SERIAL], span),
        weak,
        target,
        network,
        laws.find(peaks, Of.ONE_RANK if runs[0].unit == RANKS else Of.THREADS)
        if all(value for _, value in peaks)
        else None,
        share,
        seconds,
        root,
        tuple(skipped),
        tuple(_notes(runs, rows)),
        alone,
    )


def _row(site: Site, values: Mapping[int, Count], unit: str, rule: Rule, found: Sequence[str]) -> Row:
    if unit == THREADS:
        row = teams.row(site, values)
        return replace(row, rules=tuple(found), unscalable=teams.unscalable(row, rule.threshold("max_exponent")))
    row = rows_of.of_site(site, values, tuple(found))
    return row if site.timed else replace(row, unscalable=unscalable.of_calls(row, rule))


def _notes(runs: Sequence[Counts], rows: Sequence[Row]) -> Iterator[str]:
    if close := _close(runs, rows):
        yield close
    if dropped := sum(run.dropped for run in runs):
        yield f"{dropped} calls found no room in the recorder's tables, and are in no count"


# --- Prices -----------------------------------------------------------------------------------------------------------


def _network(machine: Path | None) -> Network:
    """Of the named file, else what the rules assume: runs on one desk have seen no network."""
    if machine is not None:
        file = machine_file.load(machine)
        given, measured = file.given, file.mpi[0] if file.mpi else None
        latency = given.get("latency_seconds", measured.latency_seconds if measured else 0.0)
        send = given.get("send_seconds", measured.send_seconds if measured else latency)
        speed = given.get("bytes_per_second", measured.bytes_per_second if measured else 0.0)
        if not (latency > 0 and speed > 0):
            raise Failure(f"{machine} says nothing of latency_seconds and bytes_per_second, which prices are made of")
        return Network(latency, send, speed, f"{file.host or machine}")
    return message_models.ASSUMED


def _work(runs: Sequence[Counts], weak: bool) -> float | None:
    """The middle of the runs' processor time outside MPI, of all ranks together or of one; None where no run tells it.
    It is known also of ranks that shared processors."""
    each = sorted(run.work_seconds / (run.ranks if weak else 1) for run in runs if run.work_seconds > 0)
    return each[len(each) // 2] if each else None


def _priced(row: Row, target: int, network: Network, work: Callable[[int], float] | None, share: float) -> Row:
    prices = prices_of(row, network)
    if prices is None:
        return row
    least, most = prices(target)
    eats = None
    if work is not None:
        eats = (_from(lambda p: prices(p)[1], work, share), _from(lambda p: prices(p)[0], work, share))
    return replace(row, price=Price(least, most, eats))


def prices_of(row: Row, network: Network) -> Callable[[int], tuple[float, float]] | None:
    """Seconds of the rank with the most calls, by the number of ranks."""
    model = message_models.load().by_call.get(row.site.call)
    calls, size = row.most, row.size
    if model is None or calls is None:
        return None

    def at(ranks: int) -> tuple[float, float]:
        fewest, many = calls.range(ranks)
        small, large = size.range(ranks) if size else (0.0, 0.0)
        if many <= 0:
            return 0.0, 0.0
        each_small, each_large = small / many, large / max(fewest, 1.0)
        return (
            fewest * model.seconds(ranks, each_small, network)[0],
            many * model.seconds(ranks, each_large, network)[1],
        )

    return at


def _from(price: Callable[[int], float], work: Callable[[int], float], share: float) -> int | None:
    """From how many ranks on the price is that share of the work; to a sixteenth of an octave."""
    for step in range(16 * round(math.log2(_FARTHEST)) + 1):
        ranks = max(2, round(2 ** (step / 16)))
        if price(ranks) >= share * work(ranks):
            return ranks
    return None


def _close(runs: Sequence[Counts], rows: Sequence[Row]) -> str:
    """Which further run would tell between laws that fit alike."""
    tried = [run.ranks for run in runs]
    wanted: dict[int, int] = defaultdict(int)
    for row in rows:
        open_laws = [law for law in (row.most, row.size, row.partners) if law and law.exact and law.rivals]
        ranks = next((ranks for law in open_laws if (ranks := laws.deciding_ranks(law, tried))), None)
        if ranks:
            wanted[ranks] += 1
    if not wanted:
        return ""
    best = max(sorted(wanted), key=lambda ranks: wanted[ranks])
    count = sum(wanted.values())
    places = f"{count} place{' has' if count == 1 else 's have'} several laws that fit"
    return f"{places}; a run with {best} {runs[0].unit} would tell them apart"
