"""Static findings say which figures of a machine they rest on, and whether anybody chose them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stridewise.catalogue import Rule
from stridewise.finding import Confidence, Evidence, Finding, Location, Severity, measured
from stridewise.settings.policy import Policy

SHARING = "omp-false-sharing"


def finding(file: Path, rule: str = SHARING) -> Finding:
    return Finding(
        rule=rule,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="m",
        location=Location(str(file), 9),
        evidence=(Evidence("static"),),
    )


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("", "cache lines of 64 bytes: defaults of the rule, not measured on this machine"),
        (f"[thresholds.{SHARING}]\nline_bytes = 128\n", "cache lines of 128 bytes: as configured"),
    ],
)
def test_the_evidence_names_the_figures(rules: dict[str, Rule], tmp_path: Path, toml: str, said: str) -> None:
    if toml:
        (tmp_path / ".stridewise.toml").write_text(toml)
    (found,) = Policy(rules).judged([finding(tmp_path / "a.c")])
    (evidence,) = found.evidence
    assert (evidence.source, evidence.metrics) == ("static", {"assumes": said})
    assert measured.evidence(evidence) is None  # texts do not repeat it with each finding


def test_other_evidence_stays_as_it_is(rules: dict[str, Rule], tmp_path: Path) -> None:
    policy = Policy(rules, use_files=False)
    plain = finding(tmp_path / "a.c", "mpi-tiny-messages")
    run = replace(finding(tmp_path / "a.c"), evidence=(Evidence("sharing", {"transfers": 5}),))
    both = replace(run, evidence=(Evidence("static"), *run.evidence))
    noted = replace(run, evidence=(Evidence("static", {"assumes": "said before"}, "no automatic fix: it is used"),))
    assert [f.evidence for f in policy.judged([plain, run, both, noted])] == [
        f.evidence for f in (plain, run, both, noted)
    ]
