"""Laws of synthetic counts: what grows must be found, and foretold; what does not grow must not be said to."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import pytest

from stridewise.finding import Confidence
from stridewise.scale import laws
from stridewise.scale.laws import Law, find
from stridewise.scale.terms import TERMS, Of, grid

SHORT = (2, 3, 4, 6, 8, 12, 16)
LONG = (2, 3, 4, 5, 6, 8, 9, 12, 16)
FAR = (27, 36, 64, 256, 4096)

Count = Callable[[int], float]


def xy(p: int) -> tuple[int, ...]:
    return grid(p, 2)


def abc(p: int) -> tuple[int, ...]:
    return grid(p, 3)


def faces(p: int) -> int:
    a, b, c = abc(p)
    return a * b + b * c + c * a


# name, count, its exponents of P and of log P
LAWS: tuple[tuple[str, Count, tuple[float, float]], ...] = (
    ("constant", lambda p: 20, (0, 0)),
    ("one", lambda p: 1, (0, 0)),
    ("zero", lambda p: 0, (0, 0)),
    ("large constant", lambda p: 123_456_789, (0, 0)),
    ("tree, rounded up", lambda p: 20 * (p - 1).bit_length(), (0, 1)),
    ("tree, rounded down", lambda p: 3 * (p.bit_length() - 1) + 5, (0, 1)),
    ("logarithm", lambda p: 7 * math.log2(p), (0, 1)),
    ("logarithm squared", lambda p: 5 * math.log2(p) ** 2, (0, 2)),
    ("root", lambda p: 12 * math.sqrt(p), (1 / 2, 0)),
    ("cube root", lambda p: 4 * p ** (1 / 3) + 1, (1 / 3, 0)),
    ("linear", lambda p: 20 * p, (1, 0)),
    ("gather by hand", lambda p: 20 * p - 20, (1, 0)),
    ("linear with a start", lambda p: 3 * p + 100, (1, 0)),
    ("pairs", lambda p: p // 2, (1, 0)),
    ("P log P", lambda p: 3 * p * math.log2(p), (1, 1)),
    ("P times a tree", lambda p: p * (p - 1).bit_length(), (1, 1)),
    ("P to 1.5", lambda p: 2 * p**1.5, (3 / 2, 0)),
    ("all to all by hand", lambda p: p * (p - 1), (2, 0)),
    ("square", lambda p: 4 * p * p + 9, (2, 0)),
    ("cube", lambda p: p**3, (3, 0)),
    ("grid, all directions", lambda p: 10 * (4 * p - 2 * sum(xy(p))), (1, 0)),
    ("grid, one direction", lambda p: 10 * (p - xy(p)[1]), (1, 0)),
    ("grid, busiest rank", lambda p: 10 * sum(min(side - 1, 2) for side in xy(p)), (0, 0)),
    ("cube of ranks, all faces", lambda p: 6 * p - 2 * faces(p), (1, 0)),
    ("cube of ranks, busiest rank", lambda p: 5 * sum(min(side - 1, 2) for side in abc(p)), (0, 0)),
    ("cube of ranks, with corners", lambda p: math.prod(min(side, 3) for side in abc(p)) - 1, (0, 0)),
    ("sides of a grid", lambda p: 8 * sum(xy(p)), (1 / 2, 0)),
    ("strong scaling of rows", lambda p: 720_720 / p, (-1, 0)),
    ("strong scaling of blocks", lambda p: 720_720 / xy(p)[0], (-1 / 2, 0)),
    ("imbalance that grows", lambda p: 100 + 25 * (p - 1), (1, 0)),
)


def points(count: Count, ranks: Sequence[int]) -> laws.Points:
    return tuple((p, float(count(p))) for p in ranks)


@pytest.mark.parametrize(("name", "count", "growth"), LAWS, ids=[law[0] for law in LAWS])
@pytest.mark.parametrize("ranks", [SHORT, LONG], ids=["seven runs", "nine runs"])
def test_law(name: str, count: Count, growth: tuple[float, float], ranks: tuple[int, ...]) -> None:
    law = find(points(count, ranks))
    assert law is not None
    assert law.exact
    growths = {each.growth for each in (law, *law.rivals)}
    assert growth in growths
    if ranks is LONG:
        assert growths == {growth}, [str(each) for each in (law, *law.rivals)]
        assert law.confidence is Confidence.HIGH or law.spare < 2
    for p in FAR:
        least, most = law.range(p)
        assert least * (1 - 1e-6) <= count(p) <= most * (1 + 1e-6)
        if ranks is LONG and not law.rivals:
            assert law.at(p) == pytest.approx(count(p), rel=1e-6)


def test_no_growth_is_invented_on_noise() -> None:
    """Counts that vary by a few percent with no system, as retries do."""
    random_numbers = random.Random(7)
    for _ in range(100):
        level, spread = random_numbers.choice([50, 1000, 10**6]), random_numbers.choice([0.002, 0.02])
        law = find(tuple((p, float(round(level * (1 + spread * random_numbers.uniform(-1, 1))))) for p in LONG))
        assert law is None or not law.grows, str(law)


@pytest.mark.parametrize("side", ["P", "X", "Y", "C"])
@pytest.mark.parametrize("pieces", [10, 102, 4096])
def test_uneven_parts(side: str, pieces: int) -> None:
    """What the rank with the most has, of pieces that the ranks or a side of their grid divide."""

    def rows(p: int) -> float:
        parts = {"P": p, "X": xy(p)[0], "Y": xy(p)[1], "C": abc(p)[2]}[side]
        return 800.0 * -(-pieces // parts)

    law = find(points(rows, (2, 3, 4, 5, 6, 8, 9, 12, 16, 27)))
    assert law is not None
    assert not law.grows
    for p in (32, 36, 64):
        least, most = law.range(p)
        assert least <= rows(p) <= most, str(law)
    if side == "P":
        assert law.exact
        assert str(law).startswith("800·⌈")


def test_a_part_that_is_sent_where_a_grid_has_two_sides() -> None:
    """Four values of the face between the rows of a grid, of 12 lines."""
    law = find(points(lambda p: 40 * -(-10 // xy(p)[0]) * (xy(p)[1] > 1), LONG))
    assert str(law) == "40·[Y > 1]·⌈10/X⌉"


def test_ranks_that_are_alike_add_up_to_their_law() -> None:
    def each(p: int) -> int:
        return 3 * (xy(p)[0] - 1).bit_length() + 2

    most, total = find(points(each, LONG)), find(points(lambda p: p * each(p), LONG), of=Of.ALL_RANKS)
    assert total is None or not total.exact
    alike = [(p, float(each(p)), float(p * each(p))) for p in LONG]
    law = laws.of_all(most, total, alike)
    assert str(law) == "2·P + 3·P·⌈log2 X⌉"
    assert law is not None
    assert law.at(4096) == 4096 * each(4096)
    assert laws.of_all(most, total, [*alike[:-1], (16, 5.0, 79.0)]) is total


def test_values_that_nearly_have_a_law_get_a_range_that_holds_the_truth() -> None:
    def rows(p: int) -> float:
        return 800.0 * -(-4096 // p) + p * 7919 % 13

    law = find(points(rows, LONG))
    assert law is not None
    assert not law.exact
    assert str(law).startswith("about ")
    assert law.at(64) == pytest.approx(rows(64), rel=0.01)
    assert not law.grows


def test_counts_without_system_follow_no_law() -> None:
    assert find(tuple(zip(LONG, [5.0, 900.0, 13.0, 2.0, 77.0, 5.0, 640.0, 3.0, 50.0], strict=True))) is None


@pytest.mark.parametrize("crossed", [(1, 0, 0), (1, 1, 0), (1, 1, 1)], ids=["faces", "edges", "corners"])
def test_cubes_alone_foretell_cubes(crossed: tuple[int, int, int]) -> None:
    """Exchanges across one face, edge or corner of a cube of ranks, of runs at 8, 27 and 64."""

    def exchanged(p: int) -> int:
        return 7 * math.prod(side - cross for side, cross in zip(abc(p), crossed, strict=True))

    law = find(points(exchanged, (8, 27, 64)), of=Of.ALL_RANKS)
    assert law is not None
    assert law.exact
    assert law.at(125) == pytest.approx(exchanged(125))
    assert law.at(4096) == pytest.approx(exchanged(4096))


def test_one_value_beyond_the_coefficients_is_little() -> None:
    linear = next(term for term in TERMS if term.text == "P")
    assert Law(0.0, ((1.0, linear),), spare=1).confidence is Confidence.MEDIUM
    assert Law(0.0, ((1.0, linear),), spare=2).confidence is Confidence.HIGH


def test_terms_of_different_origin_make_no_law_together() -> None:
    """Ranks and neighbours in a cube give these seven values exactly, by chance."""
    law = find(points(lambda p: 1000 + p * 7919 % 613, SHORT))
    assert law is None or not law.exact, str(law)


def test_two_values_make_no_law() -> None:
    assert find(((8, 1.0), (27, 2.0))) is None
    assert find(((8, 4.0), (27, 4.0))) == Law(4.0, spare=1)


def test_the_sum_over_all_ranks_decides_between_a_tree_and_a_grid() -> None:
    """At 2, 3, 4, 6, 8, 12, 16 ranks ⌈log2 P⌉ is also the number of neighbours in the grid."""
    most = find(points(lambda p: 10 * (p - 1).bit_length(), SHORT))
    assert most is not None
    assert most.confidence is Confidence.MEDIUM
    grids = find(points(lambda p: 10 * (4 * p - 2 * sum(xy(p))), SHORT))
    trees = find(points(lambda p: 10 * (p - 1), SHORT))
    assert not laws.decide(most, grids).grows
    assert laws.decide(most, trees).growth == (0, 1)
    assert laws.decide(most, trees).confidence is Confidence.HIGH


def test_a_further_run_is_named_that_would_decide() -> None:
    most = find(points(lambda p: 10 * (p - 1).bit_length(), SHORT))
    assert most is not None
    assert laws.deciding_ranks(most, SHORT) == 5
    sure = find(points(lambda p: 20 * p - 20, SHORT))
    assert sure is not None
    assert laws.deciding_ranks(sure, SHORT) is None


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (lambda p: 20 * p - 20, "20·P - 20"),
        (lambda p: p * p - p, "P^2 - P"),
        (lambda p: 4 * p - 2 * sum(xy(p)), "4·P - 2·(X+Y)"),
        (lambda p: 3 * p - 3 * xy(p)[1], "3·(X-1)·Y"),
        (lambda p: 720_720 / p, "720,720/P"),
        (lambda p: p / 2 + 3, "(1/2)·P + 3"),
        (lambda p: 0, "0"),
    ],
)
def test_text(count: Count, text: str) -> None:
    assert str(find(points(count, LONG))) == text


def test_threads_have_no_grid() -> None:
    """Neither of chance, nor where the sides of a grid of as many ranks would give each value."""
    noise = random.Random(7)
    threads = (2, 3, 4, 6, 8)
    tried = [points(lambda p: grid(p, 2)[0] * 5, threads), points(lambda p: -(-1000 // grid(p, 2)[0]), threads)]
    tried += [points(lambda p: noise.randrange(90, 110) / p, threads) for _ in range(200)]
    of_grid = {"square", "cube", "chain", "edge"}
    assert any(t.family in of_grid for at in tried for law in [find(at)] if law for _, t in law.terms)
    for at in tried:
        law = find(at, Of.THREADS)
        for each in (law, *law.rivals) if law else ():
            assert not any(term.family in of_grid for _, term in each.terms)
