"""The law of a count: the simplest function of the number of ranks that gives every measured value.

Counts do not depend on time, so that a law of them is exact or it is none: a constant, else one term, else two, in the
order in which terms are believed (terms.py). Only where nothing is exact (bytes of uneven parts, iterations until
convergence) a law is fitted: the one that foretells each measured value best from the others (leave-one-out), and a
constant unless another halves its error. All that fit about as well are kept, so that a forecast is a range.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from stridewise.finding import Confidence
from stridewise.scale.terms import DIVISORS, OF_ONE_RANK, TERMS, Growth, Of, P, Term, all_ranks, uneven

Points = tuple[tuple[int, float], ...]  # ranks, value; ascending
_Candidate = tuple[tuple[Term, ...], int, tuple[list[float], ...]]  # terms, spare values, orthonormal basis

_EXACT = 1e-6  # relative; of counts, so that nothing but rounding of doubles is in it
_NEARLY = 1e-9  # squares, relative: far above what rounding leaves, so that nothing exact is passed over
_SAME = 0.01  # laws that foretell this well are equally good
_WORST = 0.15  # relative error of a forecast from which on there is no law
_BETTER = 0.25  # share of a constant's error that another law must stay below: of many terms one fits noise by chance
_SPARE = 2  # values more than coefficients, from which on an exact law is no accident
_MOST_TERMS = 2
_UNEVEN_PARTS = 3  # different ones, which two coefficients do not give by chance
_MOST_DIVISOR = 4096  # that is looked for: the values are bytes of messages


@dataclass(frozen=True, slots=True)
class Law:
    """constant + Σ coefficient · term. `error` is relative, of forecasts of each value from the others; 0 where exact.
    `spare` is how many values it explains beyond its coefficients. `rivals` fit about as well."""

    constant: float
    terms: tuple[tuple[float, Term], ...] = ()
    error: float = 0.0
    spare: int = 0
    rivals: tuple[Law, ...] = field(default=(), repr=False)

    @property
    def exact(self) -> bool:
        return self.error == 0.0

    def at(self, ranks: int) -> float:
        return self.constant + sum(factor * term.value(ranks) for factor, term in self.terms)

    def range(self, ranks: int) -> tuple[float, float]:
        """The forecast, at least and at most: of this law and of its rivals, each with its error."""
        ends = [law.at(ranks) * (1 + sign * law.error) for law in (self, *self.rivals) for sign in (-1, 1)]
        return max(0.0, min(ends)), max(0.0, *ends)

    @property
    def growth(self) -> Growth:
        """Exponents of P and of log P in the end; (0, 0) where it stays, below where it shrinks to nothing."""
        growths = [term.growth for factor, term in self.terms if factor > 0]
        return max([*growths, (0.0, 0.0)] if self.constant > 0 or not growths else growths)

    @property
    def grows(self) -> bool:
        return self.growth > (0.0, 0.0)

    @property
    def confidence(self) -> Confidence:
        if not self.exact:
            return Confidence.MEDIUM if self.error <= _SAME and self.spare >= _SPARE else Confidence.LOW
        if self.spare >= _SPARE and not any(rival.growth != self.growth for rival in self.rivals):
            return Confidence.HIGH
        return Confidence.MEDIUM if self.spare >= 1 else Confidence.LOW

    def __str__(self) -> str:
        parts = [(factor, term.text) for factor, term in self.terms]
        parts.sort(key=lambda part: part[0] < 0)  # no minus in front where there is a plus
        text = ""
        for factor, name in [*parts, (self.constant, "")]:
            if factor == 0 and (text or name):
                continue
            sign = ("-" if factor < 0 else "") if not text else " - " if factor < 0 else " + "
            text += sign + _product(abs(factor), name, self.exact)
        return text if self.exact else f"about {text}"


def _product(factor: float, name: str, exact: bool) -> str:
    number = _number(factor) if exact else f"{factor:,.0f}" if factor >= 1000 else f"{factor:.3g}"
    if "/" in number and factor >= 1000:  # parts that are not even: nobody reads such a fraction
        number = f"{factor:,.0f}"
    if not name:
        return number
    if "/" in number:
        number = f"({number})"
    if name.startswith("1/"):
        return f"{number}{name[1:]}"
    return name if number == "1" else f"{number}·{name}"


def _number(value: float) -> str:
    nearest = Fraction(value).limit_denominator(12)
    if abs(float(nearest) - value) <= _EXACT * max(1.0, value):
        return f"{nearest.numerator:,}" if nearest.denominator == 1 else f"{nearest}"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def decide(most: Law, total: Law | None) -> Law:
    """The law of the rank with the most, among those that give its values, by what the sum over all ranks follows: if
    that needs the sides of a grid, it is a grid's, and it is none if that does without them."""
    if total is None or not most.exact or not total.exact or total.spare < _SPARE:
        return most
    of_grid = any(term.family in ("square", "cube") for _, term in total.terms)
    fitting = [
        law
        for law in (most, *most.rivals)
        if all((t.family in ("square", "cube", "edge")) == of_grid for _, t in law.terms)
    ]
    if not fitting:
        return most
    best, *rivals = fitting
    return Law(best.constant, best.terms, best.error, best.spare, tuple(rivals))


