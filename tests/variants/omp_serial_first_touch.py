"""Variants of omp-serial-first-touch."""

from __future__ import annotations

from collections.abc import Callable

from style import EXPECT, Shape, Style, headers, indent, lines


def touch_variant(init: Callable[[Style, str, str], str], use: str, note: bool, count: str = "") -> Shape:
    """An array that is allocated, written by `init` and used in a parallel loop or otherwise."""

    def make(style: Style) -> str:
        array, n, allocate, fill, work, run = style.names(6)
        i = style.name()
        t = style.index
        length = count or (str(style.rng.randint(300000, 900000)) if style.constant else n)
        cast = "(double *)" if style.cxx else ""
        allocation = f"new double[{length}]" if style.cxx and style.rng.random() < 0.5 else ""
        allocation = allocation or f"{cast}malloc({length} * sizeof(double))"
        expected = EXPECT.format("omp-serial-first-touch") + "\n" if note else ""
        writing = expected + init(style, array, length)
        body = f"{style.loop(i, '0', length)} {{\n  {array}[{i}] = 0.5 * {array}[{i}] + 1.0;\n}}"
        using = {
            "for": f"#pragma omp parallel for schedule(static)\n{body}",
            "region": f"#pragma omp parallel\n{{\n#pragma omp for schedule(static)\n{indent(body)}\n}}",
            "single": f"#pragma omp parallel\n{{\n#pragma omp single\n{indent(body)}\n}}",
            "serial": body,
        }[use]
        parameter = f"double *{array}, {t} {n}"
        flags = "// flags: -fopenmp"
        includes = headers(style, "<stdlib.h>", "<stdio.h>", "<string.h>")
        if style.helper:
            return lines(
                flags, includes,
                f"static double *{allocate}({t} {n}) {{\n  (void){n};\n  return {allocation};\n}}",
                f"static void {fill}({parameter}) {{\n  (void){n};", indent(writing), "}",
                f"static void {work}({parameter}) {{\n  (void){n};", indent(using), "}",
                f"double *{run}({t} {n}) {{", f"  double *{array} = {allocate}({n});",
                f"  if ({array} == {style.null})\n    return {style.null};",
                f"  {fill}({array}, {n});", f"  {work}({array}, {n});", f"  return {array};", "}",
            )  # fmt: skip
        return lines(
            flags, includes, f"double *{run}({t} {n}) {{\n  (void){n};", f"  double *{array} = {allocation};",
            f"  if ({array} == {style.null})\n    return {style.null};", indent(writing), indent(using),
            f"  return {array};", "}",
        )  # fmt: skip

    return make


def serial_fill(style: Style, array: str, length: str) -> str:
    i = style.name()
    return f"{style.loop(i, '0', length)} {{\n  {array}[{i}] = {style.rng.randint(0, 9)}.0;\n}}"


def parallel_fill(style: Style, array: str, length: str) -> str:
    return "#pragma omp parallel for schedule(static)\n" + serial_fill(style, array, length)


def copy_fill(_: Style, array: str, length: str) -> str:
    return f"extern const double *source; memcpy({array}, source, {length} * sizeof(double));"


def backward_fill(style: Style, array: str, length: str) -> str:
    i = style.name()
    return f"for (long {i} = (long){length} - 1; {i} >= 0; {i}--) {{\n  {array}[{i}] = (double){i};\n}}"


def random_fill(style: Style, array: str, length: str) -> str:
    i = style.name()
    return f"{style.loop(i, '0', length)} {{\n  {array}[{i}] = rand() / (double)RAND_MAX;\n}}"


def file_fill(_: Style, array: str, length: str) -> str:
    return f"if (fread({array}, sizeof(double), {length}, stdin) != (size_t){length})\n  abort();"


LOUD: dict[str, Shape] = {
    "for": touch_variant(serial_fill, "for", True),
    "region": touch_variant(serial_fill, "region", True),
    "copy": touch_variant(copy_fill, "for", True),
    "backward": touch_variant(backward_fill, "for", True),
    "random": touch_variant(random_fill, "region", True),
}

SILENT: dict[str, Shape] = {
    "parallel": touch_variant(parallel_fill, "for", False),
    "file": touch_variant(file_fill, "for", False),
    "single": touch_variant(serial_fill, "single", False),
    "serial": touch_variant(serial_fill, "serial", False),
    "parallel-region": touch_variant(parallel_fill, "region", False),
    "small": touch_variant(serial_fill, "for", False, "4000"),
}
