"""Variants of omp-false-sharing."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines

FLAGS = "// flags: -fopenmp"
SLUG = "omp-false-sharing"


def expected(note: bool) -> str:
    return EXPECT.format(SLUG) + "\n" if note else ""


def thread_slots(kind: str, note: bool) -> Shape:
    """One element per thread, to which a team's loop adds; padded, or far apart where nothing is expected."""

    def make(style: Style) -> str:
        run, slots, data, n, thread, i = style.names(6)
        number = style.pick("double", "float")
        read = f"{data}[{i}]" if style.rng.random() < 0.6 else f"{data}[{i}] * {data}[{i}]"
        prelude, declare, place = "", f"{number} *{slots}", f"{slots}[{thread}]"
        if kind == "padded":
            place = f"{slots}[{thread} * {style.pick('16', '32')}]"
        elif kind == "record":
            record, total, other = style.names(3)
            tail = "" if note else f"\n  char {style.name()}[{64 - 16}];"
            body = f"  double {total};\n  long {other};{tail}"
            prelude = f"struct {record} {{\n{body}\n}};"
            declare, place = f"struct {record} *{slots}", f"{slots}[{thread}].{total}"
        elif kind == "row":
            width = style.pick("2", "4") if note else style.pick("64", "128")
            declare, place = f"double (*{slots})[{width}]", f"{slots}[{thread}][1]"
        elif kind == "vector" and style.cxx:
            declare, prelude = f"std::vector<{number}> &{slots}", ""
        added = f"{place} += {read};"
        if style.cxx and style.rng.random() < 0.4:
            bound = style.name()
            start, added = f"auto &{bound} = {place};\n", f"{bound} += {read};"
        else:
            start = ""
        loop = f"{style.loop(i, '0', n)}\n  " + expected(note).replace("\n", "\n  ") + added
        shared = f"#pragma omp for{style.pick('', ' schedule(static)', ' nowait')}\n" + loop
        if style.rng.random() < 0.3:
            shared = loop  # all threads read everything
        parameters = f"{declare}, const {number} *{data}, {style.index} {n}"
        if kind in ("record", "row"):
            parameters = f"{declare}, const double *{data}, {style.index} {n}"
        number_of = style.pick("plain", "private")
        if number_of == "plain":
            region = f"#pragma omp parallel\n{{\n  const int {thread} = omp_get_thread_num();\n"
        else:
            region = f"int {thread};\n#pragma omp parallel private({thread})\n{{\n  {thread} = omp_get_thread_num();\n"
        region += indent(start + shared) + "\n}"
        includes = headers(style, "<omp.h>", *(("<vector>",) if style.cxx else ()))
        return lines(FLAGS, includes, prelude, f"void {run}({parameters}) {{", indent(region), "}")

    return make


def accessor(style: Style) -> str:
    """The slot behind a function, a macro or a member."""
    run, add, slots, data, n, i = style.names(6)
    kind = style.pick("member", "lambda") if style.cxx else style.pick("function", "macro")
    includes = headers(style, "<omp.h>")
    call = f"{add}({slots}, {data}[{i}]);"
    note = expected(True)
    prelude, setup, parameter = "", "", f"double *{slots}"
    if kind == "function":
        prelude = f"static void {add}(double *s, double v) {{\n  {note}  s[omp_get_thread_num()] += v;\n}}"
        note = ""
    elif kind == "macro":
        prelude = f"#define {add.upper()}(s, v) ((s)[omp_get_thread_num()] += (v))"
        call = f"{add.upper()}({slots}, {data}[{i}]);"
    elif kind == "lambda":
        setup = f"auto {add} = [&](double v) {{\n  {note}  {slots}[omp_get_thread_num()] += v;\n}};"
        call = f"{add}({data}[{i}]);"
        note = ""
    else:
        record, values = style.names(2)
        body = f"  void {add}(double v) {{\n    {note}    {values}[omp_get_thread_num()] += v;\n  }}"
        prelude = f"struct {record} {{\n  double *{values};\n{body}\n}};"
        parameter, call, note = f"{record} &{slots}", f"{slots}.{add}({data}[{i}]);", ""
    loop = f"#pragma omp parallel for\n{style.loop(i, '0', n)} {{\n  {note}  {call}\n}}"
    parameters = f"{parameter}, const double *{data}, {style.index} {n}"
    return lines(FLAGS, includes, prelude, f"void {run}({parameters}) {{", indent(lines(setup, loop)), "}")


def chunks(clause: str, note: bool) -> Shape:
    """Neighbouring elements of an array go to different threads, or not."""

    def make(style: Style) -> str:
        run, data, other, n, i = style.names(5)
        number = style.pick("double", "float", "long")
        work = style.pick(f"{data}[{i}] += {other}[{i}];", f"{data}[{i}] = {data}[{i}] * 3 + {other}[{i}];")
        loop = f"{style.loop(i, '0', n)}\n  " + expected(note).replace("\n", "\n  ") + work
        team = f"#pragma omp parallel for {clause}\n{loop}"
        if style.helper:
            team = f"#pragma omp parallel\n{{\n#pragma omp for {clause}\n{indent(loop)}\n}}"
        parameters = f"{number} *{data}, const {number} *{other}, {style.index} {n}"
        return lines(FLAGS, headers(style), f"void {run}({parameters}) {{", indent(team), "}")

    return make


