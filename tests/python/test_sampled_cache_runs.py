"""Sampled cache runs: what lines miss per access is exact, shares come with their error, nothing is ruled out."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.cli import main
from stridewise.finding import Access, Confidence, Finding, Location, Scope, Severity, Verdict
from stridewise.patterns import mem_strided_inner_loop, mem_unblocked_stencil
from stridewise.runs.cache import callgrind, profiles, watcher
from stridewise.runs.cache.cachegrind import CacheProfile, Counts
from stridewise.runs.kinds import Seen
from stridewise.settings import toolchain

WALKS = Path(__file__).resolve().parents[1] / "kernels" / "cache_thrashing" / "walks.c"
EVENTS = "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"

needs_windows = pytest.mark.skipif(
    shutil.which("valgrind") is None or toolchain.windows_library() is None, reason="needs Valgrind and its headers"
)


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    def built(*flags: str) -> Path:
        path = tmp_path_factory.mktemp("walks") / "walks"
        subprocess.run(["gcc", "-O1", "-g", *flags, str(WALKS), "-o", str(path)], check=True)
        return path

    return built


def line_of(text: str) -> int:
    return next(n for n, line in enumerate(WALKS.read_text().splitlines(), 1) if text in line)


def strided(accesses: int) -> dict[str, Any]:
    where = {"file": str(WALKS), "line": line_of("matrix[y][x];")}
    return {
        "rule": "mem-strided-inner-loop", "confidence": "high", "message": "m", "function": "columns",
        "location": where,
        "accesses": [{**where, "function": "columns", "best_lines_per_access": 1 / accesses}],
    }  # fmt: skip


@needs_windows
def test_lines_of_windows_miss_as_those_of_the_run(walks: Callable[..., Path], tmp_path: Path) -> None:
    lint = tmp_path / "lint.json"
    lint.write_text(json.dumps({"root": "/", "findings": [strided(8)]}))
    folder = tmp_path / "run"
    words = ["--cache-model", "xeon-8380", "--lint", str(lint), "-o", str(folder), "--", str(walks()), "200"]
    assert main(["run", "--cache", "--sample", *words]) == 0
    assert main(["report", str(folder), "--lint", str(lint), "--format", "json", "-o", str(tmp_path / "r.json")]) == 0
    report = json.loads((tmp_path / "r.json").read_text())
    assert "of the run" in report["runs"][0]["details"][0]
    (finding,) = (f for f in report["findings"] if f["rule"] == "mem-strided-inner-loop")
    assert finding["verdict"] == "confirmed"
    metrics = next(e["metrics"] for e in finding["evidence"] if e["source"] == "cache")
    assert metrics["d1_misses"] == pytest.approx(metrics["accesses"], rel=0.01)
    # Of 9 misses 8 are the columns'. How many windows there are is up to the machine's speed.
    assert metrics["windows"] >= 1
    assert 0.5 < metrics["run_misses_share"] <= 1.0
    profile, bad = profiles.read(sorted((folder / "cache").glob("sampled.*.out")))
    assert not bad
    assert profile is not None
    rows = profile.at(str(WALKS), line_of("matrix[y][x];") + 8)["rows"]
    assert rows.d1_misses == pytest.approx(rows.accesses / 8, rel=0.01)
    assert 0 < profile.total.accesses < 200 * 2 * 1024 * 1024 / 2  # a part of the run


@needs_windows
def test_a_run_without_a_window_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--cache", "--sample", "-o", str(tmp_path / "run"), "--", "/bin/sleep", "0"]) == 2
    assert "ended before the first window" in capsys.readouterr().out


@needs_windows
def test_static_programs_are_refused(
    walks: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-o", str(tmp_path / "run"), "--", str(walks("-static"))]
    assert main(["run", "--cache", "--sample", *words]) == 2
    assert "is a static executable" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--conflicts", "--only-findings"])
def test_what_needs_the_whole_run_is_refused(tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    lint = tmp_path / "lint.json"
    lint.write_text(json.dumps({"root": "/", "findings": [strided(8)]}))
    assert main(["run", "--cache", "--sample", option, "--lint", str(lint), "--", "true"]) == 2
    assert f"{option} needs the whole run" in capsys.readouterr().err


def parts(*misses: int) -> CacheProfile:
    """One window each, of 1000 misses; those of line 10 are given."""
    text = f"desc: Trigger: Program termination\npositions: line\n{EVENTS}\nfl=(1) /p/a.c\nfn=(1) walk\n"
    for count in misses:
        text += "desc: Trigger: Client Request\n"
        text += f"fl=(1)\nfn=(1)\n10 1 {count} 0 0 {count}\n90 1 {1000 - count} 0 0 {1000 - count}\n"
        text += "totals: 2 1000 0 0 1000\n"
    text += "desc: Trigger: Program termination\nfl=(1)\nfn=(1)\n90 1 5\ntotals: 1 5\n"
    return callgrind.parse(text.splitlines(keepends=True))


def finding(rule: str) -> Finding:
    return Finding(
        rule=rule,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        location=Location("/p/a.c", 9),
        function="walk",
        scope=Scope(9, 12),
        accesses=(Access("/p/a.c", 10, "walk", 0.125),),
    )


@pytest.mark.parametrize(("misses", "error"), [((300, 300, 300), 0.0), ((200, 400), 0.2), ((0, 0, 0, 400), 0.2)])
def test_the_error_is_that_of_the_windows(rules: dict[str, Rule], misses: tuple[int, ...], error: float) -> None:
    """Two standard errors of the mean, since all windows miss alike: 2 s / sqrt(n)."""
    rule = rules["mem-strided-inner-loop"]
    judged = mem_strided_inner_loop.judge_cache(finding(rule.slug), parts(*misses), rule)
    assert judged is not None
    metrics = judged.evidence.metrics
    assert metrics["windows"] == len(misses)
    assert metrics["run_misses_share"] == pytest.approx(sum(misses) / 1000 / len(misses))
    assert metrics["run_misses_share_error"] == pytest.approx(error)


def test_what_no_window_met_is_not_ruled_out(rules: dict[str, Rule]) -> None:
    rule = rules["mem-strided-inner-loop"]
    judged = mem_strided_inner_loop.judge_cache(finding(rule.slug), parts(0, 0), rule)
    assert judged is not None
    assert judged.verdict is Verdict.SUSPECTED
    assert "no window" in judged.evidence.note


def test_the_last_level_is_not_judged(rules: dict[str, Rule]) -> None:
    rule = rules["mem-unblocked-stencil"]
    profile = parts(500)
    cold = {"/p/a.c": {10: {"walk": Counts(500, 500, 500)}}}
    judged = mem_unblocked_stencil.judge_cache(finding(rule.slug), replace(profile, lines=cold), rule)
    assert judged is not None
    assert judged.verdict is Verdict.SUSPECTED
    assert "--sample" in judged.evidence.note


@pytest.mark.parametrize(("inner", "full", "judged"), [(0, 1040, True), (1040, 1060, False), (1060, 1040, False)])
def test_passes_that_did_other_work_judge_no_conflicts(
    inner: int, full: int, judged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = {watcher._WHOLE: 1000, (watcher._FULL,): full, (watcher._INNER,): inner}
    read = {names: CacheProfile({}, Counts(accesses), 1) for names, accesses in passes.items() if accesses}
    monkeypatch.setattr(watcher, "_files", lambda _folders, *names: names)
    monkeypatch.setattr(watcher, "_read", lambda names, _seen: read.get(names))
    monkeypatch.setattr(watcher, "_windows", lambda profile, _folders, _seen: profile)
    seen = Seen()
    found = watcher.read([], seen)
    assert found is not None and (found.full is not None) == judged == (not seen.notes)
