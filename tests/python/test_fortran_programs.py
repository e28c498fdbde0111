"""Random Fortran files: the same for a seed, and none that the analyser cannot take. `tests/robustness.py --language
fortran --count 1000` asks more of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("STRIDEWISE_BUILD", TOP / "build")).resolve()
sys.path.insert(0, str(TOP / "tests"))

import fortran_programs  # noqa: E402
import robustness  # noqa: E402


def test_a_seed_gives_one_file() -> None:
    texts = {seed: fortran_programs.program(seed) for seed in range(30)}
    assert texts == {seed: fortran_programs.program(seed) for seed in range(30)}
    assert {suffix for _, suffix in texts.values()} == {".f", ".f90"}
    assert len({text for text, _ in texts.values()}) == len(texts)


def test_no_line_is_too_long_for_its_form() -> None:
    for seed in range(60):
        text, suffix = fortran_programs.program(seed)
        assert max(map(len, text.splitlines())) <= (72 if suffix == ".f" else 132), seed


def test_random_files_are_analysed(capsys: pytest.CaptureFixture[str]) -> None:
    assert robustness.fortran(BUILD, first=7000, count=30, jobs=2, keep=None) == 0, capsys.readouterr()
    assert ": 0 failed; " in capsys.readouterr().out