def inner_sum(outer: str, note: bool) -> Shape:
    """The sum of each iteration of a shared loop, added up in memory; `outer` tells how many iterations there are."""

    def make(style: Style) -> str:
        run, sums, data, n, count, i, k = style.names(7)
        clause, last, first_line = "", count, ""
        if outer == "threads":
            first_line = f"const int {count} = omp_get_max_threads();"
        elif outer == "few":
            last = style.pick("4", "8")
        elif outer == "dynamic":
            clause = " schedule(dynamic)"
        index = style.index
        style.index = "int"
        target = f"{sums}[{i}]"
        body = f"{style.loop(k, '0', n)}\n  " + expected(note).replace("\n", "\n  ") + f"{target} += {data}[{i}][{k}];"
        dealt = EXPECT.format("omp-costly-schedule") + "\n" if outer == "dynamic" else ""
        directive = f"{dealt}#pragma omp parallel for{clause}"
        loop = f"{directive}\n{style.loop(i, '0', last)} {{\n  {target} = 0;\n{indent(body)}\n}}"
        style.index = index
        given = "" if outer in ("threads", "few") else f", int {count}"
        parameters = f"double *{sums}, double **{data}, int {n}{given}"
        includes = headers(style, "<omp.h>")
        return lines(FLAGS, includes, f"void {run}({parameters}) {{", indent(lines(first_line, loop)), "}")

    return make


def thread_fastest(style: Style) -> str:
    """Counters of all threads side by side for each bin."""
    run, bins, keys, n, threads, thread, i = style.names(7)
    loop = (
        f"#pragma omp for\n{style.loop(i, '0', n)}\n  {expected(True)}"
        f"  {bins}[{keys}[{i}] * {threads} + {thread}]{style.pick('++', ' += 1')};"
    )
    region = f"#pragma omp parallel\n{{\n  const int {thread} = omp_get_thread_num();\n{indent(loop)}\n}}"
    parameters = f"int *{bins}, const int *{keys}, {style.index} {n}, int {threads}"
    return lines(FLAGS, headers(style, "<omp.h>"), f"void {run}({parameters}) {{", indent(region), "}")


def cyclic(style: Style) -> str:
    """Iterations dealt out one by one, by hand."""
    run, data, n, i = style.names(4)
    step = f"{i} += omp_get_num_threads()"
    loop = f"for (int {i} = omp_get_thread_num(); {i} < {n}; {step})\n  {expected(True)}  {data}[{i}] *= 2;"
    region = f"#pragma omp parallel\n{{\n{indent(loop)}\n}}"
    return lines(FLAGS, headers(style, "<omp.h>"), f"void {run}(double *{data}, int {n}) {{", indent(region), "}")


def private_sum(style: Style) -> str:
    run, slots, data, n, own, i = style.names(6)
    loop = f"#pragma omp for\n{style.loop(i, '0', n)}\n  {own} += {data}[{i}];"
    region = (
        f"#pragma omp parallel\n{{\n  double {own} = 0;\n{indent(loop)}\n  {slots}[omp_get_thread_num()] = {own};\n}}"
    )
    parameters = f"double *{slots}, const double *{data}, {style.index} {n}"
    return lines(FLAGS, headers(style, "<omp.h>"), f"void {run}({parameters}) {{", indent(region), "}")


def in_register(style: Style) -> str:
    run, slots, data, n, thread, i = style.names(6)
    number = style.pick("int", "long")
    loop = f"#pragma omp for\n{style.loop(i, '0', n)}\n  {slots}[{thread}] += ({number}){data}[{i}];"
    region = f"#pragma omp parallel\n{{\n  const int {thread} = omp_get_thread_num();\n{indent(loop)}\n}}"
    parameters = f"{number} *{slots}, const {style.pick('double', 'float')} *{data}, {style.index} {n}"
    return lines(FLAGS, headers(style, "<omp.h>"), f"void {run}({parameters}) {{", indent(region), "}")


def few_writes(style: Style) -> str:
    run, slots, data, i = style.names(4)
    style.index = "int"
    loop = f"{style.loop(i, '0', style.pick('3', '10', '27'))}\n  {slots}[omp_get_thread_num()] += {data}[{i}];"
    region = f"#pragma omp parallel\n{{\n{indent(loop)}\n}}"
    parameters = f"double *{slots}, const double *{data}"
    return lines(FLAGS, headers(style, "<omp.h>"), f"void {run}({parameters}) {{", indent(region), "}")


LOUD: dict[str, Shape] = {
    "slots": thread_slots("plain", True),
    "record": thread_slots("record", True),
    "vector": thread_slots("vector", True),
    "short-rows": thread_slots("row", True),
    "accessor": accessor,
    "static-1": chunks("schedule(static, 1)", True),
    "static-2": chunks("schedule(static, 2)", True),
    "few-sums": inner_sum("few", True),
    "sum-per-thread": inner_sum("threads", True),
    "dynamic-sums": inner_sum("dynamic", True),
    "thread-fastest": thread_fastest,
    "cyclic": cyclic,
}

SILENT: dict[str, Shape] = {
    "padded": thread_slots("padded", False),
    "padded-record": thread_slots("record", False),
    "long-rows": thread_slots("row", False),
    "blocks": chunks("schedule(static)", False),
    "long-chunks": chunks("schedule(static, 256)", False),
    "chunks-64": chunks("schedule(static, 64)", False),
    "rows": inner_sum("rows", False),
    "private": private_sum,
    "register": in_register,
    "few-writes": few_writes,
}
