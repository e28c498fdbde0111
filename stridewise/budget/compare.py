"""What changed between a budget and a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from stridewise.budget.items import FLOOR, TOLERANCE, Budget, Item


class Kind(StrEnum):
    NEW = "new"  # a place that the budget does not have
    MORE = "more"
    LESS = "less"
    GONE = "gone"

    @property
    def dearer(self) -> bool:
        return self in (Kind.NEW, Kind.MORE)


@dataclass(frozen=True, slots=True)
class Change:
    """`item` is the run's, or the budget's where it is gone; `values` are (name, before, after) of what differs."""

    kind: Kind
    item: Item
    values: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`unchecked` are runs of the budget that the new one lacks, `unbudgeted` those that the budget lacks."""

    changes: tuple[Change, ...]
    same: int
    unchecked: tuple[str, ...]
    unbudgeted: tuple[str, ...]

    @property
    def dearer(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.kind.dearer)


def compare(before: Budget, after: Budget) -> Comparison:
    runs = set(before.runs) & set(after.runs)
    old, new = _by_key(before.items, runs), _by_key(after.items, runs)
    changes: list[Change] = []
    same = 0
    for key in sorted({*old, *new}):
        for one, other in _pairs(old.get(key, []), new.get(key, [])):
            found = _changes(one, other)
            changes += found
            same += not found
    changes.sort(key=lambda c: (not c.kind.dearer, c.item.run, c.item.file, c.item.line, c.item.name))
    return Comparison(
        tuple(changes), same, tuple(sorted(set(before.runs) - runs)), tuple(sorted(set(after.runs) - runs))
    )


def _by_key(items: Iterable[Item], runs: set[str]) -> Mapping[tuple[object, ...], list[Item]]:
    found: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.line):
        if item.run in runs:
            found[item.key].append(item)
    return found


def _pairs(old: Sequence[Item], new: Sequence[Item]) -> list[tuple[Item | None, Item | None]]:
    """Places of one name in one function, which only their order and their counts tell apart: first those with the same
    counts, in order, then the others in order."""
    pairs: list[tuple[Item | None, Item | None]] = []
    left = list(new)
    lost = []
    for one in old:
        other = next((item for item in left if not _differing(one, item)), None)
        if other is None:
            lost.append(one)
        else:
            left.remove(other)
            pairs.append((one, other))
    for index in range(max(len(lost), len(left))):
        pairs.append((lost[index] if index < len(lost) else None, left[index] if index < len(left) else None))
    return pairs


def _differing(one: Item, other: Item) -> list[tuple[str, int, int]]:
    names = [*one.values, *(name for name in other.values if name not in one.values)]
    pairs = ((name, one.values.get(name, 0), other.values.get(name, 0)) for name in names)
    return [
        (name, a, b)
        for name, a, b in pairs
        if abs(a - b) > max(TOLERANCE.get(name, 0.0) * max(a, b), FLOOR.get(name, 0))
    ]


def _changes(one: Item | None, other: Item | None) -> list[Change]:
    """What became more and what became less are told apart: one does not make up for the other."""
    if one is None or other is None:
        item = one or other
        assert item is not None
        kind = Kind.NEW if one is None else Kind.GONE
        return [Change(kind, item, tuple((n, 0, c) if one is None else (n, c, 0) for n, c in item.values.items()))]
    differing = _differing(one, other)
    more = tuple(value for value in differing if value[2] > value[1])
    less = tuple(value for value in differing if value[2] < value[1])
    found = [Change(Kind.MORE, other, more)] if more else []
    return found + ([Change(Kind.LESS, other, less)] if less else [])
