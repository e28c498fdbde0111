"""Variants of omp-calloc-first-touch."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines

FLAGS = "// flags: -fopenmp"


def shared(style: Style, array: str, n: str, statement: str) -> str:
    i = style.name()
    loop = f"{style.loop(i, '0', n)}\n  {array}[{i}] {statement};"
    if style.rng.random() < 0.4:
        return f"#pragma omp parallel\n{{\n#pragma omp for schedule(static)\n{indent(loop)}\n}}"
    return f"#pragma omp parallel for{style.pick('', ' schedule(static)')}\n{loop}"


def zeroed(kind: str, note: bool, first: str = "overwrite", size: str = "") -> Shape:
    """An array from an allocation that writes, initialised and used by a team."""

    def make(style: Style) -> str:
        run, array, n, start = style.names(4)
        number = style.pick("double", "float", "int")
        style.cxx = kind not in ("calloc", "memset", "malloc")
        length = size or n
        mark = EXPECT.format("omp-calloc-first-touch") + "\n" if note else ""
        extra: tuple[str, ...] = ("<stdlib.h>", "<string.h>")
        result, parameter, pass_on, end = f"{number} *", f"{number} *{array}", array, f"return {array};"
        if kind in ("calloc", "malloc", "memset"):
            sized = (
                f"calloc({length}, sizeof({number}))" if kind == "calloc" else f"malloc({length} * sizeof({number}))"
            )
            made = (mark if kind == "calloc" else "") + f"{number} *{array} = {sized};"
            made += f"\nif ({array} == {style.null})\n  return {style.null};"
            if kind == "memset":
                made += f"\n{mark}memset({array}, 0, {length} * sizeof({number}));"
        elif kind in ("new", "plain-new"):
            made = f"{mark}{number} *{array} = new {number}[{length}]{'()' if kind == 'new' else ''};"
        else:
            extra = ("<memory>", "<vector>")
            result, parameter = f"std::vector<{number}> ", f"std::vector<{number}> &{array}"
            if kind == "vector":
                made = f"{mark}std::vector<{number}> {array}({length});"
            elif kind == "resize":
                made = f"std::vector<{number}> {array};\n{mark}{array}.resize({length});"
            elif kind == "assign":
                made = f"std::vector<{number}> {array};\n{mark}{array}.assign({length}, {number}(1));"
            else:
                result, parameter = "void ", f"{number} *{array}"
                made = f"{mark}auto {array} = std::make_unique<{number}[]>({length});"
                pass_on, end = f"{array}.get()", ""
        begin = shared(style, array, length, "= 3") if first == "overwrite" else ""
        if first == "parallel-zero":
            begin = shared(style, array, length, "= 0")
        using = shared(style, array, length, style.pick("+= 1", "*= 2"))
        if first == "one":
            using = f"#pragma omp parallel\n#pragma omp single\n{{\n  {array}[0] = 1;\n  {array}[{length} - 1] = 2;\n}}"
        flags = lines(FLAGS, headers(style, *extra))
        if style.helper and end:
            return lines(
                flags, f"static void {start}({parameter}, {style.index} {n}) {{\n  (void){n};",
                indent(lines(begin, using)), "}", f"{result}{run}({style.index} {n}) {{\n  (void){n};", indent(made),
                f"  {start}({pass_on}, {n});", f"  {end}", "}",
            )  # fmt: skip
        return lines(
            flags, f"{result}{run}({style.index} {n}) {{\n  (void){n};", indent(lines(made, begin, using, end)), "}"
        )

    return make


LOUD: dict[str, Shape] = {
    "calloc": zeroed("calloc", True),
    "memset": zeroed("memset", True),
    "memset-used": zeroed("memset", True, "used"),
    "new": zeroed("new", True),
    "vector": zeroed("vector", True),
    "vector-used": zeroed("vector", True, "used"),
    "resize": zeroed("resize", True),
    "assign": zeroed("assign", True, "used"),
    "unique": zeroed("unique", True),
    "known-size": zeroed("vector", True, size="900000"),
}

SILENT: dict[str, Shape] = {
    "malloc": zeroed("malloc", False),
    "parallel-zero": zeroed("malloc", False, "parallel-zero"),
    "plain-new": zeroed("plain-new", False),
    "zeros-needed": zeroed("calloc", False, "used"),
    "small-vector": zeroed("vector", False, size="5000"),
    "small-calloc": zeroed("calloc", False, size="5000"),
    "one-thread": zeroed("vector", False, "one"),
    "small-memset": zeroed("memset", False, size="5000"),
}
