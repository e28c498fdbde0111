"""`stridewise export`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add

_DEFAULT = Path("stridewise-out")


def register(commands: Commands[Parser]) -> None:
    from stridewise.export import FORMATS

    parser = add(
        commands,
        "export",
        "write an MPI run for another viewer: Perfetto, speedscope, Vampir, TALP-Pages",
        _run,
        [
            "export -o run.json                    # the run in stridewise-out; open it at ui.perfetto.dev",
            "export before --format speedscope -o run.speedscope.json",
        ],
        "exit status: 0, or 2 if the run could not be read or written",
    )
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", type=Path, default=_DEFAULT, help="run folder (default: %(default)s)"
    )
    parser.add_argument(
        "--format", choices=FORMATS, default="perfetto", help=f"{', '.join(FORMATS)} (default: perfetto)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write it to FILE")


def _run(line: Line) -> int:
    from stridewise.export import command

    options = line.options
    return command.run(options.folder, options.format, options.output)
