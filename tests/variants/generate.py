"""Writes variants of the rules' samples: the same defect, or its absence, in other words.

    python tests/variants/generate.py --out DIR [--seed N] [--rule SLUG] [--count N]

Each variant is one C or C++ file `DIR/<slug>/{loud,silent}-<nn>-<shape>.{c,cpp}` without comments but its expectations
and flags. Names, index types, accessors, sizes, and the place of the work (in the loop or in a helper function) are
drawn from the seed; the shapes of a rule follow each other in turn, so that a run of `--count` files has them all.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SYLLABLES = "ba co du fe gi ho ju ka lo mi na pu ro si te vo wa xe yu zi".split()
INDEX_TYPES = ("int", "unsigned", "size_t", "long")
EXPECT = "// expect: {}"


@dataclass
class Style:
    """The free choices of one variant."""

    rng: random.Random
    cxx: bool
    index: str = ""
    constant: bool = False
    helper: bool = False
    used: set[str] = field(default_factory=set)

    @classmethod
    def draw(cls, rng: random.Random) -> Style:
        return cls(rng, rng.random() < 0.45, rng.choice(INDEX_TYPES), rng.random() < 0.35, rng.random() < 0.5)

    def name(self) -> str:
        """A name that says nothing and was not used before in this variant."""
        while True:
            name = "".join(self.rng.choice(SYLLABLES) for _ in range(self.rng.randint(2, 3)))
            if name not in self.used:
                self.used.add(name)
                return name

    def names(self, count: int) -> list[str]:
        return [self.name() for _ in range(count)]

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def loop(self, variable: str, first: str, last: str) -> str:
        """The head of a counted loop; in C sometimes with `<=`."""
        step = self.pick(f"{variable}++", f"++{variable}", f"{variable} += 1")
        return f"for ({self.index} {variable} = {first}; {variable} < {last}; {step})"

    @property
    def null(self) -> str:
        return "nullptr" if self.cxx else "NULL"


@dataclass
class Variant:
    """A finished file: its shape's name and its text."""

    shape: str
    text: str
    cxx: bool


Shape = Callable[[Style], str]


def lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part) + "\n"


def indent(text: str, by: int = 2) -> str:
    return "\n".join(line if line.startswith("#") or not line else " " * by + line for line in text.splitlines())


def headers(style: Style, *extra: str) -> str:
    names = ["<stddef.h>", *extra]
    if style.cxx:
        plain = {
            "<stddef.h>": "<cstddef>",
            "<stdlib.h>": "<cstdlib>",
            "<stdio.h>": "<cstdio>",
            "<string.h>": "<cstring>",
        }
        names = [plain.get(name, name) for name in names]
        return "\n".join(f"#include {name}" for name in sorted(set(names))) + "\nusing std::size_t;"
    return "\n".join(f"#include {name}" for name in sorted(set(names)))


# Two-dimensional arrays


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


def nest(style: Style, g: Grid, outer: int, body: Callable[[str, str], str], expect: bool, margin: int = 0) -> str:
    """Two loops over the grid; `outer` is the index that the outer one runs over."""
    x, y = style.names(2)
    heads = [
        style.loop(v, str(margin), f"{extent} - {margin}" if margin else extent)
        for v, extent in zip((x, y), g.extents, strict=True)
    ]
    first, second = (heads[0], heads[1]) if outer == 0 else (heads[1], heads[0])
    note = EXPECT.format("mem-strided-inner-loop") if expect else ""
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

    return grid_function(style, g, nest(style, g, style.rng.randint(0, 1), body, False))


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


# Records

SCALARS = {"char": 1, "short": 2, "int": 4, "float": 4, "unsigned": 4, "double": 8, "long": 8, "void *": 8}


def record_size(kinds: Sequence[str]) -> tuple[int, int]:
    """Bytes of a record with these fields in this order, and in the best one (x86-64 and AArch64 Linux)."""
    offset = 0
    widest = max(SCALARS[kind] for kind in kinds)
    for kind in kinds:
        size = SCALARS[kind]
        offset = (offset + size - 1) // size * size + size

    def rounded(bytes_used: int) -> int:
        return (bytes_used + widest - 1) // widest * widest

    return rounded(offset), rounded(sum(SCALARS[kind] for kind in kinds))


