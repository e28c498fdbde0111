from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from stated import all_is_stated, said  # noqa: F401
from stridewise.catalogue import Rule
from stridewise.finding import Access, Confidence, Finding, Location, Verdict
from stridewise.patterns.mem_strided_inner_loop import judge_cache
from stridewise.runs.cache import profiles
from stridewise.runs.cache.cachegrind import CacheProfile, Counts, base_name

pytestmark = pytest.mark.usefixtures("all_is_stated")

HEADER = "desc: D1 cache: 32768 B, 64 B, 8-way associative\ncmd: ./a\nevents: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw\n"


def profile_text(body: str, summary: str) -> str:
    return f"{HEADER}{body}summary: {summary}\n"


GOOD = profile_text(
    "fl=/p/src/a.c\nfn=walk\n10 9 0 0 800 100 1 200 20 2\n11 5 0 0 7\nfi=/p/src/cell.h\n3 1 0 0 50 5 0\nfe=/p/src/a.c\n"
    "12 0 0 0 0 0 0 1 1 1\nfl=???\nfn=(below main)\n0 1\n",
    "16 0 0 857 105 1 201 21 3",
)


def read(tmp_path: Path, *texts: str) -> tuple[CacheProfile | None, list[tuple[Path, str]]]:
    paths = []
    for number, text in enumerate(texts):
        paths.append(tmp_path / f"cachegrind.{number}.out")
        paths[-1].write_text(text)
    return profiles.read(paths)


def profile(tmp_path: Path, *texts: str) -> CacheProfile:
    found, bad = read(tmp_path, *texts)
    assert found is not None
    assert not bad
    return found


def test_lines_by_file_and_function(tmp_path: Path) -> None:
    found = profile(tmp_path, GOOD)
    assert found.total == Counts(1058, 126, 4, 16)
    assert found.at("/p/src/a.c", 10) == {"walk": Counts(1000, 120, 3, 9)}
    assert found.at("/p/src/a.c", 11) == {"walk": Counts(7, 0, 0, 5)}
    assert found.at("/p/src/cell.h", 3) == {"walk": Counts(50, 5, 0, 1)}
    assert found.at("/p/src/a.c", 12) == {"walk": Counts(1, 1, 1)}
    assert found.at("/p/src/a.c", 99) == {}
    assert found.description == ("D1 cache: 32768 B, 64 B, 8-way associative",)


def test_processes_are_added(tmp_path: Path) -> None:
    found = profile(tmp_path, GOOD, GOOD, GOOD)
    assert found.processes == 3
    assert found.at("/p/src/a.c", 10)["walk"] == Counts(3000, 360, 9, 27)
    assert found.total.accesses == 3 * 1058


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no Cachegrind output"),
        ("something else\n", "no Cachegrind output"),
        (GOOD[: len(GOOD) // 2], "cut off"),
        (GOOD.rsplit("summary", 1)[0], "cut off"),
        (GOOD.replace("10 9 0 0 800", "10 9 0 0 801"), "add up"),
        (GOOD.replace("10 9 0 0 800", "10 9 0 0 many"), "line 6"),
        (GOOD.replace("11 5 0 0 7", "11 5 0 0 7 1 1 1 1 1 1 1"), "more counts than events"),
        (HEADER.replace(" D1mr", "") + "summary: 1\n", "--cache-sim=yes"),
        ("1 2 3\n" + GOOD, "before the 'events:'"),
    ],
)
def test_bad_files_are_named_and_the_rest_is_used(tmp_path: Path, text: str, complaint: str) -> None:
    found, bad = read(tmp_path, text, GOOD)
    assert [str(path.name) for path, _ in bad] == ["cachegrind.0.out"]
    assert complaint in bad[0][1]
    assert found is not None
    assert found.processes == 1


def test_without_any_file_there_is_no_profile(tmp_path: Path) -> None:
    assert profiles.read([tmp_path / "missing"])[0] is None


