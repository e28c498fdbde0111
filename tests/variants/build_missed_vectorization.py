"""Variants of build-missed-vectorization."""

from __future__ import annotations

from style import EXPECT, Shape, Style, headers, indent, lines

NOTE = EXPECT.format("build-missed-vectorization")


def program(
    style: Style, function: str, parameters: str, body: str, result: bool, calls: str = "steps", pre: str = ""
) -> str:
    """A file whose function works on `a`, `b` and `n` and is called for every step, or once."""
    drive, step = style.names(2)
    arguments = {"{a}": "first", "{b}": "second"}
    call = f"{function}({parameters})"
    for key, value in arguments.items():
        call = call.replace(key, value)
    total = f"total += {call};" if result else f"{call};"
    loop = f"for (int {step} = 0; {step} < steps; {step}++) {{\n  {total}\n}}" if calls == "steps" else total
    return lines(
        pre,
        body,
        f"double {drive}(double *first, double *second, {style.index} n, int steps) {{",
        "  double total = first[0];\n  (void)second;\n  (void)steps;",
        indent(loop),
        "  return total;\n}",
    )


def sum_body(style: Style, a: str, b: str, i: str) -> tuple[str, str, str]:
    """Type, start and statement of a floating-point sum into `{s}`."""
    kind = style.pick("dot", "squares", "difference", "scaled")
    term = {
        "dot": f"{a}[{i}] * {b}[{i}]",
        "squares": f"{a}[{i}] * {a}[{i}]",
        "difference": f"({a}[{i}] - {b}[{i}])",
        "scaled": f"0.5 * {b}[{i}]",
    }[kind]
    statement = style.pick(f"{{s}} += {term};", f"{{s}} = {{s}} + {term};", f"{{s}} -= {term};")
    return kind, "0.0", statement


def summation(loud: bool, calls: str = "steps", pragma: bool = False, trips: int = 0) -> Shape:
    """A sum over one or two arrays; what hides it is drawn: pointers, a vector, a record, a template."""

    def make(style: Style) -> str:
        f, a, b, i, s, n = style.names(6)
        _, start, statement = sum_body(style, "X", "Y", i)
        t = style.index
        where = style.pick("plain", "record", *(("vector", "template", "lambda") if style.cxx else ("macro",)))
        if calls == "once":
            where = "plain"
        length = str(trips) if trips else str(style.rng.randint(2000, 9000)) if style.constant else n
        note = NOTE if loud else ""
        simd = f"#pragma omp simd reduction(+ : {s})" if pragma else ""
        text, pre = statement.replace("{s}", s), ""
        if where == "macro":
            macro = style.name().upper()
            pre = f"#define {macro}(p, k) ((p)[(k)])"
            text = text.replace(f"X[{i}]", f"{macro}({a}, {i})").replace(f"Y[{i}]", f"{macro}({b}, {i})")
        x, y, parameters, call = a, b, f"const double *{a}, const double *{b}", "{a}, {b}, n"
        if where == "record":
            record, first, second = style.names(3)
            pre = f"struct {record} {{\n  const double *{first}, *{second};\n}};"
            x, y, parameters = f"{a}.{first}", f"{a}.{second}", f"struct {record} {a}"
            call = f"(struct {record}){{{{a}}, {{b}}}}, n".replace("{a}", "first").replace("{b}", "second")
            if style.cxx:
                call = f"{record}{{first, second}}, n"
        text = text.replace("X[", f"{x}[").replace("Y[", f"{y}[")
        loop = lines(f"double {s} = {start};", simd, note, style.loop(i, "0", length), "  " + text)
        if where == "lambda":
            get = style.name()
            loop = lines(
                f"const auto {get} = [=]({t} k) {{ return {x}[k]; }};", loop.replace(f"{x}[{i}]", f"{get}({i})")
            )
        if where == "vector":
            parameters = f"const std::vector<double> &{a}, const std::vector<double> &{b}"
            drive, step = style.names(2)
            return lines(
                "// flags: -fopenmp-simd" if pragma else "",
                headers(style, "<vector>"),
                f"static double {f}({parameters}, {t} {n}) {{\n  (void){a};\n  (void){b};\n  (void){n};",
                indent(loop),
                f"  return {s};\n}}",
                f"double {drive}({parameters}, {t} {n}, int steps) {{\n  double total = 0.0;",
                f"  for (int {step} = 0; {step} < steps; {step}++)\n    total += {f}({a}, {b}, {n});",
                "  return total;\n}",
            )
        head = f"static double {f}"
        if where == "template":
            head = f"template <typename T> static double {f}"
            parameters = parameters.replace("const double", "const T")
        body = lines(
            f"{head}({parameters}, {t} {n}) {{\n  (void){n};\n  (void){a};",
            "" if where == "record" else f"  (void){b};",
            indent(loop), f"  return {s};\n}}",
        )  # fmt: skip
        if calls == "once":
            # Seen whole, so that it is known to run once.
            body = body.replace(f"  (void){n};\n", "")
            return lines(
                headers(style), "static double u[9000], v[9000];", body,
                f"int main({'' if style.cxx else 'void'}) {{\n  return {f}(u, v, 9000) > 1.0;\n}}",
            )  # fmt: skip
        text = program(style, f, call, body, True, calls, lines(headers(style), pre))
        return "// flags: -fopenmp-simd\n" + text if pragma else text

    return make