def record_variant(style: Style, kinds: Sequence[str], expect: bool, before: str = "", after: str = "") -> str:
    """A file with an array of such records; `before` and `after` go around the record's keyword and its fields."""
    record, make, n, items = style.names(4)
    fields = style.names(len(kinds))
    members = "\n".join(
        f"  {kind}{'' if kind.endswith('*') else ' '}{f};" for kind, f in zip(kinds, fields, strict=True)
    )
    note = EXPECT.format("mem-struct-padding") if expect else ""
    keyword = "struct"
    access = ""
    if style.cxx and style.helper:
        keyword, access = "class", "public:"
    named = record if style.cxx else f"struct {record}"
    declaration = lines(note, f"{keyword} {before}{record} {{", access, members, "};")
    if not style.cxx and style.helper:
        declaration = lines(note, f"typedef struct {before}{record} {{", members, f"}} {record};")
        named = record
    declaration += after
    t = style.index

    def fill(target: str) -> str:
        return "\n".join(
            f"{target}{f} = {'0' if kind.endswith('*') else f'({kind}){index}'};"
            for index, (kind, f) in enumerate(zip(kinds, fields, strict=True))
        )

    i = style.name()
    loop = lines(f"{style.loop(i, '0', n)} {{", indent(fill(f"{items}[{i}].")), "}")
    where = style.pick("heap", "zeroed", "static", *(("vector", "new") if style.cxx else ()))
    if where == "static":
        return lines(
            headers(style), declaration, f"static {named} {items}[4000];",
            f"void *{make}({t} {n}) {{", indent(loop), f"  return &{items}[0];", "}",
        )  # fmt: skip
    if where == "vector":
        return lines(
            headers(style, "<vector>"), declaration, f"std::vector<{named}> {make}({t} {n}) {{",
            f"  std::vector<{named}> {items}({n});", indent(loop), f"  return {items};", "}",
        )  # fmt: skip
    cast = f"({named} *)" if style.cxx else ""
    allocation = {
        "heap": f"{cast}malloc({n} * sizeof({named}))",
        "zeroed": f"{cast}calloc({n}, sizeof({named}))",
        "new": f"new {named}[{n}]",
    }[where]
    check = "" if where == "new" else f"if ({items} == {style.null})\n  return {style.null};"
    return lines(
        headers(style, "<stdlib.h>", *(("<new>",) if where == "new" else ())).replace("#include <new>\n", ""),
        declaration, f"{named} *{make}({t} {n}) {{", f"  {named} *{items} = {allocation};", indent(check), indent(loop),
        f"  return {items};", "}",
    )  # fmt: skip


def draw_fields(style: Style, accept: Callable[[int, int], bool]) -> list[str]:
    kinds = list(SCALARS)
    while True:
        chosen = [style.rng.choice(kinds) for _ in range(style.rng.randint(3, 8))]
        size, best = record_size(chosen)
        if accept(size, size - best):
            return chosen


def padding_loud(style: Style) -> str:
    return record_variant(style, draw_fields(style, lambda size, saved: saved >= 8 and saved * 20 >= size), True)


def padding_small(style: Style) -> str:
    return record_variant(style, draw_fields(style, lambda _, saved: 0 < saved < 8), False)


def padding_sorted(style: Style) -> str:
    kinds = draw_fields(style, lambda _, saved: saved >= 8)
    return record_variant(style, sorted(kinds, key=lambda kind: -SCALARS[kind]), False)


def padding_aligned(style: Style) -> str:
    """Aligned to a cache line on purpose; without that, the record would be loud."""
    kinds = draw_fields(style, lambda size, saved: saved >= 8 and size <= 64)
    return record_variant(style, kinds, False, "alignas(64) " if style.cxx else "__attribute__((aligned(64))) ")


def padding_packed(style: Style) -> str:
    kinds = draw_fields(style, lambda _, saved: saved >= 8)
    return record_variant(style, kinds, False, "__attribute__((packed)) ")


# First touch


