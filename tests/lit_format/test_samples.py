"""The comparison fails where it has to: a test format that passes everything would hide every defect."""

from __future__ import annotations

from pathlib import Path

import pytest

from lit_format.samples import (
    FORTRAN_SUFFIXES,
    SOURCE_SUFFIXES,
    Found,
    Place,
    Sample,
    SampleError,
    commented,
    differences,
    expectations,
    host_differences,
)

SLUG = "mem-struct-padding"


def finding(line: int = 3, rule: str = SLUG, column: int = 1, message: str = "text") -> Found:
    return Found(rule, "a.c", line, column, message)


def test_expected_finding_passes() -> None:
    assert differences([Place("a.c", 3, SLUG)], [finding()]) == []


@pytest.mark.parametrize(
    ("found", "word"),
    [
        ([], "missing"),
        ([finding(line=4)], "missing"),
        ([finding(rule="mem-strided-inner-loop")], "missing"),
        ([finding(), finding(line=9)], "unexpected"),
        ([finding(), finding(column=7)], "unexpected"),
        ([finding(), finding(rule="omp-barrier-in-loop")], "unexpected"),
    ],
)
def test_any_difference_fails(found: list[Found], word: str) -> None:
    assert any(problem.startswith(word) for problem in differences([Place("a.c", 3, SLUG)], found))


def test_low_confidence_counts_for_the_rule_of_the_sample() -> None:
    low = Found(SLUG, "a.c", 9, 1, "text", {"confidence": "low"})
    assert differences([], [low]) == []
    assert differences([], [low], SLUG)
    assert differences([Place("a.c", 9, SLUG)], [low]) == []


def test_hints_count_for_the_rule_of_the_sample() -> None:
    hint = Found(SLUG, "a.c", 9, 1, "text", {"confidence": "high", "severity": "info"})
    assert differences([], [hint]) == []
    assert differences([], [hint], SLUG)
    assert differences([Place("a.c", 9, SLUG)], [hint]) == []


def test_two_findings_on_a_line_need_two_expectations() -> None:
    found = [finding(column=1), finding(column=9)]
    assert differences([Place("a.c", 3, SLUG)] * 2, found) == []
    assert differences([Place("a.c", 3, SLUG)] * 2, found[:1]) == [f"missing: a.c:3: {SLUG} (1 of 2)"]


def test_expectation_stands_for_the_next_line_of_code() -> None:
    text = "int a;\n// expect: x-one, x-two\n// expect-run: x-run\n// why\n  int b;\n"
    assert list(expectations(text, "a.c")) == [
        ("expect", Place("a.c", 5, "x-one")),
        ("expect", Place("a.c", 5, "x-two")),
        ("expect-run", Place("a.c", 5, "x-run")),
    ]


@pytest.mark.parametrize(
    "text", ["int a; // expect: x-one\nint b;\n", "// expect: x-one\n", "// expect: Two Words!\nint a;\n"]
)
def test_expectation_that_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(SampleError):
        list(expectations(text, "a.c"))


@pytest.mark.parametrize(
    "other",
    [
        [],
        [finding(message="other words")],
        [finding(column=2)],
        [finding(line=4)],
        [finding(), finding(line=5)],
    ],
)
def test_hosts_that_differ_fail(other: list[Found]) -> None:
    assert host_differences([finding()], [finding()], "host") == []
    assert host_differences([finding()], other, "host")


def test_header_lines_and_local_headers(tmp_path: Path) -> None:
    (tmp_path / "grid.h").write_text(f"// expect: {SLUG}\nstruct cell {{ int a; }};\n")
    source = tmp_path / "main.c"
    source.write_text(
        "// flags: -fopenmp -DN=4\n// ranks: 2\n// run-args: 8 'a b'\n// fixes: mem-struct-padding\n"
        '#include <mpi.h>\n#include "grid.h"\nint main(void) { return 0; }\n'
    )
    sample = Sample.read(source)
    assert sample.flags == ("-fopenmp", "-DN=4")
    assert (sample.ranks, sample.run_args, sample.fixes) == (2, ("8", "a b"), (SLUG,))
    assert sample.uses_mpi and sample.has_main and not sample.is_cxx
    assert sample.static == (Place(str(tmp_path / "grid.h"), 2, SLUG),)


def stated(text: str) -> list[Place]:
    return [place for _, place in expectations(f"// expect: {text}\nint a;\n", "a.c")]


RAW = {"confidence": "high", "advice": "widen it", "fixes": [{"safety": "unsafe"}]}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("mem-a", ""),
        ('mem-a high "8 of 24" "widen" unsafe-fix', ""),
        ("mem-a medium", "high confidence, not medium"),
        ('mem-a "9 of 24"', 'says nothing of "9 of 24"'),
        ("mem-a fix", "unsafe-fix, not fix"),
        ("mem-a no-fix", "unsafe-fix, not no-fix"),
    ],
)
def test_a_statement_is_compared(text: str, wrong: str) -> None:
    found = [Found("mem-a", "a.c", 2, 1, "wastes 8 of 24 bytes", RAW)]
    problems = differences(stated(text), found, statements_too=True)
    assert problems == ([f"other than stated: a.c:2: mem-a: {wrong}: wastes 8 of 24 bytes"] if wrong else [])
    assert differences(stated(text), found) == []


def test_each_rule_has_its_own_statement() -> None:
    one, two = stated('mem-a low "a, b", mem-b high fix')
    assert (one.rule, one.statement.confidence, one.statement.words) == ("mem-a", "low", ("a, b",))
    assert (two.rule, two.statement.confidence, two.statement.fix) == ("mem-b", "high", "fix")


@pytest.mark.parametrize("text", ["mem-a surely", 'mem-a "open', "mem-a high,"])
def test_no_other_word_is_understood(text: str) -> None:
    with pytest.raises(SampleError):
        stated(text)


def test_every_finding_of_a_run_is_described() -> None:
    """The samples say what a run's report is to say, not only that it says something there."""
    rules = Path(__file__).resolve().parents[2] / "rules"
    files = [file for file in rules.rglob("*") if file.suffix in SOURCE_SUFFIXES + FORTRAN_SUFFIXES]
    places = [
        place for file in files for kind, place in expectations(commented(file), str(file)) if kind == "expect-run"
    ]
    assert len(places) > 20
    assert [str(place) for place in places if not place.statement.words] == []
