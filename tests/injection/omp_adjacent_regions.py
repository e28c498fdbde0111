"""A loop of several statements split into loops with a region each, in a loop that repeats them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import OPENMP, body, candidates, is_plain, own_statements


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = []
    for loop in candidates(source):
        statements = own_statements(source, loop)
        text = body(source, loop)
        if len(statements) < 2 or text.count(";") != len(statements) or not is_plain(text):
            continue
        if any(re.match(r"(const|double|float|int|long|auto|Real_t|Index_t)\b", s) for _, s in statements):
            continue
        if any(not re.match(r"[\w.>-]+(\[[^\]]*\])+\s*[-+*/]?=", s) for _, s in statements):
            continue
        cut = rng.randint(1, len(statements) - 1)
        parts = [statements[:cut], statements[cut:]]
        repeats, name = rng.randint(20, 900), f"repeat_{rng.randint(0, 99)}"
        lines = [f"for (int {name} = 0; {name} < {repeats}; {name}++) {{"]
        for part in parts:
            lines += ["#pragma omp parallel for", f"for ({loop.header}) {{", *(s for _, s in part), "}"]
        new = source.replace(loop.line, loop.end_line, "\n".join([*lines, "}"]))
        found.append(Injection(new, (loop.line + 1,), f"{len(parts)} regions for one loop's statements", OPENMP))
    rng.shuffle(found)
    yield from found
