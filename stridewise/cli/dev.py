"""`stridewise dev`: its options."""

from __future__ import annotations

from pathlib import Path

from stridewise.cli.options import Commands, Line, Parser, add

_STEPS = """next, as docs/adding-a-rule.md says:
  1. rule.toml: title, why, references, message and advice, thresholds with their units and reasons
  2. buggy and fixed: the defect and its repair, small programs that print the same;
     two loud and three silent files in cases/
  3. the detectors; build, then: make test FILTER={slug}"""


def register(commands: Commands[Parser]) -> None:
    parser = add(
        commands,
        "dev",
        "help for those who work on stridewise itself: the files of a new rule",
        _dev,
        ["dev new-rule mem-example", "dev new-rule omp-example --language c --language fortran --detector static"],
        "Run it in the source tree. Nothing that exists is written over.",
    )
    parser.add_argument(
        "task", choices=("new-rule",), metavar="new-rule", help="write the files of a rule, to be filled in"
    )
    parser.add_argument("slug", metavar="SLUG", help="its name: family (mem, omp, mpi, build, run, io) and words")
    parser.add_argument(
        "--language",
        action="append",
        choices=("c", "c++", "fortran"),
        help="of its pair of programs; may be repeated (default: c)",
    )
    parser.add_argument(
        "--detector",
        action="append",
        choices=("static", "mpi", "cache", "omp"),
        help="what finds it: the source, or a run; may be repeated (default: static)",
    )
    parser.add_argument(
        "--top", metavar="DIR", type=Path, default=Path(), help="the source tree (default: this folder)"
    )


def _dev(line: Line) -> int:
    from stridewise.catalogue import scaffold

    options = line.options
    for place in scaffold.create(options.top, options.slug, options.language or ["c"], options.detector or ["static"]):
        print(place)
    print(_STEPS.format(slug=options.slug))
    return 0
