"""Variants of omp-shared-counter."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Series, Shape, Style, lines, series, team_function

MARK = EXPECT.format("omp-shared-counter")


def region(style: Style, s: Series, body: str, clause: str = "", own: str = "", after: str = "") -> str:
    """A shared loop over the array; @ in the body is its counter. `own` and `after` stand around it in the region."""
    i = style.name()
    loop = lines(style.loop(i, "0", s.length) + " {", body.replace("@", i), "}")
    if not own and not after and style.pick("combined", "split") == "combined":
        return lines(f"#pragma omp parallel for{clause}", loop)
    return lines(f"#pragma omp parallel{clause}\n{{", own, "#pragma omp for", loop, after, "}")


def shape(content: Callable[[Style, Series, str, str], str]) -> Shape:
    """`content` gives the code of a function, from the series, one element of it, and the name of a shared scalar."""

    def make(style: Style) -> str:
        s = series(style, 1)
        result, t = style.names(2)
        body = content(style, s, s.at(s.names[0], "@"), t)
        kind = style.pick("double", "long", "float")
        return team_function(style, s, lines(f"{kind} {t} = 0;", body, f"*{result} = {t};"), f"double *{result}")

    return make


def update(style: Style, x: str, t: str) -> str:
    more = style.pick(f"{t} += {x};", f"{t} = {t} + {x};", f"{t} = 2 * {x} + {t};", f"{t} -= {x};")
    return style.pick(more, f"{t}++;", f"++{t};")


def total(style: Style, s: Series, x: str, t: str) -> str:
    return region(style, s, lines(MARK, update(style, x, t)))


def conditional(style: Style, s: Series, x: str, t: str) -> str:
    one = update(style, x, t)
    test = style.pick(f"{x} > 0.5", f"{x} < 0 || {x} > 9", f"{x} >= 1 && {x} < 3")
    return region(style, s, style.pick(lines(f"if ({test})", MARK, one), lines(f"if ({test}) {{", MARK, one, "}")))


def everybody(style: Style, s: Series, x: str, t: str) -> str:
    return region(style, s, f"{x} *= 0.5;", own=lines(MARK, f"{t} += 1;"))


def inner_counter(style: Style, s: Series, x: str, t: str) -> str:
    k, steps = style.name(), style.rng.randint(3, 9)
    counter = style.pick(f"{k}++", f"++{k}", f"{k} += 1")
    loop = lines(MARK, f"for ({k} = 0; {k} < {steps}; {counter})", f"  {x} = 0.5 * {x} + {k};")
    return lines(f"{style.index} {k};", region(style, s, loop), f"{t} = 1;")


def reduced(style: Style, s: Series, x: str, t: str) -> str:
    return region(style, s, style.pick(f"{t} += {x};", f"{t} = {t} + {x};"), f" reduction(+ : {t})")


def private(style: Style, s: Series, x: str, t: str) -> str:
    k = style.name()
    loop = lines(f"for ({k} = 0; {k} < {style.rng.randint(3, 9)}; {k}++)", f"  {x} = 0.5 * {x} + {k};")
    return lines(f"int {k};", region(style, s, loop, style.pick(f" private({k})", f" firstprivate({t}) private({k})")))


def declared_inside(style: Style, s: Series, x: str, t: str) -> str:
    mine, k = style.names(2)
    inner = f"for (int {k} = 0; {k} < 4; {k}++)\n  {mine} += {x} * {k};"
    body = lines(f"double {mine} = 0;", inner, f"{x} = {mine};")
    return lines(region(style, s, body), f"{t} = 1;")


def one_thread(style: Style, s: Series, x: str, t: str) -> str:
    own = lines(style.pick("#pragma omp single", "#pragma omp master"), f"{t} += 1;")
    return region(style, s, f"{x} *= 0.5;", own=own)


def one_at_a_time(style: Style, s: Series, x: str, t: str) -> str:
    mine = style.name()
    ending = lines(style.pick("#pragma omp critical", "#pragma omp atomic"), f"{t} += {mine};")
    return region(style, s, f"{mine} += {x};", own=f"double {mine} = 0;", after=ending)


def one_iteration(style: Style, s: Series, x: str, t: str) -> str:
    return region(style, s, lines(f"{x} *= 0.5;", f"if (@ == {style.rng.randint(0, 9)})", f"  {t} += 1;"))


LOUD: dict[str, Shape] = {
    "total": shape(total),
    "conditional": shape(conditional),
    "everybody": shape(everybody),
    "inner-counter": shape(inner_counter),
}
SILENT: dict[str, Shape] = {
    "reduced": shape(reduced),
    "private": shape(private),
    "declared-inside": shape(declared_inside),
    "one-thread": shape(one_thread),
    "one-at-a-time": shape(one_at_a_time),
    "one-iteration": shape(one_iteration),
}
