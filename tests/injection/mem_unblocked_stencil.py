"""Stencils over volumes whose planes outgrow the cache, in front of functions of real files."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source


def _stencil(rng: random.Random, tag: str) -> tuple[list[str], int]:
    value = rng.choice(("double", "double", "float"))
    rows, columns, planes = rng.randint(600, 900), rng.randint(600, 900), rng.randint(30, 400)
    index = rng.choice(("int", "long"))
    flat = rng.random() < 0.5

    def at(array: str, i: str, j: str, k: str) -> str:
        return f"{array}[(({i}) * {rows} + {j}) * {columns} + {k}]" if flat else f"{array}[{i}][{j}][{k}]"

    terms = [at("u", "i", "j", "k")]
    for distance in range(1, rng.randint(1, 3) + 1):
        for sign in "+-":
            terms += [at("u", f"i {sign} {distance}", "j", "k"), at("u", "i", f"j {sign} {distance}", "k")]
            terms.append(at("u", "i", "j", f"k {sign} {distance}"))
    kind = "*{}" if flat else f"(*{{}})[{rows}][{columns}]"
    text = [
        f"void spread_{tag}(const {value} {kind.format('u')}, {value} {kind.format('v')}, {value} rate) {{",
        f"  for ({index} i = 3; i < {planes - 3}; i++)",
        f"    for ({index} j = 3; j < {rows - 3}; j++)",
        f"      for ({index} k = 3; k < {columns - 3}; k++)",
        f"        {at('v', 'i', 'j', 'k')} = rate * ({' + '.join(terms)});",
        "}",
    ]
    loop = 1
    if rng.random() < 0.3:
        text.insert(1, "  for (int t = 0; t < 100; t++)")
        loop = 2
    return text, loop


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    functions = [f for f in source.functions() if f.body_end > f.body_begin]
    rng.shuffle(functions)
    for number, function in enumerate(functions):
        line = function.begin
        previous = next((x.strip() for x in reversed(source.masked.split("\n")[: line - 1]) if x.strip()), "")
        if not source.is_unconditional(line) or (previous and not previous.endswith((";", "}"))):
            continue
        text, loop = _stencil(rng, f"{number}x{rng.randint(0, 999)}")
        yield Injection(source.insert(line, "\n".join(text)), (line + loop,), "a stencil over planes of many megabytes")
