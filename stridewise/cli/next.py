"""`stridewise next`: its options, and the plan that it prints."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.errors import Failure

_FINDINGS = "findings.json"


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "next",
        "the runs that would decide what is undecided, as commands",
        _run,
        [
            "next findings.json                    # what 'lint --format json' or 'report --format json' wrote",
            "next -p build -- ./app input.dat      # analyses first; the command to watch is printed in each line",
            "next report.json --all                # with every finding that a run would decide",
            "next findings.json --format json",
        ],
        "exit status: 0 if the findings could be read, also where nothing is undecided, else 2",
    )
    parser.add_argument(
        "report", metavar="REPORT.json", nargs="?", type=Path, help="a JSON report of lint, run, report"
    )
    parser.add_argument(
        "-p",
        dest="database",
        metavar="BUILD",
        type=Path,
        help="without a report: build folder or compile_commands.json to analyse (default: found as lint finds it)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    parser.add_argument("--all", action="store_true", help="name every finding that a run would decide")
    parser.set_defaults(takes_words=True)


def _run(line: Line) -> int:
    from stridewise.runs import next_command

    options = line.options
    program = line.after or ()
    if options.report is not None and options.database is not None:
        raise Failure("a report is read, a build is analysed: name one of them")
    if options.report is not None:
        return next_command.of_report(options.report, program, options.format, options.all)
    return _analysed(options.database, program, options.format, options.all)


def _analysed(database: Path | None, program: tuple[str, ...], style: str, everything: bool) -> int:
    """Analyses as `stridewise lint` does, and goes on from its findings."""
    from stridewise import ending
    from stridewise.lint import analysis, lint
    from stridewise.runs import next_command

    with ending.folder() as folder:
        found = folder / _FINDINGS
        options = lint.Options(database=database, format="json", output=found, jobs=analysis.default_jobs())
        status = lint.run(options)
        where = ["-p", str(database)] if database else []
        prepare = ("stridewise", "lint", *where, "--format", "json", "-o", _FINDINGS)
        return max(status, next_command.of_report(found, program, style, everything, _FINDINGS, prepare))
