"""How exact a saving is that a report gives: the interval in which the measured one is expected."""

from __future__ import annotations

# Prices of constructs and of misses differ so much from one compiler, clock and neighbour to another (docs/prices.md).
FACTOR = 2.0


def interval(gain_seconds: float) -> tuple[float, float]:
    """From the half to the double."""
    return gain_seconds / FACTOR, gain_seconds * FACTOR
