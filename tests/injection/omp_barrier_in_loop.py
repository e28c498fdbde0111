"""Explicit barriers behind work-sharing loops of a team, where the loop's own barrier has just passed."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source

_FOR = re.compile(r"^[ \t]*#\s*pragma\s+omp\s+for\b(?![^\n]*nowait)", re.MULTILINE)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    if not source.openmp:
        return
    every = source.loops()
    loops = []
    for match in _FOR.finditer(source.text):
        line = source.line_of(match.start())
        behind = next((loop for loop in every if line < loop.line <= line + 3), None)
        # In a loop of the team: elsewhere the barrier costs once and is not this rule's affair.
        if behind and behind.depth:
            loops.append(behind)
    rng.shuffle(loops)
    for loop in loops:
        text = source.insert(loop.end_line + 1, "#pragma omp barrier")
        yield Injection(text, (loop.end_line + 1,), "a barrier behind the barrier of a work-sharing loop")
