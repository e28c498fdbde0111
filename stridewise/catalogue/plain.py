"""A rule's page as text for a terminal or a file: no mark of Markdown is left, and every line fits."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_STRONG = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])")
_ITEM = re.compile(r"(\s*)(?:[-*]|\d+\.)\s+")
_CELL = re.compile(r"(?<!\\)\|")
_LEAST_COLUMN = 12


def text(markdown: str, width: int) -> str:
    """Headings are underlined, code is indented, tables are aligned, paragraphs are wrapped between words."""
    return "\n".join(_blocks(markdown.splitlines(), width)).rstrip() + "\n"


def _blocks(lines: Sequence[str], width: int) -> Iterator[str]:
    number = 0
    while number < len(lines):
        line = lines[number]
        end = number + 1
        if line.startswith("```"):
            while end < len(lines) and not lines[end].startswith("```"):
                yield f"    {lines[end]}".rstrip()
                end += 1
            end += 1
        elif line.startswith("#"):
            level = len(line) - len(line.lstrip("#"))
            title = inline(line.lstrip("# "))
            yield title
            yield ("=" if level == 1 else "-") * min(len(title), width)
        elif line.startswith("|"):
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            yield from _table(lines[number:end], width)
        elif not line.strip():
            yield ""
        else:
            while end < len(lines) and lines[end].strip() and not _opens(lines[end]):
                end += 1
            yield from _paragraph(lines[number:end], width)
        number = end


def _opens(line: str) -> bool:
    return line.startswith(("#", "|", "```")) or bool(_ITEM.match(line))


def _paragraph(lines: Sequence[str], width: int) -> Iterator[str]:
    item = _ITEM.match(lines[0])
    behind = " " * item.end() if item else ""
    joined = inline(" ".join(line.strip() for line in lines))
    lead = item[1] if item else ""
    yield from textwrap.wrap(
        lead + joined, width, subsequent_indent=behind, break_long_words=False, break_on_hyphens=False
    )


def _table(lines: Sequence[str], width: int) -> Iterator[str]:
    """The columns aligned; the last takes what is left, and goes on below itself."""
    rows = [
        [inline(cell.strip().replace("\\|", "|")) for cell in _CELL.split(line.strip().strip("|"))] for line in lines
    ]
    rows = [row for row in rows if not all(set(cell) <= set("-: ") for cell in row)]
    columns = max(map(len, rows), default=0)
    rows = [row + [""] * (columns - len(row)) for row in rows]
    sizes = [max(len(row[c]) for row in rows) for c in range(columns)]
    while sum(sizes) + 2 * (columns - 1) > width and max(sizes) > _LEAST_COLUMN:
        sizes[max(range(columns), key=sizes.__getitem__)] -= 1
    for row in rows:
        cells = [
            textwrap.wrap(cell, size, break_long_words=False, break_on_hyphens=False) or [""]
            for cell, size in zip(row, sizes, strict=True)
        ]
        for part in range(max(map(len, cells))):
            shown = (cell[part] if part < len(cell) else "" for cell in cells)
            yield "  ".join(f"{cell:{size}}" for cell, size in zip(shown, sizes, strict=True)).rstrip()


def inline(line: str) -> str:
    """Running text without the marks for code, stress and links; code keeps its characters."""
    parts = re.split(r"(`[^`]+`)", line)
    return "".join(
        part[1:-1]
        if part.startswith("`") and len(part) > 1
        else _EMPHASIS.sub(r"\1", _STRONG.sub(r"\2", _LINK.sub(r"\1", part)))
        for part in parts
    )