def touch_variant(init: Callable[[Style, str, str], str], use: str, note: bool, count: str = "") -> Shape:
    """An array that is allocated, written by `init` and used in a parallel loop or otherwise."""

    def make(style: Style) -> str:
        array, n, allocate, fill, work, run = style.names(6)
        i = style.name()
        t = style.index
        length = count or (str(style.rng.randint(300000, 900000)) if style.constant else n)
        cast = "(double *)" if style.cxx else ""
        allocation = f"new double[{length}]" if style.cxx and style.rng.random() < 0.5 else ""
        allocation = allocation or f"{cast}malloc({length} * sizeof(double))"
        expected = EXPECT.format("omp-serial-first-touch") + "\n" if note else ""
        writing = expected + init(style, array, length)
        body = f"{style.loop(i, '0', length)} {{\n  {array}[{i}] = 0.5 * {array}[{i}] + 1.0;\n}}"
        using = {
            "for": f"#pragma omp parallel for schedule(static)\n{body}",
            "region": f"#pragma omp parallel\n{{\n#pragma omp for schedule(static)\n{indent(body)}\n}}",
            "single": f"#pragma omp parallel\n{{\n#pragma omp single\n{indent(body)}\n}}",
            "serial": body,
        }[use]
        parameter = f"double *{array}, {t} {n}"
        flags = "// flags: -fopenmp"
        includes = headers(style, "<stdlib.h>", "<stdio.h>", "<string.h>")
        if style.helper:
            return lines(
                flags, includes,
                f"static double *{allocate}({t} {n}) {{\n  (void){n};\n  return {allocation};\n}}",
                f"static void {fill}({parameter}) {{\n  (void){n};", indent(writing), "}",
                f"static void {work}({parameter}) {{\n  (void){n};", indent(using), "}",
                f"double *{run}({t} {n}) {{", f"  double *{array} = {allocate}({n});",
                f"  if ({array} == {style.null})\n    return {style.null};",
                f"  {fill}({array}, {n});", f"  {work}({array}, {n});", f"  return {array};", "}",
            )  # fmt: skip
        return lines(
            flags, includes, f"double *{run}({t} {n}) {{\n  (void){n};", f"  double *{array} = {allocation};",
            f"  if ({array} == {style.null})\n    return {style.null};", indent(writing), indent(using),
            f"  return {array};", "}",
        )  # fmt: skip

    return make


def serial_fill(style: Style, array: str, length: str) -> str:
    i = style.name()
    return f"{style.loop(i, '0', length)} {{\n  {array}[{i}] = {style.rng.randint(0, 9)}.0;\n}}"


def parallel_fill(style: Style, array: str, length: str) -> str:
    return "#pragma omp parallel for schedule(static)\n" + serial_fill(style, array, length)


def memset_fill(_: Style, array: str, length: str) -> str:
    return f"memset({array}, 0, {length} * sizeof(double));"


def file_fill(_: Style, array: str, length: str) -> str:
    return f"if (fread({array}, sizeof(double), {length}, stdin) != (size_t){length})\n  abort();"


# Team barriers


def barrier_variant(content: Callable[[Style, str, str, str], str], loud: bool) -> Shape:
    """`content` gives the body of the loop that the team runs; `EXPECT` in it becomes the expectation."""

    def make(style: Style) -> str:
        a, b, n, steps, step, f = style.names(6)
        style.index = style.pick("int", "long", "size_t")
        t = style.index
        size = str(style.rng.randint(2000, 9000)) if style.constant else n
        body = content(style, a, b, size)
        body = body.replace("EXPECT", EXPECT.format("omp-barrier-in-loop") if loud else "")
        head = style.loop(step, "0", steps)
        restrict = "__restrict" if style.cxx else "restrict"
        region = style.pick(
            lines("#pragma omp parallel", head + " {", indent(body), "}"),
            lines("#pragma omp parallel", "{", indent(lines(head + " {", indent(body), "}")), "}"),
        )
        return lines(
            "// flags: -fopenmp", headers(style),
            f"void {f}(double *{restrict} {a}, double *{restrict} {b}, {t} {n}, {t} {steps}) {{\n  (void){n};",
            indent(region), "}",
        )  # fmt: skip

    return make


def shared_loop(style: Style, clause: str, first: str, last: str, statement: str) -> str:
    i = style.name()
    head = style.loop(i, first, last)
    return f"#pragma omp for schedule(static){clause}\n{head} {{\n  {statement.replace('@', i)}\n}}"


def after_for(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        shared_loop(style, "", "1", f"{n} - 1", f"{b}[@] = 0.5 * ({a}[@ - 1] + {a}[@ + 1]);"),
        "EXPECT", "#pragma omp barrier",
        shared_loop(style, "", "1", f"{n} - 1", f"{a}[@] = {b}[@];"),
    )  # fmt: skip


