"""Where the lines of one file were before the change and are after it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from stridewise.review.diff import FileDiff, Hunk


@dataclass(frozen=True, slots=True)
class Block:
    """Old lines [old_begin, old_end) became new lines [new_begin, new_end); one of both may be empty."""

    old_begin: int
    old_end: int
    new_begin: int
    new_end: int


def blocks(hunks: Sequence[Hunk]) -> list[Block]:
    """What changed, without the context, in order."""
    out: list[Block] = []
    for hunk in hunks:
        old = hunk.old_start if hunk.old_count else hunk.old_start + 1
        new = hunk.first
        begin: tuple[int, int] | None = None
        for line in (*hunk.lines, b" "):
            kind = line[:1]
            if kind == b" ":
                if begin is not None:
                    out.append(Block(begin[0], old, begin[1], new))
                begin = None
                old, new = old + 1, new + 1
            else:
                begin = begin or (old, new)
                old, new = old + (kind == b"-"), new + (kind == b"+")
    return _joined(out)


def _joined(parts: list[Block]) -> list[Block]:
    """Blocks of neighbouring hunks without context (git diff -U0) may touch."""
    out = parts[:1]
    for before, block in pairwise(parts):
        if before.old_end == block.old_begin and before.new_end == block.new_begin:
            out[-1] = replace(out[-1], old_end=block.old_end, new_end=block.new_end)
        else:
            out.append(block)
    return out


@dataclass(frozen=True)
class LineMap:
    """All lookups take time logarithmic in the number of changes."""

    changes: tuple[Block, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    _new: Sequence[int] = field(init=False, repr=False, default=())
    _old: Sequence[int] = field(init=False, repr=False, default=())
    _hunks: Sequence[int] = field(init=False, repr=False, default=())
    _texts: dict[int, Sequence[bytes]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_new", [block.new_begin for block in self.changes])
        object.__setattr__(self, "_old", [block.old_begin for block in self.changes])
        object.__setattr__(self, "_hunks", [hunk.first for hunk in self.hunks])

    @staticmethod
    def of(file: FileDiff) -> LineMap:
        return LineMap(tuple(blocks(file.hunks)), file.hunks)

    def to_old(self, line: int) -> int | None:
        """The old number of a line of the new file; None for one that was added or changed."""
        index = bisect_right(self._new, line) - 1
        if index < 0:
            return line
        block = self.changes[index]
        return None if line < block.new_end else line - block.new_end + block.old_end

    def to_new(self, line: int) -> int | None:
        """The new number of a line of the old file; None for one that was removed or changed."""
        index = bisect_right(self._old, line) - 1
        if index < 0:
            return line
        block = self.changes[index]
        return None if line < block.old_end else line - block.old_end + block.new_end

    def block_of_new(self, line: int) -> int | None:
        """Which change made a line of the new file, by its place among them; None for a line that stayed."""
        index = bisect_right(self._new, line) - 1
        return index if index >= 0 and line < self.changes[index].new_end else None

    def block_of_old(self, line: int) -> int | None:
        """Which change took a line of the old file."""
        index = bisect_right(self._old, line) - 1
        return index if index >= 0 and line < self.changes[index].old_end else None

    def touched(self, begin: int, end: int) -> tuple[int, str] | None:
        """The first line of the new file in [begin, end] that the change made, and how: added, changed, removed.

        `removed` is the line behind which lines are gone; both it and the one behind it are in the range.
        """
        index = max(0, bisect_right(self._new, begin) - 1)
        while index < len(self.changes):
            block = self.changes[index]
            if block.new_begin > end:
                return None
            if block.new_begin < block.new_end:
                if block.new_end > begin:
                    return max(begin, block.new_begin), "changed" if block.old_begin < block.old_end else "added"
            elif begin < block.new_begin:
                return block.new_begin - 1, "removed"
            index += 1
        return None

    def hunk_at(self, line: int) -> Hunk | None:
        """The hunk that shows this line of the new file."""
        index = bisect_right(self._hunks, line) - 1
        if index >= 0 and self.hunks[index].first <= line <= self.hunks[index].last:
            return self.hunks[index]
        return None

    def text(self, hunk: Hunk, begin: int, end: int) -> Sequence[bytes]:
        """The lines [begin, end] of the new file, which the hunk shows, without line ends but CR."""
        if hunk.first not in self._texts:
            self._texts[hunk.first] = tuple(hunk.new_lines())
        return self._texts[hunk.first][begin - hunk.first : end + 1 - hunk.first]
