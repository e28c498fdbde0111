"""`stridewise lint`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from stridewise.cli.options import EXIT, Commands, Line, Parser, add, add_output, brief, least, level, positive

if TYPE_CHECKING:
    from stridewise.lint.shards import Part


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "lint",
        "analyse C, C++ and Fortran sources",
        _run,
        [
            "lint                                  # compile_commands.json found by itself",
            "lint -p build src/solver              # only what lies in src/solver",
            "lint kernel.c -- -O2 -fopenmp         # one file with its own flags",
            "lint --format sarif -o lint.sarif --fail-on warning",
            "lint --rules 'mem-*,-mem-struct-padding'",
            "lint --write-baseline known.json      # accept what is there; later: lint --baseline known.json",
            "lint --fix                            # apply the safe fixes",
            "lint --fix --unsafe                   # those, too, that some program would notice",
            "lint --fix --dry-run | less           # what that would change",
            "lint --shard 1/2 --format json -o 1.json; lint --merge 1.json 2.json",
        ],
        EXIT,
    )
    parser.add_argument("paths", metavar="PATHS", nargs="*", type=Path, help="only these files or folders")
    parser.add_argument("-p", dest="database", metavar="BUILD", type=Path, help="build folder or compile_commands.json")
    add_output(parser)
    parser.add_argument("--fix", action="store_true", help="apply the fixes that are proven safe for every program")
    parser.add_argument(
        "--unsafe", action="store_true", help="with --fix: apply those, too, that are not; the report says why"
    )
    parser.add_argument("--dry-run", action="store_true", help="with --fix: print the changes as a patch, make none")
    parser.add_argument(
        "-j", dest="jobs", metavar="N", type=positive, help="units analysed at a time (default: all cores)"
    )
    parser.add_argument(
        "--rules", metavar="GLOBS", default="", help="only these rules, comma separated; -GLOB excludes"
    )
    parser.add_argument(
        "--baseline", metavar="FILE", type=Path, help="leave out the findings of a baseline or of a former JSON report"
    )
    parser.add_argument(
        "--write-baseline", metavar="FILE", type=Path, help="accept today's findings: write them to FILE as a baseline"
    )
    parser.add_argument(
        "--vendored",
        action="store_true",
        help="also findings in code of others (third_party/, vendor/, deps/, …, copies of BLAS and LAPACK) and in "
        "hidden folders",
    )
    parser.add_argument("--profile", action="store_true", help="say how long each rule took")
    parser.add_argument("--verbose", action="store_true", help="say how each unit was analysed")
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=120.0, help="limit for one unit (default: %(default)g)"
    )
    parser.add_argument(
        "--memory", metavar="MIB", type=positive, default=4096, help="limit for one unit (default: %(default)s)"
    )
    parser.add_argument(
        "--cache-dir", metavar="DIR", type=Path, help="results of unchanged units (default: $XDG_CACHE_HOME/stridewise)"
    )
    parser.add_argument(
        "--shard",
        metavar="I/N",
        type=_part,
        help="analyse the I-th of N parts of the units, for machines that share the work; needs --format json",
    )
    parser.add_argument(
        "--merge", metavar="FILE", nargs="+", type=Path, default=[], help="join the parts that --shard wrote"
    )
    parser.add_argument("--no-cache", action="store_true", help="analyse every unit anew and keep no result")
    parser.add_argument(
        "--no-preamble",
        action="store_true",
        help="read all headers in each unit, without precompiled ones; the findings are the same",
    )
    parser.set_defaults(takes_words=True)


def _run(line: Line) -> int:
    from stridewise.lint import analysis, lint

    options = line.options
    return lint.run(
        lint.Options(
            database=options.database,
            paths=tuple(options.paths),
            format=options.format,
            output=options.output,
            fail_on=level(options),
            fix=options.fix,
            unsafe=options.unsafe,
            dry_run=options.dry_run,
            jobs=options.jobs or analysis.default_jobs(),
            rules=options.rules,
            everything=options.all,
            ungrouped=options.ungroup,
            brief=brief(options),
            least=least(options),
            config=not options.no_config,
            baseline=options.baseline,
            write_baseline=options.write_baseline,
            vendored=options.vendored,
            profile=options.profile,
            verbose=options.verbose,
            flags=line.after,
            unit_seconds=options.timeout,
            unit_bytes=options.memory << 20,
            cache=not options.no_cache,
            cache_folder=options.cache_dir,
            precompile=not options.no_preamble,
            part=options.shard,
            merge=tuple(options.merge),
            words=line.words,
            path_map=tuple(options.path_map),
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
        return tuple(_positive(word) for word in text.split(","))
    except (ValueError, argparse.ArgumentTypeError):
        raise argparse.ArgumentTypeError("must be numbers of threads, such as 1,2,4") from None


def _ranks(text: str) -> str:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number of ranks; write the command behind --")
    return text


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _part(text: str) -> Part:
    from stridewise.lint.shards import Part

    try:
        return Part.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError("must be I/N with 1 ≤ I ≤ N, such as 2/4") from None


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be a positive number of seconds")
    return value
