"""The functions of which laws are made, against what their names say: grids and neighbours are counted one by one."""

from __future__ import annotations

import itertools
import math

import pytest

from stridewise.scale.terms import OF_ONE_RANK, TERMS, P, Term, grid

RANKS = (*range(1, 31), 36, 48, 64, 100)
BY_TEXT = {term.text: term for term in TERMS}

Sides = tuple[int, ...]


def even(ranks: int, dimensions: int) -> Sides:
    """Of all grids the one whose largest side is the smallest, then the second, and so on."""
    sides = [side for side in range(1, ranks + 1) if ranks % side == 0]
    return min(
        chosen
        for chosen in itertools.product(sides, repeat=dimensions)
        if math.prod(chosen) == ranks and list(chosen) == sorted(chosen, reverse=True)
    )


def most_neighbours(sides: Sides, corners: bool) -> int:
    steps = [step for step in itertools.product((-1, 0, 1), repeat=len(sides)) if any(step)]
    steps = [step for step in steps if corners or sum(map(abs, step)) == 1]
    places = itertools.product(*map(range, sides))
    return max(
        sum(all(0 <= at + by < side for at, by, side in zip(place, step, sides, strict=True)) for step in steps)
        for place in places
    )


def pairs(sides: Sides, crossed: tuple[bool, ...]) -> int:
    """Pairs of ranks one step apart in all of these directions at once."""
    places = set(itertools.product(*map(range, sides)))
    return sum(tuple(at + by for at, by in zip(place, crossed, strict=True)) in places for place in places)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_grids_are_the_most_even_ones(dimensions: int) -> None:
    for ranks in RANKS:
        assert grid(ranks, dimensions) == even(ranks, dimensions)


def test_neighbours_and_pairs_as_one_counts_them() -> None:
    for p in RANKS:
        xy, abc = even(p, 2), even(p, 3)
        counted = {
            "neighbours on a line": most_neighbours((p,), False),
            "neighbours in the XY grid": most_neighbours(xy, False),
            "neighbours in the ABC grid": most_neighbours(abc, False),
            "neighbours in the XY grid, with corners": most_neighbours(xy, True),
            "neighbours in the ABC grid, with corners": most_neighbours(abc, True),
            "(X-1)·Y": pairs(xy, (True, False)),
            "X·(Y-1)": pairs(xy, (False, True)),
            "(X-1)·(Y-1)": pairs(xy, (True, True)),
            "(A-1)·B·C": pairs(abc, (True, False, False)),
            "A·(B-1)·C": pairs(abc, (False, True, False)),
            "A·B·(C-1)": pairs(abc, (False, False, True)),
            "(A-1)·(B-1)·C": pairs(abc, (True, True, False)),
            "(A-1)·B·(C-1)": pairs(abc, (True, False, True)),
            "A·(B-1)·(C-1)": pairs(abc, (False, True, True)),
            "(A-1)·(B-1)·(C-1)": pairs(abc, (True, True, True)),
        }
        assert {text: BY_TEXT[text].value(p) for text in counted} == counted
        (x, y), (a, b, c) = xy, abc
        sides = {"X": x, "Y": y, "A": a, "B": b, "C": c, "AB": a * b, "AC": a * c, "BC": b * c}
        sides |= {"(X+Y)": x + y, "(A+B+C)": a + b + c, "(AB+BC+CA)": a * b + b * c + c * a}
        assert {text: BY_TEXT[text].value(p) for text in sides} == sides
        faces = {"AB": 1 / (a * b), "AC": 1 / (a * c), "BC": 1 / (b * c)}
        assert {name: BY_TEXT[f"1/({name})"].value(p) for name in faces} == pytest.approx(faces)
        assert BY_TEXT["[B > 1]/(AC)"].value(p) == pytest.approx((b > 1) / (a * c))
        assert BY_TEXT["[C > 1]/(AB)"].value(p) == pytest.approx((c > 1) / (a * b))
        assert BY_TEXT["(1/A+1/C)"].value(p) == pytest.approx(1 / a + 1 / c)
        assert BY_TEXT["[Y > 1]/X"].value(p) == (y > 1) / x
        trees = {name: math.ceil(math.log2(side)) for name, side in (("X", x), ("Y", y))}
        assert {name: BY_TEXT[f"⌈log2 {name}⌉"].value(p) for name in trees} == trees
        assert (BY_TEXT["1/X"].value(p), BY_TEXT["1/Y"].value(p)) == (1 / x, 1 / y)
        for name, side in zip("XYABC", (*xy, *abc), strict=True):
            assert BY_TEXT[f"[{name} > 1]"].value(p) == (side > 1)
            assert BY_TEXT[f"[{name} > 2]"].value(p) == (side > 2)


def test_trees_and_halves() -> None:
    for p in RANKS:
        up, down = math.ceil(math.log2(p)), math.floor(math.log2(p))
        assert BY_TEXT["⌈log2 P⌉"].value(p) == up
        assert BY_TEXT["⌊log2 P⌋"].value(p) == down
        assert BY_TEXT["P·⌈log2 P⌉"].value(p) == p * up
        assert BY_TEXT["⌊P/2⌋"].value(p) == sum(2 * pair + 1 < p for pair in range(p))


@pytest.mark.parametrize(
    ("text", "at_64"),
    [
        ("P", 64), ("√P", 8), ("P^2", 4096), ("P^(1/3)", 4), ("P^(2/3)", 16), ("P^(3/2)", 512), ("P^3", 262144),
        ("P^(4/3)", 256), ("P^(1/4)", 64**0.25), ("P^(3/4)", 64**0.75), ("P^(5/2)", 32768), ("log2 P", 6),
        ("P·log2 P", 384), ("√P·log2 P", 48), ("P^2·log2 P", 24576), ("(log2 P)^2", 36), ("P·(log2 P)^2", 2304),
        ("1/P", 1 / 64), ("1/√P", 1 / 8), ("1/P^(2/3)", 1 / 16), ("1/P^(1/3)", 1 / 4),
    ],
)  # fmt: skip
def test_powers_and_logarithms(text: str, at_64: float) -> None:
    assert BY_TEXT[text].value(64) == pytest.approx(at_64)
    assert BY_TEXT[text].family == "power"


@pytest.mark.parametrize("term", [term for term in TERMS if term.family != "edge"], ids=lambda term: term.text)
def test_growth_is_how_a_term_grows_in_the_end(term: Term) -> None:
    power, logs = term.growth
    near, far = 2.0**12, 2.0**18
    expected = (far / near) ** power * 1.5**logs
    assert term.value(int(far)) / term.value(int(near)) == pytest.approx(expected, rel=0.2)


def test_terms_have_names_and_ranks_of_their_own() -> None:
    assert len(BY_TEXT) == len(TERMS)
    assert [term.rank for term in TERMS] == list(range(len(TERMS)))
    families = [family for family, _ in itertools.groupby(term.family for term in TERMS)]
    assert families == ["power", "tree", "square", "cube", "chain", "edge"]
    assert P is BY_TEXT["P"]
    assert [f for f in families if f in OF_ONE_RANK] == ["chain", "edge"]
    assert all(term.growth == (0, 0) for term in TERMS if term.family in OF_ONE_RANK)
