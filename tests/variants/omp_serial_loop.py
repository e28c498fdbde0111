"""Variants of omp-serial-loop."""

from __future__ import annotations

from style import EXPECT, Shape, Style, lines, series, team_function

SLUG = "omp-serial-loop"


def steps(kind: str) -> Shape:
    """A team's loop and a serial one in each step."""

    def make(style: Style) -> str:
        s = series(style, 2, style.rng.randint(300000, 900000) if style.constant else None)
        i, j, t, count, x, limit = style.names(6)
        a, b = (s.at(name, i) for name in s.names)
        c, d = (s.at(name, j) for name in s.names)
        team = lines(f"#pragma omp parallel for{style.pick('', ' schedule(static)')}", style.loop(i, "0", s.length),
                     f"  {a} = 0.5 * {a} + {b};")  # fmt: skip
        head, extra, before = style.loop(j, "0", s.length), "", ""
        if kind == "plain":
            body = style.pick(f"{d} += 0.25 * {c};", f"{d} = {c};", f"{d} = {c} > 0 ? {c} : 0;")
        elif kind == "scalar":
            body = f"const double {x} = {c};\n    {d} = {x} * {x};"
        elif kind == "private":
            before, body = f"double {x};", f"{x} = {c};\n    {d} = {x} * {x};"
        elif kind == "counted":
            before, body = f"{style.index} {x} = 0;", f"{d} = {s.at(s.names[0], x + '++')};"
        elif kind == "carried":
            before, body = f"double {x} = 0;", f"{d} = {c} - {x};\n    {x} = {c};"
        elif kind == "part":
            head, extra, body = style.loop(j, "0", limit), f", {style.index} {limit}", f"{d} = {c};"
        elif kind == "recurrence":
            head, body = style.loop(j, "1", s.length), f"{d} = 0.5 * {s.at(s.names[1], j + ' - 1')} + {c};"
        else:
            body = f"{d} = {c};"
        mark = EXPECT.format(SLUG) if kind in ("plain", "scalar", "private") else ""
        serial = lines(mark, head + " {", "    " + body, "}")
        if kind == "rarely":
            serial = lines(f"if ({t} % 100 == 0) {{", serial, "}")
        if kind == "once":
            text = lines(serial, style.loop(t, "0", count) + " {", team, "}")
        else:
            text = lines(style.loop(t, "0", count) + " {", team, before, serial, "}")
        return team_function(style, s, text, f"{style.index} {count}{extra}")

    return make


LOUD: dict[str, Shape] = {kind: steps(kind) for kind in ("plain", "scalar", "private")}
SILENT: dict[str, Shape] = {
    kind: steps(kind) for kind in ("counted", "carried", "part", "recurrence", "rarely", "once")
}
