"""Bytes of a text and positions of the protocol, whose columns count UTF-8, UTF-16 or UTF-32 units as negotiated."""

from __future__ import annotations

from lsprotocol import types

from stridewise.finding import Location
from stridewise.lsp.lexer import Text, lex


class Positions:
    """The positions of one text."""

    def __init__(self, text: bytes, encoding: types.PositionEncodingKind | str | None) -> None:
        self.text: Text = lex(text)
        self._encoding = str(getattr(encoding, "value", encoding) or "utf-16")

    def _units(self, data: bytes) -> int:
        if self._encoding == "utf-8" or data.isascii():
            return len(data)
        said = data.decode("utf-8", "replace")
        return len(said) if self._encoding == "utf-32" else len(said.encode("utf-16-le", "replace")) // 2

    def at(self, offset: int) -> types.Position:
        """Of a byte offset."""
        offset = min(max(offset, 0), len(self.text.data))
        line = self.text.line_of(offset) - 1
        return types.Position(line, self._units(self.text.data[self.text.lines[line] : offset]))

    def span(self, begin: int, end: int) -> types.Range:
        return types.Range(self.at(begin), self.at(max(begin, end)))

    def line_end(self, line: int) -> int:
        """The offset behind the last character of a line, counted from 1, that is no blank."""
        begin, end = self.line_bounds(line)
        return begin + len(self.text.data[begin:end].rstrip())

    def line_bounds(self, line: int) -> tuple[int, int]:
        """Offsets of a line, counted from 1, with its line break; of nothing where the text has no such line."""
        lines = self.text.lines
        if not 1 <= line <= len(lines):
            return len(self.text.data), len(self.text.data)
        return lines[line - 1], lines[line] if line < len(lines) else len(self.text.data)

    def of(self, where: Location) -> types.Range:
        """A finding's place, but no more of it than its first line."""
        begin = self.text.offset(max(where.line, 1), where.column)
        last = self.line_end(max(where.line, 1))
        if where.end_line == where.line and where.end_column > where.column > 0:
            last = min(last, self.text.offset(where.line, where.end_column))
        return self.span(begin, max(begin, last))
