"""Variants of omp-adjacent-regions."""

from __future__ import annotations

from style import EXPECT, Series, Shape, Style, lines, series, team_function

SLUG = "omp-adjacent-regions"


def region(style: Style, s: Series, which: int, clause: str = "", value: str = "0.5") -> str:
    i = style.name()
    a, b = s.at(s.names[which], i), s.at(s.names[1 - which], i)
    body = style.pick(f"{a} += {value} * {b};", f"{a} *= {value};", f"{a} = {value} * {b} - {a};")
    return lines(f"#pragma omp parallel for{clause}", style.loop(i, "0", s.length) + " {", "  " + body, "}")


def repeated(style: Style, s: Series, content: str, extra: str = "", before: str = "") -> str:
    t, count = style.names(2)
    text = lines(style.loop(t, "0", count) + " {", content, "}")
    return team_function(style, s, text, ", ".join(p for p in (f"{style.index} {count}", extra) if p), before)


def row(number: int) -> Shape:
    def make(style: Style) -> str:
        s = series(style, 2)
        clause = style.pick("", " schedule(static)")
        parts = [region(style, s, k % 2, clause) for k in range(number)]
        return repeated(style, s, lines(EXPECT.format(SLUG), *parts))

    return make


def value_between(style: Style) -> str:
    s = series(style, 2)
    v = style.name()
    return repeated(
        style, s,
        lines(EXPECT.format(SLUG), region(style, s, 0), f"double {v} = 0.25;", region(style, s, 1, "", v)),
    )  # fmt: skip


def long_loops(style: Style) -> str:
    s = series(style, 2, style.rng.randint(500000, 900000))
    return repeated(style, s, lines(region(style, s, 0), region(style, s, 1)))


def call_between(style: Style) -> str:
    s = series(style, 2)
    f = style.name()
    return repeated(style, s, lines(region(style, s, 0), f"{f}();", region(style, s, 1)), "", f"void {f}(void);")


def teams(style: Style) -> str:
    s = series(style, 2)
    few = style.name()
    return repeated(style, s, lines(region(style, s, 0), region(style, s, 1, f" num_threads({few})")), f"int {few}")


def one_region(style: Style) -> str:
    s = series(style, 2)
    parts = [region(style, s, k).replace("parallel for", "for nowait") for k in range(2)]
    return repeated(style, s, lines("#pragma omp parallel\n{", *parts, "}"))


def guarded(style: Style) -> str:
    s = series(style, 2)
    on = style.name()
    parts = [region(style, s, k, f" if ({on})") for k in range(2)]
    return repeated(style, s, lines(*parts), f"int {on}")


LOUD: dict[str, Shape] = {"two": row(2), "three": row(3), "between": value_between}
SILENT: dict[str, Shape] = {
    "long": long_loops,
    "call": call_between,
    "teams": teams,
    "one": one_region,
    "guarded": guarded,
}