def deciding_ranks(law: Law, tried: Sequence[int]) -> int | None:
    """The smallest number of ranks, not tried yet, at which this law and its rivals differ; None where they agree up to
    twice the ranks that were tried."""
    for ranks in range(2, 2 * max(tried) + 1):
        values = [each.at(ranks) for each in (law, *law.rivals)]
        if ranks not in tried and max(values) - min(values) > _SAME * max(map(abs, values)):
            return ranks
    return None


@functools.lru_cache(maxsize=4096)
def find(points: Points, of: Of = Of.ONE_RANK) -> Law | None:
    """The law of these values, of one rank or of all together; None where they follow none, or where there are fewer
    than two."""
    if len(points) < 2:
        return None
    values = [value for _, value in points]
    if max(values) - min(values) <= _EXACT * max(map(abs, values)):
        return Law(values[0], spare=len(points) - 1)
    return _exact(points, of) or _uneven(points, of) or _approximate(points, of)


def of_all(most: Law | None, total: Law | None, points: Sequence[tuple[int, float, float]]) -> Law | None:
    """The law of the sum over all ranks, by that of one where each has as much as the others and it alone is exact.
    `points` are ranks, what the one with the most has, and the sum."""
    alike = all(each * ranks == whole for ranks, each, whole in points)
    if most is None or not most.exact or not alike or (total is not None and total.exact):
        return total
    return _times_ranks(most)


def _times_ranks(law: Law) -> Law:
    parts = [(law.constant, all_ranks(None))] if law.constant else []
    parts += [(factor, all_ranks(term)) for factor, term in law.terms]
    return Law(0.0, tuple(parts), spare=law.spare, rivals=tuple(_times_ranks(rival) for rival in law.rivals))


# --- Exact ------------------------------------------------------------------------------------------------------------


def _exact(points: Points, of: Of) -> Law | None:
    ranks, values = tuple(p for p, _ in points), tuple(value for _, value in points)
    whole, most = sum(value * value for value in values), max(map(abs, values))
    for count in range(1, _MOST_TERMS + 1):
        found = []
        for terms, spare, basis in _candidates(ranks, of, count):
            # What the columns leave of the values, before anything is solved: of most candidates it is much.
            left = whole - sum(sum(map(operator.mul, unit, values)) ** 2 for unit in basis)
            if left > _NEARLY * len(values) * most * most:
                continue
            law = _solve(points, terms)
            if law and all(factor for factor, _ in law.terms) and _misses(law, points) <= _EXACT:
                found.append(Law(law.constant, law.terms, spare=spare))
        if found:
            found.sort(key=_belief)
            best = found[0]
            return Law(best.constant, best.terms, spare=best.spare, rivals=tuple(found[1:]))
    return None


@functools.lru_cache(maxsize=64)
def _candidates(ranks: tuple[int, ...], of: Of, count: int) -> tuple[_Candidate, ...]:
    """So many terms that runs at these ranks can tell from others, with what they explain beyond themselves."""
    known = [term for term in TERMS if term.family in of.value]
    found = []
    for terms in itertools.combinations(known, count):
        spare = _spare(ranks, terms) if _fit_together(terms) else 0
        if spare < count:  # two terms must explain more than themselves
            continue
        basis = _basis(ranks, tuple(term.rank for term in terms))
        if basis:
            found.append((terms, spare, basis[0]))
    return tuple(found)


