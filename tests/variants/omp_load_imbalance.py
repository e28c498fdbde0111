"""Variants of omp-load-imbalance."""

from __future__ import annotations

from style import EXPECT, Shape, Style, lines, series, team_function

SLUG = "omp-load-imbalance"


def rows(schedule: str, ends: tuple[tuple[str, str], ...], loud: bool = False) -> Shape:
    """Sums over parts of a series, from the first of each pair to the second; "@" is the row, "#" the length."""

    def make(style: Style) -> str:
        style.index = "long"
        s = series(style, 2)
        i, k, total = style.names(3)
        first, last = (end.replace("@", i).replace("#", s.length) for end in style.rng.choice(ends))
        text = lines(
            style.loop(i, "0", s.length) + " {",
            f"  double {total} = 0;",
            f"  for (long {k} = {first}; {k} < {last}; {k}++)",
            f"    {total} += 1 / (1 + {s.at(s.names[1], k)} * {s.at(s.names[1], k)});",
            f"  {s.at(s.names[0], i)} = {total};",
            "}",
        )
        mark = EXPECT.format(SLUG) if loud else ""
        if style.pick("combined", "split") == "combined":
            return team_function(style, s, lines(mark, f"#pragma omp parallel for {schedule}", text))
        return team_function(style, s, lines("#pragma omp parallel\n{", mark, f"#pragma omp for {schedule}", text, "}"))

    return make


TRIANGLES = (("0", "@"), ("@ + 1", "#"))
LOUD: dict[str, Shape] = {
    "default": rows("", TRIANGLES, True),
    "static": rows("schedule(static)", TRIANGLES, True),
}
SILENT: dict[str, Shape] = {
    "dynamic": rows("schedule(dynamic, 4)", TRIANGLES),
    "turns": rows("schedule(static, 1)", TRIANGLES),
    "squares": rows("", (("0", "#"),)),
}
