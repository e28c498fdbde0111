"""`stridewise run`: its options."""

from __future__ import annotations

import argparse
from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add, add_output, brief, least, level, watched
from stridewise.errors import Failure

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
    "roofline",
    "limit",
)
_SETTINGS = ("scratch", "reduce", "memory", *_CACHE_SETTINGS)  # options of single kinds of run


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "run",
        "watch a program run and report what it wastes",
        _run,
        [
            "run -- mpirun -n 4 ./app input.dat",
            "run --omp -- ./app                    # OpenMP; programs of GCC run on LLVM's library, too",
            "run --cache -- ./app                  # cache misses by Cachegrind, 20 to 70 times slower",
            "run --sharing -- ./app                # false sharing; build it first: make CC='stridewise-share-cc gcc'",
            "run --cache --ranks 0 --lint findings.json -- mpirun -n 2 ./app",
            "run --cache --sample -- ./app         # windows of a longer run",
            "run --cache --cache-model epyc-7763 --conflicts -- ./app",
            "run --cache --roofline -- ./app       # flops, bytes and ceiling of each loop",
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
    parser.set_defaults(kind="mpi", takes_words=True)
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
        type=reduced_ranks,
        help="leave one summary for every RANKS ranks (1024) of an MPI job in place of their shards: totals without "
        "events; done by itself beyond 16384 ranks, unless RANKS is 0",
    )
    parser.add_argument(
        "--memory",
        action="store_true",
        help="of an MPI run, also count allocations by their places, for 'scale' and 'budget'",
    )
    parser.add_argument(
        "--lint",
        metavar="FILE",
        type=Path,
        help="findings of 'lint --format json' to judge by this run; a sharing run watches only the parallel loops "
        "that they name, unless --all is given",
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="show no progress on the terminal while the program runs"
    )
    _add_cache(parser)
    add_output(parser, output=False)


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
    group.add_argument(
        "--roofline",
        action="store_true",
        help="count each instruction, by Callgrind, up to twice as slow: what each loop computes and moves, and the "
        "least time that takes on this machine (docs/roofline.md)",
    )
    group.add_argument("--limit", metavar="SECONDS", default="", help="end each run after that time, and report on it")


def _run(line: Line) -> int:
    from stridewise.runs import run

    options = line.options
    if options.cache_model == "list":
        from stridewise.machine import geometry

        print(geometry.listing())
        return 0
    if options.memory and options.kind != "mpi":
        raise Failure("--memory is an option of MPI runs")
    for name in _CACHE_SETTINGS:
        if getattr(options, name) and options.kind != "cache":
            raise Failure(f"--{name.replace('_', '-')} is an option of cache runs; add --cache")
    return run.run(
        run.Options(
            command=watched(line, "run", "mpirun -n 4 ./app"),
            kind=options.kind,
            output=options.output,
            format=options.format,
            fail_on=level(options),
            everything=options.all,
            ungrouped=options.ungroup,
            brief=brief(options),
            least=least(options),
            config=not options.no_config,
            lint=options.lint,
            path_map=tuple(options.path_map),
            progress=not options.quiet,
            settings={name: str(value) for name in _SETTINGS if (value := getattr(options, name))},
        )
    )


def reduced_ranks(text: str) -> str:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no number of ranks; write the command behind --")
    return text
