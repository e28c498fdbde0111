"""What a place costs by assumption, before any run has measured it: the order of a list, never a figure of a report.

A rule states it in `[[estimate]]` of its rule.toml as a formula (stridewise/arithmetic.py) of a finding's arguments. An
argument that is text counts by its first quantity ("about 7 us of work", "8192 bytes"), times in nanoseconds and sizes
in bytes. What a finding does not say is taken from `assume`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stridewise import arithmetic

_QUANTITY = re.compile(r"(\d[\d,]*(?:\.\d+)?)(?: ?(ns|us|µs|ms|s|bytes?|B|KiB|MiB|GiB)\b)?")
_UNITS = {
    "ns": 1.0,
    "us": 1e3,
    "µs": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "KiB": 2.0**10,
    "MiB": 2.0**20,
    "GiB": 2.0**30,
}
_MOST = 1e15  # nanoseconds: a formula that explodes must not hide the others


@dataclass(frozen=True, slots=True)
class Estimate:
    """`nanoseconds` each time the program comes by; for findings whose arguments are those of `when`."""

    nanoseconds: str
    why: str
    when: Mapping[str, str] = field(default_factory=dict)
    assume: Mapping[str, float] = field(default_factory=dict)

    def fits(self, args: Mapping[str, Any]) -> bool:
        return all(str(args.get(name, "")) == value for name, value in self.when.items())

    def of(self, args: Mapping[str, Any]) -> float:
        """In nanoseconds, never negative."""
        known = dict(self.assume)
        known |= {name: number for name in self.assume if (number := amount(args.get(name))) is not None}
        try:
            return min(max(0.0, arithmetic.value(arithmetic.parse(self.nanoseconds), known)), _MOST)
        except ZeroDivisionError:
            return 0.0


def of_first(estimates: Sequence[Estimate], args: Mapping[str, Any]) -> float | None:
    """The first estimate that fits these arguments; None without one."""
    return next((one.of(args) for one in estimates if one.fits(args)), None)


def amount(value: Any) -> float | None:
    """An argument as a number: bytes, nanoseconds or a count."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return float(value)
    match = _QUANTITY.search(str(value))
    return float(match[1].replace(",", "")) * _UNITS.get(match[2] or "", 1.0) if match else None


def problems(estimates: Sequence[Estimate]) -> Iterator[str]:
    """What is wrong with the estimates of a rule."""
    for number, one in enumerate(estimates):
        where = f"estimate[{number}]"
        try:
            tree = arithmetic.parse(one.nanoseconds)
            arithmetic.value(tree, dict.fromkeys(arithmetic.names(tree), 1.0))
        except (SyntaxError, ValueError, ZeroDivisionError) as error:
            yield f"{where}.nanoseconds: {error}"
            continue
        yield from (
            f"{where}.nanoseconds: assume a value of '{name}'" for name in arithmetic.names(tree) - one.assume.keys()
        )
        yield from (
            f"{where}.assume: '{name}' is not in the formula" for name in one.assume.keys() - arithmetic.names(tree)
        )
        if one.when and number == len(estimates) - 1:
            yield f"{where}.when: the last estimate holds for all findings that are left"
        if not one.when and number < len(estimates) - 1:
            yield f"{where}: those after it are never used"
