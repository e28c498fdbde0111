"""One place of a study: what was counted there in each run, and the laws of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from stridewise.scale import laws
from stridewise.scale.counts import ALLOCATE, RANKS, WORK, Count, Counts, Function, Site
from stridewise.scale.laws import Law
from stridewise.scale.terms import Of

_LEAST_SHARE = 0.01  # of a rank's instructions: less of a line is told only where it grows


@dataclass(frozen=True, slots=True)
class Price:
    """Of one rank, over the whole run, in seconds. `eats` is from how many ranks on the site takes the study's step
    share of what a rank computes: by the highest price and by the lowest, None where it never does."""

    least: float
    most: float
    eats: tuple[int | None, int | None] | None = None  # None where the work of the program is not known


@dataclass(frozen=True, slots=True)
class Line:
    """Instructions of one line of a function, on the rank that runs the most of them."""

    line: int
    values: Mapping[int, int]
    most: Law | None


@dataclass(frozen=True, slots=True)
class Row:
    """A site with its laws; None where a count follows none."""

    site: Site
    values: Mapping[int, Count]
    most: Law | None  # calls of the rank that makes the most
    total: Law | None
    size: Law | None  # bytes of the rank that gives the most
    partners: Law | None
    excess: Law | None = None  # how many times the mean of all ranks the one with the most calls has; exact or none
    each: Law | None = None  # of allocations: bytes of one, on the rank that makes the most
    price: Price | None = None
    rules: tuple[str, ...] = ()  # of findings of the largest run at this place
    lines: tuple[Line, ...] = ()  # of WORK: those that count or grow, the most at the target first
    unscalable: str = ""  # why the site keeps the program from scaling, whatever it costs today; empty if it does not

    def excess_at(self, ranks: int) -> float:
        """How many times the mean of all ranks the one with the most calls has; 1 where no law tells it."""
        if ranks in self.values:
            return self.values[ranks].excess(ranks)
        if self.excess:
            return self.excess.at(ranks)
        if not (self.most and self.total and self.total.at(ranks) > 0):
            return 1.0
        return max(1.0, self.most.at(ranks) * ranks / self.total.at(ranks))

    @property
    def growth(self) -> tuple[float, float]:
        return max((law.growth for law in (self.most, self.size, self.partners) if law), default=(0.0, 0.0))


def allocations(runs: Sequence[Counts], far: int) -> tuple[Row, ...]:
    """None where a run did not watch them: that it counted none tells nothing."""
    if not all(run.allocations for run in runs):
        return ()
    rows = [
        of_site(site, {run.ranks: run.allocations.get(site, Count()) for run in runs})
        for site in {site for run in runs for site in run.allocations}
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.each.at(far) if row.each else 0.0), row.site)))


def work(runs: Sequence[Counts], far: int) -> tuple[Row, ...]:
    """A function is known by its name; what of it has run first differs from run to run."""
    if not all(run.work for run in runs):
        return ()
    lines: dict[tuple[str, str], int] = {}
    for run in runs:
        for site in run.work:
            lines[site.file, site.function] = min(site.line, lines.get((site.file, site.function), site.line))
    counted = {run.ranks: {(site.file, site.function): count for site, count in run.work.items()} for run in runs}
    least = _LEAST_SHARE * sum(count.most for count in runs[-1].work.values())
    rows = [
        replace(
            of_site(
                Site(WORK, ((file, line, function),)),
                {ranks: of.get((file, function), Count()) for ranks, of in counted.items()},
                of_threads=runs[0].unit != RANKS,
            ),
            lines=_lines((file, function), runs, far, least),
        )
        for (file, function), line in lines.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-(row.most.at(far) if row.most else 0.0), row.site)))


def _lines(function: Function, runs: Sequence[Counts], far: int, least: float) -> tuple[Line, ...]:
    """Those that are worth a law: of so many instructions in the last run, or of more in it than in the first."""
    known = {run.ranks: run.work_lines.get(function, {}) for run in runs}
    found = []
    for line in sorted({line for of in known.values() for line in of}):
        values = {ranks: of[line].most if line in of else 0 for ranks, of in known.items()}
        first, last = values[runs[0].ranks], values[runs[-1].ranks]
        if last >= least or last > first:
            points = tuple((ranks, float(count)) for ranks, count in values.items())
            found.append(Line(line, values, laws.find(points, Of.ONE_RANK if runs[0].unit == RANKS else Of.THREADS)))
    return tuple(sorted(found, key=lambda one: -(one.most.at(far) if one.most else one.values[runs[-1].ranks])))


def _excess(values: Mapping[int, Count]) -> Law | None:
    """Only an exact one: where there is none, the laws of the largest rank and of all together tell more. And only of
    calls that somebody makes in each run: without any there is no mean."""
    if not all(count.total for count in values.values()):
        return None
    law = laws.find(tuple((ranks, count.excess(ranks)) for ranks, count in values.items()))
    return law if law and law.exact else None


def of_site(site: Site, values: Mapping[int, Count], rules: tuple[str, ...] = (), *, of_threads: bool = False) -> Row:
    one, every = (Of.THREADS, Of.THREADS) if of_threads else (Of.ONE_RANK, Of.ALL_RANKS)

    def law(value: Callable[[Count], float], of: Of = one) -> Law | None:
        points = tuple((ranks, float(value(count))) for ranks, count in values.items())
        return None if site.timed else laws.find(points, of)

    most, total = law(lambda c: c.most), law(lambda c: c.total, every)
    each = [(ranks, float(count.most), float(count.total)) for ranks, count in values.items()]
    total = laws.of_all(most, total, each)
    return Row(
        site=site,
        values=values,
        most=laws.decide(most, total) if most else None,
        total=total,
        size=law(lambda c: c.most_bytes),
        partners=law(lambda c: c.partners),
        excess=None if site.timed else _excess(values),
        each=law(lambda c: c.each_bytes) if site.call == ALLOCATE else None,
        rules=rules,
    )