def in_memory(style: Style) -> str:
    """Sums that are kept in the elements of an array that might be the other one."""
    f, a, b, i, j, n = style.names(6)
    rows = style.rng.randint(3, 9)
    t = style.index
    place = style.pick(f"{a}[{j}]", f"*({a} + {j})")
    update = style.pick(f"{place} += 0.5 * {b}[{i}];", f"{place} = {place} + {b}[{i}] * {b}[{i}];")
    body = lines(
        f"static void {f}(double *{a}, const double *{b}, {t} {n}) {{",
        f"  {style.loop(j, '0', str(rows))} {{", indent(NOTE, 4), f"    {style.loop(i, '0', n)}", f"      {update}",
        "  }\n}",
    )  # fmt: skip
    return program(style, f, "{a}, {b}, n", body, False, "steps", headers(style))


def function_call(style: Style) -> str:
    f, a, b, i, n = style.names(5)
    t = style.index
    name = style.pick("exp", "log", "sin", "cos", "pow", "sqrt")
    call = f"{name}({b}[{i}]" + (", 1.5)" if name == "pow" else ")")
    where = style.pick("direct", "helper")
    helper = ""
    if where == "helper":
        h = style.name()
        helper = f"static double {h}(double x) {{ return 0.5 * {call.replace(f'{b}[{i}]', 'x')}; }}"
        call = f"{h}({b}[{i}])"
    body = lines(
        helper, f"static void {f}(double *{a}, const double *{b}, {t} {n}) {{", indent(NOTE),
        f"  {style.loop(i, '0', n)}", f"    {a}[{i}] = 1.0 + {call};", "}",
    )  # fmt: skip
    return program(
        style, f, "{a}, {b}, n", body, False, "steps", headers(style, "<cmath>" if style.cxx else "<math.h>")
    )


def elementwise(style: Style) -> str:
    f, a, b, i, n = style.names(5)
    t = style.index
    work = style.pick(f"{a}[{i}] += 0.5 * {b}[{i}];", f"{a}[{i}] = {b}[{i}] * {b}[{i}] - 1.0;", f"{a}[{i}] *= 0.5;")
    body = lines(
        f"static void {f}(double *{a}, const double *{b}, {t} {n}) {{\n  (void){b};", f"  {style.loop(i, '0', n)}",
        f"    {work}", "}",
    )  # fmt: skip
    return program(style, f, "{a}, {b}, n", body, False, "steps", headers(style))


def recurrence(style: Style) -> str:
    f, a, b, i, n = style.names(5)
    style.index = style.pick("int", "long")
    work = style.pick(
        f"{a}[{i}] += 0.5 * {a}[{i} - 1];", f"{a}[{i}] = {b}[{i}] / ({a}[{i} - 1] + 2.0);",
        f"{a}[{i}] = {a}[{i} - 1] * {b}[{i}] + 1.0;",
    )  # fmt: skip
    body = lines(
        f"static void {f}(double *{a}, const double *{b}, {style.index} {n}) {{\n  (void){b};",
        f"  {style.loop(i, '1', n)}", f"    {work}", "}",
    )  # fmt: skip
    return program(style, f, "{a}, {b}, n", body, False, "steps", headers(style))


LOUD: dict[str, Shape] = {
    "sum": summation(True),
    "memory": in_memory,
    "function": function_call,
}

SILENT: dict[str, Shape] = {
    "elementwise": elementwise,
    "recurrence": recurrence,
    "allowed": summation(False, pragma=True),
    "once": summation(False, calls="once"),
    "short": summation(False, trips=6),
}
