"""A study as a page for a browser: a table of the places, and curves of their costs against what a rank computes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from stridewise.finding.studies import Scaling
from stridewise.render import _page as page
from stridewise.render import _scaling
from stridewise.scale.data import view
from stridewise.scale.study import Study


def render(study: Study) -> str:
    shown = view(study)
    assert shown.curves
    data = {"curves": asdict(shown.curves)}
    return page.page("Stridewise: scaling", _body(shown), data, _scaling.script())


def _body(shown: Scaling) -> Iterator[str]:
    yield "<section>"
    yield from (f"<p>{page.text(line)}</p>" for line in shown.said if line)
    yield "</section>"
    if shown.curves:
        yield from _scaling.pictures(shown.curves)
    yield from _scaling.table(shown, [site for site in shown.sites if not site.timing])
