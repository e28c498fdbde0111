"""`stridewise check`: its options."""

from __future__ import annotations

import sys
from pathlib import Path

from stridewise.cli.budget import DEFAULT, add_runs, folders
from stridewise.cli.options import Commands, Line, Parser, add


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "check",
        "compare what a run counted with the budget",
        _run,
        [
            "check stridewise-out                  # exit 1 where a line sends more than the budget says",
            "check run-4 --lint findings.json --format markdown",
            "check --budget tests/budget.json stridewise-out --format sarif > budget.sarif",
        ],
        "Counts do not flicker: where they must be the same they are compared exactly, on a loaded machine as well.\n\n"
        "exit status: 0 within the budget, 1 above it, 2 if something could not be read",
    )
    add_runs(parser)
    parser.add_argument(
        "--budget", metavar="FILE", type=Path, default=DEFAULT, help="what is compared with (default: %(default)s)"
    )
    parser.add_argument(
        "--format", choices=("text", "markdown", "json", "sarif"), default="text", help="default: %(default)s"
    )


def _run(line: Line) -> int:
    from stridewise import catalogue
    from stridewise.budget import collect, compare, items, render
    from stridewise.finding.sources import find_project

    options = line.options
    project = find_project([Path.cwd() / "x"])
    before = items.load(options.budget)
    chosen = folders(options.runs, options.lint)
    after = collect.collect(chosen, options.lint, project)
    after = collect.with_rules(after, chosen, options.lint, project)
    comparison = compare.compare(before, after)
    sys.stdout.write(render.FORMATS[options.format](comparison, catalogue.load()))
    return 1 if comparison.dearer else 0
