from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stridewise.cli import main
from stridewise.render import FORMATS
from stridewise.runs.cache.cachegrind import Counts
from stridewise.runs.cache.table import figures

HEADER = """desc: I1 cache:         32768 B, 64 B, 8-way associative
desc: D1 cache:         {size} B, 64 B, 8-way associative
desc: LL cache:         1048576 B, 64 B, 16-way associative
cmd: ./a
events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw
"""


def write(folder: Path, misses: int, name: str = "cachegrind.1.out", size: int = 32768, clone: str = "") -> Path:
    """A run: a loop of 1000 accesses, inlined code of it in a header, another function."""
    body = f"fl=/p/src/a.c\nfn=walk{clone}\n10 1 0 0 1000 {misses} {misses // 2}\nfi=/p/src/cell.h\n3 1 0 0 200 20 0\n"
    body += "fl=/p/src/b.c\nfn=ns::other(int)\n7 1 0 0 100 4 4\n"
    (folder / "cache").mkdir(parents=True, exist_ok=True)
    text = f"{HEADER.format(size=size)}{body}summary: 3 0 0 1300 {misses + 24} {misses // 2 + 4}\n"
    (folder / "cache" / name).write_text(text)
    return folder


def report(tmp_path: Path, *words: str) -> dict[str, Any]:
    out = tmp_path / "report.json"
    assert main(["report", *words, "--format", "json", "-o", str(out)]) == 0
    value: dict[str, Any] = json.loads(out.read_text())["tables"]
    return value


def test_the_papers_definitions() -> None:
    """Table 4 of the Origin paper, without optimisation."""
    found = figures(Counts(40_746_607, 4_348_624, 4_178_336))
    assert found["d1_line_reuse"] == pytest.approx(8.37, abs=0.005)
    assert found["d1_hit_rate"] == pytest.approx(0.893, abs=0.001)
    assert found["ll_line_reuse"] == pytest.approx(0.04, abs=0.005)
    assert found["ll_hit_rate"] == pytest.approx(0.039, abs=0.0005)


def test_nothing_missed_is_no_figure() -> None:
    found = figures(Counts(5, 0, 0), 64)
    assert found["d1_hit_rate"] == 1
    assert found["d1_line_reuse"] is found["ll_hit_rate"] is found["wasted_share"] is None
    assert figures(Counts())["d1_hit_rate"] is None


@pytest.mark.parametrize(("misses", "wasted"), [(1000, 0.875), (250, 0.5), (125, 0.0), (10, 0.0)])
def test_wasted_share_of_words(misses: int, wasted: float) -> None:
    assert figures(Counts(1000, misses, 0), 64)["wasted_share"] == pytest.approx(wasted)


def test_functions_with_their_lines(tmp_path: Path) -> None:
    table = report(tmp_path, str(write(tmp_path / "run", 800)), "--cache-table")["cache"]
    assert table["total"]["accesses"] == 1300
    assert [f["function"] for f in table["functions"]] == ["walk", "ns::other(int)"]
    walk = table["functions"][0]
    assert (walk["accesses"], walk["d1_misses"], walk["ll_misses"]) == (1200, 820, 400)
    assert walk["d1_miss_share"] == pytest.approx(820 / 824)
    assert table["total"]["ll_miss_share"] == 1
    assert sum(one["d1_miss_share"] for f in table["functions"] for one in f["lines"]) <= 1
    assert [(one["file"], one["line"]) for one in walk["lines"]] == [("/p/src/a.c", 10), ("/p/src/cell.h", 3)]
    assert table["caches"]["D1"] == {"size_bytes": 32768, "ways": 8, "line_bytes": 64}
    assert "l1_conflict_misses" not in walk


def test_conflicts_where_they_were_simulated(tmp_path: Path) -> None:
    run = write(tmp_path / "run", 800)
    write(run, 100, "full.1.out")
    table = report(tmp_path, str(run), "--cache-table")["cache"]
    walk = table["functions"][0]
    assert (walk["l1_conflict_misses"], walk["l2_conflict_misses"]) == (700, 350)
    assert walk["lines"][1]["l1_conflict_misses"] == 0
    assert table["total"]["l1_conflict_misses"] == 700


def test_two_runs_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = write(tmp_path / "before", 800), write(tmp_path / "after", 100, clone=".constprop.0")
    tables = report(tmp_path, str(after), "--against", str(before))
    assert tables["cache_totals"]["before"]["d1_misses"] == 824
    assert tables["cache_totals"]["after"]["d1_misses"] == 124
    walk = next(f for f in tables["cache_functions"]["functions"] if f["function"] == "walk")
    assert (walk["before"]["d1_misses"], walk["after"]["d1_misses"]) == (820, 120)
    assert main(["report", str(after), "--against", str(before)]) == 0
    shown = capsys.readouterr().out
    assert "L1 line reuse" in shown
    assert "different caches" not in shown
    assert main(["report", str(write(tmp_path / "other", 5, size=65536)), "--against", str(before)]) == 0
    assert "different caches" in capsys.readouterr().out


def test_the_text_table_leaves_out_what_does_not_matter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = write(tmp_path / "run", 100_000)
    assert main(["report", str(run), "--cache-table"]) == 0
    assert "other" not in capsys.readouterr().out
    assert main(["report", str(run), "--cache-table", "--all"]) == 0
    assert "ns::other(int)" in capsys.readouterr().out


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_takes_the_table_or_leaves_it(tmp_path: Path, form: str) -> None:
    run = write(tmp_path / "run", 800)
    assert main(["report", str(run), "--cache-table", "--format", form, "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_text() or form == "github"


@pytest.mark.parametrize("words", [["--cache-table"], ["--against", "nowhere"]])
def test_without_a_cache_run_there_is_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (tmp_path / "empty").mkdir()
    assert main(["report", str(tmp_path / "empty"), *words]) == 2
    assert "stridewise run --cache" in capsys.readouterr().err
