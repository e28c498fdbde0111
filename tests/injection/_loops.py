"""Loops of real code that OpenMP constructs are put on by the injectors of the OpenMP rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from injection import Loop, Source

OPENMP = ("-fopenmp",)
_PRAGMA = re.compile(r"^\s*#\s*pragma\s+omp\b")
_CALL = re.compile(r"\b(?!(?:if|for|while|sizeof|fabs|sqrt|pow|exp|max|min|MAX|MIN)\b)[A-Za-z_]\w*\s*\(")


def body(source: Source, loop: Loop) -> str:
    """Text of a loop's body, masked."""
    return source.masked[loop.body_begin : loop.end]


def indentation(source: Source, line: int) -> str:
    found = re.match(r"\s*", source.lines[line - 1])
    return found[0] if found else ""


def stands_alone(source: Source, loop: Loop) -> bool:
    """Whether the `for` begins its line, under no directive, in a function without OpenMP around it."""
    if not re.match(r"\s*for\b", source.lines[loop.line - 1]) or not re.search(r"[<>]", loop.parts[1]):
        return False
    before = source.lines[: loop.line - 1]
    conditions = sum(bool(re.match(r"\s*#\s*if", x)) - bool(re.match(r"\s*#\s*endif", x)) for x in before)
    if conditions > (source.path.suffix.startswith(".h")):
        return False  # perhaps not compiled
    around = before[loop.function.begin - 1 :]
    return not any(_PRAGMA.match(line) for line in around)


def is_plain(text: str) -> bool:
    """Only assignments: no calls, allocations, jumps, branches or loops."""
    return (
        not _CALL.search(text)
        and ".*" not in text
        and not re.search(r"\b(if|for|while|switch|do|goto|break|return|continue|new|delete)\b|\?", text)
    )


def own_statements(source: Source, loop: Loop) -> list[tuple[int, str]]:
    """(1-based line, statement) of the assignments that stand alone on their lines in the loop, not in inner loops."""
    inner = [other for other in source.loops() if loop.begin < other.begin < loop.end]
    lines = source.masked.split("\n")
    found = []
    for number in range(source.line_of(loop.body_begin), loop.end_line + 1):
        if any(other.line <= number <= other.end_line for other in inner):
            continue
        text = lines[number - 1].strip()
        if re.fullmatch(r"[^=;{}]*[\w\])\s][-+*/]?=[^=;{}]*;", text) and not re.match(r"(for|if|while)\b", text):
            found.append((number, text))
    return found


def candidates(source: Source) -> Iterator[Loop]:
    """Counted loops outside every construct."""
    for loop in source.loops():
        if stands_alone(source, loop):
            yield loop


def long_loops(source: Source) -> list[Loop]:
    """Loops that are compiled for sure, step by one, run more than 1,000 times or unknown often, and stand on lines of
    their own, so that statements can go before them."""
    return [
        loop
        for loop in source.loops()
        if loop.parts[2].replace(" ", "") in (f"{loop.variable}++", f"++{loop.variable}")
        and (source.constant_bound(loop) or 10000) > 1000
        and source.is_unconditional(loop.line)
        and not source.lines[loop.line - 2].lstrip().startswith("#")
        and not source.lines[loop.line - 1][: loop.begin - source.text.rfind("\n", 0, loop.begin) - 1].strip()
    ]