def _fit_together(terms: Sequence[Term]) -> bool:
    families = {term.family for term in terms if term is not P}
    return len(families) <= 1 and (P not in terms or families.isdisjoint(OF_ONE_RANK))


def _spare(ranks: tuple[int, ...], terms: Sequence[Term]) -> int:
    """How many values a law of these terms must explain beyond its coefficients: values at ranks where its terms are
    the same tell nothing new, but that they are the same. 0 where a term has one value alone."""
    columns = [_column(ranks, term.rank) for term in terms]
    if any(len(set(column)) == 1 for column in columns):
        return 0
    if len(terms) == 1 and len(set(columns[0])) == 2:  # a step, which stays what it is
        return 1 if terms[0].family in OF_ONE_RANK and len(ranks) > 3 else 0
    return len(set(zip(*columns, strict=True))) - len(terms) - 1


def _belief(law: Law) -> tuple[int, int]:
    """What is believed first: whole numbers, then simple fractions, then the order of the terms."""
    shown = [_number(abs(factor)) for factor in (law.constant, *(factor for factor, _ in law.terms))]
    odd = 2 if any("." in number for number in shown) else 1 if any("/" in number for number in shown) else 0
    return odd, sum(term.rank for _, term in law.terms)


def _misses(law: Law, points: Points) -> float:
    most = max(abs(value) for _, value in points)
    return max(abs(law.at(ranks) - value) for ranks, value in points) / most


# --- Uneven parts -----------------------------------------------------------------------------------------------------


def _uneven(points: Points, of: Of) -> Law | None:
    """k·⌈N/s⌉: what the rank with the largest of uneven parts has, of N pieces of size k that P or a side of a grid
    divides. k divides all values; each leaves a range of N."""
    whole = [round(value) for _, value in points]
    if any(value != number for (_, value), number in zip(points, whole, strict=True)) or min(whole) < 0:
        return None
    found = []
    for size in _divisors(math.gcd(*whole)):
        for divisor in range(len(DIVISORS)):
            pieces = _pieces(points, divisor, size)
            if pieces and uneven(1, divisor).family in of.value:
                found.append((size, divisor, *pieces))
    if not found:
        return None
    size, divisor, _, _ = max(found, key=lambda one: (one[0], -one[1]))
    spare = len({value for value in whole if value}) - 2
    laws = [
        Law(0.0, ((float(k), uneven(pieces, by)),), spare=spare)
        for k, by, least, most in found
        for pieces in sorted({least, most}, reverse=True)
    ]
    laws.sort(key=lambda law: law.terms[0][0] != size or law.terms[0][1].rank != len(TERMS) + divisor)
    return Law(0.0, laws[0].terms, spare=spare, rivals=tuple(laws[1:]))


def _pieces(points: Points, divisor: int, size: int) -> tuple[int, int] | None:
    """The least and the most pieces whose largest part is the value in pieces of that size, at each number of ranks."""
    least, most, parts = 1, math.inf, set()
    for ranks, value in points:
        by, part = DIVISORS[divisor][2](ranks), round(value) // size
        if (by == 0) != (part == 0):
            return None
        if by:
            least, most = max(least, (part - 1) * by + 1), min(most, part * by)
            parts.add(part)
    return (least, int(most)) if least <= most < math.inf and len(parts) >= _UNEVEN_PARTS else None


