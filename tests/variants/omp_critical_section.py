"""Variants of omp-critical-section."""

from __future__ import annotations

from style import EXPECT, Series, Shape, Style, lines, series, team_function

SLUG = "omp-critical-section"


def shared(style: Style, s: Series, body: str, clause: str = "") -> str:
    """A shared loop over the array; @ in the body is its counter."""
    i = style.name()
    style.used.add(i)
    head = style.loop(i, "0", s.length)
    loop = lines(head + " {", *("  " + line if not line.startswith("#") else line for line in body.splitlines()), "}")
    loop = loop.replace("@", i)
    if style.pick("combined", "split") == "combined":
        return lines(f"#pragma omp parallel for{clause}", loop)
    return lines("#pragma omp parallel\n{", f"#pragma omp for{clause}", loop, "}")


def section(style: Style, statement: str, loud: bool, name: str = "") -> str:
    mark = EXPECT.format(SLUG) if loud else ""
    opened = f"#pragma omp critical{f'({name})' if name else style.pick('', f'({style.name()})')}"
    if "\n" not in statement and style.pick("braces", "bare") == "bare":
        return lines(mark, opened, statement)
    return lines(mark, opened, "{", statement, "}")


def value_of(style: Style, s: Series) -> tuple[str, str]:
    """(helper function, value of an iteration)"""
    x = s.at(s.names[0], "@")
    if style.helper:
        f = style.name()
        return f"static inline double {f}(double v) {{ return v * v + {style.rng.randint(1, 9)}.0; }}", f"{f}({x})"
    return "", style.pick(x, f"{x} * {x}", f"2.5 * {x} - 1.0")


def total(kind: str) -> Shape:
    def make(style: Style) -> str:
        s = series(style, 1, 5000 if style.constant else None)
        helper, value = value_of(style, s)
        result, t = style.names(2)
        update = {
            "sum": style.pick(f"{t} += {value};", f"{t} = {t} + {value};", f"{t} = {value} + {t};"),
            "product": f"{t} *= {value};",
            "count": style.pick(f"{t}++;", f"++{t};", f"{t} += 1;"),
            "maximum": style.pick(
                f"if ({value} > {t}) {t} = {value};",
                f"if ({t} < {value}) {{ {t} = {value}; }}",
                f"{t} = {value} > {t} ? {value} : {t};",
            ),
            "minimum": style.pick(f"if ({value} < {t}) {t} = {value};", f"{t} = {t} < {value} ? {t} : {value};"),
        }[kind]
        guard = f"if ({s.at(s.names[0], '@')} > 0.5) {{\n" if kind == "count" else ""
        inner = lines(guard.rstrip(), section(style, update, True), "}" if guard else "")
        body = lines(f"double {t} = 1.0;", shared(style, s, inner), f"*{result} = {t};")
        return team_function(style, s, body, f"double *{result}", helper)

    return make


def two_sums(style: Style) -> str:
    s = series(style, 1)
    r, a, b = style.names(3)
    x = s.at(s.names[0], "@")
    inner = section(style, f"{a} += {x};\n{b} += {x} * {x};", True)
    return team_function(
        style,
        s,
        lines(f"double {a} = 0, {b} = 0;", shared(style, s, inner), f"*{r} = {b} - {a} * {a};"),
        f"double *{r}",
    )


def histogram(style: Style) -> str:
    s = series(style, 1)
    bins = style.name()
    inner = section(style, f"{bins}[(int)({s.at(s.names[0], '@')}) & 255]++;", True)
    return team_function(style, s, shared(style, s, inner), f"long *{bins}")


def lock(style: Style) -> str:
    s = series(style, 1)
    guard, t, r = style.names(3)
    inner = lines(EXPECT.format(SLUG), f"omp_set_lock(&{guard});", f"{t} += {s.at(s.names[0], '@')};",
                  f"omp_unset_lock(&{guard});")  # fmt: skip
    body = lines(f"double {t} = 0;", f"omp_lock_t {guard};", f"omp_init_lock(&{guard});", shared(style, s, inner),
                 f"omp_destroy_lock(&{guard});", f"*{r} = {t};")  # fmt: skip
    return team_function(style, s, body, f"double *{r}", "", "<omp.h>")


def called(style: Style) -> str:
    s = series(style, 1)
    f, t = style.names(2)
    before = lines(f"static double {t};", f"static void {f}(double v) {{", EXPECT.format(SLUG),
                   "#pragma omp critical", f"  {t} += v;", "}")  # fmt: skip
    return team_function(style, s, shared(style, s, f"{f}({s.at(s.names[0], '@')});"), "", before)


def once(style: Style) -> str:
    s = series(style, 1)
    r, t, mine, i = style.names(4)
    body = lines(f"double {t} = 0;", "#pragma omp parallel\n{", f"double {mine} = 0;", "#pragma omp for nowait",
                 style.loop(i, "0", s.length), f"  {mine} += {s.at(s.names[0], i)};",
                 section(style, f"{t} += {mine};", False), "}", f"*{r} = {t};")  # fmt: skip
    return team_function(style, s, body, f"double *{r}")


def pair(style: Style) -> str:
    s = series(style, 1)
    r, t, where = style.names(3)
    x = s.at(s.names[0], "@")
    inner = section(style, f"if ({x} > {t}) {{\n{t} = {x};\n{where} = (long)@;\n}}", True)
    body = lines(f"double {t} = 0;\nlong {where} = 0;", shared(style, s, inner), f"*{r} = {t} + {where};")
    return team_function(style, s, body, f"double *{r}")


def output(style: Style) -> str:
    s = series(style, 1)
    inner = section(style, f'printf("%g\\n", {s.at(s.names[0], "@")});', False)
    return team_function(style, s, shared(style, s, inner), "", "", "<stdio.h>")


def already(style: Style) -> str:
    s = series(style, 1)
    r, t = style.names(2)
    inner = style.pick(
        f"{t} += {s.at(s.names[0], '@')};", f"#pragma omp atomic\n{r}[@ & 7] += {s.at(s.names[0], '@')};"
    )
    clause = "" if inner.startswith("#") else f" reduction(+ : {t})"
    return team_function(
        style, s, lines(f"double {t} = 0;", shared(style, s, inner, clause), f"*{r} = {t};"), f"double *{r}"
    )


def unknown(style: Style) -> str:
    s = series(style, 1)
    f, r, t = style.names(3)
    inner = section(style, f"{t} += {f}({s.at(s.names[0], '@')});", False)
    body = lines(f"double {t} = 0;", shared(style, s, inner), f"*{r} = {t};")
    return team_function(style, s, body, f"double *{r}", f"double {f}(double v);")


def recurrence(style: Style) -> str:
    s = series(style, 1)
    r, t = style.names(2)
    inner = section(style, f"{t} = 0.5 * ({t} + {s.at(s.names[0], '@')} / {t});", False)
    body = lines(f"double {t} = 1;", shared(style, s, inner), f"*{r} = {t};")
    return team_function(style, s, body, f"double *{r}")


LOUD: dict[str, Shape] = {
    **{kind: total(kind) for kind in ("sum", "product", "count", "maximum", "minimum")},
    "two": two_sums,
    "histogram": histogram,
    "lock": lock,
    "called": called,
    "pair": pair,
}
SILENT: dict[str, Shape] = {
    "once": once,
    "output": output,
    "already": already,
    "unknown": unknown,
    "recurrence": recurrence,
}
