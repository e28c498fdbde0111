"""What `improve` and `scale` left, in a report: as text and data, and with a clear word where a folder is none."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import load
from stridewise.cli import main
from stridewise.finding.result import Result
from stridewise.finding.sources import Project
from stridewise.finding.studies import Studies
from stridewise.render import RENDERERS
from stridewise.runs import report, run_folder, studies
from stridewise.scale import data
from stridewise.scale.counts import Count, Counts, Site
from stridewise.scale.render import breaks_first
from stridewise.scale.render import text as study_text
from stridewise.scale.row import Price
from stridewise.scale.study import Study, study

RANKS = (2, 3, 4, 6, 8, 12)
STEPS = [
    {"title": "compile with -O3", "rule": "r", "finding": "Makefile:1", "fingerprint": "f", "kept": True,
     "why": "2.00 times faster", "before": 4.0, "after": 2.0, "gain": 2.0, "commit": "0123456789abcdef"},
    {"title": "no barrier", "rule": "r", "finding": "a.c:3", "fingerprint": "g", "kept": False,
     "why": "does not build"},
]  # fmt: skip
WATERFALL: dict[str, Any] = {
    "version": 1, "command": ["./app"], "check": "1 number", "inputs": [], "seconds": {"before": 4.0, "after": 2.0},
    "cpu_seconds": {"before": 4.0, "after": 2.5}, "gain": 2.0, "cpu_gain": 1.6, "steps": STEPS,
    "left": [{"place": "a.c:9", "rule": "mem-x", "saves": 0.5, "advice": "block it", "why": "no recipe"}],
    "ended": "nothing is left to try", "notes": [],
}  # fmt: skip


def run(ranks: int, gathers: int = 20) -> Counts:
    gather = Site("MPI_Recv", (("gather.c", 9, "gather"), ("main.c", 30, "main")))
    calls = gathers * (ranks - 1)
    few = Site("MPI_Send", (("few.c", 4, "few"),))
    return Counts(
        ranks=ranks,
        folder=Path("run"),
        sites={
            few: Count(ranks - 1, ranks - 1, 10**6 * (ranks - 1), 10**6 * (ranks - 1), ranks - 1, 1),
            gather: Count(calls, calls, 8 * calls, 8 * calls, ranks - 1, 1),
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


def made(target: int | None = 4096, gathers: int = 20) -> Study:
    return study([run(ranks, gathers) for ranks in RANKS], target=target)


def written(folder: Path, name: str, value: object) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return folder


def shown(given: Studies, style: str) -> str:
    return RENDERERS[style](Result(Project(Path("/p")), (), studies=given), load(), False)


def test_both_come_into_a_report(tmp_path: Path) -> None:
    improved = written(tmp_path / "improved", "waterfall.json", WATERFALL)
    scaled = written(tmp_path / "scaled", "scale.json", data.as_json(made()))
    (tmp_path / "run").mkdir()
    result = report.build(report.Options(folders=(tmp_path / "run",), improve=improved, scale=scaled), load())
    assert result.studies.improve and result.studies.scale
    text = shown(result.studies, "text")
    assert "improved: 4 s → 2 s: 2.00 times faster, 1.60 times less processor time, by 1 step" in text
    lengths = [line.count("█") for line in text.splitlines() if "█" in line]
    assert len(lengths) == 2 and lengths[0] == 2 * lengths[1]
    assert "1 tried and undone, 1 for a person" in text
    assert "strong scaling to 4,096 ranks, by runs of 2, 3, 4, 6, 8, 12" in text
    told = json.loads(shown(result.studies, "json"))["studies"]
    assert [step["title"] for step in told["improve"]["steps"]] == ["compile with -O3", "no barrier"]
    assert told["scale"]["target"] == 4096
    assert len(told["scale"]["curves"]["ranks"]) == len(told["scale"]["curves"]["work"]) > 30
    assert "studies" not in json.loads(shown(Studies(), "json"))


@pytest.mark.parametrize("gathers", [1, 1000])
def test_what_breaks_first_is_the_place_that_takes_its_share_at_the_fewest_ranks(gathers: int) -> None:
    value = made(gathers=gathers)
    first = "few.c:4 MPI_Send" if gathers == 1 else "gather.c:9 MPI_Recv"
    begins = {f"{row.site.file}:{row.site.line} {row.site.call}": row.price.eats[0] or 0
              for row in value.rows if row.price and row.price.eats}  # fmt: skip
    assert min(begins, key=lambda place: begins[place]) == first
    text = shown(Studies(scale=data.view(value)), "text")
    assert f"breaks first: {first}: " in text
    assert f"first {first}: " in study_text(value, 200)
    price = next(row.price for row in value.rows if row.site.file == first.partition(":")[0])
    assert price
    assert "of a rank at 4,096 ranks: " in text
    assert f"{4095 * gathers:,} calls" in text


def test_the_earliest_breaks_first_though_another_is_dearer_at_the_target() -> None:
    value = made()
    dear, cheap = value.rows
    late, early = Price(2.0, 3.0, (900, 1000)), Price(1.0, 2.0, (100, 200))

    def first(one: Price, other: Price) -> str:
        rows = (replace(dear, price=one), replace(cheap, price=other))
        found = breaks_first(replace(value, rows=rows))
        assert found
        return found.site.file

    assert first(late, early) == cheap.site.file
    assert first(early, late) == dear.site.file
    assert first(replace(late, eats=None), replace(early, eats=None)) == dear.site.file
    assert first(replace(late, eats=(None, None)), early) == cheap.site.file


def test_a_study_without_a_target_has_its_curves_and_no_forecast(tmp_path: Path) -> None:
    scaled = written(tmp_path / "scaled", "scale.json", data.as_json(made(None)))
    (tmp_path / "run").mkdir()
    result = report.build(report.Options(folders=(tmp_path / "run",), scale=scaled), load())
    assert result.studies.scale and result.studies.scale.curves
    assert any("foretells nothing of findings" in note for note in result.notes)
    assert "strong scaling over 2, 3, 4, 6, 8, 12 ranks" in shown(result.studies, "text")


def test_a_study_of_an_earlier_version_has_no_curves(tmp_path: Path) -> None:
    value = data.to_json(made())
    for name in ("curves", "said", "breaks_first"):
        del value[name]
    scaled = written(tmp_path / "scaled", "scale.json", value)
    (tmp_path / "run").mkdir()
    result = report.build(report.Options(folders=(tmp_path / "run",), scale=scaled), load())
    assert any("holds no curves" in note for note in result.notes)
    assert "does not scale: " in shown(result.studies, "text")
    assert 'class="chart"' not in shown(result.studies, "html")


def test_a_study_in_which_all_scales(tmp_path: Path) -> None:
    value = data.to_json(made())
    value["breaks_first"] = None
    for site in value["sites"]:
        site["unscalable"] = ""
    found = studies.scaling(json.loads(json.dumps(value)), "x")
    assert "no place is known not to scale" in shown(Studies(scale=found), "text")


def damaged(value: dict[str, Any], path: str, new: object) -> dict[str, Any]:
    copy: Any = json.loads(json.dumps(value))
    *outer, last = (int(part) if part.isdigit() else part for part in path.split("."))
    inner = copy
    for part in outer:
        inner = inner[part]
    inner[last] = new
    return dict(copy)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (None, "holds no waterfall.json"),
        ("{", "is damaged"),
        ("[" * 100_000, "is damaged"),
        ("\xff", "cannot read"),
        ("[]", "is nothing that stridewise improve wrote"),
        ("{}", "is nothing that stridewise improve wrote"),
        ({**WATERFALL, "version": 2}, "is of version 2, and this Stridewise reads version 1"),
        (damaged(WATERFALL, "steps.0.after", "fast"), "steps[0].after: expected a number"),
        (damaged(WATERFALL, "seconds.before", None), "seconds.before: expected a number"),
        (json.dumps(WATERFALL).replace("2.5", "1e999"), "1e999 is no number"),
        (json.dumps(WATERFALL).replace("2.5", "NaN"), "NaN is no number"),
    ],
)
def test_a_folder_that_no_improvement_left(
    value: object, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "improved"
    folder.mkdir()
    if isinstance(value, str):
        (folder / "waterfall.json").write_bytes(value.encode("latin-1"))
    elif value:
        written(folder, "waterfall.json", value)
    (tmp_path / "run").mkdir()
    assert main(["report", str(tmp_path / "run"), "--improve", str(folder)]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "new", "why"),
    [
        ("version", 9, "is of version 9, and this Stridewise reads version 1"),
        ("ranks", [], "it has no runs"),
        ("breaks_first.site", 99, "it has no site 99"),
        ("breaks_first.site", -1, "it has no site -1"),
        ("curves.work", [1.0], "1 values of work"),
        ("curves.sites.0.most", [1.0], "are not of"),
        ("curves.sites.0.seen", [[1]], "expected an array of 2"),
        ("sites.0.calls_most", None, "sites[0].calls_most: expected an object"),
    ],
)
def test_a_damaged_study(path: str, new: object, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = written(tmp_path / "scaled", "scale.json", damaged(data.to_json(made()), path, new))
    (tmp_path / "run").mkdir()
    assert main(["report", str(tmp_path / "run"), "--scale", str(folder)]) == 2
    assert why in capsys.readouterr().err
    assert main(["report", str(tmp_path / "run"), "--scale", str(tmp_path / "none")]) == 2
    assert "there is no " in capsys.readouterr().err


def test_what_lies_beside_the_run_is_shown_where_it_is_of_its_command(tmp_path: Path) -> None:
    command = ["mpirun", "-n", "4", "./app"]
    written(tmp_path / "stridewise-improve", "waterfall.json", {**WATERFALL, "command": command})
    study = written(tmp_path / "stridewise-scale", "scale.json", data.as_json(made()))

    def ran(folder: Path, *words: str) -> Path:
        folder.mkdir(exist_ok=True)
        run_folder.add_record(folder, run_folder.Record("mpi", words, 0, 1.0, 1.0))
        return folder

    ran(study / "ranks-00002", "mpirun", "-n", "2", "./app")

    def seen(folder: Path, **options: Any) -> Result:
        return report.build(report.Options(folders=(folder,), kinds=(), **options), load())

    result = seen(ran(tmp_path / "run", *command))
    assert result.studies.improve and result.studies.scale
    assert [note.split()[0] for note in result.notes] == ["stridewise-improve", "stridewise-scale"]
    other = seen(ran(tmp_path / "other", "mpirun", "-n", "4", "./another"))
    assert not other.studies.improve and not other.studies.scale and not other.notes
    given = seen(tmp_path / "run", improve=tmp_path / "stridewise-improve")
    assert [note.split()[0] for note in given.notes] == ["stridewise-scale"]
    written(tmp_path / "stridewise-improve", "waterfall.json", "{}")
    assert not seen(tmp_path / "run").studies.improve
