"""`stridewise diff`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

from stridewise.cli.options import LEVELS, Commands, Line, Parser, add, level


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "diff",
        "compare two runs or reports: what is gone, new, cheaper, dearer",
        _run,
        [
            "diff before after                     # two run folders",
            "diff lint-before.json lint-after.json # two reports of lint --format json",
            "diff before after --also-before before2 --also-after after2   # repetitions give the noise",
            "diff before after --format markdown -o comment.md",
            "diff before after --fail-on warning --fail-slower 5   # for CI",
        ],
        "exit status: 0, 1 with --fail-on and a new finding from that severity on (low confidence never counts), or\n"
        "with --fail-slower and a run that is slower by more than so much, 2 if something could not be read",
    )
    parser.add_argument("before", metavar="BEFORE", type=Path, help="a run folder, or a report in JSON")
    parser.add_argument("after", metavar="AFTER", type=Path, help="the same of the changed program")
    for name in ("before", "after"):
        parser.add_argument(
            f"--also-{name}", metavar="DIR", type=Path, action="append", default=[], help=f"{name}, run once more"
        )
    formats = ("text", "markdown", "html", "json")
    parser.add_argument("--format", choices=formats, default="text", help=f"{', '.join(formats)} (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write it to FILE")
    parser.add_argument("--all", action="store_true", help="also findings that are the same, and every call site")
    parser.add_argument(
        "--fail-on", metavar="LEVEL", choices=LEVELS, help="exit with 1 for new findings: info, warning, error"
    )
    parser.add_argument(
        "--fail-slower",
        metavar="PERCENT",
        type=_percent,
        help="exit with 1 where a run is slower by more than that, beyond the noise",
    )
    parser.add_argument(
        "--path-map", metavar="FROM=TO", action="append", default=[], help="what ran below FROM is below TO now"
    )


def _run(line: Line) -> int:
    from stridewise.runs import diff

    options = line.options
    return diff.run(
        diff.Options(
            before=(options.before, *options.also_before),
            after=(options.after, *options.also_after),
            format=options.format,
            output=options.output,
            fail_on=level(options),
            slower_percent=options.fail_slower,
            everything=options.all,
            path_map=tuple(options.path_map),
        )
    )


def _percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no percentage")
    return value
