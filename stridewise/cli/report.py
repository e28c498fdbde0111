"""`stridewise report`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import EXIT, Commands, Line, Parser, add, add_output, brief, least, level


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "report",
        "join runs and source findings into one report",
        _run,
        [
            "report                                # the run in stridewise-out",
            "report mpi-run cache-run --lint findings.json",
            "report --format sarif -o report.sarif",
            "report --path-map /cluster/me/app=$PWD   # a run of another machine",
            "report stridewise-scale/ranks-00016 --scale stridewise-scale   # what findings are at 4,096 ranks",
            "report --improve stridewise-improve --format html -o report.html   # with the steps that were tried",
            "report after --cache-table --against before   # two cache runs side by side",
        ],
        EXIT,
    )
    parser.add_argument("folders", metavar="DIR", nargs="*", type=Path, help="run folders (default: stridewise-out)")
    parser.add_argument("--lint", metavar="FINDINGS.json", type=Path, help="what 'lint --format json' wrote")
    parser.add_argument(
        "--cache-table", action="store_true", help="misses, hit rate and line reuse of a cache run by function and line"
    )
    parser.add_argument("--against", metavar="DIR", type=Path, help="an earlier cache run, to be shown beside this one")
    parser.add_argument(
        "--scale",
        metavar="DIR",
        type=Path,
        help="what 'scale' left: what keeps the program from scaling, with curves in HTML; with --target P findings on "
        "MPI also say what their calls are at P ranks (default: stridewise-scale beside the run, if it is of the same "
        "command)",
    )
    parser.add_argument(
        "--improve",
        metavar="DIR",
        type=Path,
        help="what 'improve' left: what each of its steps brought, as a waterfall (default: stridewise-improve beside "
        "the run, if it is of the same command)",
    )
    add_output(parser)


def _run(line: Line) -> int:
    from stridewise.runs import report

    options = line.options
    return report.run(
        report.Options(
            folders=tuple(options.folders),
            lint=options.lint,
            format=options.format,
            output=options.output,
            fail_on=level(options),
            everything=options.all,
            ungrouped=options.ungroup,
            brief=brief(options),
            least=least(options),
            config=not options.no_config,
            cache_table=options.cache_table,
            against=options.against,
            path_map=tuple(options.path_map),
            scale=options.scale,
            improve=options.improve,
        )
    )
