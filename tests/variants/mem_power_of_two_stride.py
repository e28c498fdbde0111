"""Variants of mem-power-of-two-stride."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, headers, indent, lines

NOTE = EXPECT.format("mem-power-of-two-stride")
TURNED = EXPECT.format("mem-unblocked-transpose")  # with or without a power of two


def turn(style: Style, pitch: int, extent: int, note: str) -> str:
    """A transpose of extent x extent elements in rows of `pitch`: some accessor, some type of 4 or 8 bytes."""
    a, b, f, i, j, n, at, record = style.names(8)
    value = "double" if pitch >= 512 else style.pick("double", "float")
    t = style.index
    kind = style.pick("array", "flat", "macro", *(("member", "lambda") if style.cxx else ("inline", "pointer")))
    restrict = "__restrict" if style.cxx else "restrict"
    pointers = f"const {value} *{restrict} {a}, {value} *{restrict} {b}"
    prelude, setup = f"#define {n} {pitch}", ""
    cell: Callable[[str, str, str], str]
    if kind == "array":
        fill = style.name()
        prelude = lines(
            prelude, f"{value} {a}[{extent}][{n}], {b}[{extent}][{n}];",
            f"void {fill}({value} by) {{\n  {a}[1][2] = by;\n}}",
        )  # fmt: skip
        pointers = "" if style.cxx else "void"

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}[{x}][{y}]"
    elif kind == "pointer":
        pointers = f"{value} (*{restrict} {a})[{n}], {value} (*{restrict} {b})[{n}]"

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}[{x}][{y}]"
    elif kind == "macro":
        prelude = lines(prelude, f"#define {at}(m, x, y) (m)[(x) * {n} + (y)]")

        def cell(m: str, x: str, y: str) -> str:
            return f"{at}({m}, {x}, {y})"
    elif kind == "inline":
        prelude = lines(prelude, f"static inline {t} {at}({t} x, {t} y) {{ return x * {n} + y; }}")

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}[{at}({x}, {y})]"
    elif kind == "lambda":
        setup = f"auto {at} = []({t} x, {t} y) {{ return x * {n} + y; }};"

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}[{at}({x}, {y})]"
    elif kind == "member":
        data = style.name()
        prelude = lines(
            "#include <vector>", prelude, f"struct {record} {{",
            f"  {value} &operator()({t} x, {t} y) {{ return {data}[x * {n} + y]; }}",
            f"  std::vector<{value}> {data};\n}};",
        )  # fmt: skip
        pointers = f"{record} &{a}, {record} &{b}"

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}({x}, {y})"
    else:

        def cell(m: str, x: str, y: str) -> str:
            return f"{m}[({x}) * {n} + {y}]"

    factor = style.pick("", "2 * ", "3 + ")
    body = f"{cell(b, j, i)} = {factor}{cell(a, i, j)};"
    inner = lines(note, style.loop(j, "0", str(extent)) + " {", "  " + body, "}")
    return lines(
        headers(style), prelude, f"void {f}({pointers}) {{", indent(setup),
        indent(lines(style.loop(i, "0", str(extent)) + " {", indent(inner), "}")), "}",
    )  # fmt: skip


def loud_turn(style: Style) -> str:
    pitch = style.rng.choice((256, 512, 1024, 2048))
    return turn(style, pitch, pitch, f"{NOTE}, mem-unblocked-transpose")


def silent_padded(style: Style) -> str:
    pitch = style.rng.choice((1024, 2048))
    return turn(style, pitch + style.rng.choice((8, 24)), pitch, TURNED)


def silent_plain(style: Style) -> str:
    extent = style.rng.choice((700, 1000, 1100))
    return turn(style, extent, extent, TURNED)


def silent_small(style: Style) -> str:
    return turn(style, 32, 32, "")


def streams(style: Style, count: int, cells: int, note: str) -> str:
    """`count` planes of a structure or an array, walked side by side."""
    record, field, f, i, k, total, where = style.names(7)
    t = style.index
    how = style.pick("loop", "members")
    if how == "loop":
        prelude = f"struct {record} {{\n  double {field}[{count}][{cells}];\n}};"
        work = lines(
            f"double {total} = 0;", f"for (int {k} = 0; {k} < {count}; {k}++) {{",
            f"  {total} += {where}->{field}[{k}][{i}];", "}", f"{where}->{field}[0][{i}] = {total};",
        )  # fmt: skip
    else:
        members = style.names(count)
        prelude = f"struct {record} {{\n" + "\n".join(f"  double {m}[{cells}];" for m in members) + "\n};"
        work = f"{where}->{members[0]}[{i}] = " + " + ".join(f"{where}->{m}[{i}]" for m in members[1:]) + ";"
    struct = record if style.cxx else f"struct {record}"
    return lines(
        headers(style), prelude, f"void {f}({struct} *{where}) {{",
        indent(lines(note, f"for ({t} {i} = 0; {i} < {cells}; {i}++) {{", indent(work), "}")), "}",
    )  # fmt: skip


def loud_streams(style: Style) -> str:
    return streams(style, style.rng.randint(10, 19), 1 << style.rng.randint(12, 18), NOTE)


def silent_spread(style: Style) -> str:
    return streams(style, style.rng.randint(10, 19), (1 << style.rng.randint(12, 18)) + 8, "")


def silent_few(style: Style) -> str:
    return streams(style, style.rng.randint(3, 7), 1 << style.rng.randint(12, 18), "")


LOUD: dict[str, Shape] = {"turn": loud_turn, "streams": loud_streams}
SILENT: dict[str, Shape] = {
    "padded": silent_padded,
    "plain": silent_plain,
    "small": silent_small,
    "spread": silent_spread,
    "few": silent_few,
}
