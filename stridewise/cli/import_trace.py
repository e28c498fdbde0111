"""`stridewise import`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "import",
        "make a run folder of an OTF2 trace (Score-P, TAU, Extrae), to be reported on",
        _run,
        [
            "import scorep-run/traces.otf2 && stridewise report",
            "import traces.otf2 -o imported",
        ],
        "exit status: 0, or 2 if the trace could not be read or the folder not be written",
    )
    parser.add_argument("trace", metavar="TRACE", type=Path, help="the trace's anchor file, traces.otf2")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("stridewise-out"),
        help="run folder (default: %(default)s)",
    )


def _run(line: Line) -> int:
    from stridewise.imports import command

    return command.run(line.options.trace, line.options.output)
