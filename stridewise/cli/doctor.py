"""`stridewise doctor`: its options."""

from __future__ import annotations

from stridewise.cli.options import Commands, Line, Parser, add

GROUPS = (
    "lint", "compile", "mpi", "omp", "cache", "placement", "sharing", "prices", "fortran", "editor", "mcp", "traces",
    "review", "build",
)  # fmt: skip


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "doctor",
        "what works here, and how to get the rest",
        _run,
        [
            "doctor",
            "doctor --need mpi --need cache        # fails unless both kinds of run work",
            "doctor --format json",
        ],
        "exit status: 0 if sources or MPI runs can be analysed (with --need: if all of that works), else 2",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--need", metavar="GROUP", action="append", default=[], choices=GROUPS, help=", ".join(GROUPS))


def _run(line: Line) -> int:
    from stridewise.settings import doctor

    return doctor.run(line.options.format, line.options.need)
