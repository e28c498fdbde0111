"""A study as a page for a browser: a table of the places, and curves of their costs against what a rank computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files

from stridewise.finding.quantities import seconds
from stridewise.render import _page as page
from stridewise.scale.classic import classic
from stridewise.scale.curves import curves
from stridewise.scale.render import described, place
from stridewise.scale.row import Row
from stridewise.scale.study import Study


def render(study: Study) -> str:
    script = files(__package__).joinpath("scale.js").read_text(encoding="utf-8")
    return page.page("Stridewise: scaling", _body(study), asdict(curves(study)), script)


def _body(study: Study) -> Iterator[str]:
    yield "<section>"
    yield from (f"<p>{page.text(line)}</p>" for line in described(study) if line)
    yield "</section>"
    for name, title, hint in (
        (
            "prices",
            "Seconds of a rank",
            "Least and most, against what a rank computes (dashed). Click a name to hide it.",
        ),
        ("counts", "Calls of the busiest rank", "Points are runs, lines are laws."),
        ("efficiency", "Efficiency", "Of runs whose ranks all had a processor."),
    ):
        if name != "efficiency" or classic(study.runs, study.weak):
            yield f'<section class="picture"><h2>{title}</h2><p class="hint">{hint}</p>'
            yield f'<div class="chart" data-chart="{name}"></div></section>'
    target = study.target or study.ranks[-1]
    heads = ("place", "calls of a rank", "bytes of a rank", f"seconds of a rank at {target:,} ranks", "does not scale")
    yield '<section><table class="sortable"><thead><tr>'
    yield from (f'<th scope="col">{page.text(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    yield from (_row(row) for row in study.rows)
    yield "</tbody></table></section>"


def _row(row: Row) -> str:
    price = f"{seconds(row.price.least)} to {seconds(row.price.most)}" if row.price else ""
    cells = [place(row), str(row.most or "no law"), str(row.size or "no law"), price, row.unscalable]
    return f"<tr>{''.join(f'<td>{page.text(cell)}</td>' for cell in cells)}</tr>"
