"""The functions of the number of ranks of which laws are made.

The powers and logarithms are those of the performance model normal form (Calotoiu, Hoefler, Poke and Wolf 2013: "Using
automated performance modeling to find scalability bugs in complex codes"). Beside them stand the functions that counts
follow exactly: rounded logarithms of trees, halves of pairs, and the sides and faces of process grids, which for ranks
that are no square or cube are no power at all.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

Growth = tuple[float, float]  # exponents of P and of log P: how the term grows in the end


@dataclass(frozen=True, slots=True)
class Term:
    """One function of the number of ranks P. `rank` orders terms by how readily they are believed; terms of one law are
    of one family, but for P itself."""

    text: str
    growth: Growth
    family: str  # power, tree, square, cube (sides of grids), chain, edge (until each side has an inner rank)
    rank: int
    value: Callable[[int], float] = field(compare=False, repr=False)


@functools.cache
def grid(ranks: int, dimensions: int) -> tuple[int, ...]:
    """The sides of the most even grid of that many ranks, largest first, as MPI_Dims_create chooses them."""
    if dimensions == 1:
        return (ranks,)
    best: tuple[int, ...] | None = None
    for side in range(1, ranks + 1):
        if ranks % side:
            continue
        rest = grid(ranks // side, dimensions - 1)
        if rest[0] <= side and (best is None or (side, *rest) < best):
            best = (side, *rest)
    assert best is not None
    return best


def _power(exponent: tuple[int, int], logs: int) -> Callable[[int], float]:
    over, under = exponent
    return lambda p: float(p) ** (over / under) * math.log2(p) ** logs


_POWERS = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 3), (3, 2), (3, 1), (4, 3), (1, 4), (3, 4), (5, 2))
_SHRINKING = ((-1, 1), (-1, 2), (-2, 3), (-1, 3))


def _power_text(over: int, under: int) -> str:
    if (over, under) == (1, 1):
        return "P"
    if (over, under) == (1, 2):
        return "√P"
    if over < 0:
        return f"1/{_power_text(-over, under)}"
    return f"P^{over}" if under == 1 else f"P^({over}/{under})"


def _normal_form() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    yield "log2 P", (0, 1), _power((0, 1), 1)
    for over, under in _POWERS:
        yield _power_text(over, under), (over / under, 0), _power((over, under), 0)
    for over, under in _POWERS[:3]:
        yield f"{_power_text(over, under)}·log2 P", (over / under, 1), _power((over, under), 1)
    yield "(log2 P)^2", (0, 2), _power((0, 1), 2)
    yield "P·(log2 P)^2", (1, 2), _power((1, 1), 2)
    for over, under in _SHRINKING:
        yield _power_text(over, under), (over / under, 0), _power((over, under), 0)


def _trees() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    yield "⌈log2 P⌉", (0, 1), lambda p: float((p - 1).bit_length())
    yield "⌊log2 P⌋", (0, 1), lambda p: float(p.bit_length() - 1)
    yield "P·⌈log2 P⌉", (1, 1), lambda p: float(p * (p - 1).bit_length())
    yield "⌊P/2⌋", (1, 0), lambda p: float(p // 2)


def _squares() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    """X ≥ Y of the even grid in two dimensions."""
    yield "(X+Y)", (1 / 2, 0), lambda p: float(sum(grid(p, 2)))
    yield from _sides("XY")
    yield from _exchanges("XY")
    for index, name in enumerate("XY"):
        yield f"1/{name}", (-1 / 2, 0), lambda p, index=index: 1 / grid(p, 2)[index]  # type: ignore[misc]
    yield "[Y > 1]/X", (-1 / 2, 0), lambda p: float(grid(p, 2)[1] > 1) / grid(p, 2)[0]
    for index, name in enumerate("XY"):  # pairs of a tree along one side
        yield f"⌈log2 {name}⌉", (0, 1), lambda p, index=index: float((grid(p, 2)[index] - 1).bit_length())  # type: ignore[misc]


def _cubes() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    """A ≥ B ≥ C of the even grid in three dimensions."""
    yield "(A+B+C)", (1 / 3, 0), lambda p: float(sum(grid(p, 3)))
    yield "(AB+BC+CA)", (2 / 3, 0), lambda p: float(_faces(p))
    for name, sides in (("AB", (0, 1)), ("AC", (0, 2)), ("BC", (1, 2))):
        yield name, (2 / 3, 0), lambda p, sides=sides: float(math.prod(grid(p, 3)[s] for s in sides))  # type: ignore[misc]
    yield from _sides("ABC")
    yield from _exchanges("ABC")
    yield from _parts()


def _parts() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    """A face of one rank's block, sent across the third side where there is one; and its edges, which halos add."""
    for one, other, across in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        name = "ABC"[one] + "ABC"[other]
        yield (
            f"1/({name})", (-2 / 3, 0),
            lambda p, one=one, other=other: 1 / (grid(p, 3)[one] * grid(p, 3)[other]),  # type: ignore[misc]
        )  # fmt: skip
        if across:  # A is never 1
            yield (
                f"[{'ABC'[across]} > 1]/({name})", (-2 / 3, 0),
                lambda p, one=one, other=other, across=across:  # type: ignore[misc]
                    float(grid(p, 3)[across] > 1) / (grid(p, 3)[one] * grid(p, 3)[other]),
            )  # fmt: skip
        yield (
            f"(1/{name[0]}+1/{name[1]})", (-1 / 3, 0),
            lambda p, one=one, other=other: 1 / grid(p, 3)[one] + 1 / grid(p, 3)[other],  # type: ignore[misc]
        )  # fmt: skip


