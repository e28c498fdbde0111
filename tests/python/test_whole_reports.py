"""One result that has everything, in every format, as it is kept in reports/: no word, order or indent goes astray.

STRIDEWISE_BLESS=1 records it anew; read the difference then.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from stridewise import __version__
from stridewise.catalogue import Rule
from stridewise.finding import (
    Confidence,
    Deciding,
    Edit,
    Evidence,
    Finding,
    Fix,
    Location,
    Related,
    Safety,
    Scope,
    Severity,
    Verdict,
)
from stridewise.finding.profile import CallSite, Efficiency, Part, PhaseTime, Profile
from stridewise.finding.result import Result, RunSummary, Trouble
from stridewise.finding.sources import Project
from stridewise.finding.table import Table
from stridewise.render import FORMATS, RENDERERS
from stridewise.render import text as text_report
from stridewise.render._layout import Layout

KEPT = Path(__file__).resolve().parent / "reports"
BLESS = bool(os.environ.get("STRIDEWISE_BLESS"))  # now: fixtures clean the environment
SOURCE = """#include <mpi.h>

void exchange(double *cells, int n, int to) {
\tfor (int i = 0; i < n; i++)
\t\tMPI_Send(&cells[i], 1, MPI_DOUBLE, to, i, MPI_COMM_WORLD); /* é */
}