def test_paths_match_by_their_tails(tmp_path: Path) -> None:
    found = profile(tmp_path, GOOD)
    for name in ("/p/src/a.c", "src/a.c", "a.c", "/elsewhere/x/../p/src/a.c"):
        assert found.file(name) == ("/p/src/a.c" if not name.startswith("/else") else None)
    relative = profile(tmp_path, GOOD.replace("/p/src/", "./src/"))
    assert relative.file("/home/me/project/src/a.c") == "./src/a.c"
    assert relative.file("/home/me/project/other/a.c") is None


def test_an_ambiguous_tail_matches_nothing(tmp_path: Path) -> None:
    text = profile_text("fl=/p/x/a.c\nfn=f\n1 1 0 0 1\nfl=/p/y/a.c\nfn=f\n1 1 0 0 1\n", "2 0 0 2")
    assert profile(tmp_path, text).file("a.c") is None
    assert profile(tmp_path, text).file("y/a.c") == "/p/y/a.c"


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("collide", "collide"),
        ("collide._omp_fn.0", "collide"),
        ("collide.omp_outlined", "collide"),
        ("collide.constprop.0.isra.0", "collide"),
        ("lbm::Grid<double, 3>::sweep(int, Cell const&) const", "sweep"),
        ("void apply<int (*)(int)>(int)", "apply"),
        ("(anonymous namespace)::walk(double*)", "walk"),
        ("Grid::operator()(int, int)", "operator"),
        ("main", "main"),
        ("", ""),
    ],
)
def test_base_names(name: str, base: str) -> None:
    assert base_name(name) == base


def finding(*accesses: Access, file: str = "/p/src/a.c") -> Finding:
    from stridewise.finding import Severity

    return Finding(
        rule="mem-strided-inner-loop",
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        message="m",
        location=Location(file, 9),
        function="walk",
        accesses=accesses,
    )


def counted(tmp_path: Path, body: str, misses: int, accesses: int) -> CacheProfile:
    """A profile of one line 10 in a.c, and one far line with the rest of the run."""
    return profile(tmp_path, profile_text(body, f"0 0 0 {accesses} {misses}"))


RULE = "mem-strided-inner-loop"


@pytest.mark.parametrize(
    ("misses", "elsewhere", "verdict"),
    [
        (1000, 0, Verdict.CONFIRMED),  # eight times the best order
        (188, 0, Verdict.CONFIRMED),  # 1.504 times
        (187, 0, Verdict.SUSPECTED),  # 1.496 times: no proof, no refutation
        (0, 50, Verdict.REFUTED),
        (1, 2000, Verdict.REFUTED),  # below a thousandth of the run
        (3, 2000, Verdict.SUSPECTED),
        (1000, 10_000_000, Verdict.REFUTED),  # strided, but it does not matter here
    ],
)
def test_verdict_follows_the_misses(
    tmp_path: Path, rules: dict[str, Rule], misses: int, elsewhere: int, verdict: Verdict
) -> None:
    body = f"fl=/p/src/a.c\nfn=walk\n10 0 0 0 1000 {misses}\n50 0 0 0 {elsewhere} {elsewhere}\n"
    found = counted(tmp_path, body, misses + elsewhere, 1000 + elsewhere)
    judged = judge_cache(finding(Access("/p/src/a.c", 10, "walk", 0.125)), found, rules[RULE])
    assert judged is not None
    assert judged.verdict is verdict
    assert judged.evidence.metrics["d1_misses"] == misses
    assert judged.evidence.metrics["best_d1_misses"] == 125