def after_single(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        "#pragma omp single", f"{b}[0] *= 0.5;", "EXPECT", "#pragma omp barrier",
        shared_loop(style, "", "0", n, f"{a}[@] += {b}[0];"),
    )  # fmt: skip


def own_elements(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        shared_loop(style, " nowait", "0", n, f"{b}[@] += 0.5;"), "EXPECT", "#pragma omp barrier",
        shared_loop(style, " nowait", "0", n, f"{a}[@] += {b}[@];"),
    )  # fmt: skip


def neighbours(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        shared_loop(style, " nowait", "1", f"{n} - 1", f"{b}[@] = 0.5 * ({a}[@ - 1] + {a}[@ + 1]);"),
        "#pragma omp barrier",
        shared_loop(style, " nowait", "1", f"{n} - 1", f"{a}[@] = 0.5 * ({b}[@ - 1] + {b}[@ + 1]);"),
        "#pragma omp barrier",
    )


def implied_needed(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        shared_loop(style, "", "1", f"{n} - 1", f"{b}[@] = 0.5 * ({a}[@ - 1] + {a}[@ + 1]);"),
        shared_loop(style, "", "1", f"{n} - 1", f"{a}[@] = {b}[@];"),
    )


def single_nowait(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        "#pragma omp single nowait", f"{b}[0] *= 0.5;", "#pragma omp barrier",
        shared_loop(style, "", "0", n, f"{a}[@] += {b}[0];"),
    )  # fmt: skip


def master_between(style: Style, a: str, b: str, n: str) -> str:
    return lines(
        shared_loop(style, " nowait", "0", n, f"{a}[@] += {b}[0];"), "#pragma omp barrier", "#pragma omp master",
        f"{b}[0] = {a}[1] * 0.5;", "#pragma omp barrier",
    )  # fmt: skip


def dynamic_shares(style: Style, a: str, b: str, n: str) -> str:
    text = lines(
        shared_loop(style, " nowait", "0", n, f"{b}[@] += 0.5;"), "#pragma omp barrier",
        shared_loop(style, " nowait", "0", n, f"{a}[@] += {b}[@];"), "#pragma omp barrier",
    )  # fmt: skip
    return text.replace("schedule(static)", f"schedule({style.pick('dynamic', 'guided')}, 16)")


# Messages


def mpi_headers(style: Style, *extra: str) -> str:
    return headers(style, "<mpi.h>", *extra)


def local_work(style: Style, array: str, n: str) -> str:
    i = style.name()
    return f"{style.loop(i, '0', n)} {{\n  {array}[{i}] = 0.5 * {array}[{i}] + {style.rng.randint(1, 9)}.0;\n}}"


def redundant_variant(content: Callable[[Style, str, str, str, str], str], loud: bool) -> Shape:
    """A loop over steps in one function; `content(style, array, n, comm, BARRIER)` gives its body."""

    def make(style: Style) -> str:
        a, n, steps, step, f, meet, comm = style.names(7)
        t = style.index
        note = EXPECT.format("mpi-redundant-barrier")
        parameter = f"MPI_Comm {comm}"
        if style.rng.random() < 0.3:
            parameter, comm = "", "MPI_COMM_WORLD"
        wrapper = ""
        barrier = (note + "\n" if loud else "") + f"MPI_Barrier({comm});"
        if style.helper:
            wrapper = lines(
                f"static void {meet}({parameter or ('' if style.cxx else 'void')}) {{", indent(barrier), "}"
            )
            barrier = f"{meet}({comm if parameter else ''});"
        body = content(style, a, n, comm, barrier)
        if barrier not in body:
            wrapper = ""
        tail = f", {parameter}" if parameter else ""
        return lines(
            mpi_headers(style, "<stdio.h>"), wrapper, f"void {f}(double *{a}, {t} {n}, {t} {steps}{tail}) {{",
            f"  {style.loop(step, '0', steps)} {{", indent(body, 4), "  }\n}",
        )  # fmt: skip

    return make


def sendrecv(array: str, n: str, comm: str, to: str, source: str) -> str:
    return (
        f"MPI_Sendrecv({array}, 4, MPI_DOUBLE, {to}, 0, {array} + {n} - 4, 4, MPI_DOUBLE, {source}, 0,\n"
        f"             {comm}, MPI_STATUS_IGNORE);"
    )


