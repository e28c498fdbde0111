"""What lint says of whole programs that others wrote: every finding, in stated/. STRIDEWISE_BLESS=1 records it anew."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import corpus

HERE = Path(__file__).parent
PROGRAMS = corpus.blind_programs()
BLESS = bool(os.environ.get("STRIDEWISE_BLESS"))  # now: fixtures clean the environment


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_findings_are_stated(program: corpus.Repository, tmp_path: Path) -> None:
    only = f"^{program.name}$"
    results, work = tmp_path / "results", tmp_path / "work"
    assert corpus.main(["lint", str(tmp_path), "--only", only, "-o", str(results), "--work", str(work)]) == 0
    (result,) = corpus.load_results(results, only).values()
    assert not result.problems
    found = sorted((f.path, f.line, f.rule, f.confidence, f.message) for f in result.findings)
    text = "".join(f"{path}:{line}: {rule} {sure}: {message}\n" for path, line, rule, sure, message in found)
    stated = HERE / "stated" / f"{program.folder}.txt"
    if BLESS:
        stated.parent.mkdir(exist_ok=True)
        stated.write_text(text, encoding="utf-8")
    assert text == stated.read_text(encoding="utf-8")


def test_every_program_has_labels_and_every_label_a_line() -> None:
    sources = {program.name: program.source for program in PROGRAMS}
    labels = [label for label in corpus.load_labels() if label.repository.startswith("blind/")]
    assert {label.repository for label in labels} == sources.keys()
    for label in labels:
        folder = sources[label.repository]
        assert folder is not None
        assert 0 < label.line <= len((folder / label.path).read_bytes().splitlines()), label


def test_no_program_is_stated_twice_or_left_over() -> None:
    stated = Counter(path.stem for path in (HERE / "stated").glob("*.txt"))
    assert stated == Counter(program.folder for program in PROGRAMS)
