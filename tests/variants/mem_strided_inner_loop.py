"""Variants of mem-strided-inner-loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from style import EXPECT, Shape, Style, headers, indent, lines


@dataclass
class Grid:
    """How a variant declares two arrays of one shape and addresses them.

    `fast` tells which of the two indices moves to the neighbouring element.
    """

    prelude: str
    parameters: str
    setup: str
    arrays: tuple[str, str]
    extents: tuple[str, str]
    cell: Callable[[str, str, str], str]


def grid(style: Style, fast: int = 1, extents: tuple[int, int] | None = None) -> Grid:
    first, second = style.names(2)
    a, b = style.names(2)
    value = style.pick("double", "float")
    rows, columns = extents or (style.rng.randint(900, 1400), style.rng.randint(900, 1400))

    def offset(x: str, y: str, bounds: tuple[str, str] = (first, second)) -> str:
        slow, quick, pitch = (x, y, bounds[1]) if fast == 1 else (y, x, bounds[0])
        return f"({slow}) * {pitch} + ({quick})"

    constants = f"#define {first} {rows}\n#define {second} {columns}"
    sizes = "" if style.constant else f", {style.index} {first}, {style.index} {second}"
    pointers = f"{value} *{a}, {value} *{b}{sizes}"
    prelude = constants if style.constant else ""
    kinds = ["macro", "inline", "plain"] + (["lambda", "member", "operator"] if style.cxx else ["record"])
    if style.constant:
        kinds.append("array")
    kind = style.pick(*kinds)
    if kind == "plain":
        return Grid(prelude, pointers, "", (a, b), (first, second), lambda m, x, y: f"{m}[{offset(x, y)}]")
    if kind == "macro":
        macro = style.name().upper()
        prelude = lines(prelude, f"#define {macro}(m, x, y) ((m)[{offset('x', 'y')}])")
        return Grid(prelude, pointers, "", (a, b), (first, second), lambda m, x, y: f"{macro}({m}, {x}, {y})")
    if kind == "array":
        shape = f"[{first}][{second}]" if fast == 1 else f"[{second}][{first}]"
        prelude = lines(prelude, f"{value} {a}{shape};", f"{value} {b}{shape};")
        unused = "" if style.cxx else "void"
        return Grid(
            prelude, unused, "", (a, b), (first, second),
            lambda m, x, y: f"{m}[{x}][{y}]" if fast == 1 else f"{m}[{y}][{x}]",
        )  # fmt: skip
    if kind == "inline":
        at = style.name()
        arguments = f"{value} *m, {style.index} x, {style.index} y"
        passed = "" if style.constant else f", {second if fast == 1 else first}"
        pitch = second if fast == 1 else first
        more = "" if style.constant else f", {style.index} {pitch}"
        prelude = lines(prelude, f"static inline {value} *{at}({arguments}{more}) {{ return &m[{offset('x', 'y')}]; }}")
        return Grid(prelude, pointers, "", (a, b), (first, second), lambda m, x, y: f"*{at}({m}, {x}, {y}{passed})")
    if kind == "lambda":
        at = style.name()
        arguments = f"{value} *m, {style.index} x, {style.index} y"
        setup = f"auto {at} = [=]({arguments}) -> {value} & {{ return m[{offset('x', 'y')}]; }};"
        return Grid(prelude, pointers, setup, (a, b), (first, second), lambda m, x, y: f"{at}({m}, {x}, {y})")
    record, data, at = style.names(3)
    if kind == "record":
        own = (f"m->{first}", f"m->{second}")
        prelude = lines(
            f"struct {record} {{\n  {value} *{data};\n  {style.index} {first}, {second};\n}};",
            f"static inline {value} *{at}(const struct {record} *m, {style.index} x, {style.index} y) {{",
            f"  return &m->{data}[{offset('x', 'y', own)}];\n}}",
        )
        parameters = f"const struct {record} *{a}, const struct {record} *{b}"
        return Grid(
            prelude, parameters, "", (a, b), (f"{a}->{first}", f"{a}->{second}"),
            lambda m, x, y: f"*{at}({m}, {x}, {y})",
        )  # fmt: skip
    method = "operator()" if kind == "operator" else at
    storage = style.pick(f"std::vector<{value}> {data}", f"{value} *{data}")
    prelude = lines(
        "#include <vector>",
        f"class {record} {{",
        "public:",
        f"  {value} &{method}({style.index} x, {style.index} y) {{ return {data}[{offset('x', 'y')}]; }}",
        f"  {style.index} {first}, {second};\n  {storage};\n}};",
    )
    call = "{m}({x}, {y})" if kind == "operator" else "{m}.{at}({x}, {y})"
    return Grid(
        prelude, f"{record} &{a}, {record} &{b}", "", (a, b), (f"{a}.{first}", f"{a}.{second}"),
        lambda m, x, y: call.format(m=m, at=at, x=x, y=y),
    )  # fmt: skip


def nest(
    style: Style, g: Grid, outer: int, body: Callable[[str, str], str], expect: bool | str, margin: int = 0
) -> str:
    """Two loops over the grid; `outer` is the index that the outer one runs over. `expect` may name another rule."""
    x, y = style.names(2)
    heads = [
        style.loop(v, str(margin), f"{extent} - {margin}" if margin else extent)
        for v, extent in zip((x, y), g.extents, strict=True)
    ]
    first, second = (heads[0], heads[1]) if outer == 0 else (heads[1], heads[0])
    rule = expect if isinstance(expect, str) else "mem-strided-inner-loop"
    note = EXPECT.format(rule) if expect else ""
    inner = lines(note, second + " {", indent(body(x, y)), "}")
    return lines(first + " {", indent(inner), "}")


def grid_function(style: Style, g: Grid, content: str, before: str = "", *includes: str) -> str:
    return lines(
        headers(style, *includes), g.prelude, before, f"void {style.name()}({g.parameters}) {{", indent(g.setup),
        indent(content), "}",
    )  # fmt: skip


def walk_body(style: Style, g: Grid) -> tuple[str, Callable[[str, str], str], int]:
    """Work on each cell whose iterations are free of order: (helper functions, body, margin)."""
    a, b = g.arrays
    factor = f"{style.rng.randint(1, 9)}.5f"
    work = style.pick("scale", "stencil", "add", "clamp")
    if style.helper and work in ("scale", "clamp"):
        f = style.name()
        helper = f"static inline float {f}(float value) {{ return value * {factor}; }}"
        return helper, lambda x, y: f"{g.cell(b, x, y)} = {f}((float)({g.cell(a, x, y)}));", 0
    if work == "scale":
        return "", lambda x, y: f"{g.cell(b, x, y)} = {factor} * ({g.cell(a, x, y)});", 0
    if work == "add":
        return "", lambda x, y: f"{g.cell(b, x, y)} += {g.cell(a, x, y)};", 0
    if work == "clamp":
        return "", lambda x, y: f"{g.cell(b, x, y)} = {g.cell(b, x, y)} < 0 ? 0 : {g.cell(b, x, y)};", 0
    return (
        "",
        lambda x, y: (
            f"{g.cell(b, x, y)} = 0.25f * ({g.cell(a, f'{x} - 1', y)} + {g.cell(a, f'{x} + 1', y)}\n"
            f"    + {g.cell(a, x, f'{y} - 1')} + {g.cell(a, x, f'{y} + 1')});"
        ),
        1,
    )


def strided_walk(loud: bool) -> Shape:
    def make(style: Style) -> str:
        fast = style.rng.randint(0, 1)
        g = grid(style, fast)
        helper, body, margin = walk_body(style, g)
        outer = fast if loud else 1 - fast
        return grid_function(style, g, nest(style, g, outer, body, loud, margin), helper)

    return make


def strided_pointer(loud: bool) -> Shape:
    """The address of a record of components goes to a function."""

    def make(style: Style) -> str:
        at, work, a, b, rows, columns, outer_function = style.names(7)
        x, y, k = style.names(3)
        parts = style.rng.choice((5, 9))
        i = style.index
        loops = [style.loop(x, "0", rows), style.loop(y, "0", columns)]
        if loud:
            loops.reverse()
        inner = lines(EXPECT.format("mem-strided-inner-loop") if loud else "", loops[1] + " {", "  CALL", "}")
        inner = inner.replace("CALL", f"{work}({at}({b}, {x}, {y}, {columns}), {at}({a}, {x}, {y}, {columns}));")
        return lines(
            headers(style),
            f"static inline double *{at}(double *m, {i} x, {i} y, {i} n) {{ return m + ((x) * n + y) * {parts}; }}",
            f"static void {work}(double *p, const double *q) {{",
            f"  for (int {k} = 0; {k} < {parts}; {k}++)\n    p[{k}] += 0.5 * q[{k}];\n}}",
            f"void {outer_function}(double *{a}, double *{b}, {i} {rows}, {i} {columns}) {{",
            indent(lines(loops[0] + " {", indent(inner), "}")),
            "}",
        )

    return make


def strided_sum(style: Style) -> str:
    fast = style.rng.randint(0, 1)
    g = grid(style, fast)
    total = style.name()
    a, b = g.arrays
    content = nest(style, g, fast, lambda x, y: f"{total} += {g.cell(a, x, y)} * ({g.cell(b, x, y)});", True)
    return lines(
        headers(style), g.prelude, f"double {style.name()}({g.parameters}) {{", indent(g.setup),
        f"  double {total} = 0.0;", indent(content), f"  return {total};", "}",
    )  # fmt: skip


def strided_transpose(style: Style) -> str:
    size = style.rng.randint(900, 1400)
    g = grid(style, 1, (size, size))
    a, b = g.arrays

    def body(x: str, y: str) -> str:
        return f"{g.cell(b, y, x)} = {g.cell(a, x, y)};"

    return grid_function(style, g, nest(style, g, style.rng.randint(0, 1), body, "mem-unblocked-transpose"))


def strided_dependence(style: Style) -> str:
    style.index = style.pick("int", "long")
    fast = style.rng.randint(0, 1)
    g = grid(style, fast)
    a = g.arrays[0]
    dx, dy = ("+ 1", "- 1") if fast == 1 else ("- 1", "+ 1")

    def body(x: str, y: str) -> str:
        return f"{g.cell(a, x, y)} += 0.5f * ({g.cell(a, f'{x} {dx}', f'{y} {dy}')});"

    return grid_function(style, g, nest(style, g, fast, body, False, 1))


def strided_output(style: Style) -> str:
    fast = style.rng.randint(0, 1)
    g = grid(style, fast)
    a = g.arrays[0]
    out = 'printf("%g\\n", (double)({}));'
    if style.helper:
        f = style.name()
        helper = f"static void {f}(double value) {{ " + out.format("value") + " }"
        return grid_function(
            style, g, nest(style, g, fast, lambda x, y: f"{f}({g.cell(a, x, y)});", False), helper, "<stdio.h>"
        )
    content = nest(style, g, fast, lambda x, y: out.format(g.cell(a, x, y)), False)
    return grid_function(style, g, content, "", "<stdio.h>")


def strided_short(style: Style) -> str:
    """A few strided components inside a contiguous loop."""
    a, b, n, i, d, f = style.names(6)
    t = style.index
    parts = style.rng.randint(2, 4)
    length = str(style.rng.randint(50000, 90000)) if style.constant else n
    parameter = "" if style.constant else f", {t} {n}"
    return lines(
        headers(style),
        f"void {f}(double *{a}, const double *{b}{parameter}) {{",
        f"  {style.loop(i, '0', length)} {{",
        f"    {style.loop(d, '0', str(parts))} {{",
        f"      {a}[{d} * {length} + {i}] += {b}[{d} * {length} + {i}];",
        "    }\n  }\n}",
    )


def strided_repeat(style: Style) -> str:
    a, n, pitch, times, r, i, f = style.names(7)
    t = style.index
    return lines(
        headers(style),
        f"void {f}(float *{a}, {t} {n}, {t} {pitch}, {t} {times}) {{",
        f"  {style.loop(r, '0', times)} {{",
        f"    {style.loop(i, '0', n)} {{",
        f"      {a}[{i} * {pitch}] *= 0.5f;",
        "    }\n  }\n}",
    )


def strided_small(style: Style) -> str:
    m, x, y, f, get = style.names(5)
    t = style.index
    size = style.rng.randint(8, 24)
    return lines(
        headers(style),
        f"static double {m}[{size}][{size}];",
        f"double {get}({t} {x}, {t} {y}) {{ return {m}[{x}][{y}]; }}",
        f"void {f}(double by) {{",
        f"  {style.loop(y, '0', str(size))} {{",
        f"    {style.loop(x, '0', str(size))} {{",
        f"      {m}[{x}][{y}] += by;",
        "    }\n  }\n}",
    )


LOUD: dict[str, Shape] = {"walk": strided_walk(True), "pointer": strided_pointer(True), "sum": strided_sum}

SILENT: dict[str, Shape] = {
    "walk": strided_walk(False),
    "pointer": strided_pointer(False),
    "transpose": strided_transpose,
    "dependence": strided_dependence,
    "output": strided_output,
    "short": strided_short,
    "repeat": strided_repeat,
    "small": strided_small,
}
