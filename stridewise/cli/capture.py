"""`stridewise capture`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add, watched


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "capture",
        "record compile_commands.json of any build",
        _run,
        ["capture -- make -j4", "capture -o build -- ./compile.sh"],
        "exit status: the build's own (128 + signal), 2 if it could not be started or nothing could be recorded",
    )
    parser.add_argument(
        "-o", "--output", metavar="PATH", type=Path, default=Path(), help="database file or its folder (default: here)"
    )
    parser.add_argument(
        "--stand-ins",
        action="store_true",
        help="record by stand-ins in front of PATH in place of a preloaded library, which statically linked tools "
        "ignore (chosen by itself where BUILD COMMAND is such a one)",
    )
    parser.add_argument(
        "--debug-lines",
        action="store_true",
        help="let gcc, clang, gfortran and flang write debug lines (-g), by which runs name source lines; the database "
        "has the commands as the build gave them",
    )
    parser.set_defaults(takes_words=True)


def _run(line: Line) -> int:
    from stridewise.collect import capture

    options = line.options
    return capture.run(watched(line, "capture", "make"), options.output, options.stand_ins, options.debug_lines)
