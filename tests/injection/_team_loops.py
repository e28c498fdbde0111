"""The shared loops of a file, and the stores in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from injection import Loop, Source

PRAGMA = re.compile(r"^[ \t]*#\s*pragma\s+omp\s+parallel\s+for\b(?:[^\n\\]|\\\n)*", re.MULTILINE)


@dataclass(frozen=True)
class TeamLoop:
    """A loop under `#pragma omp parallel for`; lines are 1-based, `pragma` is the directive without line ends."""

    line: int
    loop: Loop
    pragma: str

    @property
    def bound(self) -> str:
        """What the counter stays below; empty where the condition is no `<`."""
        match = re.fullmatch(rf"\s*{self.loop.variable}\s*<\s*([^=].*)", self.loop.parts[1])
        return match[1].strip() if match else ""


def team_loops(source: Source) -> list[TeamLoop]:
    found = []
    for match in PRAGMA.finditer(source.text):
        first = source.line_of(match.start())
        last = source.line_of(match.end())
        loop = next((loop for loop in source.loops() if last < loop.line <= last + 2), None)
        if loop:
            found.append(TeamLoop(first, loop, re.sub(r"\\\n\s*", "", match[0]).strip()))
    return found


@dataclass(frozen=True)
class Store:
    """`target = value;` on a line of its own in a loop's body."""

    line: int
    indent: str
    target: str
    operator: str
    value: str


def stores(source: Source, loop: Loop, index: str | None = None) -> Iterator[Store]:
    """The plain stores to elements that the variable `index` (the loop's own) addresses, on lines of the loop."""
    element = rf"[A-Za-z_][\w.>-]*\[\s*{re.escape(index or loop.variable)}\s*\]"
    pattern = re.compile(rf"^(\s*)({element})\s*([-+*]?=)\s*([^=;][^;]*);\s*$")
    masked = source.masked.split("\n")
    for line in range(loop.line, loop.end_line + 1):
        if match := pattern.match(masked[line - 1]):
            yield Store(line, match[1], match[2], match[3], match[4])


def is_leaf(source: Source, loop: Loop) -> bool:
    """Whether the loop's body is straight-line code without calls."""
    body = source.masked[loop.body_begin : loop.end]
    return not re.search(r"\b(?:for|while|do|goto|return|break)\b|[A-Za-z_]\w*\s*\(", body)
