"""Dynamic schedules, with small chunks, on real loops whose iterations are alike."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import OPENMP, body, candidates, is_plain

_FOR = re.compile(
    r"^[ \t]*#\s*pragma\s+omp\s+(?:parallel\s+)?for\b(?![^\n]*(?:schedule|ordered|\\$))[^\n]*$", re.MULTILINE
)


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = []
    clauses = ("schedule(dynamic)", "schedule(dynamic, 1)", "schedule(dynamic, 4)")
    for loop in candidates(source):
        if not re.search(r"[A-Za-z_]\w*\s*$", loop.parts[1]) or re.search(r"\b[A-Z_0-9]+\s*$", loop.parts[1]):
            continue  # perhaps a few components
        if is_plain(body(source, loop)) and not re.search(r"->\s*next\b", body(source, loop)):
            clause = rng.choice(clauses)
            text = source.insert(loop.line, f"#pragma omp parallel for {clause}")
            found.append(Injection(text, (loop.line,), f"{clause} on equal iterations", OPENMP))
    for match in _FOR.finditer(source.text) if source.openmp else ():
        line = source.line_of(match.start())
        loops = [x for x in source.loops() if x.line == line + 1]
        if loops and is_plain(body(source, loops[0])) and "[" in body(source, loops[0]):
            clause = rng.choice(clauses)
            text = source.replace(line, line, f"{source.lines[line - 1].rstrip()} {clause}")
            found.append(Injection(text, (line,), f"{clause} on a shared loop", OPENMP))
    rng.shuffle(found)
    yield from found
