"""What to look at first: estimates before a run, seconds after one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stridewise.catalogue import Rule
from stridewise.catalogue.estimate import Estimate, amount, of_first, problems
from stridewise.finding import ArgValue, Confidence, Evidence, Finding, Location, Severity, Verdict
from stridewise.finding.order import expected, rank
from stridewise.finding.result import Result
from stridewise.finding.settle import settled
from stridewise.finding.sources import Project

TOP = Path(__file__).resolve().parents[2]


def of(rule: str, rules: dict[str, Rule], file: str = "m.c", **changes: Any) -> Finding:
    known = rules[rule]
    base = Finding(rule, known.severity, Confidence.HIGH, rule, Location(f"/p/{file}", 1), args={})
    return replace(base, **changes)


def order(rules: dict[str, Rule], *findings: Finding) -> list[str]:
    return [f.rule for f in settled(findings, rules)]


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (7, 7.0),
        (2.5, 2.5),
        ("about 7 us of work", 7000.0),
        ("5 ms", 5e6),
        ("8192 pieces of 8 bytes", 8192.0),
        ("7.9 MiB of other data", 7.9 * 2**20),
        ("1,284,000", 1284000.0),
        ("some work", None),
        ("", None),
        (True, None),
        (None, None),
    ],
)
def test_amounts_of_arguments(value: ArgValue, number: float | None) -> None:
    assert amount(value) == (pytest.approx(number) if number is not None else None)


@pytest.mark.parametrize(
    ("formula", "args", "nanoseconds"),
    [
        ("n * 2", {"n": 4}, 8.0),
        ("n * 2", {}, 20.0),
        ("n * 2", {"n": "unknown"}, 20.0),
        ("min(n, 3) + max(n, 3) - 1", {"n": 5}, 7.0),
        ("n / 4", {"n": 2}, 0.5),
        ("10 - n", {"n": 50}, 0.0),
        ("1 / (n - n)", {"n": 5}, 0.0),
        ("n * n * n * n * n", {"n": 1e9}, 1e15),
    ],
)
def test_formulas(formula: str, args: dict[str, ArgValue], nanoseconds: float) -> None:
    assert Estimate(formula, "why", assume={"n": 10.0}).of(args) == nanoseconds


@pytest.mark.parametrize(
    ("formula", "complaint"),
    [
        ("n +", "invalid syntax"),
        ("n @ 2", "none of"),
        ("__import__('os')", "none of"),
        ("n.real", "none of"),
        ("[n][0]", "none of"),
        ("max(n, key=n)", "none of"),
        ("'n' * 3", "none of"),
        ("n * unknown", "assume a value of 'unknown'"),
        ("2 * 3", "'n' is not in the formula"),
    ],
)
def test_wrong_formulas_are_named(formula: str, complaint: str) -> None:
    assert any(complaint in problem for problem in problems([Estimate(formula, "why", assume={"n": 1.0})]))


def test_the_first_that_fits_counts() -> None:
    some = Estimate("1", "why", when={"reason": "processor"})
    rest = Estimate("2", "why")
    assert of_first([some, rest], {"reason": "processor"}) == 1.0
    assert of_first([some, rest], {}) == 2.0
    assert of_first([], {}) is None
    assert not list(problems([some, rest]))
    assert any("never used" in problem for problem in problems([rest, some]))
    assert any("holds for all" in problem for problem in problems([some]))


def test_every_rule_of_the_source_states_an_estimate(rules: dict[str, Rule]) -> None:
    assert [slug for slug, rule in rules.items() if "static" in rule.detectors and not rule.estimates] == []


def test_padding_of_a_record_and_hints_for_the_build_come_after_a_hot_nest(rules: dict[str, Rule]) -> None:
    """By file name they would open the list."""
    values = [
        of("mem-struct-padding", rules, "a.h", args={"wasted_bytes": 8}),
        of("build-missed-vectorization", rules, "b.c"),
        of("build-unoptimised", rules, "c.c", args={"reason": "processor"}),
        of("build-unoptimised", rules, "d.c", args={"subject": "the program 'makedefs' is"}),
        of("omp-adjacent-regions", rules, "e.c", args={"regions": 2}),
        of("mem-strided-inner-loop", rules, "z.c", confidence=Confidence.MEDIUM, args={"cost_ratio": 8}),
    ]
    assert order(rules, *values)[0] == "mem-strided-inner-loop"
    assert order(rules, *values)[-1] in ("mem-struct-padding", "omp-adjacent-regions")


def test_a_program_without_optimisation_comes_first(rules: dict[str, Rule]) -> None:
    whole = of("build-unoptimised", rules, args={"subject": "the program is"})
    assert order(rules, of("mem-strided-inner-loop", rules, args={"cost_ratio": 40}), whole)[0] == "build-unoptimised"


@pytest.mark.parametrize(
    ("rule", "more", "less"),
    [
        ("mem-strided-inner-loop", {"cost_ratio": 39}, {"cost_ratio": 2}),
        ("mem-struct-padding", {"wasted_bytes": 8, "elements": 10**7}, {"wasted_bytes": 8, "elements": 10}),
        ("mem-array-of-structs", {"fetched": 128, "used": 8}, {"fetched": 128, "used": 100}),
        ("mem-unblocked-transpose", {"times": 16}, {"times": 2}),
        ("mpi-strided-halo", {"pieces": "8192 pieces of 8 bytes"}, {"pieces": "10 pieces of 8 bytes"}),
        ("omp-serial-first-touch", {"bytes": 1 << 30}, {"bytes": 1 << 20}),
        ("omp-costly-schedule", {"work": "about 1 ns of work"}, {"work": "about 2 us of work"}),
        ("omp-small-loop", {"nanoseconds": 10}, {"nanoseconds": 900}),
        ("run-sleep-in-loop", {"duration": "5 ms"}, {"duration": "20 us"}),
    ],
)
def test_what_a_finding_says_of_its_size_counts(
    rule: str, more: dict[str, ArgValue], less: dict[str, ArgValue], rules: dict[str, Rule]
) -> None:
    values = [of(rule, rules, "a.c", args=less), of(rule, rules, "b.c", args=more)]
    assert [f.location.file for f in settled(values, rules)] == ["/p/b.c", "/p/a.c"]


def test_likely_findings_come_before_doubtful_ones_of_equal_cost(rules: dict[str, Rule]) -> None:
    values = [of("mem-unblocked-transpose", rules, f"{c.value}.c", confidence=c) for c in reversed(Confidence)]
    assert [f.confidence for f in settled(values, rules)] == list(reversed(Confidence))


def test_errors_come_before_what_only_costs_time(rules: dict[str, Rule]) -> None:
    wrong = of("mpi-rank-guarded-collective", rules, "z.c", confidence=Confidence.MEDIUM)
    assert order(rules, of("mem-handwritten-matmul", rules), wrong)[0] == "mpi-rank-guarded-collective"


def test_many_places_make_an_error_no_surer(rules: dict[str, Rule]) -> None:
    doubtful = [
        of("mpi-thread-level", rules, f"{n}.c", confidence=Confidence.MEDIUM, advice="ask for FUNNELED")
        for n in range(5)
    ]
    sure = of("mpi-thread-level", rules, "z.c", advice="ask for MULTIPLE")
    hints = [of("mpi-no-overlap", rules, f"{n}.c", function="f") for n in range(2)]
    groups = Result(Project(Path("/p")), tuple(settled([*doubtful, sure, *hints], rules))).groups
    assert [group.lead.advice for group in groups][:2] == ["ask for MULTIPLE", "ask for FUNNELED"]


def test_a_severity_that_a_project_sets_counts(rules: dict[str, Rule]) -> None:
    hint = of("mem-unblocked-transpose", rules, "a.c", severity=Severity.INFO)
    assert [f.severity for f in settled([hint, of("mem-unblocked-transpose", rules, "b.c")], rules)] == [
        Severity.WARNING,
        Severity.INFO,
    ]


def test_seconds_come_before_estimates_and_what_a_run_has_seen_before_the_rest(rules: dict[str, Rule]) -> None:
    dear = of("mem-handwritten-matmul", rules, "dear.c")
    timed = of("omp-small-loop", rules, "timed.c", gain_seconds=0.1, verdict=Verdict.CONFIRMED)
    counted = of("mem-unblocked-stencil", rules, "counted.c", verdict=Verdict.CONFIRMED)
    refuted = replace(dear, verdict=Verdict.REFUTED, gain_seconds=9.0)
    values = settled([refuted, dear, counted, timed], rules)
    assert [f.location.file for f in values] == ["/p/timed.c", "/p/counted.c", "/p/dear.c", "/p/dear.c"]


@pytest.mark.parametrize(
    "metrics",
    [
        {"d1_misses": 5000, "best_d1_misses": 1000},
        {"ll_misses": 500, "best_ll_misses": 10},
        {"level1_conflict_misses": 4000, "level2_conflict_misses": 0},
    ],
)
def test_misses_of_a_cache_run_replace_the_estimate(metrics: dict[str, int], rules: dict[str, Rule]) -> None:
    guessed = of("mem-strided-inner-loop", rules, estimated_nanoseconds=1e9)
    seen = replace(guessed, evidence=(Evidence("static"), Evidence("cache", metrics)))
    assert 0 < expected(seen) < 1e6 < expected(guessed)
    none = replace(guessed, evidence=(Evidence("cache", {"accesses": 3}),))
    assert expected(none) == expected(guessed)


def test_no_place_is_expected_to_cost_more_than_a_run_spent_there(rules: dict[str, Rule]) -> None:
    """A run that came by and did not show the pattern does not decide, but it bounds what can be won here."""
    spent = Evidence("mpi", {"calls": 9, "at_most_seconds": 2e-6})
    passed = of("mpi-send-recv-chain", rules, "a.c", evidence=(spent,))
    unknown = of("mpi-no-overlap", rules, "b.c")
    assert order(rules, passed, unknown) == ["mpi-no-overlap", "mpi-send-recv-chain"]
    assert order(rules, replace(passed, evidence=()), unknown) == ["mpi-send-recv-chain", "mpi-no-overlap"]


def test_the_order_is_the_same_whatever_came_first(rules: dict[str, Rule]) -> None:
    values = [of(rule, rules, f"{name}.c") for rule in rules for name in "ab"]
    assert settled(values, rules) == settled(reversed(values), rules)
    assert rank(settled(values, rules)) == settled(values, rules)


def test_the_page_names_the_weights() -> None:
    page = (TOP / "docs" / "ranking.md").read_text(encoding="utf-8")
    assert re.search(r"0\.9.*0\.6.*0\.2", page, re.DOTALL)
