"""`stridewise scale`: its options."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.cli.run import reduced_ranks
from stridewise.errors import Failure

_OF_FINDINGS = ("sarif", "github", "gitlab", "rdjson", "junit")
DEFAULT_RANKS = (2, 3, 4, 5, 6, 8, 9, 12, 16)
DEFAULT_THREADS = (1, *DEFAULT_RANKS)  # one thread is what times are compared with


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "scale",
        "find how each line's messages grow with the ranks, by runs on a few",
        _run,
        [
            "scale -- mpirun --oversubscribe -n {n} ./app input.dat",
            "scale -n 8,27,64 --target 4096 -- mpirun -n {n} ./lulesh -s 10",
            "scale --weak 'size={n}*1000' -- mpirun -n {n} ./app {size}",
            "scale --template in.tmpl=in.txt --weak 'nx=10*cbrt({n})' -- mpirun -n {n} ./app in.txt",
            "scale --threads -n 1,2,3,4,6,8 --target 64 --work -- ./app      # threads alone, by OMP_NUM_THREADS",
            "scale --env 'OMP_NUM_THREADS={n}' -n 2,4,8 -- mpirun -n {n} ./app",
            "scale --launcher slurm --sbatch=--time=10 -n 8,16,32 -o study -- srun -n {n} ./app",
            "scale --from runs/p2 runs/p4 runs/p8 --target 4096 --machine cluster.json",
        ],
        "Counts do not lie: how often each line sends, to how many, and how many bytes, is the same on one\n"
        "oversubscribed desk as on a machine. Each run is watched once; runs that are there already are kept.\n\n"
        "With --threads, or --env 'OMP_NUM_THREADS={n}' before a command that starts no ranks, {n} is the number of\n"
        "threads of a program without MPI: laws of teams, barriers, iterations and turns in critical sections, and\n"
        "with --work of the instructions of each thread, which tell the serial share. Times are told of runs in which\n"
        "each thread had a processor.\n\n"
        "exit status: 0, 1 if --fail and a place does not scale, 2 if there are too few runs",
    )
    parser.set_defaults(takes_words=True)
    parser.add_argument(
        "-n",
        "--ranks",
        metavar="LIST",
        type=_ranks,
        default=(),
        help="numbers of ranks, or of threads, such as 2,3,4,6,8 (default: " + ",".join(map(str, DEFAULT_RANKS)) + ")",
    )
    parser.add_argument(
        "--threads", action="store_true", help="{n} is the number of threads, which OMP_NUM_THREADS is set to"
    )
    parser.add_argument(
        "--weak",
        metavar="NAME=FORMULA",
        action="append",
        default=[],
        help="the problem grows with the ranks: {NAME} in the command is this formula of {n}; may be repeated",
    )
    parser.add_argument(
        "--let", metavar="NAME=FORMULA", action="append", default=[], help="the same for strong scaling"
    )
    parser.add_argument(
        "--template",
        metavar="FILE=TARGET",
        action="append",
        default=[],
        help="before each run FILE is written to TARGET with {n} and the other names replaced; may be repeated",
    )
    parser.add_argument(
        "--env", metavar="NAME=VALUE", action="append", default=[], help="of the environment, names replaced"
    )
    parser.add_argument(
        "--from", dest="folders", metavar="RUN", nargs="+", type=Path, help="take these run folders, run nothing"
    )
    parser.add_argument(
        "--launcher",
        choices=("slurm",),
        help="run nothing: write the runs as jobs, one for each number of ranks, and a script that submits them",
    )
    parser.add_argument(
        "--sbatch",
        metavar="OPTION",
        action="append",
        default=[],
        help="of each job, such as --sbatch=--partition=debug",
    )
    parser.add_argument(
        "--no-memory", action="store_true", help="do not watch allocations, of which many small ones take time"
    )
    parser.add_argument(
        "--work",
        action="store_true",
        help="also run each once more by Cachegrind, 20 to 70 times slower: laws of the instructions of each function "
        "and line, and of the serial share",
    )
    parser.add_argument(
        "--reduce",
        metavar="RANKS",
        nargs="?",
        const="1",
        type=reduced_ranks,
        help="runs leave one summary for every RANKS ranks (1024) in place of a file for each",
    )
    parser.add_argument("--target", metavar="P", type=_target, help="foretell counts and prices at that many ranks")
    parser.add_argument(
        "--machine",
        metavar="FILE",
        type=Path,
        help="what messages cost there: latency_seconds, send_seconds, bytes_per_second (docs/calibrate.md)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        default=Path("stridewise-scale"),
        help="folder of the runs, of scale.json and scale.html (default: %(default)s)",
    )
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw the curves into FILE (.png, .svg, .pdf), by matplotlib"
    )
    parser.add_argument("--limit", metavar="S", type=float, default=0.0, help="end each run after S seconds")
    parser.add_argument("--again", action="store_true", help="make runs again that are there")
    parser.add_argument("--all", action="store_true", help="every place, not only the dearest")
    parser.add_argument("--fail", action="store_true", help="exit with 1 where a place does not scale")
    parser.add_argument(
        "--format",
        choices=("text", "json", "markdown", "html", *_OF_FINDINGS),
        default="text",
        help=f"of the study, or of what does not scale as findings: {', '.join(_OF_FINDINGS)} (default: %(default)s)",
    )


def _ranks(text: str) -> tuple[int, ...]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdecimal() and int(word) >= 1 for word in words):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of ranks such as 2,3,4,6,8")
    return tuple(sorted({int(word) for word in words}))


def _target(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of ranks above 1")
    return int(text)


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """Of the MPI runs. Where the library that tells of allocations was not built, nothing is said of them."""
    from stridewise.settings import toolchain

    settings = {} if options.no_memory or toolchain.memory_library() is None else {"memory": "1"}
    return settings | ({"reduce": options.reduce} if options.reduce else {})


def _pairs(given: list[str], option: str) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value:
            raise Failure(f"{option} '{text}': write it as NAME=VALUE")
        pairs[name.strip()] = value
    return pairs


def _of_laws(options: argparse.Namespace) -> list[str]:
    """The options that the job needs which makes the laws."""
    words = [f"--target={options.target}"] if options.target else []
    words += [f"--machine={options.machine.absolute()}"] if options.machine else []
    words += [f"--weak={text}" for text in options.weak]
    return [*words, f"--format={options.format}", *(["--all"] if options.all else [])]


def _is_of_threads(options: argparse.Namespace, command: tuple[str, ...]) -> bool:
    """Whether {n} is a number of threads: as it is said, or since the command starts no ranks."""
    from stridewise.collect import launcher

    given = _pairs(options.env, "--env").get("OMP_NUM_THREADS", "")
    alone = "{n}" in given and not any("{n}" in word for word in command) and not launcher.parse(command).family
    threads: bool = options.threads or alone
    if threads and (options.reduce or options.machine):
        raise Failure(f"{'--reduce' if options.reduce else '--machine'} is of ranks; leave it out for threads")
    return threads


def _run(line: Line) -> int:
    from stridewise import catalogue
    from stridewise.console import remark
    from stridewise.finding.sources import find_project
    from stridewise.output import write, write_file
    from stridewise.scale import data, page, plot, render, series, slurm, study
    from stridewise.scale.counts import RANKS, THREADS

    options = line.options
    if options.plot:
        plot.check(options.plot)
    weak, fixed = _pairs(options.weak, "--weak"), _pairs(options.let, "--let")
    if options.folders:
        if line.after:
            raise Failure("--from takes runs that are there: nothing may stand after '--'")
        folders = list(options.folders)
    else:
        if not line.after:
            raise Failure("say how the program is run: stridewise scale -- mpirun -n {n} ./app")
        templates = _pairs(options.template, "--template")
        threads = _is_of_threads(options, line.after)
        wanted = series.Series(
            command=line.after,
            ranks=options.ranks or (DEFAULT_THREADS if threads else DEFAULT_RANKS),
            folder=options.output,
            variables={**fixed, **weak},
            environment=_pairs(options.env, "--env"),
            templates=tuple((Path(one), Path(other)) for one, other in templates.items()),
            limit_seconds=options.limit,
            again=options.again,
            settings={} if threads else _settings(options),
            work=options.work,
            unit=THREADS if threads else RANKS,
        )
        if options.launcher:
            remark(f"submit the jobs with {slurm.write(wanted, _of_laws(options), options.sbatch)}")
            return 0
        folders = series.make(wanted)
    project = find_project([Path.cwd() / "x"])
    runs, skipped = study.load(folders, project)
    result = study.study(
        runs,
        weak=bool(weak),
        target=options.target,
        machine=options.machine,
        root=project.root,
        skipped=skipped,
        rules=study.found_at(runs[-1], project) if runs else {},
    )
    if not options.folders:
        write_file(options.output / "scale.json", data.as_json(result))
        write_file(options.output / "scale.html", page.render(result))
    if options.plot:
        plot.draw(result, options.plot)
        remark(f"the plot is in {options.plot}")
    formats = {"json": data.as_json, "markdown": render.markdown, "html": page.render}
    if options.format in _OF_FINDINGS:
        write(study.as_findings(result, project), catalogue.load(), options.format, None)
    elif options.format in formats:
        sys.stdout.write(formats[options.format](result))
    else:
        sys.stdout.write(render.text(result, shutil.get_terminal_size().columns, options.all))
    return 1 if options.fail and any(row.unscalable for row in result.rows) else 0
