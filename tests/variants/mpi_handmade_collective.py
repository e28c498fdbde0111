"""Variants of mpi-handmade-collective."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers

NOTE = EXPECT.format("mpi-handmade-collective")


def over_ranks(style: Style, r: str, rank: str, size: str, root: str, body: str) -> str:
    """A loop over all ranks but this one or the root."""
    skip = style.pick("if", "continue", "first")
    if skip == "first" and root == "0":
        return lines(f"for (int {r} = 1; {r} < {size}; {r}++) {{", indent(body), "}")
    left_out = root if style.rng.random() < 0.5 else rank
    if skip == "continue":
        inner = lines(f"if ({r} == {left_out})", "  continue;", body)
    else:
        inner = lines(f"if ({r} != {left_out}) {{", indent(body), "}")
    return lines(f"for (int {r} = 0; {r} < {size}; ++{r}) {{", indent(inner), "}")


def variant(kind: str) -> Shape:
    def make(style: Style) -> str:
        a, b, n, f, rank, size, r, root = style.names(8)
        comm = style.pick("MPI_COMM_WORLD", "group")
        group = ", MPI_Comm group" if comm == "group" else ""
        where = style.pick("0", root)
        send = style.pick("MPI_Send", "MPI_Ssend")
        count, tag = f"(int){n}", str(style.rng.randint(0, 9))
        slot = f"{a} + (size_t){r} * {n}"
        receive_root = f"MPI_Recv({b}, {count}, MPI_DOUBLE, {where}, {tag}, {comm}, MPI_STATUS_IGNORE);"
        send_root = f"{send}({b}, {count}, MPI_DOUBLE, {where}, {tag}, {comm});"
        one, others = "", receive_root
        if kind == "bcast":
            one = lines(NOTE, f"{send}({b}, {count}, MPI_DOUBLE, {r}, {tag}, {comm});")
        elif kind == "scatter":
            one = lines(NOTE, f"{send}({slot}, {count}, MPI_DOUBLE, {r}, {tag}, {comm});")
        elif kind == "gather":
            one = lines(NOTE, f"MPI_Recv({slot}, {count}, MPI_DOUBLE, {r}, {tag}, {comm}, MPI_STATUS_IGNORE);")
            others = send_root
        elif kind == "reduce":
            i = style.name()
            one = lines(
                NOTE, f"MPI_Recv({b}, {count}, MPI_DOUBLE, {r}, {tag}, {comm}, MPI_STATUS_IGNORE);",
                f"{style.loop(i, '0', n)}", f"  {a}[{i}] += {b}[{i}];",
            )  # fmt: skip
            others = send_root
        elif kind == "any":
            one = f"MPI_Recv({b}, {count}, MPI_DOUBLE, MPI_ANY_SOURCE, {tag}, {comm}, MPI_STATUS_IGNORE);"
            others = send_root
        elif kind == "sparse":
            one = lines(f"if ({a}[{r}] > 0.0)", f"  {send}({b}, {count}, MPI_DOUBLE, {r}, {tag}, {comm});")
            others = ""
        elif kind == "stop":
            one = f"{send}({b}, 0, MPI_DOUBLE, {r}, {tag}, {comm});"
            others = receive_root.replace(count, "0")
        elif kind == "asked":
            one = lines(
                f"{send}({b}, {count}, MPI_DOUBLE, {r}, {tag}, {comm});",
                f"MPI_Recv({b}, {count}, MPI_DOUBLE, {r}, {tag}, {comm}, MPI_STATUS_IGNORE);",
            )
            others = lines(receive_root, send_root)
        loop = over_ranks(style, r, rank, size, where, one)
        if kind == "table":
            table = style.name()
            loop = lines(
                f"static const int {table}[4] = {{1, 2, 3, 5}};", f"for (int {r} = 0; {r} < 4; {r}++)",
                f"  {send}({b}, {count}, MPI_DOUBLE, {table}[{r}], {tag}, {comm});",
            )  # fmt: skip
        elif kind == "collective":
            loop = f"{a}[0] += 1.0;"
            others = f"MPI_Bcast({b}, {count}, MPI_DOUBLE, {where}, {comm});"
        if kind == "collective":
            body = lines(f"if ({rank} == {where})", f"  {loop}", others)
        elif style.rng.random() < 0.5 or not others:
            body = lines(f"if ({rank} == {where}) {{", indent(loop), "}", *(
                ["else {", indent(others), "}"] if others else []))  # fmt: skip
        else:
            body = lines(f"if ({rank} != {where}) {{", indent(lines(others, "return;")), "}", loop)
        return lines(
            mpi_headers(style), f"void {f}(double *{a}, double *{b}, {style.index} {n}, int {root}{group}) {{",
            indent(
                lines(
                    f"int {rank}, {size};", f"MPI_Comm_rank({comm}, &{rank});", f"MPI_Comm_size({comm}, &{size});",
                    f"(void){root};\n(void){n};\n(void){size};", body,
                )
            ), "}",
        )  # fmt: skip

    return make


LOUD: dict[str, Shape] = {kind: variant(kind) for kind in ("bcast", "scatter", "gather", "reduce")}
SILENT: dict[str, Shape] = {kind: variant(kind) for kind in ("any", "sparse", "stop", "asked", "table", "collective")}
