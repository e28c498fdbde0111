"""Where the places of one text are in another: findings follow the code that they speak of."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePath

from stridewise.collect.compile_db import is_fortran_file
from stridewise.finding import Edit, Finding, Fix, Location, Scope
from stridewise.lsp.lexer import Text, lex, lex_fortran

_LINE = re.compile(r"\bline ([0-9]{1,7})\b")


class Shift:
    """`same`: the texts differ in comments and blanks only, so that an analysis says the same of both."""

    def __init__(self, old: Text, new: Text) -> None:
        self._old, self._new = old, new
        if old.words == new.words:
            self._head, self._tail = len(old.words), 0
            self.same = old.marks == new.marks
            return
        self.same = False
        limit = min(len(old.words), len(new.words))
        head = next((i for i in range(limit) if old.words[i] != new.words[i]), limit)
        limit -= head
        self._tail = next((i for i in range(limit) if old.words[-1 - i] != new.words[-1 - i]), limit)
        self._head = head

    def _index(self, index: int) -> int | None:
        """The new number of a word; None for one that was edited away."""
        if index < self._head:
            return index
        if index >= len(self._old.words) - self._tail:
            return index + len(self._new.words) - len(self._old.words)
        return None

    def offset(self, offset: int) -> int | None:
        """The new byte offset of an old one; None where the text around it was edited."""
        old, new = self._old, self._new
        word = bisect_right(old.starts, offset) - 1
        if word < 0:
            end = new.starts[0] if new.starts else len(new.data)
            return min(offset, end) if self._head or not old.words else None
        other = self._index(word)
        if other is None:
            return None
        if offset < old.ends[word]:
            return min(new.starts[other] + offset - old.starts[word], new.ends[other])
        following = new.starts[other + 1] if other + 1 < len(new.starts) else len(new.data)
        return min(new.ends[other] + offset - old.ends[word], following)

    def line(self, line: int) -> int | None:
        if line <= 0:
            return line
        offset = self.offset(self._old.offset(line, 0))
        return None if offset is None else self._new.line_of(offset)

    def location(self, where: Location) -> Location | None:
        if where.line <= 0:
            return where
        begin = self.offset(self._old.offset(where.line, where.column))
        if begin is None:
            return None
        line, column = self._new.place(begin)
        if where.end_line < where.line:
            return replace(where, line=line, column=column if where.column > 0 else 0)
        last = None
        if where.end_column > 1:  # the end is exclusive: where the last byte is, and one on
            last = self.offset(self._old.offset(where.end_line, where.end_column) - 1)
        end_line, end_column = self._new.place(last + 1) if last is not None else (line, 0)
        return Location(where.file, line, column if where.column > 0 else 0, max(line, end_line), end_column)

    def edit(self, edit: Edit) -> Edit | None:
        """The edit in the new text; None unless it replaces the very same bytes, at a place that is certain."""
        begin, end = self.offset(edit.begin_offset), self.offset(edit.end_offset)
        if begin is None or end is None or begin > end:
            return None
        before = self._old.data[edit.begin_offset : edit.end_offset]
        if before != self._new.data[begin:end] or not self._at_word(edit.begin_offset, begin):
            return None
        return replace(edit, begin_offset=begin, end_offset=end)

    def _at_word(self, old: int, new: int) -> bool:
        """Whether a byte beside the place is the same in both: an insertion between comments has no certain place."""
        a, b = self._old.data, self._new.data
        return a[old - 1 : old] == b[new - 1 : new] or a[old : old + 1] == b[new : new + 1]


@lru_cache(maxsize=64)
def shift(old: bytes, new: bytes, file: str = "") -> Shift:
    """`file`: whose texts they are; without one, of C."""
    read = lex_fortran if is_fortran_file(PurePath(file)) else lex
    return Shift(read(old), read(new))


Shifts = Callable[[str], Shift | None]


def moved(finding: Finding, shifts: Shifts) -> Finding | None:
    """The finding as it is after the edits that `shifts` knows of by file; None if its own place was edited away.

    A fix stays if all of its edits still replace the same text.
    """
    there = shifts(finding.location.file)
    location = there.location(finding.location) if there else finding.location
    if location is None:
        return None
    begin, end = finding.scope.begin_line, finding.scope.end_line
    scope = Scope(there.line(begin) or location.line, there.line(end) or location.line) if there else finding.scope
    related = [(r, _line(r.file, r.line, shifts)) for r in finding.related]
    accesses = [(a, _line(a.file, a.line, shifts)) for a in finding.accesses]
    fixes = (_fix(fix, shifts) for fix in finding.fixes)
    return replace(
        finding,
        message=_renumbered(finding.message, there),
        advice=_renumbered(finding.advice, there),
        location=location,
        scope=scope,
        related=tuple(replace(r, line=line) for r, line in related if line is not None),
        accesses=tuple(replace(a, line=line) for a, line in accesses if line is not None),
        fixes=tuple(fix for fix in fixes if fix),
    )


def _renumbered(text: str, there: Shift | None) -> str:
    """Messages name lines of the finding's own file."""
    if there is None or "line " not in text:
        return text
    return _LINE.sub(lambda match: f"line {there.line(int(match[1])) or match[1]}", text)


def _line(file: str, line: int, shifts: Shifts) -> int | None:
    there = shifts(file)
    return there.line(line) if there else line


def _fix(fix: Fix, shifts: Shifts) -> Fix | None:
    edits = []
    for edit in fix.edits:
        there = shifts(edit.file)
        if there and not there.same:
            return None
        new = there.edit(edit) if there else edit
        if new is None:
            return None
        edits.append(new)
    return replace(fix, edits=tuple(edits))
