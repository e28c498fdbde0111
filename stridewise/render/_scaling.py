"""A study of scaling for people: the body of its page, which is also a section of a report's, and its short form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from importlib.resources import files

from stridewise.console import harmless
from stridewise.finding.quantities import seconds
from stridewise.finding.studies import Curves, Scaled, Scaling
from stridewise.render._common import safe

_PICTURES = {
    "prices": (
        "Seconds of a rank",
        "Least and most, against what a rank computes (dashed). Click a name to hide it.",
    ),
    "counts": ("Calls of the busiest rank", "Points are runs, lines are laws."),
    "efficiency": ("Efficiency", "Of runs whose ranks all had a processor."),
}
_OF_THREADS = {
    "counts": ("Times of the busiest thread", "Points are runs, lines are laws."),
    "efficiency": ("Efficiency", "Of runs whose threads all had a processor."),
}
_ROWS = 15  # of a report; the page of the study has all


def script() -> str:
    """Draws the curves by plotly.js, of the member `curves` of the page's data."""
    return files(__package__).joinpath("curves.js").read_text(encoding="utf-8")


def pictures(curves: Curves) -> Iterator[str]:
    for name, (title, hint) in (_OF_THREADS if curves.unit == "threads" else _PICTURES).items():
        if name != "efficiency" or curves.efficiency:
            yield f'<section class="picture"><h2>{title}</h2><p class="hint">{hint}</p>'
            yield f'<div class="chart" data-curve="{name}"></div></section>'


def table(scaling: Scaling, sites: Iterable[Scaled]) -> Iterator[str]:
    threads = scaling.unit == "threads"
    heads = ("place", "calls of a rank", "bytes of a rank", f"seconds of a rank at {scaling.far:,} ranks")
    heads = (*(("place", "times, or iterations, of a thread") if threads else heads), "does not scale")
    yield '<section><table class="sortable"><thead><tr>'
    yield from (f'<th scope="col">{_text(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    yield from (_row(site, threads) for site in sites)
    yield "</tbody></table></section>"


def _row(site: Scaled, threads: bool) -> str:
    price = f"{seconds(site.price.least)} to {seconds(site.price.most)}" if site.price else ""
    laws = (site.calls_most.law or "no law", site.bytes_most.law or "no law")
    cells = [site.place, *(laws[:1] if threads else (*laws, price)), site.unscalable]
    return f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"


def section(scaling: Scaling, drawn: bool) -> Iterator[str]:
    """Of a report."""
    yield f"<section><h2>{_text(_title(scaling).capitalize())}</h2>"
    yield from (f"<p>{_text(line)}</p>" for line in (scaling.said or list(lines(scaling))[1:]) if line)
    yield "</section>"
    if scaling.curves and drawn:
        yield from pictures(scaling.curves)
    known = [site for site in scaling.sites if not site.timing]
    yield from table(scaling, known[:_ROWS])
    if len(known) > _ROWS:
        yield f"<p>{len(known) - _ROWS} more places, cheaper ones, are in the study's own page.</p>"


def lines(scaling: Scaling) -> Iterator[str]:
    """What breaks first."""
    yield harmless(_title(scaling))
    breaks, first = scaling.breaks_first, scaling.first
    if breaks is None or first is None:
        slow = next((site for site in scaling.sites if site.unscalable), None)
        why = f"{slow.place} does not scale: {slow.unscalable}" if slow else "no place is known not to scale"
        yield f"  {harmless(why)}"
        return
    since = f"; {breaks.when}" if breaks.when else ""
    yield f"  breaks first: {harmless(first.place)}: {harmless(breaks.why)}{harmless(since)}"
    there = [f"{count.foretold:,.0f} {of}" for count, of in ((first.calls_most, "calls"), (first.bytes_most, "bytes"))
             if count.foretold is not None]  # fmt: skip
    there += [f"{seconds(first.price.least)} to {seconds(first.price.most)}"] if first.price else []
    if there and scaling.unit == "ranks":
        yield f"  of a rank at {scaling.far:,} ranks: {', '.join(there)}"


def _title(scaling: Scaling) -> str:
    seen = ", ".join(map(str, scaling.ranks))
    to = f" to {scaling.target:,}" if scaling.target else ""
    return (
        f"{scaling.scaling} scaling{to} {scaling.unit}, by runs of {seen}"
        if to
        else f"{scaling.scaling} scaling over {seen} {scaling.unit}"
    )


def _text(text: str) -> str:
    return escape(safe(text))