def ranks(style: Style, comm: str) -> tuple[str, str, str, str, str]:
    """Declarations of rank, size and the two neighbours, and their names."""
    rank, size, left, right = style.names(4)
    kind = style.pick("ring", "line", *(("cart",) if comm != "MPI_COMM_WORLD" else ()))
    text = f"int {rank}, {size};\nMPI_Comm_rank({comm}, &{rank});\nMPI_Comm_size({comm}, &{size});\n"
    if kind == "ring":
        text += f"const int {right} = ({rank} + 1) % {size};\nconst int {left} = ({rank} + {size} - 1) % {size};"
    elif kind == "line":
        text += (
            f"const int {right} = {rank} + 1 < {size} ? {rank} + 1 : MPI_PROC_NULL;\n"
            f"const int {left} = {rank} > 0 ? {rank} - 1 : MPI_PROC_NULL;"
        )
    else:
        text += f"int {left}, {right};\nMPI_Cart_shift({comm}, 0, 1, &{left}, &{right});"
    return text, rank, size, left, right


def between_exchanges(style: Style, a: str, n: str, comm: str, barrier: str) -> str:
    declared, _, _, left, right = ranks(style, comm)
    return lines(declared, sendrecv(a, n, comm, right, left), barrier, sendrecv(a, n, comm, left, right))


def after_allreduce(style: Style, a: str, n: str, comm: str, barrier: str) -> str:
    total = style.name()
    return lines(
        local_work(style, a, n), f"double {total};",
        f"MPI_Allreduce(&{a}[0], &{total}, 1, MPI_DOUBLE, MPI_SUM, {comm});", barrier, f"{a}[1] = {total};",
    )  # fmt: skip


def between_local(style: Style, a: str, n: str, _: str, barrier: str) -> str:
    return lines(local_work(style, a, n), barrier, local_work(style, a, n))


def around_timer(style: Style, a: str, n: str, _: str, barrier: str) -> str:
    start = style.name()
    return lines(
        barrier, f"const double {start} = MPI_Wtime();", local_work(style, a, n), barrier,
        f"{a}[0] = MPI_Wtime() - {start};",
    )  # fmt: skip


def around_file(style: Style, a: str, _: str, comm: str, barrier: str) -> str:
    rank, stream = style.names(2)
    return lines(
        f"int {rank};\nMPI_Comm_rank({comm}, &{rank});", f"if ({rank} == 0) {{",
        f'  FILE *{stream} = fopen("state.txt", "w");', f"  if ({stream} != {style.null}) {{",
        f'    fprintf({stream}, "%g\\n", {a}[0]);', f"    fclose({stream});", "  }\n}", barrier,
        f'FILE *{stream} = fopen("state.txt", "r");', f"if ({stream} != {style.null}) {{",
        f'  if (fscanf({stream}, "%lf", &{a}[1]) != 1)', f"    {a}[1] = 0.0;", f"  fclose({stream});", "}",
    )  # fmt: skip


def after_wildcard(style: Style, a: str, _: str, comm: str, barrier: str) -> str:
    rank, size, k = style.names(3)
    return lines(
        f"int {rank}, {size};\nMPI_Comm_rank({comm}, &{rank});\nMPI_Comm_size({comm}, &{size});",
        f"if ({rank} == 0) {{", f"  for (int {k} = 1; {k} < {size}; {k}++)",
        f"    MPI_Recv(&{a}[{k}], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, {comm}, MPI_STATUS_IGNORE);", "} else {",
        f"  MPI_Send({a}, 1, MPI_DOUBLE, 0, 0, {comm});", "}", barrier,
    )  # fmt: skip


def no_barrier(style: Style, a: str, n: str, comm: str, _: str) -> str:
    declared, _, _, left, right = ranks(style, comm)
    return lines(declared, sendrecv(a, n, comm, right, left), local_work(style, a, n))


def wrapped_send(style: Style, arguments: str, note: str, parameters: str) -> tuple[str, str]:
    """(helper function, call) or ("", the send itself); `arguments` names the parameters."""
    send = style.pick("MPI_Send", "MPI_Ssend")
    if not style.helper:
        return "", lines(note, f"{send}({arguments});").rstrip()
    f = style.name()
    body = indent(lines(note, f"{send}({arguments});"))
    return lines(f"static void {f}({parameters}) {{", body, "}"), f


