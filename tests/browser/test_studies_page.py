"""A report's page with a waterfall and a study of scaling: both are drawn, beside the run's own pictures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from test_page import result
from test_scale_page import ODD, RANKS, run
from webdriver import Browser

from stridewise.catalogue import load
from stridewise.finding.studies import Plan, Span, Step, Studies, Waterfall
from stridewise.render import RENDERERS
from stridewise.scale import data
from stridewise.scale.study import study

HOSTILE = "<img src=x onerror=document.title='run'>"
IMPROVED = Waterfall(
    ("./app",), "1 number", (), Span(4.0, 1.0), Span(4.0, 1.0),
    (
        Step(f"compile with -O3 {HOSTILE}", "Makefile:1", True, "faster", 4.0, 2.0, 2.0, "0123456789abcdef"),
        Step("exchange the loops", "a.c:3", True, "faster", 2.0, 1.0, 2.0, "fedcba9876543210"),
        Step("no barrier", "a.c:9", False, "other results"),
    ),
    (Plan("a.c:9", "mem-x", 0.5, HOSTILE),), "nothing is left to try", (),
)  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    scaled = data.view(study([run(ranks) for ranks in RANKS], target=4096))
    whole = replace(result(4, 300, 12), studies=Studies(IMPROVED, scaled))
    path.write_text(RENDERERS["html"](whole, load(), False), encoding="utf-8")
    return path


def test_curves_and_the_runs_own_pictures_are_drawn(browser: Browser, page: Path) -> None:
    pytest.importorskip("plotly", reason="pictures need the package plotly")
    browser.messages()
    browser.open(page)
    assert browser.messages() == []
    curves = "[...document.querySelectorAll('.chart[data-curve]')]"
    assert browser.run(f"return {curves}.map(c => [c.dataset.curve, c.data.length])") == [
        ["prices", 5], ["counts", 4], ["efficiency", 2],
    ]  # fmt: skip
    every = "[...document.querySelectorAll('.chart')].map(c => !!c.querySelector('svg.main-svg'))"
    drawn = browser.run(f"return {every}")
    assert len(drawn) > 3 and all(drawn)
    ink = f"return getComputedStyle({curves}[0].querySelector('.xtick text')).fill"
    before = browser.run(ink)
    browser.press("t")
    assert browser.run(ink) != before
    assert ODD in browser.run("return document.querySelector('main').textContent")
    assert browser.messages() == []


def test_bars_of_the_waterfall_are_as_long_as_their_times(browser: Browser, page: Path) -> None:
    browser.open(page)
    rows = "[...document.querySelectorAll('.waterfall .steps tbody tr')]"
    widths = browser.run(
        f"return {rows}.map(r => ['.was', '.now'].map(c => r.querySelector(c).getBoundingClientRect().width))"
    )
    whole = widths[0][0]
    assert whole > 50
    assert [was / whole for was, _ in widths] == pytest.approx([1, 1, 0.5], abs=0.01)
    assert [now / whole for _, now in widths] == pytest.approx([1, 0.5, 0.25], abs=0.01)
    text = browser.run("return document.querySelector('.waterfall').textContent")
    assert f"compile with -O3 {HOSTILE}" in text and "other results" in text and "saves about" in text
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.title").startswith("Stridewise")
