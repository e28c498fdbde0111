"""A study as text, Markdown and JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from stridewise.console import harmless
from stridewise.finding.quantities import percent, seconds
from stridewise.scale.classic import Classic, classic
from stridewise.scale.laws import Law
from stridewise.scale.study import Price, Row, Study
from stridewise.scale.terms import GRIDS

SHOWN = 15
_EMPTY_RANK_BYTES = 64 << 20  # below, it is the MPI library's own memory: a rank without data takes some 15 MiB
_GRID_WORDS = ("X", "Y", "A", "B", "C")


def to_json(study: Study) -> dict[str, Any]:
    """{"ranks", "sites": [{"call", "file", "line", "path", "calls_most": {"law", "values", …}, …}], …}; prices are
    seconds of one rank over the whole run."""
    figures = classic(study.runs, study.weak)
    return {
        "version": 1,
        "scaling": "weak" if study.weak else "strong",
        "ranks": list(study.ranks),
        "oversubscribed": [run.ranks for run in study.runs if run.crowded],
        "target": study.target,
        "network": asdict(study.network),
        "sites": [_site(row, study) for row in (*study.rows, *study.timed)],
        "memory": {"values": [run.peak_bytes for run in study.runs], **_law(study.memory, study.target)},
        "runs": [
            {
                "ranks": run.ranks,
                "folder": str(run.folder),
                "seconds": run.wall_seconds,
                "work_seconds": run.work_seconds,
                "load_balance": run.load_balance,
                "oversubscribed": run.crowded,
            }
            for run in study.runs
        ],
        "classic": asdict(figures) | {"limit": figures.limit} if figures else None,
        "left_out": list(study.skipped),
        "notes": list(study.notes),
    }


def _site(row: Row, study: Study) -> dict[str, Any]:
    counts = [row.values[ranks] for ranks in study.ranks]
    return {
        "call": row.site.call,
        "file": row.site.file,
        "line": row.site.line,
        "function": row.site.function,
        "path": [list(place) for place in row.site.places],
        "timing": row.site.timed,
        "calls_most": {"values": [c.most for c in counts], **_law(row.most, study.target)},
        "calls": {"values": [c.total for c in counts], **_law(row.total, study.target)},
        "bytes_most": {"values": [c.most_bytes for c in counts], **_law(row.size, study.target)},
        "partners": {"values": [c.partners for c in counts], **_law(row.partners, study.target)},
        "unscalable": row.unscalable,
        "price": asdict(row.price) if row.price else None,
        "rules": list(row.rules),
    }


def _law(law: Law | None, target: int | None) -> dict[str, Any]:
    if law is None:
        return {"law": None}
    value: dict[str, Any] = {
        "law": str(law),
        "growth": list(law.growth),
        "error": law.error,
        "confidence": law.confidence.value,
        "rivals": [str(rival) for rival in law.rivals],
    }
    if target:
        value["foretold"] = law.at(target)
        value["at_target"] = list(law.range(target))
    return value


def as_json(study: Study) -> str:
    return json.dumps(to_json(study), indent=2, allow_nan=False) + "\n"


# --- Text -------------------------------------------------------------------------------------------------------------


def text(study: Study, width: int, everything: bool = False) -> str:
    lines = [_title(study), ""]
    critical = [row for row in study.rows if row.unscalable]
    lines += [_verdict(critical, study), ""]
    worth = [row for row in study.rows if row.price or row.unscalable or row.most is None or row.most.terms]
    rows = study.rows if everything else worth[:SHOWN]
    for row in rows:
        lines += _row(row, study, width)
    hidden = len(study.rows) - len(rows)
    if hidden:
        lines.append(f"{hidden} more place{'' if hidden == 1 else 's'}, cheaper ones: --all shows them")
    if rows and any(
        word in f" {law} " for row in rows for law in (row.most, row.size) if law for word in _grid_names()
    ):
        lines.append(f"P is the number of ranks; {GRIDS}")
    if study.timed:
        places = ", ".join(sorted({place(row) for row in study.timed}))
        lines.append(f"no law is sought where the number of calls is a matter of time: {harmless(places)}")
    lines += ["", *_foot(study)]
    return "\n".join(lines).rstrip() + "\n"


def described(study: Study) -> list[str]:
    """The study in lines, without its places."""
    critical = [row for row in study.rows if row.unscalable]
    return [_title(study), _verdict(critical, study), *_foot(study)]


def _foot(study: Study) -> list[str]:
    lines = [*_memory(study), *_classic(study), f"prices: {study.network.source}"]
    return lines + [f"note: {harmless(note)}" for note in (*study.notes, *study.skipped)]


def _grid_names() -> list[str]:
    return [f"·{name}" for name in _GRID_WORDS] + ["·(X+Y)", "·(A+B", "·(AB", "grid"]


def _title(study: Study) -> str:
    ranks, count = ", ".join(map(str, study.ranks)), len(study.rows)
    kind = "weak" if study.weak else "strong"
    return f"{count} place{'' if count == 1 else 's'} in MPI, {kind} scaling over {ranks} ranks"


def _verdict(critical: Sequence[Row], study: Study) -> str:
    if not critical:
        return "no place has calls, partners or bytes of a rank that grow faster than the logarithm of the ranks"
    first = critical[0]
    grow = "grows" if len(critical) == 1 else "grow"
    text = f"{len(critical)} of them {grow} with the ranks, first {harmless(place(first))}: {first.unscalable}"
    if when := _when(first.price, study.ranks[0], study.step_share):
        text += f"; {when}"
    return text


def place(row: Row) -> str:
    if not row.site.file:
        return f"{row.site.call}, of unknown place"
    return f"{row.site.file}:{row.site.line} {row.site.call}"


def _row(row: Row, study: Study, width: int) -> list[str]:
    head = harmless(place(row))
    if row.site.function:
        head += f" in {harmless(row.site.function)}"
    outer = [f"{harmless(place[0].rsplit('/', 1)[-1])}:{place[1]}" for place in row.site.places[1:4]]
    lines = [head[:width]]
    if outer:
        lines.append(f"  called by {' ← '.join(outer)}"[:width])
    lines.append(f"  calls of a rank   {_said(row.most, study.target)}")
    if row.total and row.most and str(row.total) != str(row.most):
        lines.append(f"  calls of all      {_said(row.total, study.target)}")
    if row.size and any(count.most_bytes for count in row.values.values()):
        lines.append(f"  bytes of a rank   {_said(row.size, study.target)}")
    if row.partners and max(count.partners for count in row.values.values()) > 0:
        lines.append(f"  partners          {_said(row.partners, study.target)}")
    if row.price:
        target = study.target or study.ranks[-1]
        price = f"  costs a rank      {_between(row.price)} at {target:,} ranks"
        when = _when(row.price, study.ranks[0], study.step_share)
        lines.append(f"{price}; {when}" if when else price)
    if row.unscalable:
        lines.append(f"  does not scale    {row.unscalable}")
    if row.rules:
        lines.append(f"  found there       {', '.join(row.rules)}")
    return [*lines, ""]


def _said(law: Law | None, target: int | None) -> str:
    if law is None:
        return "follow no law of the number of ranks"
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


def _when(price: Price | None, fewest: int, share: float) -> str:
    """From how many ranks on it hurts."""
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


def _classic(study: Study) -> list[str]:
    crowded = [run.ranks for run in study.runs if run.crowded]
    figures = classic(study.runs, study.weak)
    lines = []
    if crowded:
        ranks = ", ".join(map(str, crowded))
        lines.append(f"oversubscribed at {ranks} ranks: their counts are exact, their times tell nothing")
    if figures is None:
        return lines
    lines += _table(figures, study.weak)
    return lines


def _table(figures: Classic, weak: bool) -> list[str]:
    name = "serial share (Gustafson)" if weak else "serial share (Karp–Flatt)"
    lines = [f"{'ranks':>8} {'seconds':>10} {'speedup':>8} {'efficiency':>11} {'load balance':>13} {name:>26}"]
    for step in figures.steps:
        serial = "" if step.serial is None else percent(step.serial)
        lines.append(
            f"{step.ranks:>8} {seconds(step.seconds):>10} {step.speedup:>8.2f} {percent(step.efficiency):>11} "
            f"{percent(step.load_balance):>13} {serial:>26}"
        )
    if figures.serial is not None and not weak:
        limit = f", at most {figures.limit:,.3g} times as fast as {figures.base} ranks" if figures.limit else ""
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
