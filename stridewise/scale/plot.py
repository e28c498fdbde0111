"""A study as a picture in a file (PNG, SVG, PDF), drawn by matplotlib: the curves of its page."""

from __future__ import annotations

import importlib.util
from io import BytesIO
from pathlib import Path
from typing import Any

from stridewise.errors import Failure
from stridewise.finding.studies import Curves
from stridewise.output import write_file
from stridewise.scale.counts import THREADS
from stridewise.scale.curves import curves
from stridewise.scale.study import Study

KINDS = (".png", ".svg", ".pdf")
# Okabe and Ito's colours, which everybody can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#999999")
_INCHES, _DOTS = (8.0, 4.5), 120


def check(target: Path) -> None:
    """Raises Failure where no plot can be drawn into that file."""
    if target.suffix.lower() not in KINDS:
        raise Failure(f"--plot {target}: the name ends in none of {', '.join(KINDS)}")
    if importlib.util.find_spec("matplotlib") is None:
        raise Failure("--plot draws by the Python package matplotlib, which is not installed: pip install matplotlib")


def draw(study: Study, target: Path) -> None:
    """One picture above the other: seconds, calls, and the efficiency where runs tell it."""
    from matplotlib.figure import Figure

    shown = curves(study)
    priced = [] if shown.unit == THREADS else [_seconds]
    parts = [*priced, _calls, *([_efficiency] if shown.efficiency else [])]
    figure = Figure(figsize=(_INCHES[0], _INCHES[1] * len(parts)), dpi=_DOTS, layout="constrained")
    for part, axes in zip(parts, figure.subplots(len(parts), squeeze=False)[:, 0], strict=True):
        part(axes, shown)
        axes.set_xscale("log")
        axes.set_xlabel(shown.unit)
        axes.grid(visible=True, alpha=0.3)
        axes.legend(fontsize="small")
    image = BytesIO()
    figure.savefig(image, format=target.suffix.lower().removeprefix("."))
    write_file(target, image.getvalue())


def _seconds(axes: Any, shown: Curves) -> None:
    axes.set_title("Seconds of a rank, least and most")
    for site, colour in zip(shown.sites, _COLOURS, strict=False):
        if site.most:
            axes.fill_between(shown.ranks, site.least, site.most, color=colour, alpha=0.4, label=_plain(site.name))
    if all(shown.work):
        axes.plot(shown.ranks, shown.work, "k--", label="what a rank computes")
    axes.set_yscale("log")
    axes.set_ylabel("seconds")


def _calls(axes: Any, shown: Curves) -> None:
    what = "Times of the busiest thread" if shown.unit == THREADS else "Calls of the busiest rank"
    axes.set_title(f"{what}: points are runs, lines are laws")
    for site, colour in zip(shown.sites, _COLOURS, strict=False):
        if site.law:
            axes.plot(shown.ranks, site.law, color=colour, label=_plain(site.name))
        name = "" if site.law else _plain(site.name)
        axes.plot([p for p, _ in site.seen], [n for _, n in site.seen], "o", color=colour, label=name or None)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_ylabel("times" if shown.unit == THREADS else "calls")


def _efficiency(axes: Any, shown: Curves) -> None:
    axes.set_title(f"Efficiency, of runs whose {shown.unit} all had a processor")
    ranks = [p for p, _, _ in shown.efficiency]
    axes.plot(ranks, [share for _, share, _ in shown.efficiency], "o-", label="efficiency")
    axes.plot(ranks, [share for _, _, share in shown.efficiency], "s-", label="load balance")
    axes.set_ylim(0, 1.1)
    axes.set_ylabel("share")


def _plain(name: str) -> str:
    """Without what matplotlib takes for mathematics, and for a label that is to be hidden."""
    return name.replace("$", r"\$").removeprefix("_")
