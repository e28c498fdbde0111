"""Variants of mpi-rank-guarded-collective."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers

NOTE = EXPECT.format("mpi-rank-guarded-collective")


def collective(style: Style, a: str, comm: str) -> str:
    return style.pick(
        f"MPI_Barrier({comm});",
        f"MPI_Bcast({a}, 8, MPI_DOUBLE, 0, {comm});",
        f"MPI_Reduce({a}, {a} + 8, 8, MPI_DOUBLE, MPI_SUM, 0, {comm});",
        f"MPI_Allreduce({a}, {a} + 8, 8, MPI_DOUBLE, MPI_MAX, {comm});",
        f"MPI_Allgather({a}, 1, MPI_DOUBLE, {a} + 8, 1, MPI_DOUBLE, {comm});",
    )


def guard(style: Style, rank: str, size: str) -> str:
    return style.pick(
        f"{rank} == 0", f"!{rank}", f"{rank} != 0", f"{rank} > 0", f"{rank} % 2 == 0", f"{rank} == {size} - 1",
        f"{rank} < {size} / 2",
    )  # fmt: skip


def variant(kind: str) -> Shape:
    def make(style: Style) -> str:
        a, n, f, rank, size = style.names(5)
        comm = style.pick("MPI_COMM_WORLD", "group")
        parameter = ", MPI_Comm group" if comm == "group" else ""
        call, work = collective(style, a, comm), f"{a}[0] += {style.rng.randint(1, 9)}.0;"
        test = guard(style, rank, size)
        prelude, query, after = "", f"MPI_Comm_rank({comm}, &{rank});", ""
        declared = f"int {rank}, {size};"
        if kind == "plain":
            body = lines(f"if ({test}) {{", indent(lines(work, NOTE, call)), "}")
        elif kind == "helper":
            g = style.name()
            inner = collective(style, "x", "c")
            prelude = lines(f"static void {g}(double *x, MPI_Comm c) {{", indent(inner), "}")
            body = lines(f"if ({test}) {{", indent(lines(work, NOTE, f"{g}({a}, {comm});")), "}")
        elif kind == "return":
            body = lines(f"if ({test})", "  return;", work, NOTE, call)
        elif kind == "record":
            box, record = style.names(2)
            prelude = lines(f"struct {record} {{ MPI_Comm comm; int rank, size; }};")
            declared, query = f"struct {record} {box};", f"{box}.comm = {comm};"
            after = f"MPI_Comm_rank({box}.comm, &{box}.rank);\nMPI_Comm_size({box}.comm, &{box}.size);"
            body = lines(f"if ({box}.rank == 0) {{", indent(lines(NOTE, call.replace(comm, f"{box}.comm"))), "}")
        elif kind == "different":
            body = lines(
                f"if ({rank} == 0) {{", indent(lines(NOTE, f"MPI_Barrier({comm});")), "} else {",
                f"  MPI_Bcast({a}, 8, MPI_DOUBLE, 0, {comm});", "}",
            )  # fmt: skip
        elif kind == "break":
            k = style.name()
            body = lines(
                f"{style.loop(k, '0', n)} {{", f"  if ({rank} == 0 && {a}[{k}] > 1.0)", "    break;",
                indent(lines(NOTE, call)), "}",
            )  # fmt: skip
        elif kind == "both":
            body = lines(f"if ({test}) {{", indent(lines(work, call)), "} else {", indent(call), "}")
        elif kind == "outside":
            body = lines(f"if ({test}) {{", indent(work), "}", call)
        elif kind == "data":
            body = lines(f"if ({n} > 3) {{", indent(call), "}", f"if ({test})", "  " + work)
        elif kind == "split":
            part = style.name()
            body = lines(
                f"MPI_Comm {part};", f"MPI_Comm_split({comm}, {rank} % 2, {rank}, &{part});",
                f"if ({rank} % 2 == 0) {{", indent(collective(style, a, part)), "}", f"MPI_Comm_free(&{part});",
            )  # fmt: skip
        elif kind == "abort":
            body = lines(f"if ({rank} == 0 && {a}[0] < 0.0)", f"  MPI_Abort({comm}, 1);", call)
        else:
            body = lines(
                f"if ({rank} == 0) {{", f"  MPI_Send({a}, 8, MPI_DOUBLE, 1, 0, {comm});",
                f"}} else if ({rank} == 1) {{",
                f"  MPI_Recv({a}, 8, MPI_DOUBLE, 0, 0, {comm}, MPI_STATUS_IGNORE);", "}", call,
            )  # fmt: skip
        if kind != "record":
            query = lines(query, f"MPI_Comm_size({comm}, &{size});\n(void){size};").rstrip()
        return lines(
            mpi_headers(style), prelude, f"void {f}(double *{a}, {style.index} {n}{parameter}) {{",
            indent(lines(declared, query, after, f"(void){n};", body)), "}",
        )  # fmt: skip

    return make


LOUD: dict[str, Shape] = {kind: variant(kind) for kind in ("plain", "helper", "return", "record", "different", "break")}
SILENT: dict[str, Shape] = {kind: variant(kind) for kind in ("both", "outside", "data", "split", "abort", "messages")}
