"""Matrix products by hand: as a helper in front of a function, or between the statements of one."""

from __future__ import annotations

import random
from collections.abc import Iterator

from injection import Injection, Source


def _cell(matrix: str, x: str, y: str, pitch: str, form: str) -> str:
    return f"{matrix}[{x}][{y}]" if form == "rows" else f"{matrix}[({x}) * {pitch} + {y}]"


def _loops(rng: random.Random, form: str, value: str, index: str, sizes: tuple[str, str, str], tag: str) -> list[str]:
    """The nest, its first line the outermost loop."""
    rows, columns, length = sizes
    a, b, c = (f"{name}_{tag}" for name in ("lhs", "rhs", "out"))
    bounds = {"i": rows, "j": columns, "k": length}
    order = rng.choice(("ijk", "jik", "jki", "ijk"))
    head = [f"for ({index} {x} = 0; {x} < {bounds[x]}; {rng.choice((f'{x}++', f'++{x}'))})" for x in order]
    left = _cell(a, "i", "k", length, form)
    right = _cell(b, "k", "j", columns, form)
    if rng.random() < 0.25 and order[2] == "k":
        left = _cell(a, "k", "i", rows, form)  # the first factor transposed
    target = _cell(c, "i", "j", columns, form)
    term = rng.choice((f"{left} * {right}", f"{right} * {left}"))
    if order[2] == "k" and rng.random() < 0.6:
        inner = [f"{value} sum = 0;", head[2], f"  sum += {term};", f"{target} = sum;"]
    else:
        inner = [head[2], f"  {target} += {term};"]
    return [head[0], f"  {head[1]} {{", *(f"    {line}" for line in inner), "  }"]


def inject(source: Source, rng: random.Random) -> Iterator[Injection]:
    functions = [f for f in source.functions() if f.body_end > f.body_begin]
    rng.shuffle(functions)
    for number, function in enumerate(functions):
        if not source.is_unconditional(function.begin):
            continue
        tag = f"{number}x{rng.randint(0, 999)}"
        value = rng.choice(("double", "double", "float"))
        index = rng.choice(("int", "unsigned long", "long"))
        loops = [x for x in source.loops() if x.function == function and x.depth == 0]
        if loops and rng.random() < 0.4:
            size = str(rng.randint(120, 900))
            nest = _loops(rng, "rows", value, index, (size, size, size), tag)
            text = [f"static {value} {name}_{tag}[{size}][{size}];" for name in ("lhs", "rhs", "out")]
            text = ["{", *text, f"lhs_{tag}[1][2] = 1;", f"rhs_{tag}[2][1] = 1;", *nest]
            text += [f'__asm__ volatile("" : : "r"(&out_{tag}) : "memory");', "}"]
            line = rng.choice(loops).line
            first = line + text.index(nest[0])
            previous = source.masked.split("\n")[line - 2].rstrip() if line >= 2 else ""
            if not previous.endswith((";", "{", "}")) and previous:
                continue
            what = "a product of three static arrays"
        else:
            line = function.begin
            previous = next((x.strip() for x in reversed(source.masked.split("\n")[: line - 1]) if x.strip()), "")
            if previous and not previous.endswith((";", "}")):
                continue
            form = rng.choice(("flat", "flat", "rows"))
            kind = f"{value} *" if form == "flat" else f"{value} **"
            if source.cxx and rng.random() < 0.3 and "#include <vector>" in source.text:
                form, kind = "rows", f"std::vector<std::vector<{value}> > &"
            nest = _loops(rng, form, value, index, ("rows", "columns", "length"), tag)
            parameters = ", ".join(f"{kind}{name}_{tag}" for name in ("lhs", "rhs", "out"))
            text = [f"void product_{tag}({parameters}, {index} rows, {index} columns, {index} length) {{", *nest, "}"]
            first = line + 1
            what = "a product of matrices of run-time size in a function of its own"
        yield Injection(source.insert(line, "\n".join(text)), (first,), what)
