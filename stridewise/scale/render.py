"""A study as text and Markdown."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from stridewise.console import harmless
from stridewise.finding.quantities import percent, seconds
from stridewise.scale import teams
from stridewise.scale.classic import Classic, classic
from stridewise.scale.counts import RANKS, THREADS
from stridewise.scale.laws import Law
from stridewise.scale.row import Line, Price, Row
from stridewise.scale.study import Study
from stridewise.scale.terms import GRIDS

SHOWN = 15
_SHOWN_MORE = 5  # allocations and functions; what keeps a program from scaling is shown in any case
_LINES = 3  # of a function; lines that grow are shown in any case
_EVEN = 1.05  # times the mean, up to which nobody asks why
_EMPTY_RANK_BYTES = 64 << 20  # below, it is the MPI library's own memory: a rank without data takes some 15 MiB


def text(study: Study, width: int, everything: bool = False) -> str:
    lines = [_title(study), ""]
    lines += [_verdict(study), ""]
    worth = [row for row in study.rows if study.unit == THREADS or _is_worth(row)]
    rows = study.rows if everything else worth[:SHOWN]
    for row in rows:
        lines += _construct(row, study, width) if study.unit == THREADS else _row(row, study, width)
    hidden = len(study.rows) - len(rows)
    if hidden:
        lines.append(f"{hidden} more place{'' if hidden == 1 else 's'}, cheaper ones: --all shows them")
    if any(_is_of_grid(law) for row in rows for law in (row.most, row.total, row.size, row.partners)):
        lines.append(f"P is the number of {study.unit}; {GRIDS}")
    if study.timed:
        places = ", ".join(sorted({place(row) for row in study.timed}))
        lines.append(f"no law is sought where the number of calls is a matter of time: {harmless(places)}")
    lines += _more("memory that a rank asks for", study.allocations, _allocation, study, width, everything)
    lines += _more(f"instructions of a {study.one}", study.work, _work, study, width, everything)
    lines += ["", *_foot(study)]
    return "\n".join(lines).rstrip() + "\n"


def _is_worth(row: Row) -> bool:
    return bool(row.price or row.unscalable or row.most is None or row.most.terms)


def described(study: Study) -> list[str]:
    """The study in lines, without its places."""
    return [_title(study), _verdict(study), *_foot(study)]


def breaks_first(study: Study) -> Row | None:
    """The place that keeps the program from scaling from the fewest ranks on; of several, or where that is not known,
    the dearest at the target."""
    critical = [row for row in study.rows if row.unscalable]
    return min(critical, key=_breaks_from, default=None)


def _breaks_from(row: Row) -> float:
    early = row.price.eats[0] if row.price and row.price.eats else None
    return math.inf if early is None else early


def _foot(study: Study) -> list[str]:
    lines = [*_memory(study), *_instructions(study), *_classic(study)]
    if study.unit == RANKS:
        lines.append(f"prices: {study.network.source}")
    return lines + [f"note: {harmless(note)}" for note in (*study.notes, *study.skipped)]


def _more(
    title: str,
    rows: Sequence[Row],
    shown: Callable[[Row, Study, int], list[str]],
    study: Study,
    width: int,
    everything: bool,
) -> list[str]:
    """A section of places that call no MPI."""
    chosen = rows if everything else [r for at, r in enumerate(rows) if r.unscalable or at < _SHOWN_MORE]
    lines = ["", f"{title}, most first:", ""] if rows else []
    for row in chosen:
        lines += shown(row, study, width)
    if hidden := len(rows) - len(chosen):
        lines.append(f"{hidden} more place{'' if hidden == 1 else 's'} with less: --all shows them")
    return lines


def _allocation(row: Row, study: Study, width: int) -> list[str]:
    lines = [line[:width] for line in (_head(row), *_callers(row))]
    lines += [f"  bytes of each     {_said(row.each, study.target)}"]
    if row.most and (row.most.terms or row.most.constant != 1):
        lines.append(f"  times             {_said(row.most, study.target)}")
    return [*lines, *_excess(row, study), *([f"  does not scale    {row.unscalable}"] if row.unscalable else []), ""]


def _work(row: Row, study: Study, width: int) -> list[str]:
    lines = [_head(row)[:width], f"  instructions      {_said(row.most, study.target)}", *_excess(row, study)]
    lines += [f"  {f'line {line.line}':<18}{_said(line.most, study.target)}" for line in _told(row)]
    return [*lines, *([f"  does not scale    {row.unscalable}"] if row.unscalable else []), ""]


def _told(row: Row) -> list[Line]:
    """The lines with the most at the target, if there are several, and those that grow faster than the logarithm."""
    first = row.lines[:_LINES] if len(row.lines) > 1 else ()
    return [line for line in row.lines if line in first or (line.most and line.most.growth[0] > 0)]


def _construct(row: Row, study: Study, width: int) -> list[str]:
    """A construct of OpenMP."""
    said = teams.words(row.site.call)
    lines = [line[:width] for line in (harmless(f"{place(row)} in {row.site.function}"), *_callers(row))]
    for words, law in ((said.most, row.most), (said.total, row.total), (said.partners, row.partners)):
        if words and (law or words != said.most):
            lines.append(f"  {words:<18}{_said(law, study.target)}")
    if said.most and said.total and row.most:
        lines += _excess(row, study)
    if row.unscalable:
        lines.append(f"  does not scale    {row.unscalable}")
    if row.rules:
        lines.append(f"  found there       {', '.join(row.rules)}")
    return [*lines, ""]


def _excess(row: Row, study: Study) -> list[str]:
    """How uneven the ranks are, where they are so or will be."""
    last = study.ranks[-1]
    now, there = row.excess_at(last), row.excess_at(study.far)
    if max(now, there) < _EVEN:
        return []
    text = str(row.excess) if row.excess else f"{_times(now)} at {last}"
    if study.far != last and not (row.excess and not row.excess.terms):
        text += f"; at {study.far:,}: {_times(there)}"
    return [f"  busiest to mean   {text}"]


def _times(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _head(row: Row) -> str:
    head = harmless(f"{row.site.file}:{row.site.line}" if row.site.file else "unknown place")
    return f"{head} in {harmless(row.site.function)}" if row.site.function else head


def _callers(row: Row) -> list[str]:
    outer = [f"{harmless(place[0].rsplit('/', 1)[-1])}:{place[1]}" for place in row.site.places[1:4]]
    return [f"  called by {' ← '.join(outer)}"] if outer else []


def _is_of_grid(law: Law | None) -> bool:
    return law is not None and any(term.family in ("square", "cube", "edge") for _, term in law.terms)


def _title(study: Study) -> str:
    ranks, count = ", ".join(map(str, study.ranks)), len(study.rows)
    kind = "weak" if study.weak else "strong"
    of = "of OpenMP" if study.unit == THREADS else "in MPI"
    return f"{count} place{'' if count == 1 else 's'} {of}, {kind} scaling over {ranks} {study.unit}"


def _verdict(study: Study) -> str:
    critical, first = sum(bool(row.unscalable) for row in study.rows), breaks_first(study)
    if first is None and study.unit == THREADS:
        return "no construct of OpenMP is met more often, or has more turns, the more threads there are"
    if first is None:
        return "no place has calls, partners or bytes of a rank that grow faster than the logarithm of the ranks"
    grow = "grows" if critical == 1 else "grow"
    text = f"{critical} of them {grow} with the {study.unit}, first {harmless(place(first))}: {first.unscalable}"
    if since := when(first.price, study):
        text += f"; {since}"
    return text


def place(row: Row) -> str:
    if not row.site.file:
        return f"{row.site.call}, of unknown place"
    return f"{row.site.file}:{row.site.line} {row.site.call}"


def _row(row: Row, study: Study, width: int) -> list[str]:
    head = harmless(place(row))
    if row.site.function:
        head += f" in {harmless(row.site.function)}"
    lines = [line[:width] for line in (head, *_callers(row))]
    lines.append(f"  calls of a rank   {_said(row.most, study.target)}")
    if row.total and row.most and str(row.total) != str(row.most):
        lines.append(f"  calls of all      {_said(row.total, study.target)}")
    if row.size and any(count.most_bytes for count in row.values.values()):
        lines.append(f"  bytes of a rank   {_said(row.size, study.target)}")
    if row.partners and max(count.partners for count in row.values.values()) > 0:
        lines.append(f"  partners          {_said(row.partners, study.target)}")
    lines += _excess(row, study)
    if row.price:
        target = study.target or study.ranks[-1]
        price = f"  costs a rank      {_between(row.price)} at {target:,} ranks"
        since = when(row.price, study)
        lines.append(f"{price}; {since}" if since else price)
    if row.unscalable:
        lines.append(f"  does not scale    {row.unscalable}")
    if row.rules:
        lines.append(f"  found there       {', '.join(row.rules)}")
    return [*lines, ""]


def _said(law: Law | None, target: int | None) -> str:
    if law is None:
        return "follow no law"
    text = str(law)
    if law.rivals and law.exact:
        others = list(dict.fromkeys(str(rival) for rival in law.rivals))
        text += f", or {others[0]}" + (f", or {len(others) - 1} more" if len(others) > 1 else "")
    if target and (law.terms or not law.exact):
        least, most = law.range(target)
        text += f"; at {target:,}: {_amount(least, most)}"
    return text if law.confidence.value == "high" or not law.terms else f"{text} ({law.confidence.value} confidence)"


def _amount(least: float, most: float) -> str:
    low, high = _count(least), _count(most)
    return low if low == high else f"{low} to {high}"


def _count(value: float) -> str:
    return f"{value:,.0f}" if value < 1e7 else f"{value:.3g}"


def _between(price: Price) -> str:
    low, high = seconds(price.least), seconds(price.most)
    return low if low == high else f"{low} to {high}"


def when(price: Price | None, study: Study) -> str:
    """From how many ranks on it hurts; empty where that is not known."""
    fewest, share = study.ranks[0], study.step_share
    if price is None or price.eats is None:
        return ""
    early, late = price.eats
    if early is None:
        return ""
    part = percent(share)
    if late is not None and late <= fewest:
        return f"{part} of what a rank computes already at {fewest} ranks"
    if late is None or late == early:
        return f"{part} of what a rank computes from about {_round(early)} ranks on"
    return f"{part} of what a rank computes from {_round(early)} to {_round(late)} ranks on"


def _round(ranks: int) -> str:
    digits = max(0, math.floor(math.log10(ranks)) - 1)
    return f"{round(ranks, -digits):,}"


def _memory(study: Study) -> list[str]:
    if study.memory is None:
        return []
    first, last = study.runs[0], study.runs[-1]
    ends = [f"{run.peak_bytes / 2**20:,.0f} MiB at {run.ranks}" for run in (first, last)]
    line = f"memory of a rank: {ends[0]} ranks, {ends[1]}"
    if study.memory.grows:
        line += "; it grows with the ranks"
    elif (
        last.peak_bytes > _EMPTY_RANK_BYTES
        and not study.weak
        and study.memory.growth == (0.0, 0.0)
        and not _shrinks(study.memory)
    ):
        line += "; it does not shrink, though each rank has less of the problem"
    return [line]


def _shrinks(law: Law) -> bool:
    return any(factor > 0 and term.growth[0] < 0 for factor, term in law.terms) or any(
        factor < 0 for factor, _ in law.terms
    )


def _instructions(study: Study) -> list[str]:
    """What the counts alone leave of speedup: no time is in it, and no message."""
    if not study.work:
        return []
    first, last = (sum(row.values[ranks].most for row in study.work) for ranks in (study.ranks[0], study.ranks[-1]))
    line = f"instructions of the busiest {study.one}: {first:,} at {study.ranks[0]} {study.unit}"
    line += f", {last:,} at {study.ranks[-1]}"
    if study.far > study.ranks[-1]:
        line += f", {study.instructions_at(study.far):,.0f} at {study.far:,}"
    lawless = sum(row.most is None for row in study.work)
    if not study.weak and not lawless and study.instructions_at(study.far) > 0:
        line += (
            f": at most {first / study.instructions_at(study.far):.3g} times as fast as {study.ranks[0]} {study.unit}"
        )
    return [line]


def _classic(study: Study) -> list[str]:
    crowded = [run.ranks for run in study.timed_runs if run.crowded]
    figures = classic(study.timed_runs, study.weak)
    lines: list[str] = []
    if crowded:
        ranks = ", ".join(map(str, crowded))
        lines.append(f"oversubscribed at {ranks} {study.unit}: their counts are exact, their times tell nothing")
    if figures is None:
        return lines
    lines += _table(figures, study)
    return lines


def _table(figures: Classic, study: Study) -> list[str]:
    weak = study.weak
    name = "serial share (Gustafson)" if weak else "serial share (Karp–Flatt)"
    lines = [f"{study.unit:>8} {'seconds':>10} {'speedup':>8} {'efficiency':>11} {'load balance':>13} {name:>26}"]
    for step in figures.steps:
        serial = "" if step.serial is None else percent(step.serial)
        lines.append(
            f"{step.ranks:>8} {seconds(step.seconds):>10} {step.speedup:>8.2f} {percent(step.efficiency):>11} "
            f"{percent(step.load_balance):>13} {serial:>26}"
        )
    if figures.serial is not None and not weak:
        limit = f", at most {figures.limit:,.3g} times as fast as {figures.base} {study.unit}" if figures.limit else ""
        lines.append(f"serial share by Amdahl's law: {percent(figures.serial)}{limit}")
    return lines


def markdown(study: Study) -> str:
    """A table for a pull request or a page."""
    lines = [
        f"**{_title(study)}**",
        "",
        "| place | call | calls of a rank | bytes of a rank | scales |",
        "|---|---|---|---|---|",
    ]
    for row in study.rows:
        where = f"{row.site.file}:{row.site.line}" if row.site.file else "unknown"
        cells = [where, row.site.call, str(row.most or "no law"), str(row.size or "no law"), row.unscalable or "yes"]
        lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return harmless(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")
