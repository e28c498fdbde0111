"""Sums of real loops under a critical section, or a reduction undone."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import OPENMP, body, candidates, indentation, is_plain, own_statements

_SUM = re.compile(r"([A-Za-z_]\w*)\s*(?:\+=[^;]*|=\s*\1\s*\+[^;]*);")
_REDUCED = re.compile(
    r"^([ \t]*#\s*pragma\s+omp\b[^\n]*?)\s*reduction\s*\(\s*\+\s*:\s*(\w+)\s*\)([^\n]*)$", re.MULTILINE
)


def _sums(source: Source, rng: random.Random) -> list[Injection]:
    found = []
    for loop in candidates(source):
        declared = set(re.findall(r"\b(?:double|float|int|long|Real_t|size_t)\s+(\w+)", body(source, loop)))
        for number, text in own_statements(source, loop):
            match = _SUM.fullmatch(text)
            if not match or match[1] in declared or match[1] == loop.variable or not is_plain(text):
                continue
            if len(re.findall(rf"\b{match[1]}\b", body(source, loop))) > text.count(match[1]):
                continue
            pad = indentation(source, number)
            name = rng.choice(("", "(update)"))
            lines = [f"{pad}#pragma omp critical{name}", source.lines[number - 1]]
            if rng.random() < 0.5:
                lines = [lines[0], pad + "{", lines[1], pad + "}"]
            wrapped = "{" if not loop.braces and len(lines) > 2 else ""
            text_lines = list(source.lines)
            text_lines[number - 1 : number] = lines
            text_lines.insert(loop.line - 1, "#pragma omp parallel for")
            if wrapped and text_lines[loop.line].rstrip().endswith("{"):
                continue
            found.append(Injection("\n".join(text_lines), (number + 1,), f"'{match[1]}' summed under critical", OPENMP))
    return found


def _undone(source: Source) -> list[Injection]:
    found = []
    for match in _REDUCED.finditer(source.text):
        line = source.line_of(match.start())
        loop = next((x for x in source.loops() if line < x.line <= line + 2), None)
        if not loop:
            continue
        for number, text in own_statements(source, loop):
            update = _SUM.fullmatch(text)
            if not update or update[1] != match[2] or not is_plain(text):
                continue
            lines = list(source.lines)
            lines[line - 1] = f"{match[1]}{match[3]}"
            lines.insert(number - 1, "#pragma omp critical")
            found.append(Injection("\n".join(lines), (number,), f"the reduction of '{match[2]}' undone", OPENMP))
    return found


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = _sums(source, rng) + (_undone(source) if source.openmp else [])
    rng.shuffle(found)
    yield from found
