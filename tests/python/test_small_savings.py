"""What a run alone shows and would save next to nothing is folded away, and said to be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.result import LEAST_SAVING, Result, RunSummary
from stridewise.finding.sources import Project
from stridewise.render._common import summary

WALL = 10.0
RUN = RunSummary("mpi", ("app",), 0, WALL)
FINDING = Finding(
    rule="mpi-late-sender",
    severity=Severity.WARNING,
    confidence=Confidence.HIGH,
    message="waits",
    location=Location("/p/a.c", 1, 1, 1, 1),
    verdict=Verdict.OBSERVED,
    evidence=(Evidence("mpi"),),
    gain_seconds=0.5 * LEAST_SAVING * WALL,
)


def result(finding: Finding, limit: int | None = 20) -> Result:
    return Result(Project(Path("/p")), (finding,), runs=(RUN,), limit=limit)


def test_a_small_saving_is_folded_away_and_counted() -> None:
    small = result(FINDING)
    assert small.reported == small.shown == ()
    assert small.folded == small.unsure == (FINDING,)
    assert "1 that would save less than 0.5 % of the run with --all" in summary(small)
    assert "confidence, shown with --all" not in summary(small)


@pytest.mark.parametrize(
    "shown",
    [
        replace(FINDING, gain_seconds=2 * LEAST_SAVING * WALL),
        replace(FINDING, gain_seconds=None),  # it was not priced: what it is worth is not known
        replace(FINDING, verdict=Verdict.CONFIRMED),  # the source says it, and another input may make it dear
    ],
    ids=["large", "unpriced", "of the source too"],
)
def test_others_are_shown(shown: Finding) -> None:
    assert result(shown).shown == (shown,)
    assert result(shown).folded == ()


def test_all_shows_it() -> None:
    assert result(FINDING, limit=None).shown == (FINDING,)


def test_what_is_unsure_besides_is_unsure() -> None:
    doubtful = result(replace(FINDING, confidence=Confidence.LOW))
    assert doubtful.folded == ()
    assert "1 more at low confidence, shown with --all" in summary(doubtful)
