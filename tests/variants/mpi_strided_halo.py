"""Variants of mpi-strided-halo."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers, ranks

NOTE = EXPECT.format("mpi-strided-halo")
KINDS = (("double", "MPI_DOUBLE"), ("float", "MPI_FLOAT"), ("int", "MPI_INT"))


def accessor(style: Style, value: str) -> tuple[str, str, str]:
    """(what stands before the functions, the array's parameter, format of an element from array, pitch, row, column)"""
    a, at = style.names(2)
    kind = style.pick("flat", "macro", "inline", "rows", *(("vector", "class", "nested") if style.cxx else ()))
    if kind == "macro":
        return (
            f"#define {at}(m, w, y, x) (m)[(size_t)(y) * (w) + (x)]",
            f"{value} *{a}",
            f"{at}({a}, {{p}}, {{y}}, {{x}})",
        )
    if kind == "inline":
        text = f"static inline {value} *{at}({value} *m, size_t w, size_t y, size_t x) {{ return m + y * w + x; }}"
        return text, f"{value} *{a}", f"*{at}({a}, {{p}}, {{y}}, {{x}})"
    if kind == "rows":
        return "", f"{value} **{a}", f"{a}[{{y}}][{{x}}]"
    if kind == "vector":
        return "#include <vector>", f"std::vector<{value}> &{a}", f"{a}[(size_t){{y}} * {{p}} + {{x}}]"
    if kind == "nested":
        return "#include <vector>", f"std::vector<std::vector<{value}>> &{a}", f"{a}[{{y}}][{{x}}]"
    if kind == "class":
        grid, data = style.names(2)
        text = lines(
            "#include <vector>", f"struct {grid} {{", f"  std::vector<{value}> {data};", "  size_t width;",
            f"  {value} &operator()(size_t y, size_t x) {{ return {data}[y * width + x]; }}", "};",
        )  # fmt: skip
        return text, f"{grid} &{a}", f"{a}({{y}}, {{x}})"
    return "", f"{value} *{a}", f"{a}[(size_t){{y}} * {{p}} + {{x}}]"


def messages(style: Style, out: str, into: str, count: str, kind: str, to: str, source: str, note: str) -> str:
    """One exchange of buffers; the expectation stands at the send."""
    form = style.pick("sendrecv", "started", "receive first")
    send = f"{out}, {count}, {kind}, {to}, 3, MPI_COMM_WORLD"
    receive = f"{into}, {count}, {kind}, {source}, 3, MPI_COMM_WORLD"
    if form == "sendrecv":
        call = f"MPI_Sendrecv({out}, {count}, {kind}, {to}, 3, {into}, {count}, {kind}, {source}, 3, MPI_COMM_WORLD,"
        return lines(note, call, "             MPI_STATUS_IGNORE);")
    request = style.name()
    if form == "started":
        return lines(
            f"MPI_Request {request}[2];", f"MPI_Irecv({receive}, &{request}[0]);", note,
            f"MPI_Isend({send}, &{request}[1]);", f"MPI_Waitall(2, {request}, MPI_STATUSES_IGNORE);",
        )  # fmt: skip
    return lines(
        f"MPI_Request {request};", f"MPI_Irecv({receive}, &{request});", note, f"MPI_Send({send});",
        f"MPI_Wait(&{request}, MPI_STATUS_IGNORE);",
    )  # fmt: skip


def frame(style: Style, before: str, parameters: str, body: str) -> str:
    """The exchange inside a loop over time steps, in the same function or in a helper."""
    f, step = style.names(2)
    head = mpi_headers(style, "<stdlib.h>")
    if style.helper:
        helper = style.name()
        names = ", ".join(part.replace("*", " ").replace("&", " ").split()[-1] for part in parameters.split(", "))
        return lines(
            head, before, f"static void {helper}({parameters}) {{", indent(body), "}",
            f"void {f}({parameters}, int steps) {{", f"  for (int {step} = 0; {step} < steps; {step}++)",
            f"    {helper}({names});", "}",
        )  # fmt: skip
    return lines(
        head, before, f"void {f}({parameters}, int steps) {{", f"  for (int {step} = 0; {step} < steps; {step}++) {{",
        indent(body, 4), "  }", "}",
    )  # fmt: skip


def packed(style: Style) -> str:
    """A column copied to a buffer, sent to the next rank, and put into the ghost column there."""
    value, kind = style.rng.choice(KINDS)
    before, parameter, element = accessor(style, value)
    out, into, n, width, y = style.names(5)
    text, _, _, left, right = ranks(style, "MPI_COMM_WORLD")
    t = style.index
    at = element.format(p=width, y=y, x=f"{width} - 2")
    ghost = element.format(p=width, y=y, x="0")
    copy = style.pick(f"{out}[{y}] = {at};", f"{value} *to = &{out}[{y}];\n*to = {at};")
    body = lines(
        text, f"{style.loop(y, '0', n)} {{", indent(copy), "}",
        messages(style, out, into, f"(int){n}", kind, right, left, NOTE),
        f"{style.loop(y, '0', n)} {{", indent(f"{ghost} = {into}[{y}];"), "}",
    )  # fmt: skip
    return frame(style, before, f"{parameter}, {value} *{out}, {value} *{into}, {t} {n}, {t} {width}", body)


def typed(style: Style) -> str:
    """A column as a datatype."""
    value, kind = style.rng.choice(KINDS)
    a, n, width, column = style.names(4)
    text, _, _, left, right = ranks(style, "MPI_COMM_WORLD")
    form = style.pick("vector", "hvector", "subarray", "blocks")
    rows, pitch = f"(int){n}", f"(int){width}"
    before = ""
    if form == "vector":
        make = f"MPI_Type_vector({rows}, 1, {pitch}, {kind}, &{column});"
    elif form == "hvector":
        make = f"MPI_Type_create_hvector({rows}, 1, (MPI_Aint)({width} * sizeof({value})), {kind}, &{column});"
    elif form == "subarray":
        make = lines(
            f"const int sizes[2] = {{{rows}, {pitch}}}, part[2] = {{{rows}, 1}}, start[2] = {{0, 0}};",
            f"MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, {kind}, &{column});",
        )
    else:
        y = style.name()
        make = lines(
            "static int places[4096];", f"for (int {y} = 0; {y} < {rows}; {y}++)", f"  places[{y}] = {y} * {pitch};",
            f"MPI_Type_create_indexed_block({rows}, 1, places, {kind}, &{column});",
        )  # fmt: skip
    send = f"{a} + {width} - 2"
    exchange = messages(style, send, a, "1", column, right, left, NOTE)
    body = lines(
        text, f"MPI_Datatype {column};", make, f"MPI_Type_commit(&{column});", exchange, f"MPI_Type_free(&{column});"
    )
    return frame(style, before, f"{value} *{a}, {style.index} {n}, {style.index} {width}", body)


def records(style: Style) -> str:
    """A row of cells of several values, where columns of cells are contiguous."""
    a, out, into, n, height, x, k = style.names(7)
    parts = style.rng.randint(2, 19)
    text, _, _, left, right = ranks(style, "MPI_COMM_WORLD")
    t = style.index
    count = f"(int){n} * {parts}"
    body = lines(
        text, f"{style.loop(x, '0', n)} {{", f"  for (int {k} = 0; {k} < {parts}; {k}++)",
        f"    {out}[{x} * {parts} + {k}] = {a}[((size_t){x} * {height} + {height} - 2) * {parts} + {k}];", "}",
        messages(style, out, into, count, "MPI_DOUBLE", right, left, NOTE),
        f"{style.loop(x, '0', n)} {{", f"  for (int {k} = 0; {k} < {parts}; {k}++)",
        f"    {a}[(size_t){x} * {height} * {parts} + {k}] = {into}[{x} * {parts} + {k}];", "}",
    )  # fmt: skip
    return frame(style, "", f"double *{a}, double *{out}, double *{into}, {t} {n}, {t} {height}", body)


def silent(kind: str) -> Shape:
    """Exchanges that are as they should be."""

    def make(style: Style) -> str:
        a, out, into, n, width, y, x = style.names(7)
        text, rank, _, left, right = ranks(style, "MPI_COMM_WORLD")
        t = style.index
        at = f"{a}[(size_t){y} * {width} + {width} - 2]"
        count = f"(int){n}"
        loop, before = style.loop(y, "0", n), ""
        after = ""
        if kind == "rows":
            at = f"{a}[(size_t){width} * ({n} - 2) + {y}]"
            loop, count = style.loop(y, "0", width), f"(int){width}"
        elif kind == "few":
            length = str(style.rng.randint(2, 20))
            loop, count = style.loop(y, "0", length), length
        elif kind == "list":
            before, at = "extern const int places[];", f"{a}[places[{y}]]"
        elif kind == "record":
            before = "struct body { double x, y, z, u, v, w, m, q, t; };\nextern struct body bodies[];"
            at = f"bodies[{y}].m"
        elif kind == "box":
            loop, count = style.loop(y, "0", n), f"(int){n} * (int){width}"
        elif kind == "root":
            right = "0"
        elif kind == "both":
            to, source = style.names(2)
            text += f"\nconst int {to} = {rank} ^ 2, {source} = {rank} ^ 2;"
            after = messages(style, a, f"{a} + {width}", f"(int){width}", "MPI_DOUBLE", to, source, "")
        copy = f"{out}[{y}] = {at};"
        if kind == "box":
            copy = lines(
                f"for ({t} {x} = 0; {x} < {width}; {x}++)",
                f"  {out}[{y} * {width} + {x}] = {a}[((size_t){y} * 50 + 48) * {width} + {x}];",
            )
        body = lines(
            text, f"(void){rank};\n(void){n};\n(void){left};", f"{loop} {{", indent(copy), "}",
            "" if kind != "root" else f"if ({rank} != 0)",
            f"MPI_Send({out}, {count}, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);" if kind == "root" else
            messages(style, out, into, count, "MPI_DOUBLE", right, left, ""), after,
        )  # fmt: skip
        return frame(style, before, f"double *{a}, double *{out}, double *{into}, {t} {n}, {t} {width}", body)

    return make


LOUD: dict[str, Shape] = {"packed": packed, "typed": typed, "records": records}

SILENT: dict[str, Shape] = {kind: silent(kind) for kind in ("rows", "few", "list", "record", "box", "root", "both")}
