"""Variants of omp-small-loop."""

from __future__ import annotations

from style import EXPECT, Shape, Style, lines, series, team_function

SLUG = "omp-small-loop"


def region(head: str, body: str, loud: bool, clause: str = "") -> str:
    mark = EXPECT.format(SLUG) if loud else ""
    return lines(mark, f"#pragma omp parallel for{clause}", head + " {", "  " + body, "}")


def known(kind: str, loud: bool) -> Shape:
    def make(style: Style) -> str:
        trips = style.rng.randint(3, 60) if loud else style.rng.randint(300000, 900000)
        s = series(style, 2, trips)
        i, step, steps = style.names(3)
        a, b = (s.at(name, i) for name in s.names)
        body = style.pick(f"{a} += 0.5 * {b};", f"{a} = {b} * {b} - {a};", f"{a} = {b} / 3.0;")
        text = region(style.loop(i, "0", s.length), body, loud, style.pick("", " schedule(static)"))
        if kind == "loop":
            text = lines(style.loop(step, "0", steps) + " {", text, "}")
            return team_function(style, s, text, f"{style.index} {steps}")
        return team_function(style, s, text)

    return make


def passed(style: Style) -> str:
    s = series(style, 1)
    f, v, n, i, step = style.names(5)
    style.index = "int"
    helper = lines(f"static void {f}(double *{v}, int {n}) {{",
                   region(style.loop(i, "0", n), f"{v}[{i}] *= 0.5;", True), "}")  # fmt: skip
    body = lines(f"for (int {step} = 0; {step} < 1000; {step}++) {{",
                 f"  {f}(&{s.at(s.names[0], '0')}, {style.rng.randint(4, 40)});", "}")  # fmt: skip
    return team_function(style, s, body, "", helper)


def collapsed(style: Style) -> str:
    a, b, f, i, j = style.names(5)
    n = style.rng.randint(3, 6)
    inner = f"for (int {j} = 0; {j} < {n}; {j}++)\n    {a}[{i}][{j}] += {b}[{i}] * {b}[{j}];"
    text = region(f"for (int {i} = 0; {i} < {n}; {i}++)", inner, True, style.pick("", " collapse(2)"))
    if "collapse" in text:
        text = text.replace(") {\n", ")\n", 1).removesuffix("}\n")
    return lines("// flags: -fopenmp", f"void {f}(double {a}[{n}][{n}], const double *{b}) {{", text, "}")


def run_time(style: Style) -> str:
    s = series(style, 1)
    i = style.name()
    return team_function(style, s, region(style.loop(i, "0", s.length), f"{s.at(s.names[0], i)} += 1.0;", False))


def guarded(style: Style) -> str:
    s = series(style, 1, 20)
    i, on = style.names(2)
    text = region(style.loop(i, "0", s.length), f"{s.at(s.names[0], i)} += 1.0;", False, f" if ({on})")
    return team_function(style, s, text, f"int {on}")


def unknown(style: Style) -> str:
    s = series(style, 1, style.rng.randint(2, 16))
    i, f = style.names(2)
    text = region(style.loop(i, "0", s.length), f"{s.at(s.names[0], i)} = {f}((int){i});", False)
    return team_function(style, s, text, "", f"double {f}(int part);")


def open_region(style: Style) -> str:
    s = series(style, 1, style.rng.randint(2, 16))
    i, j, b, m = style.names(4)
    style.index = "int"
    text = lines("#pragma omp parallel\n{", "#pragma omp for nowait", style.loop(i, "0", s.length),
                 f"  {s.at(s.names[0], i)} += 1.0;", "#pragma omp for", style.loop(j, "0", m), f"  {b}[{j}] += 1.0;",
                 "}")  # fmt: skip
    return team_function(style, s, text, f"double *{b}, int {m}")


LOUD: dict[str, Shape] = {
    "loop": known("loop", True),
    "once": known("plain", True),
    "passed": passed,
    "collapsed": collapsed,
}
SILENT: dict[str, Shape] = {
    "long": known("plain", False),
    "run-time": run_time,
    "guarded": guarded,
    "unknown": unknown,
    "open": open_region,
}
