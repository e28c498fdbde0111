"""Variants of mpi-thread-level."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines, local_work

NOTE = EXPECT.format("mpi-thread-level")
LEVELS = ("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")
NEEDS = {"any": 3, "loop": 3, "single": 2, "critical": 2, "section": 2, "master": 1, "zero": 1}


def start(style: Style, name: str, level: int) -> str:
    provided = style.name()
    if level == 0 and style.rng.random() < 0.7:
        return lines(f"int {name}(int *c, char ***v) {{", "  return MPI_Init(c, v);", "}")
    return lines(
        f"int {name}(int *c, char ***v) {{", f"  int {provided};",
        f"  MPI_Init_thread(c, v, {LEVELS[level]}, &{provided});", f"  return {provided} < {LEVELS[level]};", "}",
    )  # fmt: skip


def variant(loud: bool) -> Shape:
    def make(style: Style) -> str:
        a, n, f, to, init, g, k = style.names(7)
        place = style.rng.choice(sorted(NEEDS))
        need = NEEDS[place]
        level = style.rng.randint(0, need - 1) if loud else style.rng.randint(need, 3)
        note = NOTE if loud else ""
        plain = style.pick(
            f"MPI_Send({a}, 8, MPI_DOUBLE, {to}, 0, MPI_COMM_WORLD);",
            f"MPI_Bcast({a}, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);",
            f"MPI_Allreduce(MPI_IN_PLACE, {a}, 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);",
        )
        helper, call = "", plain
        if style.helper:
            helper = lines(f"static void {g}(double *{a}, int {to}) {{", f"  (void){to};", indent(plain), "}")
            call = f"{g}({a}, {to});"
        call = lines(note, call)
        work = lines("#pragma omp for", style.loop(k, "0", n), f"  {a}[{k}] *= 2.0;")
        inside = {
            "any": call,
            "loop": lines("#pragma omp for", f"for (int {k} = 0; {k} < 64; {k}++) {{", indent(call), "}"),
            "single": lines("#pragma omp single", "{", indent(call), "}"),
            "critical": lines("#pragma omp critical", "{", indent(call), "}"),
            "section": lines("#pragma omp sections", "{", "#pragma omp section", "  {", indent(call, 4), "  }", "}"),
            "master": lines(f"#pragma omp {style.pick('master', 'masked')}", "{", indent(call), "}"),
            "zero": lines("if (omp_get_thread_num() == 0) {", indent(call), "}"),
        }[place]
        region = lines("#pragma omp parallel", "{", indent(lines(work, inside)), "}")
        return lines(
            "// flags: -fopenmp", headers(style, "<mpi.h>", "<omp.h>"), helper,
            f"void {f}(double *{a}, {style.index} {n}, int {to}) {{",
            indent(lines(f"(void){to};", region)), "}", start(style, init, level),
        )  # fmt: skip

    return make


def outside(style: Style) -> str:
    """MPI between the regions only."""
    a, n, f, init = style.names(4)
    return lines(
        "// flags: -fopenmp", headers(style, "<mpi.h>", "<omp.h>"), f"void {f}(double *{a}, {style.index} {n}) {{",
        indent(lines("#pragma omp parallel for", local_work(style, a, n),
                     f"MPI_Bcast({a}, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);")), "}", start(style, init, 0),
    )  # fmt: skip


def clocks(style: Style) -> str:
    """Threads that ask for the time and their rank."""
    a, f, init = style.names(3)
    return lines(
        "// flags: -fopenmp", headers(style, "<mpi.h>", "<omp.h>"), f"void {f}(double *{a}) {{",
        indent(lines("#pragma omp parallel", f"{a}[omp_get_thread_num()] = MPI_Wtime();")), "}",
        start(style, init, style.rng.randint(0, 2)),
    )  # fmt: skip


LOUD: dict[str, Shape] = {"threads": variant(True)}
SILENT: dict[str, Shape] = {"threads": variant(False), "outside": outside, "clocks": clocks}
