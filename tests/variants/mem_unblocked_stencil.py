"""Variants of mem-unblocked-stencil."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, headers, indent, lines

NOTE = EXPECT.format("mem-unblocked-stencil")


def volume(style: Style, planes: int, rows: int, columns: int, note: str, *, block: int = 0, reach: int = 1) -> str:
    """A stencil over planes x rows x columns; with `block`, in strips of so many rows. Reach 0: no neighbours."""
    a, b, f, i, j, k, strip, at, record = style.names(9)
    value = style.pick("double", "double", "float") if planes * rows * columns < 1 << 20 else "double"
    style.index = style.pick("int", "long")
    t = style.index
    restrict = "__restrict" if style.cxx else "restrict"
    kind = style.pick("array", "flat", "macro", "pointer", *(("member",) if style.cxx else ("inline",)))
    prelude, pointers = "", f"const {value} *{restrict} {a}, {value} *{restrict} {b}"
    offset = f"((x) * {rows} + (y)) * {columns} + (z)"
    cell: Callable[[str, str, str, str], str]

    def subscripts(m: str, x: str, y: str, z: str) -> str:
        return f"{m}[{x}][{y}][{z}]"

    def named(m: str, x: str, y: str, z: str) -> str:
        return f"{at}({m}, {x}, {y}, {z})"

    def flat(m: str, x: str, y: str, z: str) -> str:
        return f"{m}[(({x}) * {rows} + ({y})) * {columns} + ({z})]"

    def called(m: str, x: str, y: str, z: str) -> str:
        return f"{m}({x}, {y}, {z})"

    cell = flat
    if kind == "array":
        fill = style.name()
        prelude = lines(
            f"{value} {a}[{planes}][{rows}][{columns}], {b}[{planes}][{rows}][{columns}];",
            f"void {fill}({value} by) {{\n  {a}[1][2][3] = by;\n}}",
        )  # fmt: skip
        pointers = "" if style.cxx else "void"
        cell = subscripts
    elif kind == "pointer":
        shape = f"[{rows}][{columns}]"
        pointers = f"const {value} (*{restrict} {a}){shape}, {value} (*{restrict} {b}){shape}"
        cell = subscripts
    elif kind == "macro":
        prelude = f"#define {at}(m, x, y, z) (m)[{offset}]"
        cell = named
    elif kind == "inline":
        prelude = f"static inline {t} {at}({t} x, {t} y, {t} z) {{ return {offset}; }}"

        def cell(m: str, x: str, y: str, z: str) -> str:
            return f"{m}[{at}({x}, {y}, {z})]"
    elif kind == "member":
        data = style.name()
        prelude = lines(
            "#include <vector>", f"struct {record} {{",
            f"  {value} &operator()({t} x, {t} y, {t} z) {{ return {data}[{offset}]; }}",
            f"  std::vector<{value}> {data};\n}};",
        )  # fmt: skip
        pointers = f"{record} &{a}, {record} &{b}"
        cell = called
    around = [cell(a, i, j, k), cell(a, i, j, f"{k} + 1"), cell(a, i, j, f"{k} - 1")]
    if reach:
        around += [cell(a, i, f"{j} + 1", k), cell(a, i, f"{j} - 1", k)]
        for distance in range(1, reach + 1):
            around += [cell(a, f"{i} + {distance}", j, k), cell(a, f"{i} - {distance}", j, k)]
    style.rng.shuffle(around)
    text = f"{cell(b, i, j, k)} = 0.5f * ({around[0]}\n    + " + "\n    + ".join(around[1:]) + ");"
    text = lines(style.loop(k, "1", str(columns - 1)) + " {", indent(text), "}")
    if block:
        end = f"({strip} + {block} < {rows - 1} ? {strip} + {block} : {rows - 1})"
        text = lines(style.loop(j, strip, end) + " {", indent(text), "}")
    else:
        text = lines(style.loop(j, "1", str(rows - 1)) + " {", indent(text), "}")
    edge = max(1, reach)
    text = lines(note, style.loop(i, str(edge), str(planes - edge)) + " {", indent(text), "}")
    if block:
        text = lines(f"for ({t} {strip} = 1; {strip} < {rows - 1}; {strip} += {block}) {{", indent(text), "}")
    return lines(headers(style), prelude, f"void {f}({pointers}) {{", indent(text), "}")


def loud_volume(style: Style) -> str:
    side = style.rng.randint(420, 700)
    return volume(style, style.rng.randint(20, 60), side, style.rng.randint(420, 700), NOTE)


def loud_wide(style: Style) -> str:
    return volume(
        style, style.rng.randint(40, 90), style.rng.randint(300, 500), 400, NOTE, reach=style.rng.randint(2, 4)
    )


def silent_small(style: Style) -> str:
    return volume(style, 100, style.rng.randint(40, 120), style.rng.randint(60, 120), "")


def silent_blocked(style: Style) -> str:
    return volume(style, 40, style.rng.randint(420, 700), 512, "", block=style.rng.choice((8, 16, 32)))


def silent_alone(style: Style) -> str:
    return volume(style, 40, style.rng.randint(420, 700), 512, "", reach=0)


LOUD: dict[str, Shape] = {"volume": loud_volume, "wide": loud_wide}
SILENT: dict[str, Shape] = {"small": silent_small, "blocked": silent_blocked, "alone": silent_alone}
