"""Numbers with units, as a person reads them."""

from __future__ import annotations

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