def tiny_elements(style: Style) -> str:
    """One element of a strided row per message."""
    value, kind = style.rng.choice((("double", "MPI_DOUBLE"), ("float", "MPI_FLOAT"), ("int", "MPI_INT")))
    a, n, pitch, peer, i, f = style.names(6)
    t = style.index
    note = EXPECT.format("mpi-tiny-messages")
    access = style.pick("subscript", "macro", "inline", *(("lambda", "vector") if style.cxx else ()))
    prelude, setup, address, parameter = "", "", f"&{a}[{i} * {pitch}]", f"const {value} *{a}"
    at = style.name()
    if access == "macro":
        prelude, address = f"#define {at}(k) ((k) * {pitch})", f"&{a}[{at}({i})]"
    elif access == "inline":
        prelude = f"static inline const {value} *{at}(const {value} *m, {t} k, {t} step) {{ return m + k * step; }}"
        address = f"{at}({a}, {i}, {pitch})"
    elif access == "lambda":
        setup, address = f"auto {at} = [=]({t} k) {{ return {a} + k * {pitch}; }};", f"{at}({i})"
    elif access == "vector":
        prelude, parameter = "#include <vector>", f"const std::vector<{value}> &{a}"
    arguments = f"p, 1, {kind}, to, 0, MPI_COMM_WORLD"
    helper, call = wrapped_send(style, arguments, note, f"const {value} *p, int to")
    send = f"{call}({address}, {peer});" if helper else call.replace("(p,", f"({address},").replace(" to,", f" {peer},")
    length = str(style.rng.randint(100, 900)) if style.constant else n
    return lines(
        mpi_headers(style), prelude, helper,
        f"void {f}({parameter}, {t} {n}, {t} {pitch}, int {peer}) {{\n  (void){n};", indent(setup),
        f"  {style.loop(i, '0', length)} {{", indent(send, 4), "  }\n}",
    )  # fmt: skip


def tiny_components(style: Style) -> str:
    a, n, height, peer, y, x, k, f = style.names(8)
    t = style.index
    parts = style.rng.randint(2, 9)
    note = EXPECT.format("mpi-tiny-messages")
    return lines(
        mpi_headers(style),
        f"void {f}(const double *{a}, {t} {n}, {t} {height}, {t} {y}, int {peer}, MPI_Comm comm) {{",
        f"  {style.loop(x, '0', n)} {{", f"    {style.loop(k, '0', str(parts))} {{", indent(note, 6),
        f"      MPI_Send(&{a}[({x} * {height} + {y}) * {parts} + {k}], 1, MPI_DOUBLE, {peer}, 3, comm);",
        "    }\n  }\n}",
    )  # fmt: skip


def tiny_started(style: Style) -> str:
    a, requests, n, pitch, peer, i, f = style.names(7)
    t = style.index
    return lines(
        mpi_headers(style),
        f"void {f}(const double *{a}, MPI_Request *{requests}, {t} {n}, {t} {pitch}, int {peer}) {{",
        f"  {style.loop(i, '0', n)} {{", indent(EXPECT.format("mpi-tiny-messages"), 4),
        f"    MPI_Isend(&{a}[{i} * {pitch}], 1, MPI_DOUBLE, {peer}, 0, MPI_COMM_WORLD, &{requests}[{i}]);", "  }",
        f"  MPI_Waitall((int){n}, {requests}, MPI_STATUSES_IGNORE);", "}",
    )  # fmt: skip


