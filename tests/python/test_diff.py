"""stridewise diff: what changed, and how sure that is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise.cli import main
from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.difference import Side, Site, Timed, difference, noise, sites, to_json
from stridewise.finding.profile import CallSite, Part, Profile, TeamSite
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS
from stridewise.render._difference import render
from stridewise.render._layout import Layout
from stridewise.runs import diff
from stridewise.runs.report import _joined as joined
from stridewise.runs.run_folder import Record

SITE = Site("MPI_Send", "exchange.c", "exchange", 1000, 1.0)


def finding(**changes: Any) -> Finding:
    base = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="one message per cell",
        advice="send line 7 as one",
        location=Location("/p/exchange.c", 24),
        function="exchange",
        verdict=Verdict.OBSERVED,
        evidence=(Evidence("mpi", {}),),
        fingerprint="aa",
        moved_fingerprint="bb",
        cost_seconds=1.0,
    )
    return replace(base, **changes)


def side(*findings: Finding, seconds: tuple[float, ...] = (10.0,), noise_seconds: float = 0.0, **more: Any) -> Side:
    timed = Timed("mpi", seconds, noise_seconds, {"computing": 6.0, "waiting": 4.0}, (SITE,))
    return Side("side", findings, (replace(timed, **more),))


def kinds(before: Side, after: Side) -> list[str]:
    return [change.kind for change in difference(before, after).changes]


def test_gone_new_cheaper_dearer_and_the_same() -> None:
    assert kinds(side(finding()), side()) == ["gone"]
    assert kinds(side(), side(finding())) == ["new"]
    assert kinds(side(finding()), side(finding(cost_seconds=0.5))) == ["cheaper"]
    assert kinds(side(finding()), side(finding(cost_seconds=2.0))) == ["dearer"]
    assert kinds(side(finding()), side(finding(cost_seconds=1.0001))) == ["same"]
    assert kinds(side(finding(cost_seconds=None)), side(finding())) == ["same"]  # one was not timed
    assert kinds(side(finding(cost_seconds=None, gain_seconds=3.0)), side(finding())) == ["cheaper"]


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"location": Location("/p/exchange.c", 90)}, True),  # moved
        ({"fingerprint": "cc"}, True),  # in another folder
        ({"fingerprint": "cc", "moved_fingerprint": "dd", "advice": "send line 9 as one"}, True),  # rewritten
        ({"fingerprint": "cc", "moved_fingerprint": "dd", "advice": "pack them",
          "location": Location("/q/after/exchange.c", 3)}, True),
        ({"fingerprint": "cc", "moved_fingerprint": "dd", "function": "other"}, False),
        ({"rule": "mpi-late-sender"}, False),
    ],
)  # fmt: skip
def test_what_is_the_same_finding(changes: dict[str, Any], same: bool) -> None:
    assert (kinds(side(finding()), side(finding(**changes))) == ["same"]) is same


def test_each_finding_is_matched_once_and_the_nearest_first() -> None:
    near, far = finding(cost_seconds=0.2), finding(fingerprint="cc", moved_fingerprint="dd", cost_seconds=5.0)
    found = difference(side(finding()), side(far, near))
    assert {(c.kind, c.one.cost_seconds) for c in found.changes} == {("cheaper", 0.2), ("new", 5.0)}


def test_a_difference_within_the_noise_is_none() -> None:
    quiet = difference(side(seconds=(10.0,)), side(seconds=(9.0,)))
    assert quiet.interval("mpi") == pytest.approx((-1.05, -0.95))
    loud = difference(side(seconds=(10.0,), noise_seconds=2.0), side(seconds=(9.0,)))
    assert loud.interval("mpi") == pytest.approx((-3.05, 1.05))
    assert "no difference beyond the noise (−3.05 s to +1.05 s)" in render(loud, "text", False, False)
    assert "1.11 times as fast" in render(quiet, "text", False, False)
    many = difference(side(seconds=(10.0, 12.0)), side(seconds=(9.0, 11.5)))
    assert many.interval("mpi") == pytest.approx((9.0 - 12.0 - 0.055, 11.5 - 10.0 + 0.055))
    assert noise(Timed("mpi", (10.0,)), Timed("mpi", (20.0,))) == pytest.approx(0.1)
    # A finding has its share of the noise.
    assert kinds(side(finding(), noise_seconds=5.0), side(finding(cost_seconds=0.6))) == ["same"]
    assert kinds(side(finding(), noise_seconds=1.0), side(finding(cost_seconds=0.6))) == ["cheaper"]


def test_calls_of_a_function_are_one_row() -> None:
    old = Timed("mpi", (1.0,), sites=(SITE, replace(SITE, count=5, seconds=0.5), replace(SITE, call="MPI_Recv")))
    new = Timed("mpi", (1.0,), sites=(replace(SITE, call="MPI_Recv", count=7),))
    rows = [(a.call, a.count, a.seconds, b.count) for a, b in sites(old, new)]
    assert rows == [("MPI_Send", 1005, 1.5, 0), ("MPI_Recv", 1000, 1.0, 7)]


def test_what_fails_a_check() -> None:
    found = difference(side(), side(finding(), seconds=(12.0,)))
    assert found.fails(Severity.WARNING, None) == ["new: mpi-tiny-messages at /p/exchange.c:24"]
    assert found.fails(Severity.ERROR, None) == []
    assert found.fails(None, 5.0) == ["the mpi run is slower by more than 5 %"]
    assert found.fails(None, 25.0) == []
    for harmless in (finding(confidence=Confidence.LOW), finding(verdict=Verdict.REFUTED)):
        assert difference(side(), side(harmless)).fails(Severity.INFO, None) == []
    assert difference(side(noise_seconds=3.0), side(seconds=(12.0,))).fails(None, 5.0) == []
    assert difference(side(finding()), side(finding())).fails(Severity.INFO, 0.0) == []


PLACE = {"type": ["object", "null"], "required": ["file", "line", "function", "cost_seconds", "verdict", "fingerprint"]}
SCHEMA = {
    "type": "object",
    "required": ["version", "before", "after", "runs", "findings"],
    "properties": {
        "runs": {"items": {"required": ["kind", "before_seconds", "after_seconds", "more_seconds", "at_least_seconds",
                                        "at_most_seconds", "parts", "sites"]}},
        "findings": {"items": {"required": ["change", "rule", "message", "before", "after", "more_seconds",
                                            "noise_seconds"],
                               "properties": {"before": PLACE, "after": PLACE,
                                              "change": {"enum": ["gone", "new", "cheaper", "dearer", "same"]}}}},
    },
}  # fmt: skip
HOSTILE = "<script>alert(1)</script>|\x1b[31m\u202e"


def test_every_format_says_it_and_foreign_text_stays_text() -> None:
    odd = finding(function=HOSTILE, location=Location(f"/p/{HOSTILE}.c", 3))
    found = difference(side(odd), side(finding(cost_seconds=0.25), seconds=(5.0,)))
    jsonschema.validate(to_json(found), SCHEMA)
    for style in ("text", "markdown", "html"):
        text = render(found, style, True, False)
        assert "exchange.c:24" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script>" not in render(found, "html", True, False)
    assert "<script>" not in render(found, "markdown", True, False)
    assert "\x1b[32m" in render(found, "text", True, True)


def report(path: Path, *findings: Finding, seconds: float = 10.0) -> Path:
    site = CallSite("MPI_Send", "/p/exchange.c", 24, "exchange", 1000, 8000, 1.0, 2.0, 1)
    profile = Profile(seconds, (Part("computing", seconds),), (), (site,))
    run = RunSummary("mpi", ("./a",), 0, seconds, (), (), profile)
    path.write_text(json.dumps(Result(Project(Path("/p")), findings, runs=(run,)).to_json()), encoding="utf-8")
    return path


def test_the_command_reads_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = report(tmp_path / "old.json", finding()), report(tmp_path / "new.json", seconds=8.0)
    assert main(["diff", str(old), str(new)]) == 0
    said = capsys.readouterr().out
    assert "mpi run: 10 s → 8 s: −2 s (from −2.05 s to −1.95 s), 1.25 times as fast" in said
    assert "MPI_Send exchange.c in exchange  1,000 → 1,000" in said
    assert "1 finding: 1 gone, 0 new" in said
    assert main(["diff", str(new), str(old), "--fail-on", "warning", "--fail-slower", "5%"]) == 1
    assert capsys.readouterr().err.count("error:") == 2
    assert (
        main(["diff", str(old), str(new), "--also-after", str(old), "--format", "json", "-o", str(tmp_path / "o")]) == 0
    )
    runs = json.loads((tmp_path / "o").read_text())["runs"]
    assert runs[0]["after_seconds"] == [8.0, 10.0]


BAD = (
    "",
    "[]",
    '{"findings": 3}',
    '{"findings": [], "runs": [3]}',
    '{"findings": [], "runs": [{}]}',
    '{"findings": [], "runs": [{"kind": "mpi", "seconds": "x"}]}',
)


@pytest.mark.parametrize("text", BAD)
def test_bad_input_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    good, bad = report(tmp_path / "good.json"), tmp_path / "bad.json"
    bad.write_text(text)
    assert main(["diff", str(good), str(bad)]) == 2
    assert "bad.json" in capsys.readouterr().err


def test_what_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", str(tmp_path / "a"), str(tmp_path / "b")]) == 2
    assert "name a run folder, or a report" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["diff", "a", "b", "--fail-slower", "fast"])


def test_a_report_of_two_runs_of_one_kind_says_so() -> None:
    records = {Path(name): [Record(kind, (), 0, 0.0, 1.0)] for name, kind in (("a", "mpi"), ("b", "mpi"), ("c", "omp"))}
    assert joined(records, ("mpi", "omp")) == [
        "2 mpi runs are joined (a, b); stridewise diff BEFORE AFTER compares two"
    ]
    assert joined(records, ("omp",)) == []


@pytest.mark.parametrize("width", [80, 120])
def test_a_difference_fits_the_terminal(width: int) -> None:
    where = Location("/project/with/a/long/way/to/the/sources/exchange.c", 1024)
    long = Site("MPI_Waitall", "exchange.c", "exchange_of_ghosts", 10_000, 1.25)
    before = side(finding(location=where, function="exchange_of_all_ghosts"), sites=(long,))
    shown = render(difference(before, side(seconds=(5.0,), sites=(long,))), "text", True, False, Layout(width, True))
    assert max(map(len, shown.splitlines())) <= width
    assert "exchange.c:1024" in shown
    assert "MPI_Waitall" in shown
    assert "exchange_of_ghosts" in shown


def test_a_name_that_no_line_holds_is_cut() -> None:
    long = Site("MPI_Waitall", "exchange.c", "exchange" * 20, 1_000_000, 1.25)
    shown = render(difference(side(sites=(long,)), side(sites=(long,))), "text", True, False, Layout(80, True))
    assert max(map(len, shown.splitlines())) <= 80


def test_regions_of_threads_are_compared(tmp_path: Path) -> None:
    def told(name: str, seconds: float) -> Path:
        region = TeamSite("/p/a.c", 7, "kernel", 100, seconds, 0.0, 0.0, seconds, seconds)
        profile = Profile(2 * seconds, (Part("computing", 2 * seconds),), team_sites=(region,))
        run = RunSummary("omp", ("./a",), 0, 2 * seconds, (), (), profile)
        path = tmp_path / name
        path.write_text(RENDERERS["json"](Result(Project(Path("/p")), (), runs=(run,)), {}, False), encoding="utf-8")
        return path

    found = diff.run(diff.Options((told("a", 3.0),), (told("b", 1.0),), output=tmp_path / "out"))
    assert found == 0
    shown = (tmp_path / "out").read_text(encoding="utf-8")
    assert "Parallel regions by function" in shown
    assert "parallel region a.c in kernel  100 → 100  3 s → 1 s  −2 s" in shown
