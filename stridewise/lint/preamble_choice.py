"""Which sets of headers are worth precompiling, by what they weigh and how often they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from stridewise import catalogue

MAX_SETS = 40  # of headers, of which pairs are compared
_LIMITS = ("least_bytes", "making", "saved")

Reading = tuple[tuple[str, ...], float, int | None]  # headers, how often they are read, the unit if it is read now


class Choice:
    """Which sets of headers are worth precompiling. Sets of headers are the bits of a number here."""

    def __init__(self, weights: Mapping[str, Any], made: Iterable[Sequence[str]] = ()) -> None:
        self.sizes: list[int] = weights.get("sizes", [])
        self.closures = {
            root: sum(1 << number for number in numbers) for root, numbers in weights.get("closures", {}).items()
        }
        self.least, self.cost, self.saved = (catalogue.limit("lint", name) for name in _LIMITS)
        self._bytes: dict[int, int] = {}
        self.made = {self._reach(roots) for roots in made}

    def sets(self, units: Sequence[Reading]) -> list[tuple[tuple[str, ...], list[int]]]:
        """`units`: the headers that each includes, how often it is read, and its position if it is read now."""
        reach = [self._reach(roots) for roots, _, _ in units]
        cover = [0] * len(units)
        chosen: list[int] = []
        candidates = self._candidates(reach)
        while candidates:
            gain, best = max((self._gain(c, reach, cover, units), c) for c in candidates)
            if gain <= 0:
                break
            chosen.append(best)
            candidates.discard(best)
            for i, have in enumerate(reach):
                if best & ~have == 0 and self._weigh(best) > self._weigh(cover[i]):
                    cover[i] = best
        result = []
        for headers in chosen:
            positions = [p for (_, _, p), own in zip(units, cover, strict=True) if p is not None and own == headers]
            if positions:
                result.append((self._roots(headers), positions))
        return result

    def _reach(self, roots: Iterable[str]) -> int:
        together = 0
        for root in roots:
            together |= self.closures.get(root, 0)
        return together

    def _candidates(self, reach: Sequence[int]) -> set[int]:
        by_use = sorted(set(reach), key=lambda headers: (-reach.count(headers), headers))[:MAX_SETS]
        both = {self._reach(self._roots(a & b)) for a in by_use for b in by_use}
        return {headers for headers in both if self._weigh(headers) >= self.least}

    def _roots(self, headers: int) -> tuple[str, ...]:
        """Those that include nothing else."""
        return tuple(sorted(root for root, below in self.closures.items() if below and below & ~headers == 0))

    def _weigh(self, headers: int) -> int:
        if headers not in self._bytes:
            self._bytes[headers] = sum(size for number, size in enumerate(self.sizes) if headers >> number & 1)
        return self._bytes[headers]

    def _gain(
        self,
        headers: int,
        reach: Sequence[int],
        cover: Sequence[int],
        units: Sequence[Reading],
    ) -> float:
        size = self._weigh(headers)
        more = sum(
            uses * max(0, size - self._weigh(before))
            for have, before, (_, uses, _) in zip(reach, cover, units, strict=True)
            if headers & ~have == 0
        )
        return self.saved * more - (0.0 if headers in self.made else self.cost * size)
