"""Variants of omp-costly-schedule."""

from __future__ import annotations

from style import EXPECT, Series, Shape, Style, lines, series, team_function

SLUG = "omp-costly-schedule"


def loop(style: Style, s: Series, body: str, schedule: str, loud: bool, length: str = "") -> str:
    i = style.name()
    head = style.loop(i, "0", length or s.length)
    mark = EXPECT.format(SLUG) if loud else ""
    text = lines(head + " {", "  " + body.replace("@", i), "}")
    if style.pick("combined", "split") == "combined":
        return lines(mark, f"#pragma omp parallel for {schedule}", text)
    return lines("#pragma omp parallel\n{", mark, f"#pragma omp for {schedule}", text, "}")


def small_chunk(style: Style) -> str:
    return style.pick("schedule(dynamic)", "schedule(dynamic, 1)", f"schedule(dynamic, {style.rng.randint(2, 16)})")


def work(style: Style, s: Series) -> str:
    a, b = (s.at(name, "@") for name in s.names)
    return style.pick(
        f"{a} = {b} * 0.5 + {a};", f"{a} += {b} * {b};", f"{a} = {b} > 0 ? {b} : -{b};", f"{a} = 2 / {b};"
    )


def equal(schedule: str, loud: bool = True) -> Shape:
    def make(style: Style) -> str:
        s = series(style, 2, style.rng.randint(5000, 90000) if style.constant else None)
        helper, body = "", work(style, s)
        if style.helper:
            f = style.name()
            helper = f"static inline double {f}(double v) {{ return v * {style.rng.randint(2, 9)}.0 - 1.0; }}"
            body = f"{s.at(s.names[0], '@')} = {f}({s.at(s.names[1], '@')});"
        return team_function(style, s, loop(style, s, body, schedule or small_chunk(style), loud), "", helper)

    return make


def short_inner(style: Style) -> str:
    s = series(style, 2)
    k = style.name()
    parts = style.rng.randint(16, 24)  # a row has a cache line of its own
    a, b = (s.at(name, f"@ * {parts} + {k}") for name in s.names)
    body = f"for (int {k} = 0; {k} < {parts}; {k}++)\n    {a} += {b};"
    return team_function(style, s, loop(style, s, body, small_chunk(style), True))


def rows(style: Style) -> str:
    style.index = style.pick("int", "long")
    s = series(style, 2)
    k, m = style.names(2)
    a, b = (s.at(name, f"@ * {m} + {k}") for name in s.names)
    body = f"for ({style.index} {k} = 0; {k} < {m}; {k}++)\n    {a} += 0.5 * {b};"
    return team_function(style, s, loop(style, s, body, "schedule(dynamic)", True), f"{style.index} {m}")


def own_sum(style: Style, s: Series, head: str, term: str) -> str:
    """A sum that is written once: neighbouring iterations on other threads share no line for long."""
    total = style.name()
    return f"double {total} = 0;\n  {head}\n    {total} += {term};\n  {s.at(s.names[0], '@')} = {total};"


def triangle(style: Style) -> str:
    style.index = "long"
    s = series(style, 2)
    k = style.name()
    first, last = style.rng.choice((("0", "@"), ("@ + 1", s.length)))
    body = own_sum(style, s, f"for (long {k} = {first}; {k} < {last}; {k}++)", s.at(s.names[1], k))
    return team_function(style, s, loop(style, s, body, small_chunk(style), False))


def sparse(style: Style) -> str:
    s = series(style, 2)
    k, start = style.names(2)
    body = own_sum(style, s, f"for (int {k} = {start}[@]; {k} < {start}[@ + 1]; {k}++)", s.at(s.names[1], k))
    return team_function(style, s, loop(style, s, body, "schedule(dynamic, 256)", False), f"const int *{start}")


def iterate(style: Style) -> str:
    s = series(style, 2)
    x = s.at(s.names[0], "@")
    body = f"while ({x} > 1e-9)\n    {x} = {x} * {x} * 0.5;"
    return team_function(style, s, loop(style, s, body, small_chunk(style), False))


def unknown(style: Style) -> str:
    s = series(style, 2)
    f = style.name()
    body = f"{s.at(s.names[0], '@')} = {f}({s.at(s.names[1], '@')});"
    return team_function(style, s, loop(style, s, body, small_chunk(style), False), "", f"double {f}(double v);")


def shared_once(style: Style) -> str:
    s = series(style, 2)
    schedule = style.pick(
        "", "schedule(static)", "schedule(runtime)", "schedule(dynamic, 8192)", "schedule(static, 64)"
    )
    return team_function(style, s, loop(style, s, work(style, s), schedule, False))


def heavy(style: Style) -> str:
    s = series(style, 2)
    k = style.name()
    head = f"for (int {k} = 1; {k} < {style.rng.randint(8000, 20000)}; {k}++)"
    body = own_sum(style, s, head, f"{s.at(s.names[1], '@')} / {k}")
    return team_function(style, s, loop(style, s, body, small_chunk(style), False))


LOUD: dict[str, Shape] = {
    "dynamic": equal(""),
    "inner": short_inner,
    "rows": rows,
    "four": equal("schedule(dynamic, 4)"),
}
SILENT: dict[str, Shape] = {
    "guided": equal("schedule(guided)", False),  # of a length that nothing shows: its chunks may be long
    "triangle": triangle,
    "sparse": sparse,
    "iterate": iterate,
    "unknown": unknown,
    "static": shared_once,
    "heavy": heavy,
}