def _divisors(value: int) -> list[int]:
    """Of a value that is not too large to have them looked for."""
    small = [n for n in range(1, min(math.isqrt(value), _MOST_DIVISOR) + 1) if value % n == 0]
    return sorted({*small, *(value // n for n in small)}) if value else []


# --- Approximate ------------------------------------------------------------------------------------------------------


def _approximate(points: Points, of: Of) -> Law | None:
    if len(points) < 3:
        return None
    constant = _judged(points, ())
    # Of trees and grids there is no "about"; but parts of a problem that grids divide need not be even.
    terms = [term for term in TERMS if term.family == "power" or term.growth < (0, 0)]
    terms = [term for term in terms if term.family in of.value]
    laws = [constant, *(_judged(points, (term,)) for term in terms if _spare(tuple(p for p, _ in points), (term,)))]
    best = min(laws, key=lambda law: law.error)
    if best.error > _BETTER * constant.error:
        best = constant
    if best.error > _WORST:
        return None
    alike = [law for law in laws if law is not best and law.error <= max(2 * best.error, _SAME)]
    # One that needs no term is no rival of one that was better by far, and forecasts of the same law from fewer values
    # tell how far it can be trusted.
    rivals = [law for law in alike if len(law.terms) == len(best.terms)]
    rivals += _without_one(points, tuple(term for _, term in best.terms))
    return Law(best.constant, best.terms, max(best.error, _EXACT), best.spare, tuple(rivals))


def _without_one(points: Points, terms: tuple[Term, ...]) -> list[Law]:
    """The laws of these terms by all values but one."""
    left = [_solve(points[:index] + points[index + 1 :], terms) for index in range(len(points))]
    return [law for law in left if law]


def _judged(points: Points, terms: tuple[Term, ...]) -> Law:
    """The law of these terms with its error: of forecasts of each value from the others."""
    law, others = _solve(points, terms), _without_one(points, terms)
    if law is None or len(others) < len(points):
        return Law(0.0, (), math.inf)
    errors = []
    for other, (ranks, value) in zip(others, points, strict=True):
        foretold = other.at(ranks)
        middle = (abs(foretold) + abs(value)) / 2
        errors.append(abs(foretold - value) / middle if middle > 0 else 0.0)
    error = math.sqrt(sum(e * e for e in errors) / len(errors))
    return Law(law.constant, law.terms, error, len(points) - len(terms) - 1)


# --- Least squares ----------------------------------------------------------------------------------------------------


@functools.cache
def _column(ranks: tuple[int, ...], term: int) -> tuple[float, ...]:
    return tuple(TERMS[term].value(p) for p in ranks)


@functools.cache
def _basis(ranks: tuple[int, ...], terms: tuple[int, ...]) -> tuple[tuple[list[float], ...], list[list[float]]] | None:
    """An orthonormal basis of the columns (1, terms) by Gram and Schmidt, and the triangle that leads back."""
    columns = [[1.0] * len(ranks), *([*_column(ranks, term)] for term in terms)]
    basis: list[list[float]] = []
    triangle = [[0.0] * len(columns) for _ in columns]
    for at, column in enumerate(columns):
        length = math.sqrt(sum(x * x for x in column))
        rest = column
        for _ in range(2):  # once more, since the first round leaves what rounding took away
            for before, unit in enumerate(basis):
                share = sum(a * b for a, b in zip(unit, rest, strict=True))
                triangle[before][at] += share
                rest = [a - share * b for a, b in zip(rest, unit, strict=True)]
        left = math.sqrt(sum(x * x for x in rest))
        if left <= 1e-9 * length:  # it is made of the others
            return None
        triangle[at][at] = left
        basis.append([x / left for x in rest])
    return tuple(basis), triangle


def _solve(points: Points, terms: Sequence[Term]) -> Law | None:
    """Least squares; None where there are too few values, or where a term is made of the others."""
    if len(points) <= len(terms):
        return None
    found = _basis(tuple(ranks for ranks, _ in points), tuple(term.rank for term in terms))
    if found is None:
        return None
    basis, triangle = found
    shares = [sum(unit[i] * value for i, (_, value) in enumerate(points)) for unit in basis]
    factors = [0.0] * len(shares)
    for at in reversed(range(len(shares))):
        rest = shares[at] - sum(triangle[at][later] * factors[later] for later in range(at + 1, len(shares)))
        factors[at] = rest / triangle[at][at]
    most = max(abs(value) for _, value in points) or 1.0
    constant = 0.0 if abs(factors[0]) <= _EXACT * most else _rounded(factors[0])
    return Law(constant, tuple((_rounded(f), term) for f, term in zip(factors[1:], terms, strict=True)))


def _rounded(value: float) -> float:
    """A fraction of small numbers, where it is one but for rounding."""
    near = Fraction(value).limit_denominator(12)
    return float(near) if abs(float(near) - value) <= 1e-9 * max(1.0, abs(value)) else value
