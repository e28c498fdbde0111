"""The command line: parses and dispatches. What each command does is in the module of its name."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stridewise import __version__
from stridewise.catalogue import CatalogueError
from stridewise.console import complain
from stridewise.errors import Failure
from stridewise.finding import Confidence, Severity
from stridewise.render import FORMATS
from stridewise.review import command as review

if TYPE_CHECKING:
    from stridewise.shards import Part

UNABLE = 2
_CACHE_SETTINGS = (
    "cache_model",
    "i1",
    "d1",
    "l2",
    "ll",
    "cores",
    "conflicts",
    "ranks",
    "only_findings",
    "sample",
    "limit",
)
_SETTINGS = ("scratch", "reduce", *_CACHE_SETTINGS)  # options of single kinds of run
GROUPS = (
    "lint", "compile", "mpi", "omp", "cache", "placement", "sharing", "prices", "fortran", "editor", "review", "build",
)  # fmt: skip
SHELLS = ("bash", "zsh", "fish", "tcsh")
_LEVELS = tuple(level.value for level in Severity)
_CONFIDENCES = tuple(level.value for level in Confidence)
_EXIT = (
    "exit status: 0 clean or advisory, 1 a finding at or above --fail-on (low confidence never counts),\n"
    "2 some of the work could not be done"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status of DESIGN: 0, 1, 2, or the observed command's own."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        status = _dispatch(words)
        sys.stdout.flush()  # here, where a reader that went away is no crash, not at the interpreter's exit
        return status
    except (Failure, CatalogueError) as error:
        complain(str(error))
        return UNABLE
    except BrokenPipeError:
        # The reader (head, less) went away: nothing more to say, and nothing to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNABLE
    except KeyboardInterrupt:
        complain("interrupted")
        return 128 + 2


def _dispatch(words: Sequence[str]) -> int:
    before, after = _split(words)
    options = parser().parse_args(before)
    if after is not None and options.command not in ("lint", "run", "capture"):
        raise Failure(f"'{options.command}' takes nothing after '--'; see stridewise {options.command} --help")
    match options.command:
        case "lint":
            return _lint(options, after, words)
        case "run":
            return _run(options, after)
        case "report":
            return _report(options)
        case "capture":
            from stridewise import capture

            return capture.run(_command(after, "capture", "make"), options.output, options.stand_ins)
        case "explain":
            from stridewise import explain

            return explain.explain(options.slug, options.format)
        case "rules":
            from stridewise import explain

            return explain.table(options.format)
        case "config":
            from stridewise import settings

            return settings.show(options.file, options.all)
        case "review":
            return review.run(options)
        case "lsp":
            from stridewise.lsp import command as lsp_command

            return lsp_command.run(options)
        case "doctor":
            from stridewise import doctor

            return doctor.run(options.format, options.need)
        case "completion":
            from stridewise import completion_command

            return completion_command.show(options.shell, parser())
        case "calibrate":
            return _calibrate(options)
        case _:
            print(f"stridewise {__version__}")
            return 0


def _split(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str] | None]:
    """The words before the first `--`, and those after it (None without one)."""
    if "--" not in words:
        return words, None
    position = words.index("--")
    return words[:position], words[position + 1 :]


def _command(after: Sequence[str] | None, name: str, example: str) -> tuple[str, ...]:
    if not after:
        raise Failure(f"no command given; write it after '--': stridewise {name} -- {example}")
    return tuple(after)


def _lint(options: argparse.Namespace, after: Sequence[str] | None, words: Sequence[str]) -> int:
    from stridewise import analysis, lint

    return lint.run(
        lint.Options(
            database=options.database,
            paths=tuple(options.paths),
            format=options.format,
            output=options.output,
            fail_on=_level(options),
            fix=options.fix,
            dry_run=options.dry_run,
            jobs=options.jobs or analysis.default_jobs(),
            rules=options.rules,
            everything=options.all,
            least=Confidence(options.min_confidence) if options.min_confidence else None,
            config=not options.no_config,
            baseline=options.baseline,
            write_baseline=options.write_baseline,
            profile=options.profile,
            verbose=options.verbose,
            flags=None if after is None else tuple(after),
            unit_seconds=options.timeout,
            unit_bytes=options.memory << 20,
            cache=not options.no_cache,
            cache_folder=options.cache_dir,
            part=options.shard,
            merge=tuple(options.merge),
            words=tuple(words),
            path_map=tuple(options.path_map),
        )
    )


def _run(options: argparse.Namespace, after: Sequence[str] | None) -> int:
    from stridewise import run

    if options.cache_model == "list":
        from stridewise.collect import geometry

        print(geometry.listing())
        return 0
    for name in _CACHE_SETTINGS:
        if getattr(options, name) and options.kind != "cache":
            raise Failure(f"--{name.replace('_', '-')} is an option of cache runs; add --cache")
    return run.run(
        run.Options(
            command=_command(after, "run", "mpirun -n 4 ./app"),
            kind=options.kind,
            output=options.output,
            format=options.format,
            fail_on=_level(options),
            everything=options.all,
            least=Confidence(options.min_confidence) if options.min_confidence else None,
            config=not options.no_config,
            lint=options.lint,
            path_map=tuple(options.path_map),
            settings={name: str(value) for name in _SETTINGS if (value := getattr(options, name))},
        )
    )


def _report(options: argparse.Namespace) -> int:
    from stridewise import report

    return report.run(
        report.Options(
            folders=tuple(options.folders),
            lint=options.lint,
            format=options.format,
            output=options.output,
            fail_on=_level(options),
            everything=options.all,
            least=Confidence(options.min_confidence) if options.min_confidence else None,
            config=not options.no_config,
            cache_table=options.cache_table,
            against=options.against,
            path_map=tuple(options.path_map),
        )
    )


def _calibrate(options: argparse.Namespace) -> int:
    from stridewise import calibrate

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


def _level(options: argparse.Namespace) -> Severity | None:
    return Severity(options.fail_on) if options.fail_on else None


class _Parser(argparse.ArgumentParser):
    """Errors in the product's own style."""

    def error(self, message: str) -> None:  # type: ignore[override]
        complain(f"{message}; see {self.prog} --help")
        sys.exit(UNABLE)


