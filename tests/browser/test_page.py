"""The HTML report in a browser: it draws, filters, sorts, complains of nothing, and is made in good time."""

from __future__ import annotations

import json
import resource
import time
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from webdriver import Browser

from stridewise.catalogue import load
from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.profile import CallSite, Part, Profile
from stridewise.finding.result import Result, RunSummary
from stridewise.finding.sources import Project
from stridewise.render import RENDERERS
from stridewise.runs.mpi import timeline, trace_file, views
from stridewise.runs.mpi.trace import Trace

HOSTILE = '<img src=x onerror="document.title=1"></script><script>document.title=2</script>&amp; "\'.c'
CALLS = ("MPI_Send", "MPI_Recv", "MPI_Allreduce")
RANKS, EVENTS, FINDINGS = 64, 50_000, 1000


def trace(ranks: int) -> Trace:
    one = {"shard": "", "host": "n", "pid": 1, "state": "closed", "wall_seconds": 4.0, "mpi_seconds": 1.0,
           "clock_error_seconds": 0, "calls": 9, "events": 9, "dropped_calls": 0}  # fmt: skip
    value: dict[str, Any] = {
        "version": 1,
        "job": {"id": "1", "flavour": "openmpi", "mpi": "Open MPI", "executable": "/a", "command": "/a",
                "directory": "/", "begin_realtime_ns": 0, "world_size": ranks, "missing_ranks": []},
        "summary": {"wall_seconds": 4.0, "mpi_seconds": 1.0, "parallel_efficiency": 0.5, "load_balance": 0.8,
                    "communication_efficiency": 0.6, "serialisation_efficiency": 0.7, "transfer_efficiency": 0.9},
        "ranks": [{**one, "rank": r} for r in range(ranks)],
        "modules": [], "paths": [{"frames": [[None, 5 + n]]} for n in range(3)],
        "calls": [{"path": n, "call": name, "count": 9, "bytes": 9, "rank_seconds": [0.3 * (n + 1)] * ranks,
                   "rank_counts": [9] * ranks} for n, name in enumerate(("MPI_Send", "MPI_Recv", "print"))],
        "windows": [], "barriers": [], "bursts": [], "chains": [], "problems": [], "notes": [],
        "traffic": [[r, (r + 1) % ranks, 10 + r, 1000 * r] for r in range(ranks)],
        "waits": [{"kind": "late-sender", "path": 1, "calls": 5, "longest_seconds": 1.0,
                   "waiting": [[r, 0.01 * r] for r in range(ranks)], "culprit_count": 1, "culprits": [[1, 4.0]],
                   "causes": []}],
    }  # fmt: skip
    found = trace_file.parse(value)
    frame = {"function": "exchange", "user": True}
    from stridewise.runs.mpi.trace import Frame

    return found.with_frames({n: (Frame(file=f"/p/{HOSTILE}", line=n + 1, **frame),) for n in range(3)})  # type: ignore[arg-type]


