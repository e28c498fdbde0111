"""Plots of scaling studies in files: their curves are those of the study, names of a program stay text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stridewise.cli import main
from stridewise.scale import plot
from stridewise.scale.counts import Count, Counts, Site
from stridewise.scale.curves import curves
from stridewise.scale.study import Study, study

RANKS = (2, 3, 4, 6, 8, 12)
ODD = "_$\\frac{1}{0$<b>.c"


def run(ranks: int, crowded: bool = False) -> Counts:
    gather = Site("MPI_Recv", ((ODD, 9, "gather"),))
    total = Site("MPI_Allreduce", (("sum.c", 5, "main"),))
    calls = 20 * (ranks - 1)
    return Counts(
        ranks=ranks,
        folder=Path("run"),
        sites={
            gather: Count(calls, calls, 8 * calls, 8 * calls, ranks - 1, 1),
            total: Count(20, 20 * ranks, 160, 160 * ranks, 0, ranks),
        },
        allocations={},
        work={},
        wall_seconds=12.0 / ranks + 0.5,
        work_seconds=12.0,
        most_work_seconds=12.0 / ranks,
        crowded=crowded,
        peak_bytes=20 << 20,
        dropped=0,
    )


def made(crowded: bool = False) -> Study:
    return study([run(ranks, crowded) for ranks in RANKS], target=4096)


def test_curves_are_those_of_the_laws() -> None:
    shown = curves(made())
    assert (shown.ranks[0], shown.ranks[-1]) == (2, 4096)
    assert list(shown.ranks) == sorted(set(shown.ranks))
    by_call = {site.name.rpartition(" ")[2]: site for site in shown.sites}
    gather = by_call["MPI_Recv"]
    assert gather.law == pytest.approx([20 * (p - 1) for p in shown.ranks])
    assert list(gather.seen) == [(p, 20 * (p - 1)) for p in RANKS]
    assert all(0 < least < most for least, most in zip(gather.least, gather.most, strict=True))
    assert by_call["MPI_Allreduce"].law == pytest.approx([20] * len(shown.ranks))
    assert shown.work == pytest.approx([12.0 / p for p in shown.ranks])
    assert [p for p, _, _ in shown.efficiency] == list(RANKS)


@pytest.mark.parametrize("kind", [".png", ".svg", ".pdf"])
def test_files_of_each_kind(kind: str, tmp_path: Path) -> None:
    target = tmp_path / f"study{kind}"
    plot.draw(made(), target)
    data = target.read_bytes()
    begins = {".png": b"\x89PNG\r\n\x1a\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}
    assert data.startswith(begins[kind])
    assert len(data) > 5000


def test_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib.figure import Figure

    drawn: list[Figure] = []

    def save(figure: Figure, *_: object, **__: object) -> None:
        drawn.append(figure)

    monkeypatch.setattr(Figure, "savefig", save)
    plot.draw(made(), tmp_path / "a.png")
    plot.draw(made(crowded=True), tmp_path / "b.png")
    whole, crowded = drawn
    assert [axes.get_title().split(",")[0].split(":")[0] for axes in whole.axes] == [
        "Seconds of a rank", "Calls of the busiest rank", "Efficiency",
    ]  # fmt: skip
    assert len(crowded.axes) == 2  # without times that tell something there is no efficiency
    seconds, calls, efficiency = whole.axes
    assert len(seconds.collections) == 2
    assert [line.get_label() for line in seconds.lines] == ["what a rank computes"]
    laws = [line for line in calls.lines if line.get_marker() == "None"]
    ends = [np.asarray(line.get_ydata())[-1] for line in laws]
    assert sorted(ends) == pytest.approx([20, 20 * 4095])
    labels = [text.get_text() for text in calls.get_legend().get_texts()]  # type: ignore[union-attr]
    assert len(labels) == 2
    assert any(r"\$\frac{1}{0\$<b>.c:9" in label for label in labels)
    assert {axes.get_xscale() for axes in whole.axes} == {"log"}
    assert efficiency.get_ylim()[0] == 0


def test_files_that_cannot_be_drawn_are_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["scale", "-o", str(tmp_path / "runs"), "--plot"]
    assert main([*words, "study.gif", "--", "mpirun", "-n", "{n}", "/bin/true"]) == 2
    assert "ends in none of .png, .svg, .pdf" in capsys.readouterr().err
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert main([*words, "study.png", "--", "mpirun", "-n", "{n}", "/bin/true"]) == 2
    assert "pip install matplotlib" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
