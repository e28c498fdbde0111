"""Variants of run-sleep-in-loop."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines, local_work

NOTE = EXPECT.format("run-sleep-in-loop")


def nap(style: Style) -> tuple[str, str]:
    """(setup, the call) of a sleep of constant length."""
    kind = style.pick("sleep", "usleep", "nanosleep", *(("chrono",) if style.cxx else ()))
    if kind == "sleep":
        return "", f"sleep({style.rng.randint(1, 3)});"
    if kind == "usleep":
        return "", f"usleep({style.rng.randint(10, 900) * 100});"
    if kind == "chrono":
        return "", f"std::this_thread::sleep_for(std::chrono::milliseconds({style.rng.randint(1, 500)}));"
    wait = style.name()
    return f"struct timespec {wait} = {{0, {style.rng.randint(1, 900)}000000}};", f"nanosleep(&{wait}, {style.null});"


def variant(kind: str) -> Shape:
    def make(style: Style) -> str:
        a, n, f, k, g = style.names(5)
        setup, call = nap(style)
        names = ["<time.h>", "<unistd.h>", "<stdio.h>"] + (["<chrono>", "<thread>"] if style.cxx else [])
        prelude, steps, parameter = "", str(style.rng.randint(20, 200)) if style.constant else "steps", ""
        work = local_work(style, a, n)
        loop = style.loop(k, "0", steps)
        if kind == "plain":
            body = lines(f"{loop} {{", indent(lines(work, setup, NOTE, call)), "}")
        elif kind == "helper":
            prelude = lines(f"static void {g}(void) {{", indent(lines(setup, NOTE, call)), "}")
            body = lines(f"{loop} {{", indent(lines(work, f"{g}();")), "}")
        elif kind == "sometimes":
            test = f"if ({k} % {style.rng.randint(2, 20)} == 0) {{"
            body = lines(f"{loop} {{", indent(lines(work, test, indent(lines(setup, NOTE, call)), "}")), "}")
        elif kind == "save":
            out = style.name()
            body = lines(
                f'FILE *{out} = fopen("state.bin", "wb");', f"if ({out} == {style.null})", "  return;", f"{loop} {{",
                indent(lines(f"fwrite({a}, sizeof *{a}, {n}, {out});", setup, NOTE, call)), "}", f"fclose({out});",
            )  # fmt: skip
        elif kind == "converge":
            body = lines(
                f"while ({a}[0] > 1e-6) {{", indent(lines(work, f"{a}[0] *= 0.5;", setup, NOTE, call)), "}",
            )  # fmt: skip
        elif kind == "flag":
            prelude = f"extern volatile int {g};"
            body = lines(f"while (!{g}) {{", indent(lines(setup, call)), "}", work)
        elif kind == "attempts":
            body = lines(
                f"for (int {k} = 0; {k} < 30; {k}++) {{",
                indent(lines(f'FILE *{g} = fopen("go", "r");', f"if ({g} != {style.null}) {{", f"  fclose({g});",
                             "  break;", "}", setup, call)), "}", work,
            )  # fmt: skip
        elif kind == "once":
            body = lines(setup, call, f"{loop} {{", indent(work), "}")
        elif kind == "ticker":
            body = lines(f"{loop} {{", indent(lines('printf("tick\\n");', setup, call)), "}", work)
        elif kind == "load":
            parameter = f", unsigned {g}"
            body = lines(f"{loop} {{", indent(lines(work, f"usleep({g});")), "}")
        else:
            body = lines(f"{loop} {{", indent(work), "}")
        return lines(
            headers(style, *names), prelude,
            f"void {f}(double *{a}, {style.index} {n}, {style.index} steps{parameter}) {{",
            indent(lines("(void)steps;", body)), "}",
        )  # fmt: skip

    return make


LOUD: dict[str, Shape] = {kind: variant(kind) for kind in ("plain", "helper", "sometimes", "save", "converge")}
SILENT: dict[str, Shape] = {kind: variant(kind) for kind in ("flag", "attempts", "once", "ticker", "load", "none")}
