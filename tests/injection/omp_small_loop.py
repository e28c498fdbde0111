"""Teams for loops of a few cheap iterations: real loops whose bound became a small constant."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import OPENMP, body, candidates, is_plain


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = []
    for loop in candidates(source):
        first, condition, _ = loop.parts
        zero = re.search(r"=\s*0\s*$", first)
        if not zero or "<" not in condition or not is_plain(body(source, loop)) or loop.function.name == "main":
            continue
        trips = rng.randint(3, 24)
        header = f"{first}; {loop.variable} < {trips}; {loop.parts[2]}"
        text = source.text[: loop.header_begin] + header + source.text[loop.header_end :]
        lines = text.split("\n")
        lines.insert(loop.line - 1, "#pragma omp parallel for")
        found.append(Injection("\n".join(lines), (loop.line,), f"a team for {trips} iterations", OPENMP))
    rng.shuffle(found)
    yield from found
