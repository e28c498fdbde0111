"""Variants of mpi-duplicate-exchange."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers

SLUG = "mpi-duplicate-exchange"


def message(style: Style, data: str, n: str, peer: str, tag: str, other: str) -> str:
    kind = style.pick("MPI_Send", "MPI_Ssend", "MPI_Sendrecv")
    if kind == "MPI_Sendrecv":
        return (
            f"MPI_Sendrecv({data}, (int){n}, MPI_DOUBLE, {peer}, {tag}, {other}, (int){n}, MPI_DOUBLE, {peer}, {tag},"
            " comm,\n             MPI_STATUS_IGNORE);"
        )
    return f"{kind}({data}, (int){n}, MPI_DOUBLE, {peer}, {tag}, comm);"


def function(style: Style, names: tuple[str, str, str, str], prelude: str, body: str) -> str:
    data, other, n, peer = names
    t = style.index
    return lines(
        mpi_headers(style), prelude,
        f"void {style.name()}(double *{data}, double *{other}, {t} {n}, int {peer}, MPI_Comm comm) {{",
        f"  (void){other};", indent(body), "}",
    )  # fmt: skip


def twice(style: Style) -> str:
    data, other, n, peer, k = style.names(5)
    tag = str(style.rng.randint(0, 9))
    first = message(style, data, n, peer, tag, other)
    between = style.pick(
        "",
        lines(f"{style.loop(k, '0', n)} {{", f"  {other}[{k}] = 0.5 * {data}[{k}];", "}"),
        f"MPI_Send({other}, (int){n}, MPI_DOUBLE, {peer}, 17, comm);",
    )
    note = EXPECT.format(SLUG)
    prelude = ""
    if style.helper:
        f = style.name()
        prelude = lines(
            f"static void {f}(double *{data}, double *{other}, {style.index} {n}, int {peer}, MPI_Comm comm) {{",
            f"  (void){other};", indent(first), "}",
        )  # fmt: skip
        first = f"{f}({data}, {other}, {n}, {peer}, comm);"
    return function(style, (data, other, n, peer), prelude, lines(first, between, note, first))


def elements_twice(style: Style) -> str:
    """Two loops that walk alike, one message per row, which is not tiny."""
    data, other, n, peer, i, j = style.names(6)
    width = style.rng.randint(600, 900)

    def rows(variable: str, note: str) -> str:
        return lines(
            f"{style.loop(variable, '0', n)} {{", indent(note),
            f"  MPI_Send(&{data}[{variable} * {width}], 600, MPI_DOUBLE, {peer}, 4, comm);", "}",
        )  # fmt: skip

    return function(style, (data, other, n, peer), "", rows(i, "") + rows(j, EXPECT.format(SLUG)))


def repeated(style: Style) -> str:
    """Steps that send what none of them changes, and compute with what they receive."""
    data, other, n, peer, step, k = style.names(6)
    steps = style.pick("25", n)
    received = f"{other}, (int){n}, MPI_DOUBLE, {peer}, 6, comm, MPI_STATUS_IGNORE);"
    send = f"MPI_Sendrecv({data}, (int){n}, MPI_DOUBLE, {peer}, 6, {received}"
    work = lines(f"{style.loop(k, '0', n)} {{", f"  {other}[{k}] = 0.5 * {other}[{k}] + {data}[{k}];", "}")
    note = EXPECT.format(SLUG)
    return function(
        style, (data, other, n, peer), "",
        lines(f"{style.loop(step, '0', steps)} {{", indent(lines(note, send, work)), "}"),
    )  # fmt: skip


def repacked(style: Style) -> str:
    """A column that is packed and sent, and packed and sent again before anything changed it."""
    data, other, n, peer, buffer, total = style.names(6)
    width = style.rng.randint(100, 400)

    def packed(note: str) -> str:
        k = style.name()
        return lines(
            f"{style.loop(k, '0', n)} {{", f"  {buffer}[{k}] = {data}[{k} * {width}];", "}", note,
            f"MPI_Send({buffer}, (int){n}, MPI_DOUBLE, {peer}, 2, comm);",
        )  # fmt: skip

    k = style.name()
    between = style.pick(
        "", lines(f"double {total} = 0.0;", f"{style.loop(k, '0', n)} {{", f"  {total} += {data}[{k}];", "}",
                  f"{other}[0] = {total};"),
    )  # fmt: skip
    return function(
        style, (data, other, n, peer), f"static double {buffer}[100000];",
        lines(packed(""), between, packed(EXPECT.format(SLUG))),
    )  # fmt: skip


def distinct(kind: str) -> Shape:
    """Two messages, or one in a loop, that are not the same."""

    def make(style: Style) -> str:
        data, other, n, peer, k = style.names(5)
        tag = str(style.rng.randint(0, 9))
        first = second = message(style, data, n, peer, tag, other)
        between, prelude = "", ""
        if kind == "stored":
            between = lines(f"{style.loop(k, '0', n)} {{", f"  {data}[{k}] += 1.0;", "}")
        elif kind == "called":
            f = style.name()
            prelude = f"void {f}(double *, {style.index});"
            between = f"{f}({data}, {n});"
        elif kind == "received":
            between = f"MPI_Recv({data}, (int){n}, MPI_DOUBLE, {peer}, 1, comm, MPI_STATUS_IGNORE);"
        elif kind == "peer":
            second = second.replace(f" {peer},", f" {peer} + 1,")
        elif kind == "part":
            second = second.replace(f"({data},", f"({data} + {n},", 1)
        elif kind == "clock":
            between = "const double start = MPI_Wtime();\n(void)start;"
        elif kind == "advancing":
            body = lines(f"for (int {k} = 0; {k} < 100; {k}++) {{", indent(first), f"  {data}[{k}] *= 0.5;", "}")
            return function(style, (data, other, n, peer), "", body)
        return function(style, (data, other, n, peer), prelude, lines(first, between, second))

    return make


LOUD: dict[str, Shape] = {"twice": twice, "rows": elements_twice, "repeated": repeated, "repacked": repacked}

SILENT: dict[str, Shape] = {
    kind: distinct(kind) for kind in ("stored", "called", "received", "peer", "part", "clock", "advancing")
}
