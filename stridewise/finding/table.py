"""A table of a report: what a person reads, and the same as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Table:
    """The first column is text, the others are figures. `data` stands in a JSON report under `name`."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The columns and rows, aligned; without title and notes."""
        every = [self.columns, *self.rows]
        widths = [max(len(row[column]) for row in every) for column in range(len(self.columns))]
        for row in every:
            yield _aligned(row, widths)


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *figures = (
        f"{cell:{'<' if i == 0 else '>'}{w}}" for i, (cell, w) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join([first, *figures]).rstrip()