def parser() -> argparse.ArgumentParser:
    """All commands; the manual page and the shells' completions are made of it."""
    parser = _Parser(
        prog="stridewise",
        description="A performance advisor for HPC code: reads the source, watches the run, says what to change.",
        epilog="Most used: stridewise lint · stridewise run -- mpirun -n 4 ./app · stridewise explain RULE",
    )
    parser.add_argument("--version", action="version", version=f"stridewise {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    _add_lint(commands)
    _add_run(commands)
    _add_report(commands)
    _add_capture(commands)
    explain = _add(commands, "explain", "what a rule finds, why it costs, how to fix it", ["explain mpi-tiny-messages"])
    explain.add_argument("slug", metavar="SLUG", help="the rule; 'stridewise rules' lists them")
    explain.add_argument("--format", choices=("text", "markdown"), default="text", help="default: %(default)s")
    rules = _add(commands, "rules", "list the rules", ["rules", "rules --format json"])
    rules.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    config = _add(
        commands,
        "config",
        "what .stridewise.toml says for a file, and where each value comes from",
        ["config src/solver.c", "config --all .                         # with every threshold"],
    )
    config.add_argument("file", metavar="FILE", type=Path, help="a source file or a folder")
    config.add_argument("--all", action="store_true", help="the thresholds that nobody changed too")
    review.add_options(_add(commands, "review", "what a change costs, on its lines", review.EXAMPLES, review.EXIT))
    _add_calibrate(commands)
    _add_lsp(commands)
    doctor = _add(
        commands,
        "doctor",
        "what works here, and how to get the rest",
        [
            "doctor",
            "doctor --need mpi --need cache        # fails unless both kinds of run work",
            "doctor --format json",
        ],
        "exit status: 0 if sources or MPI runs can be analysed (with --need: if all of that works), else 2",
    )
    doctor.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")
    doctor.add_argument("--need", metavar="GROUP", action="append", default=[], choices=GROUPS, help=", ".join(GROUPS))
    completion = _add(
        commands,
        "completion",
        "print a script that completes commands, options and rules in a shell",
        [
            'completion bash    # eval "$(stridewise completion bash)" in ~/.bashrc',
            'completion zsh     # > "${fpath[1]}/_stridewise"',
            "completion fish    # > ~/.config/fish/completions/stridewise.fish",
            "completion tcsh    # > ~/.stridewise.tcsh, and source that in ~/.tcshrc",
        ],
    )
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    _add(commands, "version", "print the version", ["version"])
    return parser


def _add(
    commands: argparse._SubParsersAction[_Parser], name: str, purpose: str, examples: Sequence[str], more: str = ""
) -> _Parser:
    text = "examples:\n" + "\n".join(f"  stridewise {example}" for example in examples)
    return commands.add_parser(
        name,
        help=purpose,
        description=purpose[0].upper() + purpose[1:] + ".",
        epilog=text + (f"\n\n{more}" if more else ""),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_output(parser: argparse.ArgumentParser, output: bool = True) -> None:
    parser.add_argument("--format", choices=FORMATS, default="text", help=f"{', '.join(FORMATS)} (default: text)")
    if output:
        parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write the report to FILE")
    parser.add_argument(
        "--fail-on", metavar="LEVEL", choices=_LEVELS, help="exit with 1 from this severity on: info, warning, error"
    )
    parser.add_argument(
        "--min-confidence",
        metavar="LEVEL",
        choices=_CONFIDENCES,
        help="report findings from this confidence on: low, medium, high (default: medium)",
    )
    parser.add_argument("--no-config", action="store_true", help="read no .stridewise.toml")
    parser.add_argument(
        "--path-map",
        metavar="FROM=TO",
        action="append",
        default=[],
        help="what was built or run below FROM is below TO now; may be repeated (docs/howto/path-maps.md)",
    )
    parser.add_argument(
        "--all", action="store_true", help="every finding: those of low confidence, and not only the most valuable"
    )


def _add_lint(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = _add(
        commands,
        "lint",
        "analyse C and C++ sources",
        [
            "lint                                  # compile_commands.json found by itself",
            "lint -p build src/solver              # only what lies in src/solver",
            "lint kernel.c -- -O2 -fopenmp         # one file with its own flags",
            "lint --format sarif -o lint.sarif --fail-on warning",
            "lint --rules 'mem-*,-mem-struct-padding'",
            "lint --write-baseline known.json      # accept what is there; later: lint --baseline known.json",
            "lint --fix                            # apply the safe fixes",
            "lint --fix --dry-run | less           # what that would change",
            "lint --shard 1/2 --format json -o 1.json; lint --merge 1.json 2.json",
        ],
        _EXIT,
    )
    parser.add_argument("paths", metavar="PATHS", nargs="*", type=Path, help="only these files or folders")
    parser.add_argument("-p", dest="database", metavar="BUILD", type=Path, help="build folder or compile_commands.json")
    _add_output(parser)
    parser.add_argument("--fix", action="store_true", help="apply the fixes that are proven safe")
    parser.add_argument("--dry-run", action="store_true", help="with --fix: print the changes as a patch, make none")
    parser.add_argument(
        "-j", dest="jobs", metavar="N", type=_positive, help="units analysed at a time (default: all cores)"
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
    parser.add_argument("--profile", action="store_true", help="say how long each rule took")
    parser.add_argument("--verbose", action="store_true", help="say how each unit was analysed")
    parser.add_argument(
        "--timeout", metavar="SECONDS", type=_seconds, default=120.0, help="limit for one unit (default: %(default)g)"
    )
    parser.add_argument(
        "--memory", metavar="MIB", type=_positive, default=4096, help="limit for one unit (default: %(default)s)"
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


def _add_run(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = _add(
        commands,
        "run",
        "watch a program run and report what it wastes",
        [
            "run -- mpirun -n 4 ./app input.dat",
            "run --omp -- ./app                    # OpenMP; programs of GCC run on LLVM's library, too",
            "run --cache -- ./app                  # cache misses by Cachegrind, 5 to 20 times slower",
            "run --sharing -- ./app                # false sharing; build it first: make CC='stridewise-share-cc gcc'",
            "run --cache --ranks 0 --lint findings.json -- mpirun -n 2 ./app",
            "run --cache --sample -- ./app         # windows of a longer run",
            "run --cache --cache-model epyc-7763 --conflicts -- ./app",
            "run --cache-model list                # the processors that are known by name",
            "run --placement -- ./app              # pages and threads on the nodes of a NUMA machine",
            "run --lint findings.json -- mpirun -n 4 ./app",
        ],
        "exit status: the command's own (128 + signal), 1 if --fail-on triggers, 2 if it could not be started",
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--mpi", dest="kind", action="store_const", const="mpi", help="watch MPI (default)")
    kind.add_argument("--omp", dest="kind", action="store_const", const="omp", help="watch OpenMP, by LLVM's library")
    kind.add_argument("--cache", dest="kind", action="store_const", const="cache", help="watch the caches, by Valgrind")
    kind.add_argument(
        "--placement",
        dest="kind",
        action="store_const",
        const="placement",
        help="watch on which memory nodes big arrays lie, and which nodes use them",
    )
    kind.add_argument(
        "--sharing",
        dest="kind",
        action="store_const",
        const="sharing",
        help="watch threads that write to one cache line, in a program built with stridewise-share-cc",
    )
    parser.set_defaults(kind="mpi")
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("stridewise-out"),
        help="run folder (default: %(default)s)",
    )
    parser.add_argument(
        "--scratch",
        metavar="DIR",
        default="",
        help="folder on each node that holds the MPI shards while the program runs, such as '$TMPDIR' (quoted: it is "
        "looked up on the node); they are copied to the run folder at the end",
    )
    parser.add_argument(
        "--reduce",
        metavar="RANKS",
        nargs="?",
        const="1",
        type=_ranks,
        help="leave one summary for every RANKS ranks (1024) of an MPI job in place of their shards: totals without "
        "events; done by itself beyond 16384 ranks, unless RANKS is 0",
    )
    parser.add_argument(
        "--lint",
        metavar="FILE",
        type=Path,
        help="findings of 'lint --format json' to judge by this run; a sharing run watches only the parallel loops "
        "that they name, unless --all is given",
    )
    _add_cache(parser)
    _add_output(parser, output=False)


def _add_cache(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cache runs", "what is simulated, and where (docs/cache-runs.md)")
    group.add_argument(
        "--cache-model",
        metavar="NAME",
        default="",
        help="the caches of another processor: a name, 'list' for all names, or a TOML file (default: this machine)",
    )
    for name, what in (
        ("i1", "instruction cache"),
        ("d1", "first level"),
        ("l2", "second level"),
        ("ll", "last level"),
    ):
        group.add_argument(f"--{name}", metavar="SIZE,WAYS,LINE", default="", help=f"{what}, such as 32K,8,64")
    group.add_argument(
        "--cores", metavar="N", default="", help="cores at work that share the last level; 1: the program has it alone"
    )
    group.add_argument(
        "--conflicts",
        action="store_true",
        help="run the program again on nearly fully associative caches: the difference is lines that evict each other "
        "(done by itself where a finding of --lint needs it)",
    )
    group.add_argument(
        "--ranks", metavar="LIST", default="", help="simulate these ranks only, such as 0 (default: all)"
    )
    group.add_argument(
        "--only-findings",
        action="store_true",
        help="count only the functions that the findings of --lint name, by Callgrind",
    )
    group.add_argument(
        "--sample",
        action="store_true",
        help="simulate windows of the run only, a third to a quarter of the time: shares of the misses, with "
        "their error",
    )
    group.add_argument("--limit", metavar="SECONDS", default="", help="end each run after that time, and report on it")


def _add_report(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = _add(
        commands,
        "report",
        "join runs and source findings into one report",
        [
            "report                                # the run in stridewise-out",
            "report mpi-run cache-run --lint findings.json",
            "report --format sarif -o report.sarif",
            "report --path-map /cluster/me/app=$PWD   # a run of another machine",
            "report after --cache-table --against before   # two cache runs side by side",
        ],
        _EXIT,
    )
    parser.add_argument("folders", metavar="DIR", nargs="*", type=Path, help="run folders (default: stridewise-out)")
    parser.add_argument("--lint", metavar="FINDINGS.json", type=Path, help="what 'lint --format json' wrote")
    parser.add_argument(
        "--cache-table", action="store_true", help="misses, hit rate and line reuse of a cache run by function and line"
    )
    parser.add_argument("--against", metavar="DIR", type=Path, help="an earlier cache run, to be shown beside this one")
    _add_output(parser)


def _add_capture(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = _add(
        commands,
        "capture",
        "record compile_commands.json of any build",
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


def _add_calibrate(commands: argparse._SubParsersAction[_Parser]) -> None:
    parser = _add(
        commands,
        "calibrate",
        "measure what OpenMP constructs, memory and messages cost on this machine",
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


def _add_lsp(commands: argparse._SubParsersAction[_Parser]) -> None:
    from stridewise.lsp import command as lsp_command

    lsp_command.add_options(
        _add(commands, "lsp", "language server for editors (docs/editors.md)", lsp_command.EXAMPLES)
    )


def _parts(text: str) -> tuple[str, ...]:
    from stridewise import calibrate

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
    from stridewise.shards import Part

    try:
        return Part.parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError("must be I/N with 1 ≤ I ≤ N, such as 2/4") from None


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError("must be a positive number of seconds")
    return value