def test_confirmation_makes_sure_and_refutation_does_not(tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = counted(tmp_path, "fl=/p/src/a.c\nfn=walk\n10 0 0 0 1000 1000\n", 1000, 1000)
    start = finding(Access("/p/src/a.c", 10, "walk", 0.125))
    judged = judge_cache(start, found, rules[RULE])
    assert judged is not None
    assert judged.apply(start).confidence is Confidence.HIGH
    refuted = replace(judged, verdict=Verdict.REFUTED).apply(start)
    assert (refuted.verdict, refuted.confidence) == (Verdict.REFUTED, Confidence.MEDIUM)


def test_line_that_did_not_run(tmp_path: Path, rules: dict[str, Rule]) -> None:
    judged = judge_cache(finding(Access("/p/src/a.c", 77, "walk", 0.125)), profile(tmp_path, GOOD), rules[RULE])
    assert judged is not None
    assert judged.verdict is Verdict.NOT_EXERCISED


def test_program_without_line_information_stays_undecided(tmp_path: Path, rules: dict[str, Rule]) -> None:
    text = profile_text("fl=???\nfn=walk\n0 1 0 0 100 100\n", "1 0 0 100 100")
    judged = judge_cache(finding(Access("/p/src/a.c", 10, "walk", 0.125)), profile(tmp_path, text), rules[RULE])
    assert judged is not None
    assert judged.verdict is Verdict.SUSPECTED
    assert "-g" in judged.evidence.note


def test_nothing_to_measure_is_no_judgement(tmp_path: Path, rules: dict[str, Rule]) -> None:
    assert judge_cache(finding(), profile(tmp_path, GOOD), rules[RULE]) is None
    assert judge_cache(finding(Access("/p/src/a.c", 10, "walk")), profile(tmp_path, GOOD), rules[RULE]) is None


# One accessor, inlined into two functions.
HEADER_BODY = "fl=/p/src/cell.h\nfn=bad_walk._omp_fn.0\n3 0 0 0 1000 1000\nfn=good_walk\n3 0 0 0 1000 10\n"


def test_an_inlined_accessor_is_judged_by_its_caller(tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = counted(tmp_path, HEADER_BODY, 1010, 2000)
    for function, verdict in (("bad_walk", Verdict.CONFIRMED), ("good_walk", Verdict.SUSPECTED)):
        judged = judge_cache(finding(Access("/p/src/cell.h", 3, function, 0.125)), found, rules[RULE])
        assert judged is not None
        assert judged.verdict is verdict, function


def test_an_accessor_of_unknown_callers_is_not_guessed(tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = counted(tmp_path, HEADER_BODY, 1010, 2000)
    judged = judge_cache(finding(Access("/p/src/cell.h", 3, "other", 0.125)), found, rules[RULE])
    assert judged is not None
    assert judged.verdict is Verdict.NOT_EXERCISED


def test_a_function_inlined_into_main_is_found_by_its_line(tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = counted(tmp_path, "fl=/p/src/a.c\nfn=main\n10 0 0 0 1000 1000\n", 1000, 1000)
    judged = judge_cache(finding(Access("/p/src/a.c", 10, "walk", 0.125)), found, rules[RULE])
    assert judged is not None
    assert judged.verdict is Verdict.CONFIRMED


def test_references_on_one_line_are_averaged(tmp_path: Path, rules: dict[str, Rule]) -> None:
    found = counted(tmp_path, "fl=/p/src/a.c\nfn=walk\n10 0 0 0 2000 1000\n", 1000, 2000)
    accesses = (Access("/p/src/a.c", 10, "walk", 1.0), Access("/p/src/a.c", 10, "walk", 0.0))
    judged = judge_cache(finding(*accesses), found, rules[RULE])
    assert judged is not None
    assert judged.evidence.metrics["best_d1_misses"] == 1000
    assert judged.verdict is Verdict.SUSPECTED


@pytest.mark.parametrize(
    "name", ["/p/build/../src/a.c", "../src/a.c", "./../src/a.c", "/p/./src/a.c", "src/../src/a.c"]
)
def test_units_compiled_from_another_folder(tmp_path: Path, name: str) -> None:
    found = profile(tmp_path, GOOD.replace("/p/src/a.c", name))
    assert found.at("/p/src/a.c", 10) == {"walk": Counts(1000, 120, 3, 9)}
    assert found.at("/p/src/b.c", 10) == {}
