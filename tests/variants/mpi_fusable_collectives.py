"""Variants of mpi-fusable-collectives."""

from __future__ import annotations

from style import EXPECT, Shape, Style, indent, lines, mpi_headers

NOTE = EXPECT.format("mpi-fusable-collectives")


def row(kind: str) -> Shape:
    """Two reductions in a loop over steps; every kind but `plain`, `scaled` and `three` keeps them apart."""

    def make(style: Style) -> str:
        f, n, step, x, y, a, b, c, z = style.names(9)
        comm = "group"
        op = style.pick("MPI_SUM", "MPI_MAX", "MPI_MIN")
        other = {"MPI_SUM": "MPI_MAX", "MPI_MAX": "MPI_MIN", "MPI_MIN": "MPI_SUM"}[op]
        loud = kind in ("plain", "scaled", "three")

        def reduce(own: str, into: str, how: str = op) -> str:
            return f"MPI_Allreduce(&{own}, &{into}, 1, MPI_DOUBLE, {how}, {comm});"

        between = {
            "scaled": f"{a} = {a} * 0.5;",
            "needed": f"{y} = {y} / ({a} + 1.0);",
            "clock": f"{z} += MPI_Wtime();",
        }
        second = reduce(y, b, other if kind == "other" else op)
        if kind == "guarded":
            second = lines(f"if ({step} % 2 == 0)", indent(second))
        body = lines(
            f"double {x} = values[{step}] + total, {y} = values[{step} + {n}] * total, {c} = total - values[{step}];",
            NOTE if loud else "",
            reduce(x, a),
            between.get(kind, ""),
            second,
            reduce(c, z) if kind == "three" else "",
        )
        return lines(
            mpi_headers(style),
            f"double {f}(const double *values, int {n}, MPI_Comm group) {{",
            indent(
                lines(
                    f"double {a} = 0.0, {b} = 0.0, {z} = 0.0, total = 0.0;",
                    f"for (int {step} = 0; {step} < {n}; {step}++) {{",
                    indent(lines(body, f"total += {a} + {b} + {z};")),
                    "}",
                    "return total;",
                )
            ),
            "}",
        )

    return make


LOUD: dict[str, Shape] = {kind: row(kind) for kind in ("plain", "scaled", "three")}
SILENT: dict[str, Shape] = {kind: row(kind) for kind in ("needed", "other", "clock", "guarded")}
