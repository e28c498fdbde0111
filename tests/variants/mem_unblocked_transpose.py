"""Variants of mem-unblocked-transpose."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, headers, indent, lines

NOTE = EXPECT.format("mem-unblocked-transpose")


def turn(style: Style, rows: str, columns: str, note: str, *, tile: int = 0, straight: bool = False) -> str:
    """A copy of a rows x columns array into its transpose; with `tile` in tiles, `straight` without turning it."""
    style.index = style.pick("int", "long")
    a, b, f, i, j, ii, jj, at = style.names(8)
    t, value = style.index, style.pick("double", "float")
    restrict = "__restrict" if style.cxx else "restrict"
    kind = style.pick("flat", "macro", "inline")
    prelude = ""
    cell: Callable[[str, str, str, str], str]

    def flat(m: str, x: str, y: str, width: str) -> str:
        return f"{m}[({x}) * {width} + ({y})]"

    def named(m: str, x: str, y: str, width: str) -> str:
        return f"{m}[{at}({x}, {y}, {width})]"

    cell = flat
    if kind != "flat":
        cell = named
        prelude = (
            f"#define {at}(x, y, w) ((x) * (w) + (y))"
            if kind == "macro"
            else f"static inline {t} {at}({t} x, {t} y, {t} w) {{ return x * w + y; }}"
        )
    to = cell(b, i, j, columns) if straight else cell(b, j, i, rows)
    statement = f"{to} = {style.pick('', '2 * ')}{cell(a, i, j, columns)};"
    if tile:
        heads = [
            f"for ({t} {ii} = 0; {ii} < {rows}; {ii} += {tile})",
            f"for ({t} {jj} = 0; {jj} < {columns}; {jj} += {tile})",
            f"for ({t} {i} = {ii}; {i} < {ii} + {tile}; {i}++)",
            f"for ({t} {j} = {jj}; {j} < {jj} + {tile}; {j}++)",
        ]
    else:
        heads = [f"for ({t} {i} = 0; {i} < {rows}; {i}++)", f"for ({t} {j} = 0; {j} < {columns}; {j}++)"]
        if style.rng.random() < 0.5:
            heads.reverse()
    text = statement
    for depth, head in enumerate(reversed(heads)):
        text = lines(note if depth == 0 else "", f"{head} {{", indent(text), "}")
    sizes = "".join(f", {t} {size}" for size in (rows, columns) if size.isidentifier())
    signature = f"void {f}({value} *{restrict} {b}, const {value} *{restrict} {a}{sizes}) {{"
    return lines(headers(style), prelude, signature, indent(text), "}")


def loud_known(style: Style) -> str:
    # No multiples of a line: rows that fall into few sets are another rule's.
    return turn(style, str(style.rng.randrange(901, 1400, 2)), str(style.rng.randrange(901, 1400, 2)), NOTE)


def loud_unknown(style: Style) -> str:
    return turn(style, style.name(), style.name(), NOTE)


def silent_tiles(style: Style) -> str:
    return turn(style, style.name(), style.name(), "", tile=style.rng.choice((8, 16, 32)))


def silent_small(style: Style) -> str:
    return turn(style, str(style.rng.randint(9, 60)), str(style.rng.randint(9, 60)), "")


LOUD: dict[str, Shape] = {"known": loud_known, "unknown": loud_unknown}
SILENT: dict[str, Shape] = {"tiles": silent_tiles, "small": silent_small}
