"""Recipes' edits of source text: places, calls, and the parentheses around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from stridewise.collect.compile_db import is_fortran_file
from stridewise.finding import Edit, Finding


@dataclass(frozen=True)
class Recipe:
    """`title` stands in the list of steps; `edits` are of one tree."""

    title: str
    edits: tuple[Edit, ...]


class Refused(Exception):
    """Why a recipe does not fit."""


@dataclass(frozen=True)
class Place:
    """The text of a finding's file, and the bytes [begin, end) of its place."""

    file: str
    text: str
    begin: int
    end: int


def place(finding: Finding) -> Place:
    """Latin-1, so that characters are bytes."""
    where = finding.location
    try:
        text = Path(where.file).read_bytes().decode("latin-1")
    except OSError as error:
        raise Refused(f"cannot read {where.file}: {error.strerror}") from error
    lines = text.split("\n")
    if not 1 <= where.line <= len(lines):
        raise Refused("its line is not in the file")
    begin = sum(len(line) + 1 for line in lines[: where.line - 1]) + max(0, where.column - 1)
    return Place(where.file, text, begin, _call_end(text, begin))


def blank(text: str) -> str:
    """The text with comments and the insides of strings made blank, at its length."""

    def gone(match: re.Match[str]) -> str:
        found = match[0]
        inner = found if found[0] == "/" else found[1:-1]
        empty = "".join(char if char == "\n" else " " for char in inner)
        return empty if found[0] == "/" else found[0] + empty + found[-1]

    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", gone, text, flags=re.DOTALL)


def _call_end(text: str, begin: int) -> int:
    """The end of the call that begins there: behind the parenthesis that closes its arguments."""
    plain = blank(text)
    match = re.compile(r"[\w:.]+(?:->[\w:]+)*\s*\(").match(plain, begin)
    if match is None:
        return begin
    return closing(plain, match.end() - 1) + 1


def closing(plain: str, at: int) -> int:
    """Where the parenthesis or bracket that opens at `at` closes."""
    depth = 0
    for index in range(at, len(plain)):
        if plain[index] in "([{":
            depth += 1
        elif plain[index] in ")]}":
            depth -= 1
            if depth == 0:
                return index
    raise Refused("a parenthesis is never closed")


def argument_spans(plain: str, begin: int, close: int) -> list[tuple[int, int]]:
    """The spans of a call's arguments."""
    spans, start, depth = list[tuple[int, int]](), begin, 0
    for index in range(begin, close):
        if plain[index] in "([{":
            depth += 1
        elif plain[index] in ")]}":
            depth -= 1
        elif plain[index] == "," and depth == 0:
            spans.append((start, index))
            start = index + 1
    return [*spans, (start, close)]


def without_statement(at: Place) -> Edit:
    """Takes a call away that is a statement of its own. Where it is all that an `if` or a loop governs, an empty one
    stays."""
    if is_fortran_file(Path(at.file)):
        return _without_call(at)
    plain = blank(at.text)
    behind = re.compile(r"\s*;").match(plain, at.end)
    if at.end <= at.begin or behind is None:
        raise Refused("it is no statement of its own: its value is used, or a macro makes it")
    before = plain[: at.begin].rstrip()
    if before.endswith(("=", "return", ",", "(", "?", "&&", "||")):
        raise Refused("its value is used")
    own_line = not before or before[-1] in ";{}" or re.search(r"\n[ \t]*#[^\n]*$", at.text[: at.begin].rstrip())
    begin_of_line = at.text.rfind("\n", 0, at.begin) + 1
    end_of_line = at.text.find("\n", behind.end())
    alone = not at.text[begin_of_line : at.begin].strip() and not at.text[behind.end() : end_of_line].strip()
    if own_line and alone and end_of_line >= 0:
        return Edit(at.file, begin_of_line, end_of_line + 1, "")
    return Edit(at.file, at.begin, behind.end(), ";")


_CALL = re.compile(r"[ \t]*call\s+\w+\s*(?:\((?:[^()'\"!;&]|\([^()'\"!;&]*\))*\))?\s*(?:!.*)?", re.IGNORECASE)


def _without_call(at: Place) -> Edit:
    """Takes a line of Fortran away that is one call. Blocks and loops may be empty there."""
    begin = at.text.rfind("\n", 0, at.begin) + 1
    end = at.text.find("\n", at.begin) + 1 or len(at.text)
    following = at.text[end:].split("\n", 1)[0]
    # A mark in the sixth column continues the line in fixed form; in free form the call would end with one.
    if not _CALL.fullmatch(at.text[begin:end].rstrip()) or re.match(r" {5}[^ 0]", following):
        raise Refused("its line is more than one call, or it goes on in the next one")
    return Edit(at.file, begin, end, "")
