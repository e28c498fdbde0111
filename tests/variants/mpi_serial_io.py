"""Variants of mpi-serial-io."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines

NOTE = EXPECT.format("mpi-serial-io")


def variant(kind: str) -> Shape:
    def make(style: Style) -> str:
        mine, all_, n, f, rank, size, out, i, r = style.names(9)
        comm = style.pick("MPI_COMM_WORLD", "group")
        group = ", MPI_Comm group" if comm == "group" else ""
        count = str(style.rng.randint(500, 90000)) if style.constant else f"(int){n}"
        total = f"(size_t){size} * {count}"
        streams = style.cxx and style.rng.random() < 0.5 and kind not in ("terminal", "ordered")
        names = ["<mpi.h>", "<stdio.h>", "<stdlib.h>", *(["<fstream>"] if streams else [])]
        if streams:
            opened = lines(f'std::ofstream {out}("field.out", std::ios::app);')
            closed = ""
        else:
            opened = lines(
                f'FILE *{out} = fopen("field.out", "ab");', f"if ({out} == {style.null})", f"  MPI_Abort({comm}, 1);"
            )
            closed = f"fclose({out});"

        def write(buffer: str, length: str, note: str = NOTE) -> str:
            if style.rng.random() < 0.5:
                if streams:
                    return lines(note, f"{out}.write((const char *){buffer}, (long)(sizeof *{buffer} * ({length})));")
                return lines(note, f"fwrite({buffer}, sizeof *{buffer}, {length}, {out});")
            put = f"{out} << {buffer}[{i}] << '\\n';" if streams else f'fprintf({out}, "%g\\n", {buffer}[{i}]);'
            return lines(f"for (size_t {i} = 0; {i} < {length}; {i}++) {{", indent(lines(note, put)), "}")

        get = f"{all_} = (double *)malloc(sizeof(double) * {total});"
        gather = f"MPI_Gather({mine}, {count}, MPI_DOUBLE, {all_}, {count}, MPI_DOUBLE, 0, {comm});"
        if kind == "gather":
            body = lines(f"double *{all_} = {style.null};", f"if ({rank} == 0)", f"  {get}", gather,
                         f"if ({rank} == 0) {{",
                         indent(lines(opened, write(all_, total), closed, f"free({all_});")), "}")  # fmt: skip
        elif kind == "gatherv":
            body = lines(
                f"MPI_Gatherv({mine}, (int){n}, MPI_DOUBLE, {mine} + {n}, counts, starts, MPI_DOUBLE, 0, {comm});",
                f"if ({rank} == 0) {{",
                indent(lines(opened, write(f"({mine} + {n})", f"(size_t){n}"), closed)), "}",
            )  # fmt: skip
        elif kind == "receives":
            receive = lines(
                EXPECT.format("mpi-handmade-collective"),
                f"MPI_Recv({mine}, {count}, MPI_DOUBLE, {r}, 0, {comm}, MPI_STATUS_IGNORE);",
            )
            body = lines(
                f"if ({rank} == 0) {{",
                indent(lines(opened, write(mine, count, ""), f"for (int {r} = 1; {r} < {size}; {r}++) {{",
                             indent(lines(receive, write(mine, count))), "}", closed)),
                "} else {", f"  MPI_Send({mine}, {count}, MPI_DOUBLE, 0, 0, {comm});", "}",
            )  # fmt: skip
        elif kind == "turns":
            body = lines(
                f"for (int {r} = 0; {r} < {size}; {r}++) {{",
                indent(lines(f"if ({r} == {rank}) {{", indent(lines(opened, write(mine, count), closed)), "}",
                             f"MPI_Barrier({comm});")), "}",
            )  # fmt: skip
        elif kind == "few":
            few = str(style.rng.randint(1, 8))
            body = lines(f"double *{all_} = (double *)malloc(sizeof(double) * {few} * (size_t){size});",
                         gather.replace(count, few), f"if ({rank} == 0) {{",
                         indent(lines(opened, write(all_, f"{few} * (size_t){size}", ""), closed)), "}",
                         f"free({all_});")  # fmt: skip
        elif kind == "terminal":
            body = lines(f"double *{all_} = (double *)malloc(sizeof(double) * {total});", gather, f"if ({rank} == 0)",
                         f"  for (size_t {i} = 0; {i} < {total}; {i}++)", f'    printf("%g\\n", {all_}[{i}]);',
                         f"free({all_});")  # fmt: skip
        elif kind == "ordered":
            body = lines(f"for (int {r} = 0; {r} < {size}; {r}++) {{", f"  if ({r} == {rank})",
                         f'    printf("%d %g\\n", {rank}, {mine}[0]);', f"  MPI_Barrier({comm});", "}")  # fmt: skip
        elif kind == "own":
            body = lines(opened, write(mine, count, ""), closed, f"MPI_Barrier({comm});")
        else:
            body = lines(
                f"MPI_File {all_};",
                f'MPI_File_open({comm}, "field.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &{all_});',
                f"MPI_File_write_at_all({all_}, (MPI_Offset){rank} * 8 * {count}, {mine}, {count}, MPI_DOUBLE,",
                f"                      MPI_STATUS_IGNORE);\nMPI_File_close(&{all_});",
            )
        return lines(
            headers(style, *names),
            f"void {f}(double *{mine}, {style.index} {n}, const int *counts, const int *starts{group}) {{",
            indent(
                lines(
                    f"int {rank}, {size};", f"MPI_Comm_rank({comm}, &{rank});", f"MPI_Comm_size({comm}, &{size});",
                    f"(void){n};\n(void)counts;\n(void)starts;\n(void){size};\n(void){rank};", body,
                )
            ), "}",
        )  # fmt: skip

    return make


LOUD: dict[str, Shape] = {kind: variant(kind) for kind in ("gather", "gatherv", "receives", "turns")}
SILENT: dict[str, Shape] = {kind: variant(kind) for kind in ("few", "terminal", "ordered", "own", "collective")}
