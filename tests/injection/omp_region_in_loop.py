"""The inner loop of a real nest shared instead of the outer one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Loop, Source
from injection._loops import OPENMP, body, candidates, is_plain

_TARGET = re.compile(r"([A-Za-z_][\w.>-]*(?:\[[^\];=]*\])+)\s*[-+*/]?=[^=]")


def _few(source: Source, loop: Loop) -> bool:
    """Whether the loop has a few iterations, or perhaps: as many as a macro says that other files define."""
    bound = source.constant_bound(loop)
    return bound < 16 if bound is not None else bool(re.search(r"\b[A-Z][A-Z_0-9]+\s*$", loop.parts[1]))


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    found = []
    for inner in candidates(source):
        text = body(source, inner)
        outer = [x for x in source.loops() if x.begin < inner.begin and inner.end <= x.end]
        if not outer or not is_plain(text):
            continue
        around = outer[-1]
        targets = _TARGET.findall(text)
        moves = [t for t in targets if all(re.search(rf"\b{v}\b", t) for v in (inner.variable, around.variable))]
        if not moves or len(moves) < len(targets) or re.search(rf"\b{around.variable}\b", inner.header):
            continue
        if any(_few(source, loop) for loop in (inner, around)):
            continue
        new = source.insert(inner.line, "#pragma omp parallel for")
        found.append(Injection(new, (inner.line,), f"a team per iteration of '{around.variable}'", OPENMP))
    rng.shuffle(found)
    yield from found
