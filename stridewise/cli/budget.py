"""`stridewise budget`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add

DEFAULT = Path("stridewise-budget.json")


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "budget",
        "keep what runs counted, for 'check' to compare with",
        _run,
        [
            "budget stridewise-out                 # what 'stridewise run' left: MPI, OpenMP, caches",
            "budget run-4 run-omp --lint findings.json",
            "budget stridewise-out -o tests/budget.json",
        ],
        "Kept are counts that depend on neither time nor scheduling: messages, bytes and partners of each call path,\n"
        "collectives, regions, iterations, entries, accesses and simulated misses by function, findings by rule.\n"
        "Commit the file; 'stridewise check' names what a change adds, by line.\n\n"
        "exit status: 0, or 2 if a run could not be counted",
    )
    add_runs(parser)
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=Path, default=DEFAULT, help="the budget (default: %(default)s)"
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", type=Path, help="run folders (default: stridewise-out, if there)"
    )
    parser.add_argument("--lint", metavar="FILE", type=Path, help="findings of 'lint --format json', counted by rule")


def folders(given: list[Path], lint: Path | None) -> list[Path]:
    from stridewise.runs.report import DEFAULT_FOLDER

    return given or ([DEFAULT_FOLDER] if DEFAULT_FOLDER.is_dir() or lint is None else [])


def _run(line: Line) -> int:
    from stridewise.budget import collect, items
    from stridewise.console import remark
    from stridewise.finding.sources import find_project
    from stridewise.output import write_file

    options = line.options
    project = find_project([Path.cwd() / "x"])
    budget = collect.collect(folders(options.runs, options.lint), options.lint, project)
    write_file(options.output, items.as_text(budget))
    count = len(budget.items)
    remark(f"{count} counted place{'' if count == 1 else 's'} of {', '.join(budget.runs)}, kept in {options.output}")
    return 0
