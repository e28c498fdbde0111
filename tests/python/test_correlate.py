from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.catalogue import Rule
from stridewise.finding import Access, Confidence, Evidence, Finding, Location, Related, Scope, Severity, Verdict
from stridewise.finding.correlate import Execution, Site, join_run, same_file
from stridewise.finding.judgement import Judgement
from stridewise.finding.result import rank
from stridewise.finding.supersede import once_per_program, without_superseded

pytestmark = pytest.mark.usefixtures("all_is_stated")

RULE = "mpi-tiny-messages"


def static(line: int = 10, scope: tuple[int, int] = (9, 12), file: str = "/p/a.c", **changes: Any) -> Finding:
    base = Finding(
        rule=RULE,
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        message="static message",
        advice="static advice",
        location=Location(file, line, 3, line, 9),
        function="f",
        scope=Scope(*scope),
    )
    return replace(base, **changes)


def observed(
    line: int = 10, file: str = "/p/a.c", gain: float = 1.0, ranks: tuple[float, ...] = (1.0, 2.0), **changes: Any
) -> Finding:
    base = Finding(
        rule=RULE,
        severity=Severity.WARNING,
        confidence=Confidence.HIGH,
        verdict=Verdict.OBSERVED,
        message=f"measured {gain}",
        advice="run advice",
        location=Location(file, line),
        function="f",
        evidence=(Evidence("mpi", {"rank_seconds": list(ranks), "cost_rank": 1}),),
        cost_seconds=max(ranks),
        gain_seconds=gain,
    )
    return replace(base, **changes)


def join(
    statics: list[Finding], runs: list[Finding], rules: dict[str, Rule], sites: list[Site] | None = None, **judges: Any
) -> list[Finding]:
    return join_run(
        "mpi", statics, runs, Execution(sites or []), rules, {k.replace("_", "-"): v for k, v in judges.items()}
    )


def test_same_place_is_one_confirmed_finding(rules: dict[str, Rule]) -> None:
    (found,) = join([static()], [observed()], rules)
    assert (found.verdict, found.confidence) == (Verdict.CONFIRMED, Confidence.HIGH)
    assert (found.message, found.advice) == ("measured 1.0", "static advice")
    assert (found.cost_seconds, found.gain_seconds) == (2.0, 1.0)
    assert [e.source for e in found.evidence] == ["static", "mpi"]
    assert found.evidence[0].note == "static message"


def test_a_place_that_both_halves_name_is_shown_once(rules: dict[str, Rule]) -> None:
    loop, caller, receive = (Related("/p/a.c", line, label) for line, label in ((9, "loop"), (40, "by"), (30, "to")))
    run = observed(related=(replace(caller, label="called from main"), receive))
    (found,) = join([static(related=(loop, caller))], [run], rules)
    assert found.related == (loop, caller, receive)


@pytest.mark.parametrize("line", [9, 12])
def test_any_line_of_the_scope(rules: dict[str, Rule], line: int) -> None:
    assert len(join([static()], [observed(line)], rules)) == 1


def test_named_lines_count_instead_of_the_scope(rules: dict[str, Rule]) -> None:
    statics = [static(line, (1, 40), accesses=(Access("/p/a.c", line, "f"),)) for line in (10, 20)]
    first, second = join(statics, [observed(20)], rules, [Site("/p/a.c", 10, "f", 4, 0.1), Site("/p/a.c", 20, "f", 4)])
    assert (first.verdict, second.verdict) == (Verdict.SUSPECTED, Verdict.CONFIRMED)


def test_lines_in_other_files_count_too(rules: dict[str, Rule]) -> None:
    (found,) = join([static(accesses=(Access("/p/wrappers.c", 5, "send"),))], [observed(5, "/p/wrappers.c")], rules)
    assert found.verdict is Verdict.CONFIRMED


def test_a_caller_in_the_scope_confirms(rules: dict[str, Rule]) -> None:
    run = observed(
        99, "/p/wrappers.c", related=(Related("/p/b.c", 3, "called from g"), Related("/p/a.c", 11, "called from f"))
    )
    (found,) = join([static()], [run], rules)
    assert found.verdict is Verdict.CONFIRMED
    assert found.location.line == 10


