"""The words of a C, C++ or Fortran text: what an analysis depends on, without comments and blanks."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

_OPERATORS = (
    b"<=> <<= >>= ... ->* -> ++ -- && || << >> <= >= == != :: += -= *= /= %= &= |= ^= ## .*".split()
)  # the longest first
_TOKEN = re.compile(
    rb"""
    (?P<blank>(?:[ \t\f\v\r\n]|\\\r?\n)+)
  | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=fence)")
  | (?P<text>(?:u8|[uUL])?(?:"(?:\\(?:\r\n|.|\n)|[^"\\\n])*"?|'(?:\\(?:\r\n|.|\n)|[^'\\\n])*'?))
  | (?P<word>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[\w.])*)
  | (?P<directive>\#)
  | (?P<operator>"""
    + b"|".join(map(re.escape, _OPERATORS)).replace(b"\\#", b"[#]")
    + rb"""|.)
    """,
    re.VERBOSE,
)
# A directive ends with its line; comments and continued lines are part of it.
_DIRECTIVE = re.compile(
    rb"""\#(?:/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\\\r?\n|[^\n])*"""
)
_IN_DIRECTIVE = re.compile(
    rb"""(?P<gap>(?:/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|//(?:\\\r?\n|[^\n])*|\\\r?\n|[ \t\f\v\r])+)"""
    rb"""|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
)
_INCLUDE = re.compile(rb"#[ \t]*(include|import|include_next)\b")
_SUPPRESSION = b"NOLINT"
# A line of Fortran that is a comment alone, and no directive of any compiler: `!$omp`, `!dir$`.
_NOTE = re.compile(rb"[ \t]*!(?![A-Za-z]{0,4}\$)")


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its words; `words[i]` stands at the bytes starts[i]..ends[i]. A preprocessor line is one word.

    `marks` are the comments that suppress findings, each with the words of its line and of the next: moving one is
    no mere change of a comment.
    """

    data: bytes
    words: tuple[bytes, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    lines: tuple[int, ...]  # where each line starts
    marks: tuple[tuple[bytes, int, int, int], ...]

    def line_of(self, offset: int) -> int:
        """The line, counted from 1, of a byte offset."""
        return bisect_right(self.lines, offset)

    def offset(self, line: int, column: int) -> int:
        """The byte offset of a place as findings name it: both from 1; column 0 is the first word of the line."""
        if not 1 <= line <= len(self.lines):
            return len(self.data) if line > 0 else 0
        start = self.lines[line - 1]
        end = self.lines[line] if line < len(self.lines) else len(self.data)
        if column <= 0:
            word = bisect_left(self.starts, start)
            return self.starts[word] if word < len(self.starts) and self.starts[word] < end else start
        return min(start + column - 1, end)

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column), both from 1."""
        line = self.line_of(offset)
        return line, offset - self.lines[line - 1] + 1


@lru_cache(maxsize=128)
def lex(data: bytes) -> Text:
    words: list[bytes] = []
    starts: list[int] = []
    ends: list[int] = []
    comments: list[tuple[int, bytes]] = []
    position, size = 0, len(data)
    fresh = True  # nothing but blanks and comments so far on this line
    while position < size:
        match = _TOKEN.match(data, position)
        if match is None:  # a lone backslash and such
            position += 1
            continue
        kind, end = match.lastgroup, match.end()
        if kind == "blank":
            fresh = fresh or b"\n" in match[0]
        elif kind == "comment":
            if _SUPPRESSION in match[0]:
                comments.append((position, match[0]))
        elif kind == "directive" and fresh:
            whole = _DIRECTIVE.match(data, position)
            assert whole is not None
            end = whole.end()
            starts.append(position)
            ends.append(end)
            words.append(_directive(whole[0]))
            if _SUPPRESSION in whole[0]:
                comments.append((position, whole[0]))
        else:
            starts.append(position)
            ends.append(end)
            words.append(match[0])
            fresh = False
        position = end
    return _text(data, words, starts, ends, comments)


@lru_cache(maxsize=128)
def lex_fortran(data: bytes) -> Text:
    """Each line is a word, with its columns, which count in fixed form; empty lines and those of comments are none."""
    words: list[bytes] = []
    starts: list[int] = []
    ends: list[int] = []
    comments: list[tuple[int, bytes]] = []
    for match in re.finditer(rb"[^\n]+", data):
        line = match[0].rstrip()
        if _NOTE.match(line):
            if _SUPPRESSION in line:
                comments.append((match.start(), line))
        elif line:
            words.append(line)
            starts.append(match.start())
            ends.append(match.start() + len(line))
    return _text(data, words, starts, ends, comments)


def _text(
    data: bytes, words: list[bytes], starts: list[int], ends: list[int], comments: list[tuple[int, bytes]]
) -> Text:
    lines = [0]
    lines += (found.end() for found in re.finditer(rb"\n", data))
    size = len(data)
    marks: list[tuple[bytes, int, int, int]] = []
    for at, comment in comments:
        line = bisect_right(lines, at + comment.index(_SUPPRESSION))
        first, second, third = (
            bisect_left(starts, lines[n] if n < len(lines) else size) for n in (line - 1, line, line + 1)
        )
        marks.append((comment, first, second, third))
    return Text(data, tuple(words), tuple(starts), tuple(ends), tuple(lines), tuple(marks))


def _directive(text: bytes) -> bytes:
    """A preprocessor line without what does not matter; whether there is a blank does."""
    if _INCLUDE.match(text):
        return text
    return _IN_DIRECTIVE.sub(lambda match: b" " if match["gap"] is not None else match[0], text).rstrip()
