"""Variants of mpi-redundant-barrier."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, indent, lines, local_work, mpi_headers, ranks, sendrecv


def redundant_variant(content: Callable[[Style, str, str, str, str], str], loud: bool) -> Shape:
    """A loop over steps in one function; `content(style, array, n, comm, BARRIER)` gives its body."""

    def make(style: Style) -> str:
        a, n, steps, step, f, meet, comm = style.names(7)
        t = style.index
        note = EXPECT.format("mpi-redundant-barrier")
        parameter = f"MPI_Comm {comm}"
        if style.rng.random() < 0.3:
            parameter, comm = "", "MPI_COMM_WORLD"
        wrapper = ""
        barrier = (note + "\n" if loud else "") + f"MPI_Barrier({comm});"
        if style.helper:
            wrapper = lines(
                f"static void {meet}({parameter or ('' if style.cxx else 'void')}) {{", indent(barrier), "}"
            )
            barrier = f"{meet}({comm if parameter else ''});"
        body = content(style, a, n, comm, barrier)
        if barrier not in body:
            wrapper = ""
        tail = f", {parameter}" if parameter else ""
        return lines(
            mpi_headers(style, "<stdio.h>"), wrapper, f"void {f}(double *{a}, {t} {n}, {t} {steps}{tail}) {{",
            f"  {style.loop(step, '0', steps)} {{", indent(body, 4), "  }\n}",
        )  # fmt: skip

    return make


def between_exchanges(style: Style, a: str, n: str, comm: str, barrier: str) -> str:
    declared, _, _, left, right = ranks(style, comm)
    return lines(declared, sendrecv(a, n, comm, right, left), barrier, sendrecv(a, n, comm, left, right))


def after_allreduce(style: Style, a: str, n: str, comm: str, barrier: str) -> str:
    total = style.name()
    return lines(
        local_work(style, a, n), f"double {total};",
        f"MPI_Allreduce(&{a}[0], &{total}, 1, MPI_DOUBLE, MPI_SUM, {comm});", barrier, f"{a}[1] = {total};",
    )  # fmt: skip


def between_local(style: Style, a: str, n: str, _: str, barrier: str) -> str:
    return lines(local_work(style, a, n), barrier, local_work(style, a, n))


def around_timer(style: Style, a: str, n: str, _: str, barrier: str) -> str:
    start = style.name()
    return lines(
        barrier, f"const double {start} = MPI_Wtime();", local_work(style, a, n), barrier,
        f"{a}[0] = MPI_Wtime() - {start};",
    )  # fmt: skip


def around_file(style: Style, a: str, _: str, comm: str, barrier: str) -> str:
    rank, stream = style.names(2)
    return lines(
        f"int {rank};\nMPI_Comm_rank({comm}, &{rank});", f"if ({rank} == 0) {{",
        f'  FILE *{stream} = fopen("state.txt", "w");', f"  if ({stream} != {style.null}) {{",
        f'    fprintf({stream}, "%g\\n", {a}[0]);', f"    fclose({stream});", "  }\n}", barrier,
        f'FILE *{stream} = fopen("state.txt", "r");', f"if ({stream} != {style.null}) {{",
        f'  if (fscanf({stream}, "%lf", &{a}[1]) != 1)', f"    {a}[1] = 0.0;", f"  fclose({stream});", "}",
    )  # fmt: skip


def after_wildcard(style: Style, a: str, _: str, comm: str, barrier: str) -> str:
    rank, size, k = style.names(3)
    return lines(
        f"int {rank}, {size};\nMPI_Comm_rank({comm}, &{rank});\nMPI_Comm_size({comm}, &{size});",
        f"if ({rank} == 0) {{", f"  for (int {k} = 1; {k} < {size}; {k}++)",
        f"    MPI_Recv(&{a}[{k}], 1, MPI_DOUBLE, MPI_ANY_SOURCE, 0, {comm}, MPI_STATUS_IGNORE);", "} else {",
        f"  MPI_Send({a}, 1, MPI_DOUBLE, 0, 0, {comm});", "}", barrier,
    )  # fmt: skip


def no_barrier(style: Style, a: str, n: str, comm: str, _: str) -> str:
    declared, _, _, left, right = ranks(style, comm)
    return lines(declared, sendrecv(a, n, comm, right, left), local_work(style, a, n))


LOUD: dict[str, Shape] = {
    "exchange": redundant_variant(between_exchanges, True),
    "allreduce": redundant_variant(after_allreduce, True),
    "local": redundant_variant(between_local, True),
}

SILENT: dict[str, Shape] = {
    "timer": redundant_variant(around_timer, False),
    "file": redundant_variant(around_file, False),
    "wildcard": redundant_variant(after_wildcard, False),
    "none": redundant_variant(no_barrier, False),
}
