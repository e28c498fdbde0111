"""`stridewise calibrate`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add, positive


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "calibrate",
        "measure what OpenMP constructs, memory and messages cost on this machine",
        _run,
        [
            "calibrate                             # in less than a minute, on an idle machine",
            "calibrate --quick",
            "calibrate --show --plot costs.svg     # what was measured before",
            "calibrate --only omp --threads 1,8,16",
            "calibrate --format json > costs.json",
        ],
        "exit status: 0, or 2 if nothing could be measured or kept",
    )
    parser.add_argument("--show", action="store_true", help="measure nothing, print what is kept")
    parser.add_argument("--quick", action="store_true", help="a fifth of the time, less exact")
    parser.add_argument(
        "--only", metavar="PARTS", type=_parts, help="omp, memory, mpi, comma separated; the rest is kept as it was"
    )
    parser.add_argument(
        "--threads",
        metavar="N,N",
        type=_counts,
        default=(),
        help="sizes of the OpenMP teams (default: powers of two up to the cores)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--plot", metavar="FILE.svg", type=Path, help="draw the costs")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="keep the costs in FILE (default: stridewise/machines/<host>.json below $XDG_CONFIG_HOME, where runs find "
        "them; elsewhere STRIDEWISE_MACHINE=FILE names it)",
    )


def _run(line: Line) -> int:
    from stridewise.machine import calibrate

    options = line.options
    return calibrate.run(
        calibrate.Options(
            output=options.output,
            format=options.format,
            plot=options.plot,
            show=options.show,
            quick=options.quick,
            parts=tuple(options.only or calibrate.PARTS),
            threads=tuple(options.threads),
        )
    )


def _parts(text: str) -> tuple[str, ...]:
    from stridewise.machine import calibrate

    words = tuple(text.split(","))
    if not set(words) <= set(calibrate.PARTS):
        raise argparse.ArgumentTypeError(f"must be of {', '.join(calibrate.PARTS)}")
    return words


def _counts(text: str) -> tuple[int, ...]:
    try:
        return tuple(positive(word) for word in text.split(","))
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError("must be numbers of threads, such as 1,2,4") from None
