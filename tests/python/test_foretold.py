"""What a study foretells of findings: of the call that they stand at, else of the first that they speak of."""

from __future__ import annotations

from pathlib import Path

from stridewise import catalogue
from stridewise.finding import Confidence, Finding, Location, Related, Severity
from stridewise.finding.sources import Project
from stridewise.finding.studies import Amount, Network, Scaled, Scaling
from stridewise.runs import foretold

ROOT = Path("/p")


def site(line: int, calls: float, law: str | None = "5·P") -> Scaled:
    return Scaled(
        "MPI_Gather", "a.c", line, (("a.c", line, "f"),), Amount(law, calls, (10.0,)), Amount("0", 0.0, (0.0,)),
        Amount("0", 0.0), None, "",
    )  # fmt: skip


def study(*sites: Scaled, unit: str = "ranks") -> Scaling:
    return Scaling((2, 3, 4), "strong", 64, str(ROOT), Network("measured"), sites, unit=unit)


def told(found: Finding, *sites: Scaled) -> list[str]:
    known = foretold.of_study(study(*sites))
    assert known is not None
    (after,) = foretold.with_forecast([found], known, catalogue.load(), Project(ROOT))
    return [e.note for e in after.evidence if e.source == "scale"]


def finding(line: int, *related: int, rule: str = "mpi-serial-io") -> Finding:
    return Finding(
        rule=rule,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        message="one rank writes what all have",
        location=Location(str(ROOT / "a.c"), line),
        related=tuple(Related(str(ROOT / "a.c"), at, "gathered there") for at in related),
    )


def test_of_the_call_itself() -> None:
    assert told(finding(7, 9), site(7, 320.0), site(9, 64.0)) == ["at 64 ranks: 320 calls of a rank (5·P)"]


def test_of_the_first_call_that_the_finding_speaks_of() -> None:
    said = ["a.c:9: at 64 ranks: 64 calls of a rank (P)"]
    assert told(finding(7, 8, 9, 10), site(9, 64.0, "P"), site(10, 3.0, "3")) == said
    assert told(finding(7, 8, 9), site(8, 0.0, None), site(9, 64.0, "P")) == said  # of the first no law is known


def test_of_nothing_else() -> None:
    assert told(finding(7, 8), site(9, 64.0)) == []
    assert told(finding(7, 8)) == []
    assert told(finding(7, rule="mem-strided-inner-loop"), site(7, 320.0)) == []


def test_a_study_of_threads_foretells_no_messages() -> None:
    assert foretold.of_study(study(site(7, 320.0), unit="threads")) is None
