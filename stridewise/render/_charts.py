"""The pictures of the page: their data, the library that draws them, and the policy under which both may run.

plotly.js is not part of this code: it is taken from the Python package `plotly`, where that is installed. Without it
the page has everything but the pictures, and says so.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from stridewise.finding.result import Result
from stridewise.finding.studies import Curves
from stridewise.render import _scaling
from stridewise.render._common import safe

MISSING = "no pictures: they need the Python package plotly where the report is made: pip install 'plotly>=5'"
_FIGURES = (
    ("timeline", "Timeline of the ranks", "Drag to zoom, double-click to see all, click a call to go to its finding."),
    ("matrix", "Who sends to whom", "Bytes by sender and receiver; hover for messages."),
    ("sizes", "Sizes of messages", "How many messages of each size, and the bytes that they carry."),
    ("waiting", "Waiting by rank and call site", "Seconds that each rank waited at the dearest places."),
    ("efficiency", "Efficiencies", "Each is the product of those beside it: parallel = load balance × communication."),
    (
        "paths",
        "Call tree",
        "Who calls MPI, and how long the ranks are in it on average; click to go down, again to go up.",
    ),
    (
        "roofline",
        "Roofline",
        "Each loop at what it could reach as it is compiled; the larger, the longer it takes at least.",
    ),
    ("sites", "Time by call site", "Mean of the ranks, and what the slowest rank takes beyond it."),
)


def library() -> str:
    """The text of plotly.js; empty where it is not installed."""
    spec = importlib.util.find_spec("plotly")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder) / "package_data" / "plotly.min.js"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""


def own() -> str:
    return files(__package__).joinpath("report.js").read_text(encoding="utf-8")


def data(result: Result, places: Mapping[tuple[str, int], Sequence[int]]) -> list[dict[str, Any]]:
    """What the pictures of each run show. `places` are the numbers of the findings by file and line."""
    found = []
    for run in result.runs:
        shown: dict[str, Any] = dict(run.views()) if run.views else {}
        if run.profile and run.profile.sites:
            shown["sites"] = [
                [
                    f"{s.call} {Path(s.file).name}:{s.line}" if s.line else s.call,
                    s.mean_seconds,
                    s.worst_seconds,
                    s.worst_rank,
                ]
                for s in run.profile.sites[:20]
            ]
        if shown:
            shown["title"] = f"{run.kind} run"
            _link(shown, places)
            _link_paths(shown, places)
            found.append(shown)
    return found


def _link(shown: dict[str, Any], places: Mapping[tuple[str, int], Sequence[int]]) -> None:
    """Names the findings of each place, and takes away paths that nobody needs."""
    for part in ("timeline", "waits"):
        if part in shown:
            shown[part] = {
                **shown[part],
                "places": [
                    {"label": safe(p["label"]), "findings": list(places.get((p["file"], p["line"]), ()))}
                    for p in shown[part]["places"]
                ],
            }


def _link_paths(shown: dict[str, Any], places: Mapping[tuple[str, int], Sequence[int]]) -> None:
    if "paths" in shown:
        shown["paths"] = [
            [safe(label), parent, nanoseconds, count, list(places.get((file, line), ()))]
            for label, parent, nanoseconds, count, file, line in shown["paths"]
        ]


def figures(runs: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Where the pictures of each run are drawn; what has no data is left out."""
    for number, run in enumerate(runs):
        for name, title, hint in _FIGURES:
            if not _has(run, name):
                continue
            yield f'<section class="picture"><h2>{title}</h2><p class="hint">{hint}</p>'
            if name == "timeline":
                yield from _marks(run, number)
            yield f'<div class="chart" id="{name}-{number}" data-chart="{name}" data-run="{number}"></div>'
            if name == "timeline" and run["timeline"]["joined"]:
                joined = f"{run['timeline']['joined']:,}"
                yield f"<p>{joined} calls are joined with the ones next to them, as the page can hold only so many.</p>"
            if name == "waiting":
                yield from _culprits(run["waits"]["culprits"])
            yield "</section>"
        if run.get("missing"):
            yield f"<p>No timeline: {escape(safe(str(run['missing'])))}</p>"


def _has(run: Mapping[str, Any], name: str) -> bool:
    if name == "matrix":
        return bool(run.get("traffic", {}).get("cells"))
    if name == "waiting":
        return bool(run.get("waits", {}).get("places"))
    if name == "timeline":
        return bool(run.get("timeline", {}).get("rows"))
    if name == "paths":
        return len(run.get(name, ())) > 1
    return bool(run.get(name))


def _marks(run: Mapping[str, Any], number: int) -> Iterator[str]:
    """A choice of the findings whose calls are on the timeline."""
    known = sorted({n for place in run["timeline"]["places"] for n in place["findings"]})
    if known:
        yield f'<label>Mark the calls of <select class="mark" data-run="{number}"><option value="">nothing</option>'
        yield from (f'<option value="{n}">finding {n}</option>' for n in known)
        yield "</select></label>"


def _culprits(listed: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    rows = [
        f'<tr><td class="figure">{c["seconds"]:.3g} s</td><td>{escape(safe(c["at"]))}</td>'
        f'<td><button class="rank" data-rank="{c["rank"]}">rank {c["rank"]}</button></td></tr>'
        for c in listed
    ]
    if rows:
        yield '<table class="sortable"><thead><tr><th scope="col">waited</th><th scope="col">at</th>'
        yield '<th scope="col">for</th></tr></thead><tbody>'
        yield from rows
        yield "</tbody></table>"


def scripts(runs: Sequence[Mapping[str, Any]], curves: Curves | None) -> tuple[list[str], str, bool]:
    """The elements at the end of the page, the sources of the policy that let exactly these run, and whether they
    draw."""
    plotly = library() if runs or curves else ""
    texts = [plotly.replace("</script", "<\\/script")] if plotly else []
    texts += [_scaling.script()] if plotly and curves else []
    texts.append(own())
    # Text in a script element ends at the first end tag, whatever stands around it.
    shown = {"runs": list(runs), **({"curves": asdict(curves)} if curves else {})}
    written = json.dumps(shown, separators=(",", ":"), ensure_ascii=True).replace("<", "\\u003c")
    elements = [f'<script type="application/json" id="stridewise-data">{written}</script>']
    elements += [f"<script>{text}</script>" for text in texts]
    allowed = " ".join(f"'sha256-{digest(text)}'" for text in texts)
    return elements, allowed, bool(plotly)


def digest(text: str) -> str:
    """Browsers take the hash of an element's text, in which a line break is one character."""
    raw = text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8")
    return base64.b64encode(hashlib.sha256(raw).digest()).decode()
