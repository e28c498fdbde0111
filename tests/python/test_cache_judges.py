"""The judges of cache runs on counts that are made up: each verdict, each side of each limit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.catalogue import Rule
from stridewise.finding import Access, ArgValue, Confidence, Finding, Location, Scope, Severity, Verdict
from stridewise.finding.correlate import join_cache
from stridewise.patterns import mem_array_of_structs, mem_power_of_two_stride, mem_unblocked_stencil
from stridewise.runs import detectors
from stridewise.runs.cache import watcher as watch_cache
from stridewise.runs.cache.cachegrind import CacheProfile, Counts, total_of

pytestmark = pytest.mark.usefixtures("all_is_stated")

FILE = "/p/src/a.c"
PITCH, RECORDS, STENCIL = "mem-power-of-two-stride", "mem-array-of-structs", "mem-unblocked-stencil"
CACHES = ("D1 cache: 32768 B, 64 B, 8-way associative", "LL cache: 1048576 B, 64 B, 16-way associative")


def profile(here: Counts, elsewhere: Counts = Counts(), line: int = 10, file: str = FILE) -> CacheProfile:  # noqa: B008
    lines = {file: {line: {"walk": here}, 90: {"other": elsewhere}}}
    return CacheProfile(lines, total_of([here, elsewhere]), 1, CACHES)


def finding(rule: str, *accesses: Access, args: dict[str, ArgValue] | None = None) -> Finding:
    return Finding(
        rule=rule,
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        message="m",
        location=Location(FILE, 9),
        function="walk",
        scope=Scope(9, 12),
        accesses=accesses,
        args=args or {},
    )


def with_conflicts(real: Counts, full: Counts, elsewhere: Counts = Counts()) -> CacheProfile:  # noqa: B008
    plain = profile(real, elsewhere)
    return replace(plain, inner=plain, full=profile(full, elsewhere))


@pytest.mark.parametrize(
    ("real", "full", "elsewhere", "verdict"),
    [
        (Counts(1000, 1000, 0), Counts(1000, 10, 0), Counts(), Verdict.CONFIRMED),
        (Counts(1000, 100, 100), Counts(1000, 100, 10), Counts(), Verdict.CONFIRMED),  # the second level alone
        (Counts(1000, 150, 0), Counts(1000, 100, 0), Counts(), Verdict.CONFIRMED),  # 1.5 times
        (Counts(1000, 149, 0), Counts(1000, 100, 0), Counts(), Verdict.SUSPECTED),
        (Counts(1000, 1000, 1000), Counts(1000, 1000, 1000), Counts(), Verdict.REFUTED),  # misses, but no conflicts
        (Counts(1000, 10, 0), Counts(1000, 0, 0), Counts(50_000, 50_000, 50_000), Verdict.REFUTED),
        (Counts(1000, 10, 0), Counts(1000, 20, 0), Counts(), Verdict.REFUTED),
    ],
)
def test_crowded_sets(rules: dict[str, Rule], real: Counts, full: Counts, elsewhere: Counts, verdict: Verdict) -> None:
    found = with_conflicts(real, full, elsewhere)
    judged = mem_power_of_two_stride.judge_cache(finding(PITCH, Access(FILE, 10, "walk")), found, rules[PITCH])
    assert judged is not None
    assert judged.verdict is verdict
    conflicts = max(0, real.d1_misses - full.d1_misses)
    assert judged.evidence.metrics["level1_conflict_misses"] == conflicts


def test_conflicts_that_nobody_simulated_are_not_guessed(rules: dict[str, Rule]) -> None:
    judge, place = mem_power_of_two_stride.judge_cache, Access(FILE, 10, "walk")
    judged = judge(finding(PITCH, place), profile(Counts(1000, 1000, 0)), rules[PITCH])
    assert judged is not None
    assert judged.verdict is Verdict.SUSPECTED
    assert "--conflicts" in judged.evidence.note
    few = judge(finding(PITCH, place), profile(Counts(1000, 1, 0), Counts(5000, 5000, 5000)), rules[PITCH])
    assert few is not None
    assert few.verdict is Verdict.REFUTED


def test_a_finding_without_accesses_is_judged_by_its_scope(rules: dict[str, Rule]) -> None:
    found = with_conflicts(Counts(1000, 1000, 0), Counts(1000, 10, 0))
    judged = mem_power_of_two_stride.judge_cache(finding(PITCH), found, rules[PITCH])
    assert judged is not None
    assert judged.verdict is Verdict.CONFIRMED


def joined(rules: dict[str, Rule], known: list[Finding], found: CacheProfile) -> list[Finding]:
    return join_cache(known, found, rules, detectors.cache_judges(rules), detectors.cache_detectors(rules))


def test_a_run_alone_shows_conflicts_once(rules: dict[str, Rule]) -> None:
    found = with_conflicts(Counts(1000, 900, 0), Counts(1000, 10, 0), Counts(1000, 300, 0))
    (alone,) = joined(rules, [], found)
    assert (alone.rule, alone.location.line, alone.verdict) == (PITCH, 10, Verdict.OBSERVED)
    assert alone.confidence is Confidence.MEDIUM
    assert "{" not in alone.message + alone.advice
    (both,) = joined(rules, [finding(PITCH, Access(FILE, 10, "walk"))], found)
    assert both.verdict is Verdict.CONFIRMED
    better = joined(rules, [finding("mem-strided-inner-loop", Access(FILE, 10, "walk", 0.125))], found)
    assert [f.rule for f in better] == ["mem-strided-inner-loop"]
    assert len(joined(rules, [finding(RECORDS, Access(FILE, 10, "walk", 0.125))], found)) == 2


@pytest.mark.parametrize(
    ("real", "full", "elsewhere"),
    [
        (Counts(1000, 900, 0), Counts(1000, 700, 0), Counts()),  # less than 1.5 times
        (Counts(1000, 900, 0), Counts(1000, 10, 0), Counts(90_000, 90_000, 0)),  # 1 % of the run
        (Counts(100_000, 900, 0), Counts(100_000, 10, 0), Counts()),  # less than 2 % of the accesses
    ],
)
def test_small_conflicts_are_not_told(rules: dict[str, Rule], real: Counts, full: Counts, elsewhere: Counts) -> None:
    assert not joined(rules, [], with_conflicts(real, full, elsewhere))


@pytest.mark.parametrize(
    "file", ["/usr/include/c++/12/vector", "./malloc/./malloc/malloc.c", "./csu/../csu/x.c", "???"]
)
def test_conflicts_in_libraries_are_not_told(rules: dict[str, Rule], file: str) -> None:
    plain = profile(Counts(1000, 900, 0), file=file)
    found = replace(plain, inner=plain, full=profile(Counts(1000, 10, 0), file=file))
    assert not joined(rules, [], found)


@pytest.mark.parametrize(
    ("misses", "elsewhere", "verdict", "wasted"),
    [
        (1000, 0, Verdict.CONFIRMED, 0.9),
        (150, 0, Verdict.CONFIRMED, 1 / 3),
        (149, 0, Verdict.SUSPECTED, None),
        (90, 0, Verdict.SUSPECTED, 0.0),
        (1, 5000, Verdict.REFUTED, None),
    ],
)
def test_wasted_lines(
    rules: dict[str, Rule], misses: int, elsewhere: int, verdict: Verdict, wasted: float | None
) -> None:
    found = profile(Counts(1000, misses, misses), Counts(elsewhere, elsewhere, elsewhere))
    judged = mem_array_of_structs.judge_cache(finding(RECORDS, Access(FILE, 10, "walk", 0.1)), found, rules[RECORDS])
    assert judged is not None
    assert judged.verdict is verdict
    if wasted is not None:
        assert judged.evidence.metrics["wasted_share"] == pytest.approx(wasted)


def test_records_of_unknown_use_count_words(rules: dict[str, Rule]) -> None:
    for misses, verdict in ((188, Verdict.CONFIRMED), (187, Verdict.SUSPECTED)):
        found = profile(Counts(1000, misses, 0))
        judged = mem_array_of_structs.judge_cache(finding(RECORDS), found, rules[RECORDS])
        assert judged is not None
        assert judged.verdict is verdict
        assert judged.evidence.metrics["best_d1_misses"] == 125


SEVEN_POINT: dict[str, ArgValue] = {"arrays": 2, "fetched_planes": 4, "between_bytes": 8 << 20}


@pytest.mark.parametrize(
    ("d1", "ll", "args", "verdict"),
    [
        (400, 400, SEVEN_POINT, Verdict.CONFIRMED),  # nothing stays
        (400, 300, SEVEN_POINT, Verdict.CONFIRMED),
        (400, 299, SEVEN_POINT, Verdict.SUSPECTED),
        (400, 200, SEVEN_POINT, Verdict.REFUTED),  # each array once
        (400, 400, SEVEN_POINT | {"between_bytes": 0}, Verdict.SUSPECTED),  # sizes unknown
        (400, 400, {}, Verdict.SUSPECTED),
    ],
)
def test_rows_that_are_fetched_again(
    rules: dict[str, Rule], d1: int, ll: int, args: dict[str, ArgValue], verdict: Verdict
) -> None:
    found = profile(Counts(1600, d1, ll))
    judged = mem_unblocked_stencil.judge_cache(
        finding(STENCIL, Access(FILE, 10, "walk"), args=args), found, rules[STENCIL]
    )
    assert judged is not None
    assert judged.verdict is verdict


JUDGES = (mem_power_of_two_stride, mem_array_of_structs, mem_unblocked_stencil)


@pytest.mark.parametrize("judge", JUDGES)
def test_a_loop_that_did_not_run(rules: dict[str, Rule], judge: type) -> None:
    rule = rules[judge.__name__.rsplit(".", 1)[-1].replace("_", "-")]
    far = Access(FILE, 77, "walk")
    judged = judge.judge_cache(finding(rule.slug, far), profile(Counts(10, 1, 1)), rule)  # type: ignore[attr-defined]
    assert judged.verdict is Verdict.NOT_EXERCISED
    partial = replace(profile(Counts(10, 1, 1)), partial=True)
    undecided = judge.judge_cache(finding(rule.slug, far), partial, rule)  # type: ignore[attr-defined]
    assert undecided.verdict is Verdict.SUSPECTED


@pytest.mark.parametrize("judge", JUDGES)
def test_without_lines_the_function_can_only_refute(rules: dict[str, Rule], judge: type) -> None:
    rule = rules[judge.__name__.rsplit(".", 1)[-1].replace("_", "-")]
    for misses, verdict in ((900, Verdict.SUSPECTED), (1, Verdict.REFUTED)):
        counts = {"walk": Counts(1000, misses, misses), "other": Counts(9000, 9000, 9000)}
        found = CacheProfile({"???": {0: counts}}, total_of(counts.values()), 1, CACHES)
        judged = judge.judge_cache(finding(rule.slug), found, rule)  # type: ignore[attr-defined]
        assert judged.verdict is verdict
        assert "-g" in judged.evidence.note


def test_a_part_of_the_run_refutes_nothing(rules: dict[str, Rule]) -> None:
    found = replace(profile(Counts(1000, 1, 1), Counts(5000, 5000, 5000)), partial=True)
    judged = mem_array_of_structs.judge_cache(finding(RECORDS, Access(FILE, 10, "walk", 0.1)), found, rules[RECORDS])
    assert judged is not None
    assert judged.verdict is Verdict.SUSPECTED


def test_the_first_level_without_sets_shows_conflicts(rules: dict[str, Rule]) -> None:
    """What a cache run does by itself where lines miss much: no more is known than of the first level."""
    found = replace(profile(Counts(1000, 900, 0)), quick=profile(Counts(1000, 10, 0)))
    (alone,) = joined(rules, [], found)
    assert (alone.rule, alone.location.line) == (PITCH, 10) and "first-level" in alone.message
    known = finding(PITCH, Access(FILE, 10, "walk"))
    (confirmed,) = joined(rules, [known], found)
    assert confirmed.verdict is Verdict.CONFIRMED
    none = replace(found, quick=profile(Counts(1000, 890, 0)))
    assert not joined(rules, [], none)
    (open_,) = joined(rules, [known], none)
    assert open_.verdict is Verdict.SUSPECTED, "the second level was not looked at"


def test_the_head_names_the_worst_lines_and_what_findings_explain() -> None:
    found = profile(Counts(1000, 300, 0), Counts(2000, 600, 0))
    lines = {**found.lines, "/usr/include/x.h": {5: {"walk": Counts(1000, 100, 0)}}}
    found = replace(found, lines=lines, total=Counts(4000, 1000, 0))
    (note,) = watch_cache.worst_lines(found, [finding(PITCH, Access(FILE, 10, "walk"))])
    name = PurePosixPath(FILE).name
    assert f"{name}:90 60 %, {name}:10 30 %" in note and "x.h" not in note
    assert "the findings speak of 30 % of all" in note
    assert not watch_cache.worst_lines(profile(Counts(1000, 0, 0)), [])


def test_a_run_shows_lines_that_no_finding_names(rules: dict[str, Rule]) -> None:
    def lines(found: CacheProfile, *known: Finding) -> list[int]:
        return [f.location.line for f in mem_power_of_two_stride.detect_cache(found, rules[PITCH], known)]

    real, full = Counts(100_000, 100_000, 0), Counts(100_000, 10, 0)
    found = with_conflicts(real, full)
    assert lines(found) == [10]
    assert lines(found, finding(PITCH, Access(FILE, 10, "walk"))) == []
    unknown = replace(profile(real, line=0), inner=profile(real, line=0), full=profile(full, line=0))
    assert lines(unknown) == []
    assert lines(replace(found, partial=True)) == []
