"""Variants of mem-handwritten-matmul."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from style import EXPECT, Shape, Style, headers, indent, lines

PRODUCT = EXPECT.format("mem-handwritten-matmul")
STRIDED = EXPECT.format("mem-strided-inner-loop")


@dataclass
class Matrices:
    """Three matrices of a variant: (rows, sum), (sum, columns), (rows, columns)."""

    prelude: str
    parameters: str
    names: tuple[str, str, str]
    extents: tuple[str, str, str]  # rows, columns, length of the sum
    cell: Callable[[int, str, str], str]
    value: str


# One way to write a matrix after the other, complexity 37.
def matrices(style: Style, transposed: bool = False, small: bool = False) -> Matrices:
    """Declares them; `transposed` stores the second one by columns, `small` gives constant orders of a few elements."""
    left, right, out, rows, columns, length = style.names(6)
    value = style.pick("double", "float", *(() if small else ("double",)))
    low, high = (3, 12) if small else (150, 900)
    constant = style.constant or small
    sizes = [style.rng.randint(low, high) for _ in range(3)]
    defines = "\n".join(f"#define {n} {s}" for n, s in zip((rows, columns, length), sizes, strict=True))
    t = style.index
    passed = "" if constant else f", {t} {rows}, {t} {columns}, {t} {length}"
    prelude = defines if constant else ""
    names = (left, right, out)
    pitches = (length, length if transposed else columns, columns)

    def offset(m: int, x: str, y: str) -> str:
        return f"({y}) * {pitches[m]} + ({x})" if transposed and m == 1 else f"({x}) * {pitches[m]} + ({y})"

    kind = style.pick("plain", "macro", "rows", *(("operator", "nested") if style.cxx else ("inline",)))
    if constant and style.rng.random() < 0.4:
        shapes = [(rows, length), (columns, length) if transposed else (length, columns), (rows, columns)]
        fill = style.name()
        prelude = lines(
            prelude, *(f"{value} {n}[{x}][{y}];" for n, (x, y) in zip(names, shapes, strict=True)),
            f"void {fill}({value} by) {{\n  {left}[1][0] = by;\n  {right}[0][1] = by;\n}}",
        )  # fmt: skip
        return Matrices(
            prelude, "" if style.cxx else "void", names, (rows, columns, length),
            lambda m, x, y: f"{names[m]}[{y}][{x}]" if transposed and m == 1 else f"{names[m]}[{x}][{y}]", value,
        )  # fmt: skip
    pointers = f"const {value} *{left}, const {value} *{right}, {value} *{out}{passed}"
    if kind == "macro":
        at = style.name().upper()
        prelude = lines(prelude, f"#define {at}(m, x, y, n) ((m)[(x) * (n) + (y)])")
        return Matrices(
            prelude, pointers, names, (rows, columns, length),
            lambda m, x, y: f"{at}({names[m]}, {y if transposed and m == 1 else x}, "
            f"{x if transposed and m == 1 else y}, {pitches[m]})", value,
        )  # fmt: skip
    if kind == "inline":
        at = style.name()
        prelude = lines(
            prelude, f"static inline {value} *{at}(const {value} *m, {t} x, {t} y, {t} n) {{",
            f"  return ({value} *)m + x * n + y;\n}}",
        )  # fmt: skip
        return Matrices(
            prelude, pointers, names, (rows, columns, length),
            lambda m, x, y: f"*{at}({names[m]}, {y if transposed and m == 1 else x}, "
            f"{x if transposed and m == 1 else y}, {pitches[m]})", value,
        )  # fmt: skip
    if kind in ("rows", "nested"):
        table = f"std::vector<std::vector<{value}>> &" if kind == "nested" else f"{value} **"
        prelude = lines("#include <vector>" if kind == "nested" else "", prelude)
        return Matrices(
            prelude, ", ".join(f"{table}{n}" for n in names) + passed, names, (rows, columns, length),
            lambda m, x, y: f"{names[m]}[{y}][{x}]" if transposed and m == 1 else f"{names[m]}[{x}][{y}]", value,
        )  # fmt: skip
    if kind == "operator":
        record, data, pitch = style.names(3)
        prelude = lines(
            "#include <vector>", prelude, f"struct {record} {{",
            f"  {value} &operator()({t} x, {t} y) {{ return {data}[x * {pitch} + y]; }}",
            f"  {t} {pitch};\n  std::vector<{value}> {data};\n}};",
        )  # fmt: skip
        return Matrices(
            prelude, ", ".join(f"{record} &{n}" for n in names) + passed, names, (rows, columns, length),
            lambda m, x, y: f"{names[m]}({y}, {x})" if transposed and m == 1 else f"{names[m]}({x}, {y})", value,
        )  # fmt: skip
    return Matrices(
        prelude, pointers, names, (rows, columns, length), lambda m, x, y: f"{names[m]}[{offset(m, x, y)}]", value
    )


def product(style: Style, m: Matrices, order: str, notes: tuple[str, str], scalar: bool) -> str:
    """The loops in this order of i (rows), j (columns) and k; notes stand above the outermost and the innermost."""
    i, j, k, total = style.names(4)
    names = {"i": i, "j": j, "k": k}
    bounds = dict(zip("ijk", m.extents, strict=True))
    heads = [style.loop(names[x], "0", bounds[x]) for x in order]
    term = style.pick(f"{m.cell(0, i, k)} * {m.cell(1, k, j)}", f"{m.cell(1, k, j)} * {m.cell(0, i, k)}")
    if scalar:
        inner = lines(f"{m.value} {total} = 0;", notes[1], heads[2] + " {", f"  {total} += {term};", "}")
        target = style.pick(f"{m.cell(2, i, j)} = {total};", f"{m.cell(2, i, j)} += 2 * {total};")
        inner += target + "\n"
    else:
        inner = lines(notes[1], heads[2] + " {", f"  {m.cell(2, i, j)} += {term};", "}")
    return lines(notes[0], heads[0] + " {", indent(lines(heads[1] + " {", indent(inner), "}")), "}")


def function(style: Style, m: Matrices, content: str) -> str:
    return lines(headers(style), m.prelude, f"void {style.name()}({m.parameters}) {{", indent(content), "}")


def loud_strided(style: Style) -> str:
    m = matrices(style)
    scalar = style.helper
    order = style.pick("ijk", "jik") if scalar else style.pick("ijk", "jik", "jki", "kji")
    return function(style, m, product(style, m, order, (PRODUCT, STRIDED), scalar))


def loud_contiguous(style: Style) -> str:
    m = matrices(style)
    return function(style, m, product(style, m, style.pick("ikj", "kij"), (PRODUCT, ""), False))


def loud_transposed(style: Style) -> str:
    m = matrices(style, transposed=True)
    return function(style, m, product(style, m, style.pick("ijk", "jik"), (PRODUCT, ""), True))


def silent_small(style: Style) -> str:
    m = matrices(style, small=True)
    return function(style, m, product(style, m, style.pick("ijk", "ikj", "jik"), ("", ""), False))


def silent_blocked(style: Style) -> str:
    a, b, c, n, f = style.names(5)
    style.index = style.pick("int", "long")
    t = style.index
    block = style.rng.choice((32, 48, 64))
    i, j, k, ii, jj, kk = style.names(6)
    outer = [(ii, i), (kk, k), (jj, j)]
    style.rng.shuffle(outer)
    text = f"{c}[{i} * {n} + {j}] += {a}[{i} * {n} + {k}] * {b}[{k} * {n} + {j}];"
    for variable, start in ((j, jj), (k, kk), (i, ii)):
        end = f"({start} + {block} < {n} ? {start} + {block} : {n})"
        text = lines(f"for ({t} {variable} = {start}; {variable} < {end}; {variable}++) {{", indent(text), "}")
    for start, _ in outer:
        text = lines(f"for ({t} {start} = 0; {start} < {n}; {start} += {block}) {{", indent(text), "}")
    return lines(
        headers(style), f"void {f}(const double *{a}, const double *{b}, double *{c}, {t} {n}) {{", indent(text), "}"
    )


def silent_elimination(style: Style) -> str:
    a, n, f, i, j, k = style.names(6)
    style.index = style.pick("int", "long")
    t = style.index
    return lines(
        headers(style), f"void {f}(double *{a}, {t} {n}) {{", f"  {style.loop(k, '0', n)} {{",
        f"    {style.loop(i, f'{k} + 1', n)} {{", f"      {style.loop(j, f'{k} + 1', n)} {{",
        f"        {a}[{i} * {n} + {j}] -= {a}[{i} * {n} + {k}] * {a}[{k} * {n} + {j}];", "      }\n    }\n  }\n}",
    )  # fmt: skip


def silent_sparse(style: Style) -> str:
    begin, column, v, x, y, n, width, f, i, j, p = style.names(11)
    style.index = style.pick("int", "long")
    t = style.index
    return lines(
        headers(style),
        f"void {f}({t} {n}, {t} {width}, const {t} *{begin}, const {t} *{column}, const float *{v}, const float *{x},",
        f"         float *{y}) {{", f"  {style.loop(i, '0', n)} {{",
        f"    {style.loop(p, f'{begin}[{i}]', f'{begin}[{i} + 1]')} {{", f"      {style.loop(j, '0', width)} {{",
        f"        {y}[{i} * {width} + {j}] += {v}[{p}] * {x}[{column}[{p}] * {width} + {j}];", "      }\n    }\n  }\n}",
    )  # fmt: skip


def silent_window(style: Style) -> str:
    w, x, y, n, taps, width, f, i, j, k = style.names(10)
    style.index = style.pick("int", "long")
    t = style.index
    return lines(
        headers(style),
        f"void {f}({t} {n}, {t} {width}, {t} {taps}, const double *{w}, const double *{x}, double *{y}) {{",
        f"  {style.loop(i, '0', n)} {{", f"    {style.loop(j, '0', f'{width} - {taps}')} {{",
        f"      {style.loop(k, '0', taps)} {{",
        f"        {y}[{i} * {width} + {j}] += {w}[{i} * {taps} + {k}] * {x}[{j} + {k}];", "      }\n    }\n  }\n}",
    )  # fmt: skip


LOUD: dict[str, Shape] = {
    "strided": loud_strided,
    "contiguous": loud_contiguous,
    "transposed": loud_transposed,
}
SILENT: dict[str, Shape] = {
    "small": silent_small,
    "blocked": silent_blocked,
    "elimination": silent_elimination,
    "sparse": silent_sparse,
    "window": silent_window,
}