double sum(const double *a, int n) {
  double s = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      s += a[i * n + j];
  return s;
}
"""


def findings(file: str) -> tuple[Finding, ...]:
    tiny = Finding(
        rule="mpi-tiny-messages",
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="40,000 messages of 8 bytes each, 93.1 % of the time in them is latency",
        location=Location(file, 5, 3, 5, 61),
        verdict=Verdict.CONFIRMED,
        advice="send the values of one neighbour together: pack them into one buffer",
        function="exchange(double*, int, int)",
        scope=Scope(4, 5),
        args={"bytes": 8},
        evidence=(
            Evidence("static", {}, "one element each"),
            Evidence("mpi", {"rank_seconds": [0.5, 1.25], "cost_rank": 1, "message_count": 40000}),
        ),
        related=(Related(file, 4, "the loop"), Related(file, 12, "read here")),
        cost_seconds=1.25,
        gain_seconds=1.2,
        fingerprint="00aa11bb22cc33dd",
        moved_fingerprint="44ee55ff66aa77bb",
    )
    at = SOURCE.encode().index(b"for (int j")
    edit = Edit(file, at, at + 27, "for (int i = 0; i < n; i++)")
    stride = Finding(
        rule="mem-strided-inner-loop",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        message="the inner loop over 'i' steps 8*n bytes through 'a'",
        location=Location(file, 12, 12, 12, 24),
        advice="exchange the loops over 'j' and 'i'",
        function="sum",
        scope=Scope(10, 12),
        related=(Related(file, 10, "the outer loop"),),
        fingerprint="1111222233334444",
        fixes=(Fix("exchange the loops", (edit,), Safety.UNSAFE, "sums are added in another order"),),
        estimated_nanoseconds=2.5,
        decided_by=Deciding("cache", "an input that runs sum", "the run did not come by"),
        group="loops",
    )
    again = replace(stride, location=Location(file, 10, 3, 10, 30), fingerprint="5555", fixes=(), cost_seconds=None)
    safe = replace(
        stride,
        rule="mem-struct-padding",
        severity=Severity.INFO,
        confidence=Confidence.HIGH,
        message="struct cell: 16 of 40 bytes are padding",
        advice="order the members by size",
        location=Location(file, 9, 3, 9, 16),
        fingerprint="9999",
        fixes=(replace(stride.fixes[0], safety=Safety.SAFE, why="nothing depends on the order"),),
        decided_by=None,
        group="",
    )
    refuted = replace(
        tiny,
        rule="mpi-redundant-barrier",
        message="this barrier separates nothing",
        verdict=Verdict.REFUTED,
        location=Location(file, 8, 1, 8, 5),
        evidence=(Evidence("mpi", {"wait_seconds": 0.1}, "a message needs it"),),
        cost_seconds=None,
        gain_seconds=None,
        fingerprint="7777",
    )
    error = replace(
        safe,
        rule="mpi-rank-guarded-collective",
        severity=Severity.ERROR,
        message="MPI_Barrier is called by rank 0 only",
        location=Location(file, 3, 0),
        fixes=(),
        related=(),
        fingerprint="8888",
    )
    unsure = replace(stride, confidence=Confidence.LOW, location=Location(file, 13), fingerprint="6666", group="")
    unknown = replace(unsure, rule="some-other-rule", confidence=Confidence.HIGH, function="", fingerprint="3333")
    whole = replace(
        unknown, rule="build-unoptimised", location=Location(f"{file}.out", 0), fixes=(), fingerprint="2222"
    )
    return (tiny, error, stride, again, safe, refuted, unknown, whole, unsure)


def result(root: Path) -> Result:
    file = str(root / "src" / "halo é.c")
    profile = Profile(
        10.0,
        (Part("computing", 6.0), Part("waiting", 3.0), Part("sending", 1.0)),
        (Efficiency("load balance", 0.75, "rank 1 computes 2.5 s longer"), Efficiency("transfer", 0.99)),
        (
            CallSite("MPI_Send", file, 5, "exchange", 40000, 320000, 1.0, 1.25, 1, "solve"),
            CallSite("MPI_Barrier", "", 0, "", 4, 0, 0.5, 0.75, 0),
        ),
        (("bind the ranks", "they moved 40 times"),),
        (),
        (PhaseTime("solve", 8, 7.0, 2.0, 1.5, 8.0, 1), PhaseTime("setup", 2, 1.0, 0.0, 0.0, 1.5, 0)),
        0.25,
    )
    runs = (
        RunSummary(
            "mpi", ("mpirun", "-n", "2", "./halo", "big input"), 0, 10.0, ("2 ranks",), ("rank 1 waits",), profile
        ),
        RunSummary("cache", ("./halo",), 1, None),
    )
    table = Table("lines", "Lines", ("line", "accesses", "misses"), (("halo.c:12", "4,000", "3,999"), ("x", "1", "0")),
                  ("of one process",), {"lines": 2})  # fmt: skip
    return Result(
        Project(root),
        findings(file),
        runs=runs,
        troubles=(Trouble(str(root / "src" / "bad.c"), "it does not compile", ("line 3: no such type",), ("mem-x",)),),
        notes=("2 files are of others",),
        stats={"units": 3},
        tables=(table,),
    )


def checked(name: str, text: str, root: Path) -> None:
    for written in (str(root), str(root).replace("_", r"\_")):
        text = text.replace(written, "ROOT")
    text = text.replace(__version__, "VERSION")
    text = re.sub(r"<(style|script)\b.*?</\1>", r"<\1/>", text, flags=re.DOTALL)
    text = re.sub(r"'sha256-[^']*'", "'sha256-OF-IT'", text)
    text = re.sub(r'("markdown": )".*"', r'\1"the page of the rule"', text)
    file = KEPT / name
    if BLESS:
        KEPT.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), (
        f"{file.name} says otherwise; is it better? Then STRIDEWISE_BLESS=1"
    )


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> Iterator[Result]:
    # Where lines break depends on the length of a path: pytest's own differ from run to run.
    with tempfile.TemporaryDirectory(prefix="report-", dir="/tmp") as name:
        root = Path(name, "program")
        (root / "src").mkdir(parents=True)
        (root / "src" / "halo é.c").write_text(SOURCE, encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.chdir(root)
            yield result(root)


@pytest.mark.parametrize("style", FORMATS)
def test_every_format(style: str, whole: Result, rules: dict[str, Rule]) -> None:
    checked(f"{style}.txt", RENDERERS[style](whole, rules, False), whole.project.root)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("all", {"limit": None}),
        ("two", {"limit": 2}),
        ("source", {"runs": (), "tables": ()}),
        ("brief", {"brief": True}),
        ("each place", {"ungrouped": True}),
        ("nothing", {"runs": (), "tables": (), "findings": (), "troubles": (), "notes": ()}),
    ],
)
@pytest.mark.parametrize("style", ["text", "markdown"])
def test_reports_for_people(
    style: str, name: str, changes: dict[str, object], whole: Result, rules: dict[str, Rule]
) -> None:
    shown = replace(whole, **changes)  # type: ignore[arg-type]
    checked(f"{style}, {name}.txt", RENDERERS[style](shown, rules, False), whole.project.root)


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal(width: int, whole: Result, rules: dict[str, Rule]) -> None:
    checked(
        f"text, {width} columns.txt", text_report.render(whole, rules, True, Layout(width, True)), whole.project.root
    )
