"""How wide a text report is, and how its lines are broken: between words, never within one.

On a terminal everything fits its width, as measured. Elsewhere the width is always the same, and what is said of a
finding stays on one line, so that it can be searched.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from stridewise import console

FILE_WIDTH = 117  # of what goes to files and pipes


@dataclass(frozen=True, slots=True)
class Layout:
    """`wraps`: whether messages, too, are broken to fit."""

    width: int = FILE_WIDTH
    wraps: bool = False

    def paragraph(self, text: str, indent: int, hanging: int | None = None) -> list[str]:
        """The lines of a text without their indentation, the first as wide as it leaves, the others behind
        `hanging` columns."""
        behind = indent if hanging is None else hanging
        lead = " " * max(0, indent - behind)
        lines = textwrap.wrap(
            lead + text if lead else text,
            self.width - behind,
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        ) or [""]
        return [lines[0].lstrip(), *lines[1:]]

    def message(self, text: str, indent: int) -> list[str]:
        """As paragraph, but whole where nothing is wrapped."""
        return self.paragraph(text, indent) if self.wraps else [text]

    def joined(self, parts: Iterable[str], separator: str, indent: int) -> list[str]:
        """Parts in a row, lines broken between them, and where one is too long by itself between words."""
        rows: list[str] = []
        for part in parts:
            if rows and len(rows[-1]) + len(separator) + len(part) + (indent if len(rows) > 1 else 0) <= self.width:
                rows[-1] += separator + part
            else:
                rows.append(part)
        return [line for number, row in enumerate(rows) for line in self._fitting(row, indent if number else 0)]

    def _fitting(self, row: str, indent: int) -> list[str]:
        return [row] if len(row) + indent <= self.width else self.message(row, indent)


def terminal() -> Layout:
    """Of standard output."""
    measured = console.columns()
    return Layout() if measured is None else Layout(measured, True)


def shortened(text: str, width: int) -> str:
    """The text, or as many of its words as fit with a sign that there are more."""
    if len(text) <= width:
        return text
    cut = text[: max(1, width - 1)]
    if " " in cut and text[len(cut) : len(cut) + 1] != " ":
        cut = cut.rsplit(" ", 1)[0]
    return cut.rstrip(" ,;:") + " …" if len(cut) + 2 <= width else cut.rstrip(" ,;:") + "…"


def place(text: str, width: int) -> str:
    """A path with as much of its end as fits: what differs between places stands there."""
    if len(text) <= width:
        return text
    parts = text.split("/")[1:]
    while len(parts) > 1 and len("…/" + "/".join(parts)) > width:
        parts = parts[1:]
    return "…/" + "/".join(parts) if parts else text


def entry(text: str, width: int) -> str:
    """What ends in a place, as it stands in a table: the place is shortened first."""
    if len(text) <= width:
        return text
    head, _, tail = text.rpartition(" ")
    if not head:
        return place(text, width)
    short = place(tail, max(8, width - len(head) - 1))
    over = len(head) + 1 + len(short) - width
    return f"{head[: max(0, len(head) - over - 1)]}… {short}" if over > 0 else f"{head} {short}"


def indented(lines: Iterable[str], first: str, rest: str) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield (rest if number else first) + line
