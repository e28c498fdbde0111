"""Variants of mpi-no-overlap."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, indent, lines, mpi_headers

SLUG = "mpi-no-overlap"


def exchange(style: Style, u: str, rows: str, columns: str, *, wait: bool, note: bool) -> tuple[str, str]:
    """Statements that start the exchange of the first and last row of `u`, and those that wait for it."""
    requests = style.name()
    tag = style.rng.randint(0, 9)
    starts = [
        f"MPI_Irecv(&{u}[0], (int){columns}, MPI_DOUBLE, up, {tag}, comm, &{requests}[0]);",
        f"MPI_Irecv(&{u}[({rows} + 1) * {columns}], (int){columns}, MPI_DOUBLE, down, {tag}, comm, &{requests}[1]);",
        f"MPI_Isend(&{u}[{columns}], (int){columns}, MPI_DOUBLE, up, {tag}, comm, &{requests}[2]);",
        f"MPI_Isend(&{u}[{rows} * {columns}], (int){columns}, MPI_DOUBLE, down, {tag}, comm, &{requests}[3]);",
    ]
    style.rng.shuffle(starts)
    expect = EXPECT.format(SLUG) if note else ""
    if not wait or style.rng.random() < 0.6:
        done = lines(expect, f"MPI_Waitall(4, {requests}, MPI_STATUSES_IGNORE);")
    else:
        r = style.name()
        done = lines(
            f"for (int {r} = 0; {r} < 4; {r}++)", indent(expect), f"  MPI_Wait(&{requests}[{r}], MPI_STATUS_IGNORE);"
        )
    return lines(f"MPI_Request {requests}[4];", *starts), done


def independent(style: Style, v: str, w: str, rows: str, columns: str) -> str:
    i, j = style.names(2)
    value = style.pick(f"0.5 * {v}[{i} * {columns} + {j}] + 1.0", f"{v}[{i} * {columns} + {j}] * {w}[{j}]")
    return lines(
        f"{style.loop(i, '1', rows)} {{",
        f"  {style.loop(j, '0', columns)} {{",
        f"    {v}[{i} * {columns} + {j}] = {value};",
        "  }\n}",
    )


def stencil(style: Style, u: str, w: str, rows: str, columns: str) -> str:
    i, j = style.names(2)
    return lines(
        f"{style.loop(i, '1', rows + ' + 1')} {{",
        f"  {style.loop(j, '1', columns + ' - 1')} {{",
        f"    {w}[{i} * {columns} + {j}] = 0.25 * ({u}[({i} - 1) * {columns} + {j}] + {u}[({i} + 1) * {columns} + {j}]"
        f"\n        + {u}[{i} * {columns} + {j} - 1] + {u}[{i} * {columns} + {j} + 1]);",
        "  }\n}",
    )


def update(style: Style, u: str, v: str, rows: str, columns: str) -> str:
    """What the next exchange sends is new."""
    k = style.name()
    return lines(
        f"{style.loop(k, columns, '(' + rows + ' + 1) * ' + columns)} {{",
        f"  {u}[{k}] = 0.5 * ({u}[{k}] + {v}[{k}]);",
        "}",
    )


def whole_block(style: Style, u: str, w: str, rows: str, columns: str) -> str:
    """Work that needs all that arrived before it can begin."""
    k, total = style.names(2)
    i = style.name()
    return lines(
        f"double {total} = 0.0;",
        f"{style.loop(k, '0', columns)} {{",
        f"  {total} += {u}[{k}];",
        "}",
        f"{style.loop(i, '0', rows)} {{",
        f"  {w}[{i}] *= {total};",
        "}",
    )


Work = Callable[[Style, str, str, str, str], str]


def after_wait(work: Work, loud: bool) -> Shape:
    def make(style: Style) -> str:
        u, v, w, rows, columns, f, step = style.names(7)
        style.index = style.pick("int", "long")
        t = style.index
        starts, wait = exchange(style, u, rows, columns, wait=True, note=loud)
        body = work(style, v if work is independent else u, w, rows, columns)
        arrays = ", ".join(f"double *{name}" for name in (u, v, w))
        helper = ""
        if style.helper:
            g = style.name()
            helper = lines(
                f"static void {g}(double *{u}, {t} {rows}, {t} {columns}, int up, int down, MPI_Comm comm) {{",
                indent(starts + wait), "}",
            )  # fmt: skip
            starts, wait = f"{g}({u}, {rows}, {columns}, up, down, comm);", ""
        content = lines(starts, wait, body, update(style, u, v, rows, columns))
        if style.rng.random() < 0.6:
            content = lines(f"for (int {step} = 0; {step} < steps; {step}++) {{", indent(content), "}")
        return lines(
            mpi_headers(style), helper,
            f"void {f}({arrays}, {t} {rows}, {t} {columns}, int steps, int up, int down, MPI_Comm comm) {{",
            f"  (void)steps;\n  (void){v};\n  (void){w};", indent(content), "}",
        )  # fmt: skip

    return make


def before_wait(style: Style) -> str:
    """The work runs while the messages travel."""
    u, v, w, rows, columns, f = style.names(6)
    style.index = style.pick("int", "long")
    t = style.index
    starts, wait = exchange(style, u, rows, columns, wait=False, note=False)
    return lines(
        mpi_headers(style),
        f"void {f}(double *{u}, double *{v}, double *{w}, {t} {rows}, {t} {columns}, int up, int down,"
        " MPI_Comm comm) {",
        indent(lines(starts, independent(style, v, w, rows, columns), wait)), "}",
    )  # fmt: skip


def nothing_after(kind: str) -> Shape:
    def make(style: Style) -> str:
        u, rows, columns, f, k, other = style.names(6)
        style.index = style.pick("int", "long")
        t = style.index
        starts, wait = exchange(style, u, rows, columns, wait=True, note=False)
        after = {
            "end": "",
            "short": f"for (int {k} = 0; {k} < 3; {k}++)\n  {u}[5 * {columns} + {k}] *= 0.5;",
            "opaque": f"{other}({u}, {rows});",
        }[kind]
        declared = f"void {other}(double *, {t});"
        return lines(
            mpi_headers(style),
            declared,
            f"void {f}(double *{u}, {t} {rows}, {t} {columns}, int up, int down, MPI_Comm comm) {{",
            indent(lines(starts, wait, after)),
            "}",
        )

    return make


LOUD: dict[str, Shape] = {"independent": after_wait(independent, True), "interior": after_wait(stencil, True)}

SILENT: dict[str, Shape] = {
    "needed": after_wait(whole_block, False),
    "between": before_wait,
    "end": nothing_after("end"),
    "short": nothing_after("short"),
    "opaque": nothing_after("opaque"),
}
