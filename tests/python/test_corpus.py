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
    recipes = {repository.name: repository for repository in corpus.chosen("")}
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


def test_every_judgement_has_a_verdict_and_a_reason_and_names_a_code() -> None:
    rows = (corpus.CORPUS / "judged.tsv").read_text(encoding="utf-8").splitlines()
    names = {repository.name for repository in corpus.load_repositories()}
    for row in rows[1:]:
        repository, _, line, rule, digest, verdict, reason = row.split("\t")
        assert repository in names and int(line) > 0 and len(digest) == 8 and reason
        assert verdict in {"useful", "useless", "wrong"}
        assert (corpus.TOP / "rules" / rule).is_dir()


def test_a_judgement_outlives_a_moved_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = corpus.load_repositories()[0]
    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "a.c").write_text("int a;\nfor (;;)\n  for (;;)\nint b;\nint c;\n", encoding="utf-8")

    def finding(line: int, group: str = "", confidence: str = "high") -> dict[str, object]:
        place = {"file": "a.c", "line": line}
        return {"rule": "r", "confidence": confidence, "message": "m", "location": place, "group": group}

    found = [finding(2, "g"), finding(3, "g"), finding(4), finding(5, "", "low")]
    about = {"copy": str(copy), "units": 1, "lines": 5, "build_problems": []}
    report = tmp_path / f"{repository.folder}.build0.json"
    report.write_text(json.dumps({"root": str(copy), "findings": found, "corpus": about}), encoding="utf-8")
    (first, _), (second, _), *_ = corpus.shown_rows(repository.name, report)
    assert first[3] == second[3] and first[4] != second[4]
    verdicts = {first[:4]: [(30, "useful"), (31, "useless")]}
    monkeypatch.setattr(corpus, "load_judgements", lambda: verdicts)
    assert corpus.main(["judged", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert f"| {repository.name} build0 | 3 | 2 | 0 | 0 | 1 | useful, not judged |" in out
    assert "not judged: " in out and "\ta.c\t" in out
    assert corpus.nearest(verdicts[first[:4]], 32) == "useless"
