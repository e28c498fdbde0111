"""`stridewise explain` and `stridewise rules`: their options."""

from __future__ import annotations

from stridewise.cli.options import Commands, Line, Parser, add


def register(commands: Commands[Parser]) -> None:
    purpose = "what a rule finds, why it costs, how to fix it"
    parser = add(commands, "explain", purpose, _explain, ["explain mpi-tiny-messages"])
    parser.add_argument("slug", metavar="SLUG", help="the rule; 'stridewise rules' lists them")
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="default: %(default)s")
    parser = add(commands, "rules", "list the rules", _rules, ["rules", "rules --format json"])
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")


def _explain(line: Line) -> int:
    from stridewise.catalogue import explain

    return explain.explain(line.options.slug, line.options.format)


def _rules(line: Line) -> int:
    from stridewise.catalogue import explain

    return explain.table(line.options.format)
