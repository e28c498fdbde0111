"""Numbers with units, as a person reads them."""

from __future__ import annotations

import re
from typing import Any

_SECOND_SCALES = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (1e-6, 1e6, "µs"))


def quantity(value: float, unit: str) -> str:
    """A metric whose name ends in that unit."""
    if unit == "seconds":
        return seconds(value)
    if unit == "bytes":
        return f"{value:,.0f} B"
    if unit == "share":
        return percent(value)
    if unit == "percent":
        return f"{value:.3g} %"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def seconds(value: float) -> str:
    """Two or three significant digits in the unit that suits: 12.4 s, 85 ms, 6.1 µs."""
    for limit, factor, unit in _SECOND_SCALES:
        if abs(value) >= limit:
            scaled = value * factor
            return f"{scaled:,.0f} {unit}" if abs(scaled) >= 100 else f"{scaled:.3g} {unit}"
    return f"{value * 1e9:.0f} ns" if value else "0 s"


_SIZES = {
    "b": 1,
    "byte": 1,
    "bytes": 1,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
}
_TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
_TIME_UNITS = {"nanoseconds": 1e-9, "microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1.0, **_TIMES}
_QUANTITY = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*(.*?)\s*")


def parse_quantity(value: Any, unit: str) -> float:
    """A number in `unit` (as a rule's threshold names it) from a number or from text such as "64 KiB", "2 ms", "0.5 %".

    Raises ValueError, whose text follows the name of what is wrong.
    """
    first, _, rest = unit.partition(" ")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value < float("inf"):
            raise ValueError(f"must be a positive number of {unit}")
        return float(value)
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if not match:
        raise ValueError(f"must be a number of {unit}")
    number, written = float(match[1]), match[2]
    if not written or written in (unit, first):
        return number
    written = written.removesuffix(rest).rstrip() if rest else written
    if first.lower() in _SIZES and written.lower() in _SIZES:
        return number * _SIZES[written.lower()] / _SIZES[first.lower()]
    if first in _TIME_UNITS and written in _TIMES:
        return number * _TIMES[written] / _TIME_UNITS[first]
    if first == "share" and written in ("%", "percent"):
        return number / 100
    if first == "percent" and written == "%":
        return number
    if first.removesuffix("s") == written:  # 1 message
        return number
    raise ValueError(f"is in {unit}, not in '{match[2]}'")
