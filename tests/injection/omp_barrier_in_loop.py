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
    lines = [source.line_of(match.start()) for match in _FOR.finditer(source.text)]
    loops = [loop for loop in source.loops() if any(line < loop.line <= line + 3 for line in lines)]
    rng.shuffle(loops)
    for loop in loops:
        text = source.insert(loop.end_line + 1, "#pragma omp barrier")
        yield Injection(text, (loop.end_line + 1,), "a barrier behind the barrier of a work-sharing loop")
