"""The roofline in a browser: the loops lie at their limits, below the roof, with their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from webdriver import Browser

from stridewise.catalogue import load
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS
from stridewise.runs.cache import roofline
from stridewise.runs.cache.roofline import Ceilings, Kept, Work

ROOF = Ceilings("m", memory=10e9, inner=100e9, behind="L2", scalar=2e9, packed={"double": 20e9})
HOSTILE = "f<img src=x>"
KEPT = Kept(
    1,
    1,
    (
        Work(HOSTILE, "/p/a.c", 7, True, 9, (), (("double", 10**9),), 10**9, 10**10),
        Work("g", "/p/b.c", 8, True, 9, (("double", 4 * 10**9),), (), 0, 10**9),
        Work("copy", "/p/b.c", 9, True, 9, (), (), 10**9, 10**9),
    ),
)


def test_loops_lie_below_the_roof(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("plotly", reason="pictures need the package plotly")
    run = RunSummary("cache", ("./a",), 0, 4.0, ("1 process",), views=lambda: roofline.view(KEPT, ROOF))
    path = tmp_path / "report.html"
    path.write_text(RENDERERS["html"](Result(Project(Path("/p")), (), runs=(run,)), load(), False), encoding="utf-8")
    browser.open(path)
    assert browser.messages() == []
    data = "document.querySelector('[data-chart=roofline]').data"
    assert browser.run(f"return {data}.map((t) => t.name)") == [
        "memory 10.0 GB/s", "double, vectors 20.0 Gflop/s", "scalar 2.00 Gflop/s", "loops",
    ]  # fmt: skip
    # One flop for ten bytes at 10 GB/s; four billion scalar ones at two billion a second, where the roof is at 20.
    points = browser.run(f"const t = {data}[3]; return t.x.map((x, i) => [x, t.y[i]])")
    assert sorted(points) == [[pytest.approx(0.1), pytest.approx(1)], [pytest.approx(4), pytest.approx(2)]]
    slope = browser.run(f"const t = {data}[0]; return [t.x[1], t.y[1], t.y[0] / t.x[0]]")
    assert slope == pytest.approx([2, 20, 10])  # up to the peak
    text = browser.run(f"return {data}[3].text.join(' ')")
    assert "b.c:8 in g" in text
    assert "bound by scalar code" in text
    assert browser.run("return document.querySelectorAll('img').length") == 0
