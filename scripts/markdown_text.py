"""Markdown by its parts: which lines are code, and which links and headings there are. For the site and its tests."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from markdown_it import MarkdownIt

_LINK = re.compile(r"(\]\()([^()\s]+)(\))")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


@dataclass(frozen=True)
class Code:
    """A block of code. Indented blocks have no language."""

    language: str  # first word of a fence's info
    info: tuple[str, ...]  # its further words
    text: str
    line: int  # of its first line of text, from 1


def code_blocks(text: str) -> list[Code]:
    """Every fenced and indented block, in order, also those inside lists."""
    blocks = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type in ("fence", "code_block") and token.map is not None:
            words = tuple(token.info.split()) if token.type == "fence" else ()
            first = token.map[0] + (2 if token.type == "fence" else 1)
            blocks.append(Code(words[0] if words else "", words[1:], token.content, first))
    return blocks


def links(text: str) -> list[str]:
    """The target of every link and image, in order."""
    targets = []
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        for child in token.children or []:
            if child.type in ("link_open", "image"):
                targets.append(str(child.attrs.get("href", child.attrs.get("src", ""))))
    return targets


def headings(text: str) -> list[tuple[int, str]]:
    """Level and text of every heading."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        (int(token.tag[1:]), tokens[number + 1].content)
        for number, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def inline_code(text: str) -> list[str]:
    """What stands between backticks in running text and tables."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    return [child.content for token in tokens for child in token.children or [] if child.type == "code_inline"]


def with_links(text: str, change: Callable[[str], str]) -> str:
    """The text with each inline link's target changed; code is left alone."""
    lines = text.splitlines(keepends=True)
    code = {
        number
        for token in MarkdownIt("commonmark").parse(text)
        if token.type in ("fence", "code_block") and token.map is not None
        for number in range(*token.map)
    }

    def changed(line: str) -> str:
        parts, last = [], 0
        for match in _CODE.finditer(line):
            parts += [_LINK.sub(replace, line[last : match.start()]), match[0]]
            last = match.end()
        # A link's own text may be code, so that its target stands right behind it.
        return "".join([*parts, _LINK.sub(replace, line[last:])])

    def replace(match: re.Match[str]) -> str:
        return match[1] + change(match[2]) + match[3]

    return "".join(line if number in code else changed(line) for number, line in enumerate(lines))
