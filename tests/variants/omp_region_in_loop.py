"""Variants of omp-region-in-loop."""

from __future__ import annotations

from style import EXPECT, Shape, Style, lines, series, team_function

SLUG = "omp-region-in-loop"


def region(head: str, body: str, loud: bool, clause: str = "") -> str:
    mark = EXPECT.format(SLUG) if loud else ""
    return lines(mark, f"#pragma omp parallel for{clause}", head + " {", "  " + body, "}")


def rows(kind: str) -> Shape:
    """The shared loop runs along the rows that a serial loop goes through."""

    def make(style: Style) -> str:
        style.index = style.pick("int", "long", "size_t")
        s = series(style, 2)
        y, x, m, z, depth = style.names(5)
        at = f"{y} * {m} + {x}" if kind == "row" else f"({z} * {s.length} + {y}) * {m} + {x}"
        a, b = (s.at(name, at) for name in s.names)
        body = style.pick(f"{a} += 0.5 * {b};", f"{a} = {b} * {b};", f"{a} = {b} > 0 ? {b} : 0;")
        if kind == "row":
            inner = region(style.loop(x, "0", m), body, True, style.pick("", " schedule(static)"))
            text = lines(style.loop(y, "0", s.length) + " {", inner, "}")
            return team_function(style, s, text, f"{style.index} {m}")
        body = lines(style.loop(x, "0", m), f"    {body}")
        inner = region(style.loop(y, "0", s.length), body, True)
        text = lines(style.loop(z, "0", depth) + " {", inner, "}")
        return team_function(style, s, text, f"{style.index} {m}, {style.index} {depth}")

    return make


def steps(style: Style) -> str:
    """Known work of some microseconds per time step."""
    s = series(style, 2, style.rng.randint(3000, 9000))
    i, t, count = style.names(3)
    a, b = (s.at(name, i) for name in s.names)
    inner = region(style.loop(i, "0", s.length), f"{a} = 0.5 * {b} + {a};", True)
    return team_function(style, s, lines(style.loop(t, "0", count) + " {", inner, "}"), f"{style.index} {count}")


def called(style: Style) -> str:
    f, v, i, t, count, by = style.names(6)
    n = style.rng.randint(4000, 9000)
    s = series(style, 1)
    loop = region(f"for (int {i} = 0; {i} < {n}; {i}++)", f"{v}[{i}] += {by} * {i};", True)
    before = lines(f"static double {v}[{n}];", f"static void {f}(double {by}) {{", loop, "}")
    text = lines(style.loop(t, "0", count) + " {", f"  {f}({s.at(s.names[0], t)});", "}")
    return team_function(style, s, text, f"{style.index} {count}", before)


def time_step(style: Style) -> str:
    long_known = style.constant
    s = series(style, 2, style.rng.randint(500000, 900000) if long_known else None)
    i, t, count = style.names(3)
    a, b = (s.at(name, i) for name in s.names)
    inner = region(style.loop(i, "0", s.length), f"{a} = 0.5 * {b} + {a};", False)
    return team_function(style, s, lines(style.loop(t, "0", count) + " {", inner, "}"), f"{style.index} {count}")


def few(style: Style) -> str:
    style.index = "long"
    s = series(style, 2)
    i, d = style.names(2)
    a, b = (s.at(name, f"{d} * {s.length} + {i}") for name in s.names)
    inner = region(style.loop(i, "0", s.length), f"{a} += {b};", False)
    return team_function(style, s, lines(f"for (int {d} = 0; {d} < 3; {d}++) {{", inner, "}"))


def open_once(style: Style) -> str:
    style.index = "long"
    s = series(style, 1)
    y, x, m = style.names(3)
    text = lines("#pragma omp parallel", style.loop(y, "0", s.length) + " {", "#pragma omp for nowait",
                 style.loop(x, "0", m), f"  {s.at(s.names[0], f'{y} * {m} + {x}')} *= 0.5;", "}")  # fmt: skip
    return team_function(style, s, text, f"long {m}")


def outer(style: Style) -> str:
    style.index = "long"
    s = series(style, 1)
    y, x, m = style.names(3)
    body = lines(style.loop(x, "0", m), f"    {s.at(s.names[0], f'{y} * {m} + {x}')} *= 0.5;")
    return team_function(style, s, region(style.loop(y, "0", s.length), body, False), f"long {m}")


def unknown(style: Style) -> str:
    style.index = "long"
    s = series(style, 1)
    y, x, m, f = style.names(4)
    inner = region(style.loop(x, "0", m), f"{s.at(s.names[0], f'{y} * {m} + {x}')} = {f}({x});", False)
    text = lines(style.loop(y, "0", s.length) + " {", inner, "}")
    return team_function(style, s, text, f"long {m}", f"double {f}(long part);")


LOUD: dict[str, Shape] = {"row": rows("row"), "plane": rows("plane"), "steps": steps, "called": called}
SILENT: dict[str, Shape] = {
    "time": time_step,
    "few": few,
    "open": open_once,
    "outer": outer,
    "unknown": unknown,
}
