"""Where Fortran's modules, and types in them, declare arrays of records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from stridewise.cli import main

SAMPLE = Path(__file__).resolve().parents[2] / "rules" / "mem-array-of-structs" / "cases" / "loud-arguments.f90"


def test_a_finding_names_the_members_and_variables_that_hold_its_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(SAMPLE, tmp_path / "stars.f90")
    monkeypatch.chdir(tmp_path)
    main(["lint", "stars.f90", "--all", "--no-cache", "--format", "json", "-o", "lint.json", "--", "-O2"])
    (finding,) = [
        f for f in json.loads(Path("lint.json").read_text())["findings"] if f["rule"] == "mem-array-of-structs"
    ]
    lines = SAMPLE.read_text().splitlines()
    holders = [lines[r["line"] - 1].strip() for r in finding["related"] if r["label"] == "holds such records"]
    assert holders == ["type(star), allocatable :: list(:)", "type(star), allocatable :: sky(:)"]