def _sides(names: str) -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    for index, name in enumerate(names):
        yield name, (1 / len(names), 0), lambda p, index=index: float(grid(p, len(names))[index])  # type: ignore[misc]


def _exchanges(names: str) -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    """Pairs of neighbours along a side, across an edge or a corner: what an exchange with one of them adds up to."""
    for crossed in itertools.product((True, False), repeat=len(names)):
        if any(crossed):
            factors = [f"({name}-1)" if cross else name for name, cross in zip(names, crossed, strict=True)]
            yield "·".join(factors), (1, 0), lambda p, crossed=crossed: float(_pairs(p, crossed))  # type: ignore[misc]


def _chains() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    yield "neighbours on a line", (0, 0), lambda p: float(_neighbours(p, 1))


def _edges() -> Iterator[tuple[str, Growth, Callable[[int], float]]]:
    # Neighbours of the rank with the most: as many as the grid has, until each side has an inner rank.
    yield "neighbours in the XY grid", (0, 0), lambda p: float(_neighbours(p, 2))
    yield "neighbours in the ABC grid", (0, 0), lambda p: float(_neighbours(p, 3))
    yield "neighbours in the XY grid, with corners", (0, 0), lambda p: float(_around(p, 2))
    yield "neighbours in the ABC grid, with corners", (0, 0), lambda p: float(_around(p, 3))
    for index, name in enumerate("XYABC"):
        yield (
            f"[{name} > 1]", (0, 0),
            lambda p, index=index: float((grid(p, 2) + grid(p, 3))[index] > 1),  # type: ignore[misc]
        )  # fmt: skip
        yield (
            f"[{name} > 2]", (0, 0),
            lambda p, index=index: float((grid(p, 2) + grid(p, 3))[index] > 2),  # type: ignore[misc]
        )  # fmt: skip


def _pairs(ranks: int, crossed: tuple[bool, ...]) -> int:
    sides = grid(ranks, len(crossed))
    return math.prod(side - cross for side, cross in zip(sides, crossed, strict=True))


def _faces(ranks: int) -> int:
    a, b, c = grid(ranks, 3)
    return a * b + b * c + c * a


def _neighbours(ranks: int, dimensions: int) -> int:
    return sum(min(side - 1, 2) for side in grid(ranks, dimensions))


def _around(ranks: int, dimensions: int) -> int:
    return math.prod(min(side, 3) for side in grid(ranks, dimensions)) - 1


def _all() -> tuple[Term, ...]:
    families = [("power", _normal_form()), ("tree", _trees()), ("square", _squares()), ("cube", _cubes())]
    families += [("chain", _chains()), ("edge", _edges())]
    listed = [(family, *term) for family, terms in families for term in terms]
    return tuple(Term(text, growth, family, rank, value) for rank, (family, text, growth, value) in enumerate(listed))


TERMS = _all()
# What parts of a problem are divided by: the name, the divisor at P ranks (0: there is no such part), and how a part
# grows in the end.
DIVISORS: tuple[tuple[str, Growth, Callable[[int], int]], ...] = (
    ("P", (-1, 0), lambda p: p),
    *((name, (-1 / 2, 0), lambda p, at=at: grid(p, 2)[at]) for at, name in enumerate("XY")),
    *((name, (-1 / 3, 0), lambda p, at=at: grid(p, 3)[at]) for at, name in enumerate("ABC")),
    ("X, [Y > 1]", (-1 / 2, 0), lambda p: grid(p, 2)[0] if grid(p, 2)[1] > 1 else 0),
)


def uneven(pieces: int, divisor: int) -> Term:
    """The largest of the parts of so many pieces, by one of DIVISORS."""
    name, growth, of = DIVISORS[divisor]
    side, _, gate = name.partition(", ")
    family = "power" if side == "P" else "square" if side in "XY" else "cube"

    def value(ranks: int) -> float:
        return float(-(-pieces // of(ranks))) if of(ranks) else 0.0

    return Term(f"{gate}·⌈{pieces:,}/{side}⌉".removeprefix("·"), growth, family, len(TERMS) + divisor, value)


def all_ranks(term: Term | None) -> Term:
    """P times the term: what all ranks add up to, each of which has as much. None is for a constant."""
    if term is None:
        return P
    power, logs = term.growth
    name = term.text if term.text.startswith(("⌈", "√")) or "1/" not in term.text else f"({term.text})"
    value = term.value
    return Term(f"P·{name}", (power + 1, logs), term.family, term.rank, lambda p: p * value(p))


class Of(Enum):
    """Whose count it is: the families that its law can be of."""

    ONE_RANK = frozenset({"power", "tree", "square", "cube", "chain", "edge"})
    ALL_RANKS = frozenset({"power", "tree", "square", "cube"})
    THREADS = frozenset({"power", "tree"})  # which have no neighbours in a grid


OF_ONE_RANK = Of.ONE_RANK.value - Of.ALL_RANKS.value  # families that end at what one rank's neighbours can be
P = next(term for term in TERMS if term.text == "P")
GRIDS = "X ≥ Y are the sides of the most even grid of P ranks in two dimensions, A ≥ B ≥ C in three"
