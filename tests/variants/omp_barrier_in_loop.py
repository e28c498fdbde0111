"""Variants of omp-barrier-in-loop."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, headers, indent, lines


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
    return text.replace("schedule(static)", f"schedule({style.pick('dynamic', 'guided')}, 8192)")


LOUD: dict[str, Shape] = {
    "for": barrier_variant(after_for, True),
    "single": barrier_variant(after_single, True),
    "own": barrier_variant(own_elements, True),
}

SILENT: dict[str, Shape] = {
    "neighbours": barrier_variant(neighbours, False),
    "implied": barrier_variant(implied_needed, False),
    "nowait": barrier_variant(single_nowait, False),
    "master": barrier_variant(master_between, False),
    "dynamic": barrier_variant(dynamic_shares, False),
}
