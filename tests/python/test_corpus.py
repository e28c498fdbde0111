"""The scoring of tests/corpus.py: what counts as found, what as wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import corpus
from corpus import Label, Shown, meets


def label(kind: str, verdict: str = "flag", line: int = 100) -> Label:
    return Label("owner/code", "src/a.c", line, kind, verdict, "high", "", "")


def shown(rule: str, line: int, path: str = "src/a.c", confidence: str = "high", *others: tuple[str, int]) -> Shown:
    return Shown(rule, confidence, path, line, "", frozenset([(path, line), *others]))


@pytest.mark.parametrize(("line", "found"), [(96, True), (104, True), (105, False), (95, False)])
def test_a_loop_is_found_within_four_lines(line: int, found: bool) -> None:
    assert meets(label("loop_order"), shown("mem-strided-inner-loop", line)) == found


@pytest.mark.parametrize(("line", "found"), [(98, True), (102, True), (103, False)])
def test_a_call_is_found_within_two_lines(line: int, found: bool) -> None:
    assert meets(label("mpi_barrier_loop"), shown("mpi-redundant-barrier", line)) == found


def test_an_access_that_the_finding_names_counts() -> None:
    finding = shown("mem-strided-inner-loop", 10, "src/b.c", "high", ("src/a.c", 101))
    assert meets(label("loop_order"), finding)
    assert not meets(label("loop_order", "clean"), finding)


def test_another_rule_or_file_does_not_count() -> None:
    assert not meets(label("loop_order"), shown("omp-false-sharing", 100))
    assert not meets(label("loop_order"), shown("mem-strided-inner-loop", 100, "a.c"))


def test_a_library_call_is_no_wrong_loop_order() -> None:
    assert meets(label("loop_order"), shown("mem-handwritten-matmul", 100))
    assert not meets(label("loop_order", "clean"), shown("mem-handwritten-matmul", 100))
    assert meets(label("loop_order", "clean"), shown("mem-strided-inner-loop", 102))
    assert not meets(label("loop_order", "clean"), shown("mem-strided-inner-loop", 103))


def test_every_kind_has_rules_that_exist() -> None:
    rules = {folder.name for folder in (corpus.TOP / "rules").iterdir() if folder.is_dir()}
    assert set().union(*corpus.RULES.values()) <= rules
    assert {label.kind for label in corpus.load_labels()} <= corpus.RULES.keys()
    assert {label.verdict for label in corpus.load_labels()} == {"flag", "clean"}


def test_labels_and_recipes_name_the_same_codes() -> None:
    recipes = {repository.name: repository for repository in corpus.load_repositories()}
    labels = corpus.load_labels()
    assert {label.repository for label in labels} <= recipes.keys()
    # The third part is linted with compile databases of one's own.
    third = {label.repository for label in labels if label.part == "labels3"}
    assert all(repository.builds for name, repository in recipes.items() if name not in third)


def test_the_same_place_counts_once_at_its_highest_confidence(tmp_path: Path) -> None:
    name = corpus.load_repositories()[0].folder
    for build, confidence in (("build0", "low"), ("build1", "high")):
        finding = {"rule": "r", "confidence": confidence, "message": "", "location": {"file": "a.c", "line": 3}}
        about = {"copy": str(tmp_path / "copy"), "units": 1, "lines": 10, "build_problems": []}
        data = {"root": str(tmp_path / "copy"), "findings": [finding], "problems": [], "corpus": about}
        (tmp_path / f"{name}.{build}.json").write_text(json.dumps(data), encoding="utf-8")
    (result,) = corpus.load_results(tmp_path).values()
    assert [(f.path, f.line, f.confidence) for f in result.findings] == [("a.c", 3, "high")]
    assert result.units == 2