def events(ranks: int, count: int) -> timeline.Timeline:
    """Each call takes half of its time slot; so the ranks compute as long as they are in MPI."""
    slot = 4_000_000_000 // count
    columns = {
        "begin": array("q", range(0, slot * count, slot)),
        "end": array("q", range(slot // 2, slot * count + slot // 2, slot)),
        "bytes": array("Q", [8]) * count,
        "path": array("I", [n % 3 for n in range(count)]),
        "count": array("I", [1]) * count,
        "peer": array("i", [1]) * count,
        "call": array("H", [n % 3 for n in range(count)]),
        "thread": array("H", [0]) * count,
    }
    rows = tuple(timeline.RankCalls(r, 0, 4_000_000_000, **columns) for r in range(ranks))
    none = timeline.Messages(array("q"), array("q"), array("Q"), array("I"), array("I"), array("I"))
    return timeline.Timeline(CALLS, rows, none, ((4, 100, 800), (12, 5, 20_000)))


def result(ranks: int, count: int, findings: int) -> Result:
    base = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message=f"one message per cell {HOSTILE}",
        advice="send them together",
        location=Location(f"/p/{HOSTILE}", 2),
        function="exchange",
        verdict=Verdict.CONFIRMED,
        evidence=(Evidence("mpi", {"rank_seconds": [0.0] * (ranks - 1) + [1.0]}),),
    )
    rules = ("mpi-tiny-messages", "mpi-late-sender")
    found = tuple(
        replace(base, rule=rules[n % 2], gain_seconds=1.0 / (n + 1), location=Location(base.location.file, 1 + n % 7))
        for n in range(findings)
    )
    site = CallSite("MPI_Recv", f"/p/{HOSTILE}", 2, "exchange", 9, 9, 0.5, 1.0, 1)
    profile = Profile(4.0, (Part("computing", 2.0), Part("waiting", 2.0)), (), (site,))
    whole, calls = trace(ranks), events(ranks, count)
    run = RunSummary("mpi", ("mpirun", "./a"), 0, 4.0, ("64 ranks",), (), profile, lambda: views.views(whole, calls))
    return Result(Project(Path("/p")), found, runs=(run,), limit=None)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(RENDERERS["html"](result(4, 300, 12), load(), False), encoding="utf-8")
    return path


def opened(browser: Browser, page: Path) -> None:
    browser.messages()
    browser.open(page)
    assert browser.messages() == []


def test_the_call_tree_has_each_call_below_its_callers(browser: Browser, page: Path) -> None:
    pytest.importorskip("plotly", reason="pictures need the package plotly")
    opened(browser, page)
    nodes = browser.run(
        "const t = document.querySelector('[data-chart=paths]').data[0];"
        "return t.ids.map((id, i) => [t.labels[i], t.parents[i], t.values[i]])"
    )
    assert nodes[0] == ["MPI", "", 900_000_000]
    assert sorted((n[0].split(" ")[0], n[2]) for n in nodes[1:]) == [
        ("MPI_Recv", 600_000_000), ("MPI_Send", 300_000_000), ("exchange", 300_000_000), ("exchange", 600_000_000),
    ]  # fmt: skip
    assert {n[1] for n in nodes if n[0].startswith("exchange")} == {"p0"}
    shown = browser.run("return document.querySelectorAll('[data-chart=paths] g.slice').length")
    assert shown == len(nodes)


def test_everything_is_drawn_and_nothing_complained_of(browser: Browser, page: Path) -> None:
    pytest.importorskip("plotly", reason="pictures need the package plotly")
    opened(browser, page)
    charts = browser.run("return Array.from(document.querySelectorAll('.chart'), e => e.dataset.chart)")
    assert charts == ["timeline", "matrix", "sizes", "waiting", "efficiency", "paths", "sites"]
    drawn = browser.run(
        "return Array.from(document.querySelectorAll('.chart'), e => !!e.querySelector('svg.main-svg'))"
    )
    assert drawn == [True] * len(charts)
    assert browser.run("return document.title").startswith("Stridewise")
    assert browser.run("return document.querySelectorAll('img').length") == 0


def test_the_timeline_shows_what_ranks_were_at_and_zooms(browser: Browser, page: Path) -> None:
    pytest.importorskip("plotly", reason="pictures need the package plotly")
    opened(browser, page)
    trace_of = "const t = document.getElementById('timeline-0').data[0]; "
    assert browser.run(trace_of + "return t.y") == ["rank 0", "rank 1", "rank 2", "rank 3"]
    browser.run("Plotly.relayout('timeline-0', {'xaxis.range[0]': 0, 'xaxis.range[1]': 0.04})")
    browser.run("return 1")
    seen = browser.run(trace_of + "return [t.x[0], t.x[t.x.length - 1], t.z[0], t.text[0]]")
    assert 0 <= seen[0] < seen[1] <= 0.04
    # Three slots of send, receive, reduce, each half MPI and half computing.
    states = [state for n, state in enumerate(seen[2]) if n == 0 or state != seen[2][n - 1]]
    assert states[:6] == [1, 0, 2, 0, 4, 0]
    assert any("MPI_Recv" in text and "finding" in text for text in seen[3])
    browser.run("const s = document.querySelector('select.mark'); s.value = '2'; s.dispatchEvent(new Event('input'))")
    marked = browser.run(trace_of + "return t.z[0]")
    assert set(marked) >= {8, 9}
    assert any(state < 8 for state in marked)
    assert browser.messages() == []


def test_findings_are_filtered_sorted_and_walked_through(browser: Browser, page: Path) -> None:
    opened(browser, page)
    visible = "return Array.from(document.querySelectorAll('article')).filter(a => a.offsetParent !== null).length"
    assert browser.run(visible) == 12
    browser.run("const s = document.querySelector('[data-by=rule]'); s.value = 'mpi-late-sender'; "
                "s.dispatchEvent(new Event('input'))")  # fmt: skip
    assert browser.run(visible) == 6
    assert browser.run("return document.querySelector('.filter output').textContent") == "6 of 12 findings"
    assert browser.run("return document.querySelectorAll('tr[data-finding]:not([hidden])').length") == 6
    browser.type(".filter [data-by=text]", "no such words")
    assert browser.run(visible) == 0
    opened(browser, page)
    first = "return document.querySelector('table.overview tbody tr').dataset.finding"
    browser.click("table.overview th:nth-child(2)")
    assert browser.run(first) == "12"
    browser.click("table.overview th:nth-child(2)")
    assert browser.run(first) == "1"
    browser.press("j")
    browser.press("j")
    assert browser.run("return document.activeElement.id") == "finding-2"
    browser.press("k")
    assert browser.run("return document.activeElement.id") == "finding-1"
    before = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.press("t")
    assert browser.run("return getComputedStyle(document.body).backgroundColor") != before
    assert browser.messages() == []


def test_a_large_run_is_made_in_good_time_and_interactive(browser: Browser, tmp_path: Path) -> None:
    """64 ranks with 50,000 events each, and 1,000 findings. The limits hold on a machine that others use, too."""
    path = tmp_path / "large.html"
    value = result(RANKS, EVENTS, FINDINGS)
    begin = time.process_time()
    text = RENDERERS["html"](value, load(), False)
    assert time.process_time() - begin < 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20  # KiB
    path.write_text(text, encoding="utf-8")
    assert path.stat().st_size < 15_000_000
    browser.open(path)
    spent = browser.run(
        "const s = document.querySelector('[data-by=rule]'); s.value = 'mpi-late-sender'; const t = performance.now();"
        "s.dispatchEvent(new Event('input')); document.body.offsetHeight; return performance.now() - t"
    )
    assert spent < 2000
    assert browser.messages() == []


def test_a_page_without_the_library_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from stridewise.render import _charts

    monkeypatch.setattr(_charts, "library", lambda: "")
    text = RENDERERS["html"](result(2, 9, 3), load(), False)
    assert "no pictures: they need the Python package plotly" in text
    assert 'class="chart"' not in text


def test_a_damaged_timeline_is_refused(tmp_path: Path) -> None:
    head = {"version": 1, "calls": ["MPI_Send"], "ranks": [{"rank": 0, "calls": 2, "begin_ns": 0, "end_ns": 9}],
            "messages": 0, "sizes": []}  # fmt: skip
    columns = [array(kind, [0, 0]) for _, kind in timeline._CALLS]
    good = json.dumps(head).encode() + b"\n" + b"".join(column.tobytes() for column in columns)
    path = tmp_path / "timeline"
    path.write_bytes(good)
    assert timeline.load(path).ranks[0].begin.tolist() == [0, 0]
    wrong = [
        good[:-1],
        b"",
        b"[]\n",
        good.replace(b'"version": 1', b'"version": 7'),
        good.replace(b'"calls": 2', b'"calls": -2'),
    ]
    columns[6][1] = 5
    wrong.append(json.dumps(head).encode() + b"\n" + b"".join(column.tobytes() for column in columns))
    for data in wrong:
        path.write_bytes(data)
        with pytest.raises(timeline.TimelineError):
            timeline.load(path)
