"""`stridewise improve`: its options."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add
from stridewise.errors import Failure


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "improve",
        "mend a copy of the program step by step, and keep what is measured to help",
        _run,
        [
            "improve -- ./app input.dat            # built by the Makefile or CMakeLists.txt here",
            "improve --build 'make -C src' -- mpirun -n 4 src/app small.cfg",
            "improve --check 'cmp out.ref out' -- ./app",
            "improve --vary ranks=2,6 --vary run.cfg:width=300 -- mpirun -n 4 ./app   # right there, too",
            "improve --safe -- ./app               # only fixes that are proven for every program",
            "improve --patches steps/ -- ./app     # measure steps that somebody made, in the order of their names",
            "improve --format json -- ./app > waterfall.json",
        ],
        "The program is copied, built and run; nothing of the original is written to. Its results are learnt from\n"
        "three runs: what differs between them is no result, the rest must come again. Then the finding that saves\n"
        "most is mended, the copy is built and run, and the step is kept where results are the same and the time is\n"
        "less; the program is analysed again, until nothing is left. -o DIR holds a branch with one commit a step,\n"
        "the patches, and the waterfall as JSON and HTML. The same command goes on where it was stopped.\n\n"
        "exit status: 0 done or stopped by a limit, 2 if the program could not be built or run",
    )
    parser.add_argument(
        "--build", metavar="CMD", action="append", default=[], help="how it is built; may be repeated (default: found)"
    )
    parser.add_argument("--run", metavar="CMD", help="how it is run, in place of the words after '--'")
    parser.add_argument("--check", metavar="CMD", help="ends with 0 where the results of the run before are right")
    parser.add_argument(
        "--tolerance",
        metavar="T",
        type=_positive,
        default=1e-9,
        help="relative, of numbers in results (default: %(default)g)",
    )
    parser.add_argument(
        "--project", metavar="DIR", type=Path, help="what is copied (default: the git repository around here, or here)"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="folder of the copy and the results (default: stridewise-improve)",
    )
    parser.add_argument(
        "--vary",
        metavar="NAME=V,V",
        action="append",
        default=[],
        help="inputs whose results must stay the same, too, one value at a time: ranks=2,6, a variable of the "
        "environment, or FILE:KEY=V,V for a value in a file; may be repeated",
    )
    parser.add_argument(
        "--also", metavar="CMD", action="append", default=[], help="another run whose results must stay the same"
    )
    parser.add_argument(
        "--no-vary",
        action="store_true",
        help="compare the given input alone; else, without --vary and --also, another number of ranks is tried, and "
        "half of numbers among the arguments and in files that they name",
    )
    parser.add_argument("--portable", action="store_true", help="no option that binds the program to this processor")
    parser.add_argument("--safe", action="store_true", help="only fixes that are proven for every program")
    parser.add_argument(
        "--only", metavar="RULE", action="append", default=[], help="this rule's findings; may be repeated"
    )
    parser.add_argument("--patches", metavar="DIR", type=Path, help="apply these patches in place of findings' fixes")
    parser.add_argument(
        "--steps", metavar="N", type=int, default=30, help="stop after N kept steps (default: %(default)s)"
    )
    parser.add_argument(
        "--minutes",
        metavar="M",
        type=_positive,
        default=60.0,
        help="begin no step after M minutes (default: %(default)g)",
    )
    parser.add_argument(
        "--round-seconds", metavar="S", type=_positive, default=60.0,
        help="what the rounds of one measurement may take (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--limit", metavar="S", type=_positive, default=3600.0, help="end a run after S seconds (default: %(default)g)"
    )
    parser.add_argument("--format", choices=("text", "json", "html"), default="text", help="default: %(default)s")
    parser.set_defaults(takes_words=True)


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def _run(line: Line) -> int:
    from stridewise.improve import inputs, loop, waterfall
    from stridewise.improve.inputs import words
    from stridewise.improve.settings import FOLDER, Settings, build_commands
    from stridewise.improve.tree import repository

    options = line.options
    here = Path.cwd()
    if options.run and line.after:
        raise Failure("the program is given twice: by --run and after '--'")
    run = words(options.run, "--run") if options.run else tuple(line.after or ())
    if not run:
        raise Failure("say how the program is run: stridewise improve -- ./app input.dat")
    project = (options.project or repository(here) or here).resolve()
    if not here.resolve().is_relative_to(project):
        raise Failure(f"--project {project} does not hold the working directory {here}")
    patches = tuple(sorted(options.patches.resolve().glob("*.patch"))) if options.patches else ()
    if options.patches and not patches:
        raise Failure(f"{options.patches} holds no *.patch")
    settings = Settings(
        project=project,
        here=here.resolve().relative_to(project),
        build=build_commands(here, options.build),
        run=run,
        folder=(options.output or here / FOLDER).resolve(),
        inputs=inputs.given(run, options.vary, options.also, here),
        propose=not (options.no_vary or options.vary or options.also),
        check=words(options.check, "--check") if options.check else (),
        tolerance=options.tolerance,
        steps=options.steps,
        minutes=options.minutes,
        round_seconds=options.round_seconds,
        unsafe=not options.safe,
        portable=options.portable,
        only=tuple(options.only),
        patches=patches,
        limit_seconds=options.limit,
    )
    state = loop.Improvement(settings).run()
    (settings.folder / "waterfall.json").write_text(waterfall.as_json(state, settings), encoding="utf-8")
    (settings.folder / "waterfall.html").write_text(waterfall.page(state, settings), encoding="utf-8")
    if options.format == "json":
        sys.stdout.write(waterfall.as_json(state, settings))
    elif options.format == "html":
        sys.stdout.write(waterfall.page(state, settings))
    else:
        sys.stdout.write(waterfall.text(state, settings, shutil.get_terminal_size().columns))
    return 0
