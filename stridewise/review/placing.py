"""Why a finding is the change's, on which lines of the diff it can be said, and what to suggest there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stridewise.finding import Edit, Finding, Fix
from stridewise.finding.sources import Project
from stridewise.lint.fixes import edited
from stridewise.review.changes import Changes
from stridewise.review.diff import Hunk
from stridewise.review.lines import LineMap
from stridewise.review.plan import MAX_SNIPPET_LINES, Placed

_MAX_STATEMENT_LINES = 10  # a comment is for a statement, not for all of a long one
_MAX_SUGGESTION_LINES = 100
_MAX_FILE_BYTES = 16 << 20
_MAX_LINE = 2_000  # characters that are shown of a source line


@dataclass(frozen=True, slots=True)
class Cause:
    """A line of the change (`file` is relative to the root) that makes a finding the change's, and how to say it."""

    file: str
    line: int
    text: str


def cause(finding: Finding, changes: Changes, project: Project) -> Cause | None:
    """The nearest cause: the finding's own lines, its scope, its accesses, the lines that it relates to."""
    where = finding.location
    file = project.relative(where.file)
    own = changes.touched(file, where.line, max(where.line, where.end_line))
    if own and own[1] != "removed":
        return Cause(file, *own)
    scope = finding.scope
    places = [(file, scope.begin_line, scope.end_line)] if scope.begin_line else []
    places += [(project.relative(a.file), a.line, a.line) for a in finding.accesses]
    places += [(project.relative(r.file), r.line, r.line) for r in finding.related]
    if own:
        places.insert(0, (file, where.line, max(where.line, where.end_line)))
    for path, begin, end in places:
        found = changes.touched(path, begin, max(begin, end))
        if found:
            line, how = found
            place = f"line {line}" if path == file else f"{path}:{line}"
            return Cause(path, line, f"lines gone after {place}" if how == "removed" else f"cause in {place}")
    return None


def place(finding: Finding, why: Cause, changes: Changes, project: Project, unsafe: bool = False) -> Placed | None:
    """The comment of a finding of the work tree; None if no line of its file's diff can hold it. A suggestion is one
    click away from being committed: it is of a safe fix, with `unsafe` of any."""
    where = finding.location
    file = project.relative(where.file)
    lines = changes.lines(file)
    hunk = lines.hunk_at(where.line)
    begin, end = where.line, min(max(where.line, where.end_line), where.line + _MAX_STATEMENT_LINES - 1)
    if hunk is None and why.file == file:
        hunk, begin, end = lines.hunk_at(why.line), why.line, why.line
        if hunk is None:  # lines are gone from the end of what the hunk shows
            hunk, begin, end = lines.hunk_at(why.line + 1), why.line + 1, why.line + 1
    if hunk is None:
        return None
    end = min(end, hunk.last)
    for fix in [fix for fix in finding.fixes if unsafe or fix.is_safe][:1]:
        made = _suggestion(fix, finding, lines, hunk)
        if made:
            first, last, text = made
            return Placed(finding, first, last, _shown(lines, hunk, first, last), text, why.text)
    return Placed(finding, begin, end, _shown(lines, hunk, begin, end), None, why.text)


def _shown(lines: LineMap, hunk: Hunk, begin: int, end: int) -> tuple[str, ...]:
    text = lines.text(hunk, begin, end)
    return tuple(line.decode("utf-8", "surrogateescape").rstrip("\r")[:_MAX_LINE] for line in text)


def _suggestion(fix: Fix, finding: Finding, lines: LineMap, hunk: Hunk) -> tuple[int, int, tuple[str, ...]] | None:
    """(first line, last line, their replacement) where all of the fix lies in the hunk of the finding's file."""
    if not fix.edits or any(edit.file != finding.location.file for edit in fix.edits):
        return None
    try:
        with Path(finding.location.file).open("rb") as stream:
            content = stream.read(_MAX_FILE_BYTES + 1)
    except OSError:
        return None
    begin = min(edit.begin_offset for edit in fix.edits)
    end = max(edit.end_offset for edit in fix.edits)
    if end > len(content) or len(content) > _MAX_FILE_BYTES:
        return None
    first_byte = content.rfind(b"\n", 0, begin) + 1
    # A range that ends behind a line feed ends with that line.
    whole = end > begin and content[end - 1 : end] == b"\n"
    last_byte = end if whole else content.find(b"\n", end) + 1 or len(content)
    first = content.count(b"\n", 0, first_byte) + 1
    last = first + max(0, content.count(b"\n", first_byte, max(first_byte, last_byte - 1)))
    if not (hunk.first <= first and last <= hunk.last) or last - first >= min(_MAX_SUGGESTION_LINES, MAX_SNIPPET_LINES):
        return None
    if not _fits(content[first_byte:last_byte], lines.text(hunk, first, last)):
        return None
    moved = [
        Edit(edit.file, edit.begin_offset - first_byte, edit.end_offset - first_byte, edit.replacement)
        for edit in dict.fromkeys(fix.edits)
    ]
    block = edited(content[first_byte:last_byte], moved).decode("utf-8", "surrogateescape")
    if whole and block and not block.endswith("\n"):
        return None  # it would join the next line
    text = tuple(line.rstrip("\r") for line in block.removesuffix("\n").split("\n")) if block else ()
    if len(text) > _MAX_SUGGESTION_LINES or any(len(line) > _MAX_LINE for line in text):
        return None
    return first, last, text


def _fits(block: bytes, shown: Sequence[bytes]) -> bool:
    """Whether the lines of the file are those of the diff."""
    lines = block.removesuffix(b"\n").split(b"\n")
    return [line.rstrip(b"\r") for line in lines] == [line.rstrip(b"\r") for line in shown]
