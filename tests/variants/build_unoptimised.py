"""Variants of build-unoptimised."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines

RULE = "build-unoptimised"


def kernel(style: Style, name: str, assertion: str = "") -> str:
    """A function that sums over an array; `assertion` stands in its inner loop, with @ for the index."""
    a, n, m, i, j, s = style.names(6)
    style.index = style.pick("int", "long", "size_t")
    element = style.pick("double", "float")
    inner = f"{a}[{i} * {m} + {j}]"
    check = assertion.replace("@", j).replace("%", m)
    outer = lines(
        style.loop(j, "0", m) + " {", *([indent(check)] if check else []), f"  {s} += {inner};", "}"
    )  # fmt: skip
    return lines(
        f"double {name}(const {element} *{a}, {style.index} {n}, {style.index} {m}) {{",
        f"  double {s} = 0;", indent(style.loop(i, "0", n) + " {"), indent(outer, 4), "  }", f"  return {s};", "}",
    )  # fmt: skip


def program(flags: str, loud: bool, loop: bool = True) -> Shape:
    """A whole program; without `loop` it computes nothing."""

    def make(style: Style) -> str:
        f, a, i, argc, argv = style.names(5)
        rows = style.rng.randint(10, 400)
        style.index = "int"
        fill = lines(style.loop(i, "0", str(rows * 10)), f"  {a}[{i}] = {i} % 7;")
        work = [f"static double {a}[{rows * 10}];", fill, f'printf("%g\\n", {a}[{argc}]);']
        idle = [f'printf("%d %s\\n", {argc}, {argv}[0]);']
        return lines(
            f"// flags: {flags}", headers(style, "<stdio.h>"), kernel(style, f) if loop and style.helper else "",
            EXPECT.format(RULE) if loud else "",
            f"int main(int {argc}, char **{argv}) {{", f"  (void){argv};",
            *(indent(part) for part in (work if loop else idle)), "  return 0;", "}",
        )  # fmt: skip

    return make


def part(style: Style) -> str:
    return lines("// flags: -O0", headers(style), kernel(style, style.name()))


def assertion(flags: str, loud: bool) -> Shape:
    def make(style: Style) -> str:
        condition = style.pick("@ < %", "@ >= 0 && @ < %", "@ != %")
        text = lines(EXPECT.format(RULE) if loud else "", f"assert({condition});").rstrip("\n")
        header = "<cassert>" if style.cxx else "<assert.h>"
        return lines(f"// flags: {flags}", headers(style), f"#include {header}", kernel(style, style.name(), text))

    return make


def before(style: Style) -> str:
    f, a, n, i = style.names(4)
    style.index = "long"
    return lines(
        headers(style), "#include " + ("<cassert>" if style.cxx else "<assert.h>"),
        f"void {f}(double *{a}, long {n}) {{", f"  assert({n} > 0);", indent(style.loop(i, "0", n)),
        f"    {a}[{i}] *= 2;", "}",
    )  # fmt: skip


LOUD: dict[str, Shape] = {
    "none": program("-O0", True),
    "last": program("-O3 -funroll-loops -O0", True),
    "debug": program("-O0 -g", True),
    "assertion": assertion("-O3", True),
}

SILENT: dict[str, Shape] = {
    "release": program("-O3", False),
    "first": program("-O0 -O2", False),
    "size": program("-Os", False),
    "idle": program("-O0", False, loop=False),
    "part": part,
    "ndebug": assertion("-DNDEBUG", False),
    "before": before,
}