@pytest.mark.parametrize(
    "run",
    [
        observed(13),
        observed(8),
        observed(10, "/p/b.c"),
        observed(10, "/q/a.c"),
        observed(10, rule="mpi-redundant-barrier"),
        observed(99, related=(Related("/p/b.c", 10, "called from main"),)),
    ],
)
def test_other_places_and_rules_stay_apart(rules: dict[str, Rule], run: Finding) -> None:
    found = join([static()], [run], rules)
    assert [f.verdict for f in found] == [Verdict.SUSPECTED, Verdict.OBSERVED]
    assert found[0].cost_seconds is None


def test_call_paths_through_one_place_are_added_rank_by_rank(rules: dict[str, Rule]) -> None:
    runs = [observed(gain=1.0, ranks=(3.0, 1.0)), observed(11, gain=2.0, ranks=(1.0, 2.5))]
    (found,) = join([static()], runs, rules)
    assert found.evidence[1].metrics["rank_seconds"] == [4.0, 3.5]
    assert found.evidence[1].metrics["cost_rank"] == 0
    assert (found.cost_seconds, found.gain_seconds) == (4.0, 3.0)
    assert found.message == "measured 2.0 (and 1 more call path)"


def test_a_second_is_counted_in_one_finding_only(rules: dict[str, Rule]) -> None:
    """A call path that goes through two findings of the source pays for the one nearer to the call."""
    inner, outer = static(50, (49, 52)), static(10, (9, 12), confidence=Confidence.LOW)
    run = observed(50, related=(Related("/p/a.c", 11, "called from f"),))
    first, second = join([outer, inner], [run], rules)
    assert (first.verdict, first.cost_seconds, first.gain_seconds) == (Verdict.CONFIRMED, None, None)
    assert (second.verdict, second.cost_seconds, second.gain_seconds) == (Verdict.CONFIRMED, 2.0, 1.0)


def test_the_smaller_scope_takes_the_cost(rules: dict[str, Rule]) -> None:
    wide, narrow = static(1, (1, 99)), static(10, (9, 12))
    first, second = join([wide, narrow], [observed()], rules)
    assert (first.cost_seconds, second.cost_seconds) == (None, 2.0)


def test_of_equal_scopes_the_statement_itself_takes_the_cost(rules: dict[str, Rule]) -> None:
    """Two barriers of one function: each is paid for by its own calls."""
    early, late = static(10, (1, 99)), static(20, (1, 99))
    first, second = join([early, late], [observed(20)], rules)
    assert (first.cost_seconds, second.cost_seconds) == (None, 2.0)


def test_doubts_of_the_run_are_kept(rules: dict[str, Rule]) -> None:
    (found,) = join([static(confidence=Confidence.LOW)], [observed(confidence=Confidence.MEDIUM)], rules)
    assert (found.verdict, found.confidence) == (Verdict.CONFIRMED, Confidence.MEDIUM)


def test_no_call_from_there_is_not_exercised(rules: dict[str, Rule]) -> None:
    (found,) = join([static()], [], rules, [Site("/p/a.c", 40, "f", 5, 1.0)])
    assert (found.verdict, found.confidence) == (Verdict.NOT_EXERCISED, Confidence.MEDIUM)


def test_calls_without_the_pattern_prove_nothing(rules: dict[str, Rule]) -> None:
    (found,) = join([static()], [], rules, [Site("/p/a.c", 10, "f", 5, 0.25), Site("/p/a.c", 11, "f", 2, 0.5)])
    assert found.verdict is Verdict.SUSPECTED
    assert found.evidence[0].metrics == {"calls": 7, "at_most_seconds": 0.5}


def test_positive_evidence_refutes(rules: dict[str, Rule]) -> None:
    judgement = Judgement(Verdict.REFUTED, Evidence("mpi", {"cost_seconds": 0.1}, "a message needs it"))
    (found,) = join([static()], [], rules, [Site("/p/a.c", 10, "f", 5, 0.2)], mpi_tiny_messages=lambda f: judgement)
    assert (found.verdict, found.confidence) == (Verdict.REFUTED, Confidence.MEDIUM)
    assert found.evidence[0].note == "a message needs it"


