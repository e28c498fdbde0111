"""Transposes with rows of a power of two, and planes of a power of two walked side by side."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source


def _turn(rng: random.Random, tag: str) -> tuple[list[str], int]:
    value, pitch = rng.choice((("double", 512), ("double", 1024), ("float", 1024), ("double", 2048), ("float", 4096)))
    index = rng.choice(("int", "long", "unsigned long"))
    flat = rng.random() < 0.5
    rows = rng.choice((pitch, pitch - 2, pitch // 2))
    into = f"to[j * {pitch} + i]" if flat else "to[j][i]"
    read = f"from[i * {pitch} + j]" if flat else "from[i][j]"
    kind = "*{}" if flat else f"(*{{}})[{pitch}]"
    restrict = rng.choice(("", "__restrict "))
    work = rng.choice((f"{into} = {read};", f"{into} += 2 * {read};", f"{into} = {read} > 0 ? {read} : 0;"))
    text = [
        f"void turn_{tag}({value} {kind.format(restrict + 'to')}, const {value} {kind.format('from')}) {{",
        f"  for ({index} i = 0; i < {rows}; i++)",
        f"    for ({index} j = 0; j < {rows}; j++)",
        f"      {work}",
        "}",
    ]
    return text, 2


def _planes(rng: random.Random, tag: str) -> tuple[list[str], int]:
    count, cells = rng.randint(10, 27), 1 << rng.randint(13, 20)
    value = rng.choice(("double", "float"))
    text = [
        f"{value} moments_{tag}({value} (*f)[{cells}], {value} rate) {{",
        f"  {value} most = 0;",
        f"  for (int c = 0; c < {cells}; c++) {{",
        f"    {value} sum = 0;",
        f"    for (int q = 0; q < {count}; q++)",
        "      sum += f[q][c];",
        f"    for (int q = 0; q < {count}; q++)",
        "      f[q][c] -= rate * sum;",
        "    most += sum;",
        "  }",
        "  return most;",
        "}",
    ]
    return text, 2


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    functions = [f for f in source.functions() if f.body_end > f.body_begin]
    rng.shuffle(functions)
    for number, function in enumerate(functions):
        line = function.begin
        previous = next((x.strip() for x in reversed(source.masked.split("\n")[: line - 1]) if x.strip()), "")
        if not source.is_unconditional(line) or (previous and not previous.endswith((";", "}"))):
            continue
        tag = f"{number}x{rng.randint(0, 999)}"
        shape, what = rng.choice(
            ((_turn, "a transpose with rows of a power of two"), (_planes, "planes of a power of two"))
        )
        text, loop = shape(rng, tag)
        yield Injection(source.insert(line, "\n".join(text)), (line + loop,), what)
