from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from stridewise.catalogue import schema
from stridewise.finding import (
    Access,
    Beyond,
    Confidence,
    Edit,
    Evidence,
    Finding,
    FindingError,
    Fix,
    Location,
    Related,
    Safety,
    Scope,
    Severity,
    Verdict,
)

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[2] / "rules" / "finding.schema.json").read_text())
FULL = Finding(
    rule="mpi-tiny-messages",
    severity=Severity.ERROR,
    confidence=Confidence.LOW,
    verdict=Verdict.CONFIRMED,
    message="slow",
    advice="fast",
    location=Location("a.c", 3, 5, 3, 20),
    function="f",
    scope=Scope(1, 9),
    args={"loop": "i", "count": 3, "share": 0.5, "known": True, "none": None},
    evidence=(Evidence("mpi", {"rank_seconds": [0.5, 1.5]}, "seen"), Evidence("static")),
    related=(Related("b.c", 7, "called from main"),),
    accesses=(Access("a.h", 4, "f", 0.125), Access("a.h", 5, "f")),
    cost_seconds=1.5,
    gain_seconds=1.0,
    fixes=(Fix("swap", (Edit("a.c", 4, 9, "x"),), Safety.SAFE, "tried", Beyond("it by a symbol", ("swap",))),),
    fingerprint="0123",
    moved_fingerprint="4567",
)


def test_round_trip_keeps_everything() -> None:
    assert Finding.from_json(json.loads(json.dumps(FULL.to_json()))) == FULL


def test_json_follows_the_schema() -> None:
    jsonschema.validate(FULL.to_json(), SCHEMA)
    assert schema.errors(FULL.to_json(), SCHEMA) == []


def test_fields_of_later_stages_may_be_absent() -> None:
    found = Finding.from_json(
        {"rule": "mem-x", "confidence": "high", "message": "m", "location": {"file": "a.c", "line": 2, "column": 1}}
    )
    assert found.verdict is Verdict.SUSPECTED
    assert found.cost_seconds is None
    assert found.location == Location("a.c", 2, 1, 2, 1)


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("confidence", "sure", r"finding\.confidence: expected one of low, medium, high"),
        ("location", [], r"finding\.location: expected an object"),
        ("location", {"file": "a.c", "line": "2"}, r"finding\.location\.line: expected an integer"),
        ("location", {"file": "a.c", "line": -2}, "negative line"),
        ("cost_seconds", True, "expected a number or null"),
        ("args", {"x": []}, r"args\.x"),
        ("related", {}, r"related: expected an array"),
        ("evidence", [3], r"evidence\[0\]: expected an object"),
        ("fixes", [{"description": "d", "edits": [
            {"file": "a", "begin_offset": 9, "end_offset": 2, "replacement": ""}]}], "make no range"),
        ("message", None, r"finding\.message: expected a string"),
    ],
)  # fmt: skip
def test_wrong_fields_are_named(field: str, value: Any, complaint: str) -> None:
    with pytest.raises(FindingError, match=complaint):
        Finding.from_json({**FULL.to_json(), field: value})


def test_not_even_an_object() -> None:
    with pytest.raises(FindingError, match="finding: expected an object"):
        Finding.from_json([])


@pytest.mark.parametrize(
    "value",
    [
        {**FULL.to_json(), "severity": "bad"},
        {**FULL.to_json(), "rule": "Mem"},
        {k: v for k, v in FULL.to_json().items() if k != "args"},
        {**FULL.to_json(), "location": {"file": "a", "line": -1, "column": 0, "end_line": 0, "end_column": 0}},
        {**FULL.to_json(), "args": {"x": []}},
        [],
    ],
)
def test_own_validator_agrees_with_the_reference_one(value: Any) -> None:
    assert schema.errors(value, SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, SCHEMA)


def test_validator_refuses_keywords_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match="oneOf"):
        schema.errors({}, {"oneOf": []})


def test_booleans_are_no_integers() -> None:
    assert schema.errors(True, {"type": "integer"})
    assert not schema.errors(True, {"type": "boolean"})
