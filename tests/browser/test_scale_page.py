"""The page of `stridewise scale`: its curves are drawn, and names of a program stay text."""

from __future__ import annotations

from pathlib import Path

from webdriver import Browser

from stridewise.scale import page
from stridewise.scale.counts import Count, Counts, Site
from stridewise.scale.render import text
from stridewise.scale.study import study

RANKS = (2, 3, 4, 6, 8, 12)
ODD = "<img src=x onerror=document.title='run'>.c"


def run(ranks: int) -> Counts:
    gather = Site("MPI_Recv", ((ODD, 9, "gather"),))
    total = Site("MPI_Allreduce", (("sum.c", 5, "main"),))
    return Counts(
        ranks=ranks,
        folder=Path("run"),
        sites={
            gather: Count(20 * (ranks - 1), 20 * (ranks - 1), 160 * (ranks - 1), 160 * (ranks - 1), ranks - 1, 1),
            total: Count(20, 20 * ranks, 160, 160 * ranks, 0, ranks),
        },
        allocations={},
        work={},
        wall_seconds=12.0 / ranks + 0.5,
        work_seconds=12.0,
        most_work_seconds=12.0 / ranks,
        crowded=False,
        peak_bytes=20 << 20,
        dropped=0,
    )


def test_curves_are_drawn_and_names_stay_text(browser: Browser, tmp_path: Path) -> None:
    made = tmp_path / "scale.html"
    made.write_text(page.render(study([run(ranks) for ranks in RANKS], target=4096)), encoding="utf-8")
    browser.open(made)
    charts = browser.run("return [...document.querySelectorAll('.chart')].map(c => [c.dataset.curve, c.data.length])")
    # Of prices two curves a place and what a rank computes; of counts a law and its points each.
    assert charts == [["prices", 5], ["counts", 4], ["efficiency", 2]]
    lines = browser.run("return document.querySelectorAll('.chart .scatterlayer .js-line').length")
    assert lines >= 5 + 2 + 2
    assert browser.run("return document.title") == "Stridewise: scaling"
    assert "20·P - 20" in browser.run("return document.querySelector('table').textContent")
    assert ODD in browser.run("return document.querySelector('tbody').textContent")
    assert not browser.messages()


def test_times_of_quiet_runs_give_the_classic_figures() -> None:
    """12 s of work and half a second that no rank takes off: Amdahl's share of the base's 6.5 s is 0.5/6.5."""
    told = text(study([run(ranks) for ranks in RANKS]), 120)
    assert "Karp–Flatt" in told
    assert "serial share by Amdahl's law: 7.69 %, at most 13 times as fast as 2 ranks" in told