def test_a_trace_without_source_lines_says_nothing(rules: dict[str, Rule]) -> None:
    assert join([static()], [], rules, []) == [static()]


def test_rules_without_mpi_detector_are_left_alone(rules: dict[str, Rule]) -> None:
    value = static(rule="mem-struct-padding")
    assert join([value], [], rules, [Site("/p/a.c", 40, "f")]) == [value]


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("/p/a.c", "/p/a.c", True),
        ("/p/x/../a.c", "/p/a.c", True),
        ("src/a.c", "/p/src/a.c", True),
        ("/p/src/a.c", "a.c", True),
        ("other/a.c", "/p/src/a.c", False),
        ("/q/src/a.c", "/p/src/a.c", False),
        ("a.c", "ba.c", False),
    ],
)
def test_same_file(a: str, b: str, same: bool) -> None:
    assert same_file(a, b) is same


def test_rank_puts_savings_first_and_refuted_last() -> None:
    values = [
        static(1, verdict=Verdict.REFUTED, gain_seconds=100.0),
        static(2, confidence=Confidence.LOW),
        static(3, severity=Severity.ERROR, confidence=Confidence.LOW),
        static(4, gain_seconds=0.5),
        static(5, gain_seconds=2.0),
        static(6, confidence=Confidence.HIGH),
        static(7, confidence=Confidence.HIGH, verdict=Verdict.CONFIRMED),
    ]
    assert [f.location.line for f in rank(values)] == [5, 4, 3, 7, 6, 2, 1]
    assert rank(reversed(values)) == rank(values)


def test_superseded_findings_are_dropped(rules: dict[str, Rule]) -> None:
    strong = {**rules, RULE: replace(rules[RULE], supersedes=("mpi-send-recv-chain",))}
    inside = static(11, rule="mpi-send-recv-chain")
    outside = static(40, (40, 41), rule="mpi-send-recv-chain")
    assert without_superseded([inside, static(), outside], strong) == [static(), outside]
    assert without_superseded([inside, static()], rules) == [inside, static()]
    refuted = static(verdict=Verdict.REFUTED)
    assert without_superseded([inside, refuted], strong) == [inside, refuted]


def test_what_is_mended_elsewhere_stands_beside_what_mends_a_loop(rules: dict[str, Rule]) -> None:
    slug = "mpi-send-recv-chain"
    known = {
        **rules,
        RULE: replace(rules[RULE], supersedes=(slug,)),
        slug: replace(rules[slug], variants={"mended_at": "is declared here"}),
    }
    inside = static(11, rule=slug)
    at = inside.location
    elsewhere = replace(inside, related=(Related(at.file, static().scope.end_line + 1, "is declared here"),))
    within = replace(inside, related=(Related(at.file, at.line, "is declared here"),))
    seen = replace(inside, related=(Related(at.file, static().scope.end_line + 1, "is seen here"),))
    assert without_superseded([elsewhere, within, seen, static()], known) == [elsewhere, static()]


def test_what_is_said_of_a_program_is_said_once(rules: dict[str, Rule]) -> None:
    slug = "omp-unbound-threads"
    assert rules[slug].once
    placed = [static(n, rule=slug) for n in range(20, 28)]
    surest = static(40, rule=slug, confidence=Confidence.HIGH, related=(Related("/p/b.c", 1, "its team"),))
    other, kept = static(41, rule=slug, message="something else"), [static(2), static(3)]
    first, second, *rest = once_per_program([kept[0], *placed, surest, other, kept[1]], rules)
    assert first == kept[0]
    assert (second.location.line, [r.line for r in second.related[:2]]) == (40, [1, 20])
    assert {r.label for r in second.related[1:]} == {"here as well"}
    assert rest == [other, kept[1]]
    assert once_per_program([*placed, surest], {}) == [*placed, surest]