def tiny_silent(kind: str) -> Shape:
    """Loops around a send that are no element-wise copies."""

    def make(style: Style) -> str:
        a, n, peer, i, f, table = style.names(6)
        t = style.index
        send = style.pick("MPI_Send", "MPI_Ssend")
        count, address, to, length, prelude = "1", f"&{a}[{i}]", peer, n, ""
        after = ""
        if kind == "ranks":
            to = f"(int){i}"
        elif kind == "table":
            to = f"{table}[{i}]"
        elif kind == "blocks":
            count, address = "4096", f"&{a}[{i} * 5000]"
        elif kind == "few":
            length = str(style.rng.randint(2, 4))
        elif kind == "answers":
            after = f"MPI_Recv({a}, 1, MPI_DOUBLE, {peer}, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        elif kind == "packed":
            return lines(
                mpi_headers(style),
                f"void {f}(double *{a}, const double *{table}, {t} {n}, {t} pitch, int {peer}) {{",
                f"  {style.loop(i, '0', n)} {{", f"    {a}[{i}] = {table}[{i} * pitch];", "  }",
                f"  {send}({a}, (int){n}, MPI_DOUBLE, {peer}, 0, MPI_COMM_WORLD);", "}",
            )  # fmt: skip
        call = f"{send}({address}, {count}, MPI_DOUBLE, {to}, 0, MPI_COMM_WORLD);"
        return lines(
            mpi_headers(style), prelude,
            f"void {f}(double *{a}, const int *{table}, {t} {n}, int {peer}) {{",
            f"  (void){table};\n  (void){n};\n  (void){peer};",
            f"  {style.loop(i, '0', length)} {{", indent(lines(call, after), 4), "  }\n}",
        )  # fmt: skip

    return make


