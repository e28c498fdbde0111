"""The inner loop of a real nest shared instead of the outer one."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from injection import Injection, Source
from injection._loops import OPENMP, body, candidates, is_plain

_TARGET = re.compile(r"([A-Za-z_][\w.>-]*(?:\[[^\];=]*\])+)\s*[-+*/]?=[^=]")


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
        few = re.search(r"<=?\s*(\d+)\s*$", around.parts[1])
        if few and int(few[1]) < 16:
            continue
        new = source.insert(inner.line, "#pragma omp parallel for")
        found.append(Injection(new, (inner.line,), f"a team per iteration of '{around.variable}'", OPENMP))
    rng.shuffle(found)
    yield from found
