"""Variants of mpi-tiny-messages."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers


def wrapped_send(style: Style, arguments: str, note: str, parameters: str) -> tuple[str, str]:
    """(helper function, call) or ("", the send itself); `arguments` names the parameters."""
    send = style.pick("MPI_Send", "MPI_Ssend")
    if not style.helper:
        return "", lines(note, f"{send}({arguments});").rstrip()
    f = style.name()
    body = indent(lines(note, f"{send}({arguments});"))
    return lines(f"static void {f}({parameters}) {{", body, "}"), f


def tiny_elements(style: Style) -> str:
    """One element of a strided row per message."""
    value, kind = style.rng.choice((("double", "MPI_DOUBLE"), ("float", "MPI_FLOAT"), ("int", "MPI_INT")))
    a, n, pitch, peer, i, f = style.names(6)
    t = style.index
    note = EXPECT.format("mpi-tiny-messages")
    access = style.pick("subscript", "macro", "inline", *(("lambda", "vector") if style.cxx else ()))
    prelude, setup, address, parameter = "", "", f"&{a}[{i} * {pitch}]", f"const {value} *{a}"
    at = style.name()
    if access == "macro":
        prelude, address = f"#define {at}(k) ((k) * {pitch})", f"&{a}[{at}({i})]"
    elif access == "inline":
        prelude = f"static inline const {value} *{at}(const {value} *m, {t} k, {t} step) {{ return m + k * step; }}"
        address = f"{at}({a}, {i}, {pitch})"
    elif access == "lambda":
        setup, address = f"auto {at} = [=]({t} k) {{ return {a} + k * {pitch}; }};", f"{at}({i})"
    elif access == "vector":
        prelude, parameter = "#include <vector>", f"const std::vector<{value}> &{a}"
    arguments = f"p, 1, {kind}, to, 0, MPI_COMM_WORLD"
    helper, call = wrapped_send(style, arguments, note, f"const {value} *p, int to")
    send = f"{call}({address}, {peer});" if helper else call.replace("(p,", f"({address},").replace(" to,", f" {peer},")
    length = str(style.rng.randint(100, 900)) if style.constant else n
    return lines(
        mpi_headers(style), prelude, helper,
        f"void {f}({parameter}, {t} {n}, {t} {pitch}, int {peer}) {{\n  (void){n};", indent(setup),
        f"  {style.loop(i, '0', length)} {{", indent(send, 4), "  }\n}",
    )  # fmt: skip


def tiny_components(style: Style) -> str:
    a, n, height, peer, y, x, k, f = style.names(8)
    t = style.index
    parts = style.rng.randint(2, 9)
    note = EXPECT.format("mpi-tiny-messages")
    return lines(
        mpi_headers(style),
        f"void {f}(const double *{a}, {t} {n}, {t} {height}, {t} {y}, int {peer}, MPI_Comm comm) {{",
        f"  {style.loop(x, '0', n)} {{", f"    {style.loop(k, '0', str(parts))} {{", indent(note, 6),
        f"      MPI_Send(&{a}[({x} * {height} + {y}) * {parts} + {k}], 1, MPI_DOUBLE, {peer}, 3, comm);",
        "    }\n  }\n}",
    )  # fmt: skip


def tiny_started(style: Style) -> str:
    a, requests, n, pitch, peer, i, f = style.names(7)
    t = style.index
    return lines(
        mpi_headers(style),
        f"void {f}(const double *{a}, MPI_Request *{requests}, {t} {n}, {t} {pitch}, int {peer}) {{",
        f"  {style.loop(i, '0', n)} {{", indent(EXPECT.format("mpi-tiny-messages"), 4),
        f"    MPI_Isend(&{a}[{i} * {pitch}], 1, MPI_DOUBLE, {peer}, 0, MPI_COMM_WORLD, &{requests}[{i}]);", "  }",
        f"  MPI_Waitall((int){n}, {requests}, MPI_STATUSES_IGNORE);", "}",
    )  # fmt: skip


def tiny_records(style: Style) -> str:
    """One element of a datatype, or a number of values that a variable holds."""
    a, n, peer, i, f, datatype, parts = style.names(7)
    t = style.index
    size = style.rng.randint(2, 12)
    note = EXPECT.format("mpi-tiny-messages")
    before, setup, what = "", "", f"1, {datatype}"
    form = style.pick("contiguous", "bytes", "vector", "variable", "file", "choice")
    if form == "contiguous":
        setup = f"MPI_Type_contiguous({size}, MPI_DOUBLE, &{datatype});"
    elif form == "bytes":
        setup = f"MPI_Type_contiguous({size} * sizeof(double), MPI_BYTE, &{datatype});"
    elif form == "vector":
        setup = f"MPI_Type_vector({size}, 1, 2, MPI_FLOAT, &{datatype});"
    elif form == "variable":
        setup, what = f"int {parts} = 1;\n{parts} += {size - 1};", f"{parts}, MPI_DOUBLE"
    elif form == "file":
        before, what = f"static int {parts} = {size};", f"{parts}, MPI_DOUBLE"
    else:
        setup, what = f"const int {parts} = {n} > 1000 ? 2 : {size};", f"{parts}, MPI_DOUBLE"
    derived = datatype in what
    if derived:
        setup = lines(f"MPI_Datatype {datatype};", setup, f"MPI_Type_commit(&{datatype});")
    return lines(
        mpi_headers(style), before, f"void {f}(const double *{a}, {t} {n}, int {peer}) {{", indent(setup),
        f"  {style.loop(i, '0', n)} {{", indent(note, 4),
        f"    MPI_Send(&{a}[{i} * {size}], {what}, {peer}, 0, MPI_COMM_WORLD);", "  }",
        f"  MPI_Type_free(&{datatype});" if derived else "", "}",
    )  # fmt: skip


def tiny_silent(kind: str) -> Shape:
    """Loops around a send that are no element-wise copies."""

    def make(style: Style) -> str:
        a, n, peer, i, f, table = style.names(6)
        t = style.index
        send = style.pick("MPI_Send", "MPI_Ssend")
        count, address, to, length, prelude = "1", f"&{a}[{i}]", peer, n, ""
        after = ""
        if kind == "ranks":
            to = f"(int){i}"
        elif kind == "table":
            to = f"{table}[{i}]"
        elif kind == "blocks":
            count, address = "4096", f"&{a}[{i} * 5000]"
        elif kind == "few":
            length = str(style.rng.randint(2, 4))
        elif kind == "answers":
            after = f"MPI_Recv({a}, 1, MPI_DOUBLE, {peer}, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        elif kind == "packed":
            return lines(
                mpi_headers(style),
                f"void {f}(double *{a}, const double *{table}, {t} {n}, {t} pitch, int {peer}) {{",
                f"  {style.loop(i, '0', n)} {{", f"    {a}[{i}] = {table}[{i} * pitch];", "  }",
                f"  {send}({a}, (int){n}, MPI_DOUBLE, {peer}, 0, MPI_COMM_WORLD);", "}",
            )  # fmt: skip
        call = f"{send}({address}, {count}, MPI_DOUBLE, {to}, 0, MPI_COMM_WORLD);"
        return lines(
            mpi_headers(style), prelude,
            f"void {f}(double *{a}, const int *{table}, {t} {n}, int {peer}) {{",
            f"  (void){table};\n  (void){n};\n  (void){peer};",
            f"  {style.loop(i, '0', length)} {{", indent(lines(call, after), 4), "  }\n}",
        )  # fmt: skip

    return make


LOUD: dict[str, Shape] = {
    "elements": tiny_elements,
    "components": tiny_components,
    "started": tiny_started,
    "records": tiny_records,
}

SILENT: dict[str, Shape] = {
    kind: tiny_silent(kind) for kind in ("ranks", "table", "blocks", "few", "answers", "packed")
}