def chain_variant(kind: str) -> Shape:
    """An exchange along a line or ring; every kind but `chain` and `helper` is in order."""

    def make(style: Style) -> str:
        out, into, n, f = style.names(4)
        t = style.index
        comm = style.pick("MPI_COMM_WORLD", "group")
        declared, rank, _, left, right = ranks(style, comm)
        to, source = (right, left) if style.rng.random() < 0.5 else (left, right)
        tag = str(style.rng.randint(0, 9))
        send_name = style.pick("MPI_Send", "MPI_Ssend")
        note = EXPECT.format("mpi-send-recv-chain")
        loud = kind in ("chain", "helper")
        half = f"(int){n}, MPI_DOUBLE"
        send = f"{send_name}({out}, {half}, {to}, {tag}, {comm});"
        receive = f"MPI_Recv({into}, {half}, {source}, {tag}, {comm}, MPI_STATUS_IGNORE);"
        prelude = ""
        if kind == "helper":
            move, way = style.names(2)
            prelude = lines(
                f"static void {move}(double *p, {t} count, int {way}, int peer, MPI_Comm comm) {{",
                f"  if ({way} == 0)",
                indent(note, 4),
                f"    {send_name}(p, (int)count, MPI_DOUBLE, peer, {tag}, comm);",
                "  else",
                f"    MPI_Recv(p, (int)count, MPI_DOUBLE, peer, {tag}, comm, MPI_STATUS_IGNORE);",
                "}",
            )
            body = f"{move}({out}, {n}, 0, {to}, {comm});\n{move}({into}, {n}, 1, {source}, {comm});"
        elif kind == "chain":
            body = lines(note, send, receive)
        elif kind == "sendrecv":
            body = (
                f"MPI_Sendrecv({out}, {half}, {to}, {tag}, {into}, {half}, {source}, {tag}, {comm}, MPI_STATUS_IGNORE);"
            )
        elif kind == "parity":
            test = style.pick(f"{rank} % 2 == 0", f"({rank} & 1) == 0", f"!({rank} % 2)")
            body = lines(f"if ({test}) {{", indent(lines(send, receive)), "} else {", indent(lines(receive, send)), "}")
        elif kind == "posted":
            body = lines(
                "MPI_Request request;", f"MPI_Irecv({into}, {half}, {source}, {tag}, {comm}, &request);", send,
                "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            )  # fmt: skip
        elif kind == "started":
            body = lines(
                "MPI_Request request;", f"MPI_Isend({out}, {half}, {to}, {tag}, {comm}, &request);", receive,
                "MPI_Wait(&request, MPI_STATUS_IGNORE);",
            )  # fmt: skip
        else:
            asked = lines(send.replace(f" {to},", " 0,"), receive.replace(f" {source},", " 0,"))
            body = lines(f"if ({rank} != 0) {{", indent(asked), "}")
        unused = lines(f"(void){rank};", f"(void){left};", f"(void){right};")
        group = ", MPI_Comm group" if comm == "group" else ""
        steps = style.name()
        body = lines(declared, unused, body)
        if loud and style.rng.random() < 0.4:
            body = lines(f"for (int {steps} = 0; {steps} < 10; {steps}++) {{", indent(body), "}")
        return lines(
            mpi_headers(style),
            prelude,
            f"void {f}(double *{into}, double *{out}, {t} {n}{group}) {{",
            indent(body),
            "}",
        )

    return make


LOUD: dict[str, dict[str, Shape]] = {
    "mem-strided-inner-loop": {"walk": strided_walk(True), "pointer": strided_pointer(True), "sum": strided_sum},
    "mem-struct-padding": {"record": padding_loud},
    "omp-serial-first-touch": {
        "for": touch_variant(serial_fill, "for", True),
        "region": touch_variant(serial_fill, "region", True),
        "memset": touch_variant(memset_fill, "for", True),
    },
    "omp-barrier-in-loop": {
        "for": barrier_variant(after_for, True),
        "single": barrier_variant(after_single, True),
        "own": barrier_variant(own_elements, True),
    },
    "mpi-redundant-barrier": {
        "exchange": redundant_variant(between_exchanges, True),
        "allreduce": redundant_variant(after_allreduce, True),
        "local": redundant_variant(between_local, True),
    },
    "mpi-tiny-messages": {"elements": tiny_elements, "components": tiny_components, "started": tiny_started},
    "mpi-send-recv-chain": {"chain": chain_variant("chain"), "helper": chain_variant("helper")},
}

SILENT: dict[str, dict[str, Shape]] = {
    "mem-strided-inner-loop": {
        "walk": strided_walk(False),
        "pointer": strided_pointer(False),
        "transpose": strided_transpose,
        "dependence": strided_dependence,
        "output": strided_output,
        "short": strided_short,
        "repeat": strided_repeat,
        "small": strided_small,
    },
    "mem-struct-padding": {
        "sorted": padding_sorted,
        "small": padding_small,
        "aligned": padding_aligned,
        "packed": padding_packed,
    },
    "omp-serial-first-touch": {
        "parallel": touch_variant(parallel_fill, "for", False),
        "file": touch_variant(file_fill, "for", False),
        "single": touch_variant(serial_fill, "single", False),
        "serial": touch_variant(serial_fill, "serial", False),
        "small": touch_variant(serial_fill, "for", False, "4000"),
    },
    "omp-barrier-in-loop": {
        "neighbours": barrier_variant(neighbours, False),
        "implied": barrier_variant(implied_needed, False),
        "nowait": barrier_variant(single_nowait, False),
        "master": barrier_variant(master_between, False),
        "dynamic": barrier_variant(dynamic_shares, False),
    },
    "mpi-redundant-barrier": {
        "timer": redundant_variant(around_timer, False),
        "file": redundant_variant(around_file, False),
        "wildcard": redundant_variant(after_wildcard, False),
        "none": redundant_variant(no_barrier, False),
    },
    "mpi-tiny-messages": {kind: tiny_silent(kind) for kind in ("ranks", "table", "blocks", "few", "answers", "packed")},
    "mpi-send-recv-chain": {
        kind: chain_variant(kind) for kind in ("sendrecv", "parity", "posted", "started", "client")
    },
}


def variants(slug: str, loud: bool, count: int, seed: int) -> list[Variant]:
    shapes = list((LOUD if loud else SILENT)[slug].items())
    made = []
    for number in range(count):
        name, shape = shapes[number % len(shapes)]
        style = Style.draw(random.Random(f"{seed}/{slug}/{loud}/{number}"))
        made.append(Variant(name, shape(style), style.cxx))
    return made


def write(out: Path, slug: str, count: int, seed: int) -> list[Path]:
    """Writes `count` loud and as many silent variants of a rule and returns their paths."""
    folder = out / slug
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for loud in (True, False):
        for number, variant in enumerate(variants(slug, loud, count, seed)):
            suffix = "cpp" if variant.cxx else "c"
            path = folder / f"{'loud' if loud else 'silent'}-{number:02}-{variant.shape}.{suffix}"
            path.write_text(variant.text, encoding="utf-8")
            paths.append(path)
    return paths


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="write variants of the rules' samples")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", choices=sorted(LOUD), action="append", help="only this rule; may be repeated")
    parser.add_argument("--count", type=int, default=12, help="loud and as many silent variants per rule")
    options = parser.parse_args(arguments)
    for slug in options.rule or sorted(LOUD):
        for path in write(options.out, slug, options.count, options.seed):
            print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
