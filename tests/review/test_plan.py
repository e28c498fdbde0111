"""The plan as a file: what is written is read again, and nothing else is."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from stridewise.errors import Failure
from stridewise.finding import (
    Access,
    Confidence,
    Edit,
    Evidence,
    Finding,
    FindingError,
    Fix,
    Location,
    Related,
    Scope,
    Severity,
    Verdict,
)
from stridewise.finding.result import Trouble
from stridewise.review import plan as plans
from stridewise.review.plan import Placed, Plan, Recount, Regression, is_inside

FINDING = Finding(
    "mpi-redundant-barrier",
    Severity.WARNING,
    Confidence.MEDIUM,
    "barrier \udcff\u202e<script>",
    Location("src/a b.c", 4, 3, 4, 9),
    Verdict.CONFIRMED,
    advice="remove it",
    function="f",
    scope=Scope(1, 9),
    args={"bytes": 8},
    evidence=(Evidence("mpi", {"rank_seconds": [0.5, 0.25]}, "note"),),
    related=(Related("src/b.c", 2, "here"),),
    accesses=(Access("src/c.h", 7, "g", 1.5),),
    cost_seconds=1.25,
    gain_seconds=1.0,
    fixes=(Fix("remove", (Edit("src/a b.c", 10, 20, ""),)),),
    fingerprint="0123456789abcdef",
    moved_fingerprint="fedcba9876543210",
)
PLAN = Plan(
    base="1" * 40,
    head="2" * 64,
    comments=(
        Placed(FINDING, 4, 5, ("a", "b"), ("c",), "added"),
        Placed(FINDING, 4, 4, ("",), None, "cause in line 2"),
    ),
    cap=7,
    unplaced=(FINDING,),
    resolved=(FINDING,),
    regressions=(Regression(FINDING, 2.0, 1.0), Regression(FINDING, None, None)),
    recounts=(Recount("new", "src/a.c", 4, "MPI_Barrier in f (mpi, 4 ranks)", "40 calls", ("mpi-redundant-barrier",)),),
    problems=(Trouble("src/x.c", "does not compile", ("line 1", "line 2")),),
    stats={"files": 3, "run_seconds": None, "share": 0.5, "note": "x", "flag": True},
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(PLAN.text(), encoding="utf-8")
    assert plans.read(path) == PLAN
    assert Plan.from_json(json.loads(Plan().text())) == Plan()


def changed(*steps: str | int, value: Any) -> dict[str, Any]:
    out: dict[str, Any] = json.loads(PLAN.text())
    target: Any = out
    for step in steps[:-1]:
        target = target[step]
    if value is KeyError:
        del target[steps[-1]]
    else:
        target[steps[-1]] = value
    return out


def deep(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    (
        ([], r"plan: expected an object"),
        (changed("version", value=2), r"plan\.version"),
        (changed("base", value="main"), r"plan\.base: expected a commit id"),
        (changed("head", value="-" * 40), r"plan\.head"),
        (changed("cap", value=-1), r"plan\.cap"),
        (changed("cap", value=True), r"plan\.cap"),
        (changed("cap", value=KeyError), r"plan\.cap"),
        (changed("comments", value={}), r"plan\.comments: expected an array"),
        (changed("comments", value=[0] * 10_001), r"plan\.comments: expected an array of at most"),
        (changed("comments", 0, "line", value=0), r"comments\[0\]\.line"),
        (changed("comments", 0, "end_line", value=3), r"comments\[0\]\.end_line"),
        (changed("comments", 0, "end_line", value=4000), r"comments\[0\]\.end_line"),
        (changed("comments", 0, "snippet", value=["a"]), r"comments\[0\]\.snippet: expected the lines 4 to 5"),
        (changed("comments", 0, "snippet", value=["a", "b\nc"]), r"comments\[0\]\.snippet: expected an array of lines"),
        (changed("comments", 0, "suggestion", value="x"), r"comments\[0\]\.suggestion"),
        (changed("comments", 0, "suggestion", value=["x"] * 201), r"comments\[0\]\.suggestion"),
        (changed("comments", 0, "cause", value=1), r"comments\[0\]\.cause"),
        (changed("comments", 1, "finding", "rule", value="--> <img>"), r"comments\[1\]\.finding\.rule"),
        (changed("comments", 1, "finding", "fingerprint", value=""), r"comments\[1\]\.finding\.fingerprint"),
        (changed("comments", 1, "finding", "fingerprint", value="--><b>xx"), r"finding\.fingerprint"),
        (changed("comments", 1, "finding", "location", "file", value=""), r"finding\.location\.file"),
        (changed("comments", 1, "finding", "location", "file", value="../x"), "leaves the repository"),
        (changed("unplaced", 0, "related", 0, "file", value="/etc/passwd"), r"unplaced\[0\]: the path '/etc/passwd'"),
        (changed("resolved", 0, "accesses", 0, "file", value="a/../../b"), "leaves the repository"),
        (changed("resolved", 0, "fixes", 0, "edits", 0, "file", value="a\\b"), "leaves the repository"),
        (changed("regressions", 0, "seconds", value=-1), r"regressions\[0\]\.seconds"),
        (changed("regressions", 0, "base_seconds", value="1"), r"regressions\[0\]\.base_seconds"),
        (changed("recounts", 0, "kind", value="odd"), r"recounts\[0\]\.kind"),
        (changed("recounts", 0, "file", value="../a.c"), r"recounts\[0\]: the path '../a.c' leaves"),
        (changed("recounts", 0, "line", value=-1), r"recounts\[0\]\.line"),
        (changed("recounts", 0, "rules", value=["a`b"]), r"recounts\[0\]\.rules"),
        (changed("problems", 0, "details", value=["a\nb"]), r"problems\[0\]\.details"),
        (changed("stats", "x", value=[]), r"plan\.stats\.x"),
        (changed("stats", "x", value="y" * 70_000), r"plan\.stats\.x: text longer"),
        (changed("stats", "x", value=10**30), "beyond 64 bits"),
        (changed("comments", 0, "finding", "evidence", 0, "metrics", "x", value=deep(40)), "nested too deeply"),
        (changed("comments", 0, "finding", "args", "x", value=float("inf")), "finite"),
    ),
)
def test_what_is_no_plan_is_named(value: Any, said: str) -> None:
    with pytest.raises(Failure, match=said):
        Plan.from_json(value)


def test_files_that_are_no_plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.json"
    for text in (b"", b"{", b"\xff", b'{"version": NaN}', b"[" * 100_000):
        path.write_bytes(text)
        with pytest.raises(Failure, match=r"stridewise review --base REV --format json -o .*plan\.json"):
            plans.read(path)
    path.write_bytes(b"[]")
    with pytest.raises(Failure, match=r"plan\.json: not a plan of stridewise review"):
        plans.read(path)
    with pytest.raises(Failure, match="No such file"):
        plans.read(tmp_path / "none")
    path.write_text(PLAN.text(), encoding="utf-8")
    monkeypatch.setattr(plans, "MAX_BYTES", 100)
    with pytest.raises(Failure, match="larger than any plan"):
        plans.read(path)


def test_damaged_plans_are_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(5)
    original = PLAN.text().encode()
    path = tmp_path / "plan.json"
    refused = 0
    for _ in range(400):
        data = bytearray(original)
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data))
            if chance.random() < 0.5:
                data[at] = chance.randrange(256)
            else:
                del data[at : at + chance.randrange(1, 30)]
        path.write_bytes(data)
        try:
            plans.read(path)
        except Failure:
            refused += 1
    assert 100 < refused < 400


@pytest.mark.parametrize("path", ("a.c", "a/b.c", "a b", "..a/b..", "-x", "a:b", "$(x)"))
def test_inside(path: str) -> None:
    assert is_inside(path)


@pytest.mark.parametrize("path", ("", "/a", "../a", "a/..", "a/../b", "a//b", "./a", "a\\b", "a\0b", "a/"))
def test_outside(path: str) -> None:
    assert not is_inside(path)


def test_a_plan_may_be_nested_as_deeply_as_it_is_allowed() -> None:
    at = plans._MAX_DEPTH - 1
    plans._bounded({"x": deep(at)})
    with pytest.raises(FindingError, match="nested too deeply"):
        plans._bounded({"x": deep(at + 1)})
